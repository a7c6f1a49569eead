"""Arrays whose cells hold expressions.

The cells are objects in a NumPy array, so that subscripts, slices and views mean what
NumPy says they mean. A cell that was never touched is None until it is read: then it
becomes the input it stands for.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from looptx.validation.symbols.arithmetic import plain
from looptx.validation.symbols.element_types import ElementType, dtype_name
from looptx.validation.symbols.table import Symbol, Table

MOST_CELLS = 200_000
"""No argument is larger, and no array of which more than single cells are used."""

MOST_MADE = 2**20
"""No array that a function makes is larger: buffers of constant size are long."""


class Outside(IndexError):
    """A subscript beyond an argument's extent.

    Attributes:
        array, axis: which. needed: the extent that would do. indirect: whether the
            subscript came out of an array.
    """

    def __init__(self, array: str, axis: int, needed: int, indirect: bool) -> None:
        super().__init__(f"index {needed - 1} is out of bounds for axis {axis}")
        self.array = array
        self.axis = axis
        self.needed = needed
        self.indirect = indirect


class Unrunnable(Exception):
    """Something that cannot be run on symbols; the text says what, ``line`` where."""

    line = 0
    mismatch = False


class TooMuch(Exception):
    """A run needs more iterations or cells than it may have."""


Fill = Callable[[tuple[int, ...]], Any]


class Cells:
    """An array, or a view of one.

    Args:
        table: where expressions are made.
        values: the cells; None for those that ``fill`` makes when they are read.
        dtype: what is stored is converted to it; empty for nothing.
        fill: the value of an untouched cell; without it no cell is None.
        name: of an argument, whose extents may still be changed; else empty.
        axes: the argument's axes that the dimensions of ``values`` are.
    """

    __slots__ = ("_axes", "_dtype", "_fill", "_name", "_table", "_values")

    def __init__(
        self,
        table: Table,
        values: Any,
        dtype: str = "",
        fill: Fill | None = None,
        name: str = "",
        axes: tuple[int, ...] = (),
    ) -> None:
        self._table = table
        self._values = values
        self._dtype = dtype
        self._fill = fill
        self._name = name
        self._axes = axes

    def __getitem__(self, key: Any) -> Any:
        try:
            found = self._values[key]
        except (IndexError, TypeError):
            found = self._values[self._checked(key)]
        if found is None:
            place = self._place(key)
            assert self._fill is not None
            found = self._values[place] = self._fill(place)
        elif type(found) is np.ndarray:
            self.settle()
            return self._view(self._values[self._plain_key(key)], key)
        return found

    def __setitem__(self, key: Any, value: Any) -> None:
        if type(value) is Cells:
            value = value.settle()._values
        if isinstance(value, (np.ndarray, list, tuple)):
            self.settle()
            value = self._converted(np.array(value, dtype=object))
        elif self._dtype:
            value = self._table.cast(self._dtype, plain(value))
        try:
            self._values[key] = value
        except (IndexError, TypeError):
            self._values[self._checked(key)] = value

    def meets(self, other: Cells) -> bool:
        """Whether both may have a cell in common."""
        return bool(np.may_share_memory(self._values, other._values))

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        raise Unrunnable("the text of an array")

    def __iter__(self) -> Iterator[Any]:
        return (self[at] for at in range(len(self)))

    def __bool__(self) -> bool:
        if self.size != 1:
            raise ValueError("the truth value of an array is ambiguous")
        return bool(self.settle()._values.flat[0])

    @property
    def shape(self) -> tuple[int, ...]:
        """The extents."""
        return tuple(self._values.shape)

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return int(self._values.ndim)

    @property
    def size(self) -> int:
        """The number of cells."""
        return int(self._values.size)

    @property
    def dtype(self) -> Any:
        """The type of the elements, as NumPy has it."""
        return ElementType(lambda: self._table, self._dtype or "float64")

    @property
    def element(self) -> str:
        """What is stored is converted to this type; empty for nothing."""
        return self._dtype

    @property
    def T(self) -> Cells:
        """The transposed view."""
        made = self._view(self.settle()._values.T, ...)
        made._name, made._axes = self._name, self._axes[::-1]
        return made

    def transpose(self, *axes: Any) -> Cells:
        """A view with permuted axes."""
        return self._view(self.settle()._values.transpose(*axes), ...)

    def reshape(self, *shape: Any) -> Cells:
        """The cells in another shape."""
        return self._view(self.settle()._values.reshape(*shape), ...)

    def ravel(self) -> Cells:
        """The cells in a row."""
        return self._view(self.settle()._values.ravel(), ...)

    def flatten(self) -> Cells:
        """A copy of the cells in a row."""
        return self.copy().ravel()

    def copy(self) -> Cells:
        """An array of its own with these values."""
        return Cells(self._table, self.settle()._values.copy(), self._dtype)

    def astype(self, dtype: Any) -> Cells:
        """A copy, converted."""
        made = Cells(self._table, self.settle()._values.copy(), dtype_name(dtype))
        made._values[...] = made._converted(made._values)
        return made

    def fill(self, value: Any) -> None:
        """Give all cells one value."""
        self[...] = value

    def sum(self, axis: Any = None) -> Any:
        """The sum, from the first to the last."""
        return self._wrapped(self.settle()._values.sum(axis=axis))

    def settle(self) -> Cells:
        """Give every untouched cell its input.

        Raises:
            TooMuch: there are too many.
        """
        if self._fill is not None:
            if self.size > MOST_CELLS:
                raise TooMuch
            fill, self._fill = self._fill, None
            for place, value in np.ndenumerate(self._values):
                if value is None:
                    self._values[place] = fill(place)
        return self

    def beside(self, other: Cells) -> Iterator[tuple[tuple[int, ...], Any, Any]]:
        """The cells that were touched here or in an array of the same shape."""
        ours, theirs = self._values.ravel().tolist(), other._values.ravel().tolist()
        for at, (one, two) in enumerate(zip(ours, theirs, strict=True)):
            if one is None and two is None:
                continue
            place = tuple(map(int, np.unravel_index(at, self.shape)))
            one = self._fill(place) if one is None and self._fill else one
            two = other._fill(place) if two is None and other._fill else two
            yield place, one, two

    def touched(self) -> Iterator[Any]:
        """The values of the cells that were read or written."""
        return (one for one in self._values.flat if one is not None)

    def elementwise(self, function: Callable[..., Any], *others: Any) -> Cells:
        """A new array of what a function makes of the cells, with NumPy's broadcast."""
        values = [one.settle()._values if type(one) is Cells else one for one in others]
        result = np.frompyfunc(function, 1 + len(values), 1)(
            self.settle()._values, *values
        )
        return Cells(self._table, np.asarray(result, dtype=object))

    def _view(self, values: Any, key: Any) -> Cells:
        count = len(key) if isinstance(key, tuple) else 1
        whole = _numbers(key) is not None
        return Cells(
            self._table,
            values,
            self._dtype,
            name=self._name if whole else "",
            axes=self._axes[count:],
        )

    def _wrapped(self, values: Any) -> Any:
        return Cells(self._table, values) if isinstance(values, np.ndarray) else values

    def _converted(self, values: Any) -> Any:
        """An array of objects, every one converted to the element type."""
        if not self._dtype or not values.size:
            return values
        cast, dtype = self._table.cast, self._dtype
        return np.frompyfunc(lambda value: cast(dtype, plain(value)), 1, 1)(values)

    def _place(self, key: Any) -> tuple[int, ...]:
        """A cell's subscripts, none of them negative."""
        keys = key if type(key) is tuple else (key,)
        pairs = zip(map(operator.index, keys), self._values.shape, strict=True)
        return tuple([at + extent if at < 0 else at for at, extent in pairs])

    def _plain_key(self, key: Any) -> Any:
        """The key with arrays of expressions as arrays of numbers."""
        if isinstance(key, tuple):
            return tuple(map(self._plain_key, key))
        if type(key) is Cells:
            values = [getattr(v, "number", v) for v in key.settle()._values.flat]
            dtype = bool if values and type(values[0]) is bool else int
            return np.array(values, dtype=dtype).reshape(key.shape)
        return key

    def _checked(self, key: Any) -> Any:
        """The key that NumPy takes instead of one it refused.

        Raises:
            Outside: it leaves an argument; IndexError and TypeError as NumPy does.
        """
        numbers = _numbers(key)
        if numbers is None:
            return self._plain_key(key)
        if len(numbers) > self.ndim:
            raise TypeError(f"{len(numbers)} subscripts of {self.ndim} dimensions")
        for axis, (at, extent) in enumerate(
            zip(numbers, self._values.shape, strict=False)
        ):
            if not -extent <= at < extent:
                indirect = any(
                    type(one) is Symbol
                    for one in (key if isinstance(key, tuple) else (key,))
                )
                if self._name and axis < len(self._axes):
                    needed = at + 1 if at >= 0 else -at
                    raise Outside(self._name, self._axes[axis], needed, indirect)
                raise IndexError(f"index {at} is out of bounds for axis {axis}")
        return key


