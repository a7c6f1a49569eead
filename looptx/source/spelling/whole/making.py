"""Arrays that loops make, spelled as arrays made in front of them and filled in them.

``d = np.zeros(n)`` in a loop is ``d[:] = 0`` there, and ``d = np.zeros(n)`` in front of
it: an array of one round of a loop may lie where that of the one before did, as long as
nothing else than elements of it is seen. What makes it for a native nest is an
expression of what the loop does not change; the loops as written make their own.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Mapping, Sequence

from looptx.model.records import dataclass, replace
from looptx.model.trees import dotted
from looptx.source.ast_tools import LOOPS, blocks, is_loop, walked
from looptx.source.names.imports import bound_names, own_nodes
from looptx.source.names.scope import Function, Scope
from looptx.source.spelling.edits import (
    Change,
    Changes,
    Filled,
    making,
    spelling,
)
from looptx.source.spelling.inserted import Insertions, together
from looptx.source.spelling.whole.filling import Filling, New
from looptx.source.spelling.whole.maker import Known
from looptx.source.spelling.whole.reading.axes import Unlike
from looptx.source.spelling.whole.reading.singles import TakenOut
from looptx.source.spelling.whole.turns.handed import handed
from looptx.source.spelling.whole.uses import Uses


@spelling(is_loop)
def with_made(function: Function, scope: Scope, axes: Mapping[str, int]) -> Changes:
    """Loops fill arrays that are made in front of them.

    Args:
        function: it. scope: its names.
        axes: how many arguments have, where no text says so.
    """
    return Making(function, scope, axes).changes()


@dataclass(frozen=True)
class Place:
    """Where a statement stands in a loop.

    Attributes:
        stmt: the statement. name: what it gives an array to. value: the array.
        rest: what follows it in its block.
        loops: those around it, the outermost first.
    """

    stmt: ast.Assign
    name: str
    value: ast.expr
    rest: Sequence[ast.stmt]
    loops: Sequence[ast.stmt]


class Replaced(ast.NodeTransformer):
    """Puts expressions in the place of names."""

    def __init__(self, known: Mapping[str, ast.expr]) -> None:
        self.known = known

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """The expression that a name stands for, or the name."""
        return self.known.get(node.id, node)


class Making:
    """Respells the arrays that loops of one function make."""

    def __init__(
        self, function: Function, scope: Scope, axes: Mapping[str, int]
    ) -> None:
        self.function = function
        self.scope = scope
        self.uses = Uses(function, scope)
        known = Known.of(function, scope, axes)
        self.ranks = known.ranks
        self.numpy = known.numpy
        self.taken = known.taken
        self.filling = Filling(scope, known)
        # Where a loop begins, an array that it hands on is the one of the source.
        self.handed: dict[str, ast.expr] = {
            own: ast.Name(name, ast.Load()) for own, name in handed(function).items()
        }
        self.calls: dict[ast.stmt, dict[str, ast.expr]] = {}
        # Python has no type for these where the loops begin.
        self.untyped: set[str] = set()

    def changes(self) -> Iterator[tuple[ast.AST, Change]]:
        """What the statements become, and what stands in front of loops."""
        if self.scope.wild or self.scope.hides("range"):
            return
        inserted = Insertions(self.uses.outside)
        for place in self.places():
            try:
                made, new, before = self._made(place)
            except Unlike:
                continue
            given = place.name, new, before, place.value, self.numpy
            inserted.before(before, assigned(*given))
            # A row or an element of it may be taken further down.
            self.ranks[place.name] = max(1, len(new.shape))
            known = self.calls.setdefault(place.loops[0], {**self.handed})
            known[place.name] = made_of = self._outer(place, new.call)
            self.untyped |= {place.name} if new.own else set()
            ready = "" if new.own else ast.unparse(self._unheard(made_of))
            text = making(made, Filled(place.name, ready, new.shape, new.element))
            yield place.stmt, lambda _, text=text: text  # type: ignore[misc]
        yield from inserted.changes()

    def places(self) -> Iterator[Place]:
        """The statements in loops that may make arrays, in their order.

        A name may be one array in each of several nests, where it is seen in no others.
        """
        found: dict[str, list[Place]] = {}
        places = [*self._assignments()]
        for place in places:
            found.setdefault(place.name, []).append(place)
        for place in places:
            alike = found[place.name]
            outermost = {one.loops[0] for one in alike}
            inside = {x for loop in outermost for x in walked(loop)}
            bindings = [
                one
                for one in self.scope.bindings.get(place.name, ())
                if one.kind != "swap"
            ]
            apart = len(bindings) == len(alike) == len(outermost)
            if apart and inside.issuperset(self.uses.named(place.name)):
                yield place

    def _assignments(self) -> Iterator[Place]:
        """The statements in loops that give a name a value, in their order."""
        own = set(own_nodes(self.function))
        for stmt in (
            x for x in self.uses.nodes if x in own and isinstance(x, ast.Assign)
        ):
            if not isinstance(stmt.targets[0], ast.Name) or len(stmt.targets) > 1:
                continue
            name, value = stmt.targets[0].id, stmt.value
            loops: list[ast.stmt] = []
            node: ast.AST = stmt
            while node is not self.function:
                node = self.uses.outside[node]
                if isinstance(node, LOOPS):
                    loops.append(node)
            if not loops or name in self.scope.shared:
                continue
            owner = self.uses.outside[stmt]
            block = next((x for x in blocks(owner) if stmt in x), [])
            rest = block[block.index(stmt) + 1 :] if stmt in block else []
            yield Place(stmt, name, value, rest, loops[::-1])

    def _made(self, place: Place) -> tuple[ast.stmt, New, ast.stmt]:
        """What a statement becomes, its array, and in front of which loop that is made.

        Raises:
            Unlike: it has to stay.
        """
        taken = TakenOut(self.scope, self.taken.again, self.filling.extents.called)
        value = taken.number(copy.deepcopy(place.value))
        numbers = {dotted(one.targets[0]): one.value for one in taken.lines}
        self.filling.extents.numbers = self._numbers(place.loops[0]) | numbers
        new = self.told(self.filling.new(value), place)
        axes = len(new.shape)
        rest = {x for one in place.rest for x in walked(one)}
        uses = {x for x in self.uses.named(place.name) if x in rest}
        named = {*walked(place.loops[0])}.intersection(self.uses.named(place.name))
        if not uses or named - uses != {place.stmt.targets[0]}:
            raise Unlike
        if self.ranks.get(place.name, 1) > max(1, axes):
            raise Unlike
        if not all(map(self.uses.is_seen, uses)):
            raise Unlike
        # It may be laid out as its operands are, which says how it is summed.
        layout = new.laid_out or axes < 2
        if not layout and not all(map(self.uses.is_of_elements, uses)):
            raise Unlike
        if _computes(new.call) and not self.numpy:
            raise Unlike
        new = self._typed(new, place)
        before = self._in_front(place, new.call)
        if new.fill is None:
            return ast.copy_location(ast.Pass(), place.stmt), new, before
        made, _ = self.filling.statement(
            place.name, new, place.stmt, place.stmt.targets[0]
        )
        if taken.lines:
            made = together(taken.lines, made, self.taken.again("once"))
        return made, new, before

    def _typed(self, new: New, place: Place) -> New:
        """An array that a nest makes whose type follows from what its loops compute.

        Args:
            new: the array. place: where it is made.
        """
        tree = ast.parse(new.element or "0", mode="eval")
        names = {x.id for x in ast.walk(tree) if isinstance(x, ast.Name)}
        given = {*bound_names(own_nodes(place.loops[0])), *self.filling.extents.numbers}
        bound = (names & given - self.ranks.keys()) | (names & self.untyped)
        if not bound or new.laid_out:
            return new
        text = "".join(f"{one}, " for one in new.shape)
        call = ast.parse(f"{self.numpy}.empty(({text}))", mode="eval").body
        assert isinstance(call, ast.Call)
        return replace(new, call=call, own=True)

    def told(self, new: New, place: Place) -> New:
        """An array with what its size is made of in the place of names for that.

        Args:
            new: the array. place: where it is made.
        """
        known: dict[str, ast.expr] = {}
        node: ast.stmt = place.stmt
        while node is not place.loops[0]:
            owner = self.uses.outside[node]
            block = next((x for x in blocks(owner) if node in x), [])
            before = block[: block.index(node)] if node in block else []
            for name, value in (x for one in before for x in _given(one)):
                single = len(self.scope.bindings.get(name, ())) == 1
                if single and name not in self.scope.shared and self._is_size(value):
                    known.setdefault(name, value)
            assert isinstance(owner, ast.stmt)
            node = owner
        call, texts = new.call, [ast.parse(x, mode="eval").body for x in new.shape]
        parts = (x for one in (call, *texts) for x in ast.walk(one))
        arrays = {dotted(x.value) for x in parts if isinstance(x, ast.Attribute)}
        known = {name: value for name, value in known.items() if name not in arrays}
        if not known:
            return new
        for _ in known:
            call, *texts = (
                Replaced(known).visit(copy.deepcopy(x)) for x in (call, *texts)
            )
        return replace(new, call=call, shape=(*map(ast.unparse, texts),))

    def _is_size(self, value: ast.expr) -> bool:
        """Whether an expression is made of sizes and integers, and cannot raise."""
        match value:
            case ast.Name(name):
                return name not in self.ranks
            case ast.Constant(int()):
                return True
            case ast.Subscript(ast.Attribute(ast.Name(), "shape"), ast.Constant(int())):
                return True
            case ast.BinOp(left, ast.Add() | ast.Sub() | ast.Mult(), right):
                return self._is_size(left) and self._is_size(right)
            case ast.BinOp(left, ast.FloorDiv(), ast.Constant(int(by))):
                return by > 0 and self._is_size(left)
            case ast.Call(function, [of], []):
                sized = self.scope.resolve(function) == "builtins.len"
                return sized and isinstance(of, ast.Name)
            case ast.Call(function, [_, _] as args, []):
                either = self.scope.resolve(function)
                one = either in ("builtins.min", "builtins.max")
                return one and all(map(self._is_size, args))
        return False

    def _numbers(self, loop: ast.stmt) -> dict[str, ast.expr]:
        """The names that get numbers in a loop, and there alone, and these."""
        return {
            name: value
            for node in walked(loop)
            for name, value in _given(node)
            if len(self.scope.bindings.get(name, ())) == 1
        }

    def _in_front(self, place: Place, call: ast.Call) -> ast.stmt:
        """The outermost loop in which what an array is made of keeps its value."""
        outer = self._outer(place, call)
        used = {x.id for x in ast.walk(outer) if isinstance(x, ast.Name)}
        for loop in place.loops:
            if used.isdisjoint(bound_names(own_nodes(loop))):
                return loop
        raise Unlike

    def _outer(self, place: Place, call: ast.Call) -> ast.expr:
        """What makes an array, with what makes others in the place of their names."""
        known = self.calls.get(place.loops[0], self.handed)
        return Replaced(known).visit(copy.deepcopy(call))  # type: ignore[no-any-return]

    def _unheard(self, call: ast.expr) -> ast.expr:
        """What makes an array, without warnings: its loop may not come to it."""
        if not _computes(call):
            return call
        names = {x.id for x in ast.walk(call) if isinstance(x, ast.Name)}
        given = ", ".join(f"{name}={name}" for name in sorted(names))
        text = f"{self.numpy}.errstate(all='ignore')(lambda {given}: 0)()"
        made = ast.parse(text, mode="eval").body
        for node in ast.walk(made):
            if isinstance(node, ast.Lambda):
                node.body = call
        return made


def _given(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """The name that a statement gives a value."""
    match node:
        case ast.Assign([ast.Name(name)], value):
            yield name, value


def _computes(call: ast.expr) -> bool:
    """Whether what makes an array computes with numbers, of which NumPy may warn."""
    return any(isinstance(x, ast.BinOp) for x in ast.walk(call))


def assigned(
    name: str, new: New, before: ast.stmt, value: ast.expr, numpy: str
) -> ast.stmt:
    """The statement that makes an array in front of a loop.

    Args:
        name: of the array. new: it. before: the loop.
        value: what makes it in the source, where its memory is from.
        numpy: the name of NumPy.
    """
    target = ast.copy_location(ast.Name(name, ast.Store()), before)
    made: ast.expr = copy.deepcopy(new.call)
    if not new.laid_out:
        # What Python computes in its place may have been repeated to another shape.
        made = unknown(made, numpy)
    for part in ast.walk(made):
        if isinstance(part, ast.expr):
            ast.copy_location(part, value)
    return ast.copy_location(ast.Assign([target], made), before)


def unknown(array: ast.expr, numpy: str) -> ast.expr:
    """An array in memory of its own, of which nothing is known.

    Args:
        array: what it is made of. numpy: the name of NumPy.
    """
    function = ast.Attribute(ast.Name(numpy, ast.Load()), "tile", ast.Load())
    return ast.Call(function, [array, ast.Constant(1)], [])
