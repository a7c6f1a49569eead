"""The headers that all nests include, compiled once for all tests of a session."""

from __future__ import annotations

import subprocess
from itertools import product
from pathlib import Path

from looptx.errors import BuildFailed
from looptx.native.compile import compiler, link

HEADER = """\
#define PY_SSIZE_T_CLEAN
#include "Python.h"
#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#include <numpy/ndarraytypes.h>
"""


def compiled(folder: Path, quick: Path) -> Path | None:
    """The header, with what gcc reads instead of it; None with other compilers.

    gcc takes the first file in ``header.h.gch`` that is for the flags of a run, and the
    text where none is.

    Args:
        folder: where it goes, empty. quick: the compiler, as tests call it.
    """
    header = folder / "header.h"
    header.write_text(HEADER, "utf-8")
    read = header.with_suffix(".h.gch")
    read.mkdir()
    try:
        said = subprocess.run([quick, "-v"], capture_output=True, text=True).stderr
        if "gcc version" not in said:
            return None
        flags = (*compiler.link_flags(), *compiler.REQUIRED, *link.includes())
        flags += compiler.optional(vectors=False, native=True)
        several = product(((), compiler.ALIGNED), ((), *compiler.openmp_flags()))
        for at, (aligned, parallel) in enumerate(several):
            more = *aligned, *parallel
            command = [quick, *flags, *more, header, "-o", read / str(at)]
            subprocess.run(command, capture_output=True)
    except (OSError, BuildFailed):
        return None
    return header
