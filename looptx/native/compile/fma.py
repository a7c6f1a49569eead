"""C to assembly without fused multiply-add (FMA), which rounds a*b+c only once.

``-ffp-contract=off`` asks for that. Yet gcc 12 vectorises alternating sums and
differences, such as those of complex products, with ``vfmaddsub`` whatever the flag
says. So the assembly is searched, and code with such instructions is compiled again
without them: other code, nearly all, loses nothing. Text that asks for fused operations
itself holds a function in which there is to be none: it shows whether a compiler heeds
the flag, and all else is searched for what no operation alone becomes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from looptx.model.records import dataclass
from looptx.native.compile.compiler import Compiler

ALLOWED = "-ffp-contract=fast"
"""The flag with which fused results are wanted."""

WITHOUT = (
    (),
    ("-mno-fma", "-mno-fma4", "-mno-avx512f", "-DLX_WITHOUT_AVX512"),
    ("-fno-tree-vectorize", "-fno-tree-slp-vectorize"),
)
"""Flags to try in turn; where no flag takes the instructions away, the last."""

_FUSED = re.compile(
    rb"^\s+(?:v?fn?m(?:add|sub|acc|sac|la|ls)|vfm[as]\b|vfcmadd|fcmla|x[sv]n?m(?:add|sub))",
    re.MULTILINE,
)
"""Their names on x86, ARM, RISC-V and POWER."""

_ALTERNATING = re.compile(rb"^\s+(?:vfm(?:addsub|subadd)|vfcmadd|fcmla)", re.MULTILINE)
"""Those of vectors of sums and differences."""

_APART = re.compile(rb"^_?lx_apart:$(.*?)^\s+\.cfi_endproc", re.MULTILINE | re.DOTALL)
"""The function that holds products and sums where others ask for fused ones."""


@dataclass(frozen=True, slots=True)
class Assembly:
    """What a compiler made of a C file.

    Attributes:
        file: the assembly; None where the compiler failed.
        flags: those of ``WITHOUT`` that it took.
        output: what the compiler printed.
    """

    file: Path | None
    flags: tuple[str, ...]
    output: str


def assemble(compiler: Compiler, source: Path, arguments: Sequence[str]) -> Assembly:
    """Compile a C file into assembly beside it.

    Args:
        compiler: which.
        source: the C file.
        arguments: flags, without those that name files.

    Raises:
        BuildFailed: as ``Compiler.run``.
    """
    target = source.with_suffix(".s")
    for flags in WITHOUT:
        command = (*arguments, *flags, "-S", str(source), "-o", str(target))
        status, output = compiler.run(command, source.parent)
        if status or not target.exists():
            if not flags:
                return Assembly(None, flags, output)
        elif ALLOWED in arguments or not fuses(target.read_bytes()):
            return Assembly(target, flags, output)
    return Assembly(None, (), "error: it fuses a*b+c in spite of -ffp-contract=off")


def fuses(assembly: bytes) -> bool:
    """Whether a product and a sum are rounded once somewhere, and are not to be."""
    apart = _APART.search(assembly)
    if apart is None:
        return _FUSED.search(assembly) is not None
    heeded = _FUSED.search(apart[1]) is None
    return not heeded or _ALTERNATING.search(assembly) is not None
