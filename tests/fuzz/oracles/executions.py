"""The executions of functions at small sizes, kept for all lists of directives."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from fuzz.oracles.enumeration import Access, Enumerated, Extents, Instance, analysable
from fuzz.programs.model import Function, Program, deepest

Found = dict[Instance, Access]
"""The executions of a function in the order of the source, with what they touch."""

ALL = tuple(product(range(6), repeat=2))
"""The sizes at which everything is tried."""

BEYOND = tuple(
    pair for size in (6, 7, 9, 13, 26) for pair in ((size, size), (size, 2), (2, size))
)
"""More sizes at which a refusal may turn out to be needed."""

SOME = ((0, 3), (1, 1), (1, 4), (2, 2), (2, 5), (3, 3), (4, 2), (5, 5), (4, 0))
"""Sizes that must do where loops are deep and the schedule was accepted."""

KEPT: dict[object, Any] = {}
"""What lists of directives for one program share."""


def forget() -> None:
    """Drop what is kept of the programs so far."""
    KEPT.clear()


def judged(program: Program) -> bool:
    """Whether executions can be told apart, and do not depend on data."""
    return program.tagged and all(
        analysable(f.body) and not f.setting.viewed for f in program.functions
    )


def executions(program: Program, function: Function, extents: Extents) -> Found | None:
    """Those of a function; None where it would raise.

    Raises:
        TooMany: they are.
    """
    at = kept_at(program, extents)
    if at not in KEPT:
        try:
            KEPT[at] = enumerated(program, function).at(extents)
        except (IndexError, ValueError):
            KEPT[at] = None
    found: Found | None = KEPT[at]
    return found


def enumerated(program: Program, function: Function) -> Enumerated:
    """What enumerates the executions of a function."""
    key = program.bare, function.name
    if key not in KEPT:
        KEPT[key] = Enumerated(function)
    found: Enumerated = KEPT[key]
    return found


def kept_at(program: Program, extents: Extents) -> tuple[object, ...]:
    """What is kept of a function at some extents goes by this."""
    known = tuple(extents.known.items())
    return program.bare, extents.function.name, extents.n, extents.m, known


def everywhere(program: Program, function: Function) -> Iterator[tuple[Extents, Found]]:
    """The executions at all small sizes at which the function does not raise.

    Raises:
        TooMany: they are.
    """
    for n, m in SOME if deepest(function.body) > 2 else ALL:
        extents = Extents(function, n, m)
        found = executions(program, function, extents)
        if found is not None:
            yield extents, found


def assumed(function: Function, extents: Extents) -> bool:
    """Whether what the function assumes holds; else it runs its loops as they were."""
    texts = [x for x in function.clauses() if x.startswith("assume ")]
    sizes = {"n": extents.n, "m": extents.m}
    for name, _, value in function.setting.derived:
        sizes[name] = eval(value, {}, dict(sizes))
    return all(eval(text.removeprefix("assume "), {}, sizes) for text in texts)
