"""What a loop takes its elements from, one by one: each element by its number.

That is an array, a part of one (``A[2:-1]``, ``A[::-1]``, ``reversed(A)``), a range, or
a tuple or list that the source writes out.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from itertools import pairwise

from looptx.model.records import dataclass
from looptx.model.trees import dotted
from looptx.source.ast_tools import walked
from looptx.source.names.scope import Scope
from looptx.source.spelling.whole.reading.axes import literal

_LEN = "builtins.len"

MOST_WRITTEN = 64
"""Elements that are written out, beyond which choosing one takes too long."""

PURE = (
    ast.Name,
    ast.Constant,
    ast.Attribute,
    ast.Subscript,
    ast.BinOp,
    ast.UnaryOp,
    ast.Tuple,
    ast.operator,
    ast.unaryop,
    ast.expr_context,
)
"""What bounds and subscripts may be made of: they are the same if evaluated twice."""


@dataclass(frozen=True)
class Stretch:
    """Elements in a row.

    Attributes:
        array: the dotted name of what they are in; empty where they are not in any.
        start, stop: texts of the position of the first, and of that behind the last.
        step: from one position to the next.
        written: the elements that the source writes out.
    """

    array: str = ""
    start: str = "0"
    stop: str = "0"
    step: int = 1
    written: Sequence[ast.expr] = ()

    @property
    def numbers(self) -> str:
        """What a loop over the positions counts through."""
        if self.step != 1:
            return f"{self.start}, {self.stop}, {self.step}"
        return self.stop if self.start == "0" else f"{self.start}, {self.stop}"

    @property
    def count(self) -> str:
        """How many elements there are, or a number below 1."""
        if self.step == 1:
            return self.stop if self.start == "0" else f"{self.stop} - ({self.start})"
        if (self.step, self.stop, self.start[-4:]) == (-1, "-1", " - 1"):
            return self.start[:-4]
        ahead, behind = (self.stop, self.start)[:: 1 if self.step > 0 else -1]
        length, size = f"{ahead} - ({behind})", abs(self.step)
        return length if size == 1 else f"({length} + {size - 1}) // {size}"

    @property
    def counted(self) -> bool:
        """Whether the elements are the positions themselves."""
        return not self.array and not self.written

    def position(self, number: str) -> str:
        """The position of the element with a number, from 0."""
        moved = number
        if self.step != 1:
            moved = f"({number}) * {self.step}" if self.step != -1 else f"-({number})"
        if self.start == "0":
            return moved
        return f"{self.start} + {moved}" if self.step != -1 else f"{self.start} {moved}"

    def element(self, at: str) -> tuple[str, str]:
        """The element at a position, and how a person writes it."""
        if self.array:
            return (f"{self.array}[{at}]",) * 2
        if not self.written:
            return at, at
        texts = [ast.unparse(one) for one in self.written]
        comma = "," if len(texts) == 1 else ""
        return chosen(texts, 0, at), f"({', '.join(texts)}{comma})[{at}]"


def chosen(texts: Sequence[str], first: int, at: str) -> str:
    """The one of several texts that a position tells.

    Args:
        texts: of values. first: the position of the first. at: the text of one.
    """
    if len({*texts}) == 1:
        return f"({texts[0]})"
    half = len(texts) // 2
    low, high = (
        chosen(texts[:half], first, at),
        chosen(texts[half:], first + half, at),
    )
    return f"({low} if {at} < {first + half} else {high})"


def stretches(
    target: ast.expr, source: ast.expr, scope: Scope
) -> list[tuple[ast.Name, Stretch]]:
    """What each target of a loop is taken from; nothing where that is not known.

    Args:
        target: of the loop. source: what it goes through. scope: of the function.
    """
    elements = written(source, scope)
    match target, source:
        case ast.Name(), _ if elements:
            found = _literal(elements)
            return [(target, found)] if found else []
        case ast.Tuple(targets), _ if elements and _names(targets):
            columns = [
                _column(elements, at, len(targets)) for at in range(len(targets))
            ]
            known = [one for one in columns if one]
            same = len(known) == len(targets)
            pairs = zip(targets, known, strict=False) if same else ()
            return [(x, y) for x, y in pairs if isinstance(x, ast.Name)]
        case ast.Name(), _:
            one = stretch(source, scope)
            return [] if one is None else [(target, one)]
    return []


def _names(targets: Sequence[ast.expr]) -> bool:
    return all(isinstance(one, ast.Name) for one in targets)


def written(source: ast.expr, scope: Scope) -> list[ast.expr]:
    """The elements that the source writes out, there or where it gives them a name."""
    if isinstance(source, ast.Name):
        bindings = scope.bindings.get(source.id, [])
        if len(bindings) != 1 or source.id in scope.shared or scope.wild:
            return []
        (one,) = bindings
        if one.kind != "value" or one.value is None:
            return []
        source = one.value
        # Between there and here names may get other values.
        if not isinstance(source, ast.Tuple) or not all(map(is_constant, source.elts)):
            return []
    if not isinstance(source, ast.Tuple | ast.List):
        return []
    fits = 0 < len(source.elts) <= MOST_WRITTEN
    return source.elts if fits and not _starred(source.elts) else []


def _starred(elements: Sequence[ast.expr]) -> bool:
    return any(isinstance(one, ast.Starred) for one in elements)


def is_constant(node: ast.expr) -> bool:
    """Whether an expression is a number that the source says, or a tuple of such."""
    match node:
        case ast.Constant(value):
            return isinstance(value, int | float)
        case ast.UnaryOp(ast.USub() | ast.UAdd(), operand):
            return is_constant(operand)
        case ast.BinOp(left, ast.Add() | ast.Sub() | ast.Mult() | ast.Div(), right):
            return is_constant(left) and is_constant(right)
        case ast.Tuple(elts):
            return all(map(is_constant, elts))
    return False


def _literal(elements: Sequence[ast.expr]) -> Stretch | None:
    """Elements that are written out; integers at equal distances are a range."""
    if any(isinstance(one, ast.Tuple | ast.List) for one in elements):
        return None
    if any(isinstance(x, ast.Constant) and not _is_number(x) for x in elements):
        return None
    values = [literal(one) for one in elements]
    known = [value for value in values if value is not None]
    if len(known) == len(elements):
        steps = {b - a for a, b in pairwise(known)} or {1}
        step = min(steps)
        if len(steps) == 1 and step:
            last = known[-1] + (1 if step > 0 else -1)
            return Stretch("", str(known[0]), str(last), step)
    return Stretch("", "0", str(len(elements)), 1, elements)


def _is_number(node: ast.Constant) -> bool:
    return isinstance(node.value, int | float | complex)


def _column(elements: Sequence[ast.expr], at: int, count: int) -> Stretch | None:
    """The parts of tuples that are written out, all with the same place.

    Args:
        elements: the tuples. at: the place. count: how many parts each has to have.
    """
    own = []
    for one in elements:
        if not isinstance(one, ast.Tuple | ast.List) or len(one.elts) != count:
            return None
        own.append(one.elts[at])
    found = None if _starred(own) else _literal(own)
    # Side by side they have one number, which is no position of either.
    return found and Stretch("", "0", str(len(own)), 1, own)


def stretch(source: ast.expr, scope: Scope) -> Stretch | None:
    """What an expression has elements of, if it is known how many."""
    if dotted(source):
        return Stretch(dotted(source), "0", f"len({dotted(source)})")
    match source:
        case ast.Subscript(array, ast.Slice() as part) if dotted(array):
            return None if scope.hides("int") else _part(dotted(array), part)
        case ast.Call(_, [_, *_] as bounds, []) if scope.is_range(source):
            return None if scope.hides("int") else _range(bounds, scope)
        case ast.Call(function, [inner], []):
            if scope.resolve(function) == "builtins.reversed":
                found = stretch(inner, scope)
                if found and found.array and found.start == "0" and found.step == 1:
                    return Stretch(found.array, f"{found.stop} - 1", "-1", -1)
    return None


def _range(bounds: Sequence[ast.expr], scope: Scope) -> Stretch | None:
    """The numbers of a range.

    Args:
        bounds: what it is given. scope: of the function.
    """
    if not all(isinstance(x, (*PURE, ast.Call)) for one in bounds for x in walked(one)):
        return None
    calls = (x for one in bounds for x in walked(one) if isinstance(x, ast.Call))
    step = literal(bounds[2]) if len(bounds) == 3 else 1
    if not step or len(bounds) > 3 or any(scope.resolve(x.func) != _LEN for x in calls):
        return None
    first, stop = (
        [_integer(one) for one in bounds[:2]]
        if bounds[1:]
        else (
            "0",
            _integer(bounds[0]),
        )
    )
    return Stretch("", first, stop, step)


def _integer(node: ast.expr) -> str:
    """A bound of a range as an integer of Python; an error for what is no bound."""
    match node:
        case ast.Call() | ast.Subscript(ast.Attribute(attr="shape")):
            return ast.unparse(node)
    if literal(node) is not None:
        return str(literal(node))
    # A float has no bits, and a bool of NumPy no sign.
    return f"int(+({ast.unparse(node)}) | 0)"


def _part(array: str, part: ast.Slice) -> Stretch | None:
    """The elements of a slice."""
    step = 1 if part.step is None else literal(part.step)
    length = f"len({array})"
    if not step:
        return None
    if step < 0:
        if part.lower is not None or part.upper is not None:
            return None
        return Stretch(array, f"{length} - 1", "-1", step)
    start = "0" if part.lower is None else _bound(part.lower, length, low=True)
    stop = length if part.upper is None else _bound(part.upper, length, low=False)
    return Stretch(array, start, stop, step) if start and stop else None


def _bound(node: ast.expr, length: str, *, low: bool) -> str:
    """The position that a bound of a slice means, at most the length; "" if unknown.

    Args:
        node: the bound. length: the text of the length. low: whether it is the lower.
    """
    value = literal(node)
    if value is not None and value >= 0:
        return str(value) if low else f"min({value}, {length})"
    if value is not None:
        counted = f"{length} - {-value}"
        return f"max({counted}, 0)" if low else counted
    if not all(isinstance(part, PURE) for part in walked(node)):
        return ""
    # In the few bits that an integer of an array may have, sums and differences wrap.
    text = _integer(node)
    if low:
        return f"({text} if {text} >= 0 else max({text} + {length}, 0))"
    return f"(min({text}, {length}) if {text} >= 0 else {text} + {length})"


def names_in(found: Stretch) -> set[str]:
    """The names that positions are made of; those of elements that are written out."""
    texts = [found.start, found.stop, *map(ast.unparse, found.written)]
    parts = (x for text in texts for x in ast.walk(ast.parse(text, mode="eval")))
    return {part.id for part in parts if isinstance(part, ast.Name)}
