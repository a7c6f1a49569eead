"""Arguments in memory that is watched: arrays within poisoned buffers."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

GUARD = 64
POISON = 0xA5


class Memory:
    """Hands out arrays and remembers the buffers they lie in.

    Args:
        folder: where files of mapped arrays may be made.
    """

    def __init__(self, folder: str = "") -> None:
        self._folder = folder
        self._buffers: list[Array] = []
        self._files: list[Path] = []

    def contents(self) -> tuple[object, ...]:
        """All bytes of all buffers, guards and gaps included."""
        files = tuple(path.read_bytes().hex() for path in self._files)
        return (*(buffer.tobytes().hex() for buffer in self._buffers), *files)

    def buffer(self, size: int, shift: int = 0) -> tuple[Array, int]:
        """Poisoned bytes, and the offset of ``size`` of them between two guards.

        The offset is that of an address divisible by 64, plus ``shift``.
        """
        count = size + 2 * GUARD + shift
        whole = np.full(count + GUARD, POISON, np.uint8)
        start = -whole.ctypes.data % GUARD
        self._buffers.append(whole[start : start + count])
        return self._buffers[-1], GUARD + shift

    def array(self, values: Any, dtype: Any = None, layout: str = "C") -> Array:
        """An array with these values, laid out as ``layout`` says.

        ``C`` and ``F`` contiguous; ``back`` every axis backwards; ``apart`` every
        second cell of every axis; ``one`` all cells the same (strides 0);
        ``odd`` at an odd address; ``swapped`` in the other byte order; ``fixed``
        read-only.
        """
        source = np.asarray(values, dtype)
        kind = source.dtype.newbyteorder() if layout == "swapped" else source.dtype
        step = 2 if layout == "apart" else 1
        order = source.shape[::-1] if layout != "F" else source.shape
        size = kind.itemsize * step
        strides: list[int] = []
        for extent in order:
            strides.append(size)
            size *= max(extent, 1) * step
        strides = strides if layout == "F" else strides[::-1]
        whole, offset = self.buffer(size, 1 if layout == "odd" else 0)
        if layout == "back":
            for extent, stride in zip(source.shape, strides, strict=True):
                offset += max(extent - 1, 0) * stride
            strides = [-stride for stride in strides]
        if layout == "one":
            strides = [0] * source.ndim
        found: Array = np.ndarray(source.shape, kind, whole, offset, strides)
        found[...] = source
        if layout == "fixed":
            found.flags.writeable = False
        return found

    def overlapping(
        self, values: Sequence[Any], dtype: Any, parts: Sequence[slice]
    ) -> tuple[Array, ...]:
        """Parts of one array."""
        whole = self.array(values, dtype)
        return tuple(whole[part] for part in parts)

    def mapped(self, values: Any, dtype: Any) -> Any:
        """A ``numpy.memmap`` of a new file."""
        source = np.asarray(values, dtype)
        for number in itertools.count():
            path = Path(self._folder) / f"mapped{number}"
            if not path.exists():
                break
        found = np.memmap(path, source.dtype, "w+", shape=source.shape)
        found[...] = source
        self._files.append(path)
        return found
