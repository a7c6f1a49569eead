"""What tests and assignments say of scalars, on the way through a statement.

``while j > 0 and A[j - 1] > v`` bounds ``j`` in its body until something is assigned
to it. Other scalars may stand in what bounds it: ``lo < hi`` says that ``lo`` is at
most ``hi - 1``, as long as ``hi`` stays the same.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Protocol, TypeAlias

from looptx.lower.intervals.comparisons import MIRRORED, Operator, comparisons
from looptx.lower.intervals.sums import End, Sum, inverse, size
from looptx.lower.values.expressions import Expressions
from looptx.model.expr import IntExpr
from looptx.model.records import dataclass
from looptx.model.trees import children, forwards, leaves, walk


@dataclass(frozen=True, slots=True)
class Side:
    """An end of a scalar: of its values, or where ``sign`` is -1 of their negatives."""

    name: str
    sign: int


@dataclass(frozen=True, eq=False)
class Box:
    """A value that is none of a sum's, by what it and its negative are at most."""

    up: tuple[End, ...]
    down: tuple[End, ...]


Value: TypeAlias = "Sum[str | IntExpr | Box]"
"""An integer as a sum of scalars, of loops and sizes, and of others."""

Facts: TypeAlias = Mapping[Side, tuple[Value, ...]]
"""What scalars, or their negatives, are at most where tests have come out so."""

_BELOW: Mapping[Operator, int] = {ast.Lt: 1, ast.LtE: 0}


@dataclass(frozen=True, slots=True)
class Given:
    """A scalar is given an integer: what it is, and what its negative, at most."""

    name: str
    up: Value | None
    down: Value | None
    facts: Facts


class Values(Protocol):
    """Gives integers as sums."""

    def of(self, e: Expressions, node: ast.expr, facts: Facts) -> Value | None:
        """An expression of a statement, where facts hold; None for another."""

    def whole(self, node: ast.AugAssign) -> ast.expr:
        """What it assigns: always the same tree."""
        ...


