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
from dataclasses import dataclass, field

from looptx.model.functions import FILLED, Kind, lookup, lookup_method
from looptx.model.functions import Function as Row
from looptx.model.trees import dotted
from looptx.source.ast_tools import blocks, children, walked
from looptx.source.names.arrays import SIZES
from looptx.source.names.imports import arguments, bound_names, own_nodes
from looptx.source.names.scope import Function, Scope
from looptx.source.spelling.axes import Unlike
from looptx.source.spelling.edits import Change, making, respelt
from looptx.source.spelling.elements import Statement
from looptx.source.spelling.extents import Extents
from looptx.source.spelling.ranks import ranks

_LOOPS = (ast.For, ast.While)
_NUMBERS = (ast.BinOp, ast.UnaryOp, ast.Compare)


def with_made(
    tree: ast.Module, known: Mapping[str, str], axes: Mapping[str, int]
) -> ast.Module:
    """A tree whose loops fill arrays that are made in front of them.

    Args:
        tree: the module's. known: what its names mean.
        axes: how many arguments have, where no text says so.
    """

    def changes(function: Function, scope: Scope) -> Iterator[tuple[ast.AST, Change]]:
        if not scope.wild and not scope.hides("range"):
            yield from _Function(function, scope, axes).changes()

    return respelt(tree, known, lambda node: isinstance(node, _LOOPS), changes)


@dataclass(frozen=True)
class _Place:
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


@dataclass
class _Inserted:
    """What is put into the blocks of a statement.

    Attributes:
        stmts: by what they are put in front of.
    """

    stmts: dict[ast.stmt, list[ast.stmt]] = field(default_factory=dict)

    def into(self, old: ast.AST) -> Change:
        """The change to the statement that has the blocks.

        Args:
            old: it, before any change.
        """

        def change(node: ast.AST) -> ast.AST:
            new = copy.copy(node)
            for name, body in ast.iter_fields(old):
                if isinstance(body, list) and any(x in self.stmts for x in body):
                    now = getattr(node, name)
                    pairs = zip(body, now, strict=True)
                    block = [y for x, z in pairs for y in (*self.stmts.get(x, ()), z)]
                    setattr(new, name, block)
            return new

        return change


class _Replaced(ast.NodeTransformer):
    """Puts expressions in the place of names."""

    def __init__(self, known: Mapping[str, ast.expr]) -> None:
        self.known = known

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """The expression that a name stands for, or the name."""
        return self.known.get(node.id, node)


