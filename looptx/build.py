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
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from setuptools import Extension
from setuptools.command.build_ext import build_ext

from looptx.errors import LooptxError, Malformed, Place

if TYPE_CHECKING:
    from looptx.native.compiler import Compiler

__all__ = ["BuildExt", "extensions"]


class Annotated(Extension):  # type: ignore[misc]  # setuptools has no types here
    """An extension made from an annotated module; see ``extensions``."""

    def __init__(
        self, path: Path, name: str, dtypes: tuple[str, ...], native: bool, **more: Any
    ) -> None:
        super().__init__(name, sources=[path.as_posix()], **more)
        self.annotated = path
        self.dtypes = dtypes
        self.native = native


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
    from looptx.native.ahead import module_name

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


class BuildExt(build_ext):  # type: ignore[misc]  # setuptools has no types here
    """``build_ext`` that also builds annotated modules."""

    def build_extension(self, ext: Extension) -> None:
        """Build one extension; ordinary ones as setuptools does.

        Raises:
            CompileError: with looptx's message, when proof or translation fail.
        """
        if isinstance(ext, Annotated):
            from setuptools.errors import CompileError

            try:
                self._translate(ext)
            except LooptxError as error:
                raise CompileError(f"\n{error}") from None
        super().build_extension(ext)

    def _translate(self, ext: Annotated) -> None:
        """Replace the Python source by C, and choose the flags."""
        import numpy

        from looptx.native import ahead, build
        from looptx.source import decode

        path = ext.annotated
        text = decode(path.read_bytes(), str(path)).text
        made = ahead.extension_text(text, str(path), dtypes=ext.dtypes)
        for error in made.left:
            self.warn(f"{error.concise()}; this nest stays Python")
        folder = Path(self.build_temp, *ext.name.split(".")[:-1])
        folder.mkdir(parents=True, exist_ok=True)
        ext.sources = [str(build.cythonize(made.text, ext.name, folder.absolute()))]
        ext.include_dirs = [*ext.include_dirs, numpy.get_include()]
        compile_args, link_args = self._flags(made.openmp, ext.native)
        ext.extra_compile_args = [*ext.extra_compile_args, *compile_args]
        ext.extra_link_args = [*ext.extra_link_args, *link_args]

    def _flags(self, openmp: bool, native: bool) -> tuple[list[str], list[str]]:
        """What the compiler in use understands of the flags looptx wants."""
        from looptx.native import compiler as cc

        if self.compiler.compiler_type == "msvc":
            return ["/O2", "/fp:precise", *(["/openmp"] if openmp else [])], []
        compiler: Compiler = cc.Compiler(tuple(self.compiler.compiler_so))
        wanted = [*cc.OPTIONAL, "-w", *([cc.native_flag()] if native else [])]
        flags = [*cc.REQUIRED, *(f for f in wanted if cc.accepts(compiler, (f,)))]
        parallel = cc.openmp(compiler) if openmp else ()
        if openmp and not parallel:
            self.warn("OpenMP does not work here: parallel loops run on one thread")
        link = [flag for flag in parallel if flag.startswith(("-f", "-l"))]
        if sys.platform == "darwin":
            link = [flag for flag in link if flag.startswith("-l")]
        flags += [flag for flag in parallel if not flag.startswith("-l")]
        return flags, link
