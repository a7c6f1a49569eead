"""Subscripts that are inside of their axes, looked at once for a whole loop.

What a subscript is at least and at most in all rounds says so before the loops begin:
there are two versions of them then. And of the rounds of an innermost loop all those in
the middle need no look, where the first or the last go around an axis. (Midkiff,
Moreira, Snir, IBM Systems Journal 37, 1998.)
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from looptx.lower.known.lines import (
    Lines,
    bounds,
    changed,
    counting,
    is_short,
    negative,
    never_negative,
    rounds,
    tested,
)
from looptx.lower.known.picked import Pick, picked
from looptx.lower.limits import SIZES
from looptx.lower.scope import Scope
from looptx.lower.tree import (
    KEPT,
    Assign,
    Block,
    Expr,
    For,
    Function,
    If,
    Jump,
    Run,
    Stmt,
    While,
    both,
    dangers,
    expressions,
    index,
    loops,
    number,
    parts,
    statements,
    test,
    variable,
)
from looptx.lower.vectors.strips import rewritten
from looptx.model.expr import (
    Compare,
    Const,
    IntExpr,
    Max,
    Min,
    Var,
    sub,
    variables,
)
from looptx.model.records import dataclass, field, replace
from looptx.model.shapes import is_extent

_TESTS = ("at", "wrap", "mod")
"""What takes an integer to where it lies on an axis, which it is itself if it does."""

_MOST = 12
"""Conditions that are tested in front of a loop."""

_LARGEST = 400
"""How large loops may be that are written twice."""


def with_inside(scope: Scope, one: Function) -> Function:
    """A function whose loops look at their subscripts before they begin.

    Args:
        scope: the nest. one: the function.
    """
    if one.team or not any(map(_is_test, parts(one.body))):
        return one
    if any(part.lanes > 1 for part in parts(one.body)):
        return one
    made = _Inside(scope, {**one.variables}, small(scope))
    body = made.block(one.body)
    return replace(one, body=body, variables=made.declared)


def _is_test(expr: Expr) -> bool:
    called = expr.intrinsic
    return called is not None and called.operation in _TESTS and not called.dtype


def small(scope: Scope) -> frozenset[str]:
    """The variables that never come near the ends of 64 bits."""
    nest = scope.planned.nest
    found = {scope.parameter(x) for x in nest.parameters if not is_extent(x)}
    found |= {scope.names(loop.var) for loop in nest.loops.values()}
    return frozenset(found)


@dataclass(slots=True)
class _Inside:
    """Rewrites loops.

    Attributes:
        scope: the nest. declared: the variables of the function.
        small: those of them that the entry keeps small.
    """

    scope: Scope
    declared: dict[str, str]
    small: frozenset[str]

    def block(self, block: Block) -> Block:
        """Statements, with two versions of loops where that makes one simpler."""
        lines: list[Stmt] = []
        for node in block:
            match node:
                case For():
                    lines += self._nest(node)
                case If(cond, body, orelse):
                    lines.append(If(cond, self.block(body), self.block(orelse)))
                case While(cond, body, orelse):
                    lines.append(While(cond, self.block(body), orelse))
                case _:
                    lines.append(node)
        return (*lines,)

    def _nest(self, node: For) -> Block:
        """A loop, and all in it."""
        lines = Lines(changed((node,)))
        look = _Look(lines, picks=picked(node, lines))
        fast = look.block((node,))
        if look.removed and not look.needs:
            return rewritten(fast, self._inner)
        clean = look.removed and not dangers(expressions(fast))
        if clean and self._fits(node, look.needs):
            quick = rewritten(fast, self._inner)
            return (If(both(*self._all(look.needs)), quick, (_slow(node),)),)
        return rewritten((node,), self._inner)

    def _inner(self, node: Stmt) -> list[Stmt]:
        """A loop without others inside, whose rounds in the middle need no look."""
        if not isinstance(node, For) or node.step is not None or node.orelse:
            return [node]
        if is_short(node) or not all(map(is_short, loops(node.body))):
            return [node]
        if any(isinstance(x, Jump | While) for x in statements(node.body)):
            return [node]
        lines = Lines(changed((node,)))
        start, stop = lines.of(node.start), lines.of(node.stop)
        if start is None or stop is None or node.var in changed(node.body):
            return [node]
        own = rounds(node.var, start, stop)
        look = _Look(replace(lines, loops=(own,)), node.var, picked(node, lines))
        fast = replace(node, body=look.block(node.body))
        if look.removed and not look.needs:
            return [fast]
        clean = look.removed and not dangers(expressions((fast,)))
        if not clean or not self._fits(node, look.needs):
            return [node]
        return self._apart(node, fast, look.needs)

    def _fits(self, node: For, needs: Collection[IntExpr]) -> bool:
        """Whether another version of a loop is not too much to write."""
        size = sum(1 for _ in parts((node,)))
        return len(needs) <= _MOST and size <= _LARGEST

    def _all(self, needs: Collection[IntExpr], of: str = "") -> list[Expr]:
        """That integers are not negative, and what they are made of is not large.

        Args:
            needs: the integers. of: the variable of a loop; what has it is left out.
        """
        names = {name for need in needs for name in variables(need)} - {of}
        far = sorted(x for x in names - self.small if not is_extent(x))
        limits = [
            test(Compare(op, Var(name), Const(end)))
            for name in far
            for op, end in ((">", -SIZES), ("<", SIZES))
        ]
        fixed = [need for need in needs if of not in variables(need)]
        return [*limits, *(test(Compare(">=", need, Const(0))) for need in fixed)]

    def _apart(self, node: For, fast: For, needs: Collection[IntExpr]) -> list[Stmt]:
        """A loop in pieces.

        Args:
            node: the loop. fast: where all needs are met. needs: what these are.
        """
        slow, sure = _slow(node), self._all(needs, node.var)
        ends = [bounds(need, node.var) for need in needs]
        lows = [low for low, _ in ends if low is not None]
        highs = [high for _, high in ends if high is not None]
        if not lows and not highs:
            return [If(both(*sure), (fast,), (slow,))]
        begin, end, low, high = (
            self._fresh(f"{node.var}_{word}")
            for word in ("begin", "end", "low", "high")
        )
        first = Min((_of(Max, [begin, *lows]), Var(end.name)))
        last = Max((_of(Min, [end, *highs]), Var(low.name if lows else begin.name)))
        inner = [Assign(low, index(first))] if lows else []
        inner += [Assign(high, index(last))] if highs else []
        none = [Assign(low, end)] if lows else []
        none += [Assign(high, end if lows else begin)] if highs else []
        lines: list[Stmt] = [Assign(begin, node.start), Assign(end, node.stop)]
        lines += [If(both(*sure), (*inner,), (*none,))] if sure else inner
        before = replace(slow, start=begin, stop=low)
        behind = replace(slow, start=high, stop=end)
        if not highs:
            return [*lines, before, replace(fast, start=low, stop=end)]
        if not lows:
            return [*lines, replace(fast, start=begin, stop=high), behind]
        # What is before and behind are two rounds of one loop, in the second of which
        # nothing is left for the other.
        fast = replace(fast, start=low, stop=high)
        later = (Assign(begin, high), Assign(low, end), Assign(high, end))
        part = self._fresh(f"{node.var}_part")
        both_ends = For(part.name, number(0), number(2), (before, fast, *later))
        return [*lines, both_ends]

    def _fresh(self, stem: str) -> Expr:
        name = self.scope.names.fresh(stem)
        self.declared[name] = "Py_ssize_t"
        return variable(name)


def _of(pick: type[Min] | type[Max], args: list[Expr | IntExpr]) -> IntExpr:
    """The least or the greatest of some integers."""
    given = tuple(Var(x.name) if isinstance(x, Expr) else x for x in args)
    return given[0] if len(given) == 1 else pick(given)


def _slow(node: For) -> For:
    """The version of a loop that C is not to spend time on."""

    def kept(one: Stmt) -> list[Stmt]:
        if isinstance(one, For) and not any(loops(one.body)):
            return [replace(one, body=(KEPT, *one.body))]
        return [one]

    (made,) = rewritten((node,), kept)
    assert isinstance(made, For)
    return made


@dataclass(slots=True)
class _Look:
    """Takes the tests out of what stands in loops.

    Attributes:
        lines: what integers are where it looks.
        kept: the variable of a loop that needs may have.
        picks: the values of variables that are one of a few.
        needs: what must not be negative then. removed: how many tests are taken out.
    """

    lines: Lines
    kept: str = ""
    picks: Mapping[str, Sequence[Pick]] = field(default_factory=dict)
    needs: dict[IntExpr, None] = field(default_factory=dict)
    removed: int = 0

    def block(self, block: Block) -> Block:
        """Statements without tests."""
        return tuple(map(self._statement, block))

    def _statement(self, node: Stmt) -> Stmt:
        match node:
            case Assign(target, value, op):
                places = tuple(map(self._expr, target.parts))
                node = Assign(replace(target, parts=places), self._expr(value), op)
                if target.op == "name":
                    self._assigned(node)
            case If(cond, body, orelse):
                node = If(self._expr(cond), self._inside(body), self._inside(orelse))
                self._forget((node,))
            case For():
                node = self._for(node)
            case While():
                node = self._while(node)
            case Run(call):
                node = Run(self._expr(call))
        return node

    def _assigned(self, node: Assign) -> None:
        """Note what a variable is from now on."""
        name = node.target.name
        found = self.lines.of(node.value) if not node.op else None
        self._forget((node,))
        whole = node.target.kind.dtype == "int64"
        if found is not None and whole and name in self.lines.changed:
            self.lines.known[name] = found

    def _forget(self, block: Block) -> None:
        """What statements assign may be anything, and so may what is made of it."""
        self.lines = self.lines.without(changed(block))

    def _inside(self, block: Block) -> Block:
        """Statements that run perhaps, with what is known in front of them."""
        around = self.lines
        self.lines = replace(around, known={**around.known})
        made = self.block(block)
        self.lines = around
        return made

    def _for(self, node: For) -> For:
        start, stop = (self._expr(x) for x in (node.start, node.stop))
        begin, end = self.lines.of(start), self.lines.of(stop)
        self._forget((node,))
        around = self.lines
        new = changed(node.body)
        plain = node.step is None and node.var not in new
        if plain and begin is not None and end is not None:
            kept = new.isdisjoint(variables(begin) | variables(end))
            own = (rounds(node.var, begin, end),) if kept else ()
            self.lines = around.within(own)
        body = self._inside(node.body)
        self.lines = around
        orelse = self._inside(node.orelse)
        self._forget((node,))
        return replace(node, start=start, stop=stop, body=body, orelse=orelse)

    def _while(self, node: While) -> While:
        """A loop that counts by itself: what it tests holds until it counts."""
        counts = counting(node, self.lines)
        self._forget((node,))
        around = self.lines
        whole = node.cond.op == "and"
        asked = []
        for one in node.cond.parts if whole else (node.cond,):
            self.lines = around.within(x.rounds for x in counts.values())
            asked.append(self._expr(one))
            counts = tested(one, counts, around)
        self.lines = around.within(x.rounds for x in counts.values())
        body = self._inside(node.body)
        self.lines = around
        orelse = self._inside(node.orelse)
        self._forget((node,))
        if not orelse:
            left = [x.left(self._is_always) for x in counts.values()]
            self.lines = self.lines.within(left)
        cond = replace(node.cond, parts=(*asked,)) if whole else asked[0]
        return While(cond, body, orelse)

    def _expr(self, expr: Expr) -> Expr:
        parts = tuple(map(self._expr, expr.parts))
        if parts != expr.parts:
            expr = replace(expr, parts=parts)
        if not _is_test(expr):
            return expr
        value, extent = expr.parts[:2]
        values, size = self._values(value), self.lines.of(extent)
        if size is None:
            return expr
        needs = [self._needed(expr, pick, size) for pick in values]
        if not needs or None in needs:
            return expr
        self.needs.update(dict.fromkeys(x for own in needs for x in own or ()))
        self.removed += 1
        return replace(value, kind=expr.kind)

    def _values(self, value: Expr) -> Sequence[Pick]:
        """What an integer is, or may be; nothing if that is not known."""
        at = self.lines.of(value)
        if at is not None:
            return (Pick(at, self.lines),)
        return self.picks.get(value.name, ()) if value.op == "name" else ()

    def _needed(self, expr: Expr, pick: Pick, size: IntExpr) -> list[IntExpr] | None:
        """What must not be negative for an integer to be on an axis; None: it is not.

        Args:
            expr: the test. pick: the integer. size: the extent.
        """
        assert expr.intrinsic is not None
        ends, found = [pick.value], []
        if expr.intrinsic.operation != "wrap":
            ends.append(sub(sub(size, pick.value), Const(1)))
        for end in ends:
            kept = self.kept if pick.lines is self.lines else ""
            ways = [*pick.lines.least(end, kept)]
            if any(map(self._is_sure, ways)):
                continue
            ways = [way for way in ways if not negative(way)]
            if not ways:
                return None
            found.append(ways[0])
        return found

    def _is_always(self, need: IntExpr) -> bool:
        """Whether an integer is not negative, by the rounds of loops."""
        return any(map(self._is_sure, self.lines.least(need)))

    def _is_sure(self, need: IntExpr) -> bool:
        """Whether an integer is not negative in any round."""
        lines = replace(self.lines, loops=self.lines.loops[:1] if self.kept else ())
        return any(map(never_negative, lines.least(need)))
