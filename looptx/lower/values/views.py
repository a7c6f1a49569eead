"""Rows and slices of arrays as C has them: a first element, a count and a step."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from looptx.lower import advice
from looptx.lower.checks import SATURATED
from looptx.lower.kinds import INT, fail, of
from looptx.lower.scope import Scope
from looptx.lower.tree import Expr, index, infix, intrinsic, number, variable
from looptx.lower.values.literals import literal
from looptx.model.dtypes import INTEGERS
from looptx.model.expr import ONE, Var, mul
from looptx.model.records import dataclass, replace
from looptx.model.trees import brackets, dotted
from looptx.model.types import ArrayType, ScalarType

Place = Callable[[str, int, ast.expr, int], Expr]
"""An integer subscript of an array's axis, which Python calls as the last number."""

Value = Callable[[ast.expr], Expr]


@dataclass(frozen=True, slots=True)
class Strip:
    """Elements of an array, each as far from the next one.

    Attributes:
        array: the pointer to the array's first cell.
        dtype: of its elements.
        first: how many elements behind that it begins.
        count: how many elements there are.
        step: how far apart they are, in elements.
        places: those of the first one. axis: the one along which they lie; None for
            all elements of an array of several.
        by: the step along that axis.
    """

    array: Expr
    dtype: str
    first: Expr
    count: Expr
    step: Expr
    places: tuple[Expr, ...]
    axis: int | None
    by: Expr

    @property
    def parts(self) -> tuple[Expr, ...]:
        """What a function of C is given of it."""
        return self.array, self.first, self.count, self.step


def is_array(node: ast.expr, scope: Scope) -> bool:
    """Whether an expression is an array or a part of one."""
    base, groups = brackets(node)
    kind = scope.types.get(dotted(base))
    if not isinstance(kind, ArrayType):
        return False
    parts = [part for group in groups for part in group]
    return len(parts) < kind.ndim or any(isinstance(x, ast.Slice) for x in parts)


def has_arrays(node: ast.expr, scope: Scope) -> bool:
    """Whether a part of an expression is an array."""
    parts = (part for part in ast.walk(node) if isinstance(part, ast.expr))
    return any(is_array(part, scope) for part in parts if stands(part))


def stands(node: ast.expr) -> bool:
    """Whether an expression may be an array."""
    return isinstance(node, ast.Name | ast.Attribute | ast.Subscript)


def is_scattered(node: ast.expr, scope: Scope) -> bool:
    """Whether elements of an array of several axes may have no one distance.

    Args:
        node: the array or a part of it, as ``is_array`` finds it. scope: the nest.
    """
    base, groups = brackets(node)
    kind = scope.array(dotted(base))
    parts = [part for group in groups for part in group]
    kept = sum(isinstance(x, ast.Slice) for x in parts) + kind.ndim - len(parts)
    whole = not parts and kind.layout in ("C", "F")
    return len(groups) < 2 and kept > 1 and not whole


def strip(node: ast.expr, scope: Scope, value: Value, place: Place) -> Strip:
    """An array, a row or a slice of one, as elements one behind the other.

    Args:
        node: it, as ``is_array`` finds it.
        scope: the nest.
        value: makes values of expressions. place: makes places of subscripts.

    Raises:
        Unsupported: LX504 where its elements have not all the same distance.
    """
    base, groups = brackets(node)
    if len(groups) > 1 and _is_backwards(groups[-1]):
        assert isinstance(node, ast.Subscript)
        return _reversed(strip(node.value, scope, value, place))
    name = dotted(base)
    kind = scope.array(name)
    places, axes = _axes(node, scope, value, place)
    parts = [part for group in groups for part in group]
    found = _at(scope, name, places)
    if len(axes) == 1:
        ((axis, count, step),) = axes
        steps = [step if at == axis else number(0) for at in range(kind.ndim)]
        pointer, far = variable(scope.names(name)), _at(scope, name, steps)
        return Strip(pointer, kind.dtype, found, count, far, (*places,), axis, step)
    if parts or kind.layout not in ("C", "F"):
        fail(f"the elements of `{ast.unparse(node)}`, which may lie anyhow")
    extents = (Var(scope.extent(name, axis)) for axis in range(kind.ndim))
    pointer, size = variable(scope.names(name)), index(mul(*extents))
    one = index(ONE)
    return Strip(pointer, kind.dtype, found, size, one, (*places,), None, one)


@dataclass(frozen=True, slots=True)
class Part:
    """A part of an array with any axes.

    Attributes:
        array, dtype, first: as of a ``Strip``.
        axes: how many positions there are on each, and how far apart, in elements.
    """

    array: Expr
    dtype: str
    first: Expr
    axes: tuple[tuple[Expr, Expr], ...]


