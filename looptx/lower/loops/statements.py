"""Statements of the source as statements of the typed tree."""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping

from looptx.errors import LooptxError
from looptx.lower import advice, tree
from looptx.lower.bindings.exchanges import exchange
from looptx.lower.bindings.pairs import pairs
from looptx.lower.bindings.planes import by_numpy
from looptx.lower.checks import SATURATED
from looptx.lower.kinds import INT, Kind, fail, of
from looptx.lower.loops.identity import identity
from looptx.lower.loops.inner import polled, stepped
from looptx.lower.scope import Scope
from looptx.lower.tree import (
    Assign,
    Expr,
    For,
    If,
    Intrinsic,
    Jump,
    Run,
    Stmt,
    While,
    number,
    used,
)
from looptx.lower.values.alternatives import several, tag, told
from looptx.lower.values.arrays.fitting import fitted
from looptx.lower.values.arrays.lists import kept
from looptx.lower.values.arrays.order import check_order
from looptx.lower.values.arrays.turns import as_index
from looptx.lower.values.calls import APART, LEAVE
from looptx.lower.values.conversions import as_row, signed_bound, stored, whole
from looptx.lower.values.expressions import Expressions
from looptx.lower.values.literals import encoded, shared
from looptx.lower.values.operators import SIGNS
from looptx.model.dtypes import FLOATS, INTEGERS
from looptx.model.expr import IntExpr
from looptx.model.noted.exchanges import pair_of
from looptx.model.noted.rows import is_stored_as_row
from looptx.model.noted.slices import is_noted, is_test
from looptx.model.program import Statement
from looptx.model.records import dataclass, field, replace
from looptx.model.storage import Start
from looptx.model.trees import asks, forwards

_IN_PLACE = (*INTEGERS, *FLOATS)


@dataclass(slots=True)
class Frame:
    """The C function being written.

    Attributes:
        declared: the variables it declares itself, by C name.
        around: those of the functions that it is written for, which may hand them over.
    """

    declared: dict[str, str] = field(default_factory=dict)
    around: Mapping[str, str] = field(default_factory=dict)

    def inside(self, variables: Mapping[str, str]) -> Frame:
        """The frame of a function that is called in this one.

        Args:
            variables: what it is given besides.
        """
        return Frame(around={**self.around, **self.declared, **variables})


