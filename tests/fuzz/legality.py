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
        for extents in _usual(program, function):
            found = _executions(program, function, extents)
            if found is None:
                continue
            recorder = runs.at(extents)
            if recorder is None:
                continue
            why = _wrong(program, extents, found, recorder, freedom)
            together = marked[function.name] if _assumed(function, extents) else ()
            for loop, numbers in together:
                why = why or _together(found, recorder, freedom, loop, numbers)
            if why:
                return f"at n={extents.n}, m={extents.m} {extents.known or ''} {why}"
    return ""


def _usual(program: Program, function: Function) -> Iterator[Extents]:
    """All small sizes; arrays are as small where subscripts count from their ends."""
    for n, m in SOME if deepest(function.body) > 2 else ALL:
        yield Extents(function, n, m)
    if not _KEPT[program.bare, function.name].wraps or function.shaped:
        return
    shapes = [f"{a.name}.shape[{x}]" for a in function.arrays for x in range(a.rank)]
    for (n, m), extent in product(SOME, range(1, 7)):
        yield Extents(function, n, m, dict.fromkeys(shapes, extent))


def refused(
    program: Program,
    trusting: str,
    code: str,
    message: str,
    more: Callable[[], tuple[Mapping[str, int], str]] = lambda: ({}, ""),
) -> bool | None:
    """Whether a refusal is needed, as some execution shows.

    Args:
        program: what was refused.
        trusting: what looptx makes of it when the order is trusted.
        code: ``LX201`` or ``LX202``.
        message: that of the error, with the sizes of the witness.
        more: gives, if asked, the sizes of a witness against the whole schedule, and
            the loop whose iterations it is about.

    Returns:
        None where it cannot be judged, as where it would raise at the sizes named.
    """
    if not judged(program):
        return None
    found = re.search(r"different iterations of (\w+) ", message)
    loop = found[1].rstrip("_0123456789") if found else ""
    if code == "LX202" and not loop:
        return None
    if loop and any(_moved(loop, _clauses(f)) for f in program.functions):
        loop = more()[1]
    runs = Runs(trusting, follow=bool(loop))
    unsure = False
    for function in program.functions:
        if not function.directives and not any(
            isinstance(node, For) and node.directives for node in function.body
        ):
            continue
        ran = False
        freedom = Freedom(_reduced(function, integers=False))
        for extents, named in _sizes(function, message, more):
            try:
                executions = _executions(program, function, extents)
            except TooMany:
                unsure = True
                continue
            if executions is None:
                continue
            try:
                recorder = runs.at(extents)
            except KeyError:  # a private value is read before it is written
                return True
            if recorder is None:
                continue
            ran = ran or named
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
        unsure = unsure or not ran
    return None if unsure else False


def judged(program: Program) -> bool:
    """Whether executions can be told apart, and do not depend on data."""
    return program.tagged and all(analysable(f.body) for f in program.functions)


def _extents(function: Function, named: Mapping[str, int]) -> Iterator[Extents]:
    """Those of a witness, with all small sizes that it does not name."""
    shapes = {text: number for text, number in named.items() if "." in text}
    missing = range(10) if shapes else range(1)
    ones, twos = ([named[x]] if x in named else missing for x in ("n", "m"))
    for n, m in product(ones, twos):
        yield Extents(function, n, m, shapes)


def _sizes(
    function: Function,
    message: str,
    more: Callable[[], tuple[Mapping[str, int], str]],
) -> Iterator[tuple[Extents, bool]]:
    """Those that looptx names, all small ones, and some beyond several blocks.

    Each comes with whether looptx names it.
    """
    shapes: set[str] = set()
    for named in (lambda: _named(message), lambda: more()[0]):
        for extents in _extents(function, named()):
            shapes |= extents.known.keys()
            yield extents, True
    for one, two in (*ALL, *BEYOND):
        yield Extents(function, one, two), False
    if shapes:
        for (one, two), extent in product(ALL, range(1, 7)):
            yield Extents(function, one, two, dict.fromkeys(shapes, extent)), False


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
    key = program.bare, function.name
    if key not in _KEPT:
        _KEPT[key] = Enumerated(function)
    at = _at(program, extents)
    if at not in _KEPT:
        try:
            _KEPT[at] = _KEPT[key].at(extents)
        except (IndexError, ValueError):
            _KEPT[at] = None
    found: dict[Instance, Access] | None = _KEPT[at]
    return found


def _at(program: Program, extents: Extents) -> tuple[object, ...]:
    """What is kept of a function at some extents goes by this."""
    known = tuple(extents.known.items())
    return program.bare, extents.function.name, extents.n, extents.m, known


def _wrong(
    program: Program,
    extents: Extents,
    found: dict[Instance, Access],
    recorder: Recorder,
    freedom: Freedom,
) -> str:
    """What a run does not do, or does in another order than it must."""
    order = recorder.order
    if len(order) != len(found) or found.keys() != set(order):
        missing = found.keys() - set(order)
        return f"it runs {len(order)} executions, not {len(found)}; without {missing}"
    key = *_at(program, extents), freedom
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


def _assumed(function: Function, extents: Extents) -> bool:
    """Whether what the function assumes holds; else it runs its loops as they were."""
    texts = [x for x in _clauses(function) if x.startswith("assume ")]
    sizes = {"n": extents.n, "m": extents.m}
    return all(eval(text.removeprefix("assume "), {}, sizes) for text in texts)


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
    return clauses[0].startswith("parallel") or not _moved(loop, clauses[1:])


def _moved(loop: str, clauses: Sequence[str]) -> bool:
    """Whether some clause gives iterations of a loop to loops of their own."""
    splits = [x for x in clauses if x.startswith(("split ", "tile "))]
    return any(loop in re.findall(r"[a-z_]+", text) for text in splits)


def _clauses(function: Function) -> list[str]:
    return [clause for text in _texts(function) for clause in text.split(" | ")]


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
