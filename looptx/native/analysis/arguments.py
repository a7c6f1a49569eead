"""How a function is called, by its code: what it says that it wraps is another."""

from __future__ import annotations

import inspect
import types


def signature_of(function: types.FunctionType) -> inspect.Signature:
    """The arguments of a function itself.

    Args:
        function: it; ``functools.wraps`` may have given it the looks of another.
    """
    code, held = function.__code__, function.__closure__
    bare = types.FunctionType(code, {}, None, function.__defaults__, held)
    bare.__kwdefaults__ = function.__kwdefaults__
    return inspect.signature(bare)
