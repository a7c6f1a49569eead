"""What is left of a function where some of what it is given is known.

``if x.ndim == 1`` decides nothing for a row, nor ``if end is None`` where nothing is
given: what cannot run goes, and names of constants are these, until they are bound
again. (Partial evaluation: Jones, Gomard and Sestoft, 1993.)
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeAlias

from looptx.model.records import dataclass
from looptx.source.names.captures import COMPREHENSIONS
from looptx.source.names.imports import SCOPES


@dataclass(frozen=True)
class Constant:
    """A name that is one.

    Attributes:
        value: a number, a string or None.
    """

    value: Any

    @property
    def node(self) -> ast.expr:
        """The constant as it is written."""
        number = isinstance(self.value, int | float) and str(self.value).startswith("-")
        if number:
            return ast.UnaryOp(ast.USub(), ast.Constant(-self.value))
        return ast.Constant(self.value)


@dataclass(frozen=True)
class Something:
    """A name of anything but None."""


@dataclass(frozen=True)
class Single:
    """A name of an array without axes: of its number, in what is left."""


@dataclass(frozen=True)
class Several:
    """A name of what else is given, a tuple.

    Attributes:
        parts: the names of what is in it.
    """

    parts: tuple[str, ...]

    @property
    def node(self) -> ast.expr:
        """The tuple as it is written."""
        parts: list[ast.expr] = [ast.Name(name, ast.Load()) for name in self.parts]
        made = ast.Tuple(parts, ast.Load())
        vars(made)["several"] = True
        return made


Fact: TypeAlias = Constant | Something | Single | Several | int
"""What a name is: a constant, something, a tuple, or an array of so many axes.

