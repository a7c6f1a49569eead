"""Arrays as the function's Python sees them, while tasks compute them.

The function runs where it is called; its arrays are ``TaskArray``. They have a shape,
are passed on, exchanged and returned without anything being computed. Where Python
looks at elements, the array is *opened*: it becomes an array of this process, which
nests are given, and put their results into, from then on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np

from looptx.cluster.graph.bases import Held, Outside
from looptx.cluster.graph.stores import Store
from looptx.cluster.work.boxes import Box, whole

if TYPE_CHECKING:
    Array: TypeAlias = np.ndarray[Any, Any]

LOOKS = 8
"""So many single elements of an array are fetched before all of it is."""


class Host(Protocol):
    """What arrays are asked of."""

    def fetch(self, store: Store, boxes: Sequence[Box]) -> list[Array]:
        """The values of some cells, computed now."""

    def opened(self, array: TaskArray) -> Array:
        """The array as one of this process, from now on."""

    def new(self, array: TaskArray) -> TaskArray:
        """Note an array that the function made."""


class TaskArray:
    """An array of a function whose nests run as tasks.

    Args:
        store: what it is. host: the call.
    """

    __slots__ = ("__weakref__", "_host", "_looks", "store")

    def __init__(self, store: Store, host: Host) -> None:
        self.store = store
        self._host = host
        self._looks = 0

    @property
    def shape(self) -> tuple[int, ...]:
        """As NumPy's."""
        return self.store.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """As NumPy's."""
        return np.dtype(self.store.dtype)

    @property
    def ndim(self) -> int:
        """As NumPy's."""
        return len(self.store.shape)

    @property
    def size(self) -> int:
        """As NumPy's."""
        return int(np.prod(self.store.shape, dtype=np.int64))

    def __len__(self) -> int:
        return self.store.shape[0]

    def __repr__(self) -> str:
        return f"<array of tasks {self.store.label} {self.dtype}{list(self.shape)}>"

    def copy(self, order: str = "C") -> Any:
        """Another array with the same values, of which nothing is computed."""
        if isinstance(self.store.base, Outside):
            return np.array(self._host.opened(self), order=order)  # type: ignore[call-overload]
        store = Store(self.store.label, self.shape, self.store.dtype, self.store.base)
        store.pieces = list(self.store.pieces)
        store.order = self.store.order if order in ("K", "A") else order
        if isinstance(store.base, Held) and store.base.open:
            store.base = Held(store.base.array.copy())
        return self._host.new(TaskArray(store, self._host))

    def __getitem__(self, index: Any) -> Any:
        box = self._cell(index)
        if box is None or self._looks >= LOOKS:
            return self._host.opened(self)[index]
        self._looks += 1
        (found,) = self._host.fetch(self.store, [box])
        return found.reshape(-1)[0]

    def _cell(self, index: Any) -> Box | None:
        """The box of an index that means one element of what is not opened."""
        given = index if isinstance(index, tuple) else (index,)
        numbers = all(type(one) is int for one in given)
        base = self.store.base
        if not numbers or len(given) != self.ndim:
            return None
        if isinstance(base, Held) and base.open:
            return None
        inside = all(-n <= at < n for at, n in zip(given, self.shape, strict=True))
        if not inside:
            return None
        places = (at % n for at, n in zip(given, self.shape, strict=True))
        return tuple((at, at + 1, 1) for at in places)

    def __setitem__(self, index: Any, value: Any) -> None:
        self._host.opened(self)[index] = value

    def __iter__(self) -> Iterator[Any]:
        return iter(self._host.opened(self))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        if copy:
            return np.array(self._now(), dtype)
        return np.asarray(self._host.opened(self), dtype)

    def __array_function__(
        self, function: Callable[..., Any], _: Any, args: Any, kwargs: Any
    ) -> Any:
        return self._called(function, args, kwargs)

    def __array_ufunc__(
        self, ufunc: Any, method: str, *args: Any, **kwargs: Any
    ) -> Any:
        return self._called(getattr(ufunc, method), args, kwargs)

    def _called(self, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        """A function of NumPy, of arrays of this process."""
        args, kwargs = (replaced(one, TaskArray._open) for one in (args, kwargs))
        return function(*args, **kwargs)

    def _open(self) -> Array:
        return self._host.opened(self)

    def _now(self) -> Array:
        """The values of all cells."""
        base = self.store.base
        if isinstance(base, Held) and base.open:
            return base.array
        boxes = whole(self.shape)
        if not boxes:
            return np.empty(self.shape, self.dtype)
        (found,) = self._host.fetch(self.store, boxes)
        return found

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._host.opened(self), name)


def _operator(name: str) -> Callable[..., Any]:
    """An operator of NumPy's arrays."""

    def called(self: TaskArray, *others: Any) -> Any:
        given = replaced(others, TaskArray._open)
        return getattr(self._open(), name)(*given)

    called.__name__ = name
    return called


_BINARY = "add sub mul truediv floordiv mod pow matmul and or xor lshift rshift"
_OTHERS = "lt le eq ne gt ge neg pos abs invert bool float int contains"
for _name in (*_BINARY.split(), *(f"r{x}" for x in _BINARY.split()), *_OTHERS.split()):
    setattr(TaskArray, f"__{_name}__", _operator(f"__{_name}__"))
TaskArray.__hash__ = None  # type: ignore[method-assign,assignment]


def replaced(value: Any, change: Callable[[TaskArray], Any]) -> Any:
    """A value in which something else stands for arrays of tasks."""
    match value:
        case TaskArray():
            return change(value)
        case tuple() | list() if type(value) in (tuple, list):
            return type(value)(replaced(one, change) for one in value)
        case dict() if type(value) is dict:
            return {key: replaced(one, change) for key, one in value.items()}
    return value
