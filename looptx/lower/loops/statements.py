"""Statements of the source as statements of the typed tree."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from looptx.errors import LooptxError
from looptx.lower import tree
from looptx.lower.kinds import INT, WIDE, Kind, fail, of
from looptx.lower.loops.identity import identity
from looptx.lower.scope import Scope
from looptx.lower.tree import (
    Assign,
    Expr,
    For,
    If,
    Jump,
    Stmt,
    While,
    infix,
    intrinsic,
    number,
)
from looptx.lower.values.conversions import stored, whole
from looptx.lower.values.expressions import Expressions
from looptx.lower.values.literals import as_kind, cast, encoded
from looptx.lower.values.operators import SIGNS, compare, operation
from looptx.model.dtypes import DTYPES, FLOATS, INTEGERS
from looptx.model.expr import IntExpr
from looptx.model.program import Statement
from looptx.model.storage import Start
from looptx.model.trees import forwards
from looptx.model.types import ScalarType

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
        tagged: returned scalars that may have one of several Python types: the types,
            in the order of the numbers that mark them (0 marks the value on entry).
    """

    def __init__(
        self, scope: Scope, tagged: Mapping[str, tuple[ScalarType, ...]]
    ) -> None:
        self.scope = scope
        self.tagged = tagged

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
        value = identity(start.op, place.kind)
        return [Assign(place, stored(value, place.kind.dtype))]

    def initial(self, statement: Statement) -> Expr:
        """The value that a statement gives to all cells of a buffer."""
        (line,) = statement.code
        (array,) = (access.array for access in statement.accesses)
        assert isinstance(line, ast.Assign)
        value = Expressions(self.scope, statement, {}).value(line.value)
        return stored(value, self.scope.buffers[array].dtype)

    def tag(self, name: str) -> Expr:
        """What says in C which type a returned scalar has."""
        return self.scope.scalar(f"{name} type")

    def _block(
        self,
        expressions: Expressions,
        code: tuple[ast.stmt, ...] | list[ast.stmt],
        frame: Frame,
    ) -> list[Stmt]:
        lines: list[Stmt] = []
        for node in code:
            lines.extend(self._statement(expressions, node, frame))
        return lines

    def _statement(
        self, expressions: Expressions, node: ast.stmt, frame: Frame
    ) -> list[Stmt]:
        match node:
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
                inner = (*self._block(expressions, body, frame),)
                last = (*self._block(expressions, orelse, frame),)
                return [While(cond, inner, last)]
            case ast.Break():
                return [Jump("break")]
            case ast.Continue():
                return [Jump("continue")]
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
            return self._store(e, targets[0], node, e.value(node), frame)
        pairs: list[tuple[ast.expr, ast.expr]] = []
        for target in targets:
            pairs.extend(_pairs(target, node))
        lines: list[Stmt] = []
        values: dict[ast.AST, Expr] = {}
        for _, part in pairs:
            if part not in values:
                value = e.value(part)
                if value.literal is None:
                    name = self.scope.names.fresh("new")
                    frame.declared[name] = value.kind.c
                    held = tree.variable(name, value.kind)
                    lines.append(Assign(held, value))
                    value = held
                values[part] = value
        for target, part in pairs:
            lines.extend(self._store(e, target, part, values[part], frame))
        return lines

    def _store(
        self,
        e: Expressions,
        target: ast.expr,
        node: ast.expr,
        value: Expr,
        frame: Frame,
    ) -> list[Stmt]:
        """``target = value``."""
        place = e.target(target)
        if isinstance(target, ast.Name):
            lines = self._mark(e, target.id, node, value, frame)
            self._declare(target.id, place.kind, frame)
            return [*lines, Assign(place, self._scalar(target.id, value, place.kind))]
        if e.statement.elementwise:
            whole(value, place.kind.dtype)
        return [Assign(place, stored(value, place.kind.dtype))]

    def _scalar(self, name: str, value: Expr, kind: Kind) -> Expr:
        """A value as C keeps that of a scalar."""
        value = cast(value, kind.dtype)
        return encoded(value) if name in self.scope.buffers else value

    def _declare(self, name: str, kind: Kind, frame: Frame) -> None:
        if name not in self.scope.buffers and name not in self.scope.stands:
            frame.declared.setdefault(self.scope.names(name), kind.c)

    def _mark(
        self, e: Expressions, name: str, node: ast.expr, value: Expr, frame: Frame
    ) -> list[Stmt]:
        """Remember the type of what a returned scalar is given."""
        if name not in self.tagged:
            return []
        if f"{name} type" not in self.scope.stands:
            frame.declared.setdefault(self.tag(name).name, "int")
        return [Assign(self.tag(name), self._type_number(e, name, node, value))]

    def _type_number(
        self, e: Expressions, name: str, node: ast.expr, value: Expr
    ) -> Expr:
        types = self.tagged[name]
        if len(value.kind.members) == 1:
            return number(types.index(next(iter(value.kind.members))) + 1)
        match node:
            case ast.Name(id=other) if other == name:
                return self.tag(name)
            case ast.IfExp(test, body, orelse):
                parts = [
                    self._type_number(e, name, n, e.value(n)) for n in (body, orelse)
                ]
                return Expr("choice", of(INT), (e.condition(test), *parts))
            case ast.Call(func=ast.Name(id="min" | "max" as which), args=[left, right]):
                values = [e.value(left), e.value(right)]
                parts = [
                    self._type_number(e, name, n, v)
                    for n, v in zip((left, right), values, strict=True)
                ]
                first = compare("<" if which == "min" else ">", values[1], values[0])
                return Expr("choice", of(INT), (first, parts[1], parts[0]))
        fail(f"the Python type of `{name}` after the nest depends on the data")

    def _augmented(
        self,
        e: Expressions,
        target: ast.expr,
        op: ast.operator,
        node: ast.expr,
        frame: Frame,
    ) -> list[Stmt]:
        sign = SIGNS.get(type(op))
        if sign is None:
            fail("the `@` operator")
        place, value = e.target(target), e.value(node)
        done = operation(sign, e.value(target), value)
        dtype = place.kind.dtype
        lines: list[Stmt] = []
        if e.statement.elementwise:
            whole(done.value, dtype)
        if isinstance(target, ast.Name):
            combined = ast.BinOp(target, op, node)
            lines = self._mark(e, target.id, combined, done.value, frame)
            self._declare(target.id, place.kind, frame)
        same = done.left == place
        if (
            same
            and done.right
            and done.value.kind.dtype == dtype
            and dtype in _IN_PLACE
        ):
            return [*lines, Assign(place, done.right, sign)]
        if isinstance(target, ast.Name):
            value = self._scalar(target.id, done.value, place.kind)
            return [*lines, Assign(place, value)]
        return [Assign(place, stored(done.value, dtype))]

    def _if(self, e: Expressions, node: ast.If, frame: Frame) -> Stmt:
        cond = e.condition(node.test)
        body = tuple(self._block(e, node.body, frame))
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
            fail("a range over numbers that are no integers")
        # C would count without a sign.
        values = [
            as_kind(v, WIDE) if DTYPES[v.kind.dtype].is_unsigned else v for v in values
        ]
        place = e.target(node.target)
        if place.kind.dtype != "int64" or name in self.scope.buffers:
            fail(f"`{name}` is both a loop variable and a {place.kind.dtype}")
        self._declare(name, place.kind, frame)
        mark = self._mark(e, name, ast.Constant(0), number(0), frame)
        inner = (*mark, *self._block(e, body, frame))
        last = (*self._block(e, orelse, frame),)
        backwards = over is not node.iter
        if backwards and len(values) < 3:
            values = [*([number(0)] if len(values) == 1 else []), *values, number(1)]
        if len(values) == 3 and (backwards or values[2].literal not in (1, -1)):
            # Near the end of 64 bits a C loop in larger steps would start anew.
            *lines, loop = self._stepped(place, values, inner, frame, backwards)
            assert isinstance(loop, For)
            return [*lines, replace(loop, orelse=last)]
        start, stop, *step = values if len(values) > 1 else (number(0), *values)
        by = step[0] if step else None
        return [For(place.name, start, stop, inner, by, last)]

    def _stepped(
        self,
        variable: Expr,
        values: list[Expr],
        inner: tuple[Stmt, ...],
        frame: Frame,
        backwards: bool,
    ) -> list[Stmt]:
        """A loop by a step known only now; like ``range``, its bounds are read once.

        Args:
            variable: its variable. values: its bounds and its step. inner: its body.
            frame: where its own variables are. backwards: whether it goes that way.
        """
        stem = variable.name
        names = [self.scope.names.fresh(f"{stem}_{w}") for w in ("from", "to", "by")]
        count = self.scope.names.fresh(f"{stem}_count")
        frame.declared.update(dict.fromkeys((*names, count), "Py_ssize_t"))
        start, _, step = bounds = [tree.variable(name) for name in names]
        known = values[2].literal not in (None, 0)
        reason, word = ("", "count") if known else ("a step of zero", "steps")
        steps = intrinsic(word, of(INT), *bounds, raises=reason)
        value = infix("+", start, infix("*", tree.variable(count), step))
        body = (Assign(variable, value), *inner)
        loop = For(count, number(0), steps, body)
        if backwards:
            last = infix("-", steps, number(1))
            loop = For(count, last, number(-1), body, number(-1))
        return [
            *(Assign(n, value) for n, value in zip(bounds, values, strict=True)),
            loop,
        ]


def _pairs(target: ast.expr, node: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
    """The single assignments of a tuple assignment, left to right."""
    if not isinstance(target, (ast.Tuple, ast.List)):
        return [(target, node)]
    same = isinstance(node, (ast.Tuple, ast.List)) and len(node.elts) == len(
        target.elts
    )
    if not same:
        fail(f"the assignment to `{ast.unparse(target)}`")
    assert isinstance(node, (ast.Tuple, ast.List))
    found: list[tuple[ast.expr, ast.expr]] = []
    for one, part in zip(target.elts, node.elts, strict=True):
        found.extend(_pairs(one, part))
    return found
