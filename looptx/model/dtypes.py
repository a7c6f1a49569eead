"""The types of numbers that arrays hold: one row each, all else follows from it."""

from __future__ import annotations

from looptx.model.records import dataclass


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
        alike: more names in annotations: of types with the same values, and those of
            older versions of NumPy.
        stored: the type whose values C sees in memory, if C has no type of its own for
            a cell: its bits, which are decoded and encoded.
        computed: the type in which C computes, if not in this one; what comes out is
            rounded.
        part: the type of its two parts, if it is one of complex numbers.
        number: NumPy's of it, by which its functions for floats are found.
    """

    name: str
    kind: str
    bits: int
    c: str
    short: str
    aliases: tuple[str, ...] = ()
    python: str = ""
    alike: tuple[str, ...] = ()
    stored: str = ""
    computed: str = ""
    part: str = ""
    number: int = 0

    @property
    def size(self) -> int:
        """How many bytes it takes in memory."""
        return self.bits // 8

    @property
    def is_integer(self) -> bool:
        """Whether its values are integers, and no truth values."""
        return self.kind in "ui"

    @property
    def is_complex(self) -> bool:
        """Whether its values have two parts."""
        return self.kind == "c"

    @property
    def is_inexact(self) -> bool:
        """Whether its values are rounded: floats, and complex numbers of these."""
        return self.kind in "fc"

    @property
    def real(self) -> Dtype:
        """The type of its real parts."""
        return DTYPES[self.part or self.name]

    @property
    def scalar(self) -> str:
        """What NumPy's type of one value is called."""
        return "bool_" if self.kind == "b" else self.name

    @property
    def digits(self) -> int:
        """The bits of the largest integers up to which it has every one."""
        known = {"b": 1, "u": self.bits, "i": self.bits - 1}
        return known.get(self.kind) or {16: 11, 32: 24}.get(self.real.bits, 53)

    @property
    def is_unsigned(self) -> bool:
        """Whether C computes without a sign where it meets it: no int holds it."""
        return self.kind == "u" and self.bits >= 32

    @property
    def in_memory(self) -> Dtype:
        """The type that C takes its cells for."""
        return DTYPES[self.stored or self.name]

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
    Dtype("bool", "b", 8, "bint", "b", ("bool_",), "bool", stored="uint8"),
    Dtype("int8", "i", 8, "int8_t", "i8", ("byte",)),
    Dtype("uint8", "u", 8, "uint8_t", "u8", ("ubyte",)),
    Dtype("int16", "i", 16, "int16_t", "i16", ("short",)),
    Dtype("uint16", "u", 16, "uint16_t", "u16", ("ushort",)),
    Dtype("int32", "i", 32, "int32_t", "i32", ("intc",)),
    Dtype("uint32", "u", 32, "uint32_t", "u32", ("uintc",)),
    Dtype("int64", "i", 64, "int64_t", "i64", ("int_", "intp"), "int", ("longlong",)),
    Dtype("uint64", "u", 64, "uint64_t", "u64", ("uint", "uintp"), "", ("ulonglong",)),
    Dtype(
        "float16",
        "f",
        16,
        "float",
        "f16",
        ("half",),
        stored="uint16",
        computed="float32",
        number=23,
    ),
    Dtype("float32", "f", 32, "float", "f32", ("single",), number=11),
    Dtype(
        "float64",
        "f",
        64,
        "double",
        "f64",
        ("double",),
        "float",
        ("float_",),
        number=12,
    ),
    Dtype(
        "complex64",
        "c",
        64,
        "float complex",
        "c64",
        ("csingle",),
        part="float32",
        number=14,
    ),
    Dtype(
        "complex128",
        "c",
        128,
        "double complex",
        "c128",
        ("cdouble",),
        "complex",
        ("complex_",),
        part="float64",
        number=15,
    ),
)
"""From small to large: NumPy promotes two of them to the first that holds both."""

DTYPES = {row.name: row for row in ROWS}
"""The types that native code supports, by name."""

INTEGERS = tuple(row.name for row in ROWS if row.is_integer)
FLOATS = tuple(row.name for row in ROWS if row.kind == "f")
NAMES = {name: row.name for row in ROWS for name in (row.name, *row.aliases)}
"""The name of a type by each of its names in NumPy."""

ANNOTATIONS = NAMES | {name: row.name for row in ROWS for name in row.alike}
"""The name of a type by each of its names in annotations."""

PYTHON = {row.python: row.name for row in ROWS if row.python}
"""The types that have the values of Python's own, by the names of these."""

_LETTERS = dict(
    zip(
        "?bBhHiIlLqQpPefdFD",
        (
            *("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32"),
            *("int64", "uint64") * 3,
            *("float16", "float32", "float64", "complex64", "complex128"),
        ),
        strict=True,
    )
)
_SIZED = {f"{row.kind}{row.size}": row.name for row in ROWS}


def spelled(text: str) -> str:
    """The type that NumPy takes a text for: ``int32``, ``i4``, ``<f8``, ``d``.

    Empty for a type that is not among these, or of no numbers.
    """
    short = text.lstrip("<>=|")
    known = (ANNOTATIONS.get(text), PYTHON.get(text), _SIZED.get(short))
    return next((name for name in known if name), _LETTERS.get(short, ""))


def promoted(*names: str) -> str:
    """The type in which NumPy combines numbers of several."""
    rows = [DTYPES[name] for name in names]
    for row in ROWS:
        if all(map(row.holds, rows)):
            return row.name
    return "complex128" if any(row.kind == "c" for row in rows) else "float64"


def made_complex(dtype: str) -> str:
    """The type of what one of Python's complex numbers makes of one of NumPy's."""
    return promoted(dtype, "complex64") if DTYPES[dtype].is_inexact else "complex128"


def is_converted(dtype: str) -> bool:
    """Whether it is a type of integers in which C does not compute by itself.

    C computes in int and in the type of Python's ints.
    """
    return DTYPES[dtype].is_integer and not DTYPES[dtype].python
