"""Parts of arrays that functions are given, in the place of their names.

``x[k]`` where ``A[:, j]`` was given for ``x`` is ``A[k, j]``, ``len(x)`` is
``A.shape[0]``, and ``x[:-1]`` of ``A[i, 1:]`` is ``A[i, 1:-1]``: a part is a view, the
same one wherever it is taken.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterable, Mapping
from functools import reduce

from looptx.model.records import dataclass
from looptx.source.callees.refusals import Refused
from looptx.source.names.subscripts import index_list, may_be_number

_INDEX = (
    ast.Name | ast.Constant | ast.BinOp | ast.UnaryOp | ast.Slice | ast.operator
) | (ast.unaryop | ast.expr_context)
"""What subscripts of a part may be made of: they are the same if evaluated twice."""

_OF_A_PART = "uses a part of a part that it is given"


@dataclass(frozen=True)
class Part:
    """A part of an array.

    Attributes:
        array: the name of the array. indices: a subscript for each of its axes.
    """

    array: str
    indices: tuple[ast.expr, ...]

    @property
    def axes(self) -> tuple[int, ...]:
        """The axes of the array that are axes of the part."""
        open_ = (at for at, x in enumerate(self.indices) if isinstance(x, ast.Slice))
        return tuple(open_)

    @property
    def is_row(self) -> bool:
        """Whether positions are told for nothing but its first axes."""
        return self.axes == (*range(self.axes[0], len(self.indices)),)

    @property
    def is_bounded(self) -> bool:
        """Whether slices have bounds that are not written out."""
        return any(isinstance(x, ast.Slice) and not _is_told(x) for x in self.indices)

    def is_picked(self, name: str, body: Iterable[ast.AST]) -> bool:
        """Whether it has slices with bounds, and statements use elements of it.

        Args:
            name: what they call it. body: the statements, with all they are made of.
        """
        return is_bounded(self.whole()) and any(
            isinstance(one, ast.Subscript)
            and isinstance(one.value, ast.Name)
            and one.value.id == name
            and any(map(may_be_number, index_list(one)))
            for one in body
        )

    def whole(self, ctx: ast.expr_context | None = None) -> ast.Subscript:
        """The part, as it is written."""
        return _subscript(self.array, self.indices, ctx)

    def at(self, node: ast.Subscript) -> ast.expr:
        """What subscripts select of it.

        Args:
            node: the part with them.

        Raises:
            Refused: it is no such part of the array.
        """
        found, more = list(self.indices), index_list(node)
        if len(more) > len(self.axes):
            raise Refused(node, "has more subscripts than what it is given")
        first = len(self.indices) - len(self.axes)
        row = self.axes[0] == first and all(map(_is_all, self.indices[first:]))
        if row and any(map(may_be_number, more)) and all(map(_is_usual, more)):
            # An error tells of the axis of the part.
            node.value = _subscript(self.array, self.indices[:first], None)
            return node
        for axis, index in zip(self.axes, more, strict=False):
            if not _is_usual(index):
                raise Refused(node, "uses a part of what it is given in another shape")
            if not _is_all(index):
                if may_be_number(index) and axis != more.index(index):
                    raise Refused(node, _OF_A_PART)
                found[axis] = _within(found[axis], index, node)
        return _subscript(self.array, found, node.ctx)

    def extent(
        self, node: ast.AST, axis: int, outside: Callable[[str, str], str]
    ) -> ast.expr:
        """How long it is along one of its axes.

        Args:
            node: what asks for that. axis: the axis.
            outside: what a function is called, by its name and its full one.

        Raises:
            Refused: it has no such axis, or is as long as data say.
        """
        if not -len(self.axes) <= axis < len(self.axes):
            raise Refused(node, "asks for an axis that what it is given has not")
        own = self.axes[axis]
        whole, index = f"{self.array}.shape[{own}]", self.indices[own]
        if not _is_all(index):
            start, stop = _bounds(index, node)
            last = whole
            if stop is not None and stop < 0:
                last, start = whole, start - stop
            elif stop is not None:
                last = f"{outside('min', 'builtins.min')}({whole}, {stop})"
            whole = f"{outside('max', 'builtins.max')}({last} - {start}, 0)"
        return ast.parse(whole, mode="eval").body

    def told(self, node: ast.Attribute, outside: Callable[[str, str], str]) -> ast.expr:
        """What it says of itself.

        Args:
            node: what asks for that. outside: as of ``extent``.

        Raises:
            Refused: as of that.
        """
        if node.attr == "ndim":
            return ast.Constant(len(self.axes))
        found = [self.extent(node, axis, outside) for axis in range(len(self.axes))]
        if node.attr == "shape":
            return ast.Tuple(found, ast.Load())
        return reduce(lambda one, two: ast.BinOp(one, ast.Mult(), two), found)


def axes(node: ast.expr, ranks: Mapping[str, int]) -> int:
    """How many axes an argument has; 0 where that is not known.

    Args:
        node: the argument. ranks: how many arrays have.
    """
    if isinstance(node, ast.Name):
        return ranks.get(node.id, 0)
    found = part(node, ranks)
    return 0 if found is None else len(found.axes)


def part(node: ast.expr, ranks: Mapping[str, int]) -> Part | None:
    """The part of an array that an argument is, if it is one of some axes.

    Args:
        node: the argument. ranks: how many axes arrays have.
    """
    match node:
        case ast.Subscript(ast.Name(array)):
            indices = index_list(node)
            known = all(isinstance(x, _INDEX) for one in indices for x in ast.walk(one))
            numbers = not any(_is_strange(x) for x in indices)
            rank = ranks.get(array, 0)
            indices += [ast.Slice() for _ in range(rank - len(indices))]
            found = Part(array, tuple(indices))
            fits = len(indices) == rank and len(found.axes) > 0
            return found if known and numbers and fits else None
    return None


def is_sliced(node: ast.Subscript) -> bool:
    """Whether a subscript selects slices alone, whose bounds are written out."""
    return all(isinstance(x, ast.Slice) and _is_told(x) for x in index_list(node))


def _is_told(node: ast.Slice) -> bool:
    """Whether the bounds of a slice are written out."""
    bounds = node.lower, node.upper
    return all(one is None or literal(one) is not None for one in bounds)


def is_cut(node: ast.expr) -> bool:
    """Whether an argument is a slice of an array with bounds of its own."""
    inside = isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name)
    parts = index_list(node) if isinstance(node, ast.Subscript) else []
    return inside and any(isinstance(x, ast.Slice) and not _is_told(x) for x in parts)


def is_bounded(node: ast.expr) -> bool:
    """Whether an argument is a part of an array with a slice that has bounds."""
    inside = isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name)
    parts = index_list(node) if isinstance(node, ast.Subscript) else []
    return inside and any(isinstance(x, ast.Slice) and not _is_all(x) for x in parts)


def _bounds(index: ast.expr, node: ast.AST) -> tuple[int, int | None]:
    """The first and the last bound of a slice, which are numbers written out.

    Args:
        index: the slice. node: what is made of it.

    Raises:
        Refused: it has other ones, or a step, or begins from the end.
    """
    if isinstance(index, ast.Slice) and index.step is None:
        start, stop = (literal(x) for x in (index.lower, index.upper))
        if start is not None or index.lower is None:
            start = start or 0
            if start >= 0 and (stop is not None or index.upper is None):
                return start, stop
    raise Refused(node, _OF_A_PART)


def literal(node: ast.expr | None) -> int | None:
    """The integer that a bound or an axis is as it is written."""
    match node:
        case ast.UnaryOp(ast.USub(), ast.Constant(value)) if type(value) is int:
            return -value
        case ast.Constant(value) if type(value) is int:
            return value
    return None


def _within(own: ast.expr, index: ast.expr, node: ast.AST) -> ast.expr:
    """What a subscript of a part selects on an axis of the array.

    Args:
        own: what the part selects there. index: the subscript. node: of all axes.

    Raises:
        Refused: that cannot be said by one subscript.
    """
    if _is_all(own):
        return index
    (first, last), (start, stop) = _bounds(own, node), _bounds(index, node)
    from_end = [one is not None and one < 0 for one in (last, stop)]
    match (last, stop):
        case (None, None):
            end = None
        case (int(), None):
            end = last
        case (None, int()):
            end = stop if from_end[1] else first + stop
        case (int(), int()) if all(from_end):
            end = last + stop
        case (int(), int()) if not any(from_end):
            end = min(last, first + stop)
        case _:
            raise Refused(node, _OF_A_PART)
    text = f"{first + start}:{'' if end is None else end}"
    found = ast.parse(f"x[{text}]", mode="eval").body
    assert isinstance(found, ast.Subscript)
    return found.slice


def _is_strange(index: ast.expr) -> bool:
    return isinstance(index, ast.Constant) and type(index.value) is not int


def _is_usual(index: ast.expr) -> bool:
    """Whether a subscript is of one axis, or may be."""
    if isinstance(index, ast.Constant):
        return index.value is not None and index.value is not ...
    return not isinstance(index, ast.Starred | ast.Tuple | ast.List)


def _is_all(index: ast.expr) -> bool:
    """Whether a subscript is the slice of all positions."""
    match index:
        case ast.Slice(None, None, None):
            return True
    return False


def _subscript(
    array: str,
    indices: list[ast.expr] | tuple[ast.expr, ...],
    ctx: ast.expr_context | None,
) -> ast.Subscript:
    own = [copy.deepcopy(x) for x in indices]
    index = own[0] if len(own) == 1 else ast.Tuple(own, ast.Load())
    return ast.Subscript(ast.Name(array, ast.Load()), index, ctx or ast.Load())
