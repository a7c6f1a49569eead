"""Modules that tests build of texts, kept from one run to the next.

A text is the same until looptx writes another one: what has been changed since the last
run is compiled, no more. The key is all that a build hangs on: the text, flags, what
compiles, and the modules of looptx that have it compiled.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from looptx.native.compile import build, keys

FOLDER = "LOOPTX_TESTS_MODULES"
"""The environment variable that says where they are kept; without it they are not."""

OBJECTS = "LOOPTX_QUICK_KEPT"
"""The one that tells ``tests/quick/cc`` where it keeps what it made of C texts."""

DAYS = 7
"""How long they are kept after they were used."""


def built(
    text: str,
    name: str,
    folder: Path,
    *,
    openmp: bool = False,
    vectors: bool = False,
    flags: Sequence[str] = (),
) -> build.Built:
    """The module of a text; see ``looptx.native.compile.build``.

    Args:
        text, openmp, vectors, flags: as there.
        name: of the module, in which ``{}`` is a digest of all that it hangs on.
        folder: where it goes if it is kept nowhere.
    """
    key = _key(text, str(openmp), str(vectors), *flags)
    module = name.format(key[:24])
    kept = os.environ.get(FOLDER, "")
    place = Path(kept, f"{key}-{module}")
    library = place / f"{module}.so"
    for parallel in (True, False):
        if kept and (place / str(parallel)).exists():
            os.utime(place)
            return build.Built(library, module, parallel)
    made = build.build(
        text, module, folder, openmp=openmp, vectors=vectors, flags=flags
    )
    if not kept:
        return made
    own = Path(tempfile.mkdtemp(dir=kept))
    shutil.copy(made.library, own)
    (own / str(made.parallel)).touch()
    try:
        own.rename(place)
    except OSError:  # another process was first
        shutil.rmtree(own)
    return replace(made, library=library)


def _key(*said: str) -> str:
    """A digest of what is built, and of all that builds it."""
    makers = sorted(Path(build.__file__).parent.glob("*.py"))
    texts = (path.read_text("utf-8") for path in makers)
    return keys.digest(*said, *texts, *map(keys.package, keys.MAKERS), *_compilers())


def _compilers() -> tuple[str, ...]:
    """What C texts are compiled by, and for."""
    return keys.machine(), keys.compiler(), np.__version__


def objects(folder: Path) -> Path:
    """Where in a folder the objects of this compiler are kept, and of these headers."""
    own = folder / keys.digest(sys.version, *_compilers())[:24]
    own.mkdir(exist_ok=True)
    return own


def forget() -> None:
    """Remove what has not been used for long."""
    long_ago = time.time() - DAYS * 86_400
    for place in Path(os.environ[FOLDER]).iterdir():
        with contextlib.suppress(OSError):
            if place.stat().st_mtime < long_ago:
                shutil.rmtree(place)
    for file in Path(os.environ[OBJECTS]).parent.glob("*/*"):
        with contextlib.suppress(OSError):
            if max(file.stat().st_atime, file.stat().st_mtime) < long_ago:
                file.unlink()
