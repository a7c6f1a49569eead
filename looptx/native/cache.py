"""What is kept between processes: host records and compiled nests.

Everything lies in one directory that only its user can write (``LOOPTX_CACHE_DIR``, or
the platform's cache directory). Names are digests, nothing a user wrote reaches a path.
An entry appears by one rename of a finished directory, so readers never see half of it,
and its manifest holds size and digest of the module, checked before it is loaded.
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import json
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from looptx.errors import LooptxError, Malformed, Place

FORMAT = "v1"
LOCK_TIMEOUT = 120
MODULE = "module"
MANIFEST = "manifest.json"
TEXT = "nest.pyx"


def digest(*parts: str) -> str:
    """The sha256 of some texts, as 64 hexadecimal digits; no two lists collide."""
    whole = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        whole.update(f"{len(data)}:".encode())
        whole.update(data)
    return whole.hexdigest()


def root() -> Path:
    """The cache directory of this user, made when it is missing.

    When it cannot be made or written, or is not safe, a private directory that lives as
    long as the process.

    Raises:
        Malformed: LX404 when ``LOOPTX_CACHE_DIR`` names a directory that somebody else
            owns or may write into: compiled code is loaded from there.
    """
    return _root(os.environ.get("LOOPTX_CACHE_DIR", ""))


def location() -> Path:
    """Where the cache is or would be; nothing is made."""
    named = os.environ.get("LOOPTX_CACHE_DIR", "")
    if named:
        return Path(named).expanduser().absolute()
    import platformdirs

    return Path(platformdirs.user_cache_dir("looptx", appauthor=False))


@cache
def _root(named: str) -> Path:
    place = location()
    try:
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = place.stat()
    except OSError:
        return _private()
    if os.name == "posix":
        foreign = status.st_uid != os.geteuid()
        if foreign or status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            if not named:
                return _private()
            raise Malformed(
                "LX404",
                f"the cache directory {place} can be written by other users",
                Place(str(place), 1),
                hint="make it yours alone (chmod 700) or set LOOPTX_CACHE_DIR",
            )
    return place if os.access(place, os.W_OK | os.X_OK) else _private()


@cache
def _private() -> Path:
    place = Path(tempfile.mkdtemp(prefix="looptx-"))
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    return place


@dataclass(frozen=True, slots=True)
class Entry:
    """A verified compiled module.

    Attributes:
        library: the shared object.
        module: the name of the module it defines.
        needs: the shared utility module it imports, or ``""``.
        text: its Cython text.
    """

    library: Path
    module: str
    needs: str
    text: Path


def _folder(kind: str, key: str) -> Path:
    return root() / FORMAT / kind / key[:2] / key


def load_record(key: str) -> dict[str, Any] | None:
    """The JSON record kept under ``key``; None when none can be read."""
    path = _folder("hosts", key).with_suffix(".json")
    try:
        record = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return record if isinstance(record, dict) else None


def save_record(key: str, record: Mapping[str, Any]) -> None:
    """Keep a JSON record; a directory that cannot be written is no error."""
    path = _folder("hosts", key).with_suffix(".json")
    with contextlib.suppress(OSError), workspace() as directory:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft = directory / "record.json"
        draft.write_text(json.dumps(record), "utf-8")
        os.replace(draft, path)


def find(key: str, kind: str = "nests") -> Entry | None:
    """The verified module kept under ``key``; None when missing or damaged."""
    folder = _folder(kind, key)
    try:
        manifest = json.loads((folder / MANIFEST).read_text("utf-8"))
        library = folder / manifest["library"]
        data = library.read_bytes()
        if len(data) != manifest["size"]:
            return None
        if hashlib.sha256(data).hexdigest() != manifest["sha256"]:
            return None
        names = str(manifest["module"]), str(manifest["needs"])
        return Entry(library, *names, folder / TEXT)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def publish(
    key: str,
    draft: Path,
    library: str,
    module: str,
    needs: str = "",
    kind: str = "nests",
) -> Entry:
    """Make the finished directory ``draft`` the entry of ``key``.

    Of several processes that publish one key the first wins; all get a valid entry.

    Args:
        key: hexadecimal digits.
        draft: a directory inside ``workspace()``, with the library and the text.
        library: the file name of the shared object in it.
        module: the module it defines.
        needs: the shared utility module it imports.
        kind: the shelf.
    """
    data = (draft / library).read_bytes()
    manifest = {
        "library": library,
        "module": module,
        "needs": needs,
        "size": len(data),
        "sha256": hashlib.sha256(data).hexdigest(),
    }
    (draft / MANIFEST).write_text(json.dumps(manifest), "utf-8")
    folder = _folder(kind, key)
    folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    for _ in range(3):
        try:
            os.rename(draft, folder)
        except OSError:
            entry = find(key, kind)
            if entry is not None:
                return entry
            discard(key, kind)
            continue
        break
    entry = find(key, kind)
    if entry is None:
        raise LooptxError("LX404", f"nothing can be kept in {folder.parent}")
    return entry


def discard(key: str, kind: str = "nests") -> None:
    """Move a damaged or useless entry out of the way, then delete it."""
    with contextlib.suppress(OSError), workspace() as directory:
        os.rename(_folder(kind, key), directory / "discarded")


@contextlib.contextmanager
def workspace() -> Iterator[Path]:
    """A private directory on the cache's file system, gone afterwards."""
    parent = root() / FORMAT / "work"
    parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    directory = Path(tempfile.mkdtemp(dir=parent))
    try:
        yield directory
    finally:
        shutil.rmtree(directory, ignore_errors=True)


