"""Modules carried out by CPython, as they stand and as looptx rewrites them."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from looptx.cli.text import transform_text


@dataclass(frozen=True)
class Rewritten:
    """What looptx made of a module; ``code`` names the error, if there is one."""

    text: str
    code: str
    message: str


def rewritten(text: str) -> Rewritten:
    """The module transformed, or why it was not. Errors of looptx itself raise."""
    result = transform_text(text, "f.py")
    if not result.errors:
        return Rewritten(result.text, "", "")
    first = result.errors[0]
    assert first.code not in ("LX901", "LX303"), f"{first}\n{text}"
    return Rewritten("", first.code, str(first))


def exactly(value: object) -> object:
    """A value to the bit and the type, to be compared."""
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, np.generic):
        return type(value).__name__, value.tobytes()
    if isinstance(value, tuple):
        return "tuple", tuple(map(exactly, value))
    return type(value).__name__, repr(value)


def readable(value: object) -> str:
    """What ``exactly`` gave, to be read."""
    match value:
        case (str(kind), tuple(shape), bytes(data)):
            return f"{np.frombuffer(data, kind).reshape(shape).tolist()}"
        case (str(kind), bytes(data)):
            return f"{kind}({np.frombuffer(data, kind)[0]})"
        case ("tuple", tuple(parts)):
            return f"({', '.join(map(readable, parts))})"
    return str(value)


def same(text: str, *calls: Sequence[Any], function: str = "f") -> str:
    """The text of a module, rewritten, once it is seen to do the same.

    Args:
        text: the module.
        calls: lists of arguments, of which every call gets copies.
        function: an expression for what is called.
    """
    new = rewritten(text)
    assert not new.code, new.message
    assert new.text != text
    for arguments in calls:
        why = difference(text, new.text, arguments, function)
        assert not why, f"{arguments}: {why}\n{new.text}"
    return new.text


def difference(
    text: str, new: str, arguments: Sequence[Any], function: str = "f"
) -> str:
    """What a call leaves otherwise than it should, ``""`` for nothing.

    Args:
        text: the module as it stands. new: rewritten.
        arguments: of the call. function: an expression for what is called.
    """
    expected, found = (left(_called(each, function), arguments) for each in (text, new))
    for one, two in zip(expected, found, strict=True):
        if one != two:
            return f"{readable(two)}, not {readable(one)}"
    return ""


def refusal(text: str) -> str:
    """The error of a module that is refused, with its code and hint."""
    new = rewritten(text)
    assert new.code, new.text
    return new.message


def _called(text: str, function: str) -> Callable[..., Any]:
    scope: dict[str, Any] = {}
    exec(compile(text, "<module>", "exec"), scope)
    called: Callable[..., Any] = eval(function, scope)
    return called


def left(called: Callable[..., Any], arguments: Sequence[Any]) -> list[object]:
    """What a call returns or raises, and its arguments afterwards, to the bit."""
    given = copy.deepcopy(list(arguments))
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result = called(*given)
        except Exception as error:
            result = f"{type(error).__name__}: {error}"
    return [exactly(result), *map(exactly, given)]
