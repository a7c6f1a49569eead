"""Oracle (b): whether a schedule is legal, from all executions at all small sizes.

Two executions of statements conflict when both touch a cell and one writes it. A
schedule is legal when all of them that conflict keep their order, and a loop may run in
parallel when none of its iterations conflict. Both are decided by looking at every pair
at every size from 0 to 5, and at the sizes that looptx names, and compared with what
looptx says, in both directions. Nothing is shared with the oracle on dataflow.

What is private to an iteration (scalars, temporaries) may be written again before or
after: for an accepted schedule it is enough that each read stays behind the write that
it sees. A refusal is only held against looptx if all pairs keep their order.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from fuzz.conflicts import Freedom, chains, kept, meeting, ordered
from fuzz.enumeration import (
    Access,
    Enumerated,
    Extents,
    Instance,
    TooMany,
    analysable,
)
from fuzz.model import Assign, For, Function, Program, deepest, walk
from fuzz.orders import Recorder, Runs
from fuzz.terms import Cell, Name

ALL = tuple(product(range(6), repeat=2))
"""The sizes at which everything is tried."""

BEYOND = tuple(
    pair for size in (6, 7, 9, 13, 26) for pair in ((size, size), (size, 2), (2, size))
)
"""More sizes at which a refusal may turn out to be needed."""

SOME = ((0, 3), (1, 1), (1, 4), (2, 2), (2, 5), (3, 3), (4, 2), (5, 5), (4, 0))
"""Sizes that must do where loops are deep and the schedule was accepted."""

MARKS = re.compile(r"^(?:parallel|vectorize) ([a-z_]+)\b(?![#.])")

_KEPT: dict[object, Any] = {}
"""What lists of directives for one program share."""


def forget() -> None:
    """Drop what is kept of the programs so far."""
    _KEPT.clear()


def accepted(program: Program, new: str) -> str:
    """Why a schedule that was accepted is illegal, or ``""``."""
    if not judged(program):
        return ""
    marked = {f.name: list(_marked(f)) for f in program.functions}
    runs = Runs(new, follow=any(marked.values()))
    for function in program.functions:
        freedom = Freedom(_reduced(function, integers=True), _private(function))
        deep = deepest(function.body) > 2
        for n, m in SOME if deep else ALL:
            found = _executions(program, function, Extents(function, n, m))
            if found is None:
                continue
            recorder = runs.at(Extents(function, n, m))
            if recorder is None:
                continue
            why = _wrong(program, function, (n, m), found, recorder, freedom)
            for loop, numbers in marked[function.name]:
                why = why or _together(found, recorder, freedom, loop, numbers)
            if why:
                return f"at n={n}, m={m} {why}"
    return ""


def refused(
    program: Program,
    trusting: str,
    code: str,
    message: str,
    more: Callable[[], Mapping[str, int]] = dict,
) -> bool | None:
    """Whether a refusal is needed, as some execution shows.

    Args:
        program: what was refused.
        trusting: what looptx makes of it when the order is trusted.
        code: ``LX201`` or ``LX202``.
        message: that of the error, with the sizes of the witness.
        more: gives the sizes of a witness against the whole schedule, if asked.

    Returns:
        None where it cannot be judged.
    """
    if not judged(program):
        return None
    found = re.search(r"different iterations of (\w+) ", message)
    loop = found[1].rstrip("_0123456789") if found else ""
    if code == "LX202" and not loop:
        return None
    runs = Runs(trusting, follow=bool(loop))
    ran = unsure = False
    for function in program.functions:
        if not function.directives and not any(
            isinstance(node, For) and node.directives for node in function.body
        ):
            continue
        freedom = Freedom(_reduced(function, integers=False))
        for extents in _sizes(function, message, more):
            try:
                executions = _executions(program, function, extents)
            except TooMany:
                unsure = True
                continue
            if executions is None:
                unsure = unsure or not ran
                continue
            recorder = runs.at(extents)
            if recorder is None:
                continue
            ran = True
            if loop:
                around = dict(zip(recorder.order, recorder.around, strict=True))
                cells = chains(executions, freedom)
                why = meeting(cells, freedom, around, loop, pieces=True)
            else:
                why = kept(
                    ordered(chains(executions, freedom), freedom), recorder.order
                )
            if why or why is None:
                return True if why else None
    return None if unsure or not ran else False


def judged(program: Program) -> bool:
    """Whether executions can be told apart, and do not depend on data."""
    return program.tagged and all(analysable(f.body) for f in program.functions)


def _extents(function: Function, named: Mapping[str, int]) -> Extents:
    """Those of a witness."""
    shapes = {text: number for text, number in named.items() if "." in text}
    first = [number for text, number in shapes.items() if text.endswith("[0]")]
    second = [number for text, number in shapes.items() if text.endswith("[1]")]
    n = named.get("n", first[0] if first and function.shaped else 0)
    m = named.get("m", second[0] if second and function.shaped else 0)
    return Extents(function, n, m, shapes)


def _sizes(
    function: Function, message: str, more: Callable[[], Mapping[str, int]]
) -> Iterator[Extents]:
    """Those that looptx names, all small ones, and some beyond several blocks."""
    shapes: set[str] = set()
    for named in (lambda: _named(message), more):
        extents = _extents(function, named())
        shapes |= extents.known.keys()
        yield extents
    for one, two in (*ALL, *BEYOND):
        yield Extents(function, one, two)
    if shapes:
        for (one, two), extent in product(ALL, range(1, 7)):
            yield Extents(function, one, two, dict.fromkeys(shapes, extent))


def _named(message: str) -> dict[str, int]:
    """The sizes that an error names."""
    found = re.findall(
        r"([\w.]+(?:\[\d\])?)=(-?\d+)(?=[,:])", message.partition("(")[0]
    )
    return {text: int(number) for text, number in found}


def _executions(
    program: Program, function: Function, extents: Extents
) -> dict[Instance, Access] | None:
    """Those of a function; None where it would raise."""
    text = program.text(directed=False)
    key = text, function.name
    if key not in _KEPT:
        _KEPT[key] = Enumerated(function)
    at = *key, extents.n, extents.m, tuple(extents.known.items())
    if at not in _KEPT:
        try:
            _KEPT[at] = _KEPT[key].at(extents)
        except (IndexError, ValueError):
            _KEPT[at] = None
    found: dict[Instance, Access] | None = _KEPT[at]
    return found


def _wrong(
    program: Program,
    function: Function,
    sizes: tuple[int, int],
    found: dict[Instance, Access],
    recorder: Recorder,
    freedom: Freedom,
) -> str:
    """What a run does not do, or does in another order than it must."""
    order = recorder.order
    if len(order) != len(found) or found.keys() != set(order):
        missing = found.keys() - set(order)
        return f"it runs {len(order)} executions, not {len(found)}; without {missing}"
    key = program.text(directed=False), function.name, sizes, freedom
    if key not in _KEPT:
        _KEPT[key] = ordered(chains(found, freedom), freedom)
    return kept(_KEPT[key], order)


def _together(
    found: dict[Instance, Access],
    recorder: Recorder,
    freedom: Freedom,
    loop: str,
    numbers: range,
) -> str:
    """Where iterations of a marked loop conflict."""
    pairs = zip(recorder.order, recorder.around, strict=True)
    around = {one: loops for one, loops in pairs if one[0] in numbers}
    cells = chains(found, freedom)
    return meeting(cells, freedom, around, loop, pieces=False) or ""


def _marked(function: Function) -> Iterator[tuple[str, range]]:
    """The loops marked as parallel or vector, by name, with the statements below."""
    first = 1
    fused = any("fuse " in text for f in [function] for text in _texts(f))
    for node in function.body:
        count = sum(isinstance(x, Assign) for x in walk([node]))
        numbers = range(first, first + count)
        first += count
        if not isinstance(node, For) or fused:
            continue
        loops = [x.var for x in walk([node]) if isinstance(x, For)]
        clauses = [x for text in node.directives for x in text.split(" | ")]
        for at, clause in enumerate(clauses):
            mark = MARKS.match(clause)
            if mark and loops.count(mark[1]) < 2 and _stays(mark[1], clauses[at:]):
                yield mark[1], numbers


def _stays(loop: str, clauses: Sequence[str]) -> bool:
    """Whether a mark stays on a loop: that of a vector loop goes inside a split."""
    splits = [x for x in clauses[1:] if x.startswith(("split ", "tile "))]
    again = any(loop in re.findall(r"\w+", text) for text in splits)
    return clauses[0].startswith("parallel") or not again


def _texts(function: Function) -> list[str]:
    found = list(function.directives)
    for node in walk(function.body):
        if isinstance(node, For):
            found += node.directives
    return found


def _reduced(function: Function, *, integers: bool) -> frozenset[tuple[int, str]]:
    """The statements and targets of reductions whose order is free.

    What a nest is told holds for its own statements, in a fused one for all.
    """
    found: set[tuple[int, str]] = set()
    everywhere = list(function.directives)
    if any("fuse " in text for text in _texts(function)):
        everywhere = _texts(function)
    exact = integers and function.annotated and "int" in function.arrays[0].dtype
    first = 1
    for node in function.body:
        texts = [*everywhere]
        for inner in walk([node]):
            texts += inner.directives if isinstance(inner, For) else ()
        clauses = [x.split() for text in texts for x in text.split(" | ")]
        named = {x for words in clauses if words[0] == "reassociate" for x in words[1:]}
        for assigned in (x for x in walk([node]) if isinstance(x, Assign)):
            target = assigned.target
            name = target.array if isinstance(target, Cell) else target.name
            if exact or name in named:
                found.add((first, name))
            first += 1
    return frozenset(found)


def _private(function: Function) -> frozenset[str]:
    """Scalars, and local arrays that are temporaries."""
    texts = _texts(function)
    locals_ = {own.name for own in function.locals}
    temporaries = {x for x in locals_ if any(f"temp {x}" in text for text in texts)}
    targets = [x.target for x in walk(function.body) if isinstance(x, Assign)]
    return frozenset(temporaries | {x.name for x in targets if isinstance(x, Name)})
