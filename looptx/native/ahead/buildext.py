"""The setuptools command that builds annotated modules (``looptx.build.BuildExt``)."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from setuptools import Extension
from setuptools.command.build_ext import build_ext

from looptx.errors import LooptxError
from looptx.native.compile import compiler as cc

if TYPE_CHECKING:
    from looptx.native.ahead.extension import Ahead


class Annotated(Extension):  # type: ignore[misc]  # setuptools has no types here
    """An extension made from an annotated module; see ``build.extensions``."""

    def __init__(
        self, path: Path, name: str, dtypes: tuple[str, ...], native: bool, **more: Any
    ) -> None:
        super().__init__(name, sources=[path.as_posix()], **more)
        self.annotated = path
        self.dtypes = dtypes
        self.native = native


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
                raise CompileError("\n".join(("", *map(str, error.together)))) from None
        super().build_extension(ext)

    def _translate(self, ext: Annotated) -> None:
        """Replace the Python source by C, and choose the flags."""
        import numpy

        from looptx.native.ahead import extension
        from looptx.native.compile import build, fma, link
        from looptx.source import decode

        path = ext.annotated
        text = decode(path.read_bytes(), str(path)).text
        made = extension.extension_text(
            text, str(path), dtypes=ext.dtypes, native=ext.native
        )
        for error in made.left:
            self.warn(f"{error.concise()}; this nest stays Python")
        for error in made.ordered:
            self.warn(error.concise())
        folder = Path(self.build_temp, *ext.name.split(".")[:-1])
        folder.mkdir(parents=True, exist_ok=True)
        ext.sources = [str(build.cythonize(made.text, ext.name, folder.absolute()))]
        ext.include_dirs = [*ext.include_dirs, numpy.get_include()]
        compile_args, link_args = self._flags(made, ext.native)
        if self.compiler.compiler_type != "msvc":
            compiler = cc.Compiler(tuple(self.compiler.compiler_so))
            arguments = (*compile_args, *link.includes())
            compile_args += fma.assemble(
                compiler, Path(ext.sources[0]), arguments
            ).flags
        ext.extra_compile_args = [*ext.extra_compile_args, *compile_args]
        ext.extra_link_args = [*ext.extra_link_args, *link_args]

    def _flags(self, made: Ahead, native: bool) -> tuple[list[str], list[str]]:
        """Those of looptx's flags that the compiler in use supports."""
        openmp = made.openmp
        if self.compiler.compiler_type == "msvc":
            return ["/O2", "/fp:precise", *(["/openmp"] if openmp else [])], []
        compiler = cc.Compiler(tuple(self.compiler.compiler_so))
        wanted = (*cc.optional(vectors=made.vectors, native=native), *cc.TILES)
        flags = [*cc.REQUIRED, *(f for f in wanted if cc.accepts(compiler, (f,)))]
        parallel = cc.openmp(compiler) if openmp else ()
        if openmp and not parallel:
            self.warn("OpenMP does not work here: parallel loops run on one thread")
        link = [flag for flag in parallel if flag.startswith(("-f", "-l"))]
        if sys.platform == "darwin":
            link = [flag for flag in link if flag.startswith("-l")]
        flags += [flag for flag in parallel if not flag.startswith("-l")]
        return flags, link
