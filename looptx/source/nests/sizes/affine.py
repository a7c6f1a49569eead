"""Python expressions to integer expressions and conditions, exactly or not at all."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from looptx.model.expr import (
    TRUE,
    And,
    Compare,
    Cond,
    Const,
    IntExpr,
    Or,
    Var,
    add,
    conj,
    floordiv,
    largest,
    maximum,
    minimum,
    mod,
    mul,
    neg,
    negate,
    sub,
)
from looptx.model.expr.polynomial import Polynomial
from looptx.source.ast_tools import walked
from looptx.source.kinds.integers import Kinds
from looptx.source.names.calls import is_known
from looptx.source.nests.sizes.extents import size_text

LIMIT = 2**63
"""Every number of an affine expression is below this: positions fit 64 bits."""

MOST = 8
"""Products of loops and sizes in a sum; rows and columns have few axes."""

_COMPARE: Mapping[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.GtE: ">=",
    ast.Gt: ">",
}


class Affine:
    """What expressions of a nest mean at one point of it.

    Args:
        kinds: which names are integers.
        loops: ids of the enclosing loops by variable.
        fixed: names the nest binds: they are no parameters.
        values: scalars of the nest whose affine value is known here.
        canonical: parameter texts and what to write for them.
        definite: the names that may be compared as integers; all of ``kinds`` if None.
        products: the same of scalars that are sums of loops times sizes.
    """

    def __init__(
        self,
        kinds: Kinds,
        loops: Mapping[str, str],
        fixed: frozenset[str],
        values: Mapping[str, IntExpr],
        canonical: Mapping[str, str],
        definite: frozenset[str] | None = None,
        products: Mapping[str, Polynomial] | None = None,
    ) -> None:
        self.kinds = kinds
        self.definite = kinds.integers if definite is None else definite
        self.loops = loops
        self.fixed = fixed
        self.values = values
        self.canonical = canonical
        self.products = products or {}

    def expr(self, node: ast.expr, *, once: bool = False) -> IntExpr | None:
        """The value of an expression, or None when it is not (quasi-)affine.

        Products and other functions of sizes alone are parameters of their own. With
        ``once`` (an expression that is evaluated exactly once, where the nest starts)
        so are those that may raise, such as ``n // m``. Nothing with a literal of
        ``LIMIT`` or more is affine.
        """
        found = self._expr(node, once)
        return None if found is None or largest(found) >= LIMIT else found

    def _expr(self, node: ast.expr, once: bool) -> IntExpr | None:
        match node:
            case ast.Constant(value):
                return Const(value) if type(value) is int else None
            case ast.Name(name):
                return self._name(name)
            case ast.Attribute() | ast.Subscript():
                return self._size(node)
            case ast.UnaryOp(ast.UAdd(), value):
                return self.expr(value, once=once)
            case ast.UnaryOp(ast.USub(), value):
                inner = self.expr(value, once=once)
                return None if inner is None else neg(inner)
            case ast.BinOp(left, op, right):
                found = self._binary(left, op, right, once)
                return self._opaque(node, once) if found is None else found
            case ast.Call():
                found = self._call(node, once)
                return self._opaque(node, once) if found is None else found
        return None

    def polynomial(self, node: ast.expr) -> Polynomial | None:
        """The value of an expression as a sum of loops times sizes, or None.

        Neither has it a literal of ``LIMIT`` or more, nor more than ``MOST`` products.
        """
        found = self._polynomial(node)
        if found is None or len(found.terms) > MOST:
            return None
        large = max((largest(x) for _, x in found.terms), default=0)
        return found if large < LIMIT else None

    def _polynomial(self, node: ast.expr) -> Polynomial | None:
        match node:
            case ast.Name(name) if name in self.products:
                return self.products[name]
            case ast.UnaryOp(ast.USub(), value):
                inner = self.polynomial(value)
                return None if inner is None else inner.scaled(-1)
            case ast.BinOp(left, ast.Add() | ast.Sub() | ast.Mult() as op, right):
                ours, theirs = self.polynomial(left), self.polynomial(right)
                if ours is None or theirs is None:
                    return None
                match op:
                    case ast.Add():
                        return ours.plus(theirs)
                    case ast.Sub():
                        return ours.plus(theirs.scaled(-1))
                loops = self.loops.values()
                if not theirs.of_loops(loops):
                    return ours.times(theirs)
                return None if ours.of_loops(loops) else theirs.times(ours)
        known = self.expr(node)
        return None if known is None else Polynomial.of(known)

    def cond(self, node: ast.expr) -> Cond | None:
        """A condition over loops and parameters that are known integers, or None."""
        match node:
            case ast.Constant(value):
                return (
                    (And(()) if value else Or(())) if isinstance(value, int) else None
                )
            case ast.UnaryOp(ast.Not(), value):
                inner = self.cond(value)
                return None if inner is None else negate(inner)
            case ast.BoolOp(op, values):
                parts = [self.cond(value) for value in values]
                known = tuple(part for part in parts if part is not None)
                if len(known) < len(parts):
                    return None
                return And(known) if isinstance(op, ast.And) else Or(known)
            case ast.Compare(left, ops, others):
                return self._compare([left, *others], ops)
        if isinstance(node, ast.BinOp | ast.Name) and self.is_definite(node):
            number = self.expr(node)
            return None if number is None else Compare("!=", number, Const(0))
        return None

    def implied(self, test: ast.expr, holds: bool) -> Cond:
        """Conditions implied by a test that is true, or false.

        Only comparisons that all hold are said: alternatives would multiply where
        branches are nested.
        """
        cond = self.cond(test)
        match test:
            case _ if cond is not None:
                return _together(cond if holds else negate(cond))
            case ast.UnaryOp(ast.Not(), value):
                return self.implied(value, not holds)
            case ast.BoolOp(op, values) if isinstance(op, ast.And) == holds:
                return conj(*(self.implied(value, holds) for value in values))
        return TRUE

    def _compare(self, terms: list[ast.expr], ops: list[ast.cmpop]) -> Cond | None:
        parts: list[Cond] = []
        for left, op, right in zip(terms, ops, terms[1:], strict=False):
            symbol = _COMPARE.get(type(op))
            if symbol is None or not (
                self.is_definite(left) and self.is_definite(right)
            ):
                return None
            ours, theirs = self.expr(left), self.expr(right)
            if ours is None or theirs is None:
                return None
            parts.append(Compare(symbol, ours, theirs))
        return parts[0] if len(parts) == 1 else And(tuple(parts))

    def is_definite(self, node: ast.expr) -> bool:
        """Whether an expression is an integer whenever the nest runs."""
        known = self.definite | set(self.loops) | set(self.values)
        return self.kinds.is_integer(node, known)

    def untyped(self, test: ast.expr) -> dict[str, None]:
        """The arguments in a condition that may be floats, as nothing gives a type."""
        names = [node.id for node in walked(test) if isinstance(node, ast.Name)]
        known = {*self.definite, *self.loops, *self.values, *self.fixed}
        return {
            name: None
            for name in names
            if name not in known and self.kinds.is_untyped(name)
        }

    def _is_integer(self, node: ast.expr) -> bool:
        known = self.kinds.integers | set(self.loops) | set(self.values)
        return self.kinds.is_integer(node, known)

    def _name(self, name: str) -> IntExpr | None:
        if name in self.loops:
            return Var(self.loops[name])
        if name in self.values:
            return self.values[name]
        if name in self.fixed or name not in self.kinds.integers:
            return None
        return self._parameter(name)

    def _parameter(self, text: str) -> IntExpr:
        return Var(self.canonical.get(text, text))

    def _size(self, node: ast.expr) -> IntExpr | None:
        text = size_text(node, self.kinds)
        return self._parameter(text) if text and self.is_free(node) else None

    def is_free(self, node: ast.AST) -> bool:
        """Whether an expression mentions nothing that the nest binds."""
        names = {part.id for part in walked(node) if isinstance(part, ast.Name)}
        return not names & self.fixed

    def _binary(
        self, left: ast.expr, op: ast.operator, right: ast.expr, once: bool
    ) -> IntExpr | None:
        ours, theirs = self.expr(left, once=once), self.expr(right, once=once)
        if ours is None or theirs is None:
            return None
        number = theirs.value if isinstance(theirs, Const) else None
        match op:
            case ast.Add():
                return add(ours, theirs)
            case ast.Sub():
                return sub(ours, theirs)
            case ast.Mult() if number is not None or isinstance(ours, Const):
                return mul(ours, theirs)
            case ast.FloorDiv() if number:
                return floordiv(ours, number)
            case ast.Mod() if number:
                if number > 0:
                    return mod(ours, number)
                return neg(mod(neg(ours), -number))
            case ast.LShift() if number is not None and 0 <= number < 63:
                return mul(ours, Const(1 << number))
            case ast.RShift() if number is not None and 0 <= number < 63:
                return floordiv(ours, 1 << number)
            case ast.Pow() if isinstance(ours, Const) and number is not None:
                return Const(ours.value**number) if 0 <= number < 63 else None
        return None

    def _call(self, node: ast.Call, once: bool) -> IntExpr | None:
        text = size_text(node, self.kinds)
        if text:
            return self._parameter(text) if self.is_free(node) else None
        name = self.kinds.scope.resolve(node.func)
        starred = any(isinstance(arg, ast.Starred) for arg in node.args)
        if node.keywords or starred or not name.startswith("builtins."):
            return None
        if name == "builtins.int" and len(node.args) == 1:
            inner = node.args[0]
            return self.expr(inner, once=once) if self._is_integer(inner) else None
        if name not in ("builtins.min", "builtins.max") or len(node.args) < 2:
            return None
        args = [self.expr(arg, once=once) for arg in node.args]
        known = [arg for arg in args if arg is not None]
        if len(known) < len(args):
            return None
        return minimum(*known) if name == "builtins.min" else maximum(*known)

    def _opaque(self, node: ast.expr, once: bool) -> IntExpr | None:
        """An integer that is fixed during the nest, as a parameter of its own."""
        if not self.is_free(node) or not self._is_integer(node) or is_beyond(node):
            return None
        for part in walked(node):
            if isinstance(part, ast.Call):
                if not is_known(self.kinds.scope.resolve(part.func)) or not once:
                    return None
            elif isinstance(part, ast.Subscript):
                if not size_text(part, self.kinds):
                    return None
            elif isinstance(part, ast.BinOp):
                total = isinstance(part.op, ast.Add | ast.Sub | ast.Mult | ast.Pow)
                if not total and not once and not _divides_safely(part):
                    return None
            elif not isinstance(part, _PLAIN):
                return None
        return Var(ast.unparse(_Canonical(self).visit(_copy(node))))


def _together(cond: Cond) -> Cond:
    """The comparisons that hold wherever a condition does, and no alternatives."""
    match cond:
        case Compare(op) if op != "!=":
            return cond
        case And(args):
            return conj(*map(_together, args))
    return TRUE


_PLAIN = (
    ast.Name,
    ast.Attribute,
    ast.Constant,
    ast.UnaryOp,
    ast.operator,
    ast.unaryop,
    ast.expr_context,
    ast.slice,
)


def is_beyond(node: ast.expr) -> bool:
    """Whether an expression holds an integer of ``LIMIT`` or more."""
    return any(
        isinstance(part, ast.Constant)
        and isinstance(part.value, int)
        and part.value >= LIMIT
        for part in walked(node)
    )


def _divides_safely(node: ast.BinOp) -> bool:
    return (
        isinstance(node.op, ast.FloorDiv | ast.Mod)
        and isinstance(node.right, ast.Constant)
        and bool(node.right.value)
    )


def _copy(node: ast.expr) -> ast.expr:
    return ast.parse(ast.unparse(node), mode="eval").body


class _Canonical(ast.NodeTransformer):
    """Writes canonical texts for the sizes inside an expression."""

    def __init__(self, affine: Affine) -> None:
        self.affine = affine

    def visit(self, node: ast.AST) -> ast.AST:
        """A size under its canonical text; anything else as it is."""
        if isinstance(node, ast.expr):
            text = size_text(node, self.affine.kinds)
            if text:
                better = self.affine.canonical.get(text, text)
                return ast.parse(better, mode="eval").body
        return self.generic_visit(node)


def constant(node: ast.expr) -> int | None:
    """The value of a constant integer expression such as ``-1`` or ``2 * 4``."""
    match node:
        case ast.Constant(value):
            return value if type(value) is int else None
        case ast.UnaryOp(ast.USub(), value):
            inner = constant(value)
            return None if inner is None else -inner
        case ast.UnaryOp(ast.UAdd(), value):
            return constant(value)
        case ast.BinOp(left, op, right):
            ours, theirs = constant(left), constant(right)
            if ours is None or theirs is None:
                return None
            match op:
                case ast.Add():
                    return ours + theirs
                case ast.Sub():
                    return ours - theirs
                case ast.Mult():
                    return ours * theirs
                case ast.FloorDiv():
                    return ours // theirs if theirs else None
    return None
