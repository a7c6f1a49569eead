"""What functions of the user do, statement by statement, in the place of their calls.

Outside of loops every assignment makes a new variable, and none gets another value, so
that each has the type of its value. (Static single assignment: Cytron et al., 1991.) In
a loop a variable is one, and a ``return`` is noted and leaves the loops around it.
What stands behind an ``if`` that may return is written once for each way, where these
are few; where they would double too often, a variable is one and the ``return`` is
noted, as in a loop.
"""

from __future__ import annotations

import ast
from abc import abstractmethod
from collections.abc import Sequence

from looptx.model.callees.callee import Callee
from looptx.model.callees.quietness import uses
from looptx.model.callees.structure import falls, is_guard, returns, splits
from looptx.model.callees.trees import (
    assign,
    is_nothing,
    moved,
    reads,
    renamed,
    selects,
    stored,
    stores,
)
from looptx.model.callees.values import Side, Values
from looptx.model.callees.views import row
from looptx.model.records import dataclass, replace
from looptx.model.trees import walk

MOST_NODES = 20_000
"""Nodes of the syntax trees that the calls of a nest become."""


_MOST_SPLITS = 4
"""How often what stands behind an ``if`` may be written twice."""


class TooLarge(Exception):
    """The calls of a nest become more than ``MOST_NODES``, or stand too deep."""


@dataclass
class _Left:
    """What notes in loops that they are left by ``return``.

    Attributes:
        ended: the variable that says so. value: those that hold what is returned.
    """

    ended: ast.expr
    value: ast.expr


