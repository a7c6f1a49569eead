"""Loops by name: finding them in a schedule, and naming new ones."""

from __future__ import annotations

import builtins
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import count

from looptx.errors import Malformed
from looptx.language.words import is_identifier, shorten, suggestion
from looptx.model.dims import detached, loops
from looptx.model.moves import Factor
from looptx.model.program import Statement
from looptx.model.schedule import (
    Band,
    Dim,
    Group,
    Schedule,
    bands,
    groups,
    shown,
    statements,
)

_INNER = re.compile(r"_in\d*$")
"""What a generated inner name ends with."""


def find(schedule: Schedule, name: str) -> Dim:
    """The dimension of the loops of that name.

    Raises LX104 for no such loop or one that was kept whole, LX105 for several, LX106
    for one that is part of a collapsed loop.
    """
    pool, found = _selected(schedule, name)
    base = name.rpartition(".")[2].partition("#")[0]
    if len({band.dim.uid for band in found}) == 1:
        return found[0].dim
    if found:
        raise _ambiguous(schedule, name.partition("#")[0], found)
    left = any(band.dim.name == base for band in pool)
    for pair in schedule.collapsed.values():
        if not left and base in (pair.outer.name, pair.inner.name):
            raise Malformed(
                "LX106",
                f"`{name}` is part of the collapsed loop `{pair.name}`",
                hint=f"write `{pair.name}`, or put this before `collapse`",
            )
    for kept in schedule.nest.text.kept:
        if not left and kept.var == base:
            message = f"`{base}` of line {kept.place.line} cannot be scheduled"
            raise Malformed("LX104", f"{message}: {kept.reason}", hint=kept.hint)
    prefix, dot, _ = name.rpartition(".")
    error = _unknown(name, f"{prefix}{dot}", numbered(pool))
    whole, other = schedule.fused.get(prefix), schedule.nest.asked.elsewhere.get(base)
    if whole:
        error.hint = f"name a loop of `{whole}`, which it is fused into"
    if not dot and other not in (None, schedule.within):
        error.hint = f"write `{other}.{name}` for the loop of the nest `{other}`"
    raise error


def told_apart(schedule: Schedule, names: Iterable[str]) -> Schedule:
    """The schedule in which each name that says a nest or a number means all loops of a
    dimension: those of another nest get a dimension of their own.

    A fusing dimension orders its nests; it remains one.
    """
    for name in names:
        _, found = _selected(schedule, name)
        uids = {band.dim.uid for band in found if not band.dim.fusing}
        if len(uids) == 1 and set(name) & set(".#"):
            (uid,) = uids
            if len(found) < len(loops(schedule.tree, uid)):
                own = [one for band in found for one in statements(band)]
                schedule = detached(schedule, uid, own)
    return schedule


def _selected(schedule: Schedule, name: str) -> tuple[list[Band], list[Band]]:
    """The loops that a directive can name, and those of that name. Raises LX104."""
    prefix, dot, rest = name.rpartition(".")
    base, _, number = rest.partition("#")
    pool = [
        band
        for band in bands(schedule.tree)
        if not schedule.left.issuperset(statements(band))
    ]
    everything = pool
    pool = _within(schedule, prefix, pool) if dot else _around(schedule, pool)
    if not dot and not any(band.dim.name == base for band in pool):
        pool = _around(schedule, everything, parts=True)
    found = [band for band in pool if band.dim.name == base]
    if len(found) > 1 and prefix in (own := groups(schedule.nest)):
        inside = own[prefix].statements
        alone = [band for band in found if inside.issuperset(statements(band))]
        shared = (band for band in found if not inside.isdisjoint(statements(band)))
        found = alone or list(shared)
    # What begins the parts of a reduction may need loops of its own.
    begun = {name for name, one in schedule.nest.statements.items() if one.start}
    found = [one for one in found if not begun.issuperset(statements(one))] or found
    if dot and len(found) > 1:
        other = _collecting(schedule, prefix)
        found = [one for one in found if not _all_of(other, one)] or found
    if number:
        found = found[int(number) - 1 : int(number)]
    return pool, found


def single(schedule: Schedule, dim: Dim, name: str) -> Band:
    """The loop of a dimension that has one, and that holds no nests apart.

    Args:
        schedule: the schedule. dim: the dimension. name: what it is called in messages.

    Raises:
        Malformed: LX106.
    """
    band, *more = loops(schedule.tree, dim.uid)
    if more:
        raise Malformed(
            "LX106",
            f"`{name}` has become {1 + len(more)} loops",
            hint="name one of them, or put this directive before they were made",
        )
    if dim.fusing:
        raise Malformed(
            "LX106",
            f"`{name}` is a fusing dimension",
            hint="name a loop of one of the nests",
        )
    return band


