"""What runs once a call is compiled with fewer of gcc's passes than the loops.

Around the loops of a nest Cython writes what takes the arguments, raises and makes the
module: most of the C, and up to a third of the compiler's time at the loops' level.
Nothing is computed there but conditions, which ``-O1`` compiles in half the time. clang
has no such pragma, and compiles all alike.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from looptx.emit.cython.helpers import QUICKLY, USUALLY

_ENTRY = "/* Python wrapper */"
"""The line before each function that Python calls, in two parts."""

_MODULE = "/* #### Code section: initfunc_declarations ### */"
"""The line before the functions that make the module."""

_HELPERS = "/* #### Code section: utility_code_def ### */"
"""The line before Cython's own functions."""

_LOOPS = re.compile(r"static .*\b__pyx_f_\w+\(.*\{$")
"""The first line of a function that C calls."""

_COMPUTING = re.compile(r"\b__Pyx_(?:abs|c|div|mod|pow)_")
"""How the names of Cython's functions begin that loops may compute with."""


def quickly(text: str) -> str:
    """C text of Cython's that has its entries compiled quickly."""
    computing = _COMPUTING.search(text) is not None
    return "\n".join(_marked(text.split("\n"), computing))


def _marked(lines: list[str], computing: bool) -> Iterator[str]:
    """Lines of C, with pragmas where entries begin and end.

    Args:
        lines: all. computing: whether Cython's own functions are for loops.
    """
    quick = False
    for line in lines:
        if line in (_ENTRY, _MODULE):
            now = True
        elif line == _HELPERS:
            now = not computing
        else:
            now = quick and not (line.startswith("static ") and _LOOPS.match(line))
        if now is not quick:
            yield QUICKLY if now else USUALLY
        quick = now
        yield line
    if quick:
        yield USUALLY
