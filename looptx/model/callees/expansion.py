"""Calls of the user's functions in place: what they compute, as Python evaluates it.

What a function is given is evaluated once, in order, before its body: it becomes a
variable of its own, unless it is a name or a number, and so do its local variables. A
statement becomes several, and an expression that evaluates a call only under a
condition becomes an ``if`` where it has to. (Inlining with bindings: Peyton Jones and
Marlow, Secrets of the GHC inliner, JFP 2002.)
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, replace

from looptx.model.callees.callee import BEHIND, Callee
from looptx.model.callees.quietness import uses
from looptx.model.callees.structure import falls, returns
from looptx.model.callees.trees import (
    assign,
    placed,
    reads,
    renamed,
    stored,
    substituted,
)
from looptx.model.callees.values import Side, Values
from looptx.model.program import Nest, Statement

MOST_NODES = 20_000
"""Nodes of the syntax trees that the calls of a nest become."""


class TooLarge(Exception):
    """The calls of a nest become more than ``MOST_NODES``."""


def inlined(nest: Nest) -> Nest:
    """A nest with what calls compute in their place, to be lowered.

    Raises:
        TooLarge: that is too much.
    """
    if not nest.callees:
        return nest
    work = Expansion(nest.callees, nest.functions)
    statements = {name: work.statement(one) for name, one in nest.statements.items()}
    given = stored([line for one in statements.values() for line in one.code])
    return replace(
        nest,
        statements=statements,
        scalars=(*nest.scalars, *filter(given.__contains__, work.names)),
        functions={**nest.functions, **work.meanings},
        callees={},
    )


def meanings(nest: Nest) -> dict[str, str]:
    """What the names of functions mean that calls have brought into a nest."""
    return {
        name: full.removeprefix("builtins.")
        for name, full in nest.functions.items()
        if BEHIND in name
    }


@dataclass
class Expansion(Values):
    """Puts calls in their place."""

    _nodes: int = 0

    def statement(self, one: Statement) -> Statement:
        """A statement of a nest."""
        if not any(map(self.has_calls, one.code)):
            return one
        self.cells = all(None not in x.subscripts for x in one.accesses)
        reduction = one.reduction
        if reduction is not None:
            lines: list[ast.stmt] = []
            operand = self.value(reduction.operand, lines)
            reduction = replace(reduction, operand=substituted(operand, lines))
        return replace(one, code=tuple(self.block(one.code)), reduction=reduction)

    def block(self, code: Sequence[ast.stmt]) -> list[ast.stmt]:
        """Statements of Python."""
        return [line for node in code for line in self._statement(node)]

    def _statement(self, node: ast.stmt) -> list[ast.stmt]:
        if not self.has_calls(node):
            return [node]
        lines: list[ast.stmt] = []
        match node:
            case ast.Assign(targets, value):
                parts = self.parts([value, *targets], lines)
                return [*lines, ast.Assign(parts[1:], parts[0], lineno=node.lineno)]
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                one, place = self.parts([value, target], lines)
                return [*lines, ast.Assign([place], one, lineno=node.lineno)]
            case ast.AugAssign(target, op, value):
                place = self.value(target, lines)
                _, one = self.parts([placed(place, ast.Load()), value], lines)
                return [*lines, ast.AugAssign(place, op, one)]  # type: ignore[arg-type]
            case ast.If(test, body, orelse):
                test = self.value(test, lines)
                return [*lines, ast.If(test, self.block(body), self.block(orelse))]
            case ast.For(target, over, body, orelse):
                over = self.value(over, lines)
                inner, after = self.block(body), self.block(orelse)
                made = ast.For(target, over, inner, after, lineno=node.lineno)
                return [*lines, made]
            case ast.While(test, body, orelse):
                test = self.value(test, lines)
                rounds = ast.While(test, self.block(body), self.block(orelse))
                return self._tested(rounds, lines)
            case ast.Expr(value):
                self.held(self.value(value, lines), lines)
                return lines
        return [node]

    def _tested(self, loop: ast.While, lines: list[ast.stmt]) -> list[ast.stmt]:
        """A loop with lines that run before each test."""
        if not lines:
            return [loop]
        before, behind, last = list[ast.stmt](), list[ast.stmt](), list[ast.stmt]()
        if loop.orelse:
            # It may jump out of a loop around this one.
            ended = self.fresh("ended")
            before.append(assign(ended, ast.Constant(False)))
            last.append(assign(ended, ast.Constant(True)))
            behind.append(ast.If(ended, loop.orelse, []))
        test = ast.UnaryOp(ast.Not(), loop.test)
        body = [*lines, ast.If(test, [*last, ast.Break()], []), *loop.body]
        return [*before, ast.While(ast.Constant(True), body, []), *behind]

    def call(self, callee: Callee, call: ast.Call, lines: list[ast.stmt]) -> ast.expr:
        """The value of a call of a function.

        Args:
            callee, call, lines: as of ``Values``.
        """
        given = callee.given(call)
        if given is None:
            return call
        begin = len(lines)
        values = self.parts([*given.values()], lines)
        own = sum(1 for line in callee.body for _ in ast.walk(line))
        self._nodes += own
        if self._nodes > MOST_NODES:
            raise TooLarge
        meant: dict[str, ast.expr] = {}
        for name, value in zip(given, values, strict=True):
            meant[name] = self.named(value, lines, name)
        found, _ = self._run(callee.body, meant, lines)
        assert found is not None
        return self._in_place(found, lines, begin)

    def _run(
        self,
        block: Sequence[ast.stmt],
        meant: dict[str, ast.expr],
        lines: list[ast.stmt],
    ) -> tuple[ast.expr | None, dict[str, ast.expr] | None]:
        """What statements of a function do.

        Every assignment makes a new variable, and none gets another value, so that
        each has the type of its value. (Static single assignment: Cytron et al., 1991.)

        Args:
            block: the statements. meant: what the function's names stand for.
            lines: as in ``_value``.

        Returns:
            What it returns, or what the names stand for behind it.
        """
        for at, node in enumerate(block):
            match node:
                case ast.Return(ast.expr() as value):
                    return self.value(renamed(value, meant), lines), None
                case ast.If(test, body, orelse):
                    test = self.value(renamed(test, meant), lines)
                    if returns(node):
                        rest = block[at + 1 :]
                        given = test, body, orelse, rest, meant, lines
                        return self._returned(*given), None
                    meant = self._merged(test, body, orelse, meant, lines)
                case ast.Assign([target], value):
                    value = self.value(renamed(value, meant), lines)
                    meant = {**meant, **self._bound(target, value, lines)}
        return None, meant

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
            if kept and mine == [True] and reads(value, target.id):
                value = renamed(value, {target.id: line.value})
                self.names.remove(target.id)
                del lines[at]
        return value
