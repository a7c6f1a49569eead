"""A function and its rewritten form, called with the same arguments."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from programs_run import exactly, readable, rewritten


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
        expected = _left(text, function, arguments)
        found = _left(new.text, function, arguments)
        for one, two in zip(expected, found, strict=True):
            shown = readable(two), readable(one)
            assert one == two, f"{arguments}: {shown[0]}, not {shown[1]}\n{new.text}"
    return new.text


def refusal(text: str) -> str:
    """The error of a module that is refused, with its code and hint."""
    new = rewritten(text)
    assert new.code, new.text
    return new.message


def _left(text: str, function: str, arguments: Sequence[Any]) -> list[object]:
    """What a call returns or raises, and its arguments afterwards, to the bit."""
    scope: dict[str, Any] = {}
    exec(compile(text, "<module>", "exec"), scope)
    given = copy.deepcopy(list(arguments))
    called = eval(function, scope)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result = called(*given)
        except Exception as error:
            result = f"{type(error).__name__}: {error}"
    return [exactly(result), *map(exactly, given)]
