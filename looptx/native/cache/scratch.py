"""Temporary directories of one process, removed when it has used them.

One that lasts as long as its process holds a locked file. The system frees the lock of
a process that was killed, whatever became of its number, so the next process that makes
such a directory can tell which are left over, and removes them. Only real directories
of the same user count: where temporary files go others can put what they like, but, as
the place is sticky, neither rename nor replace what is not theirs.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from looptx import forks

if TYPE_CHECKING:
    import filelock

PREFIX = "looptx-"
MARK = "alive.lock"

YOUNG = 60
"""Seconds for which a directory is let alone: its maker may not have locked it yet."""


@contextlib.contextmanager
def passing(above: Path | None = None) -> Iterator[Path]:
    """A directory that is removed afterwards.

    Args:
        above: where to make it; where temporary files go, when not said.

    Raises:
        OSError: it cannot be made.
    """
    directory = Path(tempfile.mkdtemp(prefix=PREFIX, dir=above))
    process = os.getpid()
    try:
        yield directory
    finally:
        _remove(directory, process)


def lasting() -> Path:
    """A new directory that is there until the process ends.

    Raises:
        OSError: it cannot be made.
    """
    with forks.IMPORTS:
        import filelock

    directory = Path(tempfile.mkdtemp(prefix=PREFIX))
    mark = filelock.FileLock(directory / MARK, mode=0o600, thread_local=False)
    atexit.register(_end, directory, os.getpid(), mark)
    try:
        mark.acquire(blocking=False)
    except (OSError, NotImplementedError):  # without locks it may be left over
        (directory / MARK).unlink(missing_ok=True)
    _sweep(directory.parent)
    return directory


def _remove(directory: Path, process: int) -> None:
    """A forked child leaves its parent's directory alone."""
    if os.getpid() == process:
        shutil.rmtree(directory, ignore_errors=True)


def _end(directory: Path, process: int, mark: filelock.BaseFileLock) -> None:
    if os.getpid() == process:
        mark.release()
    _remove(directory, process)


def _sweep(above: Path) -> None:
    """Remove the directories whose processes were killed."""
    import filelock

    for directory in above.glob(f"{PREFIX}*"):
        mark = directory / MARK
        with contextlib.suppress(OSError, NotImplementedError):
            if _own(directory) and time.time() - mark.lstat().st_mtime > YOUNG:
                with filelock.FileLock(mark, blocking=False):
                    shutil.rmtree(directory, ignore_errors=True)


def _own(directory: Path) -> bool:
    """Whether it is a directory of this user, and no link to one."""
    status = directory.lstat()
    mine = not hasattr(os, "geteuid") or status.st_uid == os.geteuid()
    return stat.S_ISDIR(status.st_mode) and mine
