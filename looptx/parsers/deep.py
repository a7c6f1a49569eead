"""A deeper stack for what calls itself for every level of a deeply nested program."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from looptx import forks

Result = TypeVar("Result")

_BYTES = 512 << 20
_CALLS = 100_000
_FEW, _MANY = 300, 30_000
"""Levels for which any stack is deep enough, and for which ours is."""

_ALONE = forks.Lock()
_HERE = threading.local()


def deeply(function: Callable[[], Result], levels: int = 0) -> Result:
    """What a function returns, on a deep stack if it needs one.

    A sum of 300 terms is a tree of as many levels. Python lets main programs go 1,000
    calls deep; libcst's parser, which is native, goes on until the stack is full. Other
    threads may go deeper in the meantime, too.

    Args:
        function: without effects that a second call would double.
        levels: how deep the trees are at most that native code works on meanwhile.

    Raises:
        RecursionError: the deep stack does not suffice, either, or there is no memory
            for it.
    """
    if levels > _MANY:
        raise RecursionError
    if getattr(_HERE, "deep", False):
        return function()
    if levels <= _FEW:
        with suppress(RecursionError):
            return function()
    from concurrent.futures import Future

    found: Future[Result] = Future()

    def run() -> None:
        _HERE.deep = True
        try:
            found.set_result(function())
        except BaseException as error:
            found.set_exception(error)

    with _ALONE:
        calls, size = sys.getrecursionlimit(), threading.stack_size(_BYTES)
        try:
            sys.setrecursionlimit(max(calls, _CALLS))
            thread = threading.Thread(target=run)
            thread.start()
            thread.join()
        except RuntimeError as error:
            raise RecursionError("no memory for a deeper stack") from error
        finally:
            sys.setrecursionlimit(calls)
            threading.stack_size(size)
    return found.result()
