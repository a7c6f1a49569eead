"""What nests draw random numbers from: the words of NumPy's own generator.

They are changed in place, while its lock is held. Where a nest does not run to its end
they are put back, as its loops then draw the numbers again, as written.

This module needs NumPy and the standard library only: an extension built ahead of time
carries a copy of its text.
"""

from __future__ import annotations

import importlib
import os
import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

_WORDS = 624

_NAMES = (
    *("random", "random_sample", "ranf", "sample", "rand", "randn"),
    *("standard_normal", "uniform", "normal", "randint", "lognormal"),
    *("standard_exponential", "exponential", "choice", "permutation", "shuffle"),
)

_ANOTHER = "the random numbers of NumPy come from a generator that was put in its place"

PATIENCE = 10.0
"""Seconds that a fork waits for the nests of other threads."""


class _Source:
    """NumPy's generator, and its words, as they were last."""

    def __init__(self) -> None:
        self.numpy: Any = None
        self._known: tuple[Any, np.ndarray[Any, np.dtype[np.uint32]] | None]
        self._known = None, None
        self._taken: dict[int, Any] = {}

    def generator(self) -> Any:
        """The generator that NumPy's functions draw from; None where others draw."""
        if self.numpy is None:
            self.numpy = importlib.import_module("numpy.random.mtrand")
        for name in _NAMES:
            if getattr(np.random, name, None) is not getattr(self.numpy, name):
                return None
        return self.numpy.get_bit_generator()

    def words(self, generator: Any) -> np.ndarray[Any, np.dtype[np.uint32]] | None:
        """The words of a generator, and behind them how many of them are used.

        None for a generator that has others, or where they lie elsewhere in memory.
        """
        known, words = self._known
        if generator is not known:
            words = _seen(generator)
            self._known = generator, words
        return words

    def before_fork(self) -> None:
        """Wait until no nest draws: the child would never get the lock."""
        generator, _ = self._known
        if generator is not None and generator.lock.acquire(timeout=PATIENCE):
            self._taken[threading.get_ident()] = generator.lock

    def after_fork(self) -> None:
        """Let nests draw again."""
        lock = self._taken.pop(threading.get_ident(), None)
        if lock is not None:
            lock.release()


def _seen(generator: Any) -> np.ndarray[Any, np.dtype[np.uint32]] | None:
    """The words of a generator in memory, if they are where they are known to be."""
    if type(generator) is not np.random.MT19937:
        return None
    import ctypes

    memory = ctypes.c_uint32 * (_WORDS + 1)
    words = np.ctypeslib.as_array(memory.from_address(generator.ctypes.state_address))
    state = generator.state["state"]
    known = [*state["key"].tolist(), state["pos"]]
    return words if words.tolist() == known else None


_source = _Source()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_source.before_fork,
        after_in_parent=_source.after_fork,
        after_in_child=_source.after_fork,
    )


def drawing(entry: Callable[..., Any], places: Sequence[int]) -> Callable[..., Any]:
    """The entry of a nest, which is given the words of NumPy's generator.

    Args:
        entry: of a version.
        places: among its values, of the words, of what was drawn last, and of the
            normal number that is left over; that is -1 where it draws no normal ones.
    """

    def run(*values: Any) -> Any:
        generator = _source.generator()
        if generator is None:
            return _ANOTHER
        with generator.lock:
            words = _source.words(generator)
            if words is None:
                return _ANOTHER
            before, given = words.copy(), [*values]
            given[places[0]], given[places[1]] = words, np.zeros(1, np.int64)
            if places[2] >= 0:
                given[places[2]] = spare = _spare()
                left = spare[:2].tobytes()
            result: Any = ()
            try:
                result = entry(*given)
            finally:
                if type(result) is not tuple:
                    words[:] = before
                elif places[2] >= 0 and spare[:2].tobytes() != left:
                    _put(spare)
        return result

    return run


def _spare() -> np.ndarray[Any, np.dtype[np.float64]]:
    """Whether a normal number is left over, which, and room for the last one."""
    state = _source.numpy.get_state(legacy=False)
    return np.array([state["has_gauss"], state["gauss"], 0.0], np.float64)


def _put(spare: np.ndarray[Any, np.dtype[np.float64]]) -> None:
    """Leave a normal number over."""
    state = dict(_source.numpy.get_state(legacy=False))
    _source.numpy.set_state(
        {**state, "has_gauss": int(spare[0]), "gauss": float(spare[1])}
    )
