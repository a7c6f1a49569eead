"""Which arrays tasks can have: NumPy's, those in files, and what stands for some."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from looptx.cluster.lazy.standins import Standin
from looptx.model.dtypes import DTYPES


def is_array(value: object) -> bool:
    """Whether a value is an array whose cells tasks can have."""
    if type(value) not in (np.ndarray, np.memmap, Standin) and not is_zarr(value):
        return False
    array: Any = value
    return array.ndim > 0 and array.dtype.name in DTYPES and array.dtype.isnative


def is_zarr(value: object) -> bool:
    """Whether a value is an array of zarr's."""
    zarr: Any = sys.modules.get("zarr")
    return zarr is not None and isinstance(value, zarr.Array)


def in_file(value: object) -> bool:
    """Whether an array is in a file, and need not fit into memory."""
    return isinstance(value, np.memmap) or is_zarr(value)


def writeable(array: Any) -> bool:
    """Whether an array may be written."""
    if isinstance(array, Standin):
        return True
    return not array.read_only if is_zarr(array) else array.flags.writeable


def order(array: Any) -> str:
    """How an array lies in memory: ``C``, ``F``, or ``A`` for any other way."""
    lazy = isinstance(array, Standin)
    if lazy or is_zarr(array) or array.flags.c_contiguous:
        return "C"
    return "F" if array.flags.f_contiguous else "A"


def overlapping(one: Any, other: Any) -> bool:
    """Whether two arrays share memory or a file, where that is easily told."""
    return one is not other and _share(one, other)


def _share(one: Any, other: Any) -> bool:
    places = [_place(one), _place(other)]
    if None not in places:
        return places[0] == places[1]
    if any(is_zarr(x) or isinstance(x, Standin) for x in (one, other)):
        return False
    return bool(np.may_share_memory(one, other))


def _place(array: Any) -> str | None:
    """The file of an array, if it is in one."""
    if is_zarr(array):
        return f"zarr {array.store_path}"
    name = getattr(array, "filename", None)
    return str(name) if name is not None else None
