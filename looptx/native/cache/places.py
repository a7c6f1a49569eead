"""Where compiled code may lie: the user's cache, or a directory of this process.

Whoever can write into the cache can run code as its user, so nothing is read from it
unless the user, or root, alone can: every folder from the root of the file system down
is looked at. The folders above the cache may be writable by others only when they are
sticky, as ``/tmp`` is, where nobody can rename what is not theirs; group-writable ones
pass when the group is the user's private one (of the same number). The cache itself and
what is in it must be real folders and files that nobody else can write, no symbolic
links; links above it are resolved once. A cache that is removed while the process runs
is made again, and looked at like the first one.

That check is made when something is opened and not repeated for ``dlopen``: only the
user could change the file in between, who might as well change looptx.

A cache that is not safe is left alone. One that cannot be written, or is full, is still
read. In both cases a private directory that lives as long as the process takes what is
written, and a warning says so.
"""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
import warnings
from pathlib import Path

from looptx import forks
from looptx.model.records import dataclass
from looptx.native.cache import scratch

FORMAT = "v2"
"""The folder inside the cache; another arrangement of its content is another folder."""

ROOM = 1 << 24
"""Bytes that must be free for a build: the largest temporary files of a compiler."""

_POSIX = os.name == "posix"
_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_BINARY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
)


@dataclass(slots=True)
class _Place:
    """The cache as this process found it.

    Attributes:
        readable: the directory; None when it is not safe.
        trouble: why it takes nothing new, ``""`` when it does.
    """

    readable: Path | None
    trouble: str = ""


_places: dict[str, _Place] = {}
_private: dict[int, Path] = {}
_copied: list[str] = []


def location() -> Path:
    """Where the cache is or would be; nothing is made."""
    named = os.environ.get("LOOPTX_CACHE_DIR", "")
    if named:
        return Path(os.path.abspath(os.path.expanduser(named)))
    with forks.IMPORTS:
        import platformdirs

    return Path(platformdirs.user_cache_dir("looptx", appauthor=False))


def root() -> Path:
    """The directory to write into: the cache, or one of this process."""
    place = _place()
    if place.readable is not None and not place.trouble:
        return place.readable
    return private()


def shelves() -> tuple[Path, ...]:
    """The directories to look in, the cache first."""
    place = _place()
    kept = () if place.readable is None else (place.readable,)
    return (*kept, *_private.values())


def private() -> Path:
    """The directory of this process, removed when it ends."""
    process = os.getpid()
    if process not in _private:
        _private[process] = scratch.lasting()
    return _private[process]


def retreat(reason: OSError) -> None:
    """Write into the private directory from now on, and say so once."""
    place = _place()
    if not place.trouble:
        place.trouble = f"cannot be written ({reason.strerror or reason})"
        _tell(place.trouble)


def trouble() -> str:
    """Why the cache takes nothing new, ``""`` when it does."""
    return _place().trouble


def tell_copied(reason: str) -> None:
    """Say once that compiled code is kept in the cache but not loaded from there."""
    if not _copied:
        _copied.append(reason)
        warnings.warn(
            f"looptx: compiled code cannot be loaded from {root()} ({reason}): copies "
            "in a private directory are (LOOPTX_CACHE_DIR names another directory)",
            RuntimeWarning,
            stacklevel=2,
        )


