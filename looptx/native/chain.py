"""Native versions of a nest in a built module, and when they may run.

This module uses the standard library only: an extension built ahead of time carries a
copy of its text.
"""

from __future__ import annotations

import builtins
import re
import sys
import types
import warnings
from collections.abc import Callable, Sequence
from typing import Any


def why_missing(error: BaseException | None) -> str:
    """Why a nest has not what it reads, as a reason of what runs as written.

    Args:
        error: what reading that raised.
    """
    name = re.search(r"'(\w+)'", str(error))
    if isinstance(error, NameError) and name is not None:
        return f"`{name[1]}` has no value where the nest begins"
    return f"what it reads raises {type(error).__name__}: {error}"


class Chain:
    """Native versions of a nest for several types, tried in order.

    The first time that none of them runs it warns with the reason.

    Args:
        entries: the versions.
        threads: says how many threads they may use.
        label: the nest, for the warning.
        names: what its function uses of its module, by the names in there.
    """

    def __init__(
        self,
        entries: Sequence[Callable[..., Any]],
        threads: Callable[[], int],
        label: str = "",
        names: Sequence[str] = (),
    ) -> None:
        self._names = names
        self._module: dict[str, Any] = {}
        self._meant: list[tuple[str, list[str], Any, tuple[object, ...]]] = []
        self._entries = entries
        self._threads = threads
        self._label = label

    def bind(self, module: dict[str, Any]) -> None:
        """Hold the names to what they mean now: functions, modules, builtins, classes.

        Args:
            module: the namespace, once all of it is there.
        """
        self._module = module
        found = ((name.split("."), _value(module, name)) for name in self._names)
        self._meant = [
            (first, more, one, _inside(one))
            for (first, *more), one in found
            if _is_code(module, first, more, one)
        ]

    def __call__(self, *values: Any) -> tuple[Any, ...] | None:
        """What the first version that accepts the types returns."""
        get = self._module.get
        for first, more, one, inside in self._meant:
            now = get(first)
            for name in more:
                now = getattr(now, name, None)
            if now is not one or (inside and _inside(one) != inside):
                name = ".".join((first, *more))
                self._tell(f"`{name}` is no longer what it was when it was imported")
                return None
        count = self._threads()
        for entry in self._entries:
            result = entry(*values, count)
            if result is not NotImplemented:
                if type(result) is tuple:
                    return result
                self._tell(result or "a check at the start of the nest failed")
                return None
        code = (str(value) for value in values if isinstance(value, Exception))
        other = "it was not built for the types of this call"
        self._tell(next((f"it reads {one}" for one in code), other))
        return None

    def unready(self) -> None:
        """A value is missing: the loops run as written."""
        self._tell(why_missing(sys.exc_info()[1]))

    def _tell(self, reason: str) -> None:
        label, self._label = self._label, ""
        if label:
            text = f"looptx: {label} runs as plain Python: {reason}"
            warnings.warn(text, RuntimeWarning, stacklevel=4)


def _value(module: dict[str, Any], name: str) -> Any:
    """What a (dotted) name is in a module; None for nothing."""
    first, *more = name.split(".")
    found = module.get(first)
    for one in more:
        found = getattr(found, one, None)
    return found


def _is_code(
    module: dict[str, Any], first: str, more: Sequence[str], value: object
) -> bool:
    """Whether native code has in it what a name of a module stands for.

    Args:
        module: it. first, more: the name, and what is behind its dots.
        value: what it is there; None where it is Python's own.
    """
    if value is None and not more:
        return hasattr(builtins, first)
    if more and not isinstance(module.get(first), types.ModuleType):
        return False
    return callable(value) or isinstance(value, types.ModuleType)


def _inside(value: object) -> tuple[object, ...]:
    """What can be replaced in a function of Python."""
    if not isinstance(value, types.FunctionType):
        return ()
    return value.__code__, value.__defaults__, value.__kwdefaults__
