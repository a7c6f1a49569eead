"""The types of numbers that arrays hold: one row each, all else follows from it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Dtype:
    """A type of numbers.

    Attributes:
        name: NumPy's.
        kind: NumPy's letter: ``b``, ``u``, ``i``, ``f`` or ``c``.
        bits: how many it takes in memory.
        c: the C type that holds one value.
        short: its mark in the names of C functions.
        aliases: NumPy's other names of the same type.
        python: the Python type that has its values, if one has.
    """

    name: str
    kind: str
    bits: int
    c: str
    short: str
    aliases: tuple[str, ...] = ()
    python: str = ""

    @property
    def size(self) -> int:
        """How many bytes it takes in memory."""
        return self.bits // 8

    @property
    def is_integer(self) -> bool:
        """Whether its values are integers, and no truth values."""
        return self.kind in "ui"

    @property
    def digits(self) -> int:
        """The bits of the largest integers up to which it has every one."""
        return {"b": 1, "u": self.bits, "i": self.bits - 1}.get(
            self.kind, 24 if self.bits == 32 else 53
        )

    @property
    def range(self) -> tuple[int, int]:
        """The least and the greatest integer."""
        return -(1 << self.digits) if self.kind == "i" else 0, (1 << self.digits) - 1

    def holds(self, other: Dtype) -> bool:
        """Whether it has all values of another type."""
        order = "buifc"
        signed = self.kind != "u" or other.kind in "bu"
        above = order.index(self.kind) >= order.index(other.kind)
        return above and signed and self.digits >= other.digits


ROWS = (
    Dtype("bool", "b", 8, "bint", "b", ("bool_",), "bool"),
    Dtype("uint8", "u", 8, "uint8_t", "u8", ("ubyte",)),
    Dtype("int32", "i", 32, "int32_t", "i32", ("intc",)),
    Dtype("int64", "i", 64, "int64_t", "i64", ("int_", "intp"), "int"),
    Dtype("float32", "f", 32, "float", "f32", ("single",)),
    Dtype("float64", "f", 64, "double", "f64", ("double",), "float"),
    Dtype("complex128", "c", 128, "double complex", "c128", ("cdouble",), "complex"),
)
"""In the order of C's usual arithmetic conversions."""

DTYPES = {row.name: row for row in ROWS}
"""The types that native code supports, by name."""

INTEGERS = tuple(row.name for row in ROWS if row.is_integer)
FLOATS = tuple(row.name for row in ROWS if row.kind == "f")
NAMES = {name: row.name for row in ROWS for name in (row.name, *row.aliases)}
"""The name of a type by each of its names in NumPy."""


def is_narrow(dtype: str) -> bool:
    """Whether it is a type of integers in which C does not compute: int is wider."""
    return DTYPES[dtype].is_integer and DTYPES[dtype].bits < 64
