"""From C text to a shared object: the C compiler as a child, in a private directory."""

from __future__ import annotations

import shlex
import sysconfig
from collections.abc import Iterable
from pathlib import Path

from looptx.errors import BuildFailed
from looptx.native.compile import compiler as cc
from looptx.native.compile import fma

SAID = "compiler.txt"
"""The file with the command and all that the compiler said, where it failed."""

LINES = 12
"""How much of what a compiler said an error shows."""


def link(
    source: Path,
    library: Path,
    required: Iterable[str],
    optional: Iterable[str] = (),
    *,
    openmp: bool = False,
) -> bool:
    """Compile and link one C file.

    Optional flags and OpenMP are tried first and given up only when a probe says that
    the compiler does not have them.

    Args:
        source: the C file; assembly and messages go beside it.
        library: the shared object to write.
        required: flags without which results may differ.
        optional: flags that not every compiler has.
        openmp: whether to link OpenMP.

    Returns:
        Whether the module was built with OpenMP.

    Raises:
        BuildFailed: LX501 when compiler or headers are missing, LX502 otherwise.
    """
    compiler = cc.find()
    optional = tuple(optional)
    parallel = cc.openmp_flags()[0] if openmp else ()
    output = _attempt(compiler, source, library, (*required, *optional), parallel)
    if output is None:
        return bool(parallel)
    if not cc.accepts(compiler, ()):
        raise BuildFailed(
            "LX501",
            f"{compiler.argv[0]} cannot compile a program",
            detail=_relevant(output),
            hint=cc.how_to_install(),
        )
    if not cc.has_headers(compiler):
        raise cc.no_headers()
    accepted = tuple(flag for flag in optional if cc.accepts(compiler, (flag,)))
    working = cc.openmp(compiler) if openmp else ()
    if (accepted, working) != (optional, parallel):
        output = _attempt(compiler, source, library, (*required, *accepted), working)
        if output is None:
            return bool(working)
    raise BuildFailed(
        "LX502",
        f"{compiler.argv[0]} refused the generated code",
        detail=_relevant(output),
        hint="this is a fault of looptx; please report it with the kernel",
    )


def _attempt(
    compiler: cc.Compiler,
    source: Path,
    library: Path,
    flags: tuple[str, ...],
    parallel: tuple[str, ...],
) -> str | None:
    """Run the compiler; None when it worked, else what it printed."""
    arguments = [*cc.link_flags(), *flags, *includes(), *parallel]
    said = source.parent / SAID
    compiled = fma.assemble(compiler, source, arguments)
    output = compiled.output
    if compiled.file is None:
        arguments += ["-S", str(source)]
    else:
        arguments += [str(compiled.file), "-o", str(library), "-lm"]
        status, output = compiler.run(arguments, source.parent)
        if status == 0 and library.exists():
            compiled.file.unlink()
            said.unlink(missing_ok=True)
            return None
    command = shlex.join((*compiler.argv, *arguments))
    said.write_text(f"{command}\n\n{output}", "utf-8")
    return output


def includes() -> tuple[str, ...]:
    """The ``-I`` flags for Python's and NumPy's headers."""
    import numpy

    paths = sysconfig.get_paths()
    folders = dict.fromkeys(
        (paths["include"], paths["platinclude"], numpy.get_include())
    )
    return tuple(f"-I{folder}" for folder in folders)


def _relevant(output: str) -> tuple[str, ...]:
    """The compiler's lines that say what is wrong."""
    lines = output.splitlines()
    errors = [
        line for line in lines if "error" in line.lower() or "cannot find" in line
    ]
    return tuple(line.strip() for line in (errors or lines)[:LINES])
