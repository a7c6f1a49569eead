"""The loops in which a list is an array, and what is in it where they begin.

A list is *collected* by a loop that only appends, and may ask how long it is: whatever
was in it stays as it is. Of any other all elements are known, as the loop makes it, or
what stands in front of it in the same block does. Nobody else looks at it meanwhile.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from enum import Enum

from looptx.model.records import dataclass
from looptx.source.ast_tools import walked
from looptx.source.names.scope import Scope
from looptx.source.spelling.lists.operations import (
    WHOLE,
    Operation,
    What,
    display,
    is_number,
    kind_of,
    parted,
)

MOST_PARTS = 8
"""Parts of an element: each has an array of its own."""


class Begins(Enum):
    """What a list is where the loop of its region begins."""

    GIVEN = "it has any elements, which the loop does not look at"
    MADE = "it was made in front of the loop"
    NOTHING = "the loop makes it"


@dataclass(frozen=True)
class Put:
    """An element that a list gets in front of the loop of its region.

    Attributes:
        stmt: what adds it. value: it.
        taken: what takes it again in front of the loop, if anything does.
    """

    stmt: ast.stmt
    value: ast.expr
    taken: Operation | None = None


@dataclass(frozen=True)
class Region:
    """A loop in which a list is an array.

    Attributes:
        name: of the list. loop: the loop. operations: on the list.
        begins: what it is where the loop begins.
        displays: the statements that make it, those in the loop.
        front: the statement that makes it in front of the loop, if one does.
        put: the elements that it gets in front of the loop, where it is made there.
        used: whether the function uses the list behind the loop.
        private: whether nobody else has it.
        array: the type of an array that does in its place; None where none does.
        made_here: where others may have the list, the same of a list that is known to
            be made in front of the loop.
    """

    name: str
    loop: ast.For | ast.While
    operations: Sequence[Operation]
    begins: Begins
    displays: Sequence[ast.stmt] = ()
    front: ast.stmt | None = None
    put: Sequence[Put] = ()
    used: bool = True
    private: bool = False
    array: str | None = None
    made_here: Region | None = None

    def parts(self, scope: Scope) -> int:
        """How many parts each element has; 0 where that is not known.

        Args:
            scope: of the function.
        """
        added = [value for one in self.operations for value in one.values]
        kinds = {kind_of(stmt, scope) for stmt in self.made}
        taken = [one.taken for one in self.put if one.taken is not None]
        if any(one.of and {one.of} != kinds for one in (*self.operations, *taken)):
            return 0
        shown = [display(stmt, scope) for stmt in self.displays]
        added += [value for one in shown if one is not None for value in one[1]]
        added += [one.value for one in self.put]
        parts = [parted(value, scope) for value in added]
        sizes = {len(one) if all(map(is_number, one)) else 0 for one in parts}
        size = sizes.pop() if len(sizes) == 1 else 0
        return size if size <= MOST_PARTS else 0

    @property
    def first(self) -> Sequence[Put]:
        """The elements that it has where the loop begins."""
        return [one for one in self.put if one.taken is None]

    @property
    def is_queue(self) -> bool:
        """Whether elements are taken from its front."""
        return any(one.what is What.FIRST for one in self.operations)

    @property
    def made(self) -> Sequence[ast.stmt]:
        """All statements that make the list."""
        return [*self.displays] if self.front is None else [self.front, *self.displays]

    @property
    def nodes(self) -> frozenset[ast.AST]:
        """All that it is made of."""
        put = [one.stmt for one in self.put]
        put += [one.taken.stmt for one in self.put if one.taken is not None]
        own = self.loop, *self.made, *put
        return frozenset(node for stmt in own for node in walked(stmt))

    def fits(self, scope: Scope) -> bool:
        """Whether tuples are taken apart as they were put together.

        Args:
            scope: of the function.
        """
        size = self.parts(scope)
        if not size:
            return False
        for one in self.operations:
            match one.stmt:
                case ast.Assign([ast.Tuple(names)], value) if value is one.node:
                    if one.part is not None or len(names) != size or size == 1:
                        return False
            part = one.part
            if part is not None and (size == 1 or not -size <= part < size):
                return False
            if one.what is What.STORE and size > 1:
                return False
            if one.beside and len(one.beside) != size:
                return False
            split = part is not None or one.beside
            whole = one.what in WHOLE and size > 1 and not split
            alone = isinstance(one.stmt, ast.Assign) and one.stmt.value is one.node
            dropped = isinstance(one.stmt, ast.Expr) and one.stmt.value is one.node
            # The whole of it is but taken apart, or gets a name, or lost.
            if whole and not alone and not dropped:
                return False
        return True
