"""What a test that came out true, or false, says of the integers in it.

``while j < n`` bounds ``j`` in its body until something is assigned to it, and
``d * d <= n`` bounds ``d`` by the root of ``n``.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from looptx.lower.intervals.comparisons import MIRRORED, Operator, comparisons
from looptx.lower.intervals.ranges import Ranges
from looptx.model.intervals.symbolic import UNBOUNDED, Interval, UpperBound, exactly
from looptx.model.trees import walk


def implied(ranges: Ranges, test: ast.expr, holds: bool) -> dict[str, Interval]:
    """Bounds of the scalars that are Python ints, where a test comes out so.

    Args:
        ranges: the bounds before the test. test: it was looked at. holds: how.
    """
    found: dict[str, Interval] = {}
    if not ranges.reach.tested:
        return found
    for one, op, two in comparisons(test, holds):
        pairs = [*_compared(ranges, one, op, two)]
        if op in MIRRORED:
            pairs += _compared(ranges, two, MIRRORED[op], one)
        for name, bound in pairs:
            found[name] = found[name].meet(bound) if name in found else bound
    return found


def within(
    known: Mapping[str, Interval], more: Mapping[str, Interval]
) -> dict[str, Interval]:
    """The bounds that hold where two sets of them do."""
    both = {name: known[name].meet(more[name]) for name in known.keys() & more.keys()}
    return {**known, **more, **both}


def _compared(
    ranges: Ranges, node: ast.expr, op: Operator, other: ast.expr
) -> Iterator[tuple[str, Interval]]:
    """What ``node op other`` says of the scalars of a sum, or of the square of one."""
    limit = ranges.integer(other)
    if limit is not None:
        yield from _limited(ranges, node, op, limit)


def _limited(
    ranges: Ranges, node: ast.expr, op: Operator, limit: Interval
) -> Iterator[tuple[str, Interval]]:
    """As ``_compared``.

    Args:
        ranges, node, op: as of that. limit: the other side.
    """
    match node:
        case ast.BinOp(left, ast.Add() | ast.Sub() as sign, right):
            if not ranges.is_plain(node):
                return
            first, second = ranges.of(left), ranges.of(right)
            if isinstance(sign, ast.Add):
                yield from _limited(ranges, left, op, limit - second)
                yield from _limited(ranges, right, op, limit - first)
            else:
                yield from _limited(ranges, left, op, limit + second)
                if op in MIRRORED:
                    turned = MIRRORED[op]
                    yield from _limited(ranges, right, turned, first - limit)
            return
        case ast.BinOp(ast.Constant(int(times)), ast.Mult(), part) | ast.BinOp(
            part, ast.Mult(), ast.Constant(int(times))
        ):
            if times > 0 and ranges.is_plain(node):
                yield from _limited(ranges, part, op, limit // exactly(times))
            return
    square = False
    match node:
        case ast.BinOp(ast.Name(name), ast.Mult(), ast.Name(again)) if name == again:
            square = True
        case ast.BinOp(ast.Name(name), ast.Pow(), ast.Constant(2)):
            square = True
        case ast.Name(name):
            pass
        case _:
            return
    if not ranges.counts(name):
        return
    down, up = _ends(op, limit)
    if square:
        down = up = up.root()
    yield name, Interval(down, up)


def _ends(op: Operator, limit: Interval) -> tuple[UpperBound, UpperBound]:
    """How far an integer is from 0 at most, on both sides, that compares so."""
    below = op in (ast.Lt, ast.LtE, ast.Eq)
    above = op in (ast.Gt, ast.GtE, ast.Eq)
    return limit.down if above else UNBOUNDED, limit.up if below else UNBOUNDED


def kept(known: Mapping[str, Interval], node: ast.stmt) -> dict[str, Interval]:
    """The bounds of the scalars that a statement does not assign."""
    named = (part for part in walk(node) if isinstance(part, ast.Name))
    names = {part.id for part in named if isinstance(part.ctx, ast.Store)}
    return {name: bound for name, bound in known.items() if name not in names}
