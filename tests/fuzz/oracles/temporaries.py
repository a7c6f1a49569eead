"""Whether what a temporary holds cannot be told (LX207)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product

from fuzz.oracles.enumeration import Enumerated, Extents, Place, TooMany, analysable
from fuzz.oracles.executions import ALL, BEYOND, assumed, everywhere
from fuzz.oracles.refusals import Need
from fuzz.oracles.unknowns import floats
from fuzz.programs.model import Assign, For, Function, If, Node, Odd, Program, walk
from fuzz.programs.terms import cells, extents, names

NEGATIVE = tuple(
    pair
    for size in range(-9, 0)
    for pair in ((size, 2), (2, size), (size, size), (size, 5), (5, size))
)
"""Sizes of no array: a loop may run for a temporary of any size."""

APART = tuple(pair for pair in product(range(0, 20), repeat=2) if max(pair) > 5)
"""Sizes further apart than what subscripts and extents add to one of them."""


def unclear(program: Program, message: str) -> Need:
    """Whether what a refusal says of a temporary is true in some run."""
    found = re.search(r"what `(\w+)` holds: (.+)", message)
    if found is None:
        return Need(None, "no temporary is named")
    name, why = found.groups()
    if "before it is written" in why:
        return _entered(program, name)
    users = [
        one
        for one in program.functions
        if name in {*one.scratch, *(own.name for own in one.locals)}
    ]
    needs = [_unclear(function, name, why) for function in users]
    return next((need for need in needs if need.needed is not False), Need(False))


def _entered(program: Program, name: str) -> Need:
    """Whether some run reads what an argument holds at first."""
    for function in program.functions:
        if name not in function.scratch:
            continue
        if not analysable(function.body):
            return Need(None, "depends on data")
        for at, found in everywhere(program, function):
            written: set[Place] = set()
            for access in found.values():
                own = (access.write,) if access.op else ()
                for place in (*access.reads, *own):
                    if place[0] == name and place not in written:
                        return Need(True, "enters", at)
                written.add(access.write)
    return Need(False)


def _unclear(function: Function, name: str, why: str) -> Need:
    nodes = list(walk(function.body))
    if any(isinstance(node, Odd) and name in node.uses for node in nodes):
        return Need(True, "is used in other ways")
    if "not affine" in why:
        own = [
            cell
            for node in nodes
            if isinstance(node, Assign)
            for cell in (*cells(node.value), *cells(node.target))
            if cell.array == name
        ]
        hidden = _hidden(function)
        by_data = any(
            any(cells(at)) or hidden & names(at) for cell in own for at in cell.at
        )
        return Need(by_data, "depends on data" if by_data else "")
    if "outside" not in why:
        return Need(False)
    if name in function.scratch:
        return Need(None, "may count from the end")
    if not analysable(function.body):
        return Need(None, "depends on data")
    enumerated = Enumerated(function, unchecked=frozenset((name,)))
    several = sum(isinstance(node, For) for node in function.body) > 1
    ends = False
    for at in (*_tried(function), *_like(function, name)):
        made = [size for one in function.locals for size in at.of(one.name)]
        if min(made) < 0 or not assumed(function, at):
            continue
        try:
            enumerated.at(at)
        except (IndexError, ValueError, TooMany):
            # looptx looks at one nest: another one may be what ends the run.
            ends = ends or (enumerated.outside and several)
            continue
        if enumerated.outside:
            return Need(True, "outside", at)
    return Need(None, "raises in some nest") if ends else Need(False)


def _tried(function: Function) -> Iterator[Extents]:
    """Sizes at which a temporary may be used outside of its own."""
    for n, m in (*ALL, *BEYOND, *APART, *(() if function.shaped else NEGATIVE)):
        yield Extents(function, n, m)


def _like(function: Function, name: str) -> Iterator[Extents]:
    """The same for one that is as large as an argument."""
    (own,) = (one for one in function.locals if one.name == name)
    if not own.like:
        return
    axes = [f"{own.like}.shape[{axis}]" for axis in range(len(own.shape))]
    for n, m in product(range(5), repeat=2):
        for shape in product(range(6), repeat=len(axes)):
            yield Extents(function, n, m, dict(zip(axes, shape, strict=True)))


def _hidden(function: Function) -> frozenset[str]:
    """The variables of loops that data decide on: they are not looked into."""
    unknown = floats(function)

    def hides(node: Node) -> bool:
        if isinstance(node, For):
            return any(extents(node.start)) or any(extents(node.stop))
        if not isinstance(node, If):
            return False
        return any(cells(node.condition)) or bool(names(node.condition) & unknown)

    return frozenset(
        inner.var
        for node in filter(hides, walk(function.body))
        for inner in walk((node,))
        if isinstance(inner, For)
    )
