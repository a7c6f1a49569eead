"""The arguments of a call that a kernel may call, or methods of which it may call.

What these lead to is part of what a kernel is. A ``Choice`` has what was prepared of
one, for the functions that its arguments have led to, and finds the one for a call.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from looptx.model.records import dataclass
from looptx.native.analysis.arguments import signature_of
from looptx.native.call.axes import Axes, axes
from looptx.native.call.told import Questions, Told

if TYPE_CHECKING:
    from looptx.native.call.prepared import Prepared

    New: TypeAlias = Callable[["Prepared | None", "Asked | None"], Prepared]

MOST = 32
"""So many kinds of arguments that are called a kernel tells apart; further ones not."""

_ELSEWHERE = ("numpy", "builtins")


@dataclass(frozen=True)
class Asked:
    """A call of a kernel, for which it is prepared.

    Attributes:
        function: what is called. args, named: what it is called with.
        told: what its text asks of its arguments.
    """

    function: types.FunctionType
    args: tuple[Any, ...]
    named: Mapping[str, Any]
    told: Told = ()

    def values(self) -> dict[str, object]:
        """The arguments that are no numbers, arrays or the like, by name."""
        try:
            given = signature_of(self.function).bind(*self.args, **self.named)
        except TypeError:
            return {}
        given.apply_defaults()
        return {name: x for name, x in given.arguments.items() if not _is_known(x)}

    def axes(self) -> Axes:
        """How many axes its arrays have."""
        return axes(self.function, self.args, self.named)


def _is_known(value: object) -> bool:
    """Whether all is known of a value that its type says: no method is a user's."""
    home = type(value).__module__.partition(".")[0]
    return home in _ELSEWHERE and not callable(value)


def given_by(before: Prepared | None, call: Asked | None) -> tuple[Axes, Told]:
    """What a kernel is to take from a call.

    Args:
        before: what was prepared before, if its names only mean something else by now.
        call: a call.
    """
    if before is not None:
        return before.order.axes, before.order.told
    return (call.axes(), call.told) if call else ((), ())


class Choice:
    """All that was prepared of a kernel.

    Args:
        asking: whether it is prepared for what its text asks of arguments.

    Attributes:
        made: all, the newest first.
    """

    def __init__(self, *, asking: bool) -> None:
        self.made: tuple[Prepared, ...] = ()
        self._questions = Questions() if asking else None

    def asked(
        self,
        function: types.FunctionType,
        args: tuple[Any, ...],
        named: Mapping[str, Any],
    ) -> Asked:
        """A call.

        Args:
            function: what is called. args, named: what it is called with.
        """
        given = function, args, named
        return Asked(*given, self._questions.told(*given) if self._questions else ())

    def of(self, call: Asked | None, new: New) -> Prepared:
        """What fits to a call.

        Args:
            call: it; None where nothing is called.
            new: makes another one, instead of one whose names mean something else.
        """
        values = call.values() if call else {}
        fitting = [one for one in self.made if one.fits(**values)]
        if call is not None:
            fitting = [one for one in fitting if one.order.told == call.told]
        full = not fitting and len(self.made) >= MOST
        if full:
            # One that was made for no arguments takes all.
            call, fitting = None, [one for one in self.made if not one.asks]
        for one in fitting:
            if one.current() or one.renewed(values if call else None):
                return one
        made = new(next(iter(fitting), None), call)
        self.made = made, *(one for one in self.made if one not in fitting)
        return made
