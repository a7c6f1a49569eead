"""Array cells that a loop reduces into: copies per block, accumulators per lane.

A parallel loop gives each of a fixed number of blocks its own copy of the array, filled
with what changes nothing; the copies are taken in one after the other, so the result
does not depend on the number of threads. A vector loop over one cell keeps lanes.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping

from looptx.looptree.nodes import Block, Call, Let
from looptx.looptree.nodes import For as Loop
from looptx.looptree.nodes import If as Branch
from looptx.lower.kinds import fail, of
from looptx.lower.loops.reductions import (
    Accumulator,
    propagates,
    reducing,
    takes,
    takes_equal,
)
from looptx.lower.scope import Scope
from looptx.lower.tree import (
    Assign,
    Expr,
    For,
    Stmt,
    dangers,
    index,
    number,
    used,
    variable,
)
from looptx.lower.types import c_element
from looptx.lower.values.expressions import Expressions
from looptx.model import shapes
from looptx.model.cells import only_reduced
from looptx.model.dtypes import DTYPES, promoted
from looptx.model.expr import IntExpr, Var
from looptx.model.program import Reduction, Statement
from looptx.model.records import dataclass
from looptx.model.types import ArrayType, ScalarType

COPIES = 16
"""The most copies of an array, whatever the thread count."""

LIMIT = 1 << 28
"""How many bytes the copies of a nest may take together; one copy is the array itself.
"""

_RANKS = {"b": 0, "u": 1, "i": 1, "f": 2, "c": 3}
"""Which kinds of numbers hold which: each those that come before."""


@dataclass(frozen=True, slots=True)
class Copied:
    """An array with a copy per block: its names in the source and in C, and its type.

    Attributes:
        array: its name in the source (a scalar that became an array, too).
        name: its C name. copies: the C name of its copies.
        kind: the type of the array.
        one: how a cell takes that of a copy in.
    """

    array: str
    name: str
    copies: str
    kind: ArrayType
    one: Accumulator

    def fill(self, block: Expr) -> list[Stmt]:
        """Set the copy of a block to what changes nothing."""
        return self._over(range(self.kind.ndim), self.one.initial(block, *self._at()))

    def combine(self, block: Expr, first: Expr, last: Expr) -> list[Stmt]:
        """Take the copy of a block in, for a part of the first axis."""
        at = block, *self._at()
        body = self.one.combine(*at)
        body = self._over(range(1, self.kind.ndim), body)
        return [For(axes(self.kind.ndim)[0], first, last, (*body,))]

    def variables(self) -> dict[str, str]:
        """The variables of the loops over its cells."""
        return dict.fromkeys(axes(self.kind.ndim), "Py_ssize_t")

    def _at(self) -> list[Expr]:
        return [variable(axis) for axis in axes(self.kind.ndim)]

    def _over(self, numbers: range, body: list[Stmt]) -> list[Stmt]:
        """Loops over axes of the array."""
        for axis in reversed(numbers):
            extent = index(Var(shapes.extent(self.name, axis)))
            loop = For(axes(self.kind.ndim)[axis], number(0), extent, (*body,))
            body = [loop]
        return body


def axes(count: int) -> list[str]:
    """The loop variables over an array with copies."""
    return [f"lx_axis_{axis}" for axis in range(count)]


def register(scope: Scope, block: Block) -> None:
    """Name the copies of every array that a parallel loop of a block reduces into.

    Raises:
        Unsupported: LX504 where it is a list, of which none are made.
    """
    for node in loops(block):
        if node.marks.parallel is None:
            continue
        inside = set(calls(node.body))
        for reduction in scope.planned.reductions.get(node.dim, ()):
            array = reduction.target.array
            if not _is_cell(scope, reduction) or array in scope.copies:
                continue
            if any(True for _ in reducing(scope, reduction, inside)):
                if scope.is_listed(array):
                    fail(f"several threads that reduce into the list `{array}`")
                scope.copies[array] = scope.names(f"{array} copies")
                scope.number = scope.number or scope.names.fresh("copies")


def array_type(scope: Scope, name: str) -> ArrayType:
    """The type of an array, or of a scalar that became one."""
    if name in scope.buffers:
        return scope.buffers[name].kind
    return scope.array(name)


def copies_type(scope: Scope, name: str) -> ArrayType:
    """The type of the copies of an array."""
    kind = array_type(scope, name)
    layout = "C" if kind.layout == "C" else "A"
    return ArrayType(kind.dtype, kind.ndim + 1, layout)


def copied(
    scope: Scope, reductions: Iterable[Reduction], inside: Collection[str]
) -> list[Copied]:
    """The arrays that the statements ``inside`` a parallel loop reduce into.

    The plan has made sure that they touch such an array in no other way.
    """
    found: dict[str, Copied] = {}
    for reduction in reductions:
        array = reduction.target.array
        if not _is_cell(scope, reduction):
            continue
        statements = list(reducing(scope, reduction, inside))
        if not statements:
            continue
        kind, copies = array_type(scope, array), scope.copies[array]
        _check_held(scope, statements, kind.dtype)
        name = scope.names(array)
        value = scope.kinds.get(array) or of(ScalarType(kind.dtype))
        at = tuple(map(variable, axes(kind.ndim)))
        cell = Expr("cell", value, at, name)
        one = _accumulator(scope, cell, reduction, statements)
        one.partials[cell], one.local = copies, False
        found[array] = Copied(array, name, copies, kind, one)
    return list(found.values())


def fixed(
    scope: Scope,
    reductions: Iterable[Reduction],
    body: Block,
    moving: Collection[str],
) -> list[Accumulator]:
    """The cells that stay the same while a loop runs, and that nothing else touches.

    What else touched such a cell in another iteration would be a dependence that the
    loop carries: the proof has found none but of these reductions.

    Args:
        scope: the nest.
        reductions: those the loop carries.
        body: of the loop, calls and bindings only.
        moving: the C variables that change in it.
    """
    nest, schedule = scope.planned.nest, scope.planned.schedule
    inside = [nest.statements[name] for name in dict.fromkeys(calls(body))]
    found: dict[Expr, Accumulator] = {}
    for reduction in reductions:
        array = reduction.target.array
        if not _is_cell(scope, reduction):
            continue
        if schedule.trust_order and not only_reduced(nest, inside, reduction):
            continue
        if any(one.array in nest.others(array) for s in inside for one in s.accesses):
            continue
        statements = list(reducing(scope, reduction, set(calls(body))))
        for cell in targets(scope, (reduction,), body):
            if used([Assign(cell, cell)]) & set(moving) or dangers([cell]):
                break
            _check_held(scope, statements, cell.kind.dtype)
            one = _accumulator(scope, cell, reduction, statements)
            found.setdefault(cell, one)
    return list(found.values())


def targets(
    scope: Scope, reductions: Iterable[Reduction], body: Block
) -> Iterator[Expr]:
    """The cells that the statements of a loop reduce into.

    Args:
        scope: the nest.
        reductions: those the loop carries.
        body: of the loop, calls and bindings only.
    """
    for reduction in reductions:
        if _is_cell(scope, reduction):
            inside = frozenset(calls(body))
            names = {one.name for one in reducing(scope, reduction, inside)}
            for call in body:
                if isinstance(call, Call) and call.statement in names:
                    statement = scope.planned.nest.statements[call.statement]
                    yield _target(scope, statement, call.index)


def _accumulator(
    scope: Scope, cell: Expr, reduction: Reduction, statements: Iterable[Statement]
) -> Accumulator:
    """How a cell collects.

    Args:
        scope: the nest. cell: it.
        reduction: what is collected. statements: those that do.
    """
    op = reduction.op
    # NumPy's sum of two bools is their "or", their product the "and"; as bytes they
    # would not compare, since any but 0 is True.
    dtype = cell.kind.dtype
    if dtype == "bool":
        op = {"+": "|", "*": "&", "min": "&", "max": "|"}.get(op, op)
    element = c_element(dtype)
    how = propagates(statements), takes(statements), bool(takes_equal(statements))
    any_byte = dtype == "bool" and reduction.target.array not in scope.buffers
    bits = scope.bits.get(cell.name)
    return Accumulator(cell, cell, op, None, *how, element, any_byte, bits)


def _check_held(scope: Scope, statements: Iterable[Statement], dtype: str) -> None:
    """See that a cell holds what is combined, up to rounding and wrapping around.

    Of a fraction an integer keeps the whole part, and of a number a bool whether it is
    0, at every step: that depends on the order, and partial results cannot tell.
    """
    most = _RANKS[DTYPES[dtype].kind]
    for statement in statements:
        expressions = Expressions(scope, statement, statement.own_index)
        (code,) = statement.code
        for line in ast.walk(code):
            if not isinstance(line, ast.Assign | ast.AugAssign):
                continue
            kind = expressions.value(line.value).kind
            # NumPy's uint64 and int64 meet in float64.
            whole = kind.dtype if kind.weak else promoted(dtype, kind.dtype)
            if _RANKS[DTYPES[whole].kind] > most:
                text = f"a reduction of {kind.dtype} into cells of {dtype}"
                fail(text, statement.place)


def _target(scope: Scope, statement: Statement, index: Mapping[str, IntExpr]) -> Expr:
    """The cell that an instance of a reduction writes."""
    (line,) = statement.code
    while isinstance(line, ast.If):
        (line,) = line.body
    match line:
        case ast.Assign([target], _) | ast.AugAssign(target=target):
            return Expressions(scope, statement, index).target(target)
    fail(f"the reduction `{ast.unparse(line)}`", statement.place)


def _is_cell(scope: Scope, reduction: Reduction) -> bool:
    array = reduction.target.array
    return array in scope.planned.nest.arrays or array in scope.buffers


def calls(block: Block) -> Iterator[str]:
    """The statements of a block."""
    for node in block:
        if isinstance(node, Call):
            yield node.statement
        elif isinstance(node, Loop | Branch):
            yield from calls(node.body)


def loops(block: Block) -> Iterator[Loop]:
    """The loops of a block."""
    for node in block:
        if isinstance(node, Loop):
            yield node
        if isinstance(node, Loop | Branch):
            yield from loops(node.body)


def bindings(block: Block) -> Iterator[str]:
    """The names that a block binds itself."""
    return (node.var for node in block if isinstance(node, Let))
