"""What is left of a function where it is known what its arguments are.

``if w is None`` decides nothing where the call gives no ``w``, nor ``if kind ==
"fast"`` where it says which: what cannot run goes, as in functions that are called.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Collection, Iterator, Mapping
from types import EllipsisType
from typing import TypeAlias

from looptx.model.naming import HELD, free
from looptx.model.trees import walk
from looptx.source.names.imports import FUNCTIONS, arguments, bound_names, own_nodes
from looptx.source.names.scope import Function, Scope
from looptx.source.spelling.called.folding import (
    Constant,
    Fact,
    Facts,
    Folding,
    Several,
    Something,
)
from looptx.source.spelling.tuples.parts import noting

Known: TypeAlias = bool | str | int | tuple[int] | EllipsisType | None
"""What an argument is: None, a truth, a text, an array of so many axes (a number of
Python's for 0, and none for -1), so many values, or anything but None."""

Told: TypeAlias = Mapping[str, Known]


def with_told(tree: ast.Module, told: Told) -> ast.Module:
    """The tree of one function, without what cannot run; a new one.

    Args:
        tree: the text's. told: what is known of arguments.
    """
    new = copy.deepcopy(tree)
    told = {name: value for name, value in told.items() if value != -1}
    for node in walk(new):
        if isinstance(node, FUNCTIONS):
            taken = {x.id for x in walk(node) if isinstance(x, ast.Name)}
            others = {*_otherwise(node)}
            numbers = {
                x for x, value in told.items() if type(value) is int and not value
            }
            _marking(node, numbers - others)
            facts = {
                name: _fact(name, value, taken)
                for name, value in told.items()
                if name not in {*others, *numbers}
            }
            texts = _named(facts)
            own = _bound(node)
            lines, _ = Folding(facts, _as_it_is).block(node.body)
            node.body = lines or [ast.Pass()]
            node.body[:0] = _without_value(node, own)
            noting(texts)(node)
            break
    return ast.fix_missing_locations(new)


def _marking(root: Function, numbers: Collection[str]) -> None:
    """Mark the calls that make arrays without axes of numbers, at once for good.

    Args:
        root: the function. numbers: the arguments that are numbers.
    """
    stored = [x.id for x in walk(root) if isinstance(x, ast.Name) and _is_stored(x)]
    given = {one.arg for one in arguments(root)}
    for stmt in root.body:
        match stmt:
            case ast.Assign(
                [ast.Name(name)],
                ast.Call(ast.Attribute(_, "asarray"), [ast.Name(of)], []) as call,
            ) if of in numbers and stored.count(name) == 1:
                if name == of or (name not in given and of not in stored):
                    vars(call)["of a number"] = True


def _is_stored(node: ast.Name) -> bool:
    return not isinstance(node.ctx, ast.Load)


def singles(scope: Scope) -> Iterator[str]:
    """The names of arrays without axes, which a function makes of numbers.

    Args:
        scope: of the function.
    """
    for stmt in scope.function.body:
        match stmt:
            case ast.Assign([ast.Name(name)], ast.Call(called) as call) if (
                "of a number" in vars(call) and name not in scope.shared
            ):
                if scope.resolve(called) == "numpy.asarray":
                    yield name


def _bound(root: Function) -> set[str]:
    """The variables of a function, of which all will be another."""
    given = (one.arg for one in arguments(root))
    return {*bound_names(own_nodes(copy.deepcopy(root))), *given}


def _without_value(root: Function, names: Collection[str]) -> list[ast.stmt]:
    """What keeps names variables of a function that gives them no value any more.

    Args:
        root: what is left of it. names: all that it gave values.
    """
    used = {x.id for x in walk(root) if isinstance(x, ast.Name)}
    lost = used.intersection(names) - _bound(root)
    places = [ast.Name(name, ast.Store()) for name in sorted(lost)]
    said = (ast.AnnAssign(one, ast.Constant(None), None, 1) for one in places)
    return [ast.copy_location(one, root) for one in said]


def _fact(name: str, value: Known, taken: Collection[str]) -> Fact:
    """What is known of an argument.

    Args:
        name: of it. value: what it is. taken: the names that there are.
    """
    if value is ...:
        return Something()
    if isinstance(value, tuple):
        return Several(tuple(free(f"{HELD}{name}_{at}", taken) for at in range(*value)))
    return value if type(value) is int else Constant(value)


def _named(facts: Facts) -> dict[str, str]:
    """What the names of parts of tuples are in Python.

    Args:
        facts: what is known of arguments.
    """
    return {
        part: f"{name}[{at}]"
        for name, one in facts.items()
        if isinstance(one, Several)
        for at, part in enumerate(one.parts)
    }


def _as_it_is(call: ast.Call, _facts: Facts) -> ast.Call:
    return call


def _otherwise(root: ast.AST) -> Iterator[str]:
    """The names that a function binds by more than assignments and loops of its own.

    Args:
        root: the function.
    """
    for node in walk(root):
        match node:
            case ast.Global(names) | ast.Nonlocal(names):
                yield from names
            case ast.NamedExpr(ast.Name(name)):
                yield name
            case ast.ExceptHandler(name=str() as name):
                yield name
            case ast.alias(name, other):
                yield other or name.partition(".")[0]
            case ast.MatchAs(name=str() as name) | ast.MatchStar(name=str() as name):
                yield name
            case ast.MatchMapping(rest=str() as name):
                yield name
            case ast.ClassDef(name) if node is not root:
                yield name
            case ast.FunctionDef(name) | ast.AsyncFunctionDef(name) if node is not root:
                yield name
