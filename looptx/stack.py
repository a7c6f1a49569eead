"""A deeper stack for functions whose expressions are deeply nested."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

Result = TypeVar("Result")

_BYTES = 512 << 20
_CALLS = 1_000_000
_FEW, _MANY = 300, 300_000
"""Levels for which any stack is deep enough, and for which ours is."""

_ALONE = threading.Lock()


def deeply(function: Callable[[], Result], levels: int) -> Result:
    """What a function returns, on a deep stack if it needs one.

    libcst calls itself for every level of a tree, and a sum of 300 terms has as many.
    Python lets main programs go 1,000 calls deep; libcst's parser, which is native,
    goes on until the stack is full. Other threads may go deeper in the meantime, too.

    Args:
        function: without effects that a second call would double.
        levels: how deep the trees are at most that it works on.

    Raises:
        RecursionError: the deep stack does not suffice, either, or there is no memory
            for it.
    """
    if levels <= _FEW:
        with suppress(RecursionError):
            return function()
    elif levels > _MANY:
        raise RecursionError
    from concurrent.futures import Future

    found: Future[Result] = Future()

    def run() -> None:
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
