"""Types of what a nest reads: all the proof and the native code must know."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import TypeAlias

from looptx.model.dtypes import DTYPES
from looptx.model.records import dataclass, field


@dataclass(frozen=True, slots=True)
class ScalarType:
    """A number. ``weak`` marks a Python ``bool``, ``int``, ``float`` or ``complex``.

    Weak numbers adopt the other operand's precision, as NumPy 2 defines (NEP 50); their
    ``dtype`` is ``bool``, ``int64``, ``float64`` or ``complex128``, and ``uint64`` for
    an int that may be beyond 63 bits, and is not negative.
    """

    dtype: str
    weak: bool = False

    def __str__(self) -> str:
        return f"python {self.dtype}" if self.weak else self.dtype


_INT, _UNSIGNED = (ScalarType(one, weak=True) for one in ("int64", "uint64"))


def of_int(number: int) -> ScalarType:
    """The type of an int of Python, which C has without a sign beyond 63 bits."""
    return _UNSIGNED if 1 << 63 <= number < 1 << 64 else _INT


HELD = 1 << 31
"""Integers in lists that a nest is given are at most that, up or down, where it begins:
what loops make of them has room in a word then, and few numbers in lists are larger."""


@dataclass(frozen=True, slots=True)
class ArrayType:
    """An array of ``ndim`` dimensions; ``layout``: ``C``, ``F`` or ``A`` (any).

    It may stand for a list or a tuple, or for some in others: ``holders`` says so of
    each axis. In these there are numbers of Python, of the types ``elements``.
    """

    dtype: str
    ndim: int
    layout: str = "C"
    holders: tuple[str, ...] = ()
    elements: tuple[str, ...] = ()

    @property
    def members(self) -> Sequence[ScalarType]:
        """The types that elements have where the nest begins."""
        weak = [ScalarType(dtype, weak=True) for dtype in self.elements]
        return weak or [ScalarType(self.dtype)]

    def __str__(self) -> str:
        if self.holders:
            outer, *inner = self.holders
            numbers = " or ".join(map(str, self.members))
            return " of ".join([outer, *(f"{x}s" for x in inner), numbers])
        axes = [":"] * self.ndim
        if self.layout == "C" and axes:
            axes[-1] = "::1"
        elif self.layout == "F" and axes:
            axes[0] = "::1"
        return f"{self.dtype}[{', '.join(axes)}]"


Type: TypeAlias = ScalarType | ArrayType


def is_integer(kind: Type | None) -> bool:
    """Whether arithmetic on this type is exact in any order."""
    return kind is not None and DTYPES[kind.dtype].kind in "bui"


class Way(Enum):
    """How a name gets what it holds."""

    GIVEN = "by the caller"
    VALUE = "it is assigned an expression"
    PART = "it is assigned a part of what an expression gives, or an element of it"
    COUNT = "it counts a loop over a range"
    OTHER = "in another way: it may be anything, or have no value at all"


WHOLE = 1 << 30
"""More subscripts than anything takes: no part of it."""


@dataclass(frozen=True, slots=True)
class Definition:
    """One way a name may have got what it holds where a nest starts.

    Attributes:
        way: how. name: the name.
        value: the expression, where there is one.
        annotation: what the text says of it there.
        reads: the definitions that reach the names in the value, by their numbers.
        functions: the full names of what the value calls and reads.
        stores: what may be stored into it, where it is a list: definitions by their
            numbers, and how many subscripts the places have.
        taken: the fewest subscripts of a part of it that anything may be stored into.
    """

    way: Way
    name: str
    value: ast.expr | None = None
    annotation: str = ""
    reads: Mapping[str, frozenset[int]] = field(default_factory=dict)
    functions: Mapping[str, str] = field(default_factory=dict)
    stores: frozenset[tuple[int, int]] = frozenset()
    taken: int = WHOLE
