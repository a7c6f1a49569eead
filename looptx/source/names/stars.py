"""What ``from X import *`` brings, as far as that is known without running X."""

from __future__ import annotations

import ast
import builtins
import math
import sys

from looptx.model.functions import CONSTANTS, FUNCTIONS

_BUILTINS = frozenset(dir(builtins))
_HIDING = {
    "audioop": frozenset(("max",)),
    "operator": frozenset(("abs", "pow")),
}
"""The builtins that modules of the standard library hide, of those a nest may call."""

_NUMPYS_TEXT = "abs all any bool bytes divmod max min pow round sum"
_NUMPYS_OWN = frozenset(_NUMPYS_TEXT.split())
"""The builtins that some NumPy, or a module inside of it, hides."""


def starred(node: ast.ImportFrom) -> dict[str, str]:
    """What names mean behind ``from X import *``; one that is not known is ``?.name``.

    A module that is neither NumPy nor of the standard library may hide any builtin.
    """
    module = "." * node.level + (node.module or "")
    top = module.partition(".")[0]
    match module:
        case "builtins":
            return {name: f"builtins.{name}" for name in _BUILTINS}
        case "math":
            return {name: f"math.{name}" for name in dir(math) if name[0] != "_"}
        case "numpy":
            known = (name.split(".") for name in (*FUNCTIONS, *CONSTANTS))
            own = {name: f"numpy.{name}" for top, name, *_ in known if top == "numpy"}
            return {**own, **_unknown(_NUMPYS_OWN)}
    if top == "numpy":
        return _unknown(_NUMPYS_OWN)
    if top == "looptx" or top in sys.stdlib_module_names:
        return _unknown(_HIDING.get(module, frozenset()))
    return _unknown(_BUILTINS)


def _unknown(names: frozenset[str]) -> dict[str, str]:
    return {name: f"?.{name}" for name in names}
