"""What a kernel reports: warnings, once and at the line of the call, and errors.

An error that is raised at a nest may be caught there, by a ``try`` that the
function has for its own exceptions. It is held until the call ends, and raised then.
"""

from __future__ import annotations

import inspect
import sys
import threading
import types
import warnings

from looptx import forks
from looptx.model.naming import told

WOVEN = "_looptx_"
"""The prefix of the names through which a function calls its native nests."""

FILENAME = "<looptx names>"
"""What tracebacks call what looptx writes into the scope of a function."""


RESUMED = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
"""Flags of functions that run when something else does."""


class Notices:
    """The warnings and errors of one kernel.

    Args:
        holding: whether errors are held. What a generator raises it raises while it is
            resumed, and no call of the kernel ends then.

    Attributes:
        held: the last error of each thread, by the thread's number.
    """

    def __init__(self, *, holding: bool = True) -> None:
        self.held: dict[int, Exception] = {}
        self._holding = holding
        self._told: set[str] = set()
        self._lock = forks.Lock()

    def hold(self, error: Exception) -> None:
        """Note an error that is being raised in the function."""
        if self._holding:
            self.held[threading.get_ident()] = error

    def release(self) -> Exception | None:
        """The error that this thread holds, no longer held."""
        return self.held.pop(threading.get_ident(), None)

    def fallback(self, label: str, reason: str, *, others: bool = False) -> None:
        """Warn that a nest runs as written, if it is the kernel's first.

        Args:
            label: the nest.
            reason: why, in words for the user.
            others: whether loops inside of it are tried.
        """
        if self._first("fallback"):
            aside = " but for loops inside" if others else ""
            tell(f"{label} runs as plain Python{aside}: {reason}")

    def lacking(self, message: str) -> None:
        """Warn of loops that are never native, once."""
        if self._first("lacking"):
            tell(message)

    def _first(self, what: str) -> bool:
        """Whether this is the first time it is asked for."""
        with self._lock:
            first = what not in self._told
            self._told.add(what)
        return first


def outside(passed: types.TracebackType | None) -> types.TracebackType | None:
    """A traceback without the frames of looptx."""
    kept = []
    while passed is not None:
        if not _own(passed.tb_frame):
            kept.append(passed)
        passed = passed.tb_next
    made: types.TracebackType | None = None
    for one in reversed(kept):
        made = types.TracebackType(made, one.tb_frame, one.tb_lasti, one.tb_lineno)
    return made


def tell(message: str) -> None:
    """Warn at the line that called the kernel."""
    warnings.warn(f"looptx: {told(message)}", RuntimeWarning, stacklevel=_level())


def _level() -> int:
    """The stack level, for the caller of this module, of who called the kernel.

    The stack is: looptx, the kernel's own function (when it is running already), looptx
    again (unless a generator is resumed), the caller.
    """
    frame: types.FrameType | None = sys._getframe(2)
    level = 2
    inside = False
    while frame is not None and frame.f_back is not None:
        own = _own(frame)
        if not own and inside:
            break
        if not own:
            inside = _woven(frame)
            if not inside:
                break
        frame = frame.f_back
        level += 1
    return level


def _own(frame: types.FrameType) -> bool:
    """Whether a frame is one of looptx, or of what it wrote."""
    module = str(frame.f_globals.get("__name__", ""))
    return module.partition(".")[0] == "looptx" or _written(frame)


def _written(frame: types.FrameType) -> bool:
    """Whether looptx wrote what a frame runs, in the scope of the user's function."""
    return frame.f_code.co_filename == FILENAME


def _woven(frame: types.FrameType) -> bool:
    """Whether a frame runs a function with native nests."""
    return any(name.startswith(WOVEN) for name in frame.f_code.co_freevars)