@dataclass
class Rounds(Values):
    """Runs the statements of functions."""

    _nodes: int = 0

    @abstractmethod
    def statement_lines(self, node: ast.stmt) -> list[ast.stmt]:
        """A statement without calls."""

    def call(self, callee: Callee, call: ast.Call, lines: list[ast.stmt]) -> ast.expr:
        """The value of a call of a function.

        Args:
            callee, call, lines: as of ``Values``.
        """
        given = callee.given(call)
        if given is None:
            return call
        begin = len(lines)
        arrays = {own: row(given[own]) for own in callee.arrays}
        places = [
            [x for x in found.indices if x] if found else [given[own]]
            for own, found in ((own, arrays.get(own)) for own in given)
        ]
        values = iter(self.parts([x for one in places for x in one], lines))
        own = sum(1 for line in callee.body for _ in ast.walk(line))
        self._nodes += own
        if self._nodes > MOST_NODES:
            raise TooLarge
        meant: dict[str, ast.expr] = {}
        for name in given:
            found = arrays.get(name)
            if found is None:
                meant[name] = self.named(next(values), lines, name)
                continue
            indices = [
                x and self.named(next(values), lines, name) for x in found.indices
            ]
            meant[name] = replace(found, indices=tuple(indices)).node
            if any(indices):
                # It is looked up even if none of its elements is used.
                lines.append(ast.Expr(meant[name]))
        value, _ = self._run(callee.body, meant, lines)
        assert value is not None
        return self._in_place(value, lines, begin)

    def _run(
        self,
        block: Sequence[ast.stmt],
        meant: dict[str, ast.expr],
        lines: list[ast.stmt],
    ) -> tuple[ast.expr | None, dict[str, ast.expr] | None]:
        """What statements of a function do.

        Args:
            block: the statements. meant: what the function's names stand for.
            lines: as in ``_value``.

        Returns:
            What it returns, or what the names stand for behind it.
        """
        for at, node in enumerate(block):
            match node:
                case _ if _is_noted(block[at:]):
                    meant = self._begun(node, meant, lines)
                    left = self._left(node, lines)
                    lines += self._moving([node], meant, left, behind=True)
                    if left is not None:
                        return self._behind(left, block[at + 1 :], meant, lines), None
                case ast.Return(ast.expr() as value):
                    return self.value(renamed(value, meant), lines), None
                case ast.If(test, body, orelse):
                    test = self.value(renamed(test, meant), lines)
                    if is_guard(node):
                        lines.append(ast.If(test, body, []))
                        continue
                    if returns(node):
                        rest = block[at + 1 :]
                        given = test, body, orelse, rest, meant, lines
                        return self._returned(*given), None
                    meant = self._merged(test, body, orelse, meant, lines)
                case ast.Assign([target], value) if not stores([node]):
                    value = self.value(renamed(value, meant), lines)
                    meant = {**meant, **self._bound(target, value, lines)}
                case _:
                    lines += self.statement_lines(moved(node, meant))
        return None, meant

    def _begun(
        self,
        node: ast.stmt,
        meant: dict[str, ast.expr],
        lines: list[ast.stmt],
    ) -> dict[str, ast.expr]:
        """What names stand for in a loop: what it assigns is one variable each.

        Args:
            node: the loop. meant, lines: as in ``_run``.
        """
        found = dict(meant)
        for name in sorted(stored([node])):
            variable = self.fresh(name)
            if name in meant:
                lines.append(assign(variable, meant[name]))
            found[name] = variable
        return found

    def _left(self, node: ast.stmt, lines: list[ast.stmt]) -> _Left | None:
        """What notes that a loop returns; None for one that does not."""
        values = [
            part.value
            for part in walk(node)
            if isinstance(part, ast.Return) and part.value is not None
        ]
        if not values:
            return None
        ended = self.fresh("ended")
        lines.append(assign(ended, ast.Constant(False)))
        return _Left(ended, self._returning(values[0]))

    def _returning(self, value: ast.expr) -> ast.expr:
        """New variables for what is returned, as many as there are values."""
        if isinstance(value, ast.Tuple):
            parts = [self.fresh("value") for _ in value.elts]
            return ast.Tuple([*parts], ast.Load())
        callee = self.callee_of(value)
        if callee is not None and callee.results:
            several = [self.fresh("value") for _ in range(callee.results)]
            return ast.Tuple([*several], ast.Load())
        return value if is_nothing(value) else self.fresh("value")

    def _behind(
        self,
        left: _Left,
        rest: Sequence[ast.stmt],
        meant: dict[str, ast.expr],
        lines: list[ast.stmt],
    ) -> ast.expr:
        """What a function returns from behind a loop that may have returned.

        Args:
            left: what noted that. rest: what stands behind it.
            meant, lines: as in ``_run``.
        """
        if not rest:
            return left.value
        if isinstance(rest[0], ast.Raise):
            lines.append(ast.If(ast.UnaryOp(ast.Not(), left.ended), [rest[0]], []))
            return left.value
        inner: list[ast.stmt] = []
        value, _ = self._run(rest, meant, inner)
        assert value is not None
        sides = Side([left.value], []), Side([value], inner)
        (found,) = self.joined(left.ended, *sides, lines)
        return found

    def _moving(
        self,
        block: Sequence[ast.stmt],
        meant: dict[str, ast.expr],
        left: _Left | None,
        *,
        behind: bool = False,
    ) -> list[ast.stmt]:
        """Statements in a loop.

        Args:
            block: the statements. meant: as in ``_run``.
            left: what notes that the loop is left by ``return``.
            behind: whether they are its ``else``, which no ``break`` leaves.
        """
        lines: list[ast.stmt] = []
        for at, node in enumerate(block, 1):
            match node:
                case ast.Return(ast.expr() as value):
                    assert left is not None
                    found = self.value(renamed(value, meant), lines)
                    if not is_nothing(found):
                        lines.append(assign(left.value, found))
                    lines.append(assign(left.ended, ast.Constant(True)))
                    return [*lines, *([] if behind else [ast.Break()])]
                case ast.If(test, body, orelse):
                    test = self.value(renamed(test, meant), lines)
                    sides = [
                        self._moving(x, meant, left, behind=behind)
                        for x in (body, orelse)
                    ]
                    lines.append(ast.If(test, sides[0] or [ast.Pass()], sides[1]))
                case ast.For() | ast.While():
                    lines += self._round(node, meant, left)
                    if left is not None and returns(node) and not behind:
                        lines.append(ast.If(left.ended, [ast.Break()], []))
                case _:
                    lines += self.statement_lines(moved(node, meant))
            if behind and left is not None and returns(node) and block[at:]:
                rest = self._moving(block[at:], meant, left, behind=True)
                return [*lines, ast.If(left.ended, [ast.Pass()], rest)]
        return lines

    def _round(
        self,
        node: ast.For | ast.While,
        meant: dict[str, ast.expr],
        left: _Left | None,
    ) -> list[ast.stmt]:
        """A loop in one, or the outermost.

        Args:
            node: the loop. meant, left: as in ``_moving``.
        """
        body = self._moving(node.body, meant, left)
        orelse = self._moving(node.orelse, meant, left, behind=True)
        if isinstance(node, ast.While):
            made: ast.stmt = ast.While(renamed(node.test, meant), body, orelse)
        else:
            target, over = (renamed(x, meant) for x in (node.target, node.iter))
            made = ast.For(target, over, body, orelse, lineno=0)
        return self.statement_lines(made)

    def _bound(
        self, target: ast.expr, value: ast.expr, lines: list[ast.stmt]
    ) -> dict[str, ast.expr]:
        """What names stand for that are assigned.

        Args:
            target: a name, or some. value: what it gets. lines: as in ``_value``.
        """
        if isinstance(target, ast.Name):
            return {target.id: self.named(value, lines, target.id)}
        found: dict[str, ast.expr] = {}
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            for one, part in zip(target.elts, value.elts, strict=True):
                found |= self._bound(one, part, lines)
        return found

    def _returned(
        self,
        test: ast.expr,
        body: Sequence[ast.stmt],
        orelse: Sequence[ast.stmt],
        rest: Sequence[ast.stmt],
        meant: dict[str, ast.expr],
        lines: list[ast.stmt],
    ) -> ast.expr:
        """What a function returns from an ``if`` on.

        Args:
            test, body, orelse: the ``if``. rest: what stands behind it.
            meant, lines: as in ``_run``.
        """
        sides = []
        for branch in (body, orelse):
            whole = [*branch, *rest] if falls(branch) else branch
            inner: list[ast.stmt] = []
            value, _ = self._run(whole, meant, inner)
            assert value is not None
            sides.append(Side([value], inner))
        (value,) = self.joined(test, sides[0], sides[1], lines)
        return value

    def _merged(
        self,
        test: ast.expr,
        body: Sequence[ast.stmt],
        orelse: Sequence[ast.stmt],
        meant: dict[str, ast.expr],
        lines: list[ast.stmt],
    ) -> dict[str, ast.expr]:
        """What names stand for behind an ``if`` that does not return.

        Args:
            test, body, orelse: the ``if``. meant, lines: as in ``_run``.
        """
        ends, sides = [], []
        for branch in (body, orelse):
            inner: list[ast.stmt] = []
            _, end = self._run(branch, meant, inner)
            assert end is not None
            ends.append(end)
            sides.append(Side([], inner))
        # What only one of them assigns is not read any more.
        both = [name for name in ends[0] if name in ends[1]]
        names = [name for name in both if ends[0][name] is not ends[1][name]]
        for side, end in zip(sides, ends, strict=True):
            side.values = [end[name] for name in names]
        values = self.joined(test, sides[0], sides[1], lines)
        kept = {name: ends[0][name] for name in both}
        for name, value in zip(names, values, strict=True):
            kept[name] = self.named(value, lines, name)
        return kept

    def _in_place(self, value: ast.expr, lines: list[ast.stmt], begin: int) -> ast.expr:
        """A value with the silent ones in it that nothing else reads.

        Args:
            value: the value. lines: what runs before it; those go that it takes.
            begin: the first line that may go.
        """
        for at in range(len(lines) - 1, begin - 1, -1):
            line = lines[at]
            if not isinstance(line, ast.Assign) or not self.is_silent_line(line):
                continue
            (target,) = line.targets
            if not isinstance(target, ast.Name):
                continue
            rest = lines[at + 1 :]
            mine = [
                sure
                for one in (*rest, value)
                for name, sure in uses(one)
                if name == target.id
            ]
            changed = {target.id, *(name for name, _ in uses(line.value))}
            kept = changed.isdisjoint(stored(rest))
            kept &= not (stores(rest) and selects(line.value))
            if kept and mine == [True] and reads(value, target.id):
                value = renamed(value, {target.id: line.value})
                self.names.remove(target.id)
                del lines[at]
        return value


def _is_noted(block: Sequence[ast.stmt]) -> bool:
    """Whether the first of some statements notes that it returns, as a loop does."""
    first = block[0]
    if not isinstance(first, ast.If):
        return isinstance(first, ast.For | ast.While)
    return returns(first) and sum(map(splits, block)) > _MOST_SPLITS
