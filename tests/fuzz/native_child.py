"""Runs cases with their module: ``python -m fuzz.native_child FOLDER``.

What is running is written to ``FOLDER/at`` first, for the case that this process dies.
``FOLDER/found`` is what ran natively, and the first difference of every case.
"""

from __future__ import annotations

import os
import pickle
import re
import sys
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from fuzz.native_calls import Call
from fuzz.native_case import Case
from fuzz.native_memory import Memory
from looptx.model.types import Type
from looptx.native import load, runtime, shared
from looptx.native.build import Built
from looptx.native.dispatch import Version

EXACT = {"float32": 2.0**22}
MOST = 2.0**50
"""Sums of integers up to here are exact in any order, in other types than those."""

NUMBER = re.compile(r"(?:np\.\w+)?\(?([^()]*)\)?")
"""A float or a complex number as Python prints it."""


@dataclass
class Found:
    """What became of some cases.

    Attributes:
        counts: of calls, of native runs of nests, and of fallbacks by reason.
        wrong: by the number of a case, its call and what is different.
    """

    counts: Counter[str] = field(default_factory=Counter)
    wrong: dict[int, tuple[int, str]] = field(default_factory=dict)


class Poisoned:
    """NumPy, with arrays that are ``empty`` full of something."""

    def __init__(self, byte: int) -> None:
        self.byte = byte

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)

    def empty(self, shape: Any, dtype: Any = float) -> Any:
        """An array of poison."""
        found = np.empty(shape, dtype)
        found.view(np.uint8)[...] = self.byte
        return found


@dataclass
class Left:
    """What a call leaves behind: results or an exception, and memory."""

    results: list[object]
    memory: Memory

    def like(self, other: Left) -> bool:
        """Whether the other is the same to the bit."""
        same = self.results == other.results
        return same and self.memory.left() == other.memory.left()

    def difference(self, other: Left) -> str:
        """What is not as in the other; ``""`` for nothing."""
        if self.like(other):
            return ""
        found = [self.memory.difference(other.memory)]
        if self.results != other.results:
            found.append(f"it gives {self.results}, CPython {other.results}")
        return "\n".join(filter(None, found))

    def exact(self) -> bool:
        """Whether all numbers are small integers; zeros lose their signs."""
        for one in self.memory.arrays.values():
            if one.dtype.kind not in "fc":
                continue
            if one.flags.writeable:
                one[...] += 0
            for part in (one.real, one.imag):
                if not np.all(_exact(part, one.dtype.name)):
                    return False
        self.results = list(map(_unsigned, self.results))
        return all(map(_is_exact, self.results))


def _exact(numbers: Any, dtype: str) -> Any:
    """Which of some floats are small integers."""
    return (np.abs(numbers) < EXACT.get(dtype, MOST)) & (numbers == np.rint(numbers))


def _number(result: object) -> complex | None:
    """A result, given by its type and text, that is a float or a complex number."""
    kind, text = result if isinstance(result, tuple) else ("", "")
    found = NUMBER.fullmatch(text) if kind.startswith(("float", "complex")) else None
    return complex(found[1]) if found else None


def _is_exact(result: object) -> bool:
    """Whether a result is no float or a small integer."""
    number = _number(result)
    if number is None or not isinstance(result, tuple):
        return True
    return all(_exact(part, result[0]) for part in (number.real, number.imag))


def _unsigned(result: object) -> object:
    """A result without the sign of a zero."""
    number = _number(result)
    if number is None or not isinstance(result, tuple):
        return result
    return result[0], repr(complex(number.real + 0.0, number.imag + 0.0))


def left(called: Callable[..., Any], call: Call) -> Left:
    """What a function leaves behind."""
    memory = call.memory()
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result = called(**call.arguments(memory))
        except Exception as error:
            return Left([(type(error).__name__, str(error))], memory)
    results = result if isinstance(result, tuple) else (result,)
    return Left([(type(value).__name__, repr(value)) for value in results], memory)


class Runner:
    """Runs the cases of a module.

    Args:
        module: with the native functions. at: where to say what is running.
    """

    def __init__(self, module: ModuleType, at: Path) -> None:
        self.module = module
        self.at = os.open(at, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        self.found = Found()

    def run(self, number: int, case: Case) -> None:
        """Make every call of a case."""
        counts = self.found.counts

        def counted(entry: Callable[..., Any]) -> Callable[..., Any]:
            def run(*values: Any) -> Any:
                try:
                    return entry(*values)
                except Exception:
                    counts["native, raising"] += 1
                    raise

            return run

        def specialise(nest: int, types: tuple[Type, ...]) -> Version:
            entry = getattr(self.module, case.compiled(nest, types))
            return Version(counted(entry), types, 0.0, "compiled", "")

        woven, dispatchers = case.woven(specialise)
        for call in case.calls:
            expected = self._expected(case, call)
            if expected is None:
                continue
            for threads in call.threads:
                os.pwrite(self.at, b"%9d %9d" % (number, call.number), 0)
                runtime._threads.limit = threads
                counts["calls"] += 1
                found = left(woven, call)
                if not call.exact:
                    found.exact()
                different = found.difference(expected)
                if different:
                    where = f"{call}; {threads} threads\n{different}"
                    self.found.wrong.setdefault(number, (call.number, where))
        for nest in dispatchers:
            counts["native"] += nest.calls
            for reason, times in nest.fallbacks.items():
                counts[f"fallback: {_reason(reason)}"] += times

    def _expected(self, case: Case, call: Call) -> Left | None:
        """What CPython leaves behind; None where that is not defined."""
        expected = left(case.original(), call)
        if "np.empty" in case.text:
            for byte in (0x11, 0xEE):
                again = left(case.original(Poisoned(byte)), call)
                if not again.like(expected):
                    self.found.counts["calls: undefined"] += 1
                    return None
        if not call.exact and not expected.exact():
            self.found.counts["calls: inexact"] += 1
            return None
        return expected


NAMED = re.compile(r", which needs .*|\b[A-DTi-nq-ty]\b|\bidx\b|\brow\b|\bx\b|`[^`]*`")


def _reason(text: str) -> str:
    """A reason without the names in it."""
    text = text.removeprefix("LX504 ").removeprefix("not compiled natively: ")
    return NAMED.sub(lambda found: "" if "," in found[0] else "#", text)[:90]


def main(folder: Path) -> None:
    """Run the cases of a folder."""
    built: Built
    built, cases = pickle.loads((folder / "cases").read_bytes())
    assert shared.provide(built.shared)
    runner = Runner(load.load(built.library, built.module), folder / "at")
    for number, case in enumerate(cases):
        runner.run(number, case)
    (folder / "found").write_bytes(pickle.dumps(runner.found))


if __name__ == "__main__":
    # Under its own name: what is pickled is to be read elsewhere.
    from fuzz import native_child

    native_child.main(Path(sys.argv[1]))
