"""Which arrays of dask's a call may be given."""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np

from looptx.cluster.lazy.standins import refused
from looptx.errors import LooptxError, Place
from looptx.model.dtypes import DTYPES


def is_dask(value: object) -> bool:
    """Whether a value is an array of dask's."""
    array: Any = sys.modules.get("dask.array")
    return array is not None and isinstance(value, array.Array)


def wrong(name: str, array: Any, place: Place) -> LooptxError | None:
    """Why a call is not given an array of dask's; None where it may.

    Args:
        name: of the parameter. array: what it is given. place: of the function.
    """
    why, hint = _wrong(array)
    return refused(f"`{name}` {why}", hint.format(name), place) if why else None


def _wrong(array: Any) -> tuple[str, str]:
    """Why an array cannot be given, and what helps; nothing where it can."""
    if not hasattr(array, "__dask_layers__"):
        why = "is an expression of dask's, which looptx does not build on"
        return why, 'set `dask.config.set({{"array.query-planning": False}})` first'
    if any(math.isnan(size) for sizes in array.chunks for size in sizes):
        return "has chunks of unknown sizes", "call `{}.compute_chunk_sizes()` before"
    if not array.ndim:
        why = "is an array of dask's without axes, whose value nobody knows yet"
        return why, "give the number: `{}.compute()`"
    if type(array._meta) is not np.ndarray:
        kind = type(array._meta).__name__
        return (
            f"has chunks of type {kind}",
            "`{}.map_blocks(...)` makes NumPy's of them",
        )
    dtype = array.dtype
    if dtype.name not in DTYPES:
        return f"has elements of type {dtype}", '`{}.astype("float64")`, or the like'
    if not dtype.isnative:
        why = "has elements in another byte order than this machine's"
        return why, f'`{{}}.astype("{dtype.name}")`'
    return "", ""
