"""The target for this machine alone: how large its vectors are."""

from __future__ import annotations

import functools
import importlib

from looptx.emit.cython import Cython
from looptx.native import runtime

_VECTORS = {"AVX512F": (64, 32), "AVX2": (32, 16), "ASIMD": (16, 32)}
"""The bytes of a vector and the registers that hold one, by the name that NumPy has for
what the processor can do."""


def tuned() -> type[Cython]:
    """Cython for the processor that this runs on, as ``native_flag`` is for C."""
    return _tuned(runtime.vector_bytes())


@functools.cache
def _tuned(most: int) -> type[Cython]:
    widest, count = _vectors()

    class Tuned(Cython):
        vector, registers = min(widest, most or widest), count

    return Tuned


@functools.cache
def _vectors() -> tuple[int, int]:
    """The bytes of a vector of this machine, and how many it has registers for."""
    import numpy as np

    core = "_core" if hasattr(np, "_core") else "core"
    module = importlib.import_module(f"numpy.{core}._multiarray_umath")
    known = module.__cpu_features__
    found = (have for name, have in _VECTORS.items() if known.get(name))
    return next(found, (Cython.vector, Cython.registers))