class _Function:
    """Respells the arrays that loops of one function make."""

    def __init__(
        self, function: Function, scope: Scope, axes: Mapping[str, int]
    ) -> None:
        self.function = function
        self.scope = scope
        self.nodes = walked(function)
        self.outside = {x: node for node in self.nodes for x in children(node)}
        self.ranks = ranks(function, scope)
        for one in arguments(function):
            if one.arg in axes:
                known = self.ranks.get(one.arg, 0)
                self.ranks[one.arg] = max(known, axes[one.arg])
        imports = scope.imports.items()
        self.numpy = next((x for x, full in imports if full == "numpy"), "")
        self.calls: dict[ast.stmt, dict[str, ast.expr]] = {}

    def changes(self) -> Iterator[tuple[ast.AST, Change]]:
        """What the statements become, and what stands in front of loops."""
        inserted: dict[ast.AST, _Inserted] = {}
        for place in self._places():
            try:
                made, call, before = self._made(place)
            except Unlike:
                continue
            owner = self.outside[before]
            stmts = inserted.setdefault(owner, _Inserted()).stmts
            stmts.setdefault(before, []).append(_assigned(place, call, before))
            # A row or an element of it may be taken further down.
            self.ranks[place.name] = max(1, self._rank(place))
            known = self.calls.setdefault(place.loops[0], {})
            known[place.name] = made_of = self._outer(place, call)
            ready = self._unheard(made_of)
            text = making(made, place.name, ready)
            yield place.stmt, lambda _, text=text: text  # type: ignore[misc]
        for owner, one in inserted.items():
            yield owner, one.into(owner)

    def _places(self) -> Iterator[_Place]:
        """The statements in loops that may make arrays, in their order.

        A name may be one array in each of several nests, where it is seen in no others.
        """
        found: dict[str, list[_Place]] = {}
        places = [*self._assignments()]
        for place in places:
            found.setdefault(place.name, []).append(place)
        for place in places:
            alike = found[place.name]
            outermost = {one.loops[0] for one in alike}
            inside = {x for loop in outermost for x in walked(loop)}
            bindings = self.scope.bindings.get(place.name, ())
            apart = len(bindings) == len(alike) == len(outermost)
            if apart and inside.issuperset(self._named(place.name)):
                yield place

    def _named(self, name: str) -> Iterator[ast.Name]:
        """Where a name stands."""
        return (x for x in self.nodes if isinstance(x, ast.Name) and x.id == name)

    def _assignments(self) -> Iterator[_Place]:
        """The statements in loops that give a name a value, in their order."""
        own = set(own_nodes(self.function))
        for stmt in (x for x in self.nodes if x in own and isinstance(x, ast.Assign)):
            if not isinstance(stmt.targets[0], ast.Name) or len(stmt.targets) > 1:
                continue
            name, value = stmt.targets[0].id, stmt.value
            loops: list[ast.stmt] = []
            node: ast.AST = stmt
            while node is not self.function:
                node = self.outside[node]
                if isinstance(node, _LOOPS):
                    loops.append(node)
            if not loops or name in self.scope.shared:
                continue
            owner = self.outside[stmt]
            block = next((x for x in blocks(owner) if stmt in x), [])
            rest = block[block.index(stmt) + 1 :] if stmt in block else []
            yield _Place(stmt, name, value, rest, loops[::-1])

    def _made(self, place: _Place) -> tuple[ast.stmt, ast.Call, ast.stmt]:
        """What a statement becomes, what makes its array, and in front of which loop.

        Raises:
            Unlike: it has to stay.
        """
        fill, call = self._filled(place)
        rest = {x for one in place.rest for x in walked(one)}
        uses = {x for x in self._named(place.name) if x in rest}
        named = {*walked(place.loops[0])}.intersection(self._named(place.name))
        if not uses or named - uses != {place.stmt.targets[0]}:
            raise Unlike
        if self.ranks.get(place.name, 1) > max(1, self._rank(place, call)):
            raise Unlike
        if not all(map(self._is_seen, uses)):
            raise Unlike
        # It may be laid out as its operands are, which says how it is summed.
        layout = self._is_laid_out(place.value) or self._rank(place, call) < 2
        if not layout and not all(map(self._is_of_elements, uses)):
            raise Unlike
        if _computes(call) and not self.numpy:
            raise Unlike
        before = self._in_front(place, call)
        return self._written(place, fill, call), call, before

    def _written(
        self, place: _Place, fill: ast.expr | None, call: ast.Call
    ) -> ast.stmt:
        """The loops that fill an array.

        Args:
            place: where it is made. fill: with what, if with anything.
            call: what makes it.
        """
        if fill is None:
            return ast.copy_location(ast.Pass(), place.stmt)
        axes = self._rank(place, call)
        known = {**self.ranks, place.name: axes}
        whole: ast.expr = ast.Slice()
        if axes > 1:
            whole = ast.Tuple([ast.Slice() for _ in range(axes)], ast.Load())
        array = ast.Name(place.name, ast.Load())
        target = ast.Subscript(array, whole, ast.Store())
        for part in ast.walk(target):
            if isinstance(part, ast.expr | ast.Slice):
                ast.copy_location(part, place.stmt.targets[0])
        stmt = ast.copy_location(ast.Assign([target], fill), place.stmt)
        number = (
            fill if isinstance(place.value, ast.Call) and self._says(call) else None
        )
        return Statement(self.scope, known, stmt, target, number).loops()

    def _is_laid_out(self, value: ast.expr) -> bool:
        """Whether an array lies in memory as what makes it in front of the loops."""
        if not isinstance(value, ast.Call):
            return False
        full = self.scope.resolve(value.func)
        return lookup(full).fill is not None or not full

    def _says(self, call: ast.Call) -> bool:
        """Whether what makes an array says what fills it."""
        return bool(self._row(call).fill)

    def _rank(self, place: _Place, call: ast.Call | None = None) -> int:
        """How many axes the array of a statement has."""
        if call is None:
            _, call = self._filled(place)
        shape = _argument(call, 0, "shape")
        like = call.args[0] if call.args and self._row(call).like else None
        if isinstance(call.func, ast.Attribute) and call.func.attr == "copy":
            like = call.func.value
        if like is not None:
            return len(Extents(self.scope, self.ranks, self.numpy).of(like))
        if isinstance(shape, ast.Tuple):
            return len(shape.elts)
        if isinstance(shape, ast.Attribute) and shape.attr == "shape":
            rank = self.ranks.get(dotted(shape.value), 0)
            if not rank:
                raise Unlike
            return rank
        return 1

    def _row(self, call: ast.Call) -> Row:
        return lookup(self.scope.resolve(call.func))

    def _filled(self, place: _Place) -> tuple[ast.expr | None, ast.Call]:
        """What the cells of an array are at first, and what makes one like it.

        Raises:
            Unlike: the value is no new array, as far as its text says.
        """
        value = place.value
        if isinstance(value, ast.Call):
            row = self._row(value)
            if row.fill is not None:
                return self._number(value, row), value
            match value:
                case ast.Call(ast.Attribute(of, "copy"), [], []):
                    if not self.scope.resolve(value.func):
                        return of, self._like(of) if self.numpy else value
                case ast.Call(_, [of], []) if row.name == "numpy.copy":
                    return of, self._like(of)
        if not isinstance(value, ast.BinOp | ast.UnaryOp | ast.Call):
            # A part of an array, or another name of it: no memory of its own.
            raise Unlike
        return value, self._like(value)

    def _number(self, call: ast.Call, row: Row) -> ast.expr | None:
        """What ``np.zeros`` and the like fill an array with."""
        if {one.arg for one in call.keywords} - {"dtype", "shape", FILLED}:
            raise Unlike
        fill = row.fill or ""
        if fill == FILLED:
            found = _argument(call, 1, FILLED)
            if found is None:
                raise Unlike
            return found
        return ast.copy_location(ast.Constant(int(fill)), call) if fill else None

    def _like(self, value: ast.expr) -> ast.Call:
        """What makes an array of the shape and type of what is computed of others."""
        found = Extents(self.scope, self.ranks, self.numpy).call(value)
        made = ast.parse(found, mode="eval").body
        for part in ast.walk(made):
            if isinstance(part, ast.expr):
                ast.copy_location(part, value)
        assert isinstance(made, ast.Call)
        return made

    def _in_front(self, place: _Place, call: ast.Call) -> ast.stmt:
        """The outermost loop in which what an array is made of keeps its value."""
        outer = self._outer(place, call)
        used = {x.id for x in ast.walk(outer) if isinstance(x, ast.Name)}
        for loop in place.loops:
            if used.isdisjoint(bound_names(own_nodes(loop))):
                return loop
        raise Unlike

    def _outer(self, place: _Place, call: ast.Call) -> ast.expr:
        """What makes an array, with what makes others in the place of their names."""
        known = self.calls.get(place.loops[0], {})
        return _Replaced(known).visit(copy.deepcopy(call))  # type: ignore[no-any-return]

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

    def _is_of_elements(self, use: ast.Name) -> bool:
        """Whether a name stands where the order of the elements does not matter."""
        node: ast.AST = self.outside[use]
        if isinstance(node, ast.Subscript):
            return node.value is use
        while isinstance(node, _NUMBERS):
            node = self.outside[node]
        return isinstance(node, ast.Assign | ast.AugAssign)

    def _is_seen(self, use: ast.Name) -> bool:
        """Whether a name stands where nothing but elements of an array is seen."""
        outer = self.outside[use]
        match outer:
            case ast.Subscript(value) if value is use:
                return True
            case ast.Attribute(attr=attr, ctx=ast.Load()):
                called = self.outside[outer]
                if isinstance(called, ast.Call) and called.func is outer:
                    return lookup_method(attr).kind is Kind.REDUCTION
                return attr in SIZES
            case ast.Call(function) if function is not use:
                full = self.scope.resolve(function)
                known = (Kind.REDUCTION, Kind.ELEMENTWISE)
                number = lookup(full).kind in known and lookup(full).fresh
                return full == "builtins.len" or number or not full
            case ast.Assign([ast.Subscript()]) | ast.AugAssign(ast.Subscript()):
                return bool(outer.value is use)
        return isinstance(outer, _NUMBERS)


def _computes(call: ast.expr) -> bool:
    """Whether what makes an array computes with numbers, of which NumPy may warn."""
    return any(isinstance(x, ast.BinOp) for x in ast.walk(call))


def _argument(call: ast.Call, at: int, name: str) -> ast.expr | None:
    """An argument of a call by its place or name."""
    if len(call.args) > at:
        return call.args[at]
    return next((one.value for one in call.keywords if one.arg == name), None)


def _assigned(place: _Place, call: ast.Call, before: ast.stmt) -> ast.stmt:
    """The statement that makes an array in front of a loop.

    Args:
        place: of the statement that makes it in the source, where its memory is from.
        call: what makes it. before: the loop.
    """
    target = ast.copy_location(ast.Name(place.name, ast.Store()), before)
    value = copy.deepcopy(call)
    for part in ast.walk(value):
        if isinstance(part, ast.expr):
            ast.copy_location(part, place.value)
    return ast.copy_location(ast.Assign([target], value), before)