class Walk:
    """Goes through one statement, with what tests have said where it is.

    Args:
        e: the expressions of the statement. values: gives an integer as a sum.

    Attributes:
        facts: what scalars are at most here.
        seen: the subscripts, each with the facts where it stands.
    """

    def __init__(self, e: Expressions, values: Values) -> None:
        self.e = e
        self.values = values
        self.facts: Facts = {}
        self.seen: list[tuple[ast.Subscript, Facts]] = []

    def block(self, code: Iterable[ast.stmt]) -> Iterator[Given]:
        """What statements give to scalars."""
        for node in code:
            match node:
                case ast.Assign(targets, value):
                    self._look(value, self.facts)
                    yield from self._assigned(*((one, value) for one in targets))
                case ast.AnnAssign(target=target, value=ast.expr() as value):
                    self._look(value, self.facts)
                    yield from self._assigned((target, value))
                case ast.AugAssign(target):
                    whole = self.values.whole(node)
                    self._look(whole, self.facts)
                    yield from self._assigned((target, whole))
                case ast.If():
                    yield from self._if(node)
                case ast.For(ast.Name(name), over):
                    counted = forwards(over)
                    assert isinstance(counted, ast.Call)
                    yield from self._for(node, name, counted.args)
                case ast.While(test, body, orelse):
                    self._forget(_stored(node))
                    before = self.facts
                    self._look(test, before)
                    self.facts = self._if_so(before, test, True)
                    yield from self.block(body)
                    self.facts = self._if_so(before, test, False)
                    yield from self.block(orelse)
                    self.facts = before
                case _:
                    for part in ast.iter_child_nodes(node):
                        self._look(part, {})
                    for name in _stored(node):
                        yield Given(name, None, None, {})
                    self._forget(_stored(node))

    def _assigned(self, *pairs: tuple[ast.expr, ast.expr]) -> Iterator[Given]:
        """What assignments give that take place together."""
        left, facts = [*pairs], self.facts
        given: list[tuple[str, Value | None]] = []
        while left:
            target, value = left.pop()
            match target, value:
                case ast.Tuple(names), ast.Tuple(parts):
                    left += zip(names, parts, strict=True)
                case ast.Name(name), _:
                    found = self.values.of(self.e, value, facts)
                    given.append((name, found))
                    down = found and found.times(-1)
                    yield Given(name, found, down, facts)
                case _:
                    self._look(target, facts)
                    for name in _stored(target):
                        given.append((name, None))
                        yield Given(name, None, None, facts)
        gone = {name for name, _ in given}
        self._forget(gone)
        for name, found in given:
            if found is not None and not gone & found.terms.keys():
                self.facts = _with(self.facts, Side(name, 1), found)
                self.facts = _with(self.facts, Side(name, -1), found.times(-1))

    def _if(self, node: ast.If) -> Iterator[Given]:
        before = self.facts
        self._look(node.test, before)
        self.facts = self._if_so(before, node.test, True)
        yield from self.block(node.body)
        then, self.facts = self.facts, self._if_so(before, node.test, False)
        yield from self.block(node.orelse)
        if leaves(node.orelse):
            self.facts = then
        elif not leaves(node.body):
            self.facts = {
                side: kept
                for side, values in self.facts.items()
                if (kept := tuple(x for x in values if x in then.get(side, ())))
            }

    def _for(self, node: ast.For, name: str, args: list[ast.expr]) -> Iterator[Given]:
        facts = self.facts
        for arg in args:
            self._look(arg, facts)
        start, stop, step = [ast.Constant(0), *args, ast.Constant(1)][-3:]
        if len(args) > 1:
            start, stop, step = [*args, ast.Constant(1)][:3]
        first, last = (self.values.of(self.e, x, facts) for x in (start, stop))
        by = self.values.of(self.e, step, facts)
        up = down = None
        if by is not None and not by.terms and by.constant > 0:
            up, down = last and last.more(-1), first and first.times(-1)
        elif by is not None and not by.terms:
            up, down = first, last and last.more(1).times(-1)
        yield Given(name, up, down, facts)
        stored = _stored(node)
        self._forget(stored)
        before = self.facts
        inside = {*_stored(*node.body)}
        for sign, value in ((1, up), (-1, down)):
            if value and name not in inside and not value.terms.keys() & stored:
                self.facts = _with(self.facts, Side(name, sign), value)
        yield from self.block(node.body)
        self.facts = before
        yield from self.block(node.orelse)
        self.facts = before

    def _forget(self, names: Iterable[str]) -> None:
        """Give up what is known of scalars that are given other values."""
        gone = {*names}
        self.facts = {
            side: kept
            for side, values in self.facts.items()
            if side.name not in gone
            and (kept := tuple(x for x in values if not gone & x.terms.keys()))
        }

    def _look(self, node: ast.AST, facts: Facts) -> None:
        """Note the subscripts in an expression."""
        match node:
            case ast.BoolOp(op, values):
                for value in values:
                    self._look(value, facts)
                    facts = self._if_so(facts, value, isinstance(op, ast.And))
                return
            case ast.IfExp(test, body, orelse):
                self._look(test, facts)
                self._look(body, self._if_so(facts, test, True))
                self._look(orelse, self._if_so(facts, test, False))
                return
            case ast.Subscript():
                self.seen.append((node, facts))
        for part in children(node):
            self._look(part, facts)

    def _if_so(self, facts: Facts, test: ast.expr, holds: bool) -> Facts:
        """What is known where a test has come out so."""
        for one, op, two in comparisons(test, holds):
            facts = self._compared(facts, one, op, two)
        return facts

    def _compared(
        self, facts: Facts, left: ast.expr, op: Operator, right: ast.expr
    ) -> Facts:
        """What ``left op right`` says of the scalars in it."""
        one, two = (self.values.of(self.e, x, facts) for x in (left, right))
        if one is None or two is None:
            return facts
        ways: list[tuple[Value, Value, int]] = []
        if op is ast.Eq:
            ways = [(one, two, 0), (two, one, 0)]
        elif op in _BELOW:
            ways = [(one, two, _BELOW[op])]
        elif MIRRORED.get(op) in _BELOW:
            ways = [(two, one, _BELOW[MIRRORED[op]])]
        for less, most, apart in ways:
            # It is not above 0, but for what rounding has taken off the lesser.
            over = less.plus(most.times(-1)).more(apart)
            over = Sum(over.terms, over.constant - over.slack)
            for term, factor in over.terms.items():
                if isinstance(term, str):
                    rest = over.without(term).times(-inverse(size(factor)))
                    facts = _with(facts, Side(term, 1 if factor > 0 else -1), rest)
        return facts


def boxed(up: Sequence[End | None], down: Sequence[End | None]) -> Value:
    """A value of which only ends are known."""
    ends = (tuple(end for end in ends if end is not None) for ends in (up, down))
    return Sum({Box(*ends): 1})


def _with(facts: Facts, side: Side, value: Value) -> Facts:
    """Facts, and another: the latest is looked at first."""
    return {**facts, side: (value, *facts.get(side, ()))}


def _stored(*nodes: ast.AST) -> list[str]:
    """The names that are assigned in some pieces of source."""
    parts = (part for node in nodes for part in walk(node))
    names = (part for part in parts if isinstance(part, ast.Name))
    return list({x.id: None for x in names if isinstance(x.ctx, ast.Store)})
