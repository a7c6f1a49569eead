"""What looptx makes of a graph of operators: values, plain directives, report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from unittest import mock

import numpy as np
from kit.around import found, rest, said, written_out
from kit.carried import readable

from fuzz.around.counting import Counting
from fuzz.around.graph import Graph
from fuzz.around.rules import broken
from fuzz.tiers.case import BROKEN, OTHER, Answer, Verdict, transformed
from looptx import attach
from looptx.around import Expansion

SIZES = (0, 1, 2, 3, 5, 7)

AGAIN = 8
"""Of every so many functions the places are chosen twice, which takes half the time."""


def verdict(made: Graph) -> Verdict:
    """What is wrong with what looptx makes of a function."""
    text = made.text()
    answer, chosen, told = _noted(text)
    if answer.code in BROKEN or OTHER in answer.message:
        return Verdict(answer.code, f"error {answer.code}", answer.message)
    if answer.code == "LX204":
        return Verdict(answer.code, notes=("LX204 unjudged: it takes too long",))
    if answer.code:
        alone = transformed(made.bare().text())
        if alone.code:
            return Verdict(answer.code, notes=(f"{answer.code} without fuse_around",))
        return Verdict(answer.code, "what it chose is refused", answer.message)
    once = "recompute" not in text and "temp" not in text
    why = _difference(text, answer.text, once=once)
    if why:
        return Verdict("", "computes something else", f"{why}\n{answer.text}")
    if len(text) % AGAIN == 0 and found(text) != (chosen, told):
        return Verdict("", "chooses something else again", f"{chosen}")
    other = transformed(written_out(text, chosen))
    if rest(answer.text) != rest(other.text):
        detail = f"{chosen}\n{other.message}{other.text}\nnot\n{answer.text}"
        return Verdict("", "plain directives are something else", detail)
    for kind, line in broken(made, told):
        return Verdict("", kind, line)
    joined = sum(len(one.split(" | ")) for one in chosen.values() if one)
    return Verdict("", notes=("accepted: a nest joins",) * joined)


def _noted(text: str) -> tuple[Answer, dict[str, str], list[str]]:
    """What a module becomes, what its directives amount to, and the report."""
    known: dict[str, Expansion] = {}
    expanded = attach._expansions

    def noted(*args: Any) -> Mapping[str, Expansion]:
        found = expanded(*args)
        known.update(found)
        return found

    with mock.patch.object(attach, "_expansions", noted):
        answer = transformed(text)
    return answer, *said(known)


def _difference(before: str, after: str, *, once: bool) -> str:
    """What is different at small sizes, or ``""``.

    Args:
        before: the module as it is written. after: as looptx writes it.
        once: whether no iteration may run twice.
    """
    chance = np.random.default_rng(1)
    one, two = Counting(before), Counting(after)
    for n in SIZES:
        given = [*(chance.standard_normal((9, 9)) for _ in range(3)), n]
        for expected, other in zip(one.left(given), two.left(given), strict=True):
            if expected != other:
                return f"n={n}: {readable(other)}, not {readable(expected)}"
        if once and two.writes > one.writes:
            return f"n={n}: {two.writes} writes, more than {one.writes}"
    return ""
