"""Dataclasses that are made sooner: a first call makes three hundred of them.

``dataclasses`` compiles six functions for each, a third of a millisecond; here a
function is compiled when it is first called, as most never are. Nor does ``__init__``
of a frozen one set each field by ``object.__setattr__``, which takes five times as long
as to store it: nothing is assigned to these, either, but it is mypy that says so, not
each object as it runs.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from dataclasses import MISSING, Field
from dataclasses import field as field
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
    from dataclasses import replace as replace
else:

    def dataclass(cls=None, /, *, frozen=False, eq=True, slots=False):
        """As in ``dataclasses``, with ``frozen`` for mypy, and for a hash."""

        def made(cls):
            own = {*vars(cls)}
            plain = {"init": False, "repr": False, "eq": False}
            cls = dataclasses.dataclass(cls, slots=slots, **plain)
            _later(cls, "__init__", _init)
            _later(cls, "_replaced", _replaced)
            if "__repr__" not in own:
                cls.__repr__ = _repr
            if eq and "__eq__" not in own:
                _later(cls, "__eq__", _eq)
            if eq and "__hash__" not in own and frozen:
                _later(cls, "__hash__", _hash)
            elif eq and "__hash__" not in own:
                cls.__hash__ = None
            return cls

        return made if cls is None else made(cls)

    def replace(node: Any, /, **changes: Any) -> Any:
        """As in ``dataclasses``, in a third of the time: a class knows its fields."""
        own = getattr(node, "_replaced", None)
        return dataclasses.replace(node, **changes) if own is None else own(**changes)


def _later(cls: Any, name: str, text: Callable[[Any, dict[str, Any]], str]) -> None:
    """Give a class a function that is compiled when it is first called.

    Args:
        cls: the class. name: of the function.
        text: writes it, and fills in what its names mean.
    """

    def first(*args: Any, **named: Any) -> Any:
        space: dict[str, Any] = {}
        exec(text(cls, space), space)
        function = space[name]
        function.__qualname__ = f"{cls.__qualname__}.{name}"
        setattr(cls, name, function)
        return function(*args, **named)

    setattr(cls, name, first)


def _init(cls: Any, space: dict[str, Any]) -> str:
    fields = dataclasses.fields(cls)
    given, named = (
        [_parameter(one, space) for one in fields if one.init and one.kw_only is only]
        for only in (False, True)
    )
    names = ", ".join(["self", *given, *(["*", *named] if named else [])])
    lines = [*_stored(fields, space)]
    if hasattr(cls, "__post_init__"):
        lines.append("self.__post_init__()")
    return "\n ".join([f"def __init__({names}):", *(lines or ["pass"])])


def _replaced(cls: Any, space: dict[str, Any]) -> str:
    fields = [one for one in dataclasses.fields(cls) if one.init]
    own = sorted(fields, key=lambda one: one.kw_only is True)
    space["MISSING"] = MISSING
    names = "".join(f", {one.name}=MISSING" for one in own)
    values = (
        f"{f'{one.name}=' if one.kw_only else ''}"
        f"self.{one.name} if {one.name} is MISSING else {one.name}"
        for one in own
    )
    given = ", *" + names if own else ""
    return f"def _replaced(self{given}):\n return self.__class__({', '.join(values)})"


def _parameter(one: Field[Any], space: dict[str, Any]) -> str:
    """A field as a parameter."""
    default = f"default_{one.name}"
    space[default] = one.default
    needed = one.default is MISSING and one.default_factory is MISSING
    return one.name if needed else f"{one.name}={default}"


def _stored(fields: tuple[Field[Any], ...], space: dict[str, Any]) -> Iterator[str]:
    """What stores the fields."""
    space["MISSING"] = MISSING
    for one in fields:
        value = one.name if one.init else f"default_{one.name}"
        if one.default_factory is not MISSING:
            space[f"new_{one.name}"] = one.default_factory
            new = f"new_{one.name}()"
            value = f"{new} if {value} is MISSING else {value}" if one.init else new
        elif not one.init and one.default is MISSING:
            continue
        space.setdefault(f"default_{one.name}", one.default)
        yield f"self.{one.name} = {value}"


def _eq(cls: Any, _space: dict[str, Any]) -> str:
    names = [one.name for one in dataclasses.fields(cls) if one.compare]
    mine, others = (_tuple(whose, names) for whose in ("self", "other"))
    return f"""def __eq__(self, other):
 if other.__class__ is self.__class__:
  return {mine} == {others}
 return NotImplemented"""


def _hash(cls: Any, _space: dict[str, Any]) -> str:
    names = [
        one.name
        for one in dataclasses.fields(cls)
        if (one.compare if one.hash is None else one.hash)
    ]
    return f"def __hash__(self):\n return hash({_tuple('self', names)})"


def _tuple(whose: str, names: list[str]) -> str:
    return "(" + "".join(f"{whose}.{name}, " for name in names) + ")"


@recursive_repr()
def _repr(self: Any) -> str:
    shown = (one for one in dataclasses.fields(self) if one.repr)
    parts = ", ".join(f"{one.name}={getattr(self, one.name)!r}" for one in shown)
    return f"{self.__class__.__qualname__}({parts})"