def part(node: ast.expr, scope: Scope, value: Value, place: Place) -> Part:
    """An array, a part or an element of one, whatever axes it has.

    Args:
        node, scope, value, place: as of ``strip``.

    Raises:
        Unsupported: LX504 where it is no such part.
    """
    base, _ = brackets(node)
    name = dotted(base)
    kind = scope.array(name)
    places, found = _axes(node, scope, value, place)
    axes = []
    for axis, count, step in found:
        far = [step if at == axis else number(0) for at in range(kind.ndim)]
        axes.append((count, _at(scope, name, far)))
    first = _at(scope, name, places)
    return Part(variable(scope.names(name)), kind.dtype, first, (*axes,))


def _axes(
    node: ast.expr, scope: Scope, value: Value, place: Place
) -> tuple[list[Expr], list[tuple[int, Expr, Expr]]]:
    """The first places of a part of an array, and its axes with counts and steps.

    Args:
        node, scope, value, place: as of ``strip``.
    """
    base, groups = brackets(node)
    name = dotted(base)
    kind = scope.array(name)
    if len(groups) > 1 and any(isinstance(x, ast.Slice) for g in groups for x in g):
        fail(f"a slice of a part in `{ast.unparse(node)}`")
    if name in scope.buffers:
        fail(f"all elements of the temporary `{name}`")
    parts = [(part, at) for group in groups for at, part in enumerate(group)]
    if len(parts) > kind.ndim:
        fail(
            f"`{ast.unparse(node)}` is no part of the {kind.ndim}-d array",
            hint=advice.ELEMENTS,
        )
    places: list[Expr] = []
    runs: list[tuple[int, Expr, Expr]] = []
    for axis in range(kind.ndim):
        extent = index(Var(scope.extent(name, axis)))
        part, told = parts[axis] if axis < len(parts) else (ast.Slice(), axis)
        if not isinstance(part, ast.Slice):
            places.append(place(name, axis, part, told))
            continue
        first, count, step = _run(part, extent, value)
        places.append(first)
        runs.append((axis, count, step))
    return places, runs


def _is_backwards(group: Sequence[ast.expr]) -> bool:
    """Whether a subscript takes all of a row, from its end to its start."""
    match group:
        case [ast.Slice(None, None, ast.UnaryOp(ast.USub(), ast.Constant(1)))]:
            return True
    return False


def _reversed(one: Strip) -> Strip:
    """The same elements from the last to the first."""
    if one.axis is None:
        fail("an array of several axes backwards")
    back = infix("-", one.count, number(1))
    places = [*one.places]
    places[one.axis] = infix("+", places[one.axis], infix("*", back, one.by))
    first = infix("+", one.first, infix("*", back, one.step))
    step, by = (infix("-", number(0), x) for x in (one.step, one.by))
    return replace(one, first=first, step=step, places=(*places,), by=by)


def _at(scope: Scope, array: str, places: Sequence[Expr]) -> Expr:
    """How many elements behind the first cell of an array one of its places is."""
    cell = scope.cell(array, places, of(ScalarType(scope.array(array).dtype)))
    if cell.op != "cell" or cell.name != scope.names(array):
        fail(f"all elements of `{array}`, of which there are copies")
    return Expr("at", of(INT), cell.parts, cell.name)


def _run(part: ast.Slice, extent: Expr, value: Value) -> tuple[Expr, Expr, Expr]:
    """The first place of a slice, the count of its places, and its step.

    Args:
        part: the slice. extent: of its axis. value: makes values of expressions.
    """
    step = 1
    if part.step is not None:
        given = value(part.step).literal
        if type(given) is not int or given == 0:
            fail(f"a slice whose step `{ast.unparse(part.step)}` is no literal")
        step = given
    if step < 0 and not (part.lower is None and part.upper is None):
        fail("a slice backwards with bounds of its own")
    first = _clipped(part.lower, extent, value) or literal(0)
    stop = _clipped(part.upper, extent, value) or extent
    if step < 0:
        first, stop = infix("-", extent, number(1)), number(-1)
    if part.lower is None and part.upper is None and abs(step) == 1:
        return first, extent, number(step)
    count = intrinsic("count", of(INT), first, stop, number(step))
    return first, count, number(step)


def _clipped(node: ast.expr | None, extent: Expr, value: Value) -> Expr | None:
    """A bound of a slice within an axis, counted from its start."""
    if node is None or (isinstance(node, ast.Constant) and node.value is None):
        return None
    bound = value(node)
    dtypes = {member.dtype for member in bound.kind.members}
    if not dtypes <= {*INTEGERS} - {"uint64"} or SATURATED in bound.facts:
        fail(
            f"the bound `{ast.unparse(node)}` of a slice is no integer of 64 bits",
            hint=advice.INTEGER,
        )
    return intrinsic("clip", of(INT), bound, extent)
