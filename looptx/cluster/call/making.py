"""Arrays that a function makes by functions of NumPy's: they are for tasks, too."""

from __future__ import annotations

import ast
import functools
from collections.abc import Mapping
from typing import Any

import numpy as np

from looptx.cluster.call.arrays import TaskArray
from looptx.cluster.call.session import Session
from looptx.model.dtypes import DTYPES
from looptx.model.trees import dotted
from looptx.native.diagnostics.notices import WOVEN

_MAKES = {
    f"numpy.{stem}{like}": (stem, bool(like))
    for stem in ("zeros", "ones", "empty", "full")
    for like in ("", "_like")
}
_VALUES: Mapping[str, Any] = {"zeros": 0, "ones": 1, "empty": None}


def making(
    text: str, imports: Mapping[str, str], session: Session
) -> tuple[str, dict[str, Any]]:
    """A function's text in which arrays are made for tasks, and what that calls.

    Args:
        text: of the function. imports: what its names mean.
        session: the call.
    """
    lines = text.split("\n")
    found: dict[str, Any] = {}
    calls = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
    for node in sorted(calls, key=lambda one: (-one.lineno, -one.col_offset)):
        function = node.func
        first, dot, rest = dotted(function).partition(".")
        full = f"{imports.get(first, '')}{dot}{rest}"
        if full not in _MAKES or function.end_lineno != function.lineno:
            continue
        stem, like = _MAKES[full]
        own = f"{WOVEN}{full.rpartition('.')[2]}"
        found[own] = functools.partial(_made, session, stem, like)
        line = lines[function.lineno - 1].encode()
        before, after = line[: function.col_offset], line[function.end_col_offset :]
        lines[function.lineno - 1] = b"".join((before, own.encode(), after)).decode()
    return "\n".join(lines), found


def _made(session: Session, stem: str, like: bool, *args: Any, **kwargs: Any) -> Any:
    """What a function of NumPy's makes, for tasks where that is possible.

    Args:
        session: the call. stem: the function. like: whether it is given an array.
        args, kwargs: what it is given.
    """
    names = ["a" if like else "shape", *(["fill_value"] if stem == "full" else [])]
    names.append("dtype")
    if len(args) <= len(names) and kwargs.keys() <= {*names, "order"}:
        known = {**kwargs, **dict(zip(names, args, strict=False))}
        try:
            asked = _asked(stem, like, known)
        except (TypeError, ValueError, KeyError):
            # NumPy says what is wrong with it.
            asked = None
        if asked is not None:
            return session.filled(*asked)
    return getattr(np, f"{stem}{'_like' if like else ''}")(*args, **kwargs)


def _asked(
    stem: str, like: bool, known: Mapping[str, Any]
) -> tuple[tuple[int, ...], str, Any, str] | None:
    """The shape, type, value and order of a new array; None where tasks have no such.

    Args:
        stem: the function. like: whether it is given an array. known: its arguments.

    Raises:
        TypeError, ValueError, KeyError: they are none.
    """
    first = known["a" if like else "shape"]
    if like and not isinstance(first, TaskArray):
        return None
    shape = first.shape if like else first
    extents = (shape,) if isinstance(shape, int | np.integer) else tuple(shape)
    extents = tuple(int(one) for one in extents)
    value = known["fill_value"] if stem == "full" else _VALUES[stem]
    order = known.get("order", "K" if like else "C")
    if like and order in ("K", "A"):
        order = first.store.order
    default: Any = np.asarray(value).dtype if stem == "full" else float
    dtype = np.dtype(known.get("dtype") or (first.dtype if like else default))
    number = value is None or isinstance(value, int | float | complex | np.generic)
    plain = number and order in ("C", "F") and dtype.isnative and dtype.name in DTYPES
    if not plain or not extents or min(extents) < 0:
        return None
    return extents, dtype.name, value, order
