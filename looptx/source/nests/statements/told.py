"""What names hold where a nest starts, as far as the text tells it.

What the text does not tell (arguments, calls of unknown functions, attributes) is a
number or holds numbers: of the types that are known, else floats, NumPy's or Python's.
What is known to be computed may have raised: then the nest does not run.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial

from looptx.lower.types import from_annotation
from looptx.model.dtypes import DTYPES, promoted
from looptx.model.functions import CONSTANTS, lookup
from looptx.model.trees import dotted
from looptx.model.types import Definition, Type, Way
from looptx.source.names.arrays import COUNTS, VIEWS
from looptx.source.names.subscripts import may_be_number, subscripts
from looptx.source.nests.statements import quiet
from looptx.source.nests.statements.held import (
    NOTHING,
    ODD,
    UNTOLD,
    Held,
    array,
    display,
    element,
    endless,
    joined,
    plain,
    typed,
)
from looptx.source.nests.statements.quiet import Number, Numbers
from looptx.source.nests.statements.told_calls import ENDLESS, Reading, called

_ROUNDS = 16
"""How often definitions are looked at; integers that grow have no end."""

_NO_NUMBERS = [
    "str",
    "bytes",
    "dict",
    "set",
    "frozenset",
    "Dict",
    "Set",
    "FrozenSet",
    "Mapping",
    "MutableMapping",
    "Callable",
    "Text",
    "AnyStr",
    "None",
    "date",
    "datetime",
]
_HOLDERS = [
    "list",
    "tuple",
    "List",
    "Tuple",
    "Sequence",
    "MutableSequence",
    "Iterable",
    "range",
    "deque",
    "ndarray",
    "NDArray",
    "ArrayLike",
    "bytearray",
    "memoryview",
]
"""Annotations of what is no number, but holds some."""


class Told:
    """What definitions give.

    Args:
        definitions: all of a nest. types: what is known of names.
        sizes: the names that count loops or cells.
    """

    def __init__(
        self,
        definitions: Iterable[Definition],
        types: Mapping[str, Type],
        sizes: Collection[str],
    ) -> None:
        self.definitions = tuple(definitions)
        self.types = types
        self.sizes = sizes
        self.held = [NOTHING for _ in self.definitions]
        for count in range(_ROUNDS):
            found = [
                joined((old, self._given(one)))
                for old, one in zip(self.held, self.definitions, strict=True)
            ]
            if found == self.held:
                return
            self.held = [*map(endless, found)] if count > _ROUNDS // 2 else found
        self.held = [ODD for _ in self.definitions]

    def of(self, reaching: Iterable[int]) -> Held:
        """What a name holds that some of the definitions reach."""
        found = [self.held[number] for number in reaching]
        return joined(found) if found else UNTOLD

    def _given(self, one: Definition) -> Held:
        """What a definition gives."""
        match one.way:
            case Way.GIVEN:
                kind = self.types.get(one.name) or from_annotation(one.annotation)
                if kind is not None:
                    return typed(kind)
                untold = plain(quiet.COUNT) if one.name in self.sizes else UNTOLD
                return _annotated(one.annotation, untold)
            case Way.COUNT:
                return plain(quiet.COUNT)
            case Way.VALUE | Way.PART if one.value is not None:
                found = _Reader(self, one).value(one.value)
                return found if one.way is Way.VALUE else element(found, 1)
        return ODD


def _annotated(text: str, untold: Held) -> Held:
    """What an annotation says that is no type of numbers.

    Args:
        text: the annotation. untold: what counts where it says nothing.
    """
    if not text:
        return untold
    try:
        node = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return untold
    name = dotted(node.value if isinstance(node, ast.Subscript) else node)
    last = name.rpartition(".")[2]
    if last in _NO_NUMBERS:
        return ODD
    return array(quiet.NUMBER) if last in _HOLDERS else untold


def _result(op: ast.operator, left: Number, right: Number) -> Numbers:
    """What an operation gives, where it raises nothing.

    Args:
        op: the operator. left, right: its operands.
    """
    found = quiet.operation(op, left, right)
    if found is not None:
        return frozenset((found,))
    pythons = left.weak and right.weak
    kinds = (left.dtype, right.dtype)
    kind = promoted(*kinds) if pythons else quiet.common(left, right)
    row = DTYPES[kind]
    if isinstance(op, ast.Div) and not row.is_inexact:
        return frozenset((Number("float64", pythons),))
    if row.is_inexact or not pythons:
        return frozenset((Number("int8" if row.kind == "b" else kind, pythons),))
    return ENDLESS | quiet.PYTHON_FLOAT if isinstance(op, ast.Pow) else ENDLESS


def _signed(op: ast.unaryop, of: Number) -> Numbers:
    """What an operator of one operand gives, where it raises nothing.

    Args:
        op: the operator. of: its operand.
    """
    return frozenset((quiet.negation(op, of) or of,))


def _each(rule: Callable[..., Numbers], *operands: Held) -> Held:
    """What a rule gives for what may be one of several numbers, and for their cells."""

    def found(several: list[Numbers | None]) -> Numbers | None:
        rows: list[tuple[Number, ...]] = [()]
        for one in several:
            if one is None:
                return None
            rows = [(*row, number) for row in rows for number in one]
        return quiet.joined(rule(*row) for row in rows)

    return Held(found([x.number for x in operands]), found([x.cells for x in operands]))


class _Reader:
    """What the value of a definition is."""

    def __init__(self, told: Told, one: Definition) -> None:
        self.told = told
        self.one = one

    def value(self, node: ast.expr) -> Held:
        """What an expression gives."""
        match node:
            case ast.Constant(value):
                return plain(quiet.constant(value))
            case ast.Name() | ast.Attribute():
                return self._name(node)
            case ast.Subscript():
                base, indices = subscripts(node)
                held = self.value(base)
                one = all(map(may_be_number, indices))
                return element(held, len(indices)) if one else held
            case ast.BinOp(left, op, right):
                return self._operation(op, self.value(left), self.value(right))
            case ast.UnaryOp(ast.Not()) | ast.Compare():
                return plain(quiet.TRUTH | {Number("bool")})
            case ast.UnaryOp(op, value):
                return _each(partial(_signed, op), self.value(value))
            case ast.BoolOp(_, values):
                return joined(map(self.value, values))
            case ast.IfExp(_, then, other):
                return joined((self.value(then), self.value(other)))
            case ast.NamedExpr(_, value):
                return self.value(value)
            case ast.List(parts) | ast.Tuple(parts):
                return display(map(self.value, parts))
            case ast.ListComp(part):
                return display((self.value(part),))
            case ast.Starred(value):
                return element(self.value(value), 1)
            case ast.Call():
                return called(node, self.reading)
            case ast.Await() | ast.Yield() | ast.YieldFrom():
                return UNTOLD
        return ODD

    def _name(self, node: ast.Name | ast.Attribute) -> Held:
        """What a name or an attribute holds."""
        name = dotted(node)
        if full := self.one.functions.get(name, ""):
            known = full in CONSTANTS or lookup(full).name or isinstance(node, ast.Name)
            return plain(quiet.constant(CONSTANTS.get(full))) if known else UNTOLD
        if isinstance(node, ast.Name) or self.one.reads.get(name):
            return self.told.of(self.one.reads.get(name, ()))
        if name in self.told.types:
            return typed(self.told.types[name])
        if node.attr in COUNTS:
            return plain(quiet.COUNT)
        if node.attr in ("shape", "strides"):
            return Held(None, quiet.COUNT, 1)
        if node.attr in ("dtype", "flags"):
            return ODD
        return self.value(node.value) if node.attr in VIEWS else UNTOLD

    @property
    def reading(self) -> Reading:
        """How calls read their arguments."""
        return Reading(self.one.functions, self.value, self._named)

    def _named(self, name: str) -> list[tuple[ast.expr, Reading]]:
        """The values of a name."""
        found = (self.told.definitions[x] for x in self.one.reads.get(name, ()))
        return [
            (x.value, _Reader(self.told, x).reading)
            for x in found
            if x.value is not None
        ]

    def _operation(self, op: ast.operator, left: Held, right: Held) -> Held:
        """What an operation gives; lists are repeated and joined."""
        lists = [one for one in (left, right) if one.axes]
        if lists and isinstance(op, ast.Mult | ast.Add):
            return joined(lists)
        return _each(partial(_result, op), left, right)
