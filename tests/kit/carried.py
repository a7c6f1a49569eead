"""Modules carried out by CPython, as they stand and as looptx rewrites them."""

from __future__ import annotations

import copy
import textwrap
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from looptx.cli.text import Result, transform_text


@dataclass(frozen=True)
class Rewritten:
    """What looptx made of a module; ``code`` names the error, if there is one."""

    text: str
    code: str
    message: str


@cache
def transformation(text: str, filename: str = "f.py") -> Result:
    """What ``transform_text`` gives, once for all tests that ask the same.

    Not across patches: the fixture ``monkeypatch`` forgets what there is.
    """
    return transform_text(text, filename)


def rewritten(text: str) -> Rewritten:
    """The module transformed, or why it was not. Errors of looptx itself raise."""
    result = transformation(text)
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
    new = transformed(text)
    before, after = called(text, function), called(new, function)
    for arguments in calls:
        expected, found = left(before, arguments), left(after, arguments)
        for one, two in zip(expected, found, strict=True):
            if one != two:
                why = f"{readable(two)}, not {readable(one)}"
                raise AssertionError(f"{arguments}: {why}\n{new}")
    return new


def transformed(text: str) -> str:
    """The text of a module, rewritten, which it must be."""
    new = rewritten(text)
    assert not new.code, new.message
    assert new.text != text
    return new.text


def loops(text: str, function: str = "kernel") -> str:
    """What a function is rewritten to, without its head and the mark."""
    lines = transformed(text).split(f"def {function}", 1)[1].splitlines()[1:]
    kept = [line for line in lines if "# looptx: applied" not in line]
    return textwrap.dedent("\n".join(kept)).strip()


def refusal(text: str) -> str:
    """The error of a module that is refused, with its code and hint."""
    new = rewritten(text)
    assert new.code, new.text
    return new.message


def called(text: str, function: str = "f") -> Callable[..., Any]:
    """What an expression means in a module, which knows NumPy."""
    scope: dict[str, Any] = {"np": np}
    exec(compile(text, "<module>", "exec"), scope)
    found: Callable[..., Any] = eval(function, scope)
    return found


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
