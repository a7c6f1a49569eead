"""Calls of the user's functions in place: what they compute, as Python evaluates it.

What a function is given is evaluated once, in order, before its body: it becomes a
variable of its own, unless it is a name or a number, and so do its local variables. A
statement becomes several, and an expression that evaluates a call only under a
condition becomes an ``if`` where it has to. (Inlining with bindings: Peyton Jones and
Marlow, Secrets of the GHC inliner, JFP 2002.)
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from looptx.model.callees.callee import BEHIND
from looptx.model.callees.rounds import Rounds, TooLarge
from looptx.model.callees.trees import (
    assign,
    is_nothing,
    placed,
    selects,
    stored,
    substituted,
)
from looptx.model.program import Nest, Statement
from looptx.model.records import dataclass, replace

__all__ = ["Expansion", "TooLarge", "in_place", "inlined", "meanings"]


def inlined(nest: Nest) -> Nest:
    """A nest with what calls compute in their place, to be lowered.

    Raises:
        TooLarge: that is too much.
    """
    if not nest.names.callees:
        return nest
    found = _expanded(nest)
    return replace(
        nest,
        statements=found.statements,
        scalars=(*nest.scalars, *found.scalars),
        names=replace(nest.names, functions=found.functions, callees={}),
    )


@dataclass(frozen=True, slots=True)
class _Expanded:
    """What calls compute in their place.

    Attributes:
        nest: that has the calls.
        statements: its own, without. scalars: the variables of these.
        functions: what names of functions mean in them.
    """

    nest: Nest
    statements: Mapping[str, Statement]
    scalars: tuple[str, ...]
    functions: Mapping[str, str]


_last: _Expanded | None = None
"""Of the nest that was asked for last: a nest is, many times."""


def _expanded(nest: Nest) -> _Expanded:
    """What the calls of a nest compute. Raises: TooLarge."""
    global _last
    known = _last
    if (
        known is not None
        and known.nest.statements is nest.statements
        and known.nest.names is nest.names
    ):
        return known
    work = Expansion(nest.names.callees, nest.names.functions)
    statements = {name: work.statement(one) for name, one in nest.statements.items()}
    given = stored([line for one in statements.values() for line in one.code])
    ranges = {"range": "builtins.range"} if given else {}
    functions = {**ranges, **nest.names.functions, **work.meanings}
    scalars = tuple(filter(given.__contains__, work.names))
    _last = known = _Expanded(nest, statements, scalars, functions)
    return known


def in_place(nest: Nest) -> Nest:
    """A nest with what calls compute in their place, where that is not too much."""
    try:
        return inlined(nest)
    except TooLarge:
        return nest


def meanings(nest: Nest) -> dict[str, str]:
    """What the names of functions mean that calls have brought into a nest."""
    return {
        name: full.removeprefix("builtins.")
        for name, full in nest.names.functions.items()
        if BEHIND in name
    }


@dataclass
class Expansion(Rounds):
    """Puts calls in their place."""

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
        return [line for node in code for line in self.statement_lines(node)]

    def statement_lines(self, node: ast.stmt) -> list[ast.stmt]:
        """A statement with what its calls do."""
        if not self.has_calls(node):
            return [node]
        lines: list[ast.stmt] = []
        match node:
            case ast.Assign(targets, value):
                several = len(targets) > 1 or isinstance(targets[0], ast.Tuple)
                if several and any(map(self.has_calls, targets)):
                    return self._one_by_one(targets, value, node.lineno)
                parts = self.parts([value, *targets], lines)
                return [*lines, ast.Assign(parts[1:], parts[0], lineno=node.lineno)]
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                one, place = self.parts([value, target], lines)
                return [*lines, ast.Assign([place], one, lineno=node.lineno)]
            case ast.AugAssign(target, op, value):
                place = self.value(target, lines)
                behind: list[ast.stmt] = []
                one = self.value(value, behind)
                late = not all(map(self.is_silent_line, behind))
                if late and isinstance(place, ast.Subscript):
                    place = self._fixed(place, lines)
                    old = self.held(placed(place, ast.Load()), lines)
                    whole = ast.BinOp(old, op, one)
                    last = ast.Assign([place], whole, lineno=node.lineno)
                    return [*lines, *behind, last]
                added = ast.AugAssign(place, op, one, lineno=node.lineno)  # type: ignore[arg-type]
                return [*lines, *behind, added]
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
                found = self.value(value, lines)
                if not is_nothing(found):
                    self.held(found, lines)
                return lines
        return [node]

    def _one_by_one(
        self, targets: Sequence[ast.expr], value: ast.expr, line: int
    ) -> list[ast.stmt]:
        """Assignments to targets with calls: each is made before the next is looked up.

        Raises:
            TooLarge: there are targets in targets.
        """
        lines: list[ast.stmt] = []
        nodes = value.elts if isinstance(value, ast.Tuple) else [value]
        found = self.parts(nodes, lines)
        held = [
            x if isinstance(x, ast.Constant) else self.held(x, lines) for x in found
        ]
        for target in targets:
            own = target.elts if isinstance(target, ast.Tuple) else [target]
            simple = all(isinstance(one, ast.Name | ast.Subscript) for one in own)
            if not simple or len(own) != len(held):
                raise TooLarge
            for one, known in zip(own, held, strict=True):
                made = ast.Assign([one], known, lineno=line)
                lines += self.statement_lines(made)
        return lines

    def _fixed(self, place: ast.Subscript, lines: list[ast.stmt]) -> ast.Subscript:
        """An element whose subscripts no later statement changes."""
        index = place.slice
        parts = index.elts if isinstance(index, ast.Tuple) else [index]
        kept = [self.held(one, lines) if selects(one) else one for one in parts]
        whole = ast.Tuple(kept, ast.Load()) if isinstance(index, ast.Tuple) else kept[0]
        return ast.Subscript(place.value, whole, place.ctx)

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
