"""What generators give, folded at once: ``s = sum(x[j] * y[j] for j in range(n))``.

It is a loop in front of the statement, where nothing evaluated before the call can tell
the difference. Of floats of Python ``sum`` keeps what rounding loses since Python 3.12:
what is summed has to be known as a number of NumPy, or as an integer.
"""

from __future__ import annotations

import ast
import copy
import functools
from collections.abc import Callable, Iterator, Mapping
from typing import get_args

from looptx.model.functions import Native, lookup
from looptx.model.naming import again
from looptx.model.trees import dotted
from looptx.source.ast_tools import walked
from looptx.source.names.captures import COMPREHENSIONS
from looptx.source.names.imports import own_nodes
from looptx.source.names.scope import Function, Scope
from looptx.source.spelling.edits import Change, always, respelt
from looptx.source.spelling.inserted import Inserted, parted, together
from looptx.source.spelling.lists.operations import parents

_PLAIN = (
    *(ast.Name, ast.Constant, ast.Subscript, ast.BinOp, ast.UnaryOp, ast.Compare),
    *(ast.Add, ast.Sub, ast.Mult, ast.unaryop, ast.cmpop, ast.expr_context),
    *(ast.GeneratorExp, ast.ListComp, ast.comprehension, ast.Tuple),
)
"""What raises nothing but an IndexError."""

_ENDING = ("any", "all")
_FOLDS = ("sum", "min", "max", *_ENDING)

_INNER = get_args(COMPREHENSIONS)
_OTHER = (ast.Lambda, ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom)
_STATEMENTS = (ast.Assign, ast.AugAssign, ast.If, ast.Return)


def with_generated(
    tree: ast.Module, known: Mapping[str, str], axes: Mapping[str, int]
) -> ast.Module:
    """A tree in which statements fold nothing that a generator gives.

    Args:
        tree: the module's. known: what its names mean.
        axes: how many arguments have, where no text says so.
    """
    return respelt(tree, known, _is_fold, functools.partial(_changes, axes))


def _is_fold(node: ast.AST) -> bool:
    """Whether a node is a call of one of the functions, by their own names."""
    match node:
        case ast.Call(ast.Name(name), [ast.GeneratorExp()], []):
            return name in _FOLDS
        case ast.Call(ast.Name(name), [ast.ListComp()], []):
            # All of a list is computed before it is asked for anything.
            return name in _FOLDS and name not in _ENDING
    return False


def _changes(
    axes: Mapping[str, int], function: Function, scope: Scope
) -> Iterator[tuple[ast.AST, Change]]:
    """The changes of a function.

    Args:
        axes: as of ``with_generated``. function: it. scope: its names.
    """
    if scope.wild:
        return
    taken = {*scope.identifiers}

    def new(stem: str) -> str:
        """A name that nothing else has."""
        found = again(stem, taken)
        taken.add(found)
        return found

    around = parents(own_nodes(function))
    inserted: dict[ast.AST, Inserted] = {}
    tests: dict[ast.AST, ast.expr] = {}
    for stmt in own_nodes(function):
        if not isinstance(stmt, _STATEMENTS):
            continue
        made, lines = copy.deepcopy(stmt), list[ast.stmt]()
        while (call := _first(made)) is not None:
            fold = _Fold(call, scope, axes, new)
            if not fold.is_known:
                break
            lines += fold.lines()
            made = _Put(call, fold.name).visit(made)
        if lines and isinstance(made, ast.If):
            # What it ends, or goes on with, is the loop around it.
            outer = inserted.setdefault(around[stmt], Inserted())
            outer.before(stmt, *parted(lines, stmt))
            tests[stmt] = made.test
        elif lines:
            yield stmt, always(together(lines, made, new("once")))
    for node in {**inserted, **tests}:
        into = inserted.get(node, Inserted()).into(node)
        yield node, functools.partial(_asking, tests.get(node), into)


def _asking(test: ast.expr | None, into: Change, node: ast.AST) -> ast.AST:
    """A statement with others in its blocks, and another condition.

    Args:
        test: the condition, if there is one. into: puts others into its blocks.
        node: the statement.
    """
    made = into(node)
    if test is not None:
        assert isinstance(made, ast.If)
        made.test = test
    return made


