"""What generators give, folded at once: ``s = sum(x[j] * y[j] for j in range(n))``.

It is a loop in front of the statement, where nothing evaluated before the call can tell
the difference. Of floats of Python ``sum`` keeps what rounding loses since Python 3.12:
so does the loop, where what is summed is not known as a number of NumPy, or as an
integer. What loops sum of a list, or look for in it, is spelled so, too.
"""

from __future__ import annotations

import ast
import copy
import functools
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import TypeAlias, get_args

from looptx.model.functions import SUMS, Native, lookup
from looptx.model.naming import HELD, Taken
from looptx.source.ast_tools import LOOPS, walked
from looptx.source.names.captures import COMPREHENSIONS
from looptx.source.names.imports import own_nodes
from looptx.source.names.scope import Function, Scope
from looptx.source.spelling.edits import (
    Change,
    Changes,
    always,
    edited,
    spelling,
)
from looptx.source.spelling.inserted import Insertions, parted, together
from looptx.source.spelling.lists.implied import SOUGHT, Implied
from looptx.source.spelling.lists.leading import ENDING, Leading, is_any
from looptx.source.spelling.lists.operations import METHODS, parents

_IN_TURN = sys.version_info < (3, 12)
"""Whether ``sum`` adds floats of Python one by one."""

_LOST, _REST = (f"{HELD}sum_{name}" for name in ("lost", "rest"))
SUM_MEANINGS = {
    _LOST: f"{SUMS}lost",
    _REST: f"{SUMS}rest",
}
"""What the names mean that the spelling has."""

_INNER = get_args(COMPREHENSIONS)
_OTHER = (ast.Lambda, ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom)
Statement: TypeAlias = ast.Assign | ast.AugAssign | ast.If | ast.Return | ast.Expr


@spelling(is_any)
def with_generated(
    function: Function, scope: Scope, axes: Mapping[str, int]
) -> Changes:
    """Statements fold nothing that a generator gives.

    Args:
        function: it. scope: its names.
        axes: how many arguments have, where no text says so.
    """
    if scope.wild:
        return
    taken = Taken(scope.identifiers)

    nodes = own_nodes(function)
    around, grown = parents(nodes), _grown(nodes)
    inside = {x for loop in nodes if isinstance(loop, LOOPS) for x in loop.body}
    inserted = Insertions(around)
    tests: dict[ast.AST, Change] = {}
    for stmt in nodes:
        if not isinstance(stmt, Statement):
            continue
        leading = Leading(scope, _is_inside(stmt, inside, around), grown)
        made, lines, alone = copy.deepcopy(stmt), list[ast.stmt](), True
        while (node := leading.first(made)) is not None:
            given = leading.of(node)
            assert given is not None
            fold = _Fold(given, scope, axes, taken.again)
            if not fold.is_known:
                break
            lines += fold.lines()
            made = _put(made, node, fold.name)
            alone &= given.call is node
        if lines and (isinstance(made, ast.If) or not alone):
            # What it ends, or goes on with, is the loop around it. Python is as fast
            # where nothing is native but what a list is summed by.
            inserted.before(stmt, *parted(lines, stmt))
            if isinstance(made, ast.If):
                tests[stmt] = functools.partial(_asking, made.test)
            else:
                yield stmt, always(made)
        elif lines:
            yield stmt, always(together(lines, made, taken.again("once")))
    yield from inserted.changes(tests)


def _asking(test: ast.expr, node: ast.AST) -> ast.AST:
    """A statement with another condition.

    Args:
        test: the condition. node: the statement.
    """
    made = copy.copy(node)
    assert isinstance(made, ast.If)
    made.test = test
    return made


def _grown(nodes: Sequence[ast.AST]) -> set[str]:
    """The names of lists that may grow."""
    return {
        node.value.id
        for node in nodes
        if isinstance(node, ast.Attribute) and node.attr in METHODS
        if isinstance(node.value, ast.Name)
    }


