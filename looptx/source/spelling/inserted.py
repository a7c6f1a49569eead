"""Statements that are put into the blocks of a tree."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from looptx.source.ast_tools import is_part_of_one
from looptx.source.spelling.edits import Change, in_turn, part, reached, reaching


class Inserted:
    """What is put into the blocks of a statement, around others that stand there."""

    def __init__(self) -> None:
        self._before: dict[ast.stmt, list[ast.stmt]] = {}
        self._behind: dict[ast.stmt, list[ast.stmt]] = {}

    def __bool__(self) -> bool:
        """Whether there is something."""
        return bool(self._before or self._behind)

    def before(self, place: ast.stmt, *stmts: ast.stmt) -> None:
        """Put statements in front of one, behind what was put there."""
        self._before.setdefault(place, []).extend(stmts)

    def behind(self, place: ast.stmt, *stmts: ast.stmt) -> None:
        """Put statements behind one, and behind what was put there."""
        self._behind.setdefault(place, []).extend(stmts)

    def into(self, old: ast.AST) -> Change:
        """The change to the statement that has the blocks.

        Args:
            old: it, before any change.
        """

        def change(node: ast.AST) -> ast.AST:
            new = copy.copy(node)
            for name, block in ast.iter_fields(old):
                if isinstance(block, list) and any(map(self._is_place, block)):
                    setattr(new, name, self._block(block, getattr(node, name)))
            return new

        return change

    def _is_place(self, stmt: object) -> bool:
        """Whether something is put beside a statement."""
        return stmt in self._before or stmt in self._behind

    def _block(
        self, old: Sequence[ast.stmt], now: Sequence[ast.stmt]
    ) -> list[ast.stmt]:
        """A block with what is put into it.

        Args:
            old: it, before any change. now: with all other changes.
        """
        found: list[ast.stmt] = []
        for place, own in zip(old, now, strict=True):
            before, behind = self._before.get(place, []), self._behind.get(place, [])
            beside = (*before, *behind) if is_part_of_one(place) else ()
            for stmt in beside:
                part(stmt)
            found += (*before, own, *behind)
        return found


class Insertions:
    """What is put into the blocks of a function, around statements that stand there.

    Args:
        around: what each of its nodes stands in.
    """

    def __init__(self, around: Mapping[ast.AST, ast.AST]) -> None:
        self._around = around
        self._owners: dict[ast.AST, Inserted] = {}

    def __bool__(self) -> bool:
        """Whether there is something."""
        return bool(self._owners)

    def before(self, place: ast.stmt, *stmts: ast.stmt) -> None:
        """As of ``Inserted``."""
        self._beside(place).before(place, *stmts)

    def behind(self, place: ast.stmt, *stmts: ast.stmt) -> None:
        """As of ``Inserted``."""
        self._beside(place).behind(place, *stmts)

    def _beside(self, place: ast.stmt) -> Inserted:
        return self._owners.setdefault(self._around[place], Inserted())

    def changes(
        self, then: Mapping[ast.AST, Change] = MappingProxyType({})
    ) -> Iterator[tuple[ast.AST, Change]]:
        """The changes of what has the blocks.

        Args:
            then: what else becomes of some nodes, whether something is put in or not.
        """
        for owner in {**self._owners, **then}:
            changes = [self._owners[owner].into(owner)] if owner in self._owners else []
            changes += [then[owner]] if owner in then else []
            yield owner, in_turn(changes)


def placed(lines: Sequence[ast.stmt], stmt: ast.stmt, name: str) -> ast.stmt:
    """Statements as one that stands where another does.

    A nest is known by its place: several are the body of a loop of one round.

    Args:
        lines: the statements. stmt: the other one. name: of the variable of the loop.
    """
    if len(lines) == 1 and not isinstance(lines[0], ast.If | ast.For | ast.While):
        made = lines[0]
    else:
        made = _once([*lines] or [ast.Pass()], name)
    return _there([made], stmt)[0]


def parted(lines: Sequence[ast.stmt], stmt: ast.stmt) -> list[ast.stmt]:
    """Statements that stand where another does, in its block.

    Args:
        lines: the statements. stmt: the other one.
    """
    return [part(one) for one in _there(lines, stmt)]


def _there(lines: Sequence[ast.stmt], stmt: ast.stmt) -> list[ast.stmt]:
    """Statements in the place of another one.

    Args:
        lines: the statements. stmt: the other one.
    """
    # What is known of a tree is kept with it: this is one that nobody has asked of.
    made = [copy.deepcopy(one) for one in lines]
    nodes = (node for one in made for node in ast.walk(one))
    for number, node in enumerate(nodes):
        if isinstance(node, ast.expr | ast.stmt):
            ast.copy_location(node, stmt)
            # What it allocates is told by its place.
            node.end_col_offset = (stmt.end_col_offset or 0) + number
    return made


def together(lines: Sequence[ast.stmt], made: ast.stmt, name: str) -> ast.stmt:
    """What stands for a statement, behind statements, as the body of one loop.

    Args:
        lines: the statements. made: it, in its place. name: as of ``placed``.
    """
    loop = _once([*parted(lines, made), made], name)
    for node in (loop, loop.target, *ast.walk(loop.iter)):
        if isinstance(node, ast.expr | ast.stmt):
            ast.copy_location(node, made)
    return reaching(loop, reached(made))


def _once(body: list[ast.stmt], name: str) -> ast.For:
    """A loop of one round.

    Args:
        body: its statements. name: of its variable.
    """
    ranged = ast.parse("range(1)", mode="eval").body
    return ast.For(ast.Name(name, ast.Store()), ranged, body, [])
