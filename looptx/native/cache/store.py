"""What is kept between processes: host records and compiled nests.

Its location and permissions are the business of ``places``. An entry appears by
one rename of a finished directory, so readers never see half of it. Manifests and
records are JSON with a digest of themselves and of their key, and a manifest holds size
and digest of every file: what is truncated, flipped or under another key's name counts
as missing, and is made again.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from looptx import forks
from looptx.errors import BuildFailed
from looptx.model.records import dataclass, field
from looptx.native.cache import places, scratch

LOCK_TIMEOUT = 900
"""Longer than any compiler run: whoever waits shall not start a second one."""

MANIFEST = "manifest.json"
TEXT = "nest.pyx"
NESTS, RECORDS = KINDS = ("nests", "hosts")

_FRESH = 3600
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Entry:
    """A verified compiled module.

    Attributes:
        library: the shared object.
        module: the name of the module it defines.
        text: its Cython text.
        facts: what else was kept of it.
    """

    library: Path
    module: str
    text: str
    facts: Mapping[str, Any] = field(default_factory=dict)


def load_record(key: str) -> dict[str, Any] | None:
    """The JSON record kept under ``key``; None when none can be trusted."""
    for shelf in places.shelves():
        parts = (RECORDS, key[:2], f"{key}.json")
        with contextlib.suppress(OSError, ValueError):
            record = _unsealed(key, places.read(shelf, *parts))
            _used(shelf.joinpath(places.FORMAT, *parts))
            return record
    return None


def save_record(key: str, record: Mapping[str, Any]) -> None:
    """Keep a JSON record; a directory that cannot be written is no error."""
    with contextlib.suppress(OSError), workspace() as directory:
        draft = directory / "record.json"
        draft.write_text(_sealed(key, record), "utf-8")
        draft.chmod(0o600)
        os.replace(draft, places.folder(RECORDS, key[:2]) / f"{key}.json")


def find(key: str) -> Entry | None:
    """The verified module kept under ``key``; None when missing or damaged."""
    for shelf in places.shelves():
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            return _verified(shelf, key)
    return None


def _verified(shelf: Path, key: str) -> Entry:
    parts = (NESTS, key[:2], key)
    manifest = _unsealed(key, places.read(shelf, *parts, MANIFEST))
    content = {name: places.read(shelf, *parts, name) for name in manifest["files"]}
    if {name: _sums(data) for name, data in content.items()} != manifest["files"]:
        raise ValueError("a file is not the one that was kept")
    folder = shelf.joinpath(places.FORMAT, *parts)
    _used(folder / MANIFEST)
    return Entry(
        folder / manifest["library"],
        manifest["module"],
        content.get(TEXT, b"").decode("utf-8"),
        manifest["facts"],
    )


def _sums(data: bytes) -> dict[str, object]:
    return {"size": len(data), "sha256": hashlib.sha256(data).hexdigest()}


def _used(file: Path) -> None:
    """Touch the modification time at most hourly, for the eviction of the oldest."""
    with contextlib.suppress(OSError):
        if time.time() - os.lstat(file).st_mtime > _FRESH:
            os.utime(file)


def publish(
    key: str,
    draft: Path,
    library: str,
    module: str,
    facts: Mapping[str, Any] | None = None,
) -> Entry:
    """Rename the finished directory ``draft`` into the entry of ``key``, atomically.

    Of several processes that publish one key the first wins; all get a valid entry.

    Args:
        key: hexadecimal digits.
        draft: a directory inside ``workspace()``, with the library and the text.
        library: the file name of the shared object in it.
        module: the module it defines.
        facts: what else to keep of it, as JSON: by what it was made, for people who
            read the manifest, and what is said of it when it is used.

    Returns:
        The entry, this one or that of another process.

    Raises:
        OSError: the entry cannot be written.
    """
    manifest = {
        "module": module,
        "library": library,
        "files": {path.name: _sums(path.read_bytes()) for path in draft.iterdir()},
        "facts": dict(facts or {}),
    }
    (draft / MANIFEST).write_text(_sealed(key, manifest), "utf-8")
    # The compiler obeyed the umask, which may let others write.
    draft.chmod(0o700)
    for path in draft.iterdir():
        path.chmod(0o600)
    folder = places.folder(NESTS, key[:2]) / key
    for _ in range(3):
        with contextlib.suppress(OSError):
            os.rename(draft, folder)
        entry = find(key)
        if entry is not None:
            return entry
        discard(key)
    raise OSError(f"nothing can be kept in {folder.parent}")


def discard(key: str) -> None:
    """Move a damaged or useless entry out of the way, then delete it."""
    with contextlib.suppress(OSError), workspace() as directory:
        entry = places.folder(NESTS, key[:2]) / key
        os.rename(entry, directory / "discarded")


def _sealed(key: str, value: Mapping[str, Any]) -> str:
    """JSON text that says itself whether it is whole and belongs to ``key``."""
    content = json.dumps(value, sort_keys=True)
    seal = hashlib.sha256(f"{key} {content}".encode()).hexdigest()
    return f'{{"sha256": "{seal}", "content": {content}}}\n'


def _unsealed(key: str, data: bytes) -> dict[str, Any]:
    """What ``_sealed`` was given.

    Raises:
        ValueError: it is not whole, or not of this key.
    """
    try:
        whole = json.loads(data)
    except RecursionError:
        raise ValueError("brackets in brackets without end") from None
    content = whole.get("content") if isinstance(whole, dict) else None
    if not isinstance(content, dict) or _sealed(key, content).encode() != data:
        raise ValueError("no record of this key")
    return content


@contextlib.contextmanager
def workspace() -> Iterator[Path]:
    """A private directory on the cache's file system, removed afterwards.

    Raises:
        OSError: it cannot be made, or was removed while it was in use.
    """
    with scratch.passing(places.folder("work")) as directory:
        try:
            yield directory
        except BuildFailed:
            if not directory.is_dir():
                raise FileNotFoundError(f"{directory} was removed") from None
            raise


@contextlib.contextmanager
def lock(key: str) -> Iterator[None]:
    """Keep other processes from building the same key; waits for the one that does.

    Where locks do not work (some network file systems) or the holder takes too long,
    the build goes ahead: publishing is safe without, only work is done twice. The
    system frees the lock of a process that dies.
    """
    with forks.IMPORTS:
        import filelock

    file = places.folder("locks") / f"{key}.lock"
    guard = filelock.FileLock(file, timeout=LOCK_TIMEOUT, mode=0o600)
    held = False
    with contextlib.suppress(OSError, NotImplementedError):
        guard.acquire()
        held = True
    try:
        yield
    finally:
        if held:
            guard.release()


def carry_out(work: Callable[[], _T]) -> _T:
    """Retry work that writes into the cache when the file system fails it.

    A full disk, a directory that became read-only or was cleared: the work is tried
    once more where it was if there is room again, and then in a private directory.

    Args:
        work: without effects that a second call would double.

    Raises:
        BuildFailed: LX502 when there is no room anywhere, or what ``work`` raises.
    """
    for attempt in range(3):
        missing = None
        try:
            return work()
        except OSError as error:
            reason = error
        except BuildFailed as error:
            missing = places.lacks_room() if error.code in ("LX501", "LX502") else None
            if missing is None:
                raise
            reason = missing
        missing = missing or places.lacks_room()
        if missing or attempt:
            places.retreat(missing or reason)
    raise BuildFailed(
        "LX502",
        "compiled code can be written nowhere",
        detail=(str(reason),),
        hint="make room, or set LOOPTX_CACHE_DIR to a directory on another disk",
    )