def _is_inside(
    stmt: ast.AST, inside: Collection[ast.AST], around: Mapping[ast.AST, ast.AST]
) -> bool:
    """Whether a statement runs in a loop.

    Args:
        stmt: it. inside: the statements of the bodies of loops.
        around: what nodes stand in.
    """
    node: ast.AST | None = stmt
    while node is not None and node not in inside:
        node = around.get(node)
    return node is not None


def _put(stmt: Statement, fold: ast.expr, name: str) -> Statement:
    """A statement with a name in the place of a fold.

    Args:
        stmt: it. fold: in it. name: of the result.
    """
    held = ast.copy_location(ast.Name(name, ast.Load()), fold)
    made = edited(stmt, {fold: always(held)})
    assert isinstance(made, Statement)
    return made


class _Fold:
    """One fold as loops.

    Args:
        one: it. scope: of its function. axes: as of ``with_generated``.
        new: gives names that nothing else has.

    Attributes:
        name: of the result.
    """

    def __init__(
        self,
        one: Implied,
        scope: Scope,
        axes: Mapping[str, int],
        new: Callable[[str], str],
    ) -> None:
        call = one.call
        (given,) = call.args
        assert isinstance(call.func, ast.Name) and isinstance(
            given, ast.GeneratorExp | ast.ListComp
        )
        self.given = given
        self.scope = scope
        self.word = call.func.id
        builtin = scope.resolve(call.func) == f"builtins.{self.word}"
        self.is_python = builtin or one.sought is not None
        self.sought, self.whole = one.sought, one.whole
        self.axes = axes
        self.new = new
        self.name = new(self.word)

    @property
    def is_known(self) -> bool:
        """Whether it is Python's, of what loops can go through."""
        inner = [x for x in walked(self.given) if x is not self.given]
        parts = self.given.generators
        return (
            self.is_python
            and not any(isinstance(x, (*_INNER, *_OTHER)) for x in inner)
            and all(is_target(one.target) and not one.is_async for one in parts)
            and (len(parts) == 1 or self.word not in ENDING)
        )

    def lines(self) -> list[ast.stmt]:
        """What computes the result."""
        sought = {} if self.sought is None else {SOUGHT: self.new(SOUGHT)}
        given = renamed(self.given, sought, self.new)
        name, value, begun = self.name, ast.unparse(given.elt), ""
        match self.word:
            case "sum" if _IN_TURN or self._is_numpy(self.given.elt):
                first, each, last = "0", f"{name} = {name} + ({value})", ""
            case "sum":
                one, lost = self.new("one"), self.new("lost")
                first, last = (
                    f"0\n{lost} = 0.0",
                    f"{name} = {name} + {_REST}({name}, {lost})",
                )
                each = (
                    f"{one} = {value}\n{lost} = {lost} + {_LOST}({name}, {one})\n"
                    f"{name} = {name} + {one}"
                )
            case "any":
                first, last = "False", ""
                each = f"if {value}:\n {name} = True\n break"
            case "all":
                first, last = "True", ""
                each = f"if not ({value}):\n {name} = False\n break"
            case _:
                one, none = self.new("one"), self.new("none")
                sign = {"max": ">", "min": "<"}[self.word]
                first, last = f"0\n{none} = True", f"if {none}: raise ValueError"
                each = (
                    f"{one} = {value}\nif {none}:\n {name} = {one}\n {none} = False\n"
                    f"elif {one} {sign} {name}:\n {name} = {one}"
                )
                if self.whole is not None:
                    whole = ast.unparse(self.whole)
                    begun = f"if len({whole}) < 1: raise ValueError\n"
                    first, last = f"{whole}[0]", ""
                    each = f"if {value} {sign} {name}: {name} = {value}"
        if self.sought is not None:
            (held,) = sought.values()
            begun = f"{held} = {ast.unparse(self.sought)}\n"
            missing = name if self.word == "all" else f"not {name}"
            # The list may have this NaN itself.
            last = f"if {missing} and {held} != {held}: raise ValueError"
        return [
            *ast.parse(f"{begun}{name} = {first}").body,
            *looped(given.generators, ast.parse(each).body),
            *ast.parse(last).body,
        ]

    def _is_numpy(self, node: ast.expr) -> bool:
        """Whether what is summed is a number of NumPy, or an integer."""
        match node:
            case ast.Constant(value):
                return isinstance(value, int)
            case ast.Subscript(ast.Name(name), index) if name in self.axes:
                places = index.elts if isinstance(index, ast.Tuple) else [index]
                slices = any(isinstance(x, ast.Slice | ast.Starred) for x in places)
                return not slices and len(places) == self.axes[name]
            case ast.Name(name):
                return any(
                    name == target and self._is_row(source)
                    for one in self.given.generators
                    for target, source in _sources(one.target, one.iter)
                )
            case ast.BinOp(left, _, right):
                sides = self._is_numpy(left), self._is_numpy(right)
                whole = (isinstance(x, ast.Constant) for x in (left, right))
                return any(s and not w for s, w in zip(sides, whole, strict=True))
            case ast.UnaryOp(ast.USub() | ast.UAdd(), inner):
                return self._is_numpy(inner)
            case ast.Call(ast.Name("abs"), [inner], []):
                return self._is_numpy(inner)
            case ast.Compare():
                return True
            case ast.Call(function, [inner, *_], []):
                called = lookup(self.scope.resolve(function))
                return called.native is Native.UFUNC and self._is_numpy(inner)
        return False

    def _is_row(self, node: ast.expr) -> bool:
        """Whether an expression is an array of one axis, or a part of one."""
        match node:
            case ast.Name(name):
                return self.axes.get(name) == 1
            case ast.Subscript(ast.Name(name), ast.Slice()):
                return self.axes.get(name) == 1
            case ast.Subscript(ast.Name(name), ast.Name() | ast.Constant()):
                return self.axes.get(name) == 2
        return False


