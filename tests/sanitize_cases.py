"""Functions with arguments that end where memory ends, for the sanitizers.

A *case* is a function, its nests as Cython for the types they meet, and *calls* with
what CPython makes of them.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np
from fuzz.weaving import Specialise, woven
from programs_run import exactly

from looptx.emit.cython import Section
from looptx.errors import BuildFailed, LooptxError
from looptx.model.types import Type
from looptx.native.analysis.function import Analysis, NestInfo
from looptx.native.analysis.function_text import FunctionText
from looptx.native.call.dispatch import Dispatcher, Version

VERSIONS = 3
"""A nest is compiled for so many types at most."""

IMPORTS = {"np": "numpy"}


@dataclass(frozen=True)
class Call:
    """Arguments, the layouts of arrays, and what CPython leaves behind."""

    arguments: Mapping[str, Any]
    layouts: Mapping[str, str]
    threads: int
    expected: Sequence[object] = ()

    def given(self) -> dict[str, Any]:
        """Fresh arguments."""
        return {
            name: laid_out(value, self.layouts[name])
            if isinstance(value, np.ndarray)
            else value
            for name, value in self.arguments.items()
        }

    def __str__(self) -> str:
        parts = [
            f"{name}: {value.dtype}{value.shape} {self.layouts[name]}"
            if isinstance(value, np.ndarray)
            else f"{name}={value}"
            for name, value in self.arguments.items()
        ]
        return f"{', '.join(parts)}; {self.threads} threads"


@dataclass
class Case:
    """A function.

    Attributes:
        name: what makes it again. text: the function.
        infos: its nests. entries: by nest and types, the name of the native function.
        functions: the Cython texts. calls: what it is called with.
    """

    name: str
    text: str
    infos: tuple[NestInfo, ...] = ()
    entries: dict[tuple[int, tuple[Type, ...]], str] = field(default_factory=dict)
    functions: list[Section] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)

    def original(self) -> FunctionType:
        """The function as it stands."""
        scope: dict[str, Any] = {"np": np}
        exec(compile(self.text, "case.py", "exec"), scope)
        return next(v for v in scope.values() if isinstance(v, FunctionType))

    @property
    def source(self) -> FunctionText:
        return FunctionText(self.text, "case.py", 0)

    def woven(self, specialise: Specialise) -> tuple[FunctionType, list[Dispatcher]]:
        """The function with its nests dispatched, and the dispatchers."""
        return woven(self.original(), self.text, self.infos, specialise)


def laid_out(value: Any, layout: str) -> Any:
    """A copy in a block of its own that ends where the last element ends.

    Args:
        value: an array.
        layout: ``"C"``, ``"F"``, ``"reversed"`` (negative strides) or ``"spread"``
            (every second element).
    """
    if not value.size:
        block = np.empty(1, value.dtype)
        # NumPy gives an array without elements room for one: stand behind it.
        return np.ndarray(value.shape, value.dtype, block, block.nbytes)
    if layout in "CF":
        return np.array(value, order=layout)
    back = (slice(None, None, -1),) * value.ndim
    if layout == "reversed":
        return np.array(value[back], order="C")[back]
    block = np.zeros((*value.shape[:-1], 2 * value.shape[-1] - 1), value.dtype)
    block[..., ::2] = value
    return block[..., ::2]


def left_behind(called: Callable[..., Any], arguments: dict[str, Any]) -> list[object]:
    """What a call returns or raises, and all its arrays, to the bit and the type.

    Arguments that a call leaves as they are can be used again.
    """
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result = called(**arguments)
        except Exception as error:
            result = type(error).__name__
    results = result if isinstance(result, tuple) else (result,)
    arrays = [value for value in arguments.values() if isinstance(value, np.ndarray)]
    return [exactly(value) for value in (*results, *arrays)]


def collect(made: Case) -> None:
    """Print the nests of a case as Cython for the types that its calls lead to.

    Raises:
        LooptxError: a schedule is refused.
    """
    # Not above: a process that only runs cases needs no proof.
    from looptx.native.analysis.exception_order import nest_code

    reading = Analysis(made.source, (), IMPORTS)
    made.infos = reading.nests()

    def specialise(number: int, types: tuple[Type, ...]) -> Version:
        if sum(at == number for at, _ in made.entries) == VERSIONS:
            raise BuildFailed("LX504", "it is compiled for other types")
        known = dict(zip(made.infos[number].live_in, types, strict=True))
        name = f"case_{made.name}_{len(made.functions)}"
        planned = reading.plan(number, known)
        imports = reading.parts[number][0].imports
        made.functions.append(nest_code(planned, known, name, imports).section)
        made.entries[number, types] = name
        return Version(_guarded, types, 0.0, "compiled", Path())

    woven, _ = made.woven(specialise)
    for call in made.calls:
        given = call.given()
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                woven(**given)
            except LooptxError:
                raise
            except Exception:
                continue


def _guarded(*_values: object) -> None:
    """Stands for native code whose guards fail: the loops as written run."""
