"""Of what shape and type an array is that is computed of others, as texts.

The type is that of the same operations on arrays of no elements, of which nothing is
computed, and for which nothing is warned of.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Sequence
from itertools import zip_longest

from looptx.model.functions import Kind, When, lookup
from looptx.model.trees import dotted
from looptx.source.names.calls import is_constant
from looptx.source.names.scope import Scope
from looptx.source.spelling.lists.noted import listed
from looptx.source.spelling.whole.reading.along import along, element_of
from looptx.source.spelling.whole.reading.axes import Ranks, Unlike
from looptx.source.spelling.whole.reading.joined import joined
from looptx.source.spelling.whole.reading.operands import Operands
from looptx.source.spelling.whole.reading.operations import (
    ABS,
    WHOLE,
    cast,
    is_elementwise,
    is_of_numbers,
    outer,
    simple,
)
from looptx.source.spelling.whole.reading.singles import single, type_of

_REAL = (
    *("abs", "absolute", "real", "imag", "angle", "isnan", "isinf", "isfinite"),
    *("len", "argmin", "argmax", "any", "all", "count_nonzero"),
)
"""Functions that make numbers that are not complex of those that are."""

_INVERSE, _SOLVED = "numpy.linalg.inv", "numpy.linalg.solve"
"""What gives arrays of the shape of what it is given first, or last."""

_SAID = ("real", "imag", "shape", "size", "ndim", "nbytes", "strides")
"""What arrays have that is not complex where they are."""

_COMPLEX = frozenset(
    ("builtins.complex", "numpy.complex128", "numpy.cdouble", "numpy.complex64")
)
"""Types of complex numbers."""


class Extents:
    """Reads the shapes and types of expressions.

    Args:
        scope: of the function. ranks: how many axes its arrays have, as far as known.
        numpy: the name of NumPy in it.

    Attributes:
        numbers: names of numbers that are made of all of an array, and these.
    """

    def __init__(self, scope: Scope, ranks: Ranks, numpy: str) -> None:
        self.scope = scope
        self.numbers: dict[str, ast.expr] = {}
        self.ranks = ranks
        self.numpy = numpy

    def array(self, value: ast.expr) -> tuple[list[str], str]:
        """The extents of an expression, and an array with the type of its elements.

        Raises:
            Unlike: the expression is no array, or not known to be a new one.
        """
        extents = self.of(value)
        if not extents or not self.numpy:
            raise Unlike
        return extents, self._type(value)

    def is_complex(self, node: ast.expr) -> bool:
        """Whether an expression is complex, as far as that is known."""
        match node:
            case ast.Constant(value):
                return isinstance(value, complex)
            case ast.Name() | ast.Attribute() if dotted(node) in self.ranks.complex:
                return True
            case ast.Name() | ast.Attribute() if self.scope.resolve(node) in _COMPLEX:
                return True
            case ast.Attribute(of, attr):
                return attr not in _SAID and self.is_complex(of)
            case ast.Call(ast.Attribute(of, "conj" | "conjugate" | "copy"), []):
                return not self.scope.resolve(node.func) and self.is_complex(of)
            case ast.Call(function, args, named):
                row = lookup(self.scope.resolve(function))
                shaped = row.fill is not None and not row.like
                given = [*args[shaped:], *(one.value for one in named)]
                return row.own not in _REAL and any(map(self.is_complex, given))
            case ast.Compare():
                return False
            case ast.Subscript(of):
                return self.is_complex(of)
        parts = (x for x in ast.iter_child_nodes(node) if isinstance(x, ast.expr))
        return any(map(self.is_complex, parts))

    def type_of(self, value: ast.expr) -> str:
        """What makes an array of the same type of elements."""
        return self._type(value)

    def of(self, node: ast.expr, *, upper: bool = False) -> list[str]:
        """The extents of an expression; none for a number.

        Args:
            node: the expression. upper: whether they may be those of whole arrays.

        Raises:
            Unlike: it is made by something else than operations on elements.
        """
        of = functools.partial(self.of, upper=upper)
        node = simple(node, self.scope)
        pair = outer(node, self.scope)
        if pair is not None:
            return of(pair.left) + of(pair.right)
        reduced = along(node, self.scope)
        if reduced is not None:
            return reduced.extents(of(reduced.of))
        whole = joined(node, self.scope)
        if whole is not None:
            return whole.extents([*map(of, whole.parts)])
        made = cast(node, self.scope)
        if made is not None:
            return of(made[0])
        match node:
            case ast.Constant(value) if type(value) in (int, float, bool, complex):
                return []
            case ast.Subscript(ast.Attribute(attr="shape"), ast.Constant(int())):
                return []
            case ast.UnaryOp(_, operand):
                return of(operand)
            case ast.BinOp(left, ast.MatMult(), right):
                return _product(of(left), of(right))
            case ast.BinOp(left, op, right) if isinstance(op, (*WHOLE, ast.Pow)):
                return _broadcast([of(left), of(right)])
            case ast.Compare(left, [_], [right]):
                return _broadcast([of(left), of(right)])
        found = Operands(self.scope, self.ranks).read(node)
        if found is not None:
            counts = found.uppers if upper else found.counts
            return counts if upper else self._shown(node, counts)
        match node:
            case ast.Call(function, args, []) if self._is_elementwise(function):
                return _broadcast([*map(of, args)])
            case ast.Call(function, args, []) if self._is_of_numbers(function):
                if not any(map(of, args)):
                    return []
            case ast.Call() if single(node, self.scope) is not None:
                return []
            case ast.Attribute() if self._is_number(node):
                return []
            case ast.Attribute(one, "real" | "imag"):
                return of(one)
            case ast.Call(ast.Attribute(one, "copy" | "conj" | "conjugate"), [], []):
                if not self.scope.resolve(node.func):
                    return of(one)
            case ast.Call(_, [_, *_]):
                return self._given(node, of)
            case ast.Name():
                return []
        raise Unlike

    def _given(self, call: ast.Call, of: Callable[[ast.expr], list[str]]) -> list[str]:
        """The extents of what a function makes, by its arguments.

        Args:
            call: of the function. of: the extents of an expression.

        Raises:
            Unlike: as of ``of``.
        """
        full, one = self.scope.resolve(call.func), call.args[0]
        row = lookup(full)
        # What statements make is spelled as `tile`, see `making.unknown`.
        if row.like or full in ("numpy.copy", "numpy.tile", _INVERSE):
            return of(one)
        if full == _SOLVED and len(call.args) == 2:
            return of(call.args[1])
        match one:
            case ast.Tuple(elts) if row.fill is not None:
                return [*map(ast.unparse, elts)]
            case ast.Attribute(array, "shape") if row.fill is not None:
                if counts := of(array):
                    return counts
        raise Unlike

    def _is_elementwise(self, function: ast.expr) -> bool:
        full = self.scope.resolve(function)
        return full == ABS or is_elementwise(full)

    def _is_number(self, node: ast.Attribute) -> bool:
        """Whether an expression is a constant; of complex arrays NumPy makes more."""
        full = self.scope.resolve(node)
        return full != "numpy.newaxis" and is_constant(full) and not self.ranks.complex

    def _is_of_numbers(self, function: ast.expr) -> bool:
        return is_of_numbers(self.scope.resolve(function))

    def called(self, node: ast.AST) -> bool:
        """Whether an expression is a number, for which Python's functions are called.

        Args:
            node: the expression.
        """
        calls = [x for x in ast.walk(node) if isinstance(x, ast.Call)]
        if not any(self._is_of_numbers(x.func) for x in calls):
            return False
        try:
            return isinstance(node, ast.expr) and not self.of(node)
        except Unlike:
            return False

    def _shown(self, node: ast.expr, counts: list[str]) -> list[str]:
        """The extents of what is taken of an array, which are made of no arrays."""
        parts = [x for x in ast.walk(node) if isinstance(x, ast.Slice)]
        names = {
            x.id
            for part in parts
            for x in ast.walk(part)
            if isinstance(x, ast.Name) and not _is_size(x, part)
        }
        if names & self.ranks.keys():
            raise Unlike
        return counts

    def _type(self, node: ast.expr) -> str:
        """An expression of the same type, of arrays of no elements."""
        pair = outer(node, self.scope)
        if pair is not None:
            return self._type(pair.operation)
        reduced = along(node, self.scope)
        if reduced is not None:
            one = self._type(reduced.of)
            return element_of(reduced.operation, one, self.numpy)
        whole = joined(node, self.scope)
        if whole is not None:
            parts = ", ".join(map(self._type, whole.parts))
            return f"{self.numpy}.concatenate(({parts},))"
        made = cast(node, self.scope)
        if made is not None:
            return f"{self.numpy}.empty(0, '{made[1]}')"
        match node:
            case ast.Subscript(ast.Attribute(attr="shape")):
                return "0"
            case ast.UnaryOp(ast.Not(), _):
                raise Unlike
            case ast.UnaryOp(op, operand):
                text = ast.unparse(ast.UnaryOp(op, ast.Name("of")))
                return text.replace("of", f"({self._type(operand)})")
            case ast.BinOp(left, op, right):
                # Of products of matrices, too, that of the products of numbers in them.
                sign = "*" if isinstance(op, ast.MatMult) else _sign(op)
                one, two = self._type(left), self._type(right)
                if sign == "**" and self._is_element(left):
                    # One truth is squared in another type than an array of them.
                    return f"{self.numpy}.power({one}, {two})"
                return f"({one}) {sign} ({two})"
            case ast.Compare(left, _, [right]):
                # Of numbers it is no array; of what type a number is does not matter.
                given = f"{self.numpy}.empty(0, bool)"
                sides = [x for x in (left, right) if not self._is_name(x)]
                one, two = map(self._type, (sides * 2)[:2] or (left, right))
                return f"{given} & (({one}) == ({two}))"
        found = Operands(self.scope, self.ranks).read(node)
        if found is not None:
            return f"{self.numpy}.empty(0, {found.array}.dtype)"
        match node:
            case ast.Attribute(of, "real" | "imag" as part):
                return f"({self._type(of)}).{part}"
            case ast.Call(ast.Attribute(of, "conj" | "conjugate"), [], []):
                if not self.scope.resolve(node.func):
                    return self._type(of)
            case ast.Call(function, args, []):
                given = ", ".join(map(self._type, args))
                return f"{ast.unparse(function)}({given})"
            case ast.Name(name) if self._counts(name):
                return "1"
            case ast.Name(name) if text := self._number(name):
                return text
        return ast.unparse(node)

    def _is_name(self, node: ast.expr) -> bool:
        """Whether an expression is the name of a number."""
        return isinstance(node, ast.Name) and node.id not in self.ranks

    def _counts(self, name: str) -> bool:
        """Whether a name is that of loop variables alone, without a value at first."""
        bindings = self.scope.bindings.get(name, ())
        return bool(bindings) and all(one.kind == "range" for one in bindings)

    def _number(self, name: str) -> str:
        """What is of the type of a number that is made of all of an array, by its name;
        empty where that is not known."""
        value = self.numbers.get(name)
        found = single(value, self.scope)
        if found is not None:
            return type_of(found[0], self._type(found[1]), self.numpy)
        if value is not None and self._is_float(value):
            return "1.0"
        if value is None or not self._is_told(value):
            return ""
        return self._type(value)

    def _is_float(self, value: ast.expr) -> bool:
        """Whether a number surely is a float of Python."""
        match value:
            case ast.Constant(number):
                return isinstance(number, float)
            case ast.UnaryOp(ast.USub(), operand):
                return self._is_float(operand)
            case ast.BinOp(left, ast.Div(), right):
                return self._is_pythons(left) and self._is_pythons(right)
            case ast.BinOp(left, ast.Add() | ast.Sub() | ast.Mult(), right):
                either = self._is_float(left) or self._is_float(right)
                return either and self._is_pythons(left) and self._is_pythons(right)
            case ast.Call(function):
                row = lookup(self.scope.resolve(function))
                single = self._is_of_numbers(function) and row.kind is Kind.SCALAR
                return (
                    single
                    and (row.module == "math" or row.own == "float")
                    and (row.integer is When.NEVER)
                )
        return False

    def _is_pythons(self, value: ast.expr) -> bool:
        """Whether a number surely is an integer or a float of Python."""
        match value:
            case ast.Constant(number):
                return type(number) in (int, float)
            case ast.Name(name):
                return self._counts(name)
            case ast.UnaryOp(ast.USub(), operand):
                return self._is_pythons(operand)
            case ast.BinOp(left, ast.Pow(), ast.Name(name)):
                return self._is_pythons(left) and self._counts(name)
            case ast.BinOp(left, op, right):
                plain = isinstance(op, ast.Add | ast.Sub | ast.Mult | ast.Div)
                return plain and self._is_pythons(left) and self._is_pythons(right)
        return self._is_float(value)

    def _is_told(self, value: ast.expr) -> bool:
        """Whether a number is an element of an array, or a sum of such and literals."""
        match value:
            case ast.BinOp(left, ast.Add() | ast.Sub() | ast.Mult(), right):
                return self._is_told(left) and self._is_told(right)
            case ast.Constant(number):
                return type(number) in (int, float)
            case ast.Subscript(of):
                # An element of a list is of the type of what is stored there.
                told = dotted(of) not in listed(self.scope.function)
                return told and self._is_element(value)
        return False

    def _is_element(self, node: ast.expr) -> bool:
        """Whether an expression is one number, made of elements of arrays."""
        operands = Operands(self.scope, self.ranks)
        parts = (part for part in ast.walk(node) if isinstance(part, ast.expr))
        return not self.of(node) and any(map(operands.read, parts))


def _is_size(name: ast.Name, part: ast.AST) -> bool:
    """Whether a name is that of an array of which an extent is taken."""
    return any(
        isinstance(x, ast.Attribute) and x.value is name and x.attr == "shape"
        for x in ast.walk(part)
    )


def _product(left: list[str], right: list[str]) -> list[str]:
    """The extents of a product of matrices, or of one and a row."""
    if {len(left), len(right)} not in ({2}, {1, 2}):
        raise Unlike
    return [*left[:-1], *right[1:]]


def _sign(op: ast.operator) -> str:
    node = ast.BinOp(ast.Name("a"), op, ast.Name("b"))
    return ast.unparse(node)[1:-1].strip()


def _broadcast(shapes: Sequence[list[str]]) -> list[str]:
    """The extents of what is computed of several arrays, those of 1 being repeated."""
    axes = zip_longest(*(shape[::-1] for shape in shapes), fillvalue="1")
    return [next((x for x in axis if x != "1"), "1") for axis in axes][::-1]