def lacks_room() -> OSError | None:
    """Why a build cannot be written, found by writing; None if it can."""
    try:
        with tempfile.TemporaryFile(dir=folder("work")) as file:
            block = bytes(1 << 20)
            for _ in range(ROOM // len(block)):
                file.write(block)
            file.flush()
    except OSError as error:
        return error
    return None


def folder(*parts: str) -> Path:
    """A folder below ``root()``, made when it is missing.

    Raises:
        OSError: it cannot be made, or somebody else could change what is in it.
    """
    place = root()
    for part in (FORMAT, *parts):
        place /= part
        with contextlib.suppress(FileExistsError):
            place.mkdir(mode=0o700)
        wrong = _fault(place.lstat(), stat.S_IFDIR)
        if wrong:
            raise PermissionError(f"{place} {wrong}")
    return place


def read(shelf: Path, *parts: str) -> bytes:
    """The content of a file on a shelf.

    Raises:
        OSError: it cannot be read, or somebody else could have written it.
    """
    place = shelf
    for part in (FORMAT, *parts[:-1]):
        place /= part
        wrong = _fault(place.lstat(), stat.S_IFDIR)
        if wrong:
            raise PermissionError(f"{place} {wrong}")
    with open(os.open(place / parts[-1], _FLAGS), "rb") as file:
        wrong = _fault(os.fstat(file.fileno()), stat.S_IFREG)
        if wrong:
            raise PermissionError(f"{place / parts[-1]} {wrong}")
        return file.read()


def _place() -> _Place:
    named = os.environ.get("LOOPTX_CACHE_DIR", "")
    known = _places.get(named)
    if known is None or (known.readable is not None and _lost(known.readable)):
        known = _judged((known and known.readable) or location())
        _places[named] = known
        if known.trouble:
            _tell(known.trouble)
    return known


def _lost(place: Path) -> bool:
    """Whether the cache was removed, or something unsafe put there, since it was found.

    In a sticky directory anybody can take the name of what its owner removes.
    """
    try:
        return bool(_fault(place.lstat(), stat.S_IFDIR))
    except OSError:
        return True


def _tell(why: str) -> None:
    warnings.warn(
        f"looptx: the cache directory {location()} {why}; what is compiled is lost "
        "when the process ends (LOOPTX_CACHE_DIR names another directory)",
        RuntimeWarning,
        stacklevel=2,
    )


def _judged(place: Path) -> _Place:
    """A directory, created if missing, and why it cannot be used, if so."""
    try:
        _make(place.parent)
        # Above the cache links are followed, here and never again.
        place = Path(os.path.realpath(place.parent, strict=True)) / place.name
        with contextlib.suppress(FileExistsError):
            place.mkdir(mode=0o700)
        wrong = _fault(place.lstat(), stat.S_IFDIR) or _fault_above(place)
    except OSError as error:
        return _Place(None, f"cannot be used ({error.strerror})")
    if wrong:
        return _Place(None, wrong)
    if not os.access(place, os.W_OK | os.X_OK):
        return _Place(place, "cannot be written")
    return _Place(place)


def _make(directory: Path) -> None:
    """``mkdir -p`` with folders of the user's own, whatever the umask."""
    if not directory.is_dir():
        _make(directory.parent)
        with contextlib.suppress(FileExistsError):
            directory.mkdir(mode=0o700)


def _fault(status: os.stat_result, kind: int) -> str:
    """Why a folder (``S_IFDIR``) or file (``S_IFREG``) cannot be trusted, or ``""``."""
    if stat.S_IFMT(status.st_mode) != kind:
        link = stat.S_ISLNK(status.st_mode)
        what = "directory" if kind == stat.S_IFDIR else "regular file"
        return "is a symbolic link" if link else f"is no {what}"
    if _POSIX and status.st_uid not in (0, os.geteuid()):
        return "belongs to another user"
    if _POSIX and status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return "can be written by other users (chmod 700 makes it yours alone)"
    return ""


def _fault_above(place: Path) -> str:
    """Why another user could replace this directory, empty if none can."""
    if not _POSIX:
        return ""
    for above in place.parents:
        status = above.stat()
        if status.st_uid not in (0, os.geteuid()):
            return f"lies in {above}, which belongs to another user"
        own = stat.S_IWGRP if status.st_gid == os.geteuid() else 0
        others = status.st_mode & (stat.S_IWGRP | stat.S_IWOTH) & ~own
        if others and not status.st_mode & stat.S_ISVTX:
            return f"lies in {above}, which other users can write"
    return ""
