"""The values that names have in a loop, and which of them have uses in common.

Two values belong together where some use may have either. (Webs of definitions and
uses: Chaitin, SIGPLAN '82; Muchnick: *Advanced Compiler Design*, 1997, 16.3.3.)
"""

from __future__ import annotations

import ast
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias, TypeGuard

from looptx.model.records import dataclass, field
from looptx.source.ast_tools import walked

OUTSIDE = 0
"""The number of what a name has in front of a loop, and behind it."""

State: TypeAlias = Mapping[str, frozenset[int]] | None
"""By name the values that may have come to a place; None where nothing comes to it."""


@dataclass
class _Ways:
    """What comes to the next round of a loop, and what leaves it."""

    on: list[State] = field(default_factory=list)
    out: list[State] = field(default_factory=list)


class Webs:
    """The values of names in a loop, and which of them have uses in common.

    Args:
        names: those that are asked about.
    """

    def __init__(self, names: frozenset[str]) -> None:
        self.names = names
        self._nodes: dict[ast.Name, int] = {}
        self._same = [OUTSIDE]
        self._loops: list[_Ways] = []
        self._outside = dict.fromkeys(names, frozenset((OUTSIDE,)))

    def of(self, loop: ast.stmt) -> State:
        """Follow the ways through a loop; what comes to its end."""
        return self._stmt(loop, self._outside)

    def leave(self, state: State, read: Container[str]) -> None:
        """Note what is read behind the loop.

        Args:
            state: what comes to its end. read: the names that are read elsewhere.
        """
        for name, values in (state or {}).items():
            if name in read:
                self._unite({*values, OUTSIDE})

    def apart(self, name: str) -> Iterator[list[ast.Name]]:
        """The places where a name is to be another one, for each of these."""
        groups: dict[int, list[ast.Name]] = {}
        for node, value in self._nodes.items():
            if node.id == name:
                groups.setdefault(self._root(value), []).append(node)
        outside = self._root(OUTSIDE)
        keeps = outside if outside in groups else next(iter(groups), outside)
        yield from (nodes for root, nodes in groups.items() if root != keeps)

    def _root(self, value: int) -> int:
        while self._same[value] != value:
            value = self._same[value]
        return value

    def _unite(self, values: Iterable[int]) -> None:
        first, *rest = {self._root(value) for value in values}
        for other in rest:
            self._same[other] = first

    def _block(self, code: Sequence[ast.stmt], state: State) -> State:
        """What comes to the end of statements."""
        for stmt in code:
            if state is None:  # What never runs has the names that there are.
                self._stmt(stmt, self._outside)
            else:
                state = self._stmt(stmt, state)
        return state

    def _stmt(self, stmt: ast.stmt, state: State) -> State:
        """What comes to the end of a statement."""
        match stmt:
            case ast.If(test, body, orelse):
                self._reads(test, state)
                return _joined(self._block(body, state), self._block(orelse, state))
            case ast.For(_, over, body, orelse):
                self._reads(over, state)
                return self._loop(None, body, orelse, state)
            case ast.While(test, body, orelse):
                return self._loop(test, body, orelse, state)
            case ast.Break() | ast.Continue():
                ways = self._loops[-1]
                (ways.out if isinstance(stmt, ast.Break) else ways.on).append(state)
                return None
        self._reads(stmt, state)
        if isinstance(stmt, ast.Return | ast.Raise):
            return None
        return self._writes(stmt, state)

    def _loop(
        self,
        test: ast.expr | None,
        body: Sequence[ast.stmt],
        orelse: Sequence[ast.stmt],
        state: State,
    ) -> State:
        """What comes to the end of a loop.

        Args:
            test: of a ``while``. body, orelse: its blocks. state: what comes to it.
        """
        while True:
            self._loops.append(ways := _Ways())
            if test is not None:
                self._reads(test, state)
            last = self._block(body, state)
            self._loops.pop()
            more = _joined(state, last, *ways.on)
            if more == state:
                return _joined(self._block(orelse, state), *ways.out)
            state = more

    def _reads(self, root: ast.AST, state: State) -> None:
        """A use of names: all values that they may have there are one."""
        for node in walked(root):
            if is_name(node, ast.Load) and node.id in self.names:
                values = state[node.id] if state is not None else {OUTSIDE}
                self._unite(values)
                self._nodes[node] = min(values)

    def _writes(self, stmt: ast.stmt, state: State) -> State:
        """New values of names."""
        found = {**state} if state is not None else {}
        for node in walked(stmt):
            if is_name(node, ast.Store) and node.id in self.names:
                value = self._nodes.get(node)
                if value is None:
                    value = self._nodes[node] = len(self._same)
                    self._same.append(value)
                if isinstance(stmt, ast.AugAssign):
                    self._unite({value, *found[node.id]})
                found[node.id] = frozenset((value,))
        return found


def _joined(*states: State) -> State:
    """What comes from one of several places."""
    known = [state for state in states if state is not None]
    if not known:
        return None
    return {x: frozenset().union(*(one[x] for one in known)) for x in known[0]}


def is_name(node: ast.AST, context: type[ast.expr_context]) -> TypeGuard[ast.Name]:
    """Whether a node is a name that is read, or one that is given a value."""
    return isinstance(node, ast.Name) and isinstance(node.ctx, context)
