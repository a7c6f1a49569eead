"""Lists that a loop makes anew in each round, and may hand on to the next one.

``row = [0] * n`` in a loop fills a list that is made in front of it, as long as nothing
but elements of it are seen. Behind ``last = row`` the next round has what this one
made, and nobody has the list of the round before: two take turns (see ``handed``).
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping, Sequence

from looptx.model.functions import lookup
from looptx.model.naming import COUNTED, Taken
from looptx.model.noted.exchanges import exchanged
from looptx.model.records import dataclass
from looptx.model.trees import brackets, dotted
from looptx.source.ast_tools import blocks, is_loop, walked
from looptx.source.names.imports import bound_names, own_nodes
from looptx.source.names.scope import Function, Scope
from looptx.source.spelling.edits import (
    Change,
    Changes,
    Filled,
    always,
    making,
    spelling,
)
from looptx.source.spelling.inserted import Insertions, placed
from looptx.source.spelling.lists.fresh import Fresh, fresh
from looptx.source.spelling.whole.turns.handed import Note, at, noting
from looptx.source.spelling.whole.uses import Uses

_THROUGH = ("len", "enumerate", "reversed", "zip")
"""The builtins that see nothing but elements."""

_COPIES = ("[*{x}]", "[[*row] for row in {x}]")
"""What copies a list, by how deep it is."""


@dataclass(frozen=True)
class _Made:
    """A list that a loop makes.

    Attributes:
        name: its name. stmt: what makes it. new: the list. loop: the outermost one.
        rest: what follows the statement in its block.
    """

    name: str
    stmt: ast.Assign
    new: Fresh
    loop: ast.stmt
    rest: Sequence[ast.stmt]


@dataclass(frozen=True)
class _Handed:
    """What is handed on.

    Attributes:
        name: what the next round has. stmt: which hands it on.
    """

    name: str
    stmt: ast.Assign


@spelling(is_loop)
def with_rounds(function: Function, scope: Scope, arrays: Collection[str]) -> Changes:
    """Loops fill lists that are made in front of them.

    Args:
        function: it. scope: its names.
        arrays: the arguments that are arrays.
    """
    return _Function(function, scope, arrays).changes()


class _Function:
    """Respells the lists that loops of one function make.

    Args:
        function: it. scope: its names. arrays: as of ``with_rounds``.
    """

    def __init__(
        self, function: Function, scope: Scope, arrays: Collection[str]
    ) -> None:
        self.function = function
        self.scope = scope
        self.arrays = arrays
        self.uses = Uses(function, scope)
        self.taken = Taken(scope.identifiers)
        self.numpy = "numpy" in scope.imports.values()

    def changes(self) -> Iterator[tuple[ast.AST, Change]]:
        """What the statements become, and what stands around loops."""
        if self.scope.wild or any(map(self.scope.hides, (*COUNTED, *_THROUGH))):
            return
        inserted = Insertions(self.uses.outside)
        notes: dict[str, Note] = {}
        for made in self._all():
            found = [*self._handings(made)]
            if len(found) > 1 or not self._is_apart(made, found):
                continue
            own, renamed = "", dict[str, str]()
            for one in found:
                own = self.taken.again(one.name)
                renamed = {one.name: own}
                yield from self._hand_on(made, one, own, inserted, notes)
            lines = self._fill(made, renamed)
            filled = Filled(made.name, made.new.text, (*made.new.sizes,), "")
            yield made.stmt, always(making(lines, filled))
            text = f"{made.name} = {made.new.text}"
            self._before(inserted, made.loop, made.stmt.targets[0], text)
        yield from inserted.changes({self.function: noting(notes)} if notes else {})

    def _all(self) -> Iterator[_Made]:
        """The lists that loops make and of which they see nothing but elements."""
        for loop in self.uses.outermost():
            for owner in own_nodes(loop):
                for block in blocks(owner):
                    for number, stmt in enumerate(block):
                        made = self._made(loop, stmt, block[number + 1 :])
                        if made is not None:
                            yield made

    def _made(
        self, loop: ast.stmt, stmt: ast.stmt, rest: Sequence[ast.stmt]
    ) -> _Made | None:
        """The list that a statement makes, if it does.

        Args:
            loop: the outermost one around it. stmt: it. rest: what follows it.
        """
        match stmt:
            case ast.Assign([ast.Name(name)], value) if name not in self.scope.shared:
                new = fresh(value, self.scope, self._is_list)
                if new is not None:
                    return _Made(name, stmt, new, loop, rest)
        return None

    def _handings(self, made: _Made) -> Iterator[_Handed]:
        """The statements that hand a list on.

        Args:
            made: the list.
        """
        for stmt in made.rest:
            match stmt:
                case ast.Assign([ast.Name(name)], ast.Name(new)) if new == made.name:
                    yield _Handed(name, stmt)
                case ast.Assign() if made.name in (pair := exchanged(stmt)):
                    (name,) = {*pair} - {made.name}
                    yield _Handed(name, stmt)

    def _is_apart(self, made: _Made, found: Sequence[_Handed]) -> bool:
        """Whether a list may be made in front of its loop.

        Args:
            made: the list. found: what hands it on: one statement, or none.
        """
        bound = {*bound_names(own_nodes(made.loop))}
        sizes = [ast.parse(x, mode="eval") for x in made.new.sizes]
        parts = [x for one in sizes for x in walked(one)]
        named = {x.id for x in parts if isinstance(x, ast.Name)}
        # What is in an object, or in an array, the loop may change.
        if any(isinstance(x, ast.Attribute | ast.Subscript) for x in parts):
            return False
        if named & bound - {one.name for one in found}:
            return False
        handing = {x for one in found for x in walked(one.stmt)}
        inside = {x for one in made.rest for x in walked(one)}
        bindings = self.scope.bindings.get(made.name, ())
        swaps = sum(x in handing and _is_stored(x) for x in self._named(made.name))
        if len(bindings) != 1 + swaps:
            return False
        late = self._behind(made, found)
        for use in self._named(made.name):
            if use in handing or use is made.stmt.targets[0]:
                continue
            if use not in inside or use in late or not self._is_element(use):
                return False
        return all(self._goes_on(made, one, late) for one in found)

    def _goes_on(self, made: _Made, one: _Handed, late: Collection[ast.AST]) -> bool:
        """Whether two lists may take turns.

        Args:
            made: the one. one: what hands it on. late: what runs behind that.
        """
        if one.name in self.scope.shared or one.name == made.name:
            return False
        own, handing = {*walked(made.loop)}, {*walked(one.stmt)}
        copied = {*walked(made.stmt.value)} if made.new.of == one.name else set()
        uses = [x for x in self._named(one.name) if x in own - handing - copied]
        stored = [x for x in uses if _is_stored(x)]
        if stored or not all(map(self._is_element, uses)):
            return False
        return self._guards(made, one, late) is not None

    def _guards(
        self, made: _Made, one: _Handed, late: Collection[ast.AST]
    ) -> list[str] | None:
        """That what a loop begins with is no other list that it stores into.

        Args:
            made, one, late: as of ``_goes_on``.
        """
        bound, found = {*bound_names(own_nodes(made.loop))}, []
        new = {x.name for x in self._all() if self._is_single(x.name)} | {made.name}
        for node in walked(made.loop):
            if isinstance(node, ast.Call):
                full = self.scope.resolve(node.func)
                if (
                    not full.startswith(("builtins.", "math."))
                    and not lookup(full).pure
                ):
                    return None
            if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
                return None
            if not isinstance(node, ast.Subscript) or isinstance(node.ctx, ast.Load):
                continue
            base, places = brackets(node)
            name = dotted(base)
            if name in new or (name == one.name and node in late):
                continue
            if not name or name in {one.name, *bound} or made.new.inner:
                return None
            test = f"{one.name} is not {name}"
            deep = f"not any({one.name} is row for row in {name})"
            found.append(test if len(places) == 1 else deep)
        return [*dict.fromkeys(found)]

    def _behind(self, made: _Made, found: Sequence[_Handed]) -> set[ast.AST]:
        """What runs behind the statement that hands a list on.

        Args:
            made: the list. found: the statement, if there is one.
        """
        numbers = [made.rest.index(one.stmt) for one in found]
        return {x for at in numbers for y in made.rest[at + 1 :] for x in walked(y)}

    def _hand_on(
        self,
        made: _Made,
        one: _Handed,
        own: str,
        inserted: Insertions,
        notes: dict[str, Note],
    ) -> Iterator[tuple[ast.AST, Change]]:
        """What becomes of what is handed on.

        Args:
            made: the list. one: what hands it on. own: the name of the other list.
            inserted: gets what stands around the loop. notes: gets what is known.
        """
        ran = self.taken.new(f"{one.name}_handed")
        guards = self._guards(made, one, self._behind(made, (one,)))
        assert guards is not None
        tests = " and ".join((f"{one.name}.__class__ is [].__class__", *guards))
        copied = _COPIES[made.new.inner is not None].format(x=one.name)
        notes[own] = Note(one.name, ran, f"{copied} if {tests} else {one.name}")
        until = one.stmt.targets[0]
        copied = f"{own} = {one.name} + []"
        self._before(inserted, made.loop, until, copied, f"{ran} = False")
        behind = f"if {ran}: {one.name} = {own}"
        inserted.behind(made.loop, at(behind, made.loop, until))
        turns = f"{ran} = True", f"{own}, {made.name} = {made.name}, {own}"
        self._before(inserted, one.stmt, until, *turns)
        yield one.stmt, always(ast.copy_location(ast.Pass(), one.stmt))
        inside = {*walked(made.loop)} - {*walked(one.stmt)} - {*walked(made.stmt)}
        for use in self._named(one.name):
            if use in inside:
                yield use, always(ast.copy_location(ast.Name(own, use.ctx), use))

    def _before(
        self,
        inserted: Insertions,
        place: ast.stmt,
        until: ast.expr,
        *texts: str,
    ) -> None:
        """Put statements in front of one.

        Args:
            inserted: gets them. place: the statement. until: where they end.
            texts: of those.
        """
        inserted.before(place, *(at(text, place, until) for text in texts))

    def _fill(self, made: _Made, renamed: Mapping[str, str]) -> ast.stmt:
        """What gives a list its elements.

        Args:
            made: the list. renamed: names that others have by now.
        """
        texts = made.new.lines(made.name, self.taken.again)
        tree = ast.parse("\n".join(texts))
        for node in ast.walk(tree):
            if isinstance(node, ast.Name):
                node.id = renamed.get(node.id, node.id)
        return placed(tree.body, made.stmt, self.taken.again("once"))

    def _named(self, name: str) -> Sequence[ast.Name]:
        return self.uses.named(name)

    def _is_single(self, name: str) -> bool:
        """Whether one statement gives a name what it has."""
        return len(self.scope.bindings.get(name, ())) == 1

    def _is_list(self, name: str) -> bool:
        """Whether a name is none of an array, as far as can be told."""
        return not self.numpy and name not in self.arrays

    def _is_element(self, use: ast.Name) -> bool:
        """Whether a name stands where nothing but elements of a list is seen."""
        outer = self.uses.outside[use]
        match outer:
            case ast.Subscript(value, ast.Slice()) if value is use:
                loop = self.uses.outside[outer]
                return isinstance(loop, ast.For) and loop.iter is outer
            case ast.Subscript(value, ast.Tuple()) if value is use:
                return False
            case ast.Subscript(value) if value is use:
                return not isinstance(outer.ctx, ast.Del)
            case ast.Call(function) if function is not use:
                full = self.scope.resolve(function)
                return full.removeprefix("builtins.") in _THROUGH
            case ast.For(_, over):
                return over is use
        return False


def _is_stored(use: ast.Name) -> bool:
    """Whether a name is given a value."""
    return not isinstance(use.ctx, ast.Load)
