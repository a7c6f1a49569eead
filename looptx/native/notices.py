"""What a kernel tells its user by a warning: once, and at the line of the call."""

from __future__ import annotations

import sys
import types
import warnings

from looptx import forks


class Notices:
    """The warnings of one kernel."""

    def __init__(self) -> None:
        self._told = False
        self._lock = forks.Lock()

    def fallback(self, label: str, reason: str) -> None:
        """Warn that a nest runs as written, if it is the kernel's first.

        Args:
            label: the nest.
            reason: why, in words for the user.
        """
        if self.first():
            tell(f"{label} runs as plain Python: {reason}")

    def first(self) -> bool:
        """Whether nobody asked before; from now on somebody has."""
        with self._lock:
            first, self._told = not self._told, True
        return first


def tell(message: str) -> None:
    """Warn at the line that called the kernel."""
    warnings.warn(f"looptx: {message}", RuntimeWarning, stacklevel=_level())


def _level() -> int:
    """The stack level, for the caller of this module, of who called the kernel.

    The stack is: looptx, the kernel's own function (when it is running already), looptx
    again (unless a generator is resumed), the caller.
    """
    frame: types.FrameType | None = sys._getframe(2)
    level = 2
    inside = False
    while frame is not None and frame.f_back is not None:
        own = str(frame.f_globals.get("__name__", "")).partition(".")[0] == "looptx"
        if not own and inside:
            break
        if not own:
            inside = _woven(frame)
            if not inside:
                break
        frame = frame.f_back
        level += 1
    return level


def _woven(frame: types.FrameType) -> bool:
    """Whether a frame runs a function with native nests."""
    return any(name.startswith("_looptx_") for name in frame.f_code.co_freevars)
