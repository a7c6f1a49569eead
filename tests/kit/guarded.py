"""Memory beside pages that may not be touched."""

from __future__ import annotations

import ctypes
import mmap

import numpy as np


class Guarded:
    """Arrays that end, or begin, where memory may not be touched."""

    def __init__(self, room: int) -> None:
        self.size = -(-room // mmap.PAGESIZE) * mmap.PAGESIZE
        self.memory = mmap.mmap(-1, self.size + 2 * mmap.PAGESIZE)
        start = ctypes.addressof(ctypes.c_char.from_buffer(self.memory))
        protect = ctypes.CDLL(None, use_errno=True).mprotect
        for at in (start, start + mmap.PAGESIZE + self.size):
            assert protect(ctypes.c_void_p(at), ctypes.c_size_t(mmap.PAGESIZE), 0) == 0

    def array(self, values: np.ndarray, *, end: bool) -> np.ndarray:
        """The values in memory beside a page that is closed."""
        at = mmap.PAGESIZE + (self.size - values.nbytes if end else 0)
        found = np.frombuffer(self.memory, values.dtype, values.size, at)
        found[:] = values.ravel()
        return found.reshape(values.shape)
