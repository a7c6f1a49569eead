"""Modules carried out by CPython, with a count of the cells that are written."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
from kit.carried import called, left


class Counting:
    """A function ``f``.

    Args:
        text: its module.

    Attributes:
        writes: how many cells the calls have written so far.
    """

    def __init__(self, text: str) -> None:
        self.writes = 0
        counting = self

        class Counted(np.ndarray[Any, Any]):
            """An array that tells what is written into it."""

            def __setitem__(self, key: Any, value: Any) -> None:
                counting.writes += 1
                super().__setitem__(key, value)

        self._kind = Counted
        self._called = called(text)
        made = {**vars(np), "zeros": self._zeros, "empty": self._empty}
        self._called.__globals__["np"] = SimpleNamespace(**made)

    def _zeros(self, *args: Any, **options: Any) -> Any:
        return np.zeros(*args, **options).view(self._kind)

    def _empty(self, *args: Any, **options: Any) -> Any:
        return np.empty(*args, **options).view(self._kind)

    def left(self, given: Sequence[Any]) -> list[object]:
        """What a call returns or raises, and its arguments afterwards, to the bit."""
        counted = (
            x.view(self._kind) if isinstance(x, np.ndarray) else x for x in given
        )
        return left(self._called, list(counted))
