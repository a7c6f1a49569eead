"""Whether a loop of NumPy has other bits for one number than for many."""

from __future__ import annotations

from looptx.emit.cython.helpers import Helper
from looptx.lower.tree import Intrinsic
from looptx.lower.values.ufuncs import UNLIKE

_TRY = """\
static void lx_try_many(lx_slot *slot, int operands, int size) {
    /* One number more than any vector has, and as many as any loop takes at once. */
    for (int lanes = 64; lanes > 1; lanes = lanes == 64 ? 17 : lanes - 1)
        for (int held = operands == 2 ? -1 : 1; held >= -1; held--) {
            lx_try(slot, operands, lanes, size, held);
            if (slot->apart) return;
        }
}"""

HELPERS = {
    "lx_try_many": Helper(
        _TRY,
        ("void lx_try_many(lx_slot *slot, int operands, int size)",),
        ("lx_run",),
    ),
}


def loop(one: Intrinsic) -> str:
    """The function of NumPy whose loop is tried; empty if there is none."""
    return one.operation if one.rules == UNLIKE else ""


def helper(name: str) -> Helper:
    """What tells of the loop, which was tried when the module was loaded."""
    c = (
        f"static lx_slot {name}_slot;\n"
        f"static inline int {name}(void) {{ return {name}_slot.apart; }}"
    )
    declarations = (f"lx_slot {name}_slot", f"bint {name}() noexcept nogil")
    return Helper(c, declarations, ("lx_slot", "lx_run", "lx_try_many"))
