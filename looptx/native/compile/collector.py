"""Python's collector of cyclic garbage waits while looptx imports, proves and prints.

That makes a million objects, of which most stay: Cython's types, syntax trees, isl's
sets. A collector that looks at all of them again whenever their number has grown by a
quarter takes a fifth of the first call of a process. It does not wait for compilers.
When it begins again what there is counts as old: else it would look at all of it twice.
"""

from __future__ import annotations

import contextlib
import gc
import os
import sys
from collections.abc import Iterator

from looptx import forks

_lock = forks.Lock()

_OWN = 1000 if sys.version_info[:2] == (3, 12) else 0
"""So few objects Python itself has frozen: when 3.12 starts it has some hundred."""


class _Waiting:
    """How many threads have the collector wait, and whether it ran before.

    And whether somebody has frozen objects: to ask for their number counts them, which
    is a hundredth of a second for a million, several times for each kernel.
    """

    count = 0
    ran = False
    frozen = False


@contextlib.contextmanager
def paused() -> Iterator[None]:
    """No collection begins by itself, unless somebody switches them on meanwhile."""
    with _lock:
        if not _Waiting.count:
            _Waiting.ran = gc.isenabled()
            gc.disable()
        _Waiting.count += 1
    process = os.getpid()
    try:
        yield
    finally:
        if os.getpid() == process:
            with _lock:
                _Waiting.count -= 1
                _resume()


def _resume() -> None:
    if not _Waiting.count and _Waiting.ran:
        _Waiting.frozen = _Waiting.frozen or gc.get_freeze_count() > _OWN
        if not _Waiting.frozen:
            # Together they move all objects into the oldest generation.
            gc.freeze()
            gc.unfreeze()
        gc.enable()


def _after_fork() -> None:
    """The threads that would resume it are the parent's."""
    if _Waiting.count:
        _Waiting.count = 0
        _resume()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
