"""From Cython text to a shared object.

Cython runs in this process (its imports are most of its second), the C compiler as a
child. Both see only a private directory.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from looptx import forks, interrupts
from looptx.errors import BuildFailed
from looptx.model.records import dataclass
from looptx.native.compile import (
    attributes,
    collector,
    entries,
    lexicon,
    link,
    passes,
)
from looptx.native.compile import compiler as cc
from looptx.parsers.deep import deeply

LOCK = forks.Lock()
"""Cython and the analysis keep process-wide state: one user at a time."""

_CYTHON = forks.Lock(awaited=True)
"""Cython imports its parts as it goes."""


@dataclass(frozen=True, slots=True)
class Built:
    """A shared object, the module it defines, and whether OpenMP is linked to it."""

    library: Path
    module: str
    parallel: bool


def build(
    text: str,
    module: str,
    directory: Path,
    *,
    openmp: bool = False,
    vectors: bool = False,
    native: bool = True,
    flags: Sequence[str] = (),
) -> Built:
    """Compile Cython text into an extension module in ``directory``.

    Args:
        text: the whole ``.pyx``.
        module: its name, an identifier.
        directory: of all files.
        openmp: whether it has a parallel loop.
        vectors: whether it has vectors of its own.
        native: tune for this machine's processor.
        flags: more of the compiler's, which win over the usual ones.

    Returns:
        The library, and what it was built with.

    Raises:
        BuildFailed: LX501 without a compiler, LX502 when Cython or the compiler refuse.
    """
    cc.find()
    source = cythonize(text, module, directory)
    optional = [*cc.optional(vectors=vectors, native=native), *flags]
    library = directory / f"{module}.so"
    parallel = link.link(source, library, cc.REQUIRED, optional, openmp=openmp)
    source.unlink()
    return Built(library, module, parallel)


def cythonize(text: str, module: str, directory: Path) -> Path:
    """Let Cython translate ``text`` to C.

    Args:
        text: the whole ``.pyx``.
        module: the module's full name; the files are called after its last part.
        directory: where the files go.

    Returns:
        The C file.

    Raises:
        BuildFailed: LX501 without Cython; LX502 with its errors in ``detail``.
    """
    try:
        with collector.paused(), forks.IMPORTS:
            lexicon.install()
            attributes.install()
            passes.install()
            from Cython.Compiler.Main import CompilationOptions, compile_single
    except ImportError:
        raise BuildFailed(
            "LX501", "Cython is not installed", hint="pip install cython"
        ) from None
    stem = module.rpartition(".")[2]
    source = directory / f"{stem}.pyx"
    target = directory / f"{stem}.c"
    source.write_text(text, "utf-8")
    options = CompilationOptions(
        language_level=3,
        output_file=str(target),
        errors_to_stderr=0,
        use_listing_file=1,
        # Functions with attributes of their own: a tenth of what gcc has to compile.
        # The text beside each line of C, which nobody reads: half of it.
        compiler_directives={"binding": False, "emit_code_comments": False},
    )

    def compiled() -> Any:
        with collector.paused(), lexicon.reading(text), passes.fewer():
            return compile_single(str(source), options, module)

    with LOCK, interrupts.held():
        try:
            with _CYTHON:
                result = deeply(compiled)
            failed = result.num_errors > 0
        except OSError:
            raise  # no room: where the files go is the caller's business
        except Exception as error:
            raise _cython_failed((f"{type(error).__name__}: {error}",)) from None
    listing = source.with_suffix(".lis")
    said = listing.read_text("utf-8") if listing.exists() else ""
    lines = said.replace(f"{directory}/", "").splitlines()
    if failed:
        raise _cython_failed(lines)
    listing.unlink(missing_ok=True)
    target.write_text(entries.quickly(target.read_text("utf-8")), "utf-8")
    return target


def _cython_failed(lines: Iterable[str]) -> BuildFailed:
    kept = [line for line in lines if line.strip() and not line.startswith("----")]
    return BuildFailed(
        "LX502",
        "Cython refused the generated code",
        detail=tuple(kept[: link.LINES]),
        hint="this is a fault of looptx; please report it with the kernel",
    )
