"""What is known of one function: a row of the table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import Enum, Flag, auto
from typing import Any

from looptx.model.dtypes import NAMES, PYTHON
from looptx.model.records import dataclass

FILLED = "fill_value"
"""The argument that says what the cells of a new array hold."""


class Kind(Enum):
    """What a function does with arrays."""

    SCALAR = "it is of single numbers"
    ELEMENTWISE = "it is of numbers, and of arrays element by element"
    REDUCTION = "it looks through what it is given, and makes one number of it"
    ARRAY = "it makes an array"
    OTHER = "it has no meaning for a nest but the value it gives"


class When(Enum):
    """Of which arguments something has to hold so that it holds of the value."""

    NEVER = "it is not known to hold"
    ALWAYS = "of none"
    FIRST = "of the first"
    ANY = "of one of them"
    ALL = "of all"

    def holds(self, of: Iterable[bool]) -> bool:
        """Whether it holds of the value.

        Args:
            of: whether it holds of each argument; there is one.
        """
        match self:
            case When.FIRST:
                return next(iter(of))
            case When.ANY:
                return any(of)
            case When.ALL:
                return all(of)
        return self is When.ALWAYS


class Reach(Flag):
    """What a function gets at besides what it is given."""

    NOTHING = 0
    VARIABLES = auto()
    """It sees those of its caller by name."""
    NAMESPACE = auto()
    """It gives the namespace that it is called in, if it is given nothing."""
    CODE = auto()
    """It runs what a text says, and gives anything."""


class Native(Enum):
    """How native code computes a function."""

    NO = "not at all: loops that call it run as Python"
    LIBM = "by C's function of the same name, with Python's errors"
    CALL = "by a call of Python's own, which has no other in C"
    UFUNC = "by the inner loop of NumPy's ufunc, so that the bits agree"
    OWN = "written out where it is lowered"


@dataclass(frozen=True, slots=True)
class Function:
    """A function of a module, or a method.

    Attributes:
        name: its full name, ``numpy.sqrt``; of a method the name alone, as nobody knows
            what it is of.
        kind: what it does with arrays.
        pure: whether a call gives the same again, and does nothing else.
        fresh: whether what it gives shares no memory with what it is given.
        keeps: whether it keeps what it is given in what it is a method of.
        reach: what it gets at besides.
        number: whether it gives a single number: a reduction for one argument, an
            elementwise function for numbers.
        inputs: how many positional arguments it reads; NumPy writes to the one behind
            them. None for any number of them.
        least: how many it has to be given; ``max(A)`` looks through an array.
        integer: when it gives an integer.
        nonnegative: when what it gives is not below zero.
        combines: the operator of the reductions that it makes.
        fill: of what makes arrays, the text of what cells hold: empty for what is not
            known, ``FILLED`` where an argument says it. None for other functions.
        like: whether it is given an array of the same shape, not a shape.
        dtype: the place of the argument that is the type of the elements, 0 for none.
        looks: whether it makes one number of rows of arrays, and of other things.
        is_type: whether it is one of NumPy's types of numbers: ``np.float64(A)`` is A,
            if A is of it.
        alias: what NumPy's function calls itself, where that is another name.
        errors: the errors that ``math`` raises where numbers have no value: ``domain``
            (ValueError), ``range`` (OverflowError), or both.
        native: how native code computes it.
    """

    name: str
    kind: Kind
    pure: bool = True
    fresh: bool = True
    keeps: bool = False
    reach: Reach = Reach.NOTHING
    number: bool = True
    inputs: int | None = None
    least: int = 0
    integer: When = When.NEVER
    nonnegative: When = When.NEVER
    combines: str = ""
    fill: str | None = None
    like: bool = False
    dtype: int = 0
    looks: bool = False
    is_type: bool = False
    alias: str = ""
    errors: tuple[str, ...] = ()
    native: Native = Native.NO

    @property
    def module(self) -> str:
        """The package that it is in: ``numpy`` for ``numpy.linalg.norm``."""
        return self.name.partition(".")[0] if "." in self.name else ""

    @property
    def own(self) -> str:
        """Its name in the package."""
        return self.name.partition(".")[2] or self.name

    @property
    def converts(self) -> str:
        """The type in ``dtypes`` that it makes numbers of; empty where it is none."""
        if self.module == "builtins":
            return PYTHON.get(self.own, "")
        return NAMES.get(self.own, "") if self.is_type else ""

    @property
    def is_shaped(self) -> bool:
        """Whether it makes an array of the shape that it is given first."""
        return self.fill is not None and not self.like

    def takes(self, given: int) -> bool:
        """Whether it computes with so many positional arguments."""
        return self.reads(given) and given >= (self.least or self.inputs or 0)

    def reads(self, given: int) -> bool:
        """Whether it only reads as many positional arguments."""
        return self.inputs is None or given <= self.inputs


def rows(module: str, names: str, kind: Kind, **answers: Any) -> Iterator[Function]:
    """The rows of functions of which the same is known, each by its full name.

    Args:
        module: what they are in, empty for methods.
        names: theirs, with blanks between.
        kind: what they do with arrays.
        answers: the other fields of ``Function``.
    """
    prefix = f"{module}." if module else ""
    for name in names.split():
        yield Function(prefix + name, kind, **answers)