def _first(stmt: ast.stmt) -> ast.Call | None:
    """The fold that a statement evaluates before all that may have an effect."""
    match stmt:
        case ast.Assign(value=value) | ast.Return(ast.expr() as value):
            return _leading(value)
        case ast.If(test):
            return _leading(test)
        case ast.AugAssign(ast.Name(), _, value):
            return _leading(value)
        case ast.AugAssign(ast.Subscript(), _, ast.Call() as value) if _is_fold(value):
            parts = (x for x in walked(value.args[0]) if not _is_range(x))
            names = all(isinstance(x, _PLAIN) for x in parts)
            return value if names else None
    return None


def _leading(node: ast.expr) -> ast.Call | None:
    """The fold that an expression evaluates first, but for names and numbers."""
    match node:
        case ast.Call() if _is_fold(node):
            return node
        case ast.BinOp(ast.Name() | ast.Constant(), _, right):
            return _leading(right)
        case ast.Compare(ast.Name() | ast.Constant(), _, [right, *_]):
            return _leading(right)
        case ast.BinOp(left) | ast.Compare(left) | ast.UnaryOp(_, left):
            return _leading(left)
        case ast.Call(function, [left, *_]) if dotted(function):
            return _leading(left)
        case ast.BoolOp(_, [left, *_]) | ast.IfExp(left):
            return _leading(left)
    return None


def _is_range(node: ast.AST) -> bool:
    """Whether a node is a call of ``range``."""
    return isinstance(node, ast.Call) and dotted(node.func) == "range"


class _Put(ast.NodeTransformer):
    """Puts a name in the place of a call."""

    def __init__(self, call: ast.Call, name: str) -> None:
        self.call = call
        self.name = name

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """The name, for the call."""
        if node is not self.call:
            self.generic_visit(node)
            return node
        return ast.copy_location(ast.Name(self.name, ast.Load()), node)


class _Fold:
    """One fold as loops.

    Args:
        call: it. scope: of its function. axes: as of ``with_generated``.
        new: gives names that nothing else has.

    Attributes:
        name: of the result.
    """

    def __init__(
        self,
        call: ast.Call,
        scope: Scope,
        axes: Mapping[str, int],
        new: Callable[[str], str],
    ) -> None:
        (given,) = call.args
        assert isinstance(call.func, ast.Name) and isinstance(
            given, ast.GeneratorExp | ast.ListComp
        )
        self.given = given
        self.scope = scope
        self.word = call.func.id
        self.is_python = scope.resolve(call.func) == f"builtins.{self.word}"
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
            and all(_is_target(one.target) and not one.is_async for one in parts)
            and (len(parts) == 1 or self.word not in _ENDING)
            and (self.word != "sum" or self._is_numpy(self.given.elt))
        )

    def lines(self) -> list[ast.stmt]:
        """What computes the result."""
        given = self._renamed()
        name, value = self.name, ast.unparse(given.elt)
        match self.word:
            case "sum":
                first, each, last = "0", f"{name} = {name} + ({value})", ""
            case "any":
                first, last = "False", ""
                each = f"if {value}:\n {name} = True\n break"
            case "all":
                first, last = "True", ""
                each = f"if not ({value}):\n {name} = False\n break"
            case _:
                one, none = self.new("one"), self.new("none")
                sign = {"max": ">", "min": "<"}[self.word]
                first = f"0\n{none} = True"
                each = (
                    f"{one} = {value}\nif {none}:\n {name} = {one}\n {none} = False\n"
                    f"elif {one} {sign} {name}:\n {name} = {one}"
                )
                last = f"if {none}: raise ValueError"
        body = ast.parse(each).body
        for part in reversed(given.generators):
            for test in reversed(part.ifs):
                body = [ast.If(test, body, [])]
            body = [ast.For(part.target, part.iter, body, [])]
        return [
            *ast.parse(f"{name} = {first}").body,
            *body,
            *ast.parse(last).body,
        ]

    def _renamed(self) -> ast.GeneratorExp | ast.ListComp:
        """What is given, with variables that are those of no loop of the function."""
        found = copy.deepcopy(self.given)
        names: dict[str, str] = {}
        for number, part in enumerate(found.generators):
            if number:
                _Renamed(names).visit(part.iter)
            names |= {
                x.id: self.new(x.id)
                for x in ast.walk(part.target)
                if isinstance(x, ast.Name)
            }
            for node in (part.target, *part.ifs):
                _Renamed(names).visit(node)
        _Renamed(names).visit(found.elt)
        return found

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


def _is_target(node: ast.expr) -> bool:
    """Whether a target is names alone."""
    parts = node.elts if isinstance(node, ast.Tuple) else [node]
    return all(isinstance(x, ast.Name) for x in parts)