def _numbers(key: Any) -> list[int] | None:
    """The numbers of a key that names one position of each of its axes."""
    try:
        return [
            operator.index(one) for one in (key if isinstance(key, tuple) else (key,))
        ]
    except TypeError:
        return None


def _elementwise(name: str) -> Callable[..., Any]:
    function = getattr(operator, name, None) or getattr(operator, f"{name}_")

    def method(self: Cells, other: Any) -> Any:
        return self.elementwise(function, other)

    return method


def _reflected(name: str) -> Callable[..., Any]:
    function = getattr(operator, name, None) or getattr(operator, f"{name}_")

    def method(self: Cells, other: Any) -> Any:
        return self.elementwise(lambda own, given: function(given, own), other)

    return method


def _in_place(name: str) -> Callable[..., Any]:
    function = getattr(operator, name, None) or getattr(operator, f"{name}_")

    def method(self: Cells, other: Any) -> Cells:
        self[...] = self.elementwise(function, other)
        return self

    return method


def _power(self: Cells, other: Any) -> Any:
    """``self ** other``: NumPy squares an array by a product."""
    if type(other) is int and other == 2:
        return self.elementwise(lambda own: own * own)
    return self.elementwise(operator.pow, other)


def _power_in_place(self: Cells, other: Any) -> Cells:
    self[...] = _power(self, other)
    return self


def _unary(name: str) -> Callable[[Cells], Cells]:
    function = getattr(operator, name)

    def method(self: Cells) -> Cells:
        return self.elementwise(function)

    return method


_NAMES = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor")
for _one in _NAMES:
    setattr(Cells, f"__{_one}__", _elementwise(_one))
    setattr(Cells, f"__r{_one}__", _reflected(_one))
    setattr(Cells, f"__i{_one}__", _in_place(_one))
for _one, _function in (("pow", _power), ("ipow", _power_in_place)):
    setattr(Cells, f"__{_one}__", _function)
for _one in ("eq", "ne", "lt", "le", "gt", "ge"):
    setattr(Cells, f"__{_one}__", _elementwise(_one))
for _one in ("neg", "pos", "abs"):
    setattr(Cells, f"__{_one}__", _unary(_one))
