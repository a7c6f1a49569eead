"""Arrays that a function makes: tasks begin with their values, which nobody sends."""

from __future__ import annotations

import ast
import functools
from collections.abc import Mapping
from typing import Any

import numpy as np

from looptx.cluster.call.kinds import in_file, is_array
from looptx.cluster.call.session import Session
from looptx.model.trees import dotted
from looptx.native.diagnostics.notices import WOVEN

_MAKES = {
    f"numpy.{stem}{like}": stem
    for stem in ("zeros", "ones", "empty", "full")
    for like in ("", "_like")
}
_VALUES: Mapping[str, Any] = {"zeros": 0, "ones": 1, "empty": None}
COPY = f"{WOVEN}copy"


def made(function: ast.expr, imports: Mapping[str, str]) -> str:
    """The function of NumPy's that makes arrays and is called here, or "".

    Args:
        function: what is called. imports: what names mean.
    """
    first, dot, rest = dotted(function).partition(".")
    full = f"{imports.get(first, '')}{dot}{rest}"
    return full if full in _MAKES else ""


class Making(ast.NodeTransformer):
    """Changes a function so that its new arrays are noted.

    Args:
        imports: what its names mean. session: the call.
        calls: gets what the changed function calls.
    """

    def __init__(
        self, imports: Mapping[str, str], session: Session, calls: dict[str, Any]
    ) -> None:
        self._calls = calls
        calls[COPY] = functools.partial(_copied, session)
        self._imports = imports
        self._session = session

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Call what notes the array."""
        self.generic_visit(node)
        full = made(node.func, self._imports)
        own = ""
        match node:
            case ast.Call(ast.Attribute(ast.Name(), "copy", _), [], []):
                assert isinstance(node.func, ast.Attribute)
                own, node.args = COPY, [node.func.value]
        if full:
            own = f"{WOVEN}{full.rpartition('.')[2]}"
            stem = _MAKES[full]
            function = getattr(np, full.rpartition(".")[2])
            self._calls[own] = functools.partial(_made, self._session, stem, function)
        if own:
            node.func = ast.copy_location(ast.Name(own, ast.Load()), node.func)
        return node


def _made(
    session: Session, stem: str, function: Any, /, *args: Any, **kwargs: Any
) -> Any:
    """What a function of NumPy's makes.

    Args:
        session: the call. stem: what it fills arrays with. function: the function.
        args, kwargs: what it is given.
    """
    array = session.new(function, args, kwargs)
    value = _VALUES.get(stem, ...)
    if value is ...:
        value = args[1] if len(args) > 1 else kwargs.get("fill_value", ...)
    number = value is None or isinstance(value, int | float | complex | np.generic)
    if number and is_array(array) and not in_file(array):
        session.filled(array, value)
    return array


def _copied(session: Session, value: Any) -> Any:
    """What ``value.copy()`` gives."""
    known = is_array(value) and not in_file(value)
    if session.settled or not known:
        session.settle("what is no array of this process is copied")
        return value.copy()
    return session.copied(value)
