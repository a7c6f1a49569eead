"""The arguments of a call that a kernel may call, or methods of which it may call.

What these lead to is part of what a kernel is. A ``Choice`` has what was prepared of
one, for the functions that its arguments have led to, and finds the one for a call.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from looptx.native.call.prepared import Prepared

    Values: TypeAlias = Mapping[str, object] | None
    New: TypeAlias = Callable[[Prepared | None, Values], Prepared]

MOST = 32
"""So many kinds of arguments that are called a kernel tells apart; further ones not."""

_ELSEWHERE = ("numpy", "builtins")


def asked(
    function: types.FunctionType, args: tuple[Any, ...], named: Mapping[str, Any]
) -> dict[str, object]:
    """The arguments of a call that are no numbers, arrays or the like, by name.

    Args:
        function: what is called. args, named: what it is called with.
    """
    try:
        given = inspect.signature(function).bind(*args, **named)
    except TypeError:
        return {}
    given.apply_defaults()
    return {name: x for name, x in given.arguments.items() if not _is_known(x)}


def _is_known(value: object) -> bool:
    """Whether all is known of a value that its type says: no method is a user's."""
    home = type(value).__module__.partition(".")[0]
    return home in _ELSEWHERE and not callable(value)


class Choice:
    """All that was prepared of a kernel.

    Attributes:
        made: all, the newest first.
    """

    def __init__(self) -> None:
        self.made: tuple[Prepared, ...] = ()

    def of(self, values: Values, new: New) -> Prepared:
        """What fits to a call.

        Args:
            values: arguments, as of ``asked``; None where nothing is called.
            new: makes another one, instead of one whose names mean something else.
        """
        fitting = [one for one in self.made if one.fits(**(values or {}))]
        for one in fitting:
            if one.current() or one.renewed(values):
                return one
        full = not fitting and len(self.made) >= MOST
        for one in self.made if full else ():
            if one.renewed(values):
                return one
        made = new(next(iter(fitting), None), None if full else values)
        self.made = made, *(one for one in self.made if one not in fitting)
        return made
