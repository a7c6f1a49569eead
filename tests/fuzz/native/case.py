"""A function, its nests as Cython for the types they meet, and its calls."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import product
from types import EllipsisType, FunctionType
from typing import Any
from unittest import mock

import numpy as np

from fuzz.generate.habits.optional import MAYBE
from fuzz.generate.habits.planes import COLUMN, ONE, REAL, TWO
from fuzz.native.callees import defined
from fuzz.native.calls import Call, calls
from fuzz.native.judge import Wrong, fault
from fuzz.native.lines import joined
from fuzz.native.weaving import Specialise, woven
from fuzz.programs.model import Program
from fuzz.values.left import FILLINGS, Poisoned, left
from looptx.emit.cython import Cython, Section
from looptx.errors import BuildFailed, LooptxError
from looptx.model.types import ArrayType, Type
from looptx.native.analysis.function import Analysis
from looptx.native.analysis.function_text import FunctionText
from looptx.native.analysis.given import Given
from looptx.native.analysis.nest_info import NestInfo
from looptx.native.call.axes import Axes
from looptx.native.call.dispatch import SOFT, Dispatcher, Version

VERSIONS = 1
"""A nest is compiled for so many types at most."""

IMPORTS = {"np": "numpy"}

WIDTHS = (16, 64, 32, 64)
"""Bytes of the vectors of a function, in turn; C has all of them on all machines."""

NAME = "fuzzed_nest"
"""Stands for the name of a native function until that is known."""

Key = tuple[int, tuple[Type, ...]]


@dataclass
class Case:
    """A function.

    Attributes:
        seed: what makes it again. text: the function. name: its name.
        calls: what it is called with. infos: its nests.
        entries: by nest and types, the name of the native function.
        refused: by nest and types, why there is none.
        functions: the Cython texts by name.
        wrong: what looptx does wrong before anything is compiled.
    """

    seed: int
    text: str
    name: str
    calls: tuple[Call, ...]
    infos: tuple[NestInfo, ...] = ()
    entries: dict[Key, str] = field(default_factory=dict)
    refused: dict[Key, str] = field(default_factory=dict)
    functions: dict[str, Section] = field(default_factory=dict)
    wrong: Wrong | None = None

    @property
    def complex(self) -> bool:
        """Whether it has complex numbers: their modules are compiled twice or more.

        That is where the compiler fuses products and sums (``native/rounding.py``).
        """
        return any("complex" in one.text for one in self.functions.values())

    def original(self, numpy: Any = np) -> FunctionType:
        """The function as it stands.

        Args:
            numpy: what ``np`` is in it.
        """
        return _function(self.text, self.name, numpy)

    def woven(
        self, specialise: Specialise, numpy: Any = np
    ) -> tuple[FunctionType, list[Dispatcher]]:
        """The function with its nests dispatched, and the dispatchers."""
        return woven(self.original(numpy), self.text, self.infos, specialise)

    def numbered(self, seed: int) -> Case:
        """The case under another number."""

        def named(text: str) -> str:
            return text.replace(f"case_{self.seed}_", f"case_{seed}_")

        functions = {
            named(name): replace(one, text=named(one.text))
            for name, one in self.functions.items()
        }
        entries = {key: named(name) for key, name in self.entries.items()}
        return replace(self, seed=seed, functions=functions, entries=entries)

    def compiled(self, number: int, types: tuple[Type, ...]) -> str:
        """The name of the native function for these types, or for any strides.

        Raises:
            BuildFailed: LX504 when there is none.
        """
        for wider in _wider(types):
            name = self.entries.get((number, wider))
            if name is not None:
                return name
        reason = self.refused.get((number, types), "it is compiled for other types")
        raise BuildFailed("LX504", reason)


def _function(text: str, name: str, numpy: Any) -> FunctionType:
    scope: dict[str, Any] = {"np": numpy}
    exec(compile(text, "case.py", "exec"), scope)
    found = scope[name]
    assert isinstance(found, FunctionType)
    return found


def _wider(types: tuple[Type, ...]) -> Iterator[tuple[Type, ...]]:
    """The types, and those with any strides in the place of known ones."""
    ways = [
        (one, replace(one, layout="A")) if isinstance(one, ArrayType) else (one,)
        for one in types
    ]
    yield from product(*ways)


def case(
    made: Program,
    seed: int,
    only: int | None = None,
    target: type[Cython] = Cython,
) -> Case:
    """The case of a program with one function.

    What looptx raises is a refusal that the program may deserve, or else ``wrong``.

    Args:
        made: the program. seed: what the calls follow from.
        only: the number of the only call to make.
        target: what writes the functions of its nests.

    Raises:
        LooptxError: a schedule is refused.
    """
    text = defined(made.text().removeprefix("import numpy as np\n\n\n"))
    text = text if made.directives else joined(text, seed)
    name = made.functions[0].name
    wanted = tuple(
        call
        for call in calls(made, _function(text, name, np), seed)
        if only in (None, call.number)
    )
    found = Case(seed, text, name, wanted)
    with mock.patch("looptx.hints.suggest", lambda *_: ""):
        try:
            collect(found, _wide(target, WIDTHS[seed % len(WIDTHS)]))
        except Exception as error:
            found.wrong = fault(error)
            if found.wrong is None:
                raise
    return found


@cache
def _wide(target: type[Cython], size: int) -> type[Cython]:
    """A target with vectors of so many bytes, as ``tuned`` has those of a machine."""
    if size <= target.vector:
        return target

    class Wide(target):  # type: ignore[misc, valid-type]
        vector = size

    return Wide


def _axes(found: Case) -> Axes:
    """What the first call says of arrays that are used as a whole."""
    given = found.calls[0].arrays if found.calls else ()
    known = {x.name: x for x in given if x.name in (ONE, TWO, REAL, COLUMN)}
    wide = any(one.shape[1] > 1 for one in known.values())
    return tuple(
        (
            *(name, len(one.shape), one.dtype.startswith("complex")),
            (1,) if one.shape[1] == 1 and wide else (),
        )
        for name, one in known.items()
    )


def _told(found: Case) -> dict[str, EllipsisType | None]:
    """What a kernel is told of what may be None, which all calls are given or none."""
    absent = any(MAYBE in call.absent for call in found.calls)
    return {MAYBE: None if absent else ...}


def collect(found: Case, target: type[Cython] = Cython) -> None:
    """Print the nests of a case as Cython for the types that its calls lead to.

    Nothing runs natively yet: all calls must end as in CPython.

    Raises:
        Exception: of looptx, while it reads the text; LooptxError for a refusal.
    """
    source = FunctionText(found.text, "case.py")
    reading = Analysis(source, (), IMPORTS, given=Given(_axes(found), _told(found)))
    reading.target = target
    found.infos = reading.nests()
    raised: list[Exception] = []

    def specialise(number: int, types: tuple[Type, ...]) -> Version:
        key = number, types
        try:
            found.compiled(number, types)
        except BuildFailed:
            if sum(at == number for at, _ in found.entries) == VERSIONS:
                raise
            live_in = found.infos[number].live_in
            try:
                known = dict(zip(live_in, types, strict=True))
                section = reading.entry(number, known, NAME).section
            except Exception as error:
                found.refused[key] = str(getattr(error, "message", error))
                raised.append(error)
                raise
            name = f"case_{found.seed}_{len(found.functions)}"
            renamed = section.text.replace(NAME, name)
            found.functions[name] = replace(section, text=renamed)
            found.entries[key] = name
        return Version(_guarded, types, 0.0, "compiled", "")

    numpy = Poisoned(FILLINGS[0])
    woven, _ = found.woven(specialise, numpy)
    for call in found.calls:
        made = left(woven, call)
        for error in raised:
            found.wrong = fault(error, call.number)
            if found.wrong is not None:
                return
            if isinstance(error, LooptxError) and error.code not in SOFT:
                raise error
        raised.clear()
        different = made.difference(left(found.original(numpy), call))
        if different:
            found.wrong = Wrong("is woven wrongly", call.number, f"{call}\n{different}")
            return


def _guarded(*_values: object) -> None:
    """Stands for native code whose guards fail: the loops as written run."""
