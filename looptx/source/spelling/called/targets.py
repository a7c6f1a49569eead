"""What the values of functions are assigned to, where their statements stand.

What follows a ``return`` under a condition is the other branch of that, and what
follows a loop that has one is its ``else``: the loop breaks where it returned.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Collection, Sequence
from itertools import chain
from typing import TypeAlias

from looptx.model.callees.structure import falls, is_endless, returns
from looptx.model.trees import dotted
from looptx.source.callees.refusals import Refused
from looptx.source.names.imports import bound_names
from looptx.source.names.must_execute import jumps

MOST = 100
"""So many statements of a function are written in the place of a call."""

LONGEST = 500
"""So many they may become: what follows conditions of a ``return`` is repeated."""

Target: TypeAlias = Callable[[ast.expr | None], Sequence[ast.stmt]]
"""What takes the value of a function; None where it ends without one."""


def names_of(targets: Sequence[ast.expr], shared: Collection[str]) -> Sequence[str]:
    """The names that a value gets, or its parts; none where others see them.

    Args:
        targets: what it is assigned to. shared: the names that others see.
    """
    match targets:
        case [ast.Tuple(elts)]:
            parts: Sequence[ast.expr] = elts
        case _:
            parts = targets[:1]
    names = [dotted(one) for one in parts if isinstance(one, ast.Name)]
    whole = len(targets) == 1 and len(names) == len(parts)
    return names if whole and not {*names} & {*shared} else ()


def is_of_elements(target: ast.expr) -> bool:
    """Whether what is assigned there is copied."""
    if isinstance(target, ast.Tuple):
        return all(map(is_of_elements, target.elts))
    return isinstance(target, ast.Subscript)


def gives_names(stmt: ast.Assign) -> bool:
    """Whether a statement gives something a name."""
    targets = [x for one in stmt.targets for x in ast.walk(one)]
    return any(isinstance(x, ast.Name) and _is_stored(x) for x in targets)


def assigned(
    targets: Sequence[ast.expr],
    value: ast.expr,
    made: Collection[str],
    bound: Collection[str],
) -> list[ast.stmt]:
    """What assigns the value of a function; that may have its name already.

    Args:
        targets: what it goes to. value: it, in names of the caller.
        made: the arrays that have. bound: the names that the caller binds itself.
    """
    pairs = [([*targets], value)]
    match targets, value:
        case [ast.Tuple(elts)], ast.Tuple(values) if len(elts) == len(values):
            own = [dotted(x) for x in values if dotted(x) not in made]
            # Nothing that is assigned first is read by what is next.
            if all(own) and not {*own} & {*bound}:
                pairs = [([x], y) for x, y in zip(elts, values, strict=True)]
    return [
        ast.Assign(given, part)
        for given, part in pairs
        if not (isinstance(part, ast.Name) and [*map(dotted, given)] == [part.id])
    ]


def _is_stored(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Store)


def some(value: ast.expr | None, call: ast.Call) -> ast.expr:
    """The value of a call.

    Raises:
        Refused: it has none.
    """
    if value is None:
        raise Refused(call, "returns None")
    return value


def branched(lines: Sequence[ast.stmt], arrays: Collection[str]) -> Sequence[ast.stmt]:
    """Statements in which conditions that choose an array have what follows them.

    Args:
        lines: of a function. arrays: the names of its own arrays.

    Raises:
        Refused: there are too many statements.
    """
    for at, stmt in enumerate(lines):
        if isinstance(stmt, ast.If) and _chooses(stmt, arrays):
            rest = lines[at + 1 :]
            stmt.body, stmt.orelse = (
                [*branched(_copied(block, rest), arrays)]
                for block in (stmt.body, stmt.orelse)
            )
            return [*lines[:at], _short(stmt)]
    return lines


def _chooses(stmt: ast.If, arrays: Collection[str]) -> bool:
    """Whether a condition says which array gets a name: each has its own way on.

    Args:
        stmt: a statement. arrays: the names of such arrays.
    """
    blocks = ([*map(ast.walk, block)] for block in (stmt.body, stmt.orelse))
    one, two = ({*bound_names(chain.from_iterable(x))} for x in blocks)
    return not (one & two).isdisjoint(arrays)


def ended(lines: Sequence[ast.stmt], target: Target) -> list[ast.stmt]:
    """Statements that give the value to something, to be gone on behind.

    Args:
        lines: of a function. target: what takes the value.

    Raises:
        Refused: there are too many statements, or jumps that cannot be told apart.
    """
    if len(lines) > MOST:
        raise Refused(lines[0], "has too many statements")
    found: list[ast.stmt] = []
    for at, stmt in enumerate(lines):
        if not returns(stmt):
            found.append(stmt)
            continue
        rest = lines[at + 1 :]
        match stmt:
            case ast.Return(value):
                return [*found, *target(value)]
            case ast.If(test, body, orelse):
                then, other = (ended(_copied(x, rest), target) for x in (body, orelse))
                return [*found, _short(ast.If(test, then or [ast.Pass()], other))]
            case ast.For() | ast.While():
                return [*found, _short(_loop(stmt, rest, target))]
        raise Refused(stmt, "returns out of a block of another kind")
    return [*found, *target(None)]


def _loop(
    loop: ast.For | ast.While, rest: Sequence[ast.stmt], target: Target
) -> ast.stmt:
    """A loop that returns, with what follows it.

    Args:
        loop: it. rest: what follows. target: what takes the value.
    """
    endless = is_endless(loop) and not loop.orelse
    behind = ended(_copied(rest), target) if any(_breaks(loop)) else []
    if not endless:
        loop.orelse = ended(_copied(loop.orelse, rest), target)
    loop.body = left(loop.body, target, behind)
    return loop


def left(
    lines: Sequence[ast.stmt], target: Target, behind: Sequence[ast.stmt]
) -> list[ast.stmt]:
    """Statements of a loop that breaks where the function returned.

    Args:
        lines: they. target: what takes the value.
        behind: what runs behind the loop where it breaks otherwise.
    """
    found: list[ast.stmt] = []
    for at, stmt in enumerate(lines):
        rest = lines[at + 1 :]
        match stmt:
            case ast.Return(value):
                return [*found, *target(value), ast.Break()]
            case ast.Break():
                return [*found, *copy.deepcopy(behind), stmt]
            case ast.If(test, body, orelse) if _returns_from_loops(stmt):
                then, other = (
                    left(_copied(x, rest), target, behind) for x in (body, orelse)
                )
                return [*found, ast.If(test, then or [ast.Pass()], other)]
            case ast.If():
                stmt.body = left(stmt.body, target, behind)
                stmt.orelse = left(stmt.orelse, target, behind)
            case ast.For() | ast.While() if returns(stmt):
                return [*found, *_inner(stmt, rest, target, behind)]
            case _ if returns(stmt):
                raise Refused(stmt, "returns out of a block of another kind")
        found.append(stmt)
    return found


def _inner(
    loop: ast.For | ast.While,
    rest: Sequence[ast.stmt],
    target: Target,
    behind: Sequence[ast.stmt],
) -> list[ast.stmt]:
    """A loop in another one, where the function returns out of both.

    Args:
        loop: the inner one. rest: what follows it in the other one.
        target, behind: as of ``_left``, of the other one.

    Raises:
        Refused: the inner loop is left by ``break``, too, so what follows it would have
            to run and not to run.
    """
    if any(_breaks(loop)):
        raise Refused(loop, "returns out of a loop in a loop, and breaks out of it")
    if loop.orelse or not is_endless(loop):
        last = left(_copied(loop.orelse, rest), target, behind)
        loop.orelse = [*last, ast.Continue()] if falls(last) else last
    loop.body = left(loop.body, target, [])
    return [loop, ast.Break()]


def _breaks(loop: ast.For | ast.While) -> Sequence[ast.stmt]:
    """The ``break`` of a loop."""
    return [x for x in jumps(loop.body) if isinstance(x, ast.Break)]


def _returns_from_loops(stmt: ast.stmt) -> bool:
    """Whether a loop in a statement returns."""
    parts = ast.walk(stmt)
    return any(returns(x) for x in parts if isinstance(x, ast.For | ast.While))


def _copied(*blocks: Sequence[ast.stmt]) -> list[ast.stmt]:
    """Statements, as nothing else has them."""
    return [copy.deepcopy(x) for block in blocks for x in block]


def _short(made: ast.stmt) -> ast.stmt:
    """A statement that is not too long.

    Raises:
        Refused: it is.
    """
    if sum(isinstance(x, ast.stmt) for x in ast.walk(made)) > LONGEST:
        raise Refused(made, "has too many statements")
    return made


def unused(new: Callable[[str], str]) -> Callable[[ast.expr | None], list[ast.stmt]]:
    """What becomes of a value that nobody asks for: it may raise.

    Args:
        new: makes a name.
    """

    def target(value: ast.expr | None) -> list[ast.stmt]:
        if value is None or isinstance(value, ast.Name | ast.Constant):
            return []
        return [ast.Assign([ast.Name(new("value"), ast.Store())], value)]

    return target
