"""Columns of lists of rows, as their elements: ``for column in zip(*rows)``.

In a comprehension the column is ``rows[k][j]`` where it has the number j: it is looked
up, counted, summed, copied, or gone through. That is the same where all rows have one
length, as the rows of an array of two axes have, and there is one.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

from looptx.model.naming import Taken
from looptx.model.records import dataclass
from looptx.source.names.imports import own_nodes
from looptx.source.names.scope import Function, Scope
from looptx.source.spelling.edits import Changes, always, spelling
from looptx.source.spelling.lists.written import expression, placed

_Made: TypeAlias = ast.ListComp | ast.GeneratorExp
_FOLDS = ("sum", "min", "max")


def _rows(node: ast.AST) -> str:
    """The name of what a part of a comprehension has the columns of; empty for none."""
    match node:
        case ast.comprehension(
            ast.Name(),
            ast.Call(
                ast.Name("zip"),
                [ast.Starred(ast.Name(name))],
                [] | [ast.keyword("strict", ast.Constant())],
            ),
        ) if not node.is_async:
            return name
    return ""


@spelling(_rows)
def with_transposed(function: Function, scope: Scope) -> Changes:
    """Comprehensions go through no columns of lists."""
    if scope.wild or any(map(scope.hides, ("zip", "range", "len", "list", *_FOLDS))):
        return
    taken = Taken(scope.identifiers)
    for node in own_nodes(function):
        if isinstance(node, _Made) and any(map(_rows, node.generators)):
            made = _without(node, taken.again)
            if made is not None:
                yield node, always(placed(made, node))


def _without(node: _Made, new: Callable[[str], str]) -> _Made | None:
    """A comprehension without columns; None where more is done to one.

    Args:
        node: the comprehension. new: gives names that nothing else has.
    """
    made = copy.deepcopy(node)
    bound = [x.id for one in _clauses(made) for x in _names(one.target)]
    for part in made.generators:
        rows = _rows(part)
        if not rows:
            continue
        assert isinstance(part.target, ast.Name)
        column = part.target.id
        if bound.count(column) > 1 or rows in bound:
            return None
        number = new("column")
        part.target = ast.Name(number, ast.Store())
        part.iter = expression(f"range(len({rows}[0]))")
        made = _Column(column, rows, number, new).visit(made)
        if any(isinstance(x, ast.Name) and x.id == column for x in ast.walk(made)):
            return None
    return made


def _clauses(node: ast.AST) -> Iterator[ast.comprehension]:
    """The clauses of all comprehensions in a node."""
    return (x for x in ast.walk(node) if isinstance(x, ast.comprehension))


def _names(target: ast.expr) -> Iterator[ast.Name]:
    """The names that a target has."""
    return (x for x in ast.walk(target) if isinstance(x, ast.Name))


@dataclass
class _Column(ast.NodeTransformer):
    """Puts elements of rows in the place of a column.

    Attributes:
        column: its name. rows: that of the rows. number: of its number.
        new: gives names that nothing else has.
    """

    column: str
    rows: str
    number: str
    new: Callable[[str], str]

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        """An element."""
        self.generic_visit(node)
        match node:
            case ast.Subscript(ast.Name(self.column), at, ast.Load()):
                if not isinstance(at, ast.Slice | ast.Tuple):
                    return self._element(ast.unparse(at))
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """What is made of all of it."""
        match node:
            case ast.Call(ast.Name("len"), [ast.Name(self.column)], []):
                return expression(f"len({self.rows})")
            case ast.Call(ast.Name(word), [ast.Name(self.column)], []):
                at = self.new("at")
                of = ast.unparse(self._element(at))
                each = f"{of} for {at} in range(len({self.rows}))"
                if word in _FOLDS:
                    return expression(f"{word}({each})")
                if word == "list":
                    return expression(f"[{each}]")
        return self.generic_visit(node)

    def visit_ListComp(self, node: ast.ListComp) -> ast.AST:
        """What goes through it."""
        return self._through(node)

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> ast.AST:
        """What goes through it."""
        return self._through(node)

    def _through(self, node: _Made) -> ast.AST:
        """A comprehension that may go through a column, alone or beside others."""
        elements: dict[str, ast.expr] = {}
        for part in node.generators:
            match part:
                case ast.comprehension(ast.Name(name), ast.Name(self.column)):
                    at = self._counted(part, [f"len({self.rows})"])
                    elements[name] = self._element(at)
                case ast.comprehension(
                    ast.Tuple(targets), ast.Call(ast.Name("zip"), given)
                ) if len(targets) == len(given) and self._is_beside(part.iter, given):
                    of = [ast.unparse(x) for x in given]
                    rows = [self.rows if x == self.column else x for x in of]
                    at = self._counted(part, [f"len({x})" for x in rows])
                    for target, one in zip(targets, of, strict=True):
                        other = expression(f"{one}[{at}]")
                        found = self._element(at) if one == self.column else other
                        elements[ast.unparse(target)] = found
        names = [x.id for one in _clauses(node) for x in _names(one.target)]
        if not {*names}.isdisjoint(elements):
            return node  # One of them is another one further inside.
        return self.generic_visit(_Named(elements).visit(node))

    def _counted(self, part: ast.comprehension, sizes: Sequence[str]) -> str:
        """The name of the number of an element, by which a clause counts now.

        Args:
            part: the clause. sizes: the texts of how long what it goes through is.
        """
        at = self.new("at")
        part.target = ast.Name(at, ast.Store())
        size = sizes[0] if len(sizes) == 1 else f"min({', '.join(sizes)})"
        part.iter = expression(f"range({size})")
        return at

    def _is_beside(self, iter_: ast.expr, given: Sequence[ast.expr]) -> bool:
        """Whether a column is among lists that have names.

        Args:
            iter_: the call of ``zip``. given: what it is given.
        """
        assert isinstance(iter_, ast.Call)
        names = [x.id for x in given if isinstance(x, ast.Name)]
        strict = [(x.arg, ast.unparse(x.value)) for x in iter_.keywords]
        plain = strict in ([], [("strict", "False")])
        return plain and len(names) == len(given) and self.column in names

    def _element(self, at: str) -> ast.expr:
        """An element of it, by the text of its place."""
        return expression(f"{self.rows}[{at}][{self.number}]")


@dataclass
class _Named(ast.NodeTransformer):
    """Puts expressions in the place of names."""

    names: Mapping[str, ast.expr]

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """A name."""
        return copy.deepcopy(self.names.get(node.id, node))
