"""The setuptools face: annotated modules as extension modules of your package.

In ``setup.py``::

    from looptx.build import BuildExt, extensions
    from setuptools import setup

    setup(
        ext_modules=extensions("src/heat/plate.py"),
        cmdclass={"build_ext": BuildExt},
    )

The extension is named like the module and is imported in its place; the ``.py`` stays
in the package as the fallback. The built package needs NumPy, and neither looptx nor
Cython.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from looptx.errors import Malformed, Place

if TYPE_CHECKING:
    from setuptools import Extension

    from looptx.native.ahead.buildext import BuildExt

__all__ = ["BuildExt", "extensions"]


def extensions(
    *paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    dtypes: Iterable[str] = ("float64",),
    native: bool = False,
    optional: bool = False,
) -> list[Extension]:
    """The extension modules for annotated files.

    Args:
        paths: files, lists of files, or patterns such as ``"src/heat/*.py"``. A file
            matched by a pattern is left out when nothing in it is annotated.
        dtypes: the element types to compile for where annotations say none.
        native: tune for the building machine's processor (``-march=native``); such a
            package must not be given to other machines.
        optional: where the native build fails, install the pure Python.

    Returns:
        What ``ext_modules`` takes; it needs ``cmdclass={"build_ext": BuildExt}``.

    Raises:
        LooptxError: LX401 for a file that is not there, LX502 for one that can be no
            extension module.
    """
    from looptx.native.ahead.buildext import Annotated
    from looptx.native.ahead.extension import module_name

    return [
        Annotated(path, module_name(path), tuple(dtypes), native, optional=optional)
        for path in _files(paths)
    ]


def _files(paths: Iterable[Any]) -> list[Path]:
    found: list[Path] = []
    for one in paths:
        if not isinstance(one, (str, os.PathLike)):
            found += _files(one)
        elif glob.has_magic(os.fspath(one)):
            matches = map(Path, sorted(glob.glob(os.fspath(one), recursive=True)))
            found += [path for path in matches if b"looptx" in path.read_bytes()]
        elif Path(one).is_file():
            found.append(Path(one))
        else:
            raise Malformed("LX401", "there is no such file", Place(os.fspath(one), 1))
    return found


def __getattr__(name: str) -> Any:
    # Only when it is asked for: importing setuptools' own command imports Cython.
    if name == "BuildExt":
        from looptx.native.ahead.buildext import BuildExt

        return BuildExt
    raise AttributeError(f"module 'looptx.build' has no attribute '{name}'")
