"""What a subscript selects on each axis, as texts: one position, or those of a slice.

Bounds that count from the end are those from the start as long as they are not beyond
it. Where a text says otherwise it is a condition: ``needs`` has all of them.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping, Sequence

from looptx.model.records import dataclass, field
from looptx.model.trees import dotted
from looptx.source.names.subscripts import may_be_number

_SIGNS = (ast.Add, ast.Sub, ast.Mult, ast.USub)

MOST_BITS = 64
"""Of integers that bounds and elements are made of: all others fit no array."""


MOST_AXES = 16
"""Of arrays that statements are about. ``A.shape[255]`` makes no 256 loops."""


class Unlike(Exception):
    """A statement is none on elements, as far as its text says."""


class Ranks(dict[str, int]):
    """How many axes arrays have at least, by (dotted) name.

    Attributes:
        ones: arrays and axes of them that have one position, as their values say.
        single, wide: arguments and axes of them that had one position in a call, where
            others had more; and all others, if there are such.
        complex: arrays of complex numbers, as far as that is known.
        kept: the arguments that are never bound again.
    """

    def __init__(self, known: Mapping[str, int] | None = None) -> None:
        super().__init__(known or {})
        self.ones: set[tuple[str, int]] = set()
        self.single: set[tuple[str, int]] = set()
        self.wide: set[tuple[str, int]] = set()
        self.complex: set[str] = set()
        self.kept: set[str] = set()
        if isinstance(known, Ranks):
            self.ones |= known.ones
            self.single |= known.single
            self.wide |= known.wide
            self.complex |= known.complex
            self.kept |= known.kept

    @staticmethod
    def of(axes: Collection[tuple[str, int, bool, tuple[int, ...]]]) -> Ranks:
        """What a call has shown.

        Args:
            axes: of its arguments: their names, how many axes they have, whether they
                are complex, and which axes have one position.
        """
        found = Ranks({name: count for name, count, *_ in axes})
        found.complex |= {name for name, _, is_complex, _ in axes if is_complex}
        found.single |= {(name, at) for name, *_, ones in axes for at in ones}
        if found.single:
            all_ = {(name, at) for name, count, *_ in axes for at in range(count)}
            found.wide |= all_ - found.single
        return found


@dataclass(frozen=True)
class Axis:
    """The positions of a subscript on an axis, from a start up or down to a stop.

    Attributes:
        start, stop: as Python. step: from one position to the next.
        by: that as Python where it is no literal, but positive; ``step`` is 1 then.
        plain: whether it is one number. new: whether the array has no such axis.
        extent: how many positions there are at all, if that is known.
    """

    start: str = "0"
    stop: str = "1"
    step: int = 1
    plain: bool = False
    new: bool = False
    extent: str = ""
    by: str = ""

    @property
    def fixed(self) -> bool:
        """Whether it has one position, for all those of another axis."""
        ends = self.start, self.stop
        alone = all(map(str.isdecimal, ends)) and int(self.stop) == int(self.start) + 1
        return self.plain or alone

    def reversed(self) -> Axis:
        """The same positions backwards.

        Raises:
            Unlike: which of them is the last hangs on how many there are.
        """
        if self.plain or self.new or self.fixed:
            return self
        if self.by:
            raise Unlike
        if self.step == 1:
            stop = "-1" if self.start == "0" else f"{self.start} - 1"
            return Axis(f"{self.stop} - 1", stop, -1, extent=self.extent)
        if self.step == -1:
            return Axis(f"{self.stop} + 1", f"{self.start} + 1", extent=self.extent)
        raise Unlike

    @property
    def count(self) -> str:
        """How many positions there are, or a number below 1.

        Raises:
            Unlike: that hangs on a step which may be 0.
        """
        if self.fixed:
            return "1"
        if self.by:
            raise Unlike
        low, high = self.ends
        length = high if low == "0" else f"{high} - ({low})"
        size = abs(self.step)
        return length if size == 1 else f"({length} + {size - 1}) // {size}"

    @property
    def ends(self) -> tuple[str, str]:
        """Numbers that no position is below, and that all are below."""
        if self.step > 0:
            return self.start, self.stop
        return f"{self.stop} + 1", f"{self.start} + 1"

    @property
    def numbers(self) -> str:
        """What a loop over an axis counts through: positions, or else from 0."""
        if self.step != 1:
            return self.count
        if self.by:
            return f"{self.start}, {self.stop}, {self.by}"
        return self.stop if self.start == "0" else f"{self.start}, {self.stop}"

    def among(self, counter: str, other: Axis) -> str:
        """The same as ``at``; without a counter all positions, as a slice.

        Raises:
            Unlike: the slice would go backwards.
        """
        if counter:
            return self.at(counter, other)
        if self.step < 0:
            raise Unlike
        start = "" if self.start == "0" else self.start
        stop = "" if self.stop == self.extent else self.stop
        step = self.by or (str(self.step) if self.step != 1 else "")
        return f"{start}:{stop}" + (f":{step}" if step else "")

    def at(self, counter: str, other: Axis) -> str:
        """The position that goes with one of another axis.

        Args:
            counter: of the loop over the other axis. other: that axis.
        """
        if self.step == other.step == 1:
            if self.start == other.start:
                return counter
            if self.start.isdecimal() and other.start.isdecimal():
                ahead = int(self.start) - int(other.start)
                return f"{counter} {'-' if ahead < 0 else '+'} {abs(ahead)}"
            back = "" if other.start == "0" else f" - ({other.start})"
            return f"{counter}{back}{_more(self.start)}"
        if other.step == 1 and other.start != "0":
            counter = f"({counter} - ({other.start}))"
        if self.step < 0:
            return f"{self.start} - {_times(counter, -self.step)}"
        return f"{_times(counter, self.step)}{_more(self.start)}"


def _more(start: str) -> str:
    return "" if start == "0" else f" + {start}"


def _times(counter: str, step: int) -> str:
    return counter if step == 1 else f"{counter} * {step}"


@dataclass
class Reader:
    """Reads what subscripts select.

    Args:
        arrays: how many axes those of the function have, as far as known.
        loose: whether numbers may be of any kind, and bounds be wherever they are.

    Attributes:
        needs: the conditions under which the texts mean what the subscripts do.
        strided: whether steps may be others than literals.
    """

    arrays: Ranks
    loose: bool = False
    strided: bool = False
    needs: dict[str, None] = field(default_factory=dict)

    def axes(self, array: str, indices: Sequence[ast.expr], rank: int) -> list[Axis]:
        """What subscripts select of an array.

        Args:
            array: its name. indices: the subscripts.
            rank: how many axes it has at least, if that is known.

        Raises:
            Unlike: something else than numbers and slices.
        """
        found: list[Axis] = []
        own = 0
        for index in self._whole(indices, rank):
            if isinstance(index, ast.Constant) and index.value is None:
                found.append(Axis(new=True))
                continue
            found.append(self._axis(array, own, index))
            own += 1
        return found

    def _whole(self, indices: Sequence[ast.expr], rank: int) -> Iterator[ast.expr]:
        """The subscripts with those that ``...`` and the end leave out."""
        every = [i for i in indices if not _is_constant(i, ...)]
        missing = max(0, rank - sum(not _is_constant(i, None) for i in every))
        if len(every) < len(indices) - 1 or (len(every) < len(indices) and not rank):
            raise Unlike
        for index in indices if len(every) < len(indices) else (*every, _REST):
            if _is_constant(index, ...):
                yield from [ast.Slice()] * missing
            else:
                yield index

    def _axis(self, array: str, own: int, index: ast.expr) -> Axis:
        """What a subscript selects.

        Args:
            array: the array. own: the number of the axis. index: the subscript.
        """
        extent = f"{array}.shape[{own}]"
        if (array, own) in self.arrays.ones and _is_whole(index):
            self.need(f"{extent} == 1")
            return Axis()
        if not isinstance(index, ast.Slice):
            if not may_be_number(index):
                raise Unlike
            if self.loose and not self._is_sum(index) and not _is_long(index):
                place = f"({ast.unparse(index)})"
                return Axis(place, f"{place} + 1", plain=True)
            place = self._bound(index, extent)
            self.need(f"0 <= {place}", f"{place} < {extent}")
            return Axis(place, f"{place} + 1", plain=True)
        step, by = self._step(index.step)
        if step < 0:
            start = self._bound(index.lower or _LAST, extent)
            stop = "-1" if index.upper is None else self._bound(index.upper, extent)
            for place in (start, stop):
                # What counts from the end may end in front of the first position.
                counted = place == "-1" or place.startswith(extent)
                self.need(f"{-1 if counted else 0} <= {place}")
            if not start.startswith(extent):
                self.need(f"{start} < {extent}")
            return Axis(start, stop, step, extent=extent)
        start = "0" if index.lower is None else self._bound(index.lower, extent)
        stop = extent if index.upper is None else self._bound(index.upper, extent)
        if start != "0":
            self.need(f"0 <= {start}")
        if not stop.startswith(extent):
            self.need(f"0 <= {stop}", f"{stop} <= {extent}")
        return Axis(start, stop, step, extent=extent, by=by)

    def within(self, axis: Axis, index: ast.expr) -> Axis:
        """What a subscript selects of some positions of an axis.

        Args:
            axis: the positions. index: the subscript.

        Raises:
            Unlike: it is none of these one by one.
        """
        if _is_whole(index):
            return axis
        if axis.new or axis.by or axis.step != 1 or axis.fixed:
            raise Unlike
        if not isinstance(index, ast.Slice):
            if not may_be_number(index):
                raise Unlike
            place = self._from(axis, index)
            self.need(f"{axis.start} <= {place}", f"{place} < {axis.stop}")
            return Axis(place, f"{place} + 1", plain=True)
        if self._step(index.step) != (1, ""):
            raise Unlike
        start = axis.start if index.lower is None else self._from(axis, index.lower)
        stop = axis.stop if index.upper is None else self._from(axis, index.upper)
        self.need(f"{axis.start} <= {start}")
        self.need(f"{axis.start} <= {stop}", f"{stop} <= {axis.stop}")
        return Axis(start, stop, extent=axis.extent)

    def _from(self, axis: Axis, node: ast.expr) -> str:
        """A bound or number among positions of an axis, as one of the axis."""
        bound = self._bound(node, axis.stop)
        if self._from_end(node) or axis.start == "0":
            return bound
        return f"({axis.start} + {bound})"

    def _step(self, node: ast.expr | None) -> tuple[int, str]:
        """The step of a slice, or 1 and a text for it.

        Raises:
            Unlike: it is 0, or no sum.
        """
        step = 1 if node is None else literal(node)
        if step is None and node is not None and self.strided and self._is_sum(node):
            by = ast.unparse(node)
            self.need(f"1 <= ({by})")
            return 1, by
        if not step:
            raise Unlike
        return step, ""

    def _bound(self, node: ast.expr, extent: str) -> str:
        """A bound or number; what counts from the end does so from the start."""
        if back := self._from_end(node):
            self.need(*([] if back.isdecimal() else [f"1 <= {back}"]))
            return f"{extent} - {back}"
        if not self._is_sum(node):
            raise Unlike
        text = ast.unparse(node)
        return text if isinstance(node, ast.Name | ast.Constant) else f"({text})"

    def _from_end(self, node: ast.expr) -> str:
        """How far from the end a bound counts, as negated arguments do; or nothing."""
        match node:
            case ast.UnaryOp(ast.USub(), ast.Name(name)) if name in self.arrays.kept:
                return name
        value = literal(node)
        return str(-value) if value is not None and value < 0 else ""

    def _is_sum(self, node: ast.AST) -> bool:
        """Whether an expression is made of integers and the extents of arrays."""
        match node:
            case ast.Subscript(ast.Attribute(array, "shape"), ast.Constant(int())):
                return bool(dotted(array))
            case ast.Constant(value):
                return type(value) is int and value.bit_length() <= MOST_BITS
            case ast.Name(name):
                return name not in self.arrays
            case ast.BinOp() | ast.UnaryOp():
                return all(
                    self._is_sum(part)
                    if isinstance(part, ast.expr)
                    else isinstance(part, _SIGNS)
                    for part in ast.iter_child_nodes(node)
                )
        return False

    def need(self, *texts: str) -> None:
        """Note conditions."""
        self.needs.update(dict.fromkeys(texts))


def _is_long(index: ast.expr) -> bool:
    """Whether there is an integer in a subscript that fits no array."""
    numbers = (x.value for x in ast.walk(index) if isinstance(x, ast.Constant))
    return any(isinstance(x, int) and x.bit_length() > MOST_BITS for x in numbers)


def _is_whole(index: ast.expr) -> bool:
    """Whether a subscript selects all of an axis."""
    match index:
        case ast.Slice(None, None, None):
            return True
    return False


_REST = ast.Constant(...)
_LAST = ast.UnaryOp(ast.USub(), ast.Constant(1))


def _is_constant(node: ast.expr, value: object) -> bool:
    return isinstance(node, ast.Constant) and node.value is value


def literal(node: ast.expr) -> int | None:
    """The number that a text says."""
    match node:
        case ast.UnaryOp(ast.USub(), ast.Constant() as number):
            value = literal(number)
            return None if value is None else -value
        case ast.Constant(int(value)) if type(value) is int:
            return value if value.bit_length() <= MOST_BITS else None
    return None
