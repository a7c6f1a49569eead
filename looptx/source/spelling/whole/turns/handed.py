"""Arrays that a loop makes anew in each round and hands on to the next one.

``x = new`` at the end of a round, of an array that the round made, gives the next round
something to read. Nobody has the array of the round before any more, so that its memory
can be that of the next one: two arrays take turns, ``x, new = new, x``. The first of
them is a copy of what ``x`` is in front of the loop, which others may see. (Double
buffering; two uses of one array: Lefebvre and Feautrier, Parallel Computing '98.)
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TypeGuard

from looptx.model.functions import Kind, lookup, lookup_method
from looptx.model.naming import HELD, again, free
from looptx.model.records import dataclass
from looptx.source.ast_tools import LOOPS, blocks, walked
from looptx.source.names.imports import bound_names, own_nodes
from looptx.source.names.scope import Function, Scope
from looptx.source.spelling.edits import Change, Changes, always, spelling
from looptx.source.spelling.inserted import Insertions
from looptx.source.spelling.whole.filling import Filling
from looptx.source.spelling.whole.maker import Known
from looptx.source.spelling.whole.reading.axes import Unlike
from looptx.source.spelling.whole.turns.webs import named_apart, originals
from looptx.source.spelling.whole.uses import Uses

_NUMBERS = (ast.Constant, ast.BinOp, ast.UnaryOp)

_COPY = "{x}.copy() if {x}.__class__ is {numpy}.ndarray else {x}"
"""What a nest is given for an array that it hands on; it takes nothing else."""


@dataclass(frozen=True)
class _Handed:
    """An array that is handed on.

    Attributes:
        name: what rounds read. new: what each makes. stmt: which hands that on.
    """

    name: str
    new: str
    stmt: ast.Assign


@dataclass(frozen=True)
class Note:
    """What is known of an array that a function hands on.

    Attributes:
        name: what the source calls it. ran: what says whether it was handed on.
        copied: what a nest is given for it.
    """

    name: str
    ran: str
    copied: str


def handed(function: ast.AST) -> dict[str, str]:
    """What the source calls the arrays that a function hands on, by name in nests."""
    return {own: note.name for own, note in _notes(function).items()}


def copies(function: ast.AST, root: ast.stmt) -> dict[str, str]:
    """What a nest is given for the arrays that a function hands on, by name.

    A loop inside of that which hands them on has the one of the round.

    Args:
        function: it. root: the nest.
    """
    found: dict[str, str] = {}
    bound = {*bound_names(own_nodes(root, enter=False))}
    for own, note in _notes(function).items():
        found[own] = f"({own} := {note.copied})" if own in bound else note.name
        found[note.ran] = "False"
    return found


def last(function: ast.AST, left: Sequence[str]) -> Iterator[str]:
    """What gives the function the arrays that a nest has handed on.

    Args:
        function: it. left: the names that the nest leaves.
    """
    for own, note in _notes(function).items():
        if note.ran in left:
            yield f"if {note.ran}: {note.name} = {own}"


def _notes(function: ast.AST) -> Mapping[str, Note]:
    """What is known of the arrays that a function hands on, by name in nests."""
    found = vars(function).get("handed", {})
    assert isinstance(found, dict)
    return found


def _hands(node: ast.AST) -> list[tuple[str, str]]:
    """The names that a statement may give to arrays of other names."""
    match node:
        case ast.Assign([ast.Name(name)], ast.Name(new)):
            return [(name, new)]
        case ast.Assign([ast.Tuple(names)], ast.Tuple(values)):
            pairs = [
                (one.id, two.id)
                for one, two in zip(names, values, strict=False)
                if isinstance(one, ast.Name) and isinstance(two, ast.Name)
            ]
            both = {name for pair in pairs for name in pair}
            whole = len(pairs) == len(names) == len(values)
            return pairs if whole and len(both) == 2 * len(pairs) else []
    return []


@spelling(_hands)
def with_handed(function: Function, scope: Scope, axes: Mapping[str, int]) -> Changes:
    """Two arrays take turns where loops hand on what they make.

    Args:
        function: it. scope: its names.
        axes: how many arguments have, where no text says so.
    """
    return _Function(function, scope, axes).changes()


class _Function:
    """Respells what loops of one function hand on."""

    def __init__(
        self, function: Function, scope: Scope, axes: Mapping[str, int]
    ) -> None:
        self.function = function
        self.scope = scope
        self.own = own_nodes(function)
        self.uses = Uses(function, scope)
        self.known = Known.of(function, scope, axes)
        self.filling = Filling(scope, self.known)

    def changes(self) -> Iterator[tuple[ast.AST, Change]]:
        """What the loops become, and what stands around them."""
        if self.scope.wild or not self.known.numpy:
            return
        notes: dict[str, Note] = {}
        inserted = Insertions(self.uses.outside)
        for loop, stmt, found in self._all():
            for one in found:
                own = again(one.name, self.known.taken)
                ran = free(f"{HELD}{one.name}_handed", self.known.taken)
                self.known.taken.update((own, ran))
                name = originals(self.function).get(one.name, one.name)
                copied = _COPY.format(x=name, numpy=self.known.numpy)
                notes[own] = Note(name, ran, copied)
                yield from self._renamed(loop, one, own)
                for place, before, behind in self._around(loop, one, own, ran):
                    until = next(x for x in walked(stmt) if _is_name(x, one.name))
                    inserted.before(place, *(at(text, place, until) for text in before))
                    inserted.behind(place, *(at(text, place, until) for text in behind))
            yield stmt, always(ast.copy_location(ast.Pass(), stmt))
        yield from inserted.changes({self.function: noting(notes)} if notes else {})

    def _all(self) -> Iterator[tuple[ast.stmt, ast.stmt, Sequence[_Handed]]]:
        """The statements that hand arrays on, with the outermost loop around each."""
        for loop in self.uses.outermost():
            for block in self._blocks(loop):
                for stmt in block:
                    found = [self._handed(loop, block, stmt, x) for x in _hands(stmt)]
                    sure = [one for one in found if one is not None]
                    if sure and len(sure) == len(found):
                        yield loop, stmt, sure

    def _blocks(self, loop: ast.stmt) -> Iterator[list[ast.stmt]]:
        """The blocks in a loop, of it and of the loops inside."""
        for node in walked(loop):
            if isinstance(node, LOOPS):
                yield from blocks(node)

    def _handed(
        self,
        loop: ast.stmt,
        block: Sequence[ast.stmt],
        stmt: ast.stmt,
        names: tuple[str, str],
    ) -> _Handed | None:
        """What a statement hands on, if it does.

        Args:
            loop: the outermost loop around it. block: where it stands.
            stmt: it. names: the one that it gives to the array of the other one.
        """
        name, new = names
        if {name, new} & self.scope.shared or not isinstance(stmt, ast.Assign):
            return None
        at = block.index(stmt)
        made = [x for x in block[:at] if self._makes(x, new)]
        given = self.scope.bindings.get(new, ())
        if len(made) != 1 or len(given) != 1:
            return None
        axes = self._axes(made[0])
        inside = {x for one in block[block.index(made[0]) :] for x in walked(one)}
        behind = {x for one in block[at + 1 :] for x in walked(one)}
        for use in self.uses.named(new):
            if use not in inside or use in behind:
                return None
        parts = {*walked(loop)}
        for use in self.uses.named(name):
            if use in parts and not self._is_fit(use, stmt, axes):
                return None
        begins = (one for one in self.scope.bindings.get(name, ()) if one.kind != "arg")
        own = all(x.value in walked(stmt) or x.value not in parts for x in begins)
        alone = all(self._leaves_alone(x, name, behind) for x in parts)
        return _Handed(name, new, stmt) if axes and own and alone else None

    def _leaves_alone(
        self, node: ast.AST, name: str, behind: Collection[ast.AST]
    ) -> bool:
        """Whether a part of a loop surely writes no array that somebody else has.

        What the loop begins with may have other names, and is read through a copy.

        Args:
            node: the part. name: of the array. behind: what runs once that is new.
        """
        match node:
            case ast.Call(function, _, keywords):
                full = self.scope.resolve(function)
                if not full and isinstance(function, ast.Attribute):
                    row = lookup_method(function.attr)
                    return row.kind is Kind.REDUCTION or function.attr == "copy"
                plain = full.startswith(("builtins.", "math.")) or lookup(full).fresh
                return plain and all(one.arg != "out" for one in keywords)
            case ast.Subscript(of, _, ast.Store() | ast.Del()):
                while isinstance(of, ast.Subscript):
                    of = of.value
                if not isinstance(of, ast.Name):
                    return False
                return (of.id == name and of in behind) or self._is_own(of.id)
            case ast.Attribute(ctx=ast.Store() | ast.Del()):
                return False
            case ast.AugAssign(ast.Name(changed)):
                bindings = self.scope.bindings.get(changed, ())
                return all(isinstance(one.value, _NUMBERS) for one in bindings)
        return True

    def _is_own(self, name: str) -> bool:
        """Whether a name is given to nothing but new arrays, and these to no other."""
        bindings = self.scope.bindings.get(name, ())
        alone = all(self.uses.is_seen(x) or self._is_given(x) for x in self._read(name))
        return bool(bindings) and alone and all(self._is_new(x.value) for x in bindings)

    def _read(self, name: str) -> Iterator[ast.Name]:
        """Where a name is read."""
        return (x for x in self.uses.named(name) if isinstance(x.ctx, ast.Load))

    def _is_given(self, use: ast.Name) -> bool:
        """Whether a statement that may hand arrays on reads a name, or a ``return``."""
        node: ast.AST = self.uses.outside[use]
        while isinstance(node, ast.Tuple):
            node = self.uses.outside[node]
        return isinstance(node, ast.Return) or bool(_hands(node))

    def _is_new(self, value: ast.expr | None) -> bool:
        """Whether a value is an array in memory of its own."""
        if value is None:
            return False
        with suppress(Unlike):
            self.filling.new(value)
            return True
        return False

    def _is_fit(self, use: ast.Name, stmt: ast.stmt, axes: int) -> bool:
        """Whether nothing but elements is seen where a name stands.

        Args:
            use: the name. stmt: which hands it on. axes: how many it has.
        """
        if not isinstance(use.ctx, ast.Load):
            return use in walked(stmt)
        # The copy may lie in another way, which says how it is summed.
        plain = axes == 1 or self.uses.is_of_elements(use)
        return self.uses.is_size(use) or (plain and self.uses.is_seen(use))

    def _makes(self, stmt: ast.stmt, name: str) -> bool:
        """Whether a statement makes an array of a name."""
        match stmt:
            case ast.Assign([ast.Name(own)]) if own == name:
                return bool(self._axes(stmt))
        return False

    def _axes(self, stmt: ast.stmt) -> int:
        """How many axes the array has that a statement makes; 0 where it makes none."""
        assert isinstance(stmt, ast.Assign)
        with suppress(Unlike):
            new = self.filling.new(stmt.value)
            axes = len(new.shape)
            # What is computed of others may lie as they do, and others may see that.
            return axes if new.laid_out or axes == 1 else 0
        return 0

    def _renamed(
        self, loop: ast.stmt, one: _Handed, own: str
    ) -> Iterator[tuple[ast.AST, Change]]:
        """An array in a loop under a name of its own.

        Args:
            loop: it. one: the array. own: the name.
        """
        inside = {*walked(loop)} - {*walked(one.stmt)}
        for use in self.uses.named(one.name):
            if use in inside:
                yield use, always(ast.copy_location(ast.Name(own, use.ctx), use))

    def _around(
        self, loop: ast.stmt, one: _Handed, own: str, ran: str
    ) -> Iterator[tuple[ast.stmt, Sequence[str], Sequence[str]]]:
        """What stands around statements, in front of each and behind it.

        Args:
            loop: the outermost one. one: the array. own: its name in there.
            ran: what says whether it was handed on.
        """
        # The copy is memory of its own.
        copied = f"{own} = {self.known.numpy}.tile({one.name}, 1)"
        behind = f"if {ran}: {one.name} = {own}"
        yield loop, (copied, f"{ran} = False"), (behind,)
        turns = f"{ran} = True", f"{own}, {one.new} = {one.new}, {own}"
        yield one.stmt, turns, ()


def noting(notes: Mapping[str, Note]) -> Change:
    """The change to a function that hands arrays on: these, by name in nests."""

    def change(node: ast.AST) -> ast.AST:
        vars(node)["handed"] = {**_notes(node), **notes}
        names = {own: note.name for own, note in notes.items()}
        return named_apart(node, names)

    return change


def _is_name(node: ast.AST, name: str) -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name) and node.id == name


def at(text: str, place: ast.stmt, until: ast.expr) -> ast.stmt:
    """A statement in the place of another one.

    Args:
        text: it. place: the other one.
        until: where it ends: what it makes is at a place of its own, and so is told
            from what others make there.
    """
    (stmt,) = ast.parse(text).body
    for node in ast.walk(stmt):
        if isinstance(node, ast.stmt | ast.expr):
            ast.copy_location(node, place)
            node.end_lineno, node.end_col_offset = (
                until.end_lineno,
                until.end_col_offset,
            )
    return stmt
