"""Locks for what threads share, in a process that may fork.

POSIX lets only the thread that forks go on in the child, in a copy of all memory. A
lock that another thread held stays taken there for ever, and what that thread was
changing stays half changed. There are two remedies, by what is at stake.

What is looptx's own is *made anew in the child*, before anything else runs there: a
lock whose holder did not come along is replaced, and so is what it protected. A lock
that the forking thread holds itself stays held: that thread is in the middle of using
what it protects, and goes on.

To take all locks before a fork, as ``pthread_atfork`` was meant for, needs one order of
all locks, those of the user and of other libraries among them, or else it deadlocks;
and every fork would wait for analyses and compilers. But some steps are not looptx's
own and cannot be made anew: a module is half imported, Cython is changing its state, a
program is being started and the child would hold its pipes open. The locks of such
steps are *awaited*: a fork takes them, but never waits longer than ``PATIENCE``; after
that they are treated as the others.
"""

from __future__ import annotations

import os
import threading
import time
import weakref
from collections.abc import Callable

PATIENCE = 10.0
"""Seconds that a fork waits for the steps of other threads."""


class Lock:
    """A reentrant lock that a forked child finds free, or its own.

    Args:
        renew: called in a child where the holder is missing: makes anew what the lock
            protects. What changes by single assignments needs none.
        awaited: whether a fork waits until it is free.
    """

    def __init__(
        self, renew: Callable[[], None] | None = None, *, awaited: bool = False
    ) -> None:
        self._lock = threading.RLock()
        self._renew = renew
        _locks.add(self)
        if awaited:
            _awaited.append(self)

    def acquire(self, timeout: float = -1) -> bool:
        """Wait for it, so many seconds or for ever; returns whether it was taken."""
        return self._lock.acquire(timeout=timeout)

    def release(self) -> None:
        """Give it back once."""
        self._lock.release()

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    def after_fork(self) -> None:
        """Replace it if another thread held it: the child does not have that."""
        if self.acquire(0):
            self.release()
            return
        self._lock = threading.RLock()
        if self._renew is not None:
            self._renew()


_locks: weakref.WeakSet[Lock] = weakref.WeakSet()
_awaited: list[Lock] = []
_forking = threading.local()

IMPORTS = Lock(awaited=True)
"""Held while modules are imported inside a function.

CPython never frees the lock of a module that a thread which is gone was importing.
"""


def _before() -> None:
    _forking.taken = taken = []
    end = time.monotonic() + PATIENCE
    for lock in _awaited:
        if lock.acquire(max(0.0, end - time.monotonic())):
            taken.append(lock)


def _in_parent() -> None:
    for lock in _forking.taken:
        lock.release()


def _in_child() -> None:
    _in_parent()
    for lock in tuple(_locks):
        lock.after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before, after_in_parent=_in_parent, after_in_child=_in_child
    )
