"""How a function and its directives are collected: ``schedule(f).tile(i=32)``."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Generic, ParamSpec, TypeVar, get_type_hints

from looptx.directives.base import Verb
from looptx.model.records import dataclass, replace

P = ParamSpec("P")
C = TypeVar("C", bound="Collector")


@dataclass(frozen=True)
class Collector:
    """A function and the directives for it.

    ``kernel()`` hands both to ``compile``, with its own keywords.
    """

    function: Callable[..., Any]
    verbs: tuple[Verb, ...] = ()
    compile: Callable[..., Any] | None = None

    @property
    def directives(self) -> tuple[str, ...]:
        """The text of each directive, as the decorator takes it."""
        return tuple(verb.text for verb in self.verbs)

    def kernel(self, **options: Any) -> Any:
        """The compiled kernel; the options are those of ``looptx.kernel``."""
        if self.compile is None:
            raise TypeError("this builder has no compiler; use looptx.schedule")
        return self.compile(self.function, self.verbs, **options)


class Adds(Generic[P]):
    """A method that adds a directive to a builder and returns the longer one.

    Args:
        make: gives the directive; the method takes the same arguments.

    Attributes:
        kind: the class of the directive.
    """

    def __init__(self, make: Callable[P, Verb]) -> None:
        self.make = make
        self.kind: type[Verb] = get_type_hints(make)["return"]
        self.__doc__ = make.__doc__

    def __get__(self, builder: C | None, owner: type[C]) -> Callable[P, C]:
        if builder is None:
            return self.make  # type: ignore[return-value]

        @functools.wraps(self.make)
        def add(*args: P.args, **kwargs: P.kwargs) -> C:
            made = self.make(*args, **kwargs)
            return replace(builder, verbs=(*builder.verbs, made))

        return add
