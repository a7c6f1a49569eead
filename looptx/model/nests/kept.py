"""Loops in a nest that are no loops of it."""

from __future__ import annotations

from looptx.errors import Place
from looptx.model.records import dataclass


@dataclass(frozen=True, slots=True)
class KeptLoop:
    """An inner loop that is part of an opaque statement, so that no directive finds it.

    ``reason`` says why, of "its" parts (``its bound `i * i` is not affine``); ``hint``
    how to make a loop of it.
    """

    var: str
    place: Place
    reason: str
    hint: str