@contextlib.contextmanager
def lock(key: str) -> Iterator[None]:
    """Keep other processes from building the same key; waits for the one that does.

    Where locks do not work (some network file systems) or the holder takes too long,
    the build goes ahead: publishing is safe without, only work is done twice.
    """
    import filelock

    folder = root() / FORMAT / "locks"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    guard = filelock.FileLock(folder / f"{key}.lock", timeout=LOCK_TIMEOUT)
    held = False
    with contextlib.suppress(OSError, NotImplementedError):
        guard.acquire()
        held = True
    try:
        yield
    finally:
        if held:
            guard.release()


def entries() -> int:
    """How many compiled nests are kept."""
    return sum(1 for _ in (location() / FORMAT / "nests").glob("*/*/" + MANIFEST))


def size() -> int:
    """The bytes the cache takes."""
    total = 0
    for folder, _, files in os.walk(location()):
        for name in files:
            with contextlib.suppress(OSError):
                total += os.lstat(os.path.join(folder, name)).st_size
    return total


def clear() -> int:
    """Remove everything looptx keeps; returns how many compiled nests there were.

    Only looptx's own folder inside the cache directory is removed.
    """
    count = entries()
    shutil.rmtree(location() / FORMAT, ignore_errors=True)
    return count


@cache
def machine() -> str:
    """What compiled code depends on besides its text: Python, platform, processor.

    Code is tuned for the processor it was built on; a home directory shared by
    different machines must not hand it to another kind.
    """
    import platform
    import sysconfig

    parts = [
        sys.version.split()[0].rpartition(".")[0],
        str(sysconfig.get_config_var("EXT_SUFFIX")),
        platform.machine(),
    ]
    try:
        with open("/proc/cpuinfo", "rb") as file:
            block = file.read(1 << 14).split(b"\n\n")[0].decode("ascii", "replace")
        keep = ("model name", "flags", "Features", "CPU part")
        parts += [line for line in block.splitlines() if line.startswith(keep)]
    except OSError:
        parts.append(platform.processor())
    return digest(*parts)


@cache
def fingerprint() -> str:
    """A digest of looptx's own source, so that no other version's results are used."""
    package = Path(__file__).resolve().parent.parent
    whole = hashlib.sha256()
    for path in sorted(package.rglob("*.py")):
        if "cli" in path.parts[len(package.parts) :]:
            continue
        whole.update(path.name.encode())
        whole.update(path.read_bytes())
    return whole.hexdigest()
