"""What names hold where a nest starts, as far as the text tells it.

What the text does not tell (arguments, calls of unknown functions, attributes) is a
number or holds numbers: of the types that are known, else floats, NumPy's or Python's.
What is known to be computed may have raised: then the nest does not run.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from itertools import chain

from looptx.lower.types import from_annotation
from looptx.model.dtypes import DTYPES, promoted
from looptx.model.functions import CONSTANTS, lookup
from looptx.model.records import replace
from looptx.model.trees import dotted
from looptx.model.types import WHOLE, Definition, Type, Way
from looptx.source.ast_tools import walked
from looptx.source.names.arrays import COUNTS, VIEWS
from looptx.source.names.subscripts import subscripts
from looptx.source.nests.statements import quiet
from looptx.source.nests.statements.held import (
    NOTHING,
    ODD,
    UNTOLD,
    Held,
    array,
    broadcast,
    display,
    each,
    element,
    endless,
    joined,
    plain,
    single,
    sliced,
    typed,
)
from looptx.source.nests.statements.quiet import Number, Numbers
from looptx.source.nests.statements.told_axes import Reading
from looptx.source.nests.statements.told_calls import ENDLESS, called

_ROUNDS = 16
"""How often definitions are looked at; integers that grow have no end."""

_ROOTS: Numbers = frozenset((*quiet.PYTHON_FLOAT, Number("complex128", True)))
"""What a power gives that may be one of a negative number."""

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
        readers: list[list[int]] = [[] for _ in self.definitions]
        for number, one in enumerate(self.definitions):
            for read in {*chain(*one.reads.values()), *(x for x, _ in one.stores)}:
                readers[read].append(number)
        waiting = {*range(len(self.definitions))}
        for count in range(_ROUNDS):
            # What a definition reads was met behind it.
            for number, one in reversed([*enumerate(self.definitions)]):
                if number not in waiting:
                    continue
                waiting.discard(number)
                found = joined((self.held[number], self._given(one)))
                found = endless(found) if count > _ROUNDS // 2 else found
                if found != self.held[number]:
                    self.held[number] = found
                    waiting.update(readers[number])
            if not waiting:
                return
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
                return single(quiet.COUNT)
            case Way.VALUE | Way.PART if one.value is not None:
                found = _Reader(self, one).value(one.value)
                return self._kept(
                    found if one.way is Way.VALUE else element(found, 1), one
                )
        return ODD

    def _kept(self, found: Held, one: Definition) -> Held:
        """What a list holds, with what is stored into it.

        Args:
            found: what it is made with. one: its definition.
        """
        lists = ast.List | ast.ListComp | ast.Call | ast.BinOp | ast.Subscript
        made = walked(one.value) if one.value is not None else ()
        if not found.python or not any(isinstance(node, lists) for node in made):
            return found
        if found.cells and one.taken < (found.axes or WHOLE):
            return ODD
        for number, depth in one.stores:
            stored = self.held[number]
            for _ in range(depth if stored != NOTHING else 0):
                stored = display((stored,))
            found = joined((found, stored))
        return found


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
    if pythons and isinstance(op, ast.Pow) and _may_be_root(left, right):
        return _ROOTS
    if isinstance(op, ast.Div) and not row.is_inexact:
        return frozenset((Number("float64", pythons),))
    if row.is_inexact or not pythons:
        return frozenset((Number("int8" if row.kind == "b" else kind, pythons),))
    return ENDLESS | quiet.PYTHON_FLOAT if isinstance(op, ast.Pow) else ENDLESS


def _may_be_root(left: Number, right: Number) -> bool:
    """Whether a power of Python's numbers may be one of what is below zero."""
    positive = left.value is not None and left.value.real >= 0
    return not (positive or right.is_integer or left.row.is_complex)


def _signed(op: ast.unaryop, of: Number) -> Numbers:
    """What an operator of one operand gives, where it raises nothing.

    Args:
        op: the operator. of: its operand.
    """
    return frozenset((quiet.negation(op, of) or of,))


