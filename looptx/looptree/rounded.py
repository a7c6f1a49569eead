"""Values that are computed where an element was read: rounded as the array rounds them.

What a float32 array kept is a float32, whatever was computed. Nothing is written where
the type of a value is known to be that of the elements.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Mapping

from looptx.errors import Malformed
from looptx.model.dtypes import DTYPES, promoted
from looptx.model.elements import Inlined
from looptx.model.program import Nest, Statement
from looptx.model.records import replace
from looptx.model.storage import LIKE, allocated, rounding
from looptx.model.types import ArrayType, Type

_KEEPING = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow)
_EXACT = (ast.Add, ast.Sub, ast.Mult)
_SAME = ("sqrt", "exp", "log", "sin", "cos", "tan", "tanh", "fabs")
"""NumPy's functions that give a float of the type that they get."""

_WEAK = "a number of Python's"
_REAL = "a real number"


def rounded(nest: Nest, types: Mapping[str, Type]) -> Nest:
    """The nest with the types by which values are rounded, where that says something.

    Args:
        nest: the nest. types: what is known of the names it reads.

    Raises:
        Malformed: LX106 where the type of the elements is not known.
    """
    if not any(one.inlined for one in nest.statements.values()):
        return nest
    known = {**types, **allocated(nest.allocations, types)}
    found = _Rounding(nest, known)
    statements = {
        name: found.statement(one) if one.inlined else one
        for name, one in nest.statements.items()
    }
    functions = {**nest.names.functions, **found.functions}
    names = replace(nest.names, functions=functions)
    return replace(nest, statements=statements, names=names)


def _fits(have: str, dtype: str) -> bool:
    """Whether a type of integers makes no number another that an array would refuse."""
    return have == _WEAK or (have in DTYPES and DTYPES[dtype].holds(DTYPES[have]))


class _Rounding:
    """Writes the types of roundings.

    Attributes:
        functions: the full names of those that it calls.
    """

    def __init__(self, nest: Nest, types: Mapping[str, Type]) -> None:
        self.nest = nest
        self.types = types
        self.functions: dict[str, str] = {}
        self.loops = {loop.var for loop in nest.loops.values()}
        self.arrays = {rounding(name): name for name in nest.allocations}

    def statement(self, statement: Statement) -> Statement:
        """A statement with them."""
        memo: dict[int, object] = {}
        for line in statement.code:
            for node in reversed([*ast.walk(line)]):
                array = self._rounds(node)
                if array and isinstance(node, ast.Call):
                    memo[id(node)] = self._written(node.args[0], array, memo)
        reduction = statement.reduction
        if reduction is not None:
            operand = copy.deepcopy(reduction.operand, memo)
            reduction = replace(reduction, operand=operand)
        return replace(
            statement,
            code=copy.deepcopy(statement.code, memo),
            reduction=reduction,
            elements=tuple(
                replace(x, node=copy.deepcopy(x.node, memo)) for x in statement.elements
            ),
            inlined=tuple(
                Inlined(x.node, copy.deepcopy(x.value, memo)) for x in statement.inlined
            ),
        )

    def _rounds(self, node: ast.AST) -> str:
        """The array whose elements' type a call means."""
        match node:
            case ast.Call(ast.Name(name), [_]):
                return self.arrays.get(name, "")
        return ""

    def _written(
        self, value: ast.expr, array: str, memo: dict[int, object]
    ) -> ast.expr:
        """A value, with what rounds it where that is needed."""
        own = self.nest.allocations[array]
        dtype = own.dtype(self.types)
        inside: ast.expr = copy.deepcopy(value, memo)
        have = self._type(value)
        if dtype and have == dtype:
            return inside
        integer = dtype in DTYPES and DTYPES[dtype].kind == "i"
        if integer and not _fits(have, dtype):
            inside = self._checked(inside, array)
        module = own.module or self.nest.names.numpy
        like = own.element.removeprefix(LIKE)
        if dtype and module:
            name = "bool_" if dtype == "bool" else dtype
            text = f"{module}.{name}"
            self.functions[text] = f"numpy.{name}"
        elif own.element.startswith(LIKE):
            text = f"{like}.dtype.type"
        else:
            raise Malformed(
                "LX106",
                f"nothing says what type the elements of `{array}` have",
                hint=f"write `dtype=np.float64` where `{array}` is allocated",
            )
        function = ast.parse(text, mode="eval").body
        return ast.copy_location(ast.Call(function, [inside], []), value)

    def _checked(self, value: ast.expr, array: str) -> ast.expr:
        """A number that raises where it does not fit into an array of integers.

        Types of NumPy's integers wrap its other numbers around, arrays do not.
        """
        if "int" in self.nest.names.hidden:
            raise Malformed(
                "LX106",
                f"`int` may mean something else where the elements of `{array}` are",
                hint="rename what is called `int`",
            )
        self.functions["int"] = "builtins.int"
        return ast.Call(ast.Name("int", ast.Load()), [value], [])

    def _type(self, node: ast.expr) -> str:
        """The type that a value has for sure: NumPy's name, or what is weaker."""
        array = self._rounds(node)
        if array:
            return self.nest.allocations[array].dtype(self.types)
        match node:
            case ast.Constant(value) if type(value) in (int, float):
                return _WEAK
            case ast.Name(name):
                if name in self.loops:
                    return _WEAK
                if name in self.nest.parameters:
                    return _REAL
                kind = self.types.get(name)
                plain = kind is not None and kind.dtype in ("int64", "float64")
                return _REAL if plain and not isinstance(kind, ArrayType) else ""
            case ast.Subscript():
                return self._element(node)
            case ast.UnaryOp(ast.USub() | ast.UAdd(), operand):
                found = self._type(operand)
                return found if found not in ("bool", _REAL) else ""
            case ast.BinOp(left, op, right):
                return self._combined(op, self._type(left), self._type(right))
            case ast.IfExp(_, then, other):
                found = self._type(then)
                return found if found == self._type(other) else ""
            case ast.Call(function, [one], []):
                full = self.nest.names.functions.get(ast.unparse(function), "")
                found = self._type(one)
                same = full.removeprefix("numpy.") in _SAME and full.startswith("numpy")
                return found if same and found in ("float32", "float64") else ""
        return ""

    def _element(self, node: ast.Subscript) -> str:
        """The type of an element of an array."""
        kind = self.types.get(ast.unparse(node.value))
        axes = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        plain = not any(isinstance(x, ast.Slice | ast.Starred) for x in axes)
        if isinstance(kind, ArrayType) and plain and kind.ndim == len(axes):
            return kind.dtype
        return ""

    def _combined(self, op: ast.operator, one: str, other: str) -> str:
        """The type of what an operator makes of two numbers."""
        if not (one and other and isinstance(op, _KEEPING)):
            return ""
        strong = [x for x in (one, other) if x in DTYPES]
        if any(DTYPES[x].kind in "bc" for x in strong):
            return ""
        if not strong:
            return _WEAK if one == other == _WEAK else _REAL
        if _REAL in (one, other):
            return "float64" if strong == ["float64"] else ""
        dtype = promoted(*strong)
        if dtype in ("float32", "float64"):
            return dtype
        same = len({*strong}) == 1 and DTYPES[strong[0]].is_integer
        return dtype if same and len(strong) == 2 and isinstance(op, _EXACT) else ""
