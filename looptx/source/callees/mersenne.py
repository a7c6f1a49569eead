"""NumPy's functions of random numbers, as functions that native code has.

They draw as ``np.random.RandomState`` does, word by word of the Mersenne Twister that
is given (Matsumoto and Nishimura, ACM TOMACS 8, 1998), so that a loop gets the same
numbers natively. ``key`` has its 624 words and ``at`` says how many of them are used;
``spare`` says whether there is a normal number left over, and which (Marsaglia and
Bray, SIAM Review 6, 1964, makes two at a time).

Nothing here runs as Python. At a ``raise`` the loops around run as written: NumPy may
refuse what it is asked for, or draws it in another way.
"""

from __future__ import annotations

import math
from typing import Any


def renew(key: Any) -> None:
    """Make the next 624 words."""
    for k in range(227):
        y = (key[k] & 0x80000000) | (key[k + 1] & 0x7FFFFFFF)
        key[k] = key[k + 397] ^ (y >> 1) ^ ((y & 1) * 0x9908B0DF)
    for k in range(227, 623):
        y = (key[k] & 0x80000000) | (key[k + 1] & 0x7FFFFFFF)
        key[k] = key[k - 227] ^ (y >> 1) ^ ((y & 1) * 0x9908B0DF)
    y = (key[623] & 0x80000000) | (key[0] & 0x7FFFFFFF)
    key[623] = key[396] ^ (y >> 1) ^ ((y & 1) * 0x9908B0DF)


def word(key: Any, at: Any) -> Any:
    """The next 32 bits."""
    k = int(at[0])
    if k >= 624:
        renew(key)
        k = 0
    y = key[k]
    at[0] = k + 1
    y ^= y >> 11
    y ^= (y << 7) & 0x9D2C5680
    y ^= (y << 15) & 0xEFC60000
    return y ^ (y >> 18)


def random(key: Any, at: Any) -> float:
    """A number from 0 to 1, which it is not: 27 bits of a word, and 26 of the next."""
    found = 0.0
    for part in range(2):
        found = found * 67108864.0 + float(word(key, at) >> (5 + part))
    return found / 9007199254740992.0


def uniform(key: Any, at: Any, low: float = 0.0, high: float = 1.0) -> float:
    """A number between two.

    Args:
        key, at: the words. low, high: the two.
    """
    if not -1e308 < float(high) - float(low) < 1e308:
        raise OverflowError
    first = float(low)
    return first + (float(high) - first) * random(key, at)


def randint(key: Any, at: Any, low: int, high: int) -> int:
    """An integer from one up to another, which it is not.

    Args:
        key, at: the words. low, high: the two.
    """
    if not 0 < int(high | 0) - int(low | 0) < 4294967296:
        raise ValueError
    least = int(low | 0)
    most = int(high | 0) - 1 - least
    if most == 0:
        return least
    mask = most | (most >> 1)
    mask |= mask >> 2
    mask |= mask >> 4
    mask |= mask >> 8
    mask |= mask >> 16
    found = most + 1
    while found > most:
        found = int(word(key, at)) & mask
    return least + found


def standard_normal(key: Any, at: Any, spare: Any) -> float:
    """A normal number, of mean 0 and deviation 1.

    Args:
        key, at: the words. spare: what is left over.
    """
    if spare[0] != 0.0:
        found = float(spare[1])
        spare[0] = 0.0
        spare[1] = 0.0
        return found
    x = 0.0
    y = 0.0
    square = 0.0
    while square >= 1.0 or square == 0.0:
        for _ in range(2):
            x = y
            y = 2.0 * random(key, at) - 1.0
        square = x * x + y * y
    scale = math.sqrt(-2.0 * math.log(square) / square)
    spare[0] = 1.0
    spare[1] = scale * x
    return scale * y


def normal(
    key: Any, at: Any, spare: Any, loc: float = 0.0, scale: float = 1.0
) -> float:
    """A normal number, of a mean and a deviation.

    Args:
        key, at: the words. spare: what is left over. loc: the mean.
        scale: the deviation.
    """
    if not scale > 0:
        # It looks at the sign of a zero.
        raise ValueError
    return float(loc) + float(scale) * standard_normal(key, at, spare)
