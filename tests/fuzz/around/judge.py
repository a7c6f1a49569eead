"""What looptx makes of a graph of operators: values, plain directives, report."""

from __future__ import annotations

import numpy as np
from kit.around import found, rest, written_out
from kit.carried import called, left, readable

from fuzz.around.graph import Graph
from fuzz.tiers.case import BROKEN, OTHER, Verdict, transformed

SIZES = (0, 1, 2, 3, 5, 7)


def verdict(made: Graph) -> Verdict:
    """What is wrong with what looptx makes of a function."""
    text = made.text()
    answer = transformed(text)
    if answer.code in BROKEN or OTHER in answer.message:
        return Verdict(answer.code, f"error {answer.code}", answer.message)
    if answer.code == "LX204":
        return Verdict(answer.code, notes=("LX204 unjudged: it takes too long",))
    if answer.code:
        alone = transformed(made.bare().text())
        if alone.code:
            return Verdict(answer.code, notes=(f"{answer.code} without fuse_around",))
        return Verdict(answer.code, "what it chose is refused", answer.message)
    why = _difference(text, answer.text)
    if why:
        return Verdict("", "computes something else", f"{why}\n{answer.text}")
    # Found once more, so that another choice would be another text.
    chosen, told = found(text)
    other = transformed(written_out(text, chosen))
    if rest(answer.text) != rest(other.text):
        detail = f"{chosen}\n{other.message}{other.text}\nnot\n{answer.text}"
        return Verdict("", "plain directives are something else", detail)
    silent = _silent(made, told)
    if silent:
        return Verdict("", "says nothing of a nest", silent)
    joined = sum(len(one.split(" | ")) for one in chosen.values() if one)
    return Verdict("", notes=("accepted: a nest joins",) * joined)


def _difference(before: str, after: str) -> str:
    """What is different at small sizes, or ``""``."""
    chance = np.random.default_rng(1)
    one, two = called(before), called(after)
    for n in SIZES:
        given = [*(chance.standard_normal((9, 9)) for _ in range(3)), n]
        for expected, other in zip(left(one, given), left(two, given), strict=True):
            if expected != other:
                return f"n={n}: {readable(other)}, not {readable(expected)}"
    return ""


def _silent(made: Graph, told: list[str]) -> str:
    """A nest between others of which the report of an anchor says nothing."""
    for text in made.directives:
        if text.startswith("fuse_around"):
            own = [one for one in told if one.startswith(f"{text}: ")]
            names = [one.removeprefix(f"{text}: ").split()[0] for one in own]
            if not names and len(made.nodes) > 1:
                return ""
            at = [made.nodes.index(x) for x in made.nodes if x.name in names]
            between = made.nodes[min(at, default=0) : max(at, default=-1) + 1]
            missing = {x.name for x in between} - {*names, text.split()[1]}
            joined = {x.split()[0] for one in told for x in [one.partition(": ")[2]]}
            if missing - joined:
                return f"{text}: {sorted(missing)}"
    return ""
