"""The statements of a reduction that is cut in two."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Sequence

from looptx.directives.moving.copying import cell_of, elements_of
from looptx.model.elements import Access
from looptx.model.expr import TRUE, ZERO, IntExpr, Var
from looptx.model.moves import Factor
from looptx.model.moves.changes import changed
from looptx.model.program import Loop, Nest, Reduction, Statement
from looptx.model.records import replace
from looptx.model.storage import Start, alike
from looptx.model.trees import dotted, form

_OPERATORS: dict[str, type[ast.operator]] = {
    "+": ast.Add,
    "*": ast.Mult,
    "&": ast.BitAnd,
    "|": ast.BitOr,
    "^": ast.BitXor,
}


def extended(nest: Nest, factor: Factor, names: Sequence[str]) -> Nest:
    """The nest with the statements that collect parts, and the total of them.

    Args:
        nest: the nest.
        factor: says which.
        names: of the loops that are its coordinates.
    """
    (old,) = factor.moved
    statement = nest.statements[old]
    loops = {
        loop: Loop(loop, name, ZERO, ZERO, 1, nest.place)
        for loop, name in zip(factor.coordinates, names, strict=True)
    }
    more = {
        **changed(nest, factor),
        factor.start: _start(nest, statement, factor),
        factor.total: _total(statement, factor),
    }
    allocations = dict(nest.allocations)
    if factor.target.subscripts:
        known = nest.allocations
        allocations[factor.buffer] = alike(factor.buffer, factor.array, known)
    return replace(
        nest,
        loops={**nest.loops, **loops},
        statements={**nest.statements, **more},
        allocations=allocations,
    )


def _start(nest: Nest, statement: Statement, factor: Factor) -> Statement:
    """What gives a part its first value; the model does not know yet which."""
    assert statement.reduction is not None
    cell = tuple(map(Var, factor.coordinates))
    target = _cell(factor.buffer, factor.coordinates, factor, ast.Store())
    code = ast.Assign([target], ast.Constant(0), lineno=1)
    op = statement.reduction.op
    called = (
        nest.names.functions.get(dotted(node.func), "")
        for line in statement.code
        for node in ast.walk(line)
        if isinstance(node, ast.Call)
    )
    compares = op in ("min", "max") and not any(
        name in ("numpy.minimum", "numpy.maximum") for name in called
    )
    return Statement(
        name=factor.start,
        loops=factor.coordinates,
        guard=TRUE,
        accesses=(_access(factor, factor.buffer, cell, write=True),),
        code=(ast.fix_missing_locations(code),),
        place=statement.place,
        elements=elements_of((factor.buffer, cell, target)),
        start=Start(op, factor.array, statement.reduction.operand, compares),
        added=True,
    )


def _total(statement: Statement, factor: Factor) -> Statement:
    """What combines a part into the target."""
    assert statement.reduction is not None
    array, partial = factor.array, factor.buffer
    inside = tuple(map(Var, factor.coordinates))
    value = _cell(partial, factor.coordinates, factor, ast.Load())
    nodes: list[ast.expr] = []

    def target(context: ast.expr_context) -> ast.expr:
        nodes.append(_cell(array, factor.places, factor, context))
        return nodes[-1]

    code = ast.fix_missing_locations(_combining(statement, target, value))
    return Statement(
        name=factor.total,
        loops=factor.coordinates,
        guard=TRUE,
        accesses=(
            _access(factor, partial, inside, write=False),
            _access(factor, array, factor.cell, write=False),
            _access(factor, array, factor.cell, write=True),
        ),
        code=(code,),
        place=statement.place,
        reduction=Reduction(
            statement.reduction.op,
            _access(factor, array, factor.cell, write=True),
            value,
        ),
        elements=elements_of(
            (partial, inside, value), *((array, factor.cell, node) for node in nodes)
        ),
        places=factor.places,
        added=True,
    )


def _access(
    factor: Factor, array: str, cell: Sequence[IntExpr], *, write: bool
) -> Access:
    """An access of a new statement; a scalar has no subscripts."""
    return Access(array, tuple(cell) if factor.target.subscripts else (), write)


def _cell(
    array: str, names: Sequence[str], factor: Factor, context: ast.expr_context
) -> ast.expr:
    """The target or a part in the code: a variable, or a cell."""
    return cell_of(array, names if factor.target.subscripts else (), context)


def _combining(
    statement: Statement,
    target: Callable[[ast.expr_context], ast.expr],
    value: ast.expr,
) -> ast.stmt:
    """The code that combines a value in the way of a reduction."""
    assert statement.reduction is not None
    op = _OPERATORS.get(statement.reduction.op)
    if op is not None:
        store = target(ast.Store())
        assert isinstance(store, ast.Name | ast.Subscript)
        return ast.AugAssign(store, op(), value)
    (code,) = statement.code
    match code:
        case (
            ast.Assign([old], ast.Call(function, args))
            | ast.AnnAssign(target=old, value=ast.Call(function, args))
        ):
            # Which of two that are equal is kept depends on which is first.
            first = form(args[0]) == form(old)
            own = target(ast.Load())
            both = [own, value] if first else [value, own]
            call = ast.Call(copy.deepcopy(function), both, [])
            return ast.Assign([target(ast.Store())], call, lineno=1)
        case ast.If(test, [ast.Assign([old], chosen)]):
            code = ast.Assign([old], ast.IfExp(test, chosen, _loaded(old)), lineno=1)
    instead = _Instead(statement, target, value)
    changed = instead.visit(copy.deepcopy(code))
    assert isinstance(changed, ast.stmt)
    return changed


def _loaded(target: ast.expr) -> ast.expr:
    """A target as a value."""
    found = copy.deepcopy(target)
    assert isinstance(found, ast.Name | ast.Subscript)
    found.ctx = ast.Load()
    return found


class _Instead(ast.NodeTransformer):
    """Takes another target and another value in ``if x > s: s = x`` and the like."""

    def __init__(
        self,
        statement: Statement,
        target: Callable[[ast.expr_context], ast.expr],
        value: ast.expr,
    ) -> None:
        assert statement.reduction is not None
        self.target = target
        self.value = value
        self.operand = form(statement.reduction.operand)
        self.cell = next(
            form(node)
            for node in ast.walk(statement.code[0])
            if isinstance(node, ast.Name | ast.Subscript)
            and isinstance(node.ctx, ast.Store)
        )

    def visit(self, node: ast.AST) -> ast.AST:
        """A node, or what stands for it."""
        if isinstance(node, ast.expr):
            own = form(node)
            if own == self.cell:
                assert isinstance(node, ast.Name | ast.Subscript)
                return self.target(node.ctx)
            if own == self.operand:
                return self.value
        found: ast.AST = super().visit(node)
        return found
