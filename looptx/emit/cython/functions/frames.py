"""How many calls Python has room for, where loops are functions that call themselves.

Each of these has a frame in Python, which raises RecursionError where too few are left:
``sys.setrecursionlimit`` says how many there may be.
"""

from __future__ import annotations

from looptx.emit.cython.helpers import Helper
from looptx.model.callees.structure import DEEPEST

NAME = "lx_shallow"
"""The function that is true where Python may raise before the loops leave off."""

REASON = f"Python has no room for {DEEPEST} calls of a function that calls itself"

_BETWEEN = 50
"""Frames of what calls the nest, and of what the function calls itself."""

_C = """\
static int lx_shallow(void) {
#if PY_VERSION_HEX < 0x030C0000
    return PyThreadState_Get()->recursion_remaining < FRAMES;
#else
    return PyThreadState_Get()->py_recursion_remaining < FRAMES;
#endif
}"""

_TEXT = _C.replace("FRAMES", str(DEEPEST + _BETWEEN))

HELPERS = {NAME: Helper(_TEXT, (f"bint {NAME}() noexcept",))}
