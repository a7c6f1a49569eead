"""What the entry of a nest tests, as conditions of the typed tree."""

from __future__ import annotations

from collections.abc import Iterator

from looptx.looptree.text import format_cond
from looptx.lower.bindings.unset import assigned, unbound
from looptx.lower.kinds import BOOL, fail, of
from looptx.lower.limits import SIZES
from looptx.lower.scope import Scope
from looptx.lower.tree import Expr, either, infix, intrinsic, number, variable
from looptx.lower.values.arrays.alike import POWERS, UNLIKE
from looptx.lower.values.reducing import AXES, COUNTED
from looptx.model.expr import And, Compare, Cond, Const, IntExpr, Or, Var, variables
from looptx.model.naming import told
from looptx.model.records import dataclass
from looptx.model.shapes import axis_of, owner
from looptx.model.types import ArrayType

_BEYOND = f"{{}} is beyond 2**{SIZES.bit_length() - 1}"
_OVERLAP = (
    "a statement on slices reads of {} what it has written, unless {}; "
    "write into another array"
)
_OR_OVERLAP = (
    ", or a statement on slices reads what it has written; write into another array"
)
_EMPTY = "{} gets no value in loops that run no iteration"


@dataclass(frozen=True, slots=True)
class Check:
    """A check; where it fails the nest is left to Python.

    Attributes:
        wrong: whether it fails.
        reason: what is wrong then, for the user.
        sure: whether Python's own loops would surely raise there. Elsewhere loops that
            check as they go may run.
        causes: which of these fails, if one does, is a better reason.
    """

    wrong: Expr
    reason: str
    sure: bool = True
    causes: tuple[Check, ...] = ()


def magnitudes(scope: Scope) -> Iterator[Check]:
    """Sizes are not so large that arithmetic could overflow."""
    nest = scope.planned.nest
    named = {name: scope.names(name) for name in nest.live_in}
    given = {n: c for n, c in named.items() if n in nest.parameters}
    tested = sorted(scope.checks.sizes - set(nest.parameters))
    more = {name: scope.names(name) for name in tested if scope.is_integer(name)}
    for what, name in (given | dict(scope.computed) | more).items():
        low, value, high = number(-SIZES), variable(name), number(SIZES)
        wrong = either(infix("<=", value, low), infix(">=", value, high))
        yield Check(wrong, _BEYOND.format(what))


def lengths(scope: Scope) -> Iterator[Check]:
    """What the text says of sizes still holds: whoever else has an array may change it.

    Another name, or code that is called, may give it another shape in place.
    """
    nest = scope.planned.nest
    for text, other in sorted(nest.entry.equal.items()):
        if all(_is_size(scope, one) for one in (text, other)):
            cond = Compare("==", Var(text), Var(other))
            yield Check(scope.fails(cond), f"{text} is no longer {other}")


def _is_size(scope: Scope, text: str) -> bool:
    """Whether the entry has a size that it did not compute from others."""
    axis = axis_of(text)
    if axis is None:
        return text in scope.planned.nest.given and scope.is_integer(text)
    kind = scope.types.get(axis[0])
    own = axis[0] in scope.planned.nest.host.made
    return not own and isinstance(kind, ArrayType) and axis[1] < kind.ndim


def bounds(scope: Scope) -> Iterator[Check]:
    """No index leaves its array. Which array it would be is asked only then."""
    inside = scope.planned.inside()
    sliced = any(one.elementwise for one in scope.statements)
    for cond in inside.args if isinstance(inside, And) else (inside,):
        causes = []
        for need in sorted(_needs(cond), key=format_cond):
            names = " or ".join(sorted(_arrays(need)))
            what = f"an index would leave {names}, which"
            if need.op == "==" and Const(0) not in (need.left, need.right):
                what = f"slices of {names} differ in size, which"
            reason = f"{what} needs {format_cond(need)}"
            if need.op == "==" and Const(1) in (need.left, need.right):
                reason = f"{names} had one position on an axis: {format_cond(need)}"
            elif sliced and not any(map(axis_of, variables(_larger(need)))):
                # No index needs an array to be small.
                reason = _OVERLAP.format(names, format_cond(need))
            causes.append(Check(scope.fails(need), reason))
        reason = "an index would leave an array"
        if sliced:
            reason += _OR_OVERLAP
        yield Check(scope.fails(cond), reason, causes=tuple(causes))


def _needs(cond: Cond) -> Iterator[Compare]:
    """What a condition asks of shapes when all loops run.

    The other alternatives, the shorter ones, are that some loop does not.
    """
    if isinstance(cond, Or) and cond.args:
        yield from _needs(max(cond.args, key=_size))
    elif isinstance(cond, And):
        for arg in cond.args:
            yield from _needs(arg)
    elif isinstance(cond, Compare) and any(map(axis_of, variables(cond))):
        yield cond


def _arrays(need: Compare) -> set[str]:
    """The arrays that are asked to be large enough."""
    named = list(filter(axis_of, variables(_larger(need))))
    return {owner(name) for name in named or filter(axis_of, variables(need))}


def _larger(need: Compare) -> IntExpr:
    """The side of a comparison that is to be the larger one."""
    return need.left if need.op in (">", ">=") else need.right


def _size(cond: Cond) -> int:
    return sum(map(_size, cond.args)) if isinstance(cond, And | Or) else 1


def conditions(scope: Scope) -> Iterator[Check]:
    """What the user assumes holds, temporaries have sizes, results get values."""
    planned = scope.planned
    for cond in planned.schedule.assumes:
        text = format_cond(cond)
        yield Check(scope.fails(cond), f"assume {text} does not hold")
    for buffer in planned.buffers:
        for size in buffer.allocation.shape if buffer.allocation else ():
            if not (isinstance(size, Const) and size.value >= 0):
                wrong = scope.fails(Compare(">=", size, Const(0)))
                yield Check(wrong, f"{buffer.name} has a negative size")
    for name, dtype in sorted(scope.checks.alike):
        unlike = intrinsic(name, of(BOOL), dtype=dtype, rules=UNLIKE)
        reason = f"numpy.{name} has other bits for one number than for many"
        if name == AXES:
            reason = "this NumPy reduces parts of arrays in an order that is not known"
        if name == POWERS:
            reason = "numpy.power has other bits for one number than for many"
        if name == COUNTED:
            reason = f"numpy.{name} of this NumPy gives no number of NumPy's"
        yield Check(unlike, reason)
    for name in unbound(scope):
        known = assigned(scope, name)
        if known is None and name in scope.buffers:
            fail(
                f"`{told(name)}` is used after the nest but may get no value in it",
                planned.nest.place,
                hint=f"give `{told(name)}` a value before the nest",
            )
        for cond in known or ():
            yield Check(scope.fails(cond), _EMPTY.format(told(name)))


def operations(scope: Scope) -> Iterator[Check]:
    """No operation raises that the entry can test; see ``checks``."""
    for one in scope.checks.tests.values():
        wrong = scope.where(either(*one.wrong), one.when)
        yield Check(wrong, one.reason, one.sure)
