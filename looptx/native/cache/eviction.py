"""The size of the cache, and the eviction of what was used least recently.

After a build, never on the way to something kept, entries are removed until the cache
is below ``LOOPTX_CACHE_SIZE`` (a number of bytes, or one with K, M or G behind it; 1G
without). What killed processes left is removed when a day old.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from looptx.native.cache import places, store

LIMIT = 1 << 30
DAY = 86400
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


_left: dict[tuple[Path, int], int] = {}
"""By cache and limit: the bytes that were left, without what was built since."""


class Kept(NamedTuple):
    """Something in the cache: when it was used last, its bytes, its folder or file."""

    used: float
    size: int
    path: Path


def limit() -> int:
    """The limit of the cache in bytes; an invalid setting counts as unset."""
    said = os.environ.get("LOOPTX_CACHE_SIZE", "").strip().upper()
    match = re.fullmatch(r"(\d{1,18}) ?([KMG]?)(?:I?B)?", said, re.ASCII)
    return int(match[1]) * _UNITS[match[2]] if match else LIMIT


def entries() -> int:
    """How many compiled nests are kept."""
    nests = places.location() / places.FORMAT / store.NESTS
    return sum(1 for _ in nests.glob(f"*/*/{store.MANIFEST}"))


def size() -> int:
    """The bytes the cache takes."""
    return _size(places.location())


def clear() -> int:
    """Remove everything looptx keeps; returns how many compiled nests there were.

    Only looptx's own folder inside the cache directory is removed.
    """
    count = entries()
    shutil.rmtree(places.location() / places.FORMAT, ignore_errors=True)
    return count


def make_room(entry: store.Entry) -> None:
    """Trim where an entry that was built may be too much.

    To look at all entries takes as long as to read a small nest. So it is left out as
    long as four times of what this process built since fits into what was left then,
    whatever other processes do meanwhile.
    """
    key = places.root(), limit()
    left = _left.get(key, 0) - 4 * _size(entry.library.parent)
    _left[key] = left
    if left <= 0:
        trim()


def trim() -> None:
    """Remove leftovers, then the least recently used entries beyond the limit."""
    home = places.root() / places.FORMAT
    for name in ("work", "locks", "failed"):
        for path in _listed(home / name):
            if _age(path) > DAY:
                _remove(path)
    kept = sorted(_kept(home))
    total = sum(one.size for one in kept)
    for one in kept[:-1]:
        if total <= limit():
            break
        _remove(one.path)
        total -= one.size
    _left[home.parent, limit()] = limit() - total


def _kept(home: Path) -> Iterator[Kept]:
    for kind in store.KINDS:
        for shelf in _listed(home / kind):
            for path in _listed(shelf):
                mark = path if kind == store.RECORDS else path / store.MANIFEST
                with contextlib.suppress(OSError):
                    yield Kept(mark.lstat().st_mtime, _size(path), path)


def _listed(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError:
        return []


def _age(path: Path) -> float:
    try:
        return time.time() - path.lstat().st_mtime
    except OSError:
        return 0.0


def _size(path: Path) -> int:
    """The bytes of a file, or of all files in a folder."""
    total = 0
    for folder, _, files in os.walk(path):
        for name in files:
            with contextlib.suppress(OSError):
                total += os.lstat(os.path.join(folder, name)).st_size
    if not path.is_dir():
        with contextlib.suppress(OSError):
            total = path.lstat().st_size
    return total


def _remove(path: Path) -> None:
    """Delete an entry; whoever reads it meanwhile finds it damaged and makes another.

    The manifest is removed first, so that a partial removal is seen as one.
    """
    if path.is_dir() and not path.is_symlink():
        with contextlib.suppress(OSError):
            (path / store.MANIFEST).unlink()
        shutil.rmtree(path, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            path.unlink()
