"""Pointers of which C is told that they are the only way to their arrays.

Cython has no ``restrict``; it takes over a type of C that has it.
"""

from __future__ import annotations

from looptx.emit.cython.helpers import Helper
from looptx.lower.types import c_element
from looptx.model.dtypes import DTYPES


def restricted(element: str, written: bool) -> str:
    """The name of the type of such a pointer, by the C type of an element."""
    const = "" if written else "const_"
    return f"lx_restrict_{const}{element.replace(' ', '_')}"


def _pointers(element: str) -> dict[str, Helper]:
    """Those to elements that are written, and to others."""
    found = {}
    for written in (True, False):
        name = restricted(element, written)
        pointer = f"{'' if written else 'const '}{element} *"
        c = f"typedef {pointer.replace('complex', '_Complex')}__restrict {name};"
        found[name] = Helper(c, (f"ctypedef {pointer}{name}",))
    return found


POINTERS = {
    name: one for dtype in DTYPES for name, one in _pointers(c_element(dtype)).items()
}
"""Every such type."""
