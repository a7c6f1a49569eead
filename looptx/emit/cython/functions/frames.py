"""How many calls Python has room for, where loops are functions that call themselves.

Each of these has a frame in Python, which raises RecursionError where too few are left:
``sys.setrecursionlimit`` says how many there may be.
"""

from __future__ import annotations

from looptx.emit.cython.helpers import Helper

NAME = "lx_shallow"
"""The function that is true where Python may raise before the loops leave off."""

_BETWEEN = 50
"""Frames of what calls the nest, and of what the functions call besides."""

_C = """\
static int lx_shallow(int calls) {
#if PY_VERSION_HEX < 0x030C0000
    return PyThreadState_Get()->recursion_remaining < calls + BETWEEN;
#else
    return PyThreadState_Get()->py_recursion_remaining < calls + BETWEEN;
#endif
}"""

_TEXT = _C.replace("BETWEEN", str(_BETWEEN))

HELPERS = {NAME: Helper(_TEXT, (f"bint {NAME}(int calls) noexcept",))}


def reason(calls: int) -> str:
    """Why Python runs a nest. ``calls``: so many may run at once in its loops."""
    return f"Python has no room for {calls} calls of functions that call themselves"
