"""The target for this machine alone: how large its vectors are."""

from __future__ import annotations

import functools
import importlib
from typing import ClassVar

from looptx.emit.cython import Cython

_VECTORS = {"AVX512F": 64, "AVX2": 32}
"""The bytes of a vector, by the name that NumPy has for what the processor can do."""


@functools.cache
def tuned() -> type[Cython]:
    """Cython for the processor that this runs on, as ``native_flag`` is for C."""

    class Tuned(Cython):
        vector: ClassVar[int] = _size()

    return Tuned


def _size() -> int:
    """The bytes of a vector of this machine."""
    import numpy as np

    core = "_core" if hasattr(np, "_core") else "core"
    module = importlib.import_module(f"numpy.{core}._multiarray_umath")
    known = module.__cpu_features__
    return next((size for name, size in _VECTORS.items() if known.get(name)), 16)