class Statements:
    """Lowers instances of statements.

    Args:
        scope: the nest; its scalars' kinds are known.
        tagged: the scalars beside which C keeps which of several types they have.

    Attributes:
        slices: what computes elements of arrays that one statement of the source does.
    """

    def __init__(self, scope: Scope, tagged: Collection[str] = ()) -> None:
        self.scope = scope
        self.tagged = tagged
        self.slices: list[Stmt] = []

    def lowered(
        self, statement: Statement, index: Mapping[str, IntExpr], frame: Frame
    ) -> list[Stmt]:
        """One instance.

        Raises:
            LooptxError: LX504, at the statement's place.
        """
        expressions = Expressions(self.scope, statement, index)
        try:
            if statement.start is not None:
                return self._start(expressions, statement, statement.start)
            return self._block(expressions, statement.code, frame)
        except LooptxError as error:
            raise error.at(statement.place) from None

    def _start(self, e: Expressions, statement: Statement, start: Start) -> list[Stmt]:
        """What gives a part of a reduction its first value, in the type C has for it.

        In Python that value may be a number of another type.
        """
        (line,) = statement.code
        assert isinstance(line, ast.Assign)
        (target,) = line.targets
        place = e.target(target)
        if isinstance(target, ast.Name) and target.id in self.tagged:
            fail(f"partial results of `{target.id}`: its type decides what is computed")
        value = identity(start.op, place.kind)
        return [Assign(place, stored(value, place.kind.dtype))]

    def initial(self, statement: Statement) -> Expr:
        """The value that a statement gives to all cells of a buffer."""
        (line,) = statement.code
        (array,) = (access.array for access in statement.accesses)
        assert isinstance(line, ast.Assign)
        expressions = Expressions(self.scope, statement, {})
        expressions.before = None
        value = expressions.value(line.value)
        return stored(value, self.scope.buffers[array].dtype)

    def _block(
        self,
        expressions: Expressions,
        code: tuple[ast.stmt, ...] | list[ast.stmt],
        frame: Frame,
    ) -> list[Stmt]:
        return [x for node in code for x in self._statement(expressions, node, frame)]

    def _statement(
        self, expressions: Expressions, node: ast.stmt, frame: Frame
    ) -> list[Stmt]:
        """A statement, behind what has to run in front of it."""
        around, before = expressions.before, list[Stmt]()
        expressions.before = before
        outer = expressions.whole
        expressions.whole = outer or is_noted(node)
        lines = self._lines(expressions, node, frame)
        if expressions.whole:
            self.slices += [*before, *lines]
        expressions.before, expressions.whole = around, outer
        frame.declared.update(expressions.declared)
        if before:
            check_order(self.scope, node, before, lines)
        return [*before, *lines]

    def _lines(
        self, expressions: Expressions, node: ast.stmt, frame: Frame
    ) -> list[Stmt]:
        if self.scope.checks.excludes(expressions.statement.name, node):
            return self._block(expressions, getattr(node, "orelse", []), frame)
        match node:
            case ast.Expr() if pair := pair_of(node):
                return exchange(pair, self.scope, frame.declared)
            case ast.Assign(targets, value):
                return self._assign(expressions, targets, value, frame)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                return self._assign(expressions, [target], value, frame)
            case ast.AugAssign(target, op, value):
                return self._augmented(expressions, target, op, value, frame)
            case ast.If():
                return [self._if(expressions, node, frame)]
            case ast.For():
                return self._for(expressions, node, frame)
            case ast.While(test, body, orelse):
                cond = expressions.condition(test)
                poll = polled(self.scope, frame.declared)
                inner = (*poll, *self._block(expressions, body, frame))
                last = (*self._block(expressions, orelse, frame),)
                return [While(cond, inner, last)]
            case ast.Break():
                return [Jump("break")]
            case ast.Continue():
                return [Jump("continue")]
            case ast.Raise():
                return [_leaving(LEAVE)]
            case ast.Assert(test):
                if name := asks(node):
                    self._declare(name, self.scope.kinds[name], frame)
                one = ast.If(ast.UnaryOp(ast.Not(), test), [ast.Raise()], [])
                return self._lines(expressions, one, frame) if name or __debug__ else []
            case ast.Expr(ast.Subscript() as row):
                return self._row(expressions, row, frame)
            case ast.Pass() | ast.Expr(ast.Constant()) | ast.AnnAssign(value=None):
                return []
        fail(f"the statement `{ast.unparse(node).splitlines()[0]}`")

    def _row(self, e: Expressions, row: ast.Subscript, frame: Frame) -> list[Stmt]:
        """What looks up a row, and does nothing with it: it may be outside."""
        lines: list[Stmt] = []
        for place in e.places(row):
            name = self.scope.names.fresh("at")
            frame.declared[name] = place.kind.c
            lines.append(Assign(tree.variable(name, place.kind), place))
        return lines

    def _assign(
        self, e: Expressions, targets: list[ast.expr], node: ast.expr, frame: Frame
    ) -> list[Stmt]:
        if len(targets) == 1 and not isinstance(targets[0], (ast.Tuple, ast.List)):
            by_loop = by_numpy(e, targets[0], node)
            if by_loop is not None:
                return by_loop
            found = e.value(node) if e.whole else e.wide(node)
            value = as_index(found, node, self.scope)
            return self._store(e, targets[0], value, frame)
        stores = [store for target in targets for store in pairs(target, node)]
        read = e.wide if all(isinstance(x, ast.Name) for x, _ in stores) else e.value
        lines, values = list[Stmt](), dict[ast.AST, Expr]()
        for _, part in stores:
            if part not in values:
                value = as_index(read(part), part, self.scope)
                if value.literal is None:
                    name = self.scope.names.fresh("new")
                    frame.declared[name] = value.kind.c
                    held = tree.variable(name, value.kind)
                    lines.append(Assign(held, value))
                    asked = (one for one, other in stores if other is part)
                    kept = any(map(self._is_told, asked))
                    mark = self._kept_tag(value, lines, frame) if kept else None
                    value = replace(told(held, mark), facts=value.facts & {SATURATED})
                values[part] = value
        for target in filter(is_stored_as_row, targets):
            kinds = [values[part].kind for one, part in pairs(target, node)]
            as_row(kinds, e.target(pairs(target, node)[0][0]).kind.dtype)
        for target, part in stores:
            lines.extend(self._store(e, target, values[part], frame))
        return lines

    def _is_told(self, target: ast.expr) -> bool:
        """Whether what assigns to a target may ask for the type of a value."""
        return not isinstance(target, ast.Name) or target.id in self.tagged

    def _kept_tag(self, value: Expr, lines: list[Stmt], frame: Frame) -> Expr | None:
        """What tells the type of a value behind ``lines``, which keep it there."""
        mark = tag(value)
        if mark is None or not several(value):
            return None
        name = self.scope.names.fresh("type")
        frame.declared[name] = "int"
        lines.append(Assign(tree.variable(name), mark))
        return tree.variable(name)

    def _store(
        self, e: Expressions, target: ast.expr, value: Expr, frame: Frame
    ) -> list[Stmt]:
        """``target = value``."""
        place = e.target(target)
        if isinstance(target, ast.Name):
            self._declare(target.id, place.kind, frame)
            line = Assign(place, self._scalar(target.id, value, place.kind))
            return self._marked(target.id, value, line, frame)
        if e.whole:
            whole(value, place.kind.dtype)
        return [*kept(self.scope, target, place, value, frame.declared)]

    def _scalar(self, name: str, value: Expr, kind: Kind) -> Expr:
        """A value as C keeps that of a scalar."""
        if SATURATED in value.facts:
            self.scope.saturated.add(name)
        value = shared(value, kind)
        return encoded(value) if name in self.scope.buffers else value

    def _declare(self, name: str, kind: Kind, frame: Frame) -> None:
        if name not in self.scope.buffers and name not in self.scope.stands:
            frame.declared.setdefault(self.scope.names(name), kind.c)
        if name in self.tagged and f"{name} type" not in self.scope.stands:
            frame.declared.setdefault(self.scope.tag(name).name, "int")

    def _marked(self, name: str, value: Expr, line: Assign, frame: Frame) -> list[Stmt]:
        """An assignment to a scalar, with the one that remembers the type of it.

        Args:
            name: of the scalar. value: what it is given. line: the assignment.
            frame: where variables are declared.
        """
        if name not in self.tagged:
            return [line]
        mark = self._mark(name, value)
        if mark.target.name not in used([line]):
            return [mark, line]
        held = self.scope.names.fresh("type")
        frame.declared[held] = "int"
        first = Assign(tree.variable(held), mark.value)
        return [first, line, replace(mark, value=first.target)]

    def _mark(self, name: str, value: Expr) -> Assign:
        """Remember the type of what a scalar is given."""
        mark, held = tag(value), self.scope.tag(name)
        if mark is None:
            fail(f"the Python type of `{name}` depends on the data", hint=advice.SAME)
        return Assign(held, mark)

    def _augmented(
        self,
        e: Expressions,
        target: ast.expr,
        op: ast.operator,
        node: ast.expr,
        frame: Frame,
    ) -> list[Stmt]:
        if (sign := SIGNS.get(type(op))) is None:
            fail("the `@` operator", hint=advice.ELEMENTS)
        place, value = e.target(target), e.wide(node)
        done = fitted(sign, e.wide(target), value, again=self.scope.again)
        dtype = place.kind.dtype
        if e.whole:
            whole(done.value, dtype)
        combined = ast.BinOp(target, op, node)
        if e.starts_again(combined):
            return self._store(e, target, e.value(combined), frame)
        same = done.left == place and done.value.kind.dtype == dtype
        same &= not self.scope.list_of(target)
        if same and done.right and dtype in _IN_PLACE:
            line = Assign(place, done.right, sign)
        elif isinstance(target, ast.Name):
            line = Assign(place, self._scalar(target.id, done.value, place.kind))
        else:
            return [*kept(self.scope, target, place, done.value, frame.declared)]
        if not isinstance(target, ast.Name):
            return [line]
        self._declare(target.id, place.kind, frame)
        return self._marked(target.id, done.value, line, frame)

    def _if(self, e: Expressions, node: ast.If, frame: Frame) -> Stmt:
        cond = e.condition(node.test)
        body = tuple(self._block(e, node.body, frame))
        if is_test(node):
            _check_bounds(e, node.test)
            return If(cond, body, (_leaving(APART),))
        return If(cond, body, tuple(self._block(e, node.orelse, frame)))

    def _for(self, e: Expressions, node: ast.For, frame: Frame) -> list[Stmt]:
        """An inner loop inside a statement: it counts by data, or may end early."""
        over = forwards(node.iter)
        match node.target, over:
            case (
                ast.Name(id=name),
                ast.Call(func=ast.Name(id="range"), args=args, keywords=[]),
            ) if 1 <= len(args) <= 3:
                body, orelse = node.body, node.orelse
            case _:
                fail("a loop that is not `for` over `range`")
        values = [e.value(arg) for arg in args]
        if any(v.kind.dtype not in INTEGERS for v in values):
            fail("a range over numbers that are no integers", hint=advice.INTEGER)
        values = [signed_bound(v, self.scope) for v in values]
        place = e.target(node.target)
        if place.kind.dtype != "int64" or name in self.scope.buffers:
            fail(f"`{name}` is both a loop variable and a {place.kind.dtype}")
        self._declare(name, place.kind, frame)
        mark = [self._mark(name, number(0))] if name in self.tagged else []
        inner = (*mark, *self._block(e, body, frame))
        last = (*self._block(e, orelse, frame),)
        backwards = over is not node.iter
        if backwards and len(values) < 3:
            values = [*([number(0)] if len(values) == 1 else []), *values, number(1)]
        if len(values) == 3 and (backwards or values[2].literal not in (1, -1)):
            # Near the end of 64 bits a C loop in larger steps would start anew.
            lines, loop = stepped(
                self.scope, place, values, inner, frame.declared, backwards
            )
            return [*lines, replace(loop, orelse=last)]
        start, stop, *step = values if len(values) > 1 else (number(0), *values)
        by = step[0] if step else None
        return [For(place.name, start, stop, inner, by, last)]


def _check_bounds(e: Expressions, node: ast.AST) -> None:
    """Check that the bounds of slices are integers, which no sum of two wraps.

    Args:
        e: the statement. node: a condition on them.

    Raises:
        Unsupported: LX504.
    """
    match node:
        case ast.Subscript(ast.Attribute(attr="shape")):
            return
        case ast.Name(name):
            kind = e.value(node).kind
            if kind.dtype != "int64":
                fail(f"`{name}` bounds a slice and is {kind.dtype}")
    for part in ast.iter_child_nodes(node):
        _check_bounds(e, part)


def _leaving(intrinsic: Intrinsic) -> Run:
    """The statement behind which Python's own loops start again."""
    return Run(Expr("call", of(INT), intrinsic=intrinsic, raises="the source"))
