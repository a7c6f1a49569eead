"""isl's AST expressions as our own.

Every division isl prints here has a positive constant divisor: ``fdiv_q`` rounds down,
``pdiv`` has a non-negative dividend, ``zdiv_r`` is only compared with 0 and ``div`` is
exact, so Python's ``//`` and ``%`` say all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import islpy as isl

from looptx.model.expr import (
    ONE,
    And,
    Compare,
    Cond,
    Const,
    IntExpr,
    Max,
    Min,
    Or,
    Select,
    Var,
    add,
    floordiv,
    maximum,
    minimum,
    mod,
    mul,
    neg,
    sub,
)

if TYPE_CHECKING:
    from looptx.poly.spaces import Spaces

_OP: Any = isl.ast_expr_op_type
_COMPARE = {_OP.eq: "==", _OP.le: "<=", _OP.lt: "<", _OP.ge: ">=", _OP.gt: ">"}
_BINARY: dict[Any, Callable[[IntExpr, Any], IntExpr]] = {
    _OP.add: add,
    _OP.sub: sub,
    _OP.mul: mul,
    _OP.div: floordiv,
    _OP.fdiv_q: floordiv,
    _OP.pdiv_q: floordiv,
    _OP.pdiv_r: mod,
    _OP.zdiv_r: mod,
}


def integer(value: isl.Val) -> int:
    """An integer of isl's, which has no text once a budget is exceeded."""
    text = value.to_str()
    if text is None:
        raise isl.Error("no operations are left")
    return int(text)


def _arguments(expr: Any) -> list[Any]:
    return [expr.get_op_arg(at) for at in range(expr.get_op_n_arg())]


def to_expr(expr: Any, names: Mapping[str, IntExpr]) -> IntExpr:
    """An integer AST expression; ``names`` gives the value of isl's identifiers."""
    kind = expr.get_type()
    if kind == isl.ast_expr_type.id:
        name = expr.get_id().get_name()
        return names.get(name, Var(name))
    if kind == isl.ast_expr_type.int:
        return Const(integer(expr.get_val()))
    operation = expr.get_op_type()
    arguments = _arguments(expr)
    if operation in (_OP.cond, _OP.select):
        chosen = to_cond(arguments[0], names)
        return Select(
            chosen, to_expr(arguments[1], names), to_expr(arguments[2], names)
        )
    values = [to_expr(argument, names) for argument in arguments]
    if operation == _OP.min:
        return minimum(*values)
    if operation == _OP.max:
        return maximum(*values)
    if operation == _OP.minus:
        return neg(values[0])
    return _BINARY[operation](*values)


def to_cond(expr: Any, names: Mapping[str, IntExpr]) -> Cond:
    """A condition of the AST; an integer stands for "is not 0"."""
    if expr.get_type() == isl.ast_expr_type.op:
        operation = expr.get_op_type()
        if operation in (_OP.and_, _OP.and_then):
            return And(tuple(to_cond(arg, names) for arg in _arguments(expr)))
        if operation in (_OP.or_, _OP.or_else):
            return Or(tuple(to_cond(arg, names) for arg in _arguments(expr)))
        if operation in _COMPARE:
            left, right = _arguments(expr)
            return Compare(
                _COMPARE[operation], to_expr(left, names), to_expr(right, names)
            )
    value = to_expr(expr, names)
    if isinstance(value, Const):
        return And(()) if value.value else Or(())
    return Compare("!=", value, Const(0))


def conditional(expr: Any) -> bool:
    """Whether conditions choose the value of an expression, or of a part of it."""
    if expr.get_type() != isl.ast_expr_type.op:
        return False
    chooses = expr.get_op_type() in (_OP.cond, _OP.select)
    return chooses or any(map(conditional, _arguments(expr)))


def loop_bounds(
    node: Any, names: Mapping[str, IntExpr], *, wide: bool = False
) -> tuple[IntExpr, IntExpr, int]:
    """Start, stop and step of a loop of the AST.

    Args:
        node: the loop.
        names: as in ``to_expr``.
        wide: whether what depends on conditions is the least (greatest) of all that it
            may be.

    Returns:
        The start, the stop and the step.
    """
    start = to_expr(node.for_get_init(), names)
    if node.for_is_degenerate():
        return start, add(start, ONE), 1
    cond = node.for_get_cond()
    stop = to_expr(cond.get_op_arg(1), names)
    if wide:
        start, stop = _wide(start, minimum), _wide(stop, maximum)
    if cond.get_op_type() == _OP.le:
        stop = add(stop, ONE)
    step = to_expr(node.for_get_inc(), names)
    assert isinstance(step, Const)
    return start, stop, step.value


def _wide(bound: IntExpr, extreme: Callable[..., IntExpr]) -> IntExpr:
    """The extreme of all values that a bound may be, whatever its conditions are."""
    match bound:
        case Select(_, then, other):
            return extreme(_wide(then, extreme), _wide(other, extreme))
        case Min(args):
            return minimum(*(_wide(arg, extreme) for arg in args))
        case Max(args):
            return maximum(*(_wide(arg, extreme) for arg in args))
    return bound


def texts(spaces: Spaces) -> dict[str, IntExpr]:
    """The parameters by isl's names for them."""
    return {f"p{at}": Var(text) for at, text in enumerate(spaces.parameters)}


def expression(spaces: Spaces, value: isl.PwAff) -> IntExpr:
    """A function of the parameters as an expression."""
    build = isl.AstBuild.from_context(spaces.context & value.domain().params())
    known = value.gist(value.domain()).coalesce()
    return to_expr(build.expr_from_pw_aff(known), texts(spaces))
