"""Which variables may be read after a loop nest: liveness, backward over statements."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence

from looptx.model.trees import asks, is_sure
from looptx.source.ast_tools import once, walked
from looptx.source.names.captures import comprehended
from looptx.source.names.enclosing import enclosing
from looptx.source.names.imports import FUNCTIONS, bound_names, own_nodes

Names = frozenset[str]
Runs = Callable[[ast.stmt], bool]
_NONE: Names = frozenset()


def live_after(function: ast.AST, nest: ast.stmt) -> Names:
    """The names that may be read after ``nest`` on some way through the function."""
    flow = _Flow(nest)
    body = getattr(function, "body", [])
    flow.block(body, _NONE)
    return flow.found


def is_caught(function: ast.stmt, stmt: ast.stmt) -> bool:
    """Whether the function itself may go on after an exception in ``stmt``."""

    def catches(node: ast.AST) -> bool:
        if isinstance(node, ast.With | ast.AsyncWith):
            return not all(map(passes_on, node.items))
        return type(node).__name__ in ("Try", "TryStar")

    return any(catches(step.around) for step in enclosing(function, stmt))


def live_after_exception(function: ast.AST, nest: ast.stmt) -> Names:
    """The names that the function may read after an exception in ``nest``."""
    flow = _Flow(nest)
    flow.block(getattr(function, "body", []), _NONE)
    return flow.rescued


def exposed(stmt: ast.stmt, runs: Runs) -> Names:
    """The names a statement may read before it binds them itself.

    ``runs`` says which loops run in any case.
    """
    return _Flow(None, runs).statement(stmt, _NONE)


@once
def reads(node: ast.AST) -> Names:
    """The names an expression or statement reads or deletes.

    The variables of a comprehension or a lambda are its own.
    """
    return frozenset(asks(part) or part.id for part in _reading(node))


@once
def _unsure(node: ast.AST) -> Names:
    """Those of ``reads`` that nothing around them has given a value."""
    return frozenset(part.id for part in _reading(node) if not is_sure(part))


def _reading(node: ast.AST) -> Iterator[ast.Name]:
    own = comprehended(walked(node))
    for part in walked(node):
        named = isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Store)
        if named and part not in own:
            assert isinstance(part, ast.Name)
            yield part


def binds(nodes: Iterable[ast.AST]) -> Names:
    """The names that statements of one scope bind."""
    return _NONE.union(*map(_bound, nodes))


@once
def _bound(node: ast.AST) -> Names:
    return frozenset(bound_names(own_nodes(node, enter=False)))


@once
def _stored(node: ast.AST) -> Names:
    return _used(node, ast.Store)


@once
def _deleted(node: ast.AST) -> Names:
    return _used(node, ast.Del)


def _used(node: ast.AST, how: type[ast.expr_context]) -> Names:
    return frozenset(
        part.id
        for part in walked(node)
        if isinstance(part, ast.Name) and isinstance(part.ctx, how)
    )


class _Flow:
    """The names that are live before each statement, from those live after it.

    ``breaks`` and ``continues`` hold what is live where these statements of the
    enclosing loops go; ``caught`` what handlers of enclosing ``try`` may read. ``runs``
    says which loops run in any case.
    """

    def __init__(self, nest: ast.stmt | None, runs: Runs = lambda _: False) -> None:
        self.nest = nest
        self.runs = runs
        # What asks for values is native: Python goes on behind a nest as it is written.
        self.reads = reads if nest is not None else _unsure
        self.found: Names = _NONE
        self.rescued: Names = _NONE
        self.breaks: list[Names] = []
        self.continues: list[Names] = []
        self.caught: Names = _NONE

    def block(self, body: Sequence[ast.stmt], after: Names) -> Names:
        live = after
        for stmt in reversed(body):
            live = self.statement(stmt, live)
        return live

    def statement(self, stmt: ast.stmt, after: Names) -> Names:
        if stmt is self.nest:
            self.found |= after | self.caught
            self.rescued |= self.caught
        match stmt:
            case ast.For() | ast.AsyncFor():
                return self._loop(stmt, after) | self.reads(stmt.iter)
            case ast.While():
                return self._loop(stmt, after)
            case ast.If(test, body, orelse):
                return (
                    self.reads(test)
                    | self.block(body, after)
                    | self.block(orelse, after)
                )
            case ast.With() | ast.AsyncWith():
                before = self.caught
                if not all(map(passes_on, stmt.items)):
                    self.caught |= after
                inside = self.block(stmt.body, after) | after
                self.caught = before
                return inside | frozenset().union(*map(self.reads, stmt.items))
            case ast.Try():
                return self._try(stmt, after)
            case ast.Return() | ast.Raise():
                return self.reads(stmt) | self.caught
            case ast.Assert() if name := asks(stmt):
                if self.nest is not None:
                    return after | self.reads(stmt) | {name}
                return (after - {name}) | self.reads(stmt)
            case ast.Break():
                return self.breaks[-1] if self.breaks else after
            case ast.Continue():
                return self.continues[-1] if self.continues else after
            case ast.Assign(targets):
                return self._assign(stmt, targets, after)
            case ast.AnnAssign(target=target, value=value):
                return after if value is None else self._assign(stmt, [target], after)
            case ast.AugAssign(target=ast.Name(name)):
                return after | self.reads(stmt.value) | {name}
            case _ if type(stmt).__name__ in ("Match", "TryStar"):
                return self._anything(stmt, after)
            case _ if isinstance(stmt, FUNCTIONS | ast.ClassDef):
                return after | self.reads(stmt)
        return after | self.reads(stmt)

    def _assign(
        self, stmt: ast.stmt, targets: Sequence[ast.expr], after: Names
    ) -> Names:
        return after.difference(*map(_stored, targets)) | self.reads(stmt)

    def _loop(self, stmt: ast.For | ast.AsyncFor | ast.While, after: Names) -> Names:
        bound = _NONE if isinstance(stmt, ast.While) else binds([stmt.target])
        test = self.reads(stmt.test) if isinstance(stmt, ast.While) else _NONE
        end = self.block(stmt.orelse, after) | after
        if isinstance(stmt, ast.While) and _holds(stmt.test):
            # Nothing but a jump ends it.
            end = _NONE
        head = end | test
        while True:
            self.breaks.append(after)
            self.continues.append(head)
            inside = self.block(stmt.body, head) - bound
            self.breaks.pop()
            self.continues.pop()
            if inside <= head:
                return inside if self.runs(stmt) else head
            head |= inside

    def _try(self, stmt: ast.Try, after: Names) -> Names:
        end = self.block(stmt.finalbody, after)
        before = self.caught
        # What no handler takes goes on, behind the `finally`.
        self.caught = self.block(stmt.finalbody, before)
        rescue = [self.block(handler.body, end) for handler in stmt.handlers]
        rescued = self.caught.union(*rescue, *(self.reads(h) for h in stmt.handlers))
        self.caught = rescued
        inside = self.block(stmt.body, self.block(stmt.orelse, end))
        self.caught = before
        return inside | rescued

    def _anything(self, stmt: ast.stmt, after: Names) -> Names:
        """A statement whose inside is not followed: all it reads may be read first."""
        live = after | self.reads(stmt)
        if self.nest is not None and any(node is self.nest for node in walked(stmt)):
            self.found |= live | self.caught
            match = type(stmt).__name__ == "Match"
            self.rescued |= self.caught if match else live | self.caught
        return live


def _holds(test: ast.expr) -> bool:
    """Whether a condition is a constant that is true."""
    return isinstance(test, ast.Constant) and bool(test.value)


def passes_on(item: ast.withitem) -> bool:
    """Whether the manager of a ``with`` is known to let exceptions through."""
    match item.context_expr:
        case ast.Call(ast.Name("open") | ast.Attribute(attr="errstate")):
            return True
    return False


def bound_before(function: ast.stmt, nest: ast.stmt) -> Names:
    """The names definitely assigned where ``nest`` starts, arguments aside."""
    every = binds(getattr(function, "body", []))

    def definite(stmt: ast.stmt) -> Names:
        match stmt:
            case ast.Return() | ast.Raise() | ast.Continue() | ast.Break():
                # What is behind it is not reached.
                return every
            case ast.If(_, body, orelse):
                return block(body) & block(orelse)
            case ast.With() | ast.AsyncWith():
                given = (x.optional_vars for x in stmt.items if x.optional_vars)
                inside = block(stmt.body) if all(map(passes_on, stmt.items)) else _NONE
                return binds(given) | inside
            case ast.Try(body, handlers, orelse, finalbody):
                ways = [block([*body, *orelse]), *(block(x.body) for x in handlers)]
                return every.intersection(*ways) | block(finalbody)
            case ast.For() | ast.AsyncFor() | ast.While() | ast.Delete():
                return _NONE
            case ast.AnnAssign(value=None):
                return _NONE
            case _ if type(stmt).__name__ in ("Match", "TryStar"):
                return _NONE
        return binds([stmt])

    def block(body: Sequence[ast.stmt]) -> Names:
        found = _NONE
        for stmt in body:
            found = (found | definite(stmt)) - _deleted(stmt)
        return found

    known = _NONE
    for step in enclosing(function, nest):
        known -= _deleted(step.around)
        if isinstance(step.around, ast.For):
            known |= binds([step.around.target])
        for stmt in step.before:
            known = (known | definite(stmt)) - _deleted(stmt)
    return known
