"""Arrays that loops make in their first round, of what it computes by then.

``if j == 0: y = np.zeros(n, np.asarray(x).dtype)`` makes an array that all rounds fill,
and that the function has behind the loop: the nest makes it where it begins, of the
type of ``x``, and gives it to the function. Loops without rounds run as written.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress

from looptx.model.naming import again
from looptx.model.records import dataclass
from looptx.source.ast_tools import walked
from looptx.source.names.imports import bound_names, own_nodes
from looptx.source.names.must_execute import jumps
from looptx.source.names.scope import Function, Scope
from looptx.source.spelling.edits import (
    Change,
    Changes,
    Filled,
    Given,
    always,
    giving,
    making,
    needing,
    spelling,
)
from looptx.source.spelling.inserted import Insertions
from looptx.source.spelling.whole.filling import Filling, New
from looptx.source.spelling.whole.maker import Known
from looptx.source.spelling.whole.making import Replaced, assigned, unknown
from looptx.source.spelling.whole.reading.axes import Unlike
from looptx.source.spelling.whole.turns.webs import originals
from looptx.source.spelling.whole.uses import Uses


def _named(node: ast.AST) -> ast.Assign | None:
    """What a condition may guard that is there to make an array."""
    match node:
        case ast.If(
            ast.Compare() | ast.BoolOp(), [ast.Assign([ast.Name()]) as one], []
        ):
            return one if isinstance(one.value, ast.Call) else None
    return None


@spelling(_named)
def with_begun(function: Function, scope: Scope, axes: Mapping[str, int]) -> Changes:
    """Nests have made such arrays where they begin.

    Args:
        function: it. scope: its names.
        axes: how many arguments have, where no text says so.
    """
    return _Function(function, scope, axes).changes()


@dataclass(frozen=True)
class _First:
    """An array that the first round makes.

    Attributes:
        loops: those around, the outermost first. stmt: what makes it.
        new: the array. laid: the arrays whose layout it has.
    """

    loops: Sequence[ast.For]
    stmt: ast.Assign
    new: New
    laid: tuple[str, ...]


class _Function:
    """Respells what loops of one function begin with."""

    def __init__(
        self, function: Function, scope: Scope, axes: Mapping[str, int]
    ) -> None:
        self.function = function
        self.scope = scope
        self.uses = Uses(function, scope)
        self.known = Known.of(function, scope, axes)
        self.filling = Filling(scope, self.known)

    def changes(self) -> Iterator[tuple[ast.AST, Change]]:
        """What becomes of the loops, and of what stands around them."""
        if self.scope.wild or self.scope.hides("range") or not self.known.numpy:
            return
        inserted = Insertions(self.uses.outside)
        for loop in self.uses.outermost():
            found = [*self._begun(loop)]
            if len(found) != 1:
                continue
            (one,) = found
            with suppress(Unlike):
                yield from self._made(one, inserted)
        yield from inserted.changes()

    def _made(
        self, one: _First, inserted: Insertions
    ) -> Iterator[tuple[ast.AST, Change]]:
        """The changes for an array.

        Args:
            one: it. inserted: gets what stands around the loop.

        Raises:
            Unlike: native code does not fill it as NumPy does.
        """
        loop, target = one.loops[0], one.stmt.targets[0]
        assert isinstance(target, ast.Name)
        name, numpy = target.id, self.known.numpy
        own = again(name, self.known.taken)
        # What counts is an integer of Python.
        counters = {_counter(x): ast.Constant(1) for x in one.loops}
        element = Replaced(counters).visit(ast.parse(one.new.element, mode="eval"))
        filled = Filled(own, "", one.new.shape, ast.unparse(element), one.laid)
        made: ast.stmt = ast.copy_location(ast.Pass(), one.stmt)
        if one.new.fill is not None:
            made, _ = self.filling.statement(own, one.new, one.stmt, target)
        self.known.taken.add(own)
        given = Given(own, originals(self.function).get(name, name))
        rounds = [_rounds(x) for x in one.loops]
        yield loop, lambda node: giving(needing(node, rounds), given)
        yield one.stmt, always(making(made, filled))
        inside = {*walked(loop)}
        for use in self.uses.named(name):
            if use in inside and use is not target:
                yield use, always(ast.copy_location(ast.Name(own, use.ctx), use))
        inserted.before(loop, assigned(own, one.new, loop, one.stmt.value, numpy))
        array = ast.copy_location(ast.Name(own, ast.Load()), one.stmt.value)
        last = ast.Assign([ast.Name(name, ast.Store())], unknown(array, numpy))
        inserted.behind(loop, ast.fix_missing_locations(ast.copy_location(last, loop)))

    def _begun(self, loop: ast.stmt) -> Iterator[_First]:
        """The arrays that the first round of an outermost loop makes.

        Args:
            loop: it.
        """
        loops: list[ast.For] = []
        inner = loop
        while isinstance(inner, ast.For) and self._is_counted(inner):
            loops.append(inner)
            body = inner.body
            for at, stmt in enumerate(body):
                one = _named(stmt)
                if one is None or any(jumps(body[:at])):
                    continue
                assert isinstance(stmt, ast.If)
                if _is_first(stmt.test, loops):
                    new = self._new(one, loops, body[at + 1 :])
                    if new is not None:
                        yield _First((*loops,), one, new, self._laid(one, new))
            nested = [x for x in body if isinstance(x, ast.For)]
            if len(nested) != 1 or any(jumps(body[: body.index(nested[0])])):
                return
            inner = nested[0]

    def _is_counted(self, loop: ast.For) -> bool:
        """Whether a loop counts from 0, and nothing else gives its variable a value."""
        match loop:
            case ast.For(ast.Name(name), ast.Call(_, [_] | [ast.Constant(0), _])):
                ranged = self.scope.is_range_loop(loop) and self.scope.is_range(
                    loop.iter
                )
                bindings = self.scope.bindings.get(name, ())
                alone = all(x.kind == "range" for x in bindings)
                inside = bound_names(x for one in loop.body for x in own_nodes(one))
                return ranged and alone and name not in {*inside, *self.scope.shared}
        return False

    def _new(
        self, stmt: ast.Assign, loops: Sequence[ast.For], rest: Sequence[ast.stmt]
    ) -> New | None:
        """What a statement makes, if its name is that of one array, known by its loops.

        Args:
            stmt: it. loops: those around. rest: what follows in all rounds.
        """
        target = stmt.targets[0]
        assert isinstance(target, ast.Name)
        name = target.id
        if name in self.scope.shared or len(self.scope.bindings.get(name, ())) != 1:
            return None
        inside, later = {*walked(loops[0])}, {x for one in rest for x in walked(one)}
        uses = [x for x in self.uses.named(name) if x in inside and x is not target]
        if not all(x in later and self.uses.is_seen(x) for x in uses):
            return None
        early = (x for x in self.uses.named(name) if x not in inside)
        if any(x.lineno < loops[0].lineno for x in early):
            return None
        with suppress(Unlike):
            new = self.filling.new(stmt.value)
            bound = {*bound_names(own_nodes(loops[0]))}
            texts = (*new.shape, *map(ast.unparse, map(_rounds, loops)))
            if new.element and bound.isdisjoint(_names(texts)):
                return new
        return None

    def _laid(self, stmt: ast.Assign, new: New) -> tuple[str, ...]:
        """The array whose layout another one has that is made like it.

        Args:
            stmt: what makes it. new: the array.
        """
        match stmt.value:
            case ast.Call(_, [ast.Name(like), *_]) if len(new.shape) > 1:
                return (like,) if like in self.known.ranks else ()
        return ()


def _is_first(test: ast.expr, loops: Sequence[ast.For]) -> bool:
    """Whether a condition says that all loops are in their first round.

    Args:
        test: the condition. loops: they.
    """
    parts = test.values if isinstance(test, ast.BoolOp) else [test]
    if isinstance(test, ast.BoolOp) and not isinstance(test.op, ast.And):
        return False
    found = set()
    for part in parts:
        match part:
            case ast.Compare(ast.Name(name), [ast.Eq()], [ast.Constant(0)]):
                found.add(name)
            case _:
                return False
    return found == {*map(_counter, loops)}


def _counter(loop: ast.For) -> str:
    """The variable of a loop."""
    assert isinstance(loop.target, ast.Name)
    return loop.target.id


def _rounds(loop: ast.For) -> ast.expr:
    """The condition under which a loop that counts from 0 has rounds."""
    assert isinstance(loop.iter, ast.Call)
    made = ast.Compare(loop.iter.args[-1], [ast.Gt()], [ast.Constant(0)])
    return ast.fix_missing_locations(ast.copy_location(made, loop.iter))


def _names(texts: Collection[str]) -> set[str]:
    """The names in texts of expressions."""
    trees = (ast.parse(text, mode="eval") for text in texts)
    return {x.id for tree in trees for x in ast.walk(tree) if isinstance(x, ast.Name)}