def _rule(of: Callable[..., Numbers]) -> Callable[..., Numbers | None]:
    """A rule for single numbers as one for what may be one of several."""

    def found(*several: Numbers | None) -> Numbers | None:
        rows: list[tuple[Number, ...]] = [()]
        for one in several:
            if one is None:
                return None
            rows = [(*row, number) for row in rows for number in one]
        return quiet.joined(of(*row) for row in rows)

    return found


def _truth(of: Sequence[Held]) -> Held:
    """What a comparison gives: arrays are compared cell by cell."""
    found = quiet.TRUTH | {Number("bool")}
    arrays = [x for x in of if x.number is None and x.cells is not None]
    return array(found, broadcast(arrays)) if arrays else single(found)


def _is_text(attribute: str) -> bool:
    """Whether an attribute tells something in words: ``__name__``."""
    return attribute.startswith("__") and attribute.endswith("__")


def _is_none(node: ast.expr) -> bool:
    """Whether a subscript adds an axis."""
    return isinstance(node, ast.Constant) and node.value is None


class _Reader:
    """What the value of a definition is."""

    def __init__(self, told: Told, one: Definition) -> None:
        self.told = told
        self.one = one

    def value(self, node: ast.expr) -> Held:
        """What an expression gives."""
        match node:
            case ast.Constant(value):
                return single(quiet.constant(value))
            case ast.Name() | ast.Attribute():
                return self._name(node)
            case ast.Subscript():
                return self._element(node)
            case ast.BinOp(left, op, right):
                return self._operation(op, self.value(left), self.value(right))
            case ast.UnaryOp(ast.Not()):
                return single(quiet.TRUTH)
            case ast.Compare(left, _, others):
                return _truth([*map(self.value, (left, *others))])
            case ast.UnaryOp(op, value):
                return each(_rule(partial(_signed, op)), self.value(value))
            case ast.BoolOp(_, values):
                return joined(map(self.value, values))
            case ast.IfExp(_, then, other):
                return joined((self.value(then), self.value(other)))
            case ast.NamedExpr(_, value):
                return self.value(value)
            case ast.List(parts) | ast.Tuple(parts):
                return display(map(self.value, parts))
            case ast.ListComp(part) | ast.GeneratorExp(part):
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
            told = known or _is_text(full.rpartition(".")[2])
            return single(quiet.constant(CONSTANTS.get(full))) if told else UNTOLD
        if isinstance(node, ast.Name) or self.one.reads.get(name):
            return self.told.of(self.one.reads.get(name, ()))
        if name in self.told.types:
            return typed(self.told.types[name])
        if node.attr in COUNTS:
            return single(quiet.COUNT)
        if node.attr in ("shape", "strides"):
            return Held(None, quiet.COUNT, 1, True)
        if node.attr in ("dtype", "flags") or _is_text(node.attr):
            return ODD
        of = self.value(node.value)
        if of == ODD and isinstance(node.value, ast.Attribute):
            return ODD
        if node.attr == "flat":
            return array(of.cells, 1)
        return of if node.attr in VIEWS else UNTOLD

    def _element(self, node: ast.Subscript) -> Held:
        """What subscripts select: an element, or what slices and arrays do."""
        base, indices = subscripts(node)
        held = self.value(base)
        slices = [one for one in indices if isinstance(one, ast.Slice)]
        added = [one for one in indices if _is_none(one)]
        rest = [one for one in indices if one not in slices and one not in added]
        numbers = [one for one in rest if self.value(one).number is not None]
        if len(numbers) == len(indices):
            return element(held, len(indices))
        if held.python:
            return held if indices == slices[:1] else replace(held, axes=None)
        dots = [one for one in rest if isinstance(one, ast.Constant)]
        if len(numbers) + len(dots) < len(rest):
            return array(held.cells)
        return sliced(held, len(numbers), len(added), len(slices))

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
        lists = [one for one in (left, right) if one.python]
        arrays = [one for one in (left, right) if one.axes and not one.python]
        if lists and not arrays and isinstance(op, ast.Mult | ast.Add):
            return joined(lists)
        return each(_rule(partial(_result, op)), left, right)
