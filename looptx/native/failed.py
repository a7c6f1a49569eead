"""What a failed build leaves for a report: the generated code, and what was said."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from looptx.errors import BuildFailed
from looptx.native import cache, keys, places


@contextlib.contextmanager
def kept(directory: Path) -> Iterator[None]:
    """Keep the files of a build when it fails; the error's hint names the folder.

    Args:
        directory: where the build works.
    """
    try:
        yield
    except BuildFailed as error:
        if error.code == "LX502":
            folder = _keep(directory)
            if folder is not None:
                error.hint = (
                    "this is a fault of looptx; please report it with what is in "
                    f"{folder}"
                )
        raise


def _keep(directory: Path) -> Path | None:
    """Copy a build's files into the cache; None where that does not work."""
    with contextlib.suppress(OSError), cache.workspace() as private:
        draft = private / "failed"
        draft.mkdir(mode=0o700)
        texts = []
        for path in sorted(directory.iterdir()):
            if path.is_file() and path.suffix in (".pyx", ".c", ".lis", ".txt"):
                shutil.copyfile(path, draft / path.name)
                if path.suffix == ".pyx":
                    texts.append(path.read_text("utf-8"))
        folder = places.folder("failed") / keys.digest(*texts)[:16]
        shutil.rmtree(folder, ignore_errors=True)
        os.rename(draft, folder)
        return folder
    return None
