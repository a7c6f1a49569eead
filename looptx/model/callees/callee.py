"""A function of the user that a nest calls, as what it computes."""

from __future__ import annotations

import ast
import re
from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Protocol

from looptx.errors import Place
from looptx.model.callees.cells import Read
from looptx.model.callees.views import Row, row
from looptx.model.records import dataclass, field, replace
from looptx.model.trees import dotted

BEHIND = "\N{NO-BREAK SPACE}of\N{NO-BREAK SPACE}"
"""Stands between a name of a callee and the callee's own: no other text has it."""

_OWN = re.compile(rf"(\w+){BEHIND}(\w+)(?: \d+)*")


def told(text: str) -> str:
    """A text to be read, with the names of callees as these have them."""
    return _OWN.sub(r"\1", text)


class Outside(Protocol):
    """What the names around a function mean."""

    def callee(self, name: str) -> Callee | None:
        """The function of the user that a (dotted) name is, if it is one."""
        ...

    def number(self, name: str) -> ast.expr | None:
        """The number that a name is: itself for the callers, or its value."""
        ...


@dataclass(frozen=True, slots=True)
class Written:
    """A function of the user as it is written.

    Attributes:
        node: its syntax tree.
        imports: what names in it mean.
        outside: what the others mean.
        defaults: the values of arguments that need not be given, as far as these are
            numbers.
    """

    node: ast.FunctionDef
    imports: Mapping[str, str]
    outside: Outside
    defaults: Mapping[str, ast.expr]


@dataclass(frozen=True, slots=True)
class Callee:
    """A function, or why it is none that native code can have.

    Its own names cannot be those of a caller: ``x`` is ``x of f``.

    Attributes:
        name: of the function. place: of its ``def``.
        parameters: its names for what it is given, in order.
        positional: how many of them may be given by position.
        keywords: the parameters that may be given by keyword, by their names there.
        defaults: what they are if they are not given.
        objects: the parameters that are none but objects: the parameters that are given
            for their members, with what is behind the dot.
        body: assignments, ``if``, loops and ``return``; each way through it ends with a
            ``return`` of as many values, and what it reads has been assigned.
        results: how many values it returns at once; 0 for a single one.
        locals: the names that it assigns.
        meanings: full names of the functions, modules and constants that it uses.
        callees: the other functions of the user that it calls.
        reads: the numbers that it takes from the module, as its callers see them.
        updates: the parameters that it changes in place if they are arrays.
        arrays: the parameters that are arrays, with how many subscripts each has.
        cells: the elements of these that it reads, unless it ``runs``.
        writes: those of the arrays whose elements it assigns.
        runs: whether it has loops, or assigns elements: then what it does to arrays is
            what its statements do in the place of a call.
        nothing: whether it returns None.
        draws: whether it, or a function that it calls, draws random numbers.
        refused: why it is none, in words about the function; empty for one that is.
        where: the place of that, in words. hint: what helps then.
        written: the function as it is written, where that is all that a call runs.
    """

    name: str
    place: Place
    parameters: tuple[str, ...] = ()
    positional: int = 0
    keywords: Mapping[str, str] = field(default_factory=dict)
    defaults: Mapping[str, ast.expr] = field(default_factory=dict)
    objects: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    body: tuple[ast.stmt, ...] = ()
    results: int = 0
    locals: frozenset[str] = frozenset()
    meanings: Mapping[str, str] = field(default_factory=dict)
    callees: Mapping[str, Callee] = field(default_factory=dict)
    reads: frozenset[str] = frozenset()
    updates: frozenset[str] = frozenset()
    arrays: Mapping[str, int] = field(default_factory=dict)
    cells: tuple[Read, ...] = ()
    writes: frozenset[str] = frozenset()
    runs: bool = False
    nothing: bool = False
    draws: bool = False
    refused: str = ""
    where: str = ""
    hint: str = ""
    written: Written | None = field(default=None, repr=False, compare=False)

    def all(self) -> Iterator[Callee]:
        """It, and those that it calls."""
        yield self
        for one in self.callees.values():
            yield from one.all()

    def seen_from(self, bound: Container[str]) -> Callee:
        """The function as a caller has it that binds names itself."""
        for name in sorted(x for x in self.reads if x in bound):
            reason = f"reads a `{name}` of its module that is hidden from it here"
            return replace(self, refused=reason, hint=f"rename `{name}` in the kernel")
        return self

    def given(self, call: ast.Call) -> dict[str, ast.expr] | None:
        """What a call gives to each parameter, in the order of evaluation.

        Returns:
            None where the arguments are not those of the function: Python raises; or
            where an array or object has no name, and is no row of one that has.
        """
        listed = any(isinstance(arg, ast.Starred) for arg in call.args)
        if listed or len(call.args) > self.positional:
            return None
        found = dict(zip(self.parameters, call.args, strict=False))
        for keyword in call.keywords:
            own = keyword.arg or ""
            name = own if own in self.parameters else self.keywords.get(own)
            if name is None or name in found:
                return None
            found[name] = keyword.value
        for name, value in self.defaults.items():
            found.setdefault(name, value)
        for name, members in self.objects.items():
            base = found.pop(name, None)
            for one, member in members.items():
                if one not in found and base is not None and dotted(base):
                    found[one] = _member(base, member)
        if len(found) < len(self.parameters) - len(self.objects):
            return None
        return found if all(row(found[name]) for name in self.arrays) else None

    def explicit(self, call: ast.Call) -> ast.Call:
        """A call that gives each parameter by its own name, and members for objects."""
        given = self.given(call)
        if given is None:
            return call
        keywords = [ast.keyword(name, value) for name, value in given.items()]
        return ast.copy_location(ast.Call(call.func, [], keywords), call)

    def bound(
        self, first: Sequence[ast.expr], named: Mapping[str, ast.expr] | None = None
    ) -> Callee:
        """The function with some arguments given already, as ``partial`` does it.

        Args:
            first: by position. named: by keyword; a call may give these others.
        """
        if not (first or named):
            return self
        if self.refused:
            return replace(self, written=None)
        own = self.parameters[: len(first)]
        more = {self.keywords.get(x, ""): y for x, y in (named or {}).items()}
        if len(first) > self.positional or not {*more} <= {
            *self.parameters[len(own) :]
        }:
            return replace(self, refused="is bound to arguments that it has not")
        return replace(
            self,
            written=None,
            parameters=(*self.parameters[len(first) :], *own),
            positional=self.positional - len(first),
            keywords={x: y for x, y in self.keywords.items() if y not in own},
            defaults={**self.defaults, **dict(zip(own, first, strict=True)), **more},
        )

    def rows(self, call: ast.Call) -> list[tuple[Row, int]]:
        """The arrays that a call gives to it, with how many subscripts each has."""
        given = self.given(call) or {}
        found = ((row(given[x]), axes) for x, axes in self.arrays.items() if given)
        return [(one, axes) for one, axes in found if one is not None]

    def runs_in(self, call: ast.Call) -> bool:
        """Whether what a call does to arrays is told by the statements it runs."""
        return self.runs or any(one.indices for one, _ in self.rows(call))

    def read(self, call: ast.Call) -> list[Read]:
        """The elements that a call reads, of arrays as they are called there."""
        given = self.given(call) or {}
        if not given or self.runs_in(call):
            return []
        return [one.given(given) for one in self.cells]


def _member(base: ast.expr, member: str) -> ast.expr:
    """A member of an object: ``a.b`` of ``x`` is ``x.a.b``."""
    for part in member.split("."):
        base = ast.copy_location(ast.Attribute(base, part, ast.Load()), base)
    return base
