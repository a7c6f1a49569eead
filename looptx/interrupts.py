"""Signals kept back where an exception from nowhere would leave something broken.

Ctrl-C raises ``KeyboardInterrupt`` between any two steps, and so may the handlers that
programs have for other signals, as for their time limits.
"""

from __future__ import annotations

import inspect
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TypeAlias

Handlers: TypeAlias = dict[int, Callable[[int, Any], Any]]


@contextmanager
def held() -> Iterator[Callable[[], None]]:
    """Keep signals back until the end, or until what is yielded is called.

    Python handles them in its main thread, whichever thread they reach: elsewhere there
    is nothing to keep back. Those without a handler of Python's go on doing what they
    do. One that comes again while it waits comes once, as it is where the system keeps
    it back.
    """
    before = _handled()
    handlers, came = dict(before), Handlers()
    holder = threading.get_ident(), before

    def note(number: int, _: Any) -> None:
        came[number] = handlers[number]

    def release() -> None:
        # A handler that is back may raise while others are not.
        try:
            while before:
                one = next(iter(before))
                signal.signal(one, before[one])
                del before[one]
        finally:
            release() if before else _run(came)

    try:
        _holders.append(holder)
        for one in handlers:
            signal.signal(one, note)
        yield release
    finally:
        with suppress(ValueError):
            _holders.remove(holder)
        release()


_holders: list[tuple[int, Handlers]] = []
"""The threads that keep signals back, each with the handlers that are to come back."""


def _in_child() -> None:
    """Give handlers back in a fork that the thread which keeps signals is not in."""
    for thread, before in reversed(_holders):
        if thread != threading.get_ident():
            for one, handler in before.items():
                signal.signal(one, handler)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)


def _handled() -> Handlers:
    """The signals that Python handles here, with what it calls for them."""
    if threading.current_thread() is not threading.main_thread():
        return {}
    known = {one: signal.getsignal(one) for one in signal.valid_signals()}
    return {int(one): handler for one, handler in known.items() if callable(handler)}


def _run(came: Handlers) -> None:
    """Call what is called for signals that came, each; the first error is raised."""
    errors: list[BaseException] = []
    while came:
        number = next(iter(came))
        handler = came.pop(number)
        try:
            # Whoever else is told of signals was told as they came.
            handler(number, inspect.currentframe())
        except BaseException as error:
            errors.append(error)
    if errors:
        raise errors[0]
