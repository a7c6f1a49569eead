"""What stands around the nests of a function: it changes nothing of what they mean.

Names that builtins have elsewhere, arrays under a second name, exceptions that are
caught, sizes that are made of others: all that a nest takes from its surroundings.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

ALIASES: Mapping[str, str] = MappingProxyType(
    {
        "match": "match {old}:\n    case {new}:\n        pass",
        "lambda": "{new} = (lambda: {old})()",
        "default": "def get(own={old}):\n    return own\n\n{new} = get()",
        "nonlocal": "{new} = None\n\ndef give():\n    nonlocal {new}\n"
        "    {new} = {old}\n\ngive()",
        "except": "try:\n    raise KeyError({old})\nexcept KeyError as error:\n"
        "    {new} = error.args[0]",
        "class": "class Held:\n    own = {old}\n\n{new} = Held.own",
        "for": "for {new} in ({old},):\n    pass",
        "unpacked": "{new}, *_ = [{old}]",
        "walrus": "if ({new} := {old}) is None:\n    return",
        "choice": "{new} = {old} if n else {old}",
        "key": '{new} = {{"own": {old}}}["own"]',
    }
)
"""How an array gets a second name, by all that binds one."""

KEPT: Mapping[str, str] = MappingProxyType(
    {
        "list": "own = [{old}]\n{new} = own[0]",
        "appended": "own = []\nown.append({old})\n{new} = own.pop()",
        "kept method": "own = []\nkeep = own.append\nkeep({old})\n{new} = own[-1]",
        "kept getter": "get = {{0: {old}}}.get\n{new} = get(0)",
        "objects": "own = np.empty(1, dtype=object)\nown[0] = {old}\n{new} = own[0]",
        "attribute": "class Held:\n    pass\n\nheld = Held()\nheld.own = {old}\n"
        "{new} = held.own",
        "function": "def held():\n    pass\n\nheld.own = {old}\n{new} = held.own",
        "method": "class Held:\n    def __init__(self, own):\n        self.own = own"
        "\n\n    def get(self):\n        return self.own\n\n"
        "get = Held({old}).get\n{new} = get()",
        "caller": "def call(what):\n    return what()\n\n{new} = call(lambda: {old})",
        "set method": "class Held:\n    def put(self, own):\n        self.own = own\n\n"
        "held = Held()\nput = held.put\nput({old})\n{new} = held.own",
        "plain": "{new} = {old}",
    }
)
"""How it gets one through an object that keeps it."""

VIEWS: Mapping[str, str] = MappingProxyType(
    {
        "turned": "{new} = {old}.T",
        "backwards": "{new} = {old}[::-1]",
        "rest": "{new} = {old}[1:]",
        "copied": "{new} = {old}.copy()",
    }
)
"""How another array is made of it, whose cells have other places."""

WAYS = MappingProxyType({**ALIASES, **KEPT, **VIEWS})

LOCAL = frozenset(("nonlocal", "walrus", "choice"))
"""The ways of functions alone."""

ROOM = 24
"""The extent of the arrays of a module."""

SHADOWS: Mapping[str, str] = MappingProxyType(
    {
        "module": "def {name}(a, b=2):\n    return a + b",
        "import": "from operator import add as {name}",
        "value": "{name} = 3",
    }
)
"""How a name gets another meaning outside of functions or in them."""

SEEN = "seen"
"""The result that says what a name holds behind the nests."""


@dataclass(frozen=True)
class Start:
    """A scalar that a nest combines integers into.

    Attributes:
        text: what it is first, ``""`` for an argument.
    """

    name: str
    text: str

    @property
    def whole(self) -> bool:
        """Whether it is known to be an integer."""
        return self.text.isdecimal()


@dataclass(frozen=True)
class Setting:
    """The surroundings of the nests of a function.

    Attributes:
        shadows: names of builtins that have another meaning, and where it is said: in
            the ``module``, an ``import``, a ``closure``, an ``argument`` or ``local``.
        alias: a second name, the array, and how it gets the name: a way, or several
            with commas, one behind the other.
        outside: arrays that are the module's, with their ranks; so are their aliases.
        caught: what a handler around the nests reads, ``""`` without one.
        final: whether that is in a ``finally``.
        namesake: a local that only dead code sets, and that the module has, too.
        derived: sizes by name, as the function writes them, and over ``n`` and ``m``.
        starts: what scalars hold first that integers are combined into.
        opaque: whether the nests hold calls that looptx knows nothing of.
        spelled: which letters of names are written as others that mean the same to
            Python, 0 for none.
        idle: a name that only dead code sets, and that nothing else knows.
    """

    shadows: tuple[tuple[str, str], ...] = ()
    alias: tuple[str, str, str] | None = None
    caught: str = ""
    final: bool = False
    namesake: str = ""
    derived: tuple[tuple[str, str, str], ...] = ()
    starts: tuple[Start, ...] = ()
    opaque: bool = False
    outside: tuple[tuple[str, int], ...] = ()
    spelled: int = 0
    idle: str = ""

    def module(self) -> list[str]:
        """The lines in front of all functions."""
        found = [f"{self.namesake} = 5.0"] if self.namesake else []
        for name, where in self.shadows:
            if where in ("module", "import"):
                found += SHADOWS[where].format(name=name).split("\n")
        for name, rank in self.outside:
            found.append(f"{name} = np.zeros(({f'{ROOM}, ' * rank}))")
        return found + (self.renaming() if self.outside else [])

    def renaming(self) -> list[str]:
        """The lines by which an array gets its second name."""
        if self.alias is None:
            return []
        new, old, ways = self.alias
        found: list[str] = []
        for at, way in enumerate(known := ways.split(",")):
            last = at + 1 == len(known)
            target = new if last else f"{new}{at}"
            found += WAYS[way].format(new=target, old=old).split("\n")
            old = target
        return found

    def arguments(self) -> list[str]:
        """More arguments, behind all others."""
        found = [f"{name}=3" for name, where in self.shadows if where == "argument"]
        return found + [f"{one.name}=7" for one in self.starts if not one.text]

    def before(self) -> list[str]:
        """The lines before the nests."""
        found = [f"{name} = 3" for name, where in self.shadows if where == "local"]
        found += [] if self.outside else self.renaming()
        found += [f"{name} = {text}" for name, text, _ in self.derived]
        return found + [f"{one.name} = {one.text}" for one in self.starts if one.text]

    def around(self, body: list[str]) -> list[str]:
        """The nests with what is around them, and what is said behind them."""
        if self.caught:
            head = "finally:" if self.final else "except IndexError:"
            inside = [f"    {line}" for line in body]
            body = ["try:", *inside, head, f"    return {self.caught}"]
        if self.namesake:
            after = ["try:", f"    {SEEN} = {self.namesake}"]
            body = [*body, *after, "except NameError:", f"    {SEEN} = 7"]
        return body

    def results(self) -> list[str]:
        """What is given back besides what the function does."""
        found = [one.name for one in self.starts]
        return [*found, SEEN] if self.namesake else found

    def enclosed(self, function: str, lines: list[str]) -> list[str]:
        """The function, in a function of which it sees the names if need be."""
        names = [name for name, where in self.shadows if where == "closure"]
        if not names:
            return lines
        found = [f"def make_{function}():"]
        for name in names:
            text = SHADOWS["module"].format(name=name).split("\n")
            found += [f"    {line}" for line in (*text, "")]
        found += [f"    {line}" if line else "" for line in lines]
        return [
            *found,
            "",
            f"    return {function}",
            "",
            "",
            f"{function} = make_{function}()",
        ]

    def place(self, scope: dict[str, Any], arguments: dict[str, Any]) -> None:
        """Put the arrays of the module where it has them: they are no arguments."""
        for name, _ in self.outside:
            scope[name] = arguments.pop(name)
        if self.outside and self.alias is not None:
            scope[self.alias[0]] = scope[self.alias[1]]

    def owner(self, array: str) -> str:
        """The array that a name stands for."""
        return self.alias[1] if self.alias and self.alias[0] == array else array

    @property
    def viewed(self) -> bool:
        """Whether an array has the cells of another in other places."""
        return self.alias is not None and self.alias[2] in VIEWS

    def smaller(self) -> Iterator[Setting]:
        """The setting with one thing less."""
        if self.shadows:
            yield replace(self, shadows=self.shadows[1:])
        if self.caught:
            yield replace(self, caught="")
        if self.namesake:
            yield replace(self, namesake="")
        if self.spelled:
            yield replace(self, spelled=0)
        if self.alias is not None and "," in self.alias[2]:
            new, old, ways = self.alias
            for way in ways.split(","):
                yield replace(self, alias=(new, old, way))


PLAIN = Setting()