def numbered(pool: list[Band]) -> list[str]:
    """The names that select each dimension of ``pool``: bare, or ``j#1``, ``j#2``."""
    labels = [band.dim.name for band in pool]
    several = {
        name
        for name in labels
        if len({band.dim.uid for band in pool if band.dim.name == name}) > 1
    }
    found = (
        f"{name}#{labels[: at + 1].count(name)}" if name in several else name
        for at, name in enumerate(labels)
    )
    return list(dict.fromkeys(found))


def group(schedule: Schedule, name: str) -> Group:
    """The nest of that name, as one to be fused.

    Raises LX104 for no such nest, LX115 for one that is part of another by now.
    """
    if name in schedule.fused:
        whole = schedule.fused[name]
        while whole in schedule.fused:
            whole = schedule.fused[whole]
        raise Malformed(
            "LX115",
            f"`{name}` is fused into `{whole}` already",
            hint=f"write `{whole}`, which names the fused nest",
        )
    return _group(schedule, name)


def _group(schedule: Schedule, name: str) -> Group:
    if name not in schedule.groups:
        raise unknown_nest(name, schedule.groups)
    return schedule.groups[name]


def nest_of(schedule: Schedule, name: str) -> str:
    """The name of a nest, or of one fused into it, that finds its loop ``name``."""
    known = list(filter(is_identifier, schedule.groups))
    for prefix in known:
        with suppress(Malformed):
            find(schedule, f"{prefix}.{name}")
            return prefix
    return known[0]


def _within(schedule: Schedule, prefix: str, pool: list[Band]) -> list[Band]:
    """The loops that belong to the nest or sub-nest named ``prefix``."""
    known = _group(schedule, prefix)

    def inside(band: Band) -> bool:
        owners = shown(schedule, band).values()
        return known.statements.issuperset(statements(band)) and (
            known.loops.issuperset(owners)
        )

    return [band for band in pool if inside(band)]


def _around(schedule: Schedule, pool: list[Band], *, parts: bool = False) -> list[Band]:
    """The loops that hold statements of the nest a directive stands on.

    Args:
        schedule: the schedule. pool: loops.
        parts: whether nests that collect parts of reductions count: what has a loop of
            the same name there and where the reduction was is the latter.
    """
    made, totals = _parts(schedule)
    if not parts:
        pool = [band for band in pool if not _all_of(made, band)]
    if not schedule.within:
        return pool
    own = groups(schedule.nest)[schedule.within].statements
    own |= {total for total, old in totals.items() if old in own}
    return [band for band in pool if not own.isdisjoint(statements(band))]


def _parts(schedule: Schedule) -> tuple[set[str], dict[str, str]]:
    """The statements that collect parts of reductions; and by what collects the parts
    the statement of the source that it stands for."""
    parts: set[str] = set()
    totals: dict[str, str] = {}
    for step in schedule.moves:
        if isinstance(step, Factor):
            ((old, new),) = step.moved.items()
            totals[step.total] = totals.get(old, old)
            if _is_of(parts, old):
                parts.add(step.total)
            parts |= {step.start, new}
    return parts, totals


def _collecting(schedule: Schedule, nest: str) -> set[str]:
    """The statements that collect parts of reductions in nests of their own, but this.

    Such a nest may have moved into this one, with loops of the same names.
    """
    factors = (step for step in schedule.moves if isinstance(step, Factor))
    others = (step for step in factors if step.buffer != nest)
    return {name for one in others for name in (one.start, *one.moved.values())}


def _all_of(known: Collection[str], band: Band) -> bool:
    """Whether all statements of a loop are of some, perhaps under later names."""
    return all(_is_of(known, name) for name in statements(band))


def _is_of(known: Collection[str], name: str) -> bool:
    """Whether a statement is one of some, perhaps under a later name."""
    return any(name == one or name.startswith(f"{one}@") for one in known)


def unknown_nest(prefix: str, known: Iterable[str]) -> Malformed:
    """The error for the name of a nest that is none of those known. (LX104)"""
    # Nests that are fused are one under a name that cannot be written: `a+b`.
    candidates = [name for name in known if is_identifier(name)]
    match candidates:
        case []:
            hint = "there is none: put the directive on a loop, or above its function"
        case [only]:
            hint = f"`{only}` is this nest"
        case _:
            hint = "write one of these"
    return Malformed(
        "LX104",
        f"no nest is named `{prefix}` here",
        detail=(f"nests: {', '.join(candidates)}",) if candidates else (),
        hint=suggestion(prefix, candidates, hint),
    )


def unknown_array(array: str, known: Iterable[str], used: Iterable[str]) -> Malformed:
    """The error for the name of an array that a nest does not use. (LX104)

    Args:
        array: the name. known: those that were possible. used: all that the nest uses.
    """
    arrays = ", ".join(used)
    return Malformed(
        "LX104",
        f"no array `{array}` is used in the nest",
        detail=(f"arrays: {arrays}",) if arrays else (),
        hint=suggestion(array, known, "name an array"),
    )


