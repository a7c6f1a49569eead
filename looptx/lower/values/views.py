"""Rows and slices of arrays as C has them: a first element, a count and a step."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from looptx.lower import advice
from looptx.lower.checks import OUTSIDE, SATURATED
from looptx.lower.kinds import INT, fail, of
from looptx.lower.scope import Scope
from looptx.lower.tree import Expr, dangers, index, infix, intrinsic, number, variable
from looptx.lower.values.arrays.turns import as_index, behind, together
from looptx.lower.values.conversions import signed
from looptx.lower.values.literals import literal
from looptx.model.dtypes import INTEGERS
from looptx.model.expr import ONE, Var, mul
from looptx.model.records import dataclass
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


VIEWS = frozenset(("T", "mT", "real", "imag", "flat"))
"""Attributes of an array that are views of it."""


def is_array(node: ast.expr, scope: Scope) -> bool:
    """Whether an expression is an array or a part of one."""
    base, groups = brackets(node)
    kind = scope.type_of(dotted(base))
    return isinstance(kind, ArrayType) and _left(groups, kind) > 0


def _left(groups: Sequence[Sequence[ast.expr]], kind: ArrayType) -> int:
    """How many axes an array has behind its subscripts.

    Args:
        groups: these, of each pair of brackets. kind: of the array.
    """
    parts = [part for group in groups for part in group]
    taken = sum(not isinstance(part, ast.Slice) for part in parts)
    return kind.ndim - taken


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
    whole = not groups and kind.layout in ("C", "F")
    return _left(groups, kind) > 1 and not whole


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
    name = dotted(base)
    kind = scope.array(name)
    places, axes = _axes(node, scope, value, place)
    found = _at(scope, name, places)
    if len(axes) == 1:
        ((axis, count, step),) = axes
        steps = [step if at == axis else number(0) for at in range(kind.ndim)]
        pointer, far = variable(scope.names(name)), _at(scope, name, steps)
        return Strip(pointer, kind.dtype, found, count, far, (*places,), axis, step)
    if groups or kind.layout not in ("C", "F"):
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


def counts(
    node: ast.expr, scope: Scope, value: Value, place: Place
) -> tuple[Expr, ...]:
    """How many positions there are on each axis of an array or a part of one.

    The first one is known once the part is looked up.

    Args:
        node, scope, value, place: as of ``strip``.
    """
    places, axes = _axes(node, scope, value, place)
    first, *others = (count for _, count, _ in axes)
    for one in filter(lambda x: dangers([x]), places):
        first = behind(first, one)
    return first, *others


def element(
    node: ast.Subscript, scope: Scope, value: Value, place: Place
) -> list[Expr] | None:
    """The places of an element of a slice; None for one of an array itself.

    Args:
        node: the element. scope, value, place: as of ``strip``.

    Raises:
        Unsupported: LX504 where it is no element.
    """
    base, groups = brackets(node)
    if not any(isinstance(x, ast.Slice) for group in groups[:-1] for x in group):
        return None
    kind = scope.array(dotted(base))
    if is_array(node, scope):
        what = f"is not one element of the {kind.ndim}-d array"
        fail(f"`{ast.unparse(node)}` {what}", hint=advice.ROW)
    return _axes(node, scope, value, place)[0]


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
    if name in scope.buffers:
        fail(f"all elements of the temporary `{name}`")
    runs = [_Run(axis, None, *_whole(name, axis, scope)) for axis in range(kind.ndim)]
    places, bounds = dict[int, Expr](), list[Expr]()
    for group in groups:
        if len(group) > len(runs):
            fail(
                f"`{ast.unparse(node)}` is no part of the {kind.ndim}-d array",
                hint=advice.ELEMENTS,
            )
        kept, ats = [], list[tuple[_Run, Expr]]()
        for told, (part, run) in enumerate(zip(group, runs, strict=False)):
            if isinstance(part, ast.Slice):
                kept.append(run.sliced(*_run(part, run.count, value)))
                bounds.append(kept[-1].count)
            else:
                inner = run.first is not None
                at = (
                    _among(run.count, part, told, scope, value)
                    if inner
                    else (place(name, run.axis, part, told))
                )
                ats.append((run, at))
        turns = together([at for _, at in ats], bounds)
        places |= {x.axis: x.at(at) for (x, _), at in zip(ats, turns, strict=True)}
        runs = kept + runs[len(group) :]
    places |= {run.axis: run.at(number(0)) for run in runs}
    found = [(run.axis, run.count, number(run.step)) for run in runs]
    return [places[axis] for axis in range(kind.ndim)], found


def _among(count: Expr, node: ast.expr, told: int, scope: Scope, value: Value) -> Expr:
    """A subscript of a slice, checked here.

    Args:
        count: how many positions the slice has. node: the subscript.
        told: what an error calls the axis. scope: the nest.
        value: makes values of expressions.
    """
    found = value(node)
    if any(member.dtype not in INTEGERS for member in found.kind.members):
        what = f"the subscript `{ast.unparse(node)}` is no integer"
        fail(what, hint=advice.INTEGER)
    if found.kind.dtype == "uint64":
        found = signed(found)
    found = as_index(found, node, scope)
    name = "at_near" if SATURATED in found.facts else "at"
    return intrinsic(name, of(INT), found, count, number(told), raises=OUTSIDE)


@dataclass(frozen=True, slots=True)
class _Run:
    """Positions on an axis of an array.

    Attributes:
        axis: it. first: the first of them; None for all of the axis.
        count: how many there are. step: how far apart.
    """

    axis: int
    first: Expr | None
    count: Expr
    step: int

    def at(self, place: Expr) -> Expr:
        """The position of the array that is one of these."""
        if self.first is None:
            return place
        far = place
        if self.step != 1 and place != number(0):
            far = infix("*", place, number(self.step))
        if self.first == literal(0):
            return far
        return self.first if place == number(0) else infix("+", self.first, far)

    def sliced(self, first: Expr, count: Expr, step: int) -> _Run:
        """Some of the positions.

        Args:
            first, count, step: as of a slice of all of them.
        """
        return _Run(self.axis, self.at(first), count, self.step * step)


def _whole(array: str, axis: int, scope: Scope) -> tuple[Expr, int]:
    """How long an axis of an array is, and the step from one position to the next."""
    return index(Var(scope.extent(array, axis))), 1


def _at(scope: Scope, array: str, places: Sequence[Expr]) -> Expr:
    """How many elements behind the first cell of an array one of its places is."""
    cell = scope.cell(array, places, of(ScalarType(scope.array(array).dtype)))
    if cell.op != "cell" or cell.name != scope.names(array):
        fail(f"all elements of `{array}`, of which there are copies")
    return Expr("at", of(INT), cell.parts, cell.name)


def _run(part: ast.Slice, extent: Expr, value: Value) -> tuple[Expr, Expr, int]:
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
        return first, extent, step
    count = intrinsic("count", of(INT), first, stop, number(step))
    return first, count, step


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


def check_own(scope: Scope, array: str) -> None:
    """See that what is stored into has a name: a view is told as its array.

    Raises:
        Unsupported: LX504 for what a function of the user is given as ``A.T``.
    """
    base, dot, view = array.rpartition(".")
    if not dot or view not in VIEWS:
        return
    written = scope.planned.nest.written
    if base in written and array not in written:
        fail(
            f"a function stores into `{array}`, which it is given",
            hint=f"give the view a name before the nest: `B = {array}`",
        )
