"""NumPy's functions of random numbers, as functions that native code has.

They draw as ``np.random.RandomState`` does, word by word of the Mersenne Twister, of
which ``key`` has the words and how many of them are used. ``made`` has what was drawn
last, and ``spare`` whether there is a normal number left over, which, and the last one.

``fraction``, ``below`` and ``bell`` are functions of C, in ``emit.cython.functions``:
they change what they are given an element of. That each is given the last number, and
makes the next, keeps their order.

Nothing here runs as Python. At a ``raise`` the loops around run as written: NumPy may
refuse what it is asked for, or draws it in another way.
"""

from __future__ import annotations

import math
from typing import Any

below: Any = None
"""An integer up to a number of at most 32 bits."""

bell: Any = None
"""A normal number of mean 0 and deviation 1."""

fraction: Any = None
"""An integer of 53 bits: 27 of a word, and 26 of the next."""


def random(key: Any, made: Any) -> float:
    """A number from 0 to 1, which it is not."""
    made[0] = fraction(key[0], made[0])
    return float(made[0]) / 9007199254740992.0


def uniform(key: Any, made: Any, low: float = 0.0, high: float = 1.0) -> float:
    """A number between two.

    Args:
        key, made: what it draws from. low, high: the two.
    """
    if not -1e308 < float(high) - float(low) < 1e308:
        raise OverflowError
    first = float(low)
    return first + (float(high) - first) * random(key, made)


def randint(key: Any, made: Any, low: int, high: int) -> int:
    """An integer from one up to another, which it is not.

    Args:
        key, made: what it draws from. low, high: the two.
    """
    if not 0 < int(high | 0) - int(low | 0) < 4294967296:
        raise ValueError
    least = int(low | 0)
    most = int(high | 0) - 1 - least
    made[0] = below(key[0], made[0], most)
    return least + (int(made[0]) & 0xFFFFFFFF)


def standard_normal(key: Any, made: Any, spare: Any) -> float:
    """A normal number, of mean 0 and deviation 1.

    Args:
        key, made, spare: what it draws from.
    """
    spare[2] = bell(key[0], made[0], spare[0], spare[2])
    return float(spare[2])


def normal(
    key: Any, made: Any, spare: Any, loc: float = 0.0, scale: float = 1.0
) -> float:
    """A normal number, of a mean and a deviation.

    Args:
        key, made, spare: what it draws from. loc: the mean. scale: the deviation.
    """
    if not scale > 0:
        # It looks at the sign of a zero.
        raise ValueError
    return float(loc) + float(scale) * standard_normal(key, made, spare)


def lognormal(
    key: Any, made: Any, spare: Any, mean: float = 0.0, sigma: float = 1.0
) -> float:
    """A number whose logarithm is normal.

    Args:
        key, made, spare: what it draws from. mean, sigma: as of that.
    """
    found = normal(key, made, spare, mean, sigma)
    if not found < 700.0:
        # Python raises where C has no number, and NumPy does not.
        raise OverflowError
    return math.exp(found)


def standard_exponential(key: Any, made: Any) -> float:
    """A number of an exponential distribution of mean 1."""
    return -math.log(1.0 - random(key, made))


def exponential(key: Any, made: Any, scale: float = 1.0) -> float:
    """A number of an exponential distribution.

    Args:
        key, made: what it draws from. scale: the mean.
    """
    if not scale > 0:
        raise ValueError
    return float(scale) * standard_exponential(key, made)


def choice(key: Any, made: Any, a: int) -> int:
    """One of so many integers from 0 on.

    Args:
        key, made: what it draws from. a: how many.
    """
    return randint(key, made, 0, a)


def shuffle(key: Any, made: Any, x: Any) -> None:
    """Put the elements of a row into another order.

    Args:
        key, made: what it draws from. x: the row.
    """
    for k in range(len(x) - 1, 0, -1):
        made[0] = below(key[0], made[0], k)
        at = int(made[0])
        kept = x[k]
        x[k] = x[at]
        x[at] = kept
