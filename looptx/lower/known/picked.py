"""Variables that loops give one of few values, as the best place seen so far.

``best = i`` under a condition leaves a variable what it was, or makes it a variable of
a loop: where each of these is on an axis, it is, too.
"""

from __future__ import annotations

from collections.abc import Iterator

from looptx.lower.known.lines import Lines, changed, rounds
from looptx.lower.tree import (
    Assign,
    Block,
    For,
    If,
    Run,
    While,
    loops,
    used,
)
from looptx.model.expr import IntExpr, Var
from looptx.model.records import dataclass, replace


@dataclass(frozen=True, slots=True)
class Pick:
    """One of the values of a variable: an integer, and what it is made of."""

    value: IntExpr
    lines: Lines


def picked(loop: For, lines: Lines) -> dict[str, tuple[Pick, ...]]:
    """All values that variables may have in a loop, where these are known.

    Args:
        loop: it. lines: what integers are in front of it.
    """
    unknown = {one.var for one in loops((loop,))}
    found: dict[str, list[Pick]] = {}
    for target, pick in _stored((loop,), lines):
        if pick is None:
            unknown.add(target)
        else:
            found.setdefault(target, []).append(pick)
    for name, own in found.items():
        if not _begins((loop,), name):
            before = replace(lines, changed=lines.changed - {name})
            own.append(Pick(Var(name), before))
    return {name: (*own,) for name, own in found.items() if name not in unknown}


def _stored(block: Block, lines: Lines) -> Iterator[tuple[str, Pick | None]]:
    """What variables get; None for what is not known."""
    for node in block:
        match node:
            case Assign(target, value, op) if target.op == "name":
                own = lines.of(value) if target.kind.dtype == "int64" else None
                yield target.name, Pick(own, lines) if own and not op else None
            case If(_, body, orelse) | While(_, body, orelse):
                yield from _stored((*body, *orelse), lines)
            case For(var, start, stop, body, step, orelse):
                begin, end = lines.of(start), lines.of(stop)
                inner, plain = lines, step is None and var not in changed(body)
                if plain and begin is not None and end is not None:
                    own_rounds = (*lines.loops, rounds(var, begin, end))
                    inner = replace(lines, loops=own_rounds)
                yield from _stored(body, inner)
                yield from _stored(orelse, lines)


def _begins(block: Block, name: str) -> bool:
    """Whether a variable gets a value before anything else is done with it."""
    mentions = [node for node in block if name in used((node,))]
    if not mentions:
        return False
    first = mentions[0]
    if isinstance(first, Assign):
        reads = used((Run(first.value),))
        return first.target.name == name and not first.op and name not in reads
    if len(mentions) > 1:
        return False
    match first:
        case If(body=body, orelse=orelse):
            ways = [x for x in (body, orelse) if name in used(x)]
        case For(body=body, orelse=()) | While(body=body, orelse=()):
            ways = [body]
        case _:
            return False
    alone = name not in used((replace(first, body=(), orelse=()),))
    return alone and all(_begins(x, name) for x in ways)
