"""Calls of functions with statements on arrays, spelled as these statements.

``step(u, dt)`` is the body of ``step``, in a loop of one round where that is more than
one statement: it stands in the place of the call, which runs where native code cannot.
(Inlining, as all compilers do it; nests of functions are scheduled as one: Allen and
Johnson, PLDI '88.)
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NoReturn

from looptx.model.callees.callee import Callee
from looptx.model.naming import Taken
from looptx.model.records import dataclass, field, replace
from looptx.model.trees import dotted
from looptx.source.ast_tools import walked
from looptx.source.callees.recursion.loops import unrolled
from looptx.source.callees.refusals import Refused
from looptx.source.callees.versions import versions
from looptx.source.names.imports import own_nodes
from looptx.source.names.scope import GIVEN, Function, Known, Scope
from looptx.source.spelling.called.arrays import (
    given_to,
    holds_arrays,
    is_flattened,
    updated,
)
from looptx.source.spelling.called.bodies import Body
from looptx.source.spelling.called.effects import writes
from looptx.source.spelling.called.names import Names
from looptx.source.spelling.called.parts import axes, is_bounded, is_cut
from looptx.source.spelling.called.results import giving_arrays, singles
from looptx.source.spelling.called.targets import (
    MOST,
    assigned,
    gives_names,
    is_of_elements,
    names_of,
    some,
    unused,
)
from looptx.source.spelling.called.within import kept
from looptx.source.spelling.edits import Change, always, module
from looptx.source.spelling.inserted import Insertions, parted, placed
from looptx.source.spelling.lists.operations import parents
from looptx.source.spelling.whole.reading.ranks import known_ranks
from looptx.source.text.functions import functions

_SIMPLE = (ast.Assign, ast.AugAssign, ast.Expr, ast.Return)


@dataclass
class Called:
    """What became of the calls of a module.

    Attributes:
        tree: the module's. names: what new names in it mean.
        callees: functions of the user, by such meanings; and why others are none.
        ranks: how many axes arrays have, where what stands for calls hangs on that, by
            the qualified name of the function that calls.
    """

    tree: ast.Module
    names: dict[str, str] = field(default_factory=dict)
    callees: dict[str, Callee] = field(default_factory=dict)
    ranks: dict[str, dict[str, int]] = field(default_factory=dict)


def with_called(
    tree: ast.Module,
    known: Mapping[str, str],
    axes: Mapping[str, int],
    seen: Callable[[str], Known],
) -> Called:
    """A tree with what functions do in the place of their calls.

    Args:
        tree: the module's. known: what its names mean.
        axes: how many arguments have, where no text says so.
        seen: what finds functions of the user, for a function by its qualified name.
    """
    found = Called(tree)
    changes: dict[ast.AST, Change] = {}
    for one in functions(tree, "", known, known):
        scope = Scope(one.node, one.outer, seen(one.qualname))
        if scope.callees and not (scope.wild or scope.hides("range")):
            calls = _Calls(one.node, scope, axes)
            calls.names.taken.update(found.names)
            changes.update(calls.changes())
            found.names |= calls.names.known
            found.callees |= calls.names.callees
            found.ranks.setdefault(one.qualname, {}).update(calls.ranks)
    found.tree = module(tree, changes)
    return found


class _Calls:
    """Respells the calls of one function."""

    def __init__(
        self, function: Function, scope: Scope, known: Mapping[str, int]
    ) -> None:
        self.function = function
        self.scope = scope
        bound, ranks = frozenset(scope.bindings), known_ranks(function, scope, known)
        self.names = Names(scope.imports, bound, Taken(scope.identifiers), {**ranks})
        self.given = known
        self.ranks: dict[str, int] = {}
        self._running: list[ast.AST] = []
        self._made: set[str] = set()

    def changes(self) -> Iterator[tuple[ast.AST, Change]]:
        """What the statements with such calls become."""
        own = own_nodes(self.function)
        loops = (x for x in own if isinstance(x, ast.For | ast.While))
        looped = {x for loop in loops for x in own_nodes(loop, enter=False)}
        yield from giving_arrays(own, self.scope, self.names.ranks)
        positions = kept(own, self.scope)
        inserted = Insertions(parents(own))
        for stmt in own:
            calls = [x for x in walked(stmt) if isinstance(x, ast.Call)]
            if not isinstance(stmt, _SIMPLE) or not any(map(self._known, calls)):
                continue
            self.names.kept = positions.get(stmt, frozenset())
            self._made.clear()
            try:
                lines = self._lines(copy.deepcopy(stmt))
            except Refused:
                continue
            # What a function makes there is seen behind it: NumPy makes that.
            fits = stmt in looped or isinstance(stmt, ast.Expr)
            if lines is None or not (fits or len(lines) == 1):
                continue
            self.ranks.update(self._asked(stmt))
            if self._made and isinstance(stmt, ast.Assign) and gives_names(stmt):
                # The array is seen in what follows.
                inserted.before(stmt, *parted(lines, stmt))
                yield stmt, always(ast.copy_location(ast.Pass(), stmt))
            else:
                yield stmt, always(placed(lines, stmt, self.names.taken.again("once")))
        yield from inserted.changes()

    def _asked(self, stmt: ast.stmt) -> Iterator[tuple[str, int]]:
        """How many axes arrays in a statement have; of others it is the least."""
        for node in walked(stmt):
            match node:
                case ast.Name(name) if name in self.given:
                    yield name, self.given[name]
                case ast.Subscript(ast.Name(name)) if axes(node, self.names.ranks):
                    yield name, self.names.ranks[name]

    def _known(self, call: ast.Call) -> Callee | None:
        """The function of the user that a call is of."""
        name = dotted(call.func)
        return self.names.callees.get(f".{name}") or self.scope.callees.get(name)

    def _callee(self, node: ast.AST) -> Callee | None:
        """The function of which a call is that has to be written in its place."""
        if not isinstance(node, ast.Call) or not dotted(node.func):
            return None
        callee = self._known(node)
        if callee is None or callee.written is None:
            return None
        return callee if self._is_of_arrays(callee, node) else None

    def _is_of_arrays(self, callee: Callee, call: ast.Call) -> bool:
        """Whether a function computes with arrays as a whole, or parts of some.

        Args:
            callee: the function. call: a call of it.
        """
        written = callee.written
        if written is None or is_flattened(written):
            return written is not None
        if any(axes(one, self.names.ranks) for one in updated(written, call)):
            return True
        if holds_arrays(written):
            return callee.refused != "" or callee.given(call) is None
        values = [value for _, value in given_to(written, call)]
        if callee.refused:
            # What it names of arrays may be one, too.
            return any(axes(value, self.names.ranks) for value in values)
        if any(map(self._is_cut, values)) or any(map(is_bounded, values)):
            return True
        given = callee.given(call)
        return given is not None and any(
            axes(value, self.names.ranks)
            for name, value in given.items()
            if name not in callee.arrays
        )

    def _is_cut(self, value: ast.expr) -> bool:
        """Whether an argument is, or is the name of, a slice that data may bound."""
        if not isinstance(value, ast.Name):
            return is_cut(value)
        bound = [one.value for one in self.scope.bindings.get(value.id, ())]
        bound.append(self.names.values.get(value.id))
        return any(is_cut(one) for one in bound if one is not None)

    def _lines(self, stmt: ast.stmt) -> list[ast.stmt] | None:
        """The statements that one becomes; None where there is no such call.

        Args:
            stmt: the statement, as nothing else has it.

        Raises:
            Refused: a function cannot stand there.
        """
        before: list[ast.stmt] = []
        match stmt:
            case ast.Expr(ast.Call() as call) if self._callee(call):
                return self._instead(call, unused(self.names.taken.again))
            case ast.Assign(targets, ast.Call() as call) if self._callee(call):
                return self._instead(
                    call,
                    lambda value: self._to(targets, some(value, call)),
                    targets,
                )
            case ast.Return(ast.Call() as call) if self._callee(call):
                return self._instead(call, lambda value: [ast.Return(value)])
            case ast.AugAssign(target) if not isinstance(target, ast.Name):
                calls = [x for x in ast.walk(stmt.value) if self._callee(x)]
                stmt.value = self._apart(stmt.value, before)
                if writes(before, self._full):
                    self._refuse(calls, "writes what may be read before")
            case ast.Assign() | ast.AugAssign() | ast.Expr():
                stmt.value = self._apart(stmt.value, before)
            case ast.Return(ast.expr() as value):
                stmt.value = self._apart(value, before)
        before += singles(stmt, self.scope, self.names, self._known)
        return [*before, stmt] if before else None

    def _full(self, node: ast.expr) -> str:
        """The full name of what is called, in the statements of functions, too."""
        base, _, rest = dotted(node).partition(".")
        known = self.names.known.get(base)
        if known is None:
            return self.scope.resolve(node)
        return f"{known}.{rest}" if rest else known

    def _refuse(self, calls: Sequence[ast.AST], reason: str) -> NoReturn:
        """Leave calls where they are.

        Args:
            calls: of functions of the user. reason: what such a function does.

        Raises:
            Refused: always.
        """
        for call in calls:
            callee = self._callee(call)
            assert callee is not None and isinstance(call, ast.Call)
            error = Refused(call, reason)
            self._tell(call, callee, error)
        raise error

    def _apart(self, node: ast.expr, before: list[ast.stmt]) -> ast.expr:
        """An expression without such calls.

        Args:
            node: it. before: gets what has to run in front of its statement.
        """
        if not any(map(self._callee, ast.walk(node))):
            return node
        if self._callee(node) is not None:
            assert isinstance(node, ast.Call)
            name = self.names.taken.again("value")
            own: list[ast.expr] = [ast.Name(name, ast.Store())]
            lines = self._instead(
                node, lambda value: self._to(own, some(value, node)), own
            )
            before += lines
            match lines[-1]:
                case ast.Assign([ast.Name(last)], ast.Name(known)) if last == name:
                    # It has a name that nothing else gets.
                    del before[-1]
                    return ast.Name(known, ast.Load())
            return ast.Name(name, ast.Load())
        match node:
            case ast.BinOp(left, _, right) | ast.Compare(left, [_], [right]):
                parts = self._in_order([left, right], before)
                node.left = parts[0]
                if isinstance(node, ast.BinOp):
                    node.right = parts[1]
                else:
                    node.comparators = [parts[1]]
            case ast.UnaryOp(operand=operand):
                node.operand = self._apart(operand, before)
            case ast.Tuple(elts):
                node.elts = self._in_order(elts, before)
            case ast.Attribute(value):
                node.value = self._apart(value, before)
            case ast.Call(ast.Attribute() as method, [], []) if not dotted(method):
                node.func = self._apart(method, before)
            case ast.Call(function, args, []) if dotted(function):
                node.args = self._in_order(args, before)
        return node

    def _in_order(
        self, parts: Sequence[ast.expr], before: list[ast.stmt]
    ) -> list[ast.expr]:
        """Expressions that are evaluated one after the other, without such calls.

        Args:
            parts: they. before: as of ``_apart``.
        """
        found: list[ast.expr] = []
        for at, part in enumerate(parts):
            own = self._apart(part, before)
            later = (x for one in parts[at + 1 :] for x in ast.walk(one))
            if any(map(self._callee, later)) and not isinstance(
                own, ast.Name | ast.Constant
            ):
                name = self.names.taken.again("value")
                before.append(ast.Assign([ast.Name(name, ast.Store())], own))
                own = ast.Name(name, ast.Load())
            found.append(own)
        return found

    def _instead(
        self,
        call: ast.Call,
        target: Callable[[ast.expr | None], Sequence[ast.stmt]],
        targets: Sequence[ast.expr] = (),
    ) -> list[ast.stmt]:
        """What a call does, with that of calls in it.

        Args:
            call: the call. target: what becomes of its value.
            targets: what that is assigned to.

        Raises:
            Refused: it cannot be in its place.
        """
        callee = self._callee(call)
        assert callee is not None and callee.written is not None
        before: list[ast.stmt] = []
        values = [*call.args, *(one.value for one in call.keywords)]
        values = self._in_order(values, before)
        call.args = values[: len(call.args)]
        for one, value in zip(call.keywords, values[len(call.args) :], strict=True):
            one.value = value
        node = callee.written.node
        try:
            if node in self._running:
                raise Refused(call, "calls itself")
            named = {getattr(x, "name", "") for x in self._running}
            own = callee.written if node.name in named else unrolled(callee.written)
            self._running.append(node)
            try:
                body = Body(versions(own), self.names)
                body.targets = names_of(targets, self.scope.shared)
                body.copied = bool(targets) and all(map(is_of_elements, targets))
                body.made = self._made
                lines = body.statements(call, target)
                return [*before, *self._inside(lines)]
            finally:
                self._running.pop()
        except Refused as error:
            self._tell(call, callee, error)
            raise

    def _to(self, targets: Sequence[ast.expr], value: ast.expr) -> list[ast.stmt]:
        """What assigns the value of a function."""
        return assigned(targets, value, self._made, self.names.bound)

    def _inside(self, lines: Iterable[ast.stmt]) -> list[ast.stmt]:
        """Statements of a function, with those of the functions that it calls."""
        found: list[ast.stmt] = []
        for stmt in lines:
            for name in ("body", "orelse"):
                if isinstance(getattr(stmt, name, None), list):
                    setattr(stmt, name, self._inside(getattr(stmt, name)))
            own = self._lines(stmt) if isinstance(stmt, _SIMPLE) else None
            found += [stmt] if own is None else own
        if len(found) > MOST:
            raise Refused(found[0], "has too many statements")
        return found

    def _tell(self, call: ast.Call, callee: Callee, error: Refused) -> None:
        """Keep why a function stays where it is."""
        full = self.scope.resolve(call.func) or f"{GIVEN}{dotted(call.func)}"
        if callee.refused and dotted(call.func) in self.scope.callees:
            self.names.callees[full] = replace(callee, refused=error.reason, where="")
