"""Ctrl-C kept back where an exception from nowhere would leave something broken."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def held() -> Iterator[Callable[[], None]]:
    """Keep Ctrl-C back until the end, or until what is yielded is called.

    Python handles signals in its main thread, whichever thread they reach: elsewhere
    there is nothing to keep back.
    """
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or before is None:
        yield lambda: None
        return
    came: list[int] = []

    def release() -> None:
        signal.signal(signal.SIGINT, before)
        if came:
            signal.raise_signal(came.pop())

    signal.signal(signal.SIGINT, lambda number, _: came.append(number))
    try:
        yield release
    finally:
        release()
