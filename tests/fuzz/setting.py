"""What stands around the nests of a function: it changes nothing of what they mean.

Names that builtins have elsewhere, arrays under a second name, exceptions that are
caught, sizes that are made of others: all that a nest takes from its surroundings.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

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
        "plain": "{new} = {old}",
    }
)
"""How an array gets a second name."""

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
        alias: a second name, the array, and how it gets the name.
        caught: what a handler around the nests reads, ``""`` without one.
        final: whether that is in a ``finally``.
        namesake: a local that only dead code sets, and that the module has, too.
        derived: sizes by name, as the function writes them, and over ``n`` and ``m``.
        starts: what scalars hold first that integers are combined into.
        opaque: whether the nests hold calls that looptx knows nothing of.
    """

    shadows: tuple[tuple[str, str], ...] = ()
    alias: tuple[str, str, str] | None = None
    caught: str = ""
    final: bool = False
    namesake: str = ""
    derived: tuple[tuple[str, str, str], ...] = ()
    starts: tuple[Start, ...] = ()
    opaque: bool = False

    def module(self) -> list[str]:
        """The lines in front of all functions."""
        found = [f"{self.namesake} = 5.0"] if self.namesake else []
        for name, where in self.shadows:
            if where in ("module", "import"):
                found += SHADOWS[where].format(name=name).split("\n")
        return found

    def arguments(self) -> list[str]:
        """More arguments, behind all others."""
        found = [f"{name}=3" for name, where in self.shadows if where == "argument"]
        return found + [f"{one.name}=7" for one in self.starts if not one.text]

    def before(self) -> list[str]:
        """The lines before the nests."""
        found = [f"{name} = 3" for name, where in self.shadows if where == "local"]
        if self.alias is not None:
            new, old, way = self.alias
            found += ALIASES[way].format(new=new, old=old).split("\n")
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

    def owner(self, array: str) -> str:
        """The array that a name stands for."""
        return self.alias[1] if self.alias and self.alias[0] == array else array

    def smaller(self) -> Iterator[Setting]:
        """The setting with one thing less."""
        if self.shadows:
            yield replace(self, shadows=self.shadows[1:])
        if self.caught:
            yield replace(self, caught="")
        if self.namesake:
            yield replace(self, namesake="")


PLAIN = Setting()
