"""What nests draw random numbers from: the words of NumPy's own generator.

They are changed in place, while its lock is held. Where a nest does not run to its end
they are put back, as its loops then draw the numbers again, as written.

This module needs NumPy and the standard library only: an extension built ahead of time
carries a copy of its text.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

_WORDS = 624

_ANOTHER = "the random numbers of NumPy come from a generator that was put in its place"


class _Words:
    """The words of a generator, and behind them how many of them are used.

    Attributes:
        generator: it. words: they; None for a generator that has others.
    """

    def __init__(self) -> None:
        self.generator: Any = None
        self.words: np.ndarray[Any, np.dtype[np.uint32]] | None = None

    def of(self, generator: Any) -> np.ndarray[Any, np.dtype[np.uint32]] | None:
        """Those of a generator, where they lie in memory as they are known to."""
        if generator is not self.generator:
            self.generator, self.words = generator, None
            if type(generator) is np.random.MT19937:
                memory = ctypes.c_uint32 * (_WORDS + 1)
                start = memory.from_address(generator.ctypes.state_address)
                words = np.ctypeslib.as_array(start)
                state = generator.state["state"]
                known = [*state["key"].tolist(), state["pos"]]
                self.words = words if words.tolist() == known else None
        return self.words


_words = _Words()


def drawing(entry: Callable[..., Any], places: Sequence[int]) -> Callable[..., Any]:
    """The entry of a nest, which is given the words of NumPy's generator.

    Args:
        entry: of a version.
        places: among its values, of the words, of how many of them are used, and of the
            normal number that is left over; that is -1 where it draws no normal ones.
    """

    def run(*values: Any) -> Any:
        generator = np.random.mtrand.get_bit_generator()
        with generator.lock:
            words = _words.of(generator)
            if words is None:
                return _ANOTHER
            before, given = words.copy(), [*values]
            given[places[0]] = words[:_WORDS]
            given[places[1]] = words[_WORDS:].view(np.int32)
            if places[2] >= 0:
                given[places[2]] = spare = _spare()
                left = spare.tobytes()
            result: Any = ()
            try:
                result = entry(*given)
            finally:
                if type(result) is not tuple:
                    words[:] = before
                elif places[2] >= 0 and spare.tobytes() != left:
                    _put(spare)
        return result

    return run


def _spare() -> np.ndarray[Any, np.dtype[np.float64]]:
    """Whether a normal number is left over, and which."""
    state = np.random.get_state(legacy=False)
    return np.array([state["has_gauss"], state["gauss"]], np.float64)


def _put(spare: np.ndarray[Any, np.dtype[np.float64]]) -> None:
    """Leave a normal number over."""
    state = dict(np.random.get_state(legacy=False))
    np.random.set_state({**state, "has_gauss": int(spare[0]), "gauss": float(spare[1])})
