"""Loops by name: finding them in a schedule, and naming new ones."""

from __future__ import annotations

import builtins
from itertools import count

from looptx.errors import Malformed
from looptx.language.words import nearest
from looptx.model.program import Nest, Node, StatementNode
from looptx.model.schedule import Band, Schedule, bands, statements
from looptx.model.tree import heads


def find(schedule: Schedule, name: str) -> Band:
    """The loop of that name, for a directive that changes the loop itself.

    Errors: LX104 for no such loop, LX105 for several, LX106 for a collapsed one.
    """
    band = find_printed(schedule, name)
    if band.dim.merged:
        raise Malformed(
            "LX106",
            f"`{name}` is a collapsed loop and cannot be changed",
            hint="put this directive before `collapse`",
        )
    return band


def find_printed(schedule: Schedule, name: str) -> Band:
    """The loop of that name, for a mark: collapsed loops count as one.

    Errors: LX104 for no such loop, LX105 for several, LX106 for a collapsed part.
    """
    prefix, dot, rest = name.rpartition(".")
    base, _, number = rest.partition("#")
    pool = list(heads(schedule.tree))
    if dot:
        pool = [band for band in pool if _in(schedule, prefix, band)]
    found = [band for band in pool if label(band) == base]
    if number:
        found = found[int(number) - 1 : int(number)]
    if len(found) == 1:
        return found[0]
    if found:
        raise _ambiguous(schedule, f"{prefix}{dot}{base}", found)
    for band in bands(schedule.tree):
        if band.dim.merged and base == band.dim.name:
            raise Malformed(
                "LX106",
                f"`{name}` is part of the collapsed loop `{band.dim.merged}`",
                hint=f"write `{band.dim.merged}`, or put this before `collapse`",
            )
    raise _unknown(name, f"{prefix}{dot}", numbered(pool))


def label(band: Band) -> str:
    """The name a loop answers to."""
    return band.dim.merged or band.dim.name


def numbered(pool: list[Band]) -> list[str]:
    """The names that select each loop of ``pool``: bare, or ``j#1``, ``j#2``."""
    labels = [label(band) for band in pool]
    return [
        name if labels.count(name) == 1 else f"{name}#{labels[: at + 1].count(name)}"
        for at, name in enumerate(labels)
    ]


def subnests(nest: Nest) -> dict[str, frozenset[str]]:
    """The loops of each named sub-nest, its own loop included."""
    loops: dict[str, frozenset[str]] = {}

    def visit(node: Node) -> frozenset[str]:
        if isinstance(node, StatementNode):
            return frozenset()
        inner = frozenset((node.loop.id,)).union(*map(visit, node.body))
        loops[node.loop.id] = inner
        return inner

    for root in nest.body:
        visit(root)
    return {name: loops[loop] for name, loop in nest.subnests.items()}


def _in(schedule: Schedule, prefix: str, band: Band) -> bool:
    """Whether a loop belongs to the nest or sub-nest named ``prefix``."""
    if prefix == schedule.nest.name:
        return True
    known = subnests(schedule.nest)
    if prefix not in known:
        raise _unknown_nest(prefix, [schedule.nest.name, *known])
    owners = schedule.owner.get(band.dim.uid, {}).values()
    if owners:
        return known[prefix].issuperset(owners)
    loops = schedule.nest.statements
    return all(known[prefix] & set(loops[name].loops) for name in statements(band))


def _unknown_nest(prefix: str, candidates: list[str]) -> Malformed:
    near = nearest(prefix, candidates)
    return Malformed(
        "LX104",
        f"no nest is named `{prefix}` here",
        detail=(f"nests: {', '.join(candidates)}",),
        hint=f"did you mean `{near}`?" if near else f"`{candidates[0]}` is this nest",
    )


def _unknown(name: str, prefix: str, candidates: list[str]) -> Malformed:
    shown = [f"{prefix}{candidate}" for candidate in candidates]
    near = nearest(name, shown)
    hint = f"did you mean `{near}`?" if near else "name one of these loops"
    detail = (f"loops: {', '.join(shown)}",) if shown else ()
    return Malformed("LX104", f"no loop is named `{name}`", detail=detail, hint=hint)


def _ambiguous(schedule: Schedule, name: str, found: list[Band]) -> Malformed:
    lines = []
    for number, band in enumerate(found, 1):
        owners = schedule.owner.get(band.dim.uid, {}).values()
        line = min((schedule.nest.loops[loop].place.line for loop in owners), default=0)
        over = ", ".join(statements(band))
        lines.append(f"{name}#{number}: the loop of line {line}, over {over}")
    choices = " or ".join(f"`{name}#{number}`" for number in range(1, len(found) + 1))
    message = f"`{name}` is the name of {len(found)} loops"
    return Malformed("LX105", message, detail=tuple(lines), hint=f"write {choices}")


def used(schedule: Schedule) -> frozenset[str]:
    """Every identifier a new loop must avoid."""
    nest = schedule.nest
    dims = [band.dim for band in bands(schedule.tree)]
    return schedule.taken.union(
        (dim.name for dim in dims),
        (dim.merged for dim in dims),
        (loop.var for loop in nest.loops.values()),
        (name.partition(".")[0] for name in (*nest.arrays, *nest.live_in)),
        nest.scalars,
    )


def inner_name(schedule: Schedule, name: str) -> str:
    """A free name for the inner part: ``i`` gives ``ii``, ``row`` gives ``row_in``."""
    taken = used(schedule)
    if len(set(name)) == 1 and name != "_":
        grown = (name + name[0] * more for more in range(1, 5))
        for candidate in grown:
            if candidate not in taken:
                return candidate
    return free_name(name if name.endswith("_in") else f"{name}_in", taken)


def free_name(name: str, taken: frozenset[str]) -> str:
    """``name``, with the first number behind it that makes it free."""
    for number in count(2):
        if name not in taken and not hasattr(builtins, name):
            return name
        name = f"{name.rstrip('0123456789')}{number}"
    raise AssertionError("unreachable")


def check_new(schedule: Schedule, names: tuple[str, ...], own: str) -> None:
    """Check names given by ``as``; ``own`` is the loop's present name, which may stay.

    Errors: LX109.
    """
    taken = used(schedule) - {own}
    for name in names:
        if name in taken:
            raise Malformed(
                "LX109",
                f"the name `{name}` is already taken in the function",
                hint=f"choose another, for example `{free_name(name, taken)}`",
            )
