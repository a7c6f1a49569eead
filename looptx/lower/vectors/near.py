"""Sums of powers that hardly ever need C's own.

What C's library gives for ``x ** 2`` is the exact square, rounded, or, where that lies
nearly in the middle of two floats, the other of these. Added to a sum that is larger,
both give the same float nearly always. So the iterations of a strip add up what is
near, and keep each sum; then all of them are looked at side by side: whether the other
one, added to the sum before, gives the sum behind. Since an addition that is rounded
never falls where its operand grows, what lies between gives that sum, too; so do
products with what is the same for both, and quotients. Where one sum is another, the
strip begins again from the sums that it began with, with powers of C's library.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain

from looptx.lower import tree
from looptx.lower.kinds import FLOAT, INT, of
from looptx.lower.scope import Scope
from looptx.lower.tree import (
    Assign,
    Block,
    Expr,
    For,
    If,
    Run,
    Stmt,
    assignments,
    infix,
    inside,
    intrinsic,
    number,
    used,
)
from looptx.lower.vectors.masks.masked import CELLS
from looptx.model.expr import Const, Var, add, sub
from looptx.model.records import dataclass, replace

_NEAR, _OTHER = "pow_near", "pow_other"
_EXPONENTS = (2.0, 3.0, 4.0)

_LEAST = 2.0**-800
"""How large a sum is to which nothing is added by powers that are not exact in any
sense, those below 2**-900."""

_DEAR, _MOST = 1, 16
"""How many strips that hold outweigh one that begins again, and after how many in vain
no further ones are tried."""


@dataclass(frozen=True, slots=True)
class Sum:
    """A variable that a loop adds to, and what.

    Attributes:
        line: the statement.
        op: how it is added.
        term: what, by what the loop does not change; None if that cannot be said.
    """

    line: Assign
    op: str
    term: Expr | None

    @property
    def power(self) -> Expr:
        """The power in the term."""
        assert self.term is not None
        return next(filter(is_power, inside(self.term)))

    @property
    def grows(self) -> bool:
        """Whether it moves away from zero once it has begun to."""
        return self.term == self.power and self.power.parts[1].number != 3

    @property
    def own(self) -> Expr:
        """The variable."""
        return self.line.target


def added(node: Assign) -> tuple[str, Expr] | None:
    """How a statement adds to its own variable, and what; None if it does not."""
    if node.target.op != "name":
        return None
    if node.op:
        return (node.op, node.value) if node.op in ("+", "-") else None
    match node.value:
        case Expr("+" | "-" as op, parts=(first, term)) if first == node.target:
            return op, term
        case Expr("+", parts=(term, last)) if last == node.target:
            return "+", term
    return None


def is_power(expr: Expr) -> bool:
    """Whether it is a power of which two numbers are known that it is one of."""
    called = expr.intrinsic
    if called is None or called.rules or called.lanes > 1:
        return False
    own = (called.operation, called.dtype) == ("pow", "float64")
    return own and expr.parts[1].number in _EXPONENTS


def rises(expr: Expr) -> bool:
    """Whether it never falls, or never rises, where the only power in it grows."""
    having = [part for part in expr.parts if any(map(is_power, inside(part)))]
    if expr.kind.dtype != "float64" or is_power(expr):
        return not having and is_power(expr)
    if len(having) != 1 or (expr.op == "/" and having[0] is not expr.parts[0]):
        return False
    return expr.op in ("+", "-", "*", "/", "neg") and rises(having[0])


def near_sums(
    loop: Block, body: Block, sums: Sequence[Sum], types: Mapping[str, str]
) -> list[Sum]:
    """The sums of a loop that may be taken so; none if others need its powers.

    Args:
        loop: its body. body: the same with cells in place of what is made before.
        sums: of its variables. types: of variables in C.
    """
    times = Counter(line.target.name for line in assignments(loop))
    once = {one.own.name: one for one in sums if times[one.own.name] == 1}
    given: set[str] = set()
    kept = []
    for node, after in zip(loop, body, strict=True):
        if not isinstance(node, Assign) or node.target.op in CELLS:
            return []
        name = node.target.name
        own = once.get(name)
        if after != node or any(map(is_power, inside(node.value))):
            if own is None or types.get(name) != "double":
                return []
            if own.term is None or not rises(own.term):
                return []
            kept.append(own)
        # What a variable was before the strip is known of sums alone.
        read = used([Run(node.value)]) & times.keys() - given - once.keys()
        if read or (node.op and own is None):
            return []
        given.add(name)
    return kept if not _is_read({one.own.name for one in kept}, loop, kept) else []


def _is_read(names: set[str], loop: Block, sums: Sequence[Sum]) -> bool:
    """Whether anything but what adds to a sum reads one, which may be another by then.

    It might raise, or look for an element at a place, before the strip begins again.

    Args:
        names: of the sums. loop: the body. sums: the sums.
    """
    terms = {one.line: one.term for one in sums}
    values = (terms.get(x) or x.value for x in assignments(loop))
    return any(used([Run(value)]) & names for value in values)


class NearSums:
    """A strip whose sums are taken of what its powers are near.

    Args:
        scope: the nest.
        loop: over the strip, as it is written.
        at: the variable that says where the strip begins.
        sums: those of powers. others: the rest of what it adds to.
    """

    def __init__(
        self,
        scope: Scope,
        loop: For,
        at: Var,
        sums: Sequence[Sum],
        others: Sequence[Sum],
    ) -> None:
        fresh = scope.names.fresh
        self._loop, self._at, self._sums = loop, at, sums
        self._apart = tree.variable(fresh("apart"))
        self._doubts = tree.variable(fresh("doubts"))
        self._cells = {one.own.name: fresh(f"{one.own.name}_so_far") for one in sums}
        self._powers = {
            one.own.name: (fresh(_NEAR), fresh(_OTHER))
            for one in sums
            if one.power.parts[1].number != 2
        }
        self._begun = {
            one.own: replace(one.own, name=fresh(f"{one.own.name}_begun"))
            for one in (*sums, *others)
        }

    def declared(self, strip: int, types: Mapping[str, str]) -> dict[str, str]:
        """The variables that this needs.

        Args:
            strip: how many iterations there are at most. types: of others.
        """
        names = chain(self._cells.values(), *self._powers.values())
        cells = dict.fromkeys(names, f"double[{strip + 1}]")
        begun = {x.name: types[own.name] for own, x in self._begun.items()}
        flags = dict.fromkeys((self._apart.name, self._doubts.name), "int64_t")
        return {**flags, **cells, **begun}

    @property
    def first(self) -> Assign:
        """What stands in front of all strips."""
        return Assign(self._doubts, number(0))

    def lines(self, exact: Sequence[Stmt]) -> list[Stmt]:
        """The statements.

        Args:
            exact: those of the strip with powers of C's library.
        """
        known = intrinsic("pow_known", of(INT))
        known = infix("!=", known, number(0))
        trusted = infix("<", self._doubts, number(_MOST))
        begins = tree.both(known, trusted, *map(_begins, self._sums))
        begun = [Assign(to, own) for own, to in self._begun.items()]
        again = [Assign(own, to) for own, to in self._begun.items()]
        failed = infix("!=", self._apart, number(0))
        return [
            Assign(self._apart, number(1)),
            *begun,
            If(begins, (Assign(self._apart, number(0)), *self._near(), self._learnt())),
            If(failed, (*again, *exact)),
        ]

    def _learnt(self) -> Stmt:
        """What the next strips are to take from this one."""
        more = Assign(self._doubts, infix("+", self._doubts, number(_DEAR)))
        less = Assign(self._doubts, infix("-", self._doubts, number(1)))
        fewer = If(infix(">", self._doubts, number(0)), (less,))
        return If(infix("!=", self._apart, number(0)), (more,), (fewer,))

    def _near(self) -> list[Stmt]:
        """The sums of what is near, and whether others are the same."""
        loop = self._loop
        body: list[Stmt] = []
        sums = {one.line: one for one in self._sums}
        for node in loop.body:
            assert isinstance(node, Assign)
            if one := sums.get(node):
                value = _instead(node.value, self._power(one, _NEAR))
                kept = Assign(self._cell(one, 1), one.own)
                body += replace(node, value=value), kept
            else:
                body.append(node)
        looks = []
        for one in self._sums:
            assert one.term is not None
            term = _instead(one.term, self._power(one, _OTHER))
            other = infix(one.op, self._cell(one, 0), term, one.own.kind)
            apart = intrinsic("unequal", of(INT), other, self._cell(one, 1))
            looks.append(Assign(self._apart, infix("|", self._apart, apart)))
        made = [
            Assign(self._power(one, word), _named(one, word))
            for one in self._sums
            for word in (_NEAR, _OTHER)
            if one.own.name in self._powers
        ]
        first = (Assign(self._cell(one, 0, self._at), one.own) for one in self._sums)
        ahead = [replace(loop, body=(*made,))] if made else []
        return [
            *ahead,
            *first,
            replace(loop, body=(*body,)),
            replace(loop, body=(*looks,)),
        ]

    def _power(self, one: Sum, word: str) -> Expr:
        """What stands in place of the power of a sum.

        Args:
            one: it. word: which of the two numbers.
        """
        names = self._powers.get(one.own.name)
        if names is None:
            return _named(one, word)
        place = sub(Var(self._loop.var), self._at)
        name = names[word == _OTHER]
        return Expr("local cell", one.power.kind, (tree.index(place),), name)

    def _cell(self, one: Sum, further: int, at: Var | None = None) -> Expr:
        """Where a sum is kept.

        Args:
            one: it. further: 1 behind an iteration.
            at: which; None for that of the loop.
        """
        place = sub(add(at or Var(self._loop.var), Const(further)), self._at)
        name = self._cells[one.own.name]
        return Expr("local cell", one.own.kind, (tree.index(place),), name)


def _begins(one: Sum) -> Expr:
    """Whether a sum is away from zero: from there on it only grows, if it does."""
    if not one.grows:
        return infix("!=", one.own, tree.constant(0.0, of(FLOAT)))
    if one.op == "-":
        return infix("<", one.own, tree.constant(-_LEAST, of(FLOAT)))
    return infix(">", one.own, tree.constant(_LEAST, of(FLOAT)))


def _named(one: Sum, word: str) -> Expr:
    """One of the two numbers that the power of a sum is, see ``NearSums._power``."""
    word += "_sure" if word == _OTHER and not one.grows else ""
    return intrinsic(word, one.power.kind, *one.power.parts)


def _instead(expr: Expr, other: Expr) -> Expr:
    """A value with something else in place of its only power."""
    if is_power(expr):
        return replace(other, kind=expr.kind)
    parts = tuple(_instead(part, other) for part in expr.parts)
    return expr if parts == expr.parts else replace(expr, parts=parts)
