"""A function as code on hashes instead of symbols, which are too slow for long runs.

Every statement becomes one call: `C[i, j] += A[i, k] * B[k, j]` becomes
`C[i][j] = hash((7, C[i][j], A[i][k], B[k][j]))`, where 7 stands for the expression
with its operands left out. So a value is a Merkle hash of the expression that made it,
down to the cells of the inputs: equal expressions have equal hashes, and different ones
have the same of 61 bits once in 10**18 times (but for the numbers -1 and -2). Sums in
any order are sums of the hashes of their terms. Conditions on values compare the
hashes, in both versions alike. What the types of elements do to values that are stored
is left to the symbols.

It is some thirty times as fast. What does not fit raises ``Unfit``: slices, whole
arrays in expressions, methods, attributes, loops over anything but ranges.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Collection, Mapping
from typing import Any

from looptx.model.trees import dotted
from looptx.source.names.calls import is_constant
from looptx.validation.hashes.integral import MADE, Integral, Unfit
from looptx.validation.instrument import COMBINE, LOOP, base, call, instrumented
from looptx.validation.symbols.functions import Functions
from looptx.validation.symbols.neutral import Part, is_neutral

NEW = "_looptx_new"
MASK = 2**60 - 1

_SPREAD = 0x9E3779B97F4A7C15


class Numbers:
    """A number for every text, far from those that programs count with."""

    def __init__(self) -> None:
        self._found: dict[str, int] = {}

    def of(self, text: str) -> int:
        """The number of a text."""
        return self._found.setdefault(text, (len(self._found) + 1) * _SPREAD & MASK)

    def constant(self, value: object) -> int:
        """The number of a constant; a whole number is its own."""
        if isinstance(value, int):
            return value
        return self.of(f"{type(value).__name__} {value!r}")


class Hashing:
    """Turns a function into one on hashes, or into its loops alone.

    Args:
        known: what its names hold.
        free: whose combining statements have no order.
        numbers: the numbers of expressions and constants, shared by both versions.
        parts: what collects parts of what others combine.
        dry: leave out whatever does not decide which loops run how often.
    """

    def __init__(
        self,
        known: Integral,
        free: frozenset[str],
        numbers: Numbers,
        parts: Mapping[str, Part],
        dry: bool = False,
    ) -> None:
        self.parts = parts
        self.known = known
        self.scope = known.scope
        self.free = free
        self.numbers = numbers
        self.dry = dry

    def function(self, inputs: Collection[str]) -> ast.FunctionDef:
        """The function, for hashes as inputs and lists of lists as arrays.

        Args:
            inputs: the names of its arguments, and of what else it is given.

        Raises:
            Unfit: it contains something else.
        """
        made = instrumented(self.scope, self.free)
        made.args = ast.arguments(
            [], [ast.arg(name) for name in inputs], None, [], [], None, []
        )
        made.body = self._block(made.body)
        return ast.fix_missing_locations(made)

    def _block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        made = [one for stmt in body for one in self._statement(stmt)]
        return made or [ast.Pass()]

    def _statement(self, node: ast.stmt) -> list[ast.stmt]:
        match node:
            case ast.For(ast.Name(), ast.Call(_, [_, over]), _, orelse):
                if not self.scope.is_range(over) or not self.known.holds(over):
                    raise Unfit
                return self._loop(node, self._block(orelse) if orelse else [])
            case ast.If(test, body, orelse):
                known = not self.dry or self.known.holds(test)
                made = self._condition(test) if known else ast.Constant(True)
                return [
                    ast.If(
                        made, self._block(body), self._block(orelse) if orelse else []
                    )
                ]
            case ast.Return(value):
                if value is None or self.dry:
                    return [ast.Return(None)]
                return [ast.Return(self._result(value))]
            case ast.Pass() | ast.Break() | ast.Continue():
                return [node]
            case ast.Expr(ast.Constant()):
                return []
            case ast.Global(names) if self.scope.imports.keys() >= {*names}:
                return []
            case ast.Assign(
                [target],
                ast.Call(ast.Name(name), [_, ast.Constant(str(op)), _, term, *_]),
            ) if name == COMBINE:
                return [] if self.dry else [self._combined(target, op, term)]
            case ast.Assign([target], value) if self._begins(target, value):
                return [ast.Assign([self._place(target)], ast.Constant(0))]
            case ast.Assign([target], value):
                return self._assigned(target, value)
            case ast.AugAssign(target, op, value):
                return self._assigned(target, ast.BinOp(_load(target), op, value))
        raise Unfit

    def _loop(self, node: ast.For, orelse: list[ast.stmt]) -> list[ast.stmt]:
        """A loop, whose range is seen by who counts."""
        assert isinstance(node.iter, ast.Call)
        line, over = node.iter.args
        counted = call(LOOP, line, self.known.plain(over))
        inner = any(
            isinstance(part, ast.For) for one in node.body for part in ast.walk(one)
        )
        if self.dry and not inner:
            return [ast.Expr(counted), *orelse]
        return [ast.For(node.target, counted, self._block(node.body), orelse)]

    def _assigned(self, target: ast.expr, value: ast.expr) -> list[ast.stmt]:
        """``target = value``, in the dry form only if it concerns integers."""
        if isinstance(target, ast.Tuple):
            if not self.known.holds(value):
                raise Unfit
            return [ast.Assign([target], self.known.plain(value))]
        if isinstance(target, ast.Name):
            if target.id in self.known.scalars:
                if ast.unparse(value) != "{}":
                    raise Unfit
                return [ast.Assign([target], value)]
            if target.id in self.known.ranks:
                return [] if self.dry else [self._made(target, value)]
            if target.id not in self.known.values:
                return [ast.Assign([target], self.known.plain(value))]
        if self.dry:
            return []
        return [ast.Assign([self._place(target)], self._value(value))]

    def _made(self, target: ast.Name, value: ast.expr) -> ast.stmt:
        """``T = np.zeros((2, m))``."""
        name = self.scope.resolve(value.func) if isinstance(value, ast.Call) else ""
        if name not in MADE or target.id in self.known.given:
            raise Unfit
        assert isinstance(value, ast.Call)
        shape = value.args[0]
        if not self.known.holds(shape):
            raise Unfit
        kind = ast.Constant(self.numbers.of(MADE[name]))
        return ast.Assign([target], call(NEW, self.known.plain(shape), kind))

    def _combined(self, target: ast.expr, op: str, term: ast.expr) -> ast.stmt:
        """``s = s + h & MASK``: the sum of the hashes of the terms has no order.

        A part is the sum of the hashes of its own terms.
        """
        part = self._part(term)
        more = self._value(term)
        if part is None or part.op != op:
            more = self._hash(f"any {op}", [more])
        total = ast.BinOp(self._value(_load(target)), ast.Add(), more)
        kept = ast.BinOp(total, ast.BitAnd(), ast.Constant(MASK))
        return ast.Assign([self._place(target)], kept)

    def _begins(self, target: ast.expr, value: ast.expr) -> bool:
        """Whether a part becomes one without terms."""
        part = self._part(target)
        if part is None or self.dry:
            return False
        return is_neutral(part.op, _number(value), part.dtype)

    def _part(self, node: ast.expr) -> Part | None:
        """What a cell or a name holds a part of, if it does."""
        return self.parts.get(dotted(base(node)))

    def _place(self, target: ast.expr) -> ast.expr:
        """What is assigned to."""
        if isinstance(target, ast.Name) and target.id not in self.known.ranks:
            return target
        made = self.known.cell(target)
        made.ctx = ast.Store()
        return made

    def _value(self, node: ast.expr) -> ast.expr:
        """The value of an expression: an integer, a value as it is, or a hash."""
        if self.known.holds(node):
            return self.known.plain(node)
        match node:
            case ast.Constant(value):
                return ast.Constant(self.numbers.constant(value))
            case ast.Name(name) if name in self.known.values:
                return node
            case ast.Name() if not self._is_constant(node):
                raise Unfit
            case ast.Subscript():
                return self.known.cell(node)
            case ast.IfExp(test, one, other):
                parts = self._condition(test), self._value(one), self._value(other)
                return ast.IfExp(*parts)
            case ast.Compare() | ast.BoolOp() | ast.UnaryOp(ast.Not()):
                return self._condition(node)
        operands: list[ast.expr] = []
        shape = self._shape(node, operands)
        return self._hash(shape, operands)

    def _shape(self, node: ast.expr, operands: list[ast.expr]) -> str:
        """An expression without its operands, which are collected."""
        if not self.known.holds(node):
            match node:
                case ast.BinOp(left, op, right):
                    parts = self._shape(left, operands), self._shape(right, operands)
                    return f"({parts[0]} {type(op).__name__} {parts[1]})"
                case ast.UnaryOp(op, operand) if not isinstance(op, ast.Not):
                    return f"({type(op).__name__} {self._shape(operand, operands)})"
                case ast.Call(function, arguments, []):
                    name = self.scope.resolve(function)
                    if not Functions.knows(name) or name in MADE:
                        raise Unfit
                    shapes = (self._shape(one, operands) for one in arguments)
                    return f"{name}({', '.join(shapes)})"
                case ast.Constant(value):
                    return f"{type(value).__name__} {value!r}"
                case ast.Attribute() | ast.Name() if self._is_constant(node):
                    return self.scope.resolve(node)
                case ast.Name(name) if name in self.known.values:
                    pass
                case ast.Subscript() | ast.IfExp() | ast.Compare():
                    pass
                case _:
                    raise Unfit
        operands.append(self._value(node))
        return "_"

    def _condition(self, node: ast.expr) -> ast.expr:
        """What decides a branch."""
        match node:
            case ast.BoolOp(op, values):
                return ast.BoolOp(op, [self._condition(one) for one in values])
            case ast.UnaryOp(ast.Not(), operand):
                return ast.UnaryOp(ast.Not(), self._condition(operand))
            case ast.Compare(left, ops, others):
                # Equal hashes need not be one object.
                same = {ast.Is: ast.Eq(), ast.IsNot: ast.NotEq()}
                return ast.Compare(
                    self._value(left),
                    [same.get(type(op), op) for op in ops],
                    [self._value(one) for one in others],
                )
        return self._value(node)

    def _result(self, node: ast.expr) -> ast.expr:
        """What is returned: values, arrays, or a tuple of them."""
        if isinstance(node, ast.Tuple):
            return ast.Tuple([self._result(one) for one in node.elts], ast.Load())
        if isinstance(node, ast.Name) and node.id in self.known.ranks:
            return node
        return self._value(node)

    def _is_constant(self, node: ast.expr) -> bool:
        """Whether this is ``np.pi`` and the like."""
        return is_constant(self.scope.resolve(node))

    def _hash(self, text: str, operands: list[ast.expr]) -> ast.expr:
        """The hash of an operation and its operands."""
        key: ast.expr = ast.Constant(self.numbers.of(text))
        return call("hash", ast.Tuple([key, *operands], ast.Load()))


def _load(node: ast.expr) -> Any:
    """A target as what it held before."""
    made = copy.copy(node)
    made.ctx = ast.Load()  # type: ignore[attr-defined]
    return made


def _number(node: ast.expr) -> Any:
    """The number that a literal is; None for anything else."""
    match node:
        case ast.UnaryOp(ast.USub(), operand):
            number = _number(operand)
            return None if number is None else -number
        case ast.Call(ast.Name("float"), [ast.Constant(str(text))], []):
            return float(text)
        case ast.Constant(int() | float() as value):
            return value
    return None
