"""The same calls with arrays of dask's, whose results are computed afterwards."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from fuzz.moving.judge import Left
from looptx.cluster.call.lazily import LazySession
from looptx.cluster.call.remote import Remote
from looptx.errors import LooptxError

try:
    import dask
    import dask.array as da
except ModuleNotFoundError:
    da = None


def lazily(
    remote: Remote,
    given: Mapping[str, Any],
    chunk: int,
    log: list[object],
    **sizes: Any,
) -> Left | None:
    """What a call leaves that is computed later; None where it cannot be lazy.

    Args:
        remote: the kernel. given: its arrays. chunk: the size of their chunks.
        log: of the calls that it makes. sizes: its other arguments.
    """
    if da is None:
        return None
    lazy = {
        name: da.from_array(one.copy(), chunks=chunk)
        if isinstance(one, np.ndarray) and one.ndim and one.dtype.hasobject is False
        else one
        for name, one in given.items()
    }
    if not any(isinstance(one, da.Array) for one in lazy.values()):
        return None
    before = copy.deepcopy(log)
    try:
        result = remote(**lazy, **sizes)
    except LooptxError as error:
        log[:] = before
        if error.code == "LX604":
            return None
        raise
    session = remote.last
    assert isinstance(session, LazySession)
    names = [one.name for one in session.given.arrays if one.name in session.changes]
    found: Sequence[Any] = result if isinstance(result, tuple) else (result,)
    try:
        (values,) = dask.compute(tuple(found), scheduler="synchronous")
    except Exception as error:
        return Left(given, (), log, type(error).__name__)
    arrays = {**given, **dict(zip(names, values, strict=False))}
    rest = values[len(names) :]
    if len(rest) == 1 and isinstance(rest[0], tuple):
        return Left(arrays, rest[0], log)
    return Left(arrays, rest or (None,), log)
