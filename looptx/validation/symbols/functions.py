"""What the names ``np``, ``math`` and Python's builtins mean while symbols run.

A function of plain numbers is the function itself. A function of symbols is a node of
their expression; which function it is does not matter, as both versions of a kernel
call it by one name. Whatever else a name of these modules stands for cannot be run.
"""

from __future__ import annotations

import builtins
import functools
import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from looptx.model.dtypes import PYTHON
from looptx.model.functions import lookup
from looptx.source.names.calls import is_constant, is_known
from looptx.validation.symbols.arithmetic import plain
from looptx.validation.symbols.cells import Cells, Unrunnable
from looptx.validation.symbols.constructors import Makers
from looptx.validation.symbols.element_types import ElementType
from looptx.validation.symbols.table import Symbol, Table

MODULES = {"math": math, "numpy": np, "builtins": builtins}

_NUMBERS = ("int", "float", "bool", "complex", "round", "pow", "min", "max")
_PLAIN = """
range len abs enumerate zip isinstance list tuple slice reversed sorted any all sum
map filter iter next repr str dict set frozenset
"""
_EXCEPTIONS = {
    name: value
    for name, value in vars(builtins).items()
    if isinstance(value, type) and issubclass(value, BaseException)
}
_MAKERS = frozenset(Makers(Table).known())
_BUILTINS = frozenset((*_NUMBERS, *_PLAIN.split(), "divmod", "print", *_EXCEPTIONS))


class Names:
    """A module whose functions take symbols: ``np`` or ``math``."""

    def __init__(self, module: str, known: Mapping[str, Any]) -> None:
        self._module = module
        self._known = known

    def __getattr__(self, name: str) -> Any:
        if name in self._known:
            return self._known[name]
        full = f"{self._module}.{name}"
        if is_constant(full):
            return getattr(MODULES[self._module], name)
        raise Unrunnable(f"`{full}` cannot be run on symbols")


class Functions:
    """The meanings of all names that code may use, for one table of expressions."""

    def __init__(self, table: Table) -> None:
        self.table = table
        known = {name: self._function(f"math.{name}") for name in dir(math)}
        self.math = {name: value for name, value in known.items() if value}
        self.numpy = {
            name: value
            for name in dir(np)
            if is_known(f"numpy.{name}") and (value := self._numpy(name))
        }
        self.numpy.update(Makers(lambda: self.table).known())

    @staticmethod
    def known() -> frozenset[str]:
        """The names of the builtins that code may use."""
        return _BUILTINS

    @staticmethod
    def knows(full: str) -> bool:
        """Whether code may call what a full name stands for."""
        module, _, name = full.rpartition(".")
        if module == "builtins":
            return name in _BUILTINS
        return is_known(full) or (module == "numpy" and name in _MAKERS)

    def of(self, full: str) -> Any:
        """What a full name (``numpy.sqrt``, ``math``) means, None when unknown."""
        if full == "numpy":
            return Names("numpy", self.numpy)
        if full == "math":
            return Names("math", self.math)
        module, _, name = full.rpartition(".")
        if is_constant(full):
            return getattr(MODULES[module], name)
        return {"numpy": self.numpy, "math": self.math}.get(module, {}).get(name)

    def builtins(self) -> dict[str, Any]:
        """Python's builtins, as far as they can do no harm."""
        found: dict[str, Any] = {
            name: getattr(builtins, name) for name in _PLAIN.split()
        }
        for name in _NUMBERS:
            found[name] = self._function(f"builtins.{name}")
        found["isinstance"] = _is_instance
        found["divmod"] = lambda one, other: (one // other, one % other)
        found.update(_EXCEPTIONS)
        return found

    def _function(self, full: str) -> Callable[..., Any] | None:
        """A function of numbers, as one of symbols."""
        module, _, name = full.rpartition(".")
        function = getattr(MODULES[module], name)
        if not callable(function):
            return None
        label = name if module == "builtins" else f"{module}.{name}"
        kind = lookup(full).converts if module == "builtins" else ""

        @functools.wraps(function, assigned=("__name__",), updated=())
        def call(*values: Any, **options: Any) -> Any:
            if len(values) == 1 and name in ("min", "max"):
                values = tuple(values[0])
            if any(type(value) is Symbol for value in values) and not options:
                if kind and len(values) == 1:
                    return self.table.cast(kind, values[0])
                return self.table.apply(label, function, *values)
            if any(type(value) is Cells for value in values):
                raise TypeError(f"{name} of an array")
            if len(values) == 1 and name in ("min", "max"):
                return values[0]
            return function(*values, **options)

        if name in PYTHON:
            # A type of elements, too.
            vars(call).update(dtype_name=np.dtype(function).name)
        return call

    def _numpy(self, name: str) -> Callable[..., Any] | None:
        """A NumPy function of single numbers, as one of symbols and of arrays."""
        if lookup(f"numpy.{name}").is_type:
            element = np.dtype(getattr(np, name)).name
            return ElementType(lambda: self.table, element)
        function = getattr(np, name)
        label = f"numpy.{name}"

        def quiet(*numbers: Any) -> Any:
            with np.errstate(all="ignore"):
                return function(*numbers)

        def one(*values: Any) -> Any:
            if name == "square" and len(values) == 1:
                return values[0] * values[0]
            if any(type(value) is Symbol for value in values):
                return self.table.apply(label, quiet, *values)
            return plain(quiet(*values))

        def call(*values: Any, **options: Any) -> Any:
            if options:
                raise Unrunnable(f"`{label}` with {', '.join(options)}")
            arrays = [value for value in values if type(value) is Cells]
            if not arrays:
                return one(*values)
            first = next(at for at, v in enumerate(values) if type(v) is Cells)
            others = [value for at, value in enumerate(values) if at != first]

            def ordered(own: Any, *rest: Any) -> Any:
                return one(*rest[:first], own, *rest[first:])

            return arrays[0].elementwise(ordered, *others)

        return call


def _is_instance(value: Any, kinds: Any) -> bool:
    """``isinstance``, where symbols are what their numbers are."""
    listed: Iterable[Any] = kinds if isinstance(kinds, tuple) else (kinds,)
    names = {getattr(kind, "__name__", "") for kind in listed}
    shown = value.number if type(value) is Symbol else value
    if type(value) is Cells:
        return "ndarray" in names
    return any(base.__name__ in names for base in type(shown).__mro__)
