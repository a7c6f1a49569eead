"""What functions of the user return: how many axes arrays have that calls give.

Calls that give numbers to statements on arrays stand in front of these: ``A[i] -=
mean(A[i])`` is ``m = mean(A[i])`` and ``A[i] -= m``, as a function computes for a
statement once, for however many elements.
"""

from __future__ import annotations

import ast
import copy
import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress

from looptx.model.callees.callee import Callee, Written
from looptx.model.trees import dotted
from looptx.source.names.imports import own_nodes
from looptx.source.names.scope import Known, Scope, surveyed
from looptx.source.spelling.called.arrays import given_to
from looptx.source.spelling.called.names import Names
from looptx.source.spelling.called.parts import axes
from looptx.source.spelling.edits import Change, module, reading, returning
from looptx.source.spelling.whole.reading.axes import Ranks, Unlike
from looptx.source.spelling.whole.reading.extents import Extents
from looptx.source.spelling.whole.reading.ranks import known_ranks
from looptx.source.spelling.whole.reading.singles import LATER
from looptx.source.text.functions import functions


def giving_arrays(
    own: Sequence[ast.AST], scope: Scope, ranks: dict[str, int]
) -> Iterator[tuple[ast.AST, Change]]:
    """The calls that give arrays, for those that stay.

    Args:
        own: the parts of the function. scope: its names.
        ranks: how many axes its arrays have; gets those of the results.
    """
    for stmt in own:
        match stmt:
            case ast.Assign([ast.Name(name)], ast.Call() as call):
                callee = scope.callees.get(dotted(call.func))
                if callee is None or callee.written is None:
                    continue
                count = returned(callee.written, call, ranks)
                if count:
                    ranks[name] = max(ranks.get(name, 0), count)
                    yield call, functools.partial(returning, axes=count)


def returned(
    written: Written,
    call: ast.Call,
    ranks: Mapping[str, int],
    inside: frozenset[ast.AST] = frozenset(),
) -> int:
    """How many axes the array has that a call gives; 0 where that is not known.

    Args:
        written: the function. call: a call of it.
        ranks: how many axes the arrays of the caller have. inside: those that call it.
    """
    if written.node in inside:
        return 0
    extents = _extents(written, call, ranks, inside | {written.node})
    found: set[int] = set()
    for node in own_nodes(written.node):
        if isinstance(node, ast.Return):
            try:
                found.add(len(extents.of(node.value)) if node.value else 0)
            except Unlike:
                return 0
    return found.pop() if len(found) == 1 else 0


def ranks_in(
    written: Written, call: ast.Call, ranks: Mapping[str, int]
) -> Mapping[str, int]:
    """How many axes the arrays of a function have, by its names.

    Args:
        written, call, ranks: as of ``returned``.
    """
    return _extents(written, call, ranks, frozenset((written.node,))).ranks


def _extents(
    written: Written,
    call: ast.Call,
    ranks: Mapping[str, int],
    inside: frozenset[ast.AST],
) -> Extents:
    """What reads the shapes of a function's expressions.

    Args:
        written, call, ranks, inside: as of ``returned``.
    """
    given = {x: axes(value, ranks) for x, value in given_to(written, call)}
    scope = surveyed(written.node, written.imports)
    known = Ranks({name: count for name, count in given.items() if count})
    found = known_ranks(written.node, scope, known)
    extents = Extents(scope, found, "")
    for node in own_nodes(written.node):
        match node:
            case ast.Assign([ast.Name(name)], value) if name not in found:
                with suppress(Unlike):
                    count = _given(value, written, found, inside)
                    if count is None:
                        single = _Numbers(written, found, inside)
                        count = len(extents.of(single.visit(copy.deepcopy(value))))
                    if count:
                        found[name] = count
    return extents


class _Numbers(ast.NodeTransformer):
    """Puts numbers in the place of calls that give some.

    Args:
        written, ranks, inside: as of ``_given``.
    """

    def __init__(
        self, written: Written, ranks: Mapping[str, int], inside: frozenset[ast.AST]
    ) -> None:
        self.given = written, ranks, inside

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """A number, or another call."""
        if _given(node, *self.given) == 0:
            return ast.copy_location(ast.Constant(0), node)
        self.generic_visit(node)
        return node


def _given(
    value: ast.expr,
    written: Written,
    ranks: Mapping[str, int],
    inside: frozenset[ast.AST],
) -> int | None:
    """How many axes a call of a function of the user gives; None for what is none.

    Args:
        value: perhaps such a call. written: the function that has it.
        ranks: how many axes its arrays have. inside: as of ``returned``.
    """
    if not isinstance(value, ast.Call) or not dotted(value.func):
        return None
    callee = written.outside.callee(dotted(value.func))
    if callee is None or callee.written is None:
        return None
    return returned(callee.written, value, ranks, inside)


