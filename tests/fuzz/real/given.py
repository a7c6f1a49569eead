"""Arguments of the corpus with other types, values and layouts in memory."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np

_FLOATS = ("float32", "float32", "float16", "int64", "int32")
_INTEGERS = ["int64", "int32", "int16", "int8", "uint8", "uint32", "uint64", "float64"]
_ODD = (np.nan, np.inf, -np.inf, -0.0, 0.0, 1e300, 1e-310)


def changed(arguments: tuple[Any, ...], seed: str) -> tuple[Any, ...]:
    """Arguments of which some are others.

    Args:
        arguments: of one size. seed: says which; the same for all sizes.
    """
    random = Random(seed)
    found = [_changed(one, random) for one in arguments]
    arrays = [at for at, one in enumerate(found) if isinstance(one, np.ndarray)]
    if random.random() < 0.1 and len(arrays) > 1:
        one, other = random.sample(arrays, 2)
        if found[one].shape == found[other].shape:
            found[one] = found[other]
    return (*found,)


def _changed(value: Any, random: Random) -> Any:
    if isinstance(value, np.ndarray):
        return _laid(_filled(_typed(value, random), random), random)
    if isinstance(value, bool) or random.random() > 0.2:
        return value
    if isinstance(value, int):
        others: tuple[Any, ...] = (np.int64(value), np.int32(value), float(value))
        return random.choice((*others, np.float64(value), -value, value + 1))
    if isinstance(value, float):
        others = np.float64(value), np.float32(value)
        return random.choice((*others, round(value), -value, 0.0))
    return value


def _typed(array: Any, random: Random) -> Any:
    if random.random() > 0.35:
        return array
    kinds = {"f": _FLOATS, "i": _INTEGERS, "u": _INTEGERS, "b": ("uint8", "int64")}
    known = kinds.get(array.dtype.kind)
    return array.astype(random.choice(known)) if known else array


def _filled(array: Any, random: Random) -> Any:
    """With an element that calculations stumble on."""
    # As often for arrays without elements: what is drawn next is the same.
    wanted, place, kind = random.random() < 0.25, random.random(), array.dtype.kind
    limits = np.iinfo(array.dtype) if kind in "iu" else None
    odd = random.choice((limits.min, limits.max, 0) if limits else _ODD)
    if not wanted or not array.size or kind not in "fiu":
        return array
    flat = array.reshape(-1).copy()
    flat[int(place * flat.size)] = odd
    return flat.reshape(array.shape)


def _laid(array: Any, random: Random) -> Any:
    layout = random.choice(("", "", "", "", "back", "apart", "columns"))
    if array.ndim and layout == "back":
        return np.ascontiguousarray(array[::-1])[::-1]
    if array.ndim and layout == "apart":
        return np.repeat(array, 2, axis=-1)[..., ::2]
    return np.asfortranarray(array) if layout == "columns" else array
