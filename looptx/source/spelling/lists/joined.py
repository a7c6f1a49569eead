"""Loops that share lists which they fill and empty, as one nest.

Such a list is an array in all of them, or in none: behind ``queue = []``, a loop that
appends to it and one that takes from it are the body of a loop of one round, which
makes the list.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Sequence
from itertools import chain

from looptx.model.naming import Taken
from looptx.model.records import dataclass
from looptx.source.ast_tools import follows, walked
from looptx.source.names.imports import own_nodes
from looptx.source.names.scope import Function, Scope
from looptx.source.spelling.edits import Change, Changes, reaching, spelling
from looptx.source.spelling.inserted import together
from looptx.source.spelling.lists.operations import (
    METHODS,
    Operation,
    display,
    operation,
    parents,
    uses,
)

_LOOPS = ast.For | ast.While
_LEAVING = (ast.Return, ast.Raise, ast.Yield, ast.YieldFrom, ast.Await)


def _takes(node: ast.AST) -> bool:
    """Whether a node is what a list has, and arrays have not."""
    return isinstance(node, ast.Attribute) and node.attr in METHODS


@dataclass(frozen=True)
class _Span:
    """Statements that become one.

    Attributes:
        first, last: their numbers. made: those of what makes their lists.
    """

    first: int
    last: int
    made: tuple[int, ...]

    def joined(self, other: _Span) -> _Span:
        """Those of this and another one, which do not begin before."""
        made = (*self.made, *other.made)
        return _Span(self.first, max(self.last, other.last), made)


@spelling(_takes)
def with_joined(function: Function, scope: Scope) -> Changes:
    """Such loops are one."""
    if scope.wild:
        return
    found = [*_Joined(scope).spans()]
    if found:
        taken = Taken(scope.identifiers)
        names = [taken.again("once") for _ in found]
        yield function, _together(found, names)


class _Joined:
    """Finds such loops among the statements of a function.

    Args:
        scope: of the function.
    """

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.body = scope.function.body
        self.around = parents(own_nodes(scope.function))

    def spans(self) -> Iterator[_Span]:
        """What becomes one, in order."""
        found: list[_Span] = []
        for one in sorted(self._spans(), key=lambda one: one.first):
            if found and one.first <= found[-1].last:
                found[-1] = found[-1].joined(one)
            else:
                found.append(one)
        return (one for one in found if self._is_plain(one))

    def _spans(self) -> Iterator[_Span]:
        """The same for each list alone."""
        for at, stmt in enumerate(self.body):
            shown = display(stmt, self.scope)
            name = shown[0] if shown is not None else ""
            if shown is None or shown[1] or name in self.scope.shared:
                continue
            if len(self.scope.bindings.get(name, ())) > 1:
                continue
            used = [x for x in range(at + 1, len(self.body)) if self._uses(x, name)]
            loops = [x for x in used if isinstance(self.body[x], _LOOPS)]
            fits = len(loops) > 1 and used[0] == loops[0]
            ways = [self._ways(x, name) for x in loops]
            known = all(one is not None for one in chain(*ways))
            keep = all(one is None or one.keeps for one in chain(*ways))
            if fits and known and not keep:
                yield _Span(loops[0], loops[-1], (at,))

    def _uses(self, at: int, name: str) -> bool:
        """Whether a statement uses a list.

        Args:
            at: its number. name: of the list.
        """
        return any(uses(walked(self.body[at]), name))

    def _ways(self, at: int, name: str) -> list[Operation | None]:
        """What a loop does with a list; None for what native code does not.

        Args:
            at: the loop. name: of the list.
        """
        found = uses(walked(self.body[at]), name)
        return [operation(use, self.scope, self.around) for use in found]

    def _is_plain(self, span: _Span) -> bool:
        """Whether statements may be one: loops, and numbers that they begin with."""
        for stmt in self.body[span.first : span.last + 1]:
            parts = walked(stmt)
            simple = isinstance(stmt, ast.Assign | ast.AugAssign)
            if any(isinstance(x, _LEAVING) for x in parts):
                return False
            if simple and any(isinstance(x, ast.Call) for x in parts):
                return False
            if not (simple or isinstance(stmt, _LOOPS)) or follows(stmt):
                return False
        return True


def _together(spans: Sequence[_Span], names: Sequence[str]) -> Change:
    """The change to a function some statements of which become one.

    Args:
        spans: these. names: of the variables of their loops.
    """

    def change(node: ast.AST) -> ast.AST:
        assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        body = [*node.body]
        for span, name in reversed([*zip(spans, names, strict=True)]):
            first, *others = body[span.first : span.last + 1]
            made = [copy.deepcopy(body[at]) for at in span.made]
            loop = together(made, first, name)
            assert isinstance(loop, ast.For)
            loop.body += others
            body[span.first : span.last + 1] = [reaching(loop, others[-1].lineno)]
            for at in span.made:
                # The function makes the list that loops as they are written fill.
                body[at] = ast.copy_location(ast.Pass(), body[at])
        new = copy.copy(node)
        new.body = body
        return new

    return change
