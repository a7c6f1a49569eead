"""From a violated dependence to the words a person reads."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

import islpy as isl

from looptx.errors import LooptxError, Refused, Unproven
from looptx.model.expr.evaluate import value
from looptx.model.moves import Coordinate
from looptx.model.program import ANYTHING, Loop, Nest, Statement
from looptx.model.records import replace
from looptx.poly.dependences.flows import END
from looptx.poly.dependences.legality import Violation, Witness, cell, witness
from looptx.poly.spaces import Spaces

_NEWLINE = "\n"


def severity(violation: Violation) -> tuple[bool, int]:
    """Which violation to show first: exact ones, flow before anti before output."""
    dependence = violation.dependence
    flow = dependence.source_access.write and not dependence.sink_access.write
    anti = not dependence.source_access.write
    return not violation.exact, 0 if flow else 1 if anti else 2


def _instance(
    nest: Nest, statement: Statement, point: tuple[int, ...], sizes: Mapping[str, int]
) -> str:
    """Where a statement runs: ``(i=1, j=0)``, of several nests ``(b.i=1, b.j=0)``.

    What moved into loops of another nest runs there, too: ``(b.i=2, a.i=1)``.
    """
    if not point:
        return "(the only time)"
    loops = [nest.loops[loop] for loop in statement.loops]
    if statement.copy is not None:
        loops = [replace(loop, id=loop.var) for loop in loops]
    prefix = ""
    if len(nest.body) > 1:
        root = next((x.id for x in loops if not isinstance(x, Coordinate)), "")
        owner = next((n for n, loop in nest.asked.subnests.items() if loop == root), "")
        prefix = f"{owner}." if owner else ""
    named = bool(prefix) or statement.copy is not None
    known = {**sizes, **dict(zip(statement.loops, point, strict=True))}
    shown = (
        _at(loop, number, prefix if named else None, known)
        for loop, number in zip(loops, point, strict=True)
    )
    return f"({', '.join(shown)})"


def _at(loop: Loop, place: int, prefix: str | None, known: Mapping[str, int]) -> str:
    """The value of a loop, or what another shows where it stands.

    Args:
        loop: the loop. place: its value, or a position.
        prefix: what stands in front of its name, None where it has one of its own.
        known: the values of sizes and of loops.
    """
    if not isinstance(loop, Coordinate):
        return f"{loop.id if prefix is None else prefix + loop.var}={place}"
    with suppress(KeyError):
        place = value(loop.base, known) + loop.stride * place
    return f"{loop.label}={place}"


def _written(statement: Statement) -> str:
    """The first line of a statement; a copy of cells is no statement of the source."""
    copy = statement.copy
    if copy is None:
        return statement.written.partition(_NEWLINE)[0]
    ends = (copy.buffer, copy.array) if copy.load else (copy.array, copy.buffer)
    return " = ".join(f"{end}[...]" for end in ends)


def _actions(spaces: Spaces, found: Witness) -> tuple[str, str, str]:
    """The sizes, and what the two instances do to the cell.

    A copy of cells stands in loops of its own, which count its rounds.
    """
    sizes = ", ".join(f"{text}={value}" for text, value in found.sizes.items())
    ends = [
        (found.source, found.source_access, found.source_point),
        (found.sink, found.sink_access, found.sink_point),
    ]
    if len({cell(spaces, *end, found.sizes) for end in ends}) > 1:
        # They are assumed to be one cell, and what their subscripts are is no matter.
        ends = [(one, replace(x, products=()), at) for one, x, at in ends]
    parts = []
    for statement, access, point in ends:
        where = f"at {_instance(spaces.nest, statement, point, found.sizes)}"
        if copy := statement.copy is not None and bool(point):
            where = f"in round {where.removeprefix('at ')}"
        if access.array == ANYTHING:
            parts.append(f"`{_written(statement)}` {where}")
            continue
        verb = "write" if access.write else "read"
        # A private scalar is shown by its own name, not by the cells given to it.
        held = (
            access.array
            if access.array in spaces.nest.scalars
            else cell(spaces, statement, access, point, found.sizes)
        )
        parts.append(f"{verb} {held} {where}{' of a copy' * copy}")
    return f"at {sizes}: " if sizes else "", parts[0], parts[1]


def order_error(spaces: Spaces, violation: Violation, directive: str) -> LooptxError:
    """Two instances that change their order, as an error.

    Args:
        spaces: those of the nest.
        violation: a dependence that runs backward.
        directive: the text that is to blame.

    Returns:
        LX201, or LX203 where the pair is only approximated.
    """
    if violation.again:
        return _again_error(spaces, violation, directive)
    found = witness(spaces, violation)
    sizes, first, second = _actions(spaces, found)
    copied = found.source.copy or found.sink.copy
    # No copy stands in the source.
    source = "" if copied else " in the source"
    detail = (
        f"{sizes}{first} runs before {second}{source},",
        "and after it in the new order.",
    )
    if violation.exact:
        return Refused("LX201", f"refused: {directive}", detail=detail)
    if violation.effects is not None:
        detail = (f"{sizes}{first} and", f"{second} change their order.")
    elif violation.proven:
        detail = (
            f"{sizes}{first} may touch the cell of",
            f"{second}, and their order changes.",
        )
    else:
        detail = (
            f"{sizes}{first} may run after {second},",
            "which comes later in the source.",
        )
    return Unproven(
        "LX203",
        f"unknown: {directive}",
        detail=(*_why_inexact(violation, spaces), *detail),
    )


def _again_error(spaces: Spaces, violation: Violation, directive: str) -> LooptxError:
    """A value of another run that is read, or left in the end, as an error."""
    found = witness(spaces, violation)
    left = violation.dependence.relation.get_tuple_name(isl.dim_type.out) == END
    if left:
        found = replace(found, sink_point=found.source_point)
    sizes, write, read = _actions(spaces, found)
    detail = (
        f"{sizes}{write} runs last in the new order,",
        *(
            ("and leaves another value there than the source does.",)
            if left
            else (f"before {read},", "which gets the value of another in the source.")
        ),
    )
    if violation.exact:
        return Refused("LX211", f"refused: {directive}", detail=detail)
    return Unproven(
        "LX203",
        f"unknown: {directive}",
        detail=(*_why_inexact(violation, spaces), *detail),
    )


def carried_error(
    spaces: Spaces, violation: Violation, directive: str, loop: str
) -> LooptxError:
    """Two iterations of a parallel or vector loop that conflict, as an error.

    Args:
        spaces: those of the nest.
        violation: a dependence that the loop carries.
        directive: the text that is to blame.
        loop: the name of the loop.

    Returns:
        LX202, or LX203 where the pair is only approximated.
    """
    sizes, first, second = _actions(spaces, witness(spaces, violation))
    are = "are" if violation.proven else "may be"
    detail = (
        f"{sizes}{first} and {second}",
        f"{are} different iterations of {loop} and must not run together.",
    )
    if violation.exact:
        return Refused("LX202", f"refused: {directive}", detail=detail)
    return Unproven(
        "LX203",
        f"unknown: {directive}",
        detail=(*_why_inexact(violation, spaces), *detail),
    )


def _why_inexact(violation: Violation, spaces: Spaces) -> tuple[str, ...]:
    """What kept the verdict from being exact."""
    if violation.effects is not None:
        return (f"{violation.effects.effects}, so it keeps its place:",)
    if not violation.proven:
        return (
            "a collapsed loop counts to a product of run-time sizes, which is not",
            "affine, so its order is only known in part:",
        )
    source, sink = violation.dependence.source_access, violation.dependence.sink_access
    if source.array != sink.array:
        return (f"{source.array} and {sink.array} may share memory;",)
    if frozenset((source.array,)) in spaces.nest.aliases:
        return (f"two elements of {source.array} may be one array;",)
    unknown = None in (*source.coordinates, *sink.coordinates)
    if unknown or (source.certain and sink.certain):
        return (
            f"a subscript of {source.array} is not affine, so any cell is assumed:",
        )
    return (f"whether {source.array} is used depends on data; it is assumed:",)


def trust_hint(violation: Violation) -> str:
    """What the user may assert about cells that are not known, or ``""``."""
    source, sink = violation.dependence.source_access, violation.dependence.sink_access
    known = None not in (*source.coordinates, *sink.coordinates)
    if not source.subscripts or (known and source.array == sink.array):
        return ""
    return (
        f"if no two iterations touch one cell, write `trust independent {source.array}`"
    )