def _unknown(name: str, prefix: str, candidates: list[str]) -> Malformed:
    shown = [f"{prefix}{candidate}" for candidate in candidates]
    other = "name one of these loops" if shown else "leave it out"
    hint, bare = suggestion(name, shown, other), name.partition("#")[0]
    if bare in shown and bare != name:
        hint = f"write `{bare}`: where this directive applies it is one loop"
    elif re.search(r"\bax\d+$", bare) and f"{prefix}ax0" in shown:
        hint = "where the array has more axes say so: `C[:, :] = ...`, or annotate it"
    detail = (f"loops: {', '.join(shown)}",) if shown else ()
    return Malformed("LX104", f"no loop is named `{name}`", detail=detail, hint=hint)


def _ambiguous(schedule: Schedule, name: str, found: list[Band]) -> Malformed:
    lines = []
    for number, band in enumerate(found, 1):
        line = min(_lines(schedule, shown(schedule, band)), default=0)
        over = [schedule.nest.statements[each] for each in statements(band)]
        text = f"the loop of line {line}, around {_shown(over[0])}"
        if len(over) > 1:
            text += f" and {len(over) - 1} more"
        lines.append(f"{name}#{number}: {text}")
    choices = " or ".join(f"`{name}#{number}`" for number in range(1, len(found) + 1))
    message = f"`{name}` is the name of {len(found)} loops"
    return Malformed("LX105", message, detail=tuple(lines), hint=f"write {choices}")


def _shown(statement: Statement) -> str:
    """A statement as the user knows it: its first line and where it stands."""
    first, *rest = statement.written.split("\n")
    text = shorten(f"{first} ..." if rest else first)
    return f"`{text}` (line {statement.place.line})"


def _lines(schedule: Schedule, owners: Mapping[str, str]) -> Iterator[int]:
    """Where loops stand in the source; of collapsed ones, the outer."""
    for name, loop in owners.items():
        if loop in schedule.collapsed:
            outer = schedule.owner.get(schedule.collapsed[loop].outer.uid, {})
            yield from _lines(schedule, {x: y for x, y in outer.items() if x == name})
        else:
            yield schedule.nest.loops[loop].place.line


def loop_names(schedule: Schedule, near: Dim | None = None) -> frozenset[str]:
    """The names of loops, as they are and as they were written.

    A loop that belongs to the nest of ``near`` may be named like one of another nest.
    """
    nest = schedule.nest
    own = frozenset(nest.statements) if near is None else _siblings(schedule, near)
    bound = [b.dim for b in bands(schedule.tree) if not own.isdisjoint(statements(b))]
    parts = [
        dim
        for pair in schedule.collapsed.values()
        for dim in pair.dims
        if not own.isdisjoint(schedule.position[dim.uid])
    ]
    written = (loop.var for loop in nest.loops.values())
    return frozenset((*(dim.name for dim in (*bound, *parts)), *written))


def used(schedule: Schedule, near: Dim | None = None) -> frozenset[str]:
    """Every name that a new loop of the nest of ``near`` must avoid.

    A fusing dimension is no variable: its parts only have to be told from other loops.
    """
    nest, names = schedule.nest, loop_names(schedule, near)
    if near is not None and near.fusing:
        return names
    return schedule.taken.union(
        names,
        (name.partition(".")[0] for name in (*nest.arrays, *nest.live_in)),
        nest.scalars,
    )


def _siblings(schedule: Schedule, dim: Dim) -> frozenset[str]:
    """All statements of the outermost source loops that a loop came from."""
    known = schedule.nest.statements
    roots = {known[name].loops[:1] for name in schedule.position[dim.uid]}
    return frozenset(name for name in known if known[name].loops[:1] in roots)


def inner_name(schedule: Schedule, dim: Dim) -> str:
    """A free name for the inner part: ``i`` gives ``ii``, ``row`` gives ``row_in``."""
    name, taken = dim.name, used(schedule, dim)
    if len(set(name)) == 1 and name != "_":
        grown = (name + name[0] * more for more in range(1, 5))
        for candidate in grown:
            if candidate not in taken:
                return candidate
    return free_name(f"{_INNER.sub('', name)}_in", taken)


def free_name(name: str, taken: frozenset[str]) -> str:
    """``name``, with the first number behind it that makes it free."""
    for number in count(2):
        if name not in taken and is_identifier(name) and not hasattr(builtins, name):
            return name
        name = f"{name.rstrip('0123456789')}{number}"
    raise AssertionError("unreachable")


def check_new(taken: frozenset[str], names: Sequence[str], *own: str) -> None:
    """Check names given by ``as``; ``own`` are present names of loops, which may stay.

    Raises LX109.
    """
    taken = taken.difference(own)
    for name in names:
        if name in taken:
            raise Malformed(
                "LX109",
                f"the name `{name}` is already taken in the function",
                hint=f"choose another, for example `{free_name(name, taken)}`",
            )
