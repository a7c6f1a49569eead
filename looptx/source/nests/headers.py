"""The header of a loop: its bounds and step, or what keeps it from being scheduled."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from looptx.model.expr import Const, IntExpr, add, floordiv, mul, sub
from looptx.model.naming import free
from looptx.model.records import dataclass
from looptx.model.shapes import extent, is_extent
from looptx.model.trees import dotted
from looptx.source.ast_tools import walked
from looptx.source.kinds.integers import Kinds
from looptx.source.names.subscripts import subscripts
from looptx.source.nests.sizes.affine import LIMIT, Affine, constant, is_beyond
from looptx.source.nests.sizes.extents import size_text
from looptx.source.spelling.edits import AXIS, HEADER, mark


@dataclass(frozen=True, slots=True)
class Obstacle:
    """Why a loop has no iteration space, said of "its" parts, and what to do."""

    reason: str
    hint: str


def bounds(
    node: ast.For, affine: Affine, *, outermost: bool
) -> tuple[IntExpr, IntExpr, int] | Obstacle:
    """Start, stop and step of a loop over ``range``.

    Args:
        node: the loop.
        affine: what expressions mean at the loop.
        outermost: whether its bounds are evaluated once, where the nest starts.
    """
    counted = affine.kinds.scope.counted(node)
    args = counted.args
    starred = any(isinstance(arg, ast.Starred) for arg in args)
    if counted.keywords or starred or not 1 <= len(args) <= 3:
        return Obstacle(
            "the arguments of its `range` are not written out by position",
            "write them as `range(start, stop, step)`",
        )
    if any(is_beyond(arg) or abs(constant(arg) or 0) >= LIMIT for arg in args):
        return Obstacle(
            "a number in its `range` does not fit in 64 bits",
            "write one below 2**63, or store it in a variable before the nest",
        )
    step = constant(args[2]) if len(args) == 3 else 1
    if not step:
        text = ast.unparse(args[2])
        return Obstacle(f"its step `{text}` is no constant", _counted(node, affine))
    known: list[IntExpr] = [] if len(args) > 1 else [Const(0)]
    for arg in args[:2]:
        value = affine.expr(arg, once=outermost)
        if value is None:
            reason = f"its bound `{ast.unparse(arg)}` is not affine in sizes and loops"
            return Obstacle(reason, _stored(arg, affine, outermost))
        known.append(value)
    start, stop = known
    return (
        (start, stop, step) if counted is node.iter else _backwards(start, stop, step)
    )


def lengths(node: ast.For, kinds: Kinds) -> Iterator[str]:
    """The lengths of what a loop goes through that has another header in the source.

    They are asked for, even where others are known to be the same: of a set, too, one
    knows the length, but it has no elements by their numbers.
    """
    if mark(node) in (HEADER, AXIS):
        parts = (part for part in walked(node.iter) if isinstance(part, ast.expr))
        yield from filter(is_extent, (size_text(part, kinds) for part in parts))


def _backwards(
    start: IntExpr, stop: IntExpr, step: int
) -> tuple[IntExpr, IntExpr, int]:
    """A range from its last number to its first.

    Args:
        start, stop, step: of the range.
    """
    size = abs(step)
    length = sub(stop, start) if step > 0 else sub(start, stop)
    last = mul(floordiv(sub(length, Const(1)), size), Const(step))
    return add(start, last), sub(start, Const(step)), -step


def _stored(bound: ast.expr, affine: Affine, outermost: bool) -> str:
    """How a loop with this bound can be scheduled."""
    for part in walked(bound):
        if isinstance(part, ast.expr) and (extent := _extent(part, affine)):
            return f"write `{extent}` for `{ast.unparse(part)}`, of a NumPy array"
    if outermost or _constant(bound, affine):
        return "store the bound in an integer variable before the nest"
    return _apart([bound])


def _extent(size: ast.expr, affine: Affine) -> str:
    """``A.shape[1]`` for ``len(A[0])`` and ``A[0].shape[0]``: of a list they differ."""
    match size:
        case ast.Call(function, [array]):
            if affine.kinds.scope.resolve(function) != "builtins.len":
                return ""
            axis = 0
        case ast.Subscript(ast.Attribute(array, "shape"), ast.Constant(int(axis))):
            pass
        case _:
            return ""
    base, indices = (
        subscripts(array) if isinstance(array, ast.Subscript) else (array, [])
    )
    if not indices or any(isinstance(index, ast.Slice) for index in indices):
        return ""
    return extent(dotted(base), axis + len(indices)) if dotted(base) else ""


def _counted(node: ast.For, affine: Affine) -> str:
    """How to write a loop whose step is no constant: over the number of iterations."""
    assert isinstance(node.target, ast.Name)
    args = affine.kinds.scope.counted(node).args
    start, stop, step = args
    if constant(step) == 0:
        return "`range` takes no step of 0"
    varying = [arg for arg in args if not _constant(arg, affine)]
    if varying:
        return _apart(varying)
    taken = affine.kinds.scope.identifiers
    total, number = free("count", taken), free("k", taken)
    value: ast.expr = ast.BinOp(ast.Name(number), ast.Mult(), step)
    left: ast.expr = ast.UnaryOp(ast.USub(), stop)
    if constant(start) != 0:
        value = ast.BinOp(start, ast.Add(), value)
        left = ast.BinOp(start, ast.Sub(), stop) if constant(stop) != 0 else start
    iterations = ast.UnaryOp(ast.USub(), ast.BinOp(left, ast.FloorDiv(), step))
    return (
        f"write `{total} = {ast.unparse(iterations)}` before the nest, "
        f"`for {number} in range({total})` here, "
        f"and `{node.target.id} = {ast.unparse(value)}` first in it"
    )


def _constant(expr: ast.expr, affine: Affine) -> bool:
    """Whether an expression has the same value before the nest as in it."""
    return affine.is_free(expr) and not any(_cells(expr))


def _cells(expr: ast.expr) -> Iterator[ast.Subscript]:
    """The array elements in an expression; ``A.shape[0]`` is none."""
    for part in walked(expr):
        if isinstance(part, ast.Subscript) and not (
            isinstance(part.value, ast.Attribute) and part.value.attr == "shape"
        ):
            yield part


def _apart(varying: Sequence[ast.expr]) -> str:
    """The way that is always open."""
    texts = dict.fromkeys(f"`{ast.unparse(expr)}`" for expr in varying)
    return f"schedule it in a function of its own, called with {' and '.join(texts)}"