Given: TypeAlias = ast.GeneratorExp | ast.ListComp


def renamed(given: Given, known: Mapping[str, str], new: Callable[[str], str]) -> Given:
    """A comprehension with variables that are those of no loop of the function.

    Args:
        given: it. known: other names that it has. new: gives names nothing else has.
    """
    found = copy.deepcopy(given)
    names = {**known}
    for number, part in enumerate(found.generators):
        if number:
            _Renamed(names).visit(part.iter)
        names |= {
            x.id: new(x.id) for x in ast.walk(part.target) if isinstance(x, ast.Name)
        }
        for node in (part.target, *part.ifs):
            _Renamed(names).visit(node)
    _Renamed(names).visit(found.elt)
    return found


def looped(parts: Sequence[ast.comprehension], body: list[ast.stmt]) -> list[ast.stmt]:
    """The loops of a comprehension.

    Args:
        parts: those of it. body: what stands in the innermost.
    """
    for part in reversed(parts):
        for test in reversed(part.ifs):
            body = [ast.If(test, body, [])]
        body = [ast.For(part.target, part.iter, body, [])]
    return body


class _Renamed(ast.NodeTransformer):
    """Gives names other ones."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.Name:
        """A name."""
        node.id = self.names.get(node.id, node.id)
        return node


def _sources(target: ast.expr, source: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    """The names that get elements, each with what these are of.

    Args:
        target: of a loop. source: what it goes through.
    """
    match target, source:
        case ast.Name(name), _:
            yield name, source
        case ast.Tuple([_, inner]), ast.Call(ast.Name("enumerate"), [of]):
            yield from _sources(inner, of)
        case ast.Tuple(targets), ast.Call(ast.Name("zip"), given):
            for one, of in zip(targets, given, strict=False):
                yield from _sources(one, of)


def is_target(node: ast.expr) -> bool:
    """Whether a target is names alone."""
    parts = node.elts if isinstance(node, ast.Tuple) else [node]
    return all(isinstance(x, ast.Name) for x in parts)
