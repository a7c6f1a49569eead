"""Cython's C functions for the attributes of exceptions, made when a text uses them.

When it is imported Cython fills in templates for six hundred functions, a getter and a
setter for each attribute of each exception: a tenth of a second. Generated code uses
none of them. So looptx has Cython imported with utility code that is lazy, as Cython
has for other purposes: who compiles a text that uses one gets what Cython would have
made. Where Cython was imported by others, or is built otherwise, it stays as it is.
"""

from __future__ import annotations

import functools
import sys
from typing import Any

NAMES = ("ExceptionGetProperty", "ExceptionSetProperty")
"""What Cython calls the templates."""

_TABLES = "Cython.Compiler.Builtin"


def install() -> None:
    """Have Cython's tables of what is built in imported with lazy functions."""
    from Cython.Compiler import Code

    template: Any = getattr(Code, "TempitaUtilityCode", None)
    lazy = getattr(Code, "LazyUtilityCode", None)
    if _TABLES in sys.modules or lazy is None or not hasattr(template, "load"):
        return
    load, own = template.load, vars(template).get("load")

    def later(name: str, *args: Any, **more: Any) -> Any:
        if name not in NAMES:
            return load(name, *args, **more)
        # The dictionary goes on being used for the next one.
        given = {word: dict(v) if word == "context" else v for word, v in more.items()}
        make = functools.cache(lambda: load(name, *args, **given))
        return lazy(lambda writer: make())

    template.load = later
    try:
        import Cython.Compiler.Builtin  # noqa: F401
    finally:
        if own is None:
            del template.load
        else:
            template.load = own
