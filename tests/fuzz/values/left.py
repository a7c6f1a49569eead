"""What a call leaves behind, to be compared to the bit with what CPython does."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from fuzz.native.calls import Call
from fuzz.values.memory import Memory

EXACT = {"float32": 2.0**22}
MOST = 2.0**50
"""Sums of integers up to here are exact in any order, in other types than those."""

NUMBER = re.compile(r"(?:np\.\w+)?\(?([^()]*)\)?")
"""A float or a complex number as Python prints it."""

FILLINGS = (0x00, 0x11, 0xEE, 0xFF)
"""What arrays that are ``empty`` are full of, in turn; where that is of no account, all
give the same. Tiny and huge floats are lost in a sum or a remainder, NaN is not; as
truth values all are the same but zero."""


class Poisoned:
    """NumPy, with arrays that are ``empty`` full of something."""

    def __init__(self, byte: int) -> None:
        self.byte = byte

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)

    def empty(self, shape: Any, dtype: Any = float) -> Any:
        """An array of poison."""
        found = np.empty(shape, dtype)
        found.reshape(-1).view(np.uint8)[...] = self.byte
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
            result = error
    call.forget(memory)
    if isinstance(result, Exception):
        return Left([(type(result).__name__, str(result))], memory)
    results = result if isinstance(result, tuple) else (result,)
    return Left([(type(value).__name__, repr(value)) for value in results], memory)
