"""Which files a command works on, and how they are read and replaced.

A path that is named is always used. A directory stands for the ``*.py`` below it,
without the folders that hold other people's or generated code.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import suppress
from fnmatch import fnmatchcase
from pathlib import Path

from looptx.errors import LooptxError, Malformed, Place
from looptx.model.records import dataclass

LIMIT = 10 * 1024 * 1024
"""The size of the largest file that is read, in bytes."""

SKIPPED = frozenset(
    {
        ".direnv",
        ".eggs",
        ".git",
        ".hg",
        ".hypothesis",
        ".idea",
        ".mypy_cache",
        ".nox",
        ".pytest_cache",
        ".ruff_cache",
        ".svn",
        ".tox",
        ".venv",
        ".vscode",
        "__pycache__",
        "__pypackages__",
        "_build",
        "build",
        "dist",
        "node_modules",
        "site-packages",
        "venv",
    }
)
"""Folders that a walk does not enter; neither does it enter a virtual environment."""


@dataclass(frozen=True, slots=True)
class Target:
    """A file to work on.

    Attributes:
        path: as the user wrote it, or below a directory the user wrote.
        relative: its path below that directory, or its name.
        named: true when the user wrote this very path.
    """

    path: Path
    relative: Path
    named: bool


def failure(code: str, path: Path | str, message: str, hint: str = "") -> LooptxError:
    """An error about a whole file: its place is the file's first character.

    Args:
        code, message, hint: as for ``LooptxError``.
        path: the file.
    """
    return Malformed(code, message, start(str(path)), hint=hint)


def unreadable(path: Path, error: OSError) -> LooptxError:
    """LX401, with what the system says."""
    return failure("LX401", path, _reason(error), "check the path and its permissions")


def unwritable(path: Path, error: OSError) -> LooptxError:
    """LX404, with what the system says."""
    hint = "check the permissions and free space of its folder, or use -o"
    return failure("LX404", path, _reason(error), hint)


def start(name: str) -> Place:
    """The first character of a file."""
    return Place(name, 1)


def collect(
    paths: Sequence[str], exclude: Sequence[str] = ()
) -> tuple[list[Target], list[LooptxError]]:
    """The files that ``paths`` stand for, each once, and what is wrong with the others.

    Args:
        paths: files and directories.
        exclude: shell patterns; a file is left out when its path, its name or one of
            the folders on the way to it matches.
    """
    targets: dict[str, Target] = {}
    errors: list[LooptxError] = []
    for text in paths:
        path = Path(text)
        try:
            found = list(_expand(path))
        except OSError as error:
            errors.append(unreadable(path, error))
            continue
        for target in found:
            if not _excluded(target.path, exclude):
                targets.setdefault(os.path.realpath(target.path), target)
    return list(targets.values()), errors


def _expand(path: Path) -> Iterator[Target]:
    """The file itself, or the Python files of a directory, sorted."""
    if not stat.S_ISDIR(path.stat().st_mode):
        yield Target(path, Path(path.name), named=True)
        return
    top = os.path.realpath(path)
    for folder, subfolders, names in os.walk(path):
        subfolders[:] = sorted(
            name for name in subfolders if not _foreign(folder, name)
        )
        for name in sorted(names):
            file = Path(folder, name)
            if name.endswith(".py") and _inside(file, top):
                yield Target(file, file.relative_to(path), named=False)


def _foreign(folder: str, name: str) -> bool:
    return (
        name in SKIPPED
        or name.endswith(".egg-info")
        or os.path.exists(os.path.join(folder, name, "pyvenv.cfg"))
    )


def _inside(file: Path, top: str) -> bool:
    """Whether a walked file is a file of this directory: no link leads out of it."""
    real = os.path.realpath(file)
    return os.path.isfile(real) and os.path.commonpath((real, top)) == top


def _excluded(path: Path, patterns: Sequence[str]) -> bool:
    text = path.as_posix().removeprefix("./")
    return any(
        fnmatchcase(text, pattern)
        or any(fnmatchcase(part, pattern) for part in path.parts)
        for pattern in (pattern.removeprefix("./").rstrip("/") for pattern in patterns)
    )


def read(path: Path) -> bytes:
    """The content of a file.

    Raises:
        LooptxError: LX401 when it cannot be read, LX304 beyond ``LIMIT``.
    """
    try:
        with path.open("rb") as stream:
            data = stream.read(LIMIT + 1)
    except OSError as error:
        raise unreadable(path, error) from None
    return limited(data, path)


def limited(data: bytes, path: Path | str) -> bytes:
    """The data, unless there is too much of it.

    Raises:
        LooptxError: LX304.
    """
    if len(data) > LIMIT:
        hint = "move the annotated functions into a module of their own"
        size = f"larger than {LIMIT // 2**20} MiB"
        raise failure("LX304", path, f"the file is {size}", hint)
    return data


def replace(path: Path, data: bytes, expected: bytes) -> None:
    """Put ``data`` in the place of ``expected``, all at once, keeping mode and links.

    A symbolic link stays one; the file it leads to is replaced.

    Args:
        path: the file.
        data: its new bytes.
        expected: the bytes that were read.

    Raises:
        LooptxError: LX404 when the file is read-only, is no regular file, has been
            changed since ``expected`` was read, or its folder cannot be written.
    """
    target = Path(os.path.realpath(path))
    try:
        info = target.stat()
        if not stat.S_ISREG(info.st_mode):
            raise failure("LX404", path, "not a regular file")
        if not info.st_mode & 0o222 or not os.access(target, os.W_OK):
            hint = "make it writable, or use -o to write elsewhere"
            raise failure("LX404", path, "the file is read-only", hint)
        if target.read_bytes() != expected:
            hint = "run the command again"
            raise failure("LX404", path, "the file changed while it was read", hint)
        _write(target, data, info)
    except OSError as error:
        raise unwritable(path, error) from None


def create(path: Path, data: bytes) -> None:
    """Write a file that may or may not exist, all at once, making its folders.

    Raises:
        LooptxError: LX404.
    """
    if path.exists():
        with suppress(OSError):
            replace(path, data, path.read_bytes())
            return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _write(path, data, None)
    except OSError as error:
        raise unwritable(path, error) from None


def _write(target: Path, data: bytes, like: os.stat_result | None) -> None:
    """Through a temporary file beside the target: never half a file, at no moment."""
    temporary = target.with_name(f".looptx-{os.urandom(8).hex()}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        with open(descriptor, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        if like is not None:
            with suppress(OSError, AttributeError):
                os.chown(temporary, like.st_uid, like.st_gid)
            os.chmod(temporary, stat.S_IMODE(like.st_mode))
        os.replace(temporary, target)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(temporary)


def _reason(error: OSError) -> str:
    """What the system says, as a phrase."""
    text = error.strerror or str(error)
    return text[:1].lower() + text[1:]