One without any is no ``int``.
"""

Facts: TypeAlias = Mapping[str, Fact]

_COMPARED: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_APART = (SCOPES | COMPREHENSIONS) | (
    (ast.Try | ast.TryStar | ast.With | ast.Match) | (ast.AsyncFor | ast.AsyncWith)
)
_SOME = ast.BinOp | ast.UnaryOp | ast.Compare
"""What is not None."""


@dataclass
class Folding(ast.NodeTransformer):
    """Folds the statements of a function.

    Attributes:
        facts: what is known where it has come to.
        call: what becomes of a call, told what is known there.
        folded: whether anything was decided.
    """

    facts: dict[str, Fact]
    call: Callable[[ast.Call, Facts], ast.Call]
    folded: bool = False

    def block(self, code: Sequence[ast.stmt]) -> tuple[list[ast.stmt], bool]:
        """Statements, as nothing else has them.

        Returns:
            What is left of them, and whether all ways end there.
        """
        found: list[ast.stmt] = []
        for stmt in code:
            match stmt:
                case ast.If(test):
                    lines, ended = self._if(stmt, self.visit(test))
                    found += lines
                    if ended:
                        return found, True
                case ast.For() | ast.While():
                    found.append(self._loop(stmt))
                case ast.AugAssign(ast.Name(name), op, value):
                    known = self.facts.pop(name, None)
                    stmt.value = self.visit(value)
                    if isinstance(known, Constant):
                        whole = ast.BinOp(known.node, op, stmt.value)
                        place = ast.Name(name, ast.Store())
                        stmt = ast.copy_location(ast.Assign([place], whole), stmt)
                    found.append(stmt)
                case _ if isinstance(stmt, _APART):
                    # Its statements may run in part, or have names of their own.
                    found.append(stmt)
                    for name in bound(stmt):
                        self.facts.pop(name, None)
                case _:
                    found.append(self.visit(stmt))
                    for name in bound(stmt):
                        self.facts.pop(name, None)
                    if isinstance(
                        stmt, ast.Return | ast.Raise | ast.Break | ast.Continue
                    ):
                        return found, True
        return found, False

    def _if(self, stmt: ast.If, test: ast.expr) -> tuple[list[ast.stmt], bool]:
        """A condition, or the branch that it decides for.

        Args:
            stmt: it. test: what it tests, folded.
        """
        known = _truth(test)
        if known is not None:
            self.folded = True
            return self.block(stmt.body if known else stmt.orelse)
        before, stmt.test = dict(self.facts), test
        stmt.body, first = self.block(stmt.body)
        then, self.facts = self.facts, before
        stmt.orelse, second = self.block(stmt.orelse)
        if second:
            self.facts = then
        elif not first:
            self.facts = {x: y for x, y in self.facts.items() if then.get(x) is y}
        stmt.body = stmt.body or [ast.Pass()]
        return [stmt], first and second

    def _loop(self, stmt: ast.For | ast.While) -> ast.stmt:
        """A loop: what it binds is not known in it, nor behind it."""
        if isinstance(stmt, ast.For):
            stmt.iter = self.visit(stmt.iter)
        for name in bound(stmt):
            self.facts.pop(name, None)
        if isinstance(stmt, ast.While):
            stmt.test = self.visit(stmt.test)
        stmt.body, _ = self.block(stmt.body)
        stmt.body = stmt.body or [ast.Pass()]
        stmt.orelse, _ = self.block(stmt.orelse)
        return stmt

    def visit(self, node: ast.AST) -> Any:
        """A part of a statement; what has names of its own stays as it is."""
        return node if isinstance(node, _APART) else super().visit(node)

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """The constant, or the tuple, that a name is."""
        known = self.facts.get(node.id)
        if isinstance(node.ctx, ast.Load) and isinstance(known, Constant | Several):
            self.folded = True
            return ast.copy_location(known.node, node)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        """How many axes an array has."""
        match node:
            case ast.Attribute(ast.Name(name), "ndim") if (
                type(count := self.facts.get(name)) is int
            ):
                return self._decided(node, count)
            case ast.Attribute(ast.Name(name), "ndim") if self._is_single(name):
                return self._decided(node, 0)
        self.generic_visit(node)
        return node

    def _is_single(self, name: str) -> bool:
        """Whether a name is that of an array without axes."""
        return isinstance(self.facts.get(name), Single)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        """What ``not`` makes of a constant."""
        self.generic_visit(node)
        known = _truth(node.operand)
        if known is not None and isinstance(node.op, ast.Not):
            return self._decided(node, not known)
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        """A part of what else is given."""
        self.generic_visit(node)
        match node:
            case ast.Subscript(ast.Tuple(elts) as of, index, ast.Load()) if (
                "several" in vars(of)
            ):
                at = constant(index)
                number = None if at is None else at.value
                if type(number) is int and -len(elts) <= number < len(elts):
                    self.folded = True
                    return elts[number]
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        """A comparison of constants, or with None."""
        self.generic_visit(node)
        match node:
            case ast.Compare(left, [ast.Is() | ast.IsNot() as op], [right]):
                parts = [self._is_none(left), self._is_none(right)]
                if True in parts and None not in parts:
                    return self._decided(node, all(parts) == isinstance(op, ast.Is))
            case ast.Compare(left, [ast.In() | ast.NotIn() as op], [right]):
                one, others = constant(left), _constants(right)
                if one is not None and others is not None:
                    inside = any(one.value == x.value for x in others)
                    return self._decided(node, inside == isinstance(op, ast.In))
            case ast.Compare(left, [op], [right]) if type(op) in _COMPARED:
                first, second = constant(left), constant(right)
                if first is None or second is None:
                    return node
                with suppress(TypeError):
                    value = _COMPARED[type(op)](first.value, second.value)
                    return self._decided(node, value)
        return node

    def _is_none(self, node: ast.expr) -> bool | None:
        """Whether an expression is None, if that is known."""
        known = constant(node)
        if known is not None:
            return known.value is None
        array = isinstance(node, ast.Name) and node.id in self.facts
        return False if array or isinstance(node, _SOME) else None

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        """``and`` and ``or`` up to the constant that decides them."""
        values: list[ast.expr] = []
        rest = [*node.values]
        while rest:
            one = self.visit(rest.pop(0))
            known = constant(one)
            if known is None:
                values.append(one)
            elif bool(known.value) == isinstance(node.op, ast.Or):
                values.append(one)
                self.folded = self.folded or bool(rest)
                break
            elif not rest:
                values.append(one)
        self.folded = self.folded or len(values) < len(node.values)
        if len(values) == 1:
            return values[0]
        node.values = values
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        """The value that a constant decides for."""
        node.test = self.visit(node.test)
        known = _truth(node.test)
        if known is not None:
            self.folded = True
            one: ast.expr = self.visit(node.body if known else node.orelse)
            return one
        node.body, node.orelse = self.visit(node.body), self.visit(node.orelse)
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """A call, of what it is then, with all that a tuple holds."""
        match node:
            case ast.Call(ast.Attribute(ast.Name(name) as own, "item"), [], []) if (
                self._is_single(name)
            ):
                self.folded = True
                return own
        self.generic_visit(node)
        args: list[ast.expr] = []
        for one in node.args:
            match one:
                case ast.Starred(ast.Tuple(elts)):
                    args += elts
                case _:
                    args.append(one)
        node.args = args
        return self.call(node, self.facts)

    def _decided(self, node: ast.expr, value: bool | int) -> ast.expr:
        self.folded = True
        return ast.copy_location(ast.Constant(value), node)


def constant(node: ast.expr) -> Constant | None:
    """The constant that an expression is as it is written, if it is one."""
    match node:
        case ast.UnaryOp(ast.USub(), ast.Constant(int() | float() as value)):
            return Constant(-value)
        case ast.Constant(None | bool() | int() | float() | str() as value):
            return Constant(value)
    return None


def _truth(node: ast.expr) -> bool | None:
    """Whether an expression is true, where it says that."""
    match node:
        case ast.Tuple(elts) if "several" in vars(node):
            return bool(elts)
    known = constant(node)
    return None if known is None else bool(known.value)


def _constants(node: ast.expr) -> list[Constant] | None:
    """The constants that are written out, if it is that."""
    if not isinstance(node, ast.Tuple | ast.List | ast.Set):
        return None
    found = [constant(one) for one in node.elts]
    return None if None in found else [one for one in found if one is not None]


def bound(node: ast.AST) -> Iterator[str]:
    """The names that a node binds."""
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load):
            yield part.id
