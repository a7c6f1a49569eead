"""Types of what a nest reads: all the proof and the native code must know."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from looptx.model.dtypes import DTYPES


@dataclass(frozen=True, slots=True)
class ScalarType:
    """A number. ``weak`` marks a Python ``bool``, ``int``, ``float`` or ``complex``.

    Weak numbers adopt the other operand's precision, as NumPy 2 defines (NEP 50); their
    ``dtype`` is ``bool``, ``int64``, ``float64`` or ``complex128``.
    """

    dtype: str
    weak: bool = False

    def __str__(self) -> str:
        return f"python {self.dtype}" if self.weak else self.dtype


@dataclass(frozen=True, slots=True)
class ArrayType:
    """An array of ``ndim`` dimensions; ``layout``: ``C``, ``F`` or ``A`` (any)."""

    dtype: str
    ndim: int
    layout: str = "C"

    def __str__(self) -> str:
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
