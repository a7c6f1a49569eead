"""What a process of contenders holds: the arguments of a problem, and functions."""

from __future__ import annotations

import mmap
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

from examples.polybench import compilers
from examples.polybench.contenders import BY_KEY
from examples.polybench.problems import HERE, PROBLEMS, Arguments
from examples.workers import CLOCKS, spent

SHORTEST = 0.005
"""Seconds that a sample takes at least: what is shorter is called several times."""

PAGE, LINE, GAP = 1 << 21, 64, 320
"""Bytes: of a large page and of a line of the cache, and what lies between two arrays,
so that those of equal sizes do not begin at the same place of a small page."""


def side_by_side(arguments: Arguments) -> Arguments:
    """Copies of arrays that lie as in every other process: from lines of one block on.

    Where an allocator happens to put them changes times by a fifth, and which small
    pages of the machine's memory a process gets, by a tenth: caches look at these.
    """
    arrays = [one for one in arguments if isinstance(one, np.ndarray)]
    sizes = [-(-one.nbytes // LINE) * LINE + GAP for one in arrays]
    size = -(-sum(sizes) // PAGE) * PAGE + PAGE
    block = np.frombuffer(memory_of(size), np.uint8)
    at = -block.ctypes.data % PAGE
    placed: list[object] = []
    for one in arguments:
        if isinstance(one, np.ndarray):
            raw = block[at : at + one.nbytes]
            at += sizes.pop(0)
            copy = raw.view(one.dtype).reshape(one.shape)
            copy[...] = one
            one = copy
        placed.append(one)
    return (*placed,)


def memory_of(size: int) -> mmap.mmap:
    """So many bytes, in large pages where there are any.

    What other processes may share, as an ``mmap`` is by default, has none.
    """
    if not hasattr(mmap, "MADV_HUGEPAGE"):
        return mmap.mmap(-1, size)
    found = mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    found.madvise(mmap.MADV_HUGEPAGE)
    return found


class Bench:
    """It is asked for a problem, then to load contenders, then for samples of them."""

    def __init__(self, clock: str) -> None:
        self.clock = CLOCKS[clock]
        self.folder = tempfile.TemporaryDirectory()
        self.calls: dict[str, Callable[[], object]] = {}

    def problem(self, name: str, sizes: tuple[int, ...]) -> None:
        """Begin with another problem."""
        self.calls.clear()
        self.given = PROBLEMS[name], sizes
        self.original = PROBLEMS[name].arguments(sizes)
        self.buffers = side_by_side(self.original)

    def load(self, key: str) -> None:
        """Compile and call once. What took long, and is no looptx, is kept."""
        problem, sizes = self.given
        one = BY_KEY[key]
        place = Path(self.folder.name) / key.replace(" ", "_").replace(":", "_")
        if one.group in ("gcc", "clang", "pythran"):
            place = HERE / "build"
        place.mkdir(exist_ok=True)
        run = one.make(problem, place)
        given: Arguments = self.buffers
        if one.group in ("gcc", "clang"):
            given = compilers.c_values(problem, sizes, self.buffers)
        self.restore()
        with np.errstate(all="ignore"):
            run(*given)
        self.calls[key] = lambda: run(*given)

    def restore(self) -> None:
        """The arguments as they were."""
        for target, source in zip(self.buffers, self.original, strict=True):
            if isinstance(target, np.ndarray) and isinstance(source, np.ndarray):
                np.copyto(target, source)

    def arrays(self) -> list[np.ndarray]:
        """The results of the last call."""
        return self.given[0].results(self.buffers)

    def sample(self, key: str) -> float:
        """Seconds of a call, the mean of several if they are short."""
        total, count = 0.0, 0
        while total < SHORTEST:
            self.restore()
            total += spent(self.clock, self.calls[key])
            count += 1
        return total / count
