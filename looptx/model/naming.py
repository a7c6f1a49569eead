"""Names that nothing has yet."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from itertools import count
from keyword import iskeyword

END = "_looptx_end"
"""Which ``return`` a nest came to, from 1; 0 for none."""

VALUE = "_looptx_value"
"""What the names of the values begin with that a ``return`` in a nest has."""


RESULT = "_looptx_r"
"""The variable of what a native nest gives to its function."""

HELD = "_looptx_"
"""What the names of other variables begin with that the source does not have."""


DRAWN = tuple(f"{HELD}random_{part}" for part in ("key", "made", "spare"))
"""The names of what nests draw random numbers from: see ``source.callees.mersenne``."""

DRAW = f"{HELD}draw_"
"""What the names of the functions begin with that draw from them."""

SEVERAL = f"{HELD}drawn_"
"""What the names begin with of several numbers that are drawn at once."""

RANGE = "builtins.range"
PRANGES = ("numba.prange", "numba.misc.special.prange")
"""Full names of Numba's loops over a range: in Python ``prange`` gives just that."""

OF = "\N{MODIFIER LETTER HALF TRIANGULAR COLON}"
"""Stands for the dot in the name of a number that an object holds."""

_FLAT = f"{OF}flat"
_FLAT_ROWS = f"{_FLAT}_rows"

LIST = "_list_"
"""Stands behind the name of a list in those of the variables that nests have for it."""

PART = "part"
"""What names are made of that stand for the parts of containers a loop goes through."""

_AGAIN = "_again"
"""Ends the name of an array whose name in the source is that of another one, too."""


def is_noted(name: str) -> bool:
    """Whether a name says which ``return`` was come to, or what is returned there."""
    return name == END or name.removeprefix(VALUE).isdecimal()


def again(name: str, taken: Collection[str]) -> str:
    """A name for another array that the source calls the same."""
    return free(_stem(name), taken)


def _stem(name: str) -> str:
    """What ``again`` makes names of."""
    return f"{HELD}{called(name)}{_AGAIN}"


def is_part(name: str) -> bool:
    """Whether a name stands for what a loop goes through, and the source has none."""
    return name.startswith(f"{HELD}{PART}{_AGAIN}")


def called(name: str) -> str:
    """What the source calls an array that may have a name of ``again``."""
    return re.sub(rf"{HELD}(\w+?){_AGAIN}\d*", r"\1", name)


def flat(array: str, taken: Collection[str]) -> str:
    """A name for the view of the elements of an array, row by row."""
    return free(f"{HELD}{array}{_FLAT}", taken)


def flat_rows(array: str, taken: Collection[str]) -> str:
    """A name for the view of an array in which each of its parts is one row."""
    return free(f"{HELD}{array}{_FLAT_ROWS}", taken)


def is_flat(name: str) -> bool:
    """Whether a name is one of ``flat`` or ``flat_rows``."""
    return name.startswith(HELD) and _FLAT in name


def flat_axis(name: str) -> int | None:
    """The axis of a view that counts cells row by row; None for other arrays."""
    return int(_FLAT_ROWS in name) if is_flat(name) else None


def told(text: str) -> str:
    """A text in the words of the source, which has no names for parts of tuples.

    Nor does it tell arrays apart that have one name after the other.
    """
    if HELD not in text:
        return text
    given = f"{', '.join(DRAWN[:2])}(?:, {DRAWN[2]})?(?:, )?"
    text = re.sub(rf"\b{DRAW}(\w+)\({given}", r"np.random.\1(", text)
    text = re.sub(rf"\b{DRAW}(\w+)\({DRAWN[0]}[^`]*", r"np.random.\1(...)", text)
    text = re.sub(rf"`{SEVERAL}\w+`", "what is drawn", text)
    text = re.sub(rf"`{DRAWN[0]}` is \S+", _DRAWS, text)
    text = re.sub(rf"{DRAWN[0]} is a value of type \w+", _DRAWS, text)
    text = re.sub(rf"`(?:{'|'.join(DRAWN)})` has no value[\w ]*", _DRAWS, text)
    text = re.sub(rf"`?\b{VALUE}\d+\b`?", "what is returned", text)
    text = re.sub(rf"\b{HELD}([^\W{OF}]+){OF}", r"\1.", text)
    text = re.sub(rf"\b{HELD}(\w+)_flat\b", r"\1.flat", text)
    text = re.sub(rf"\b{HELD}(\w+?){LIST}\w+\b", r"\1", text)
    text = re.sub(rf"\b(i?){HELD}(\w+?){_AGAIN}\d*\b", r"\1\2", text)
    return re.sub(rf"\b{HELD}(\w+?)_(\d+)\b", r"\1[\2]", text)


_DRAWS = "it draws random numbers"


def drawn(names: Sequence[str]) -> tuple[int, ...]:
    """The places of ``DRAWN`` among names, -1 for none; empty where none is."""
    places = tuple(names.index(one) if one in names else -1 for one in DRAWN)
    return places if max(places) >= 0 else ()


def free(stem: str, taken: Collection[str], first: int = 1) -> str:
    """``stem`` if that is a free name, else with the first free number behind it.

    Args:
        stem: the name that would be best.
        taken: the names that there are.
        first: the number to begin with.

    Returns:
        A name that is not taken.
    """
    if stem not in taken and not iskeyword(stem):
        return stem
    return next(n for k in count(first) if (n := f"{stem}{k}") not in taken)


def mangled(name: str, owner: str) -> str:
    """What an attribute is called that a text in a class names.

    Args:
        name: in the text. owner: the class; empty for none.
    """
    stem = owner.lstrip("_")
    private = stem and name.startswith("__") and not name.endswith("__")
    return f"_{stem}{name}" if private else name


WRITTEN = frozenset(("min", "max", "int"))
"""The builtins that rewritten Python may call where the source does not."""

COUNTED = frozenset(("range", "len", "min"))
"""Those that loops over elements are rewritten with."""


class Taken(set[str]):
    """The names of a function, with those that it is given for more variables."""

    def free(self, stem: str) -> str:
        """A name that nothing has yet, see ``free``: it is taken now."""
        name = free(stem, self)
        self.add(name)
        return name

    def again(self, name: str) -> str:
        """A name for what the source calls so, see ``again``."""
        return self.free(_stem(name))

    def new(self, stem: str) -> str:
        """A name for what the source does not have."""
        return self.free(f"{HELD}{stem}")
