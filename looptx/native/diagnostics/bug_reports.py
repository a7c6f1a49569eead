"""The files for a bug report: generated code, and the compiler's output."""

from __future__ import annotations

import contextlib
import os
import shutil
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

from looptx.errors import BuildFailed, LooptxError, unforeseen
from looptx.native.cache import places, store
from looptx.native.compile import keys

PASSING = (RecursionError, MemoryError)
"""These tell of the process, not of looptx: the next call may be better off."""


@contextlib.contextmanager
def kept(directory: Path) -> Iterator[None]:
    """Keep the files of a build when it fails; the error's hint names the folder.

    Args:
        directory: where the build works.
    """

    def fill(draft: Path) -> list[str]:
        texts = []
        for path in sorted(directory.iterdir()):
            if path.is_file() and path.suffix in (".pyx", ".c", ".lis", ".txt"):
                shutil.copyfile(path, draft / path.name)
                if path.suffix == ".pyx":
                    texts.append(path.read_text("utf-8"))
        return texts

    try:
        yield
    except BuildFailed as error:
        if error.code == "LX502":
            _keep(error, fill)
        raise


def reported(error: Exception, text: str) -> LooptxError:
    """The error that replaces an unexpected exception: LX901.

    The hint names the folder where its traceback is, and the source that led to it.

    Args:
        error: what was raised.
        text: the function's source.
    """
    found = unforeseen(error)

    def fill(draft: Path) -> list[str]:
        said = "".join(traceback.format_exception(error))
        for name, part in (("function.py", text), ("traceback.txt", said)):
            (draft / name).write_text(part, "utf-8", errors="backslashreplace")
        return [text, found.message]

    _keep(found, fill)
    return found


def _keep(error: LooptxError, fill: Callable[[Path], list[str]]) -> None:
    """Keep files in the cache and name their folder in the error, if that works.

    Args:
        error: what they are about.
        fill: writes them into a directory; gives what tells them from others.
    """
    # Nothing may take the place of the error: where `builtins.min` is another function,
    # the traceback of Python 3.13 has no text.
    with contextlib.suppress(Exception), store.workspace() as private:
        draft = private / "failed"
        draft.mkdir(mode=0o700)
        texts = fill(draft)
        folder = places.folder("failed") / keys.digest(*texts)[:16]
        shutil.rmtree(folder, ignore_errors=True)
        os.rename(draft, folder)
        error.hint = (
            f"this is a fault of looptx; please report it with what is in {folder}"
        )
