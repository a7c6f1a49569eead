"""Signals kept back where an exception from nowhere would leave something broken.

Ctrl-C raises ``KeyboardInterrupt`` between any two steps, and so may the handlers that
programs have for other signals, as for their time limits.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def held() -> Iterator[Callable[[], None]]:
    """Keep signals back until the end, or until what is yielded is called.

    Python handles them in its main thread, whichever thread they reach: elsewhere there
    is nothing to keep back. Those without a handler of Python's go on doing what they
    do.
    """
    before = {}
    if threading.current_thread() is threading.main_thread():
        known = {one: signal.getsignal(one) for one in signal.valid_signals()}
        before = {one: handler for one, handler in known.items() if callable(handler)}
    came: list[int] = []

    def release() -> None:
        # A handler that is back may raise while others are not yet.
        try:
            while before:
                one = next(iter(before))
                signal.signal(one, before[one])
                del before[one]
            if came:
                signal.raise_signal(came.pop(0))
        finally:
            if before or came:
                release()

    for one in before:
        signal.signal(one, lambda number, _: came.append(number))
    try:
        yield release
    finally:
        release()