def with_read(
    tree: ast.Module,
    known: Mapping[str, str],
    given: Mapping[str, int],
    seen: Callable[[str], Known],
) -> ast.Module:
    """A tree in which calls say of functions that these do nothing but give a number.

    Args:
        tree: the module's. known: what its names mean.
        given: how many axes arguments have, where no text says so.
        seen: what finds functions of the user, for a function by its qualified name.
    """
    changes: dict[ast.AST, Change] = {}
    for one in functions(tree, "", known, known):
        scope = Scope(one.node, one.outer, seen(one.qualname))
        if not scope.callees:
            continue
        ranks = known_ranks(one.node, scope, given)
        for node in own_nodes(one.node):
            if isinstance(node, ast.Call):
                callee = scope.callees.get(dotted(node.func))
                if _is_single(callee, node, ranks):
                    changes[node] = reading
    return module(tree, changes) if changes else tree


def singles(
    stmt: ast.stmt,
    scope: Scope,
    names: Names,
    known: Callable[[ast.Call], Callee | None],
) -> list[ast.stmt]:
    """What gives such numbers names in front of a statement, which gets these.

    Args:
        stmt: the statement. scope: what its function names.
        names: what it names besides, where it was a function's.
        known: the function of the user that a call is of.
    """

    def single(call: ast.Call) -> bool:
        return _is_single(known(call), call, names.ranks)

    if not isinstance(stmt, ast.Assign | ast.AugAssign):
        return []
    if not any(isinstance(x, ast.Call) and single(x) for x in ast.walk(stmt.value)):
        return []
    own = copy.copy(scope)
    own.imports = {**scope.imports, **names.known}
    extents = Extents(own, Ranks(names.ranks), "")
    if not _is_on_arrays(stmt, extents, _Singles(single)):
        return []
    taken = _Singles(single, names.taken.again)
    value = taken.visit(stmt.value)
    assert isinstance(value, ast.expr)
    stmt.value = value
    return taken.lines


class _Singles(ast.NodeTransformer):
    """Puts names in the place of such calls.

    Args:
        is_single: tells of a call whether it is one.
        new: makes a name; without it there are numbers in their place.

    Attributes:
        lines: what gives the names their values, in the order of the expression.
    """

    def __init__(
        self,
        is_single: Callable[[ast.Call], bool],
        new: Callable[[str], str] | None = None,
    ) -> None:
        self.is_single = is_single
        self.new = new
        self.lines: list[ast.stmt] = []

    def visit(self, node: ast.AST) -> ast.AST:
        """An expression, without what is computed in any case."""
        chained = isinstance(node, ast.Compare) and len(node.ops) > 1
        if chained or isinstance(node, LATER):
            return node
        found: ast.AST = super().visit(node)
        return found

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """The name of a number, or another call."""
        if not self.is_single(node):
            self.generic_visit(node)
            return node
        if self.new is None:
            return ast.copy_location(ast.Constant(0), node)
        name = self.new("value")
        self.lines.append(ast.Assign([ast.Name(name, ast.Store())], node))
        return ast.copy_location(ast.Name(name, ast.Load()), node)


def _is_single(callee: Callee | None, call: ast.Call, ranks: Mapping[str, int]) -> bool:
    """Whether a function of the user does nothing but give a number.

    Args:
        callee: the function. call: a call of it. ranks: how many axes arrays have.
    """
    if callee is None or callee.refused or callee.given(call) is None:
        return False
    quiet = not (callee.writes or callee.updates or callee.draws or callee.nothing)
    if not quiet or callee.results:
        return False
    return callee.written is None or returned(callee.written, call, ranks) == 0


def _is_on_arrays(
    stmt: ast.Assign | ast.AugAssign, extents: Extents, singles: _Singles
) -> bool:
    """Whether a statement is one on arrays, whose elements native code computes.

    Args:
        stmt: it. extents: reads the shapes of expressions.
        singles: puts numbers in the place of calls.
    """
    targets = stmt.targets if isinstance(stmt, ast.Assign) else [stmt.target]
    for one in (*targets, stmt.value):
        shown = copy.deepcopy(one)
        for node in ast.walk(shown):
            if hasattr(node, "ctx"):
                node.ctx = ast.Load()
        with suppress(Unlike):
            found = singles.visit(shown)
            if isinstance(found, ast.expr) and extents.of(found):
                return True
    return False
