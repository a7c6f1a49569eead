"""Elements of arrays that a function of the user reads, by what it is given."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping

from looptx.model.callees.trees import renamed
from looptx.model.records import dataclass, replace
from looptx.model.trees import dotted

_MOST = 200
"""Nodes of an expression beyond which it counts as unknown."""


@dataclass(frozen=True, slots=True)
class Test:
    """What comes out one way where an element is read; ``value`` None if unknown."""

    value: ast.expr | None
    holds: bool


@dataclass(frozen=True, slots=True)
class Read:
    """An element that is read.

    Attributes:
        array: the parameter. indices: its subscripts, of what the function is given;
            None where they depend on more. tests: what holds where it is read.
    """

    array: str
    indices: tuple[ast.expr | None, ...]
    tests: tuple[Test, ...] = ()

    def given(self, values: Mapping[str, ast.expr | None]) -> Read:
        """The element that is read where the parameters have values."""
        array = values[self.array]
        assert array is not None
        tests = tuple(replace(x, value=known(x.value, values)) for x in self.tests)
        indices = tuple(known(x, values) for x in self.indices)
        return Read(dotted(array), indices, tests)


def sure_places(found: Iterable[Read]) -> Iterator[ast.expr]:
    """The subscripts of the elements that are read in any case."""
    for one in found:
        yield from (x for x in one.indices if x is not None and not one.tests)


def known(
    node: ast.expr | None, meant: Mapping[str, ast.expr | None]
) -> ast.expr | None:
    """An expression with what its names stand for; None where that is not known."""
    if node is None:
        return None
    names = [x.id for x in ast.walk(node) if isinstance(x, ast.Name)]
    values = {name: meant[name] for name in names if name in meant}
    given = {name: value for name, value in values.items() if value is not None}
    if len(given) < len(values) or any(isinstance(x, ast.Call) for x in ast.walk(node)):
        return None
    size = sum(1 for name in names if name in given for _ in ast.walk(given[name]))
    return renamed(node, given) if size <= _MOST else None
