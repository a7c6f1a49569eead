"""Memory beside pages that may not be touched."""

from __future__ import annotations

import ctypes
import mmap
from typing import Any

import numpy as np


class Guarded:
    """Arrays that end, or begin, where memory may not be touched."""

    def __init__(self, room: int) -> None:
        self.size = -(-room // mmap.PAGESIZE) * mmap.PAGESIZE
        self.memory = mmap.mmap(-1, self.size + 2 * mmap.PAGESIZE)
        for at in (0, mmap.PAGESIZE + self.size):
            self._allow(at, mmap.PAGESIZE, 0)

    def _allow(self, at: int, size: int, what: int) -> None:
        start = ctypes.addressof(ctypes.c_char.from_buffer(self.memory))
        protect = ctypes.CDLL(None, use_errno=True).mprotect
        assert protect(ctypes.c_void_p(start + at), ctypes.c_size_t(size), what) == 0

    def keep(self) -> None:
        """Let nobody write the memory any more."""
        self._allow(mmap.PAGESIZE, self.size, mmap.PROT_READ)

    def array(self, values: np.ndarray, *, end: bool) -> np.ndarray:
        """The values in memory beside a page that is closed."""
        at = mmap.PAGESIZE + (self.size - values.nbytes if end else 0)
        found = np.frombuffer(self.memory, values.dtype, values.size, at)
        found[:] = values.ravel()
        return found.reshape(values.shape)


def numbers(n: int, dtype: str, seed: int = 0) -> np.ndarray:
    """Numbers of both signs, and of all values where these are few."""
    rng = np.random.default_rng(n * 100 + seed)
    if dtype in ("float32", "float64"):
        found = (rng.random(n) * 100 - 50).astype(dtype)
        found[rng.random(n) < 0.1] = np.nan
        found[rng.random(n) < 0.1] = 0.0
        found[rng.random(n) < 0.1] = -0.0
        return found
    return rng.integers(-300, 300, n).astype(dtype)


def same(kernel: Any, *given: np.ndarray, native: bool = True) -> None:
    """Check every byte of a call, with arrays beside pages that may not be touched.

    All NaNs that are given have the same bytes, so none that meet another differ.
    """
    for end in (True, False):
        ours = [Guarded(one.nbytes).array(one, end=end) for one in given]
        theirs = [one.copy() for one in given]
        with np.errstate(all="ignore"):
            outcomes = kernel(*ours), kernel.py_func(*theirs)
        assert repr(outcomes[0]) == repr(outcomes[1])
        for one, two in zip(ours, theirs, strict=True):
            np.testing.assert_array_equal(one, two)
            assert one.tobytes() == two.tobytes()
    if native and len(given[0]):
        assert "in vectors of" in str(kernel.report())
