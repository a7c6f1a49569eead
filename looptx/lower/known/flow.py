"""What variables are, statement by statement, and functions made simpler by it.

A loop is gone through until what its variables are where it begins does not grow any
more; what grows on and on may be anything of its type. Of a few rounds each is looked
at (Cousot, Cousot, POPL 1977).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from looptx.lower.kinds import BOOL, of
from looptx.lower.known.simpler import Simpler, has_rule
from looptx.lower.known.spans import Nonzero, Reals, Spans, within
from looptx.lower.scope import Scope
from looptx.lower.tree import (
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
    assignments,
    called,
    dangers,
    expressions,
    infix,
    loops,
    number,
    parts,
    statements,
    used,
    variable,
)
from looptx.lower.vectors.masks.conditions import COMPARISONS
from looptx.model.intervals.constant import ANY, Interval, exactly
from looptx.model.records import replace

_ROUNDS = 64
"""Rounds of a loop that are looked at one by one, at most."""

_GROWING = 2
"""How often what grows from round to round is looked at, before it may be anything."""

_WORK = 20_000
"""Statements that are looked at in a function, at most: rounds are dear."""

_LARGEST = 200
"""How large a loop is at most whose first round is written apart."""

Known = dict[str, Interval | Reals | Nonzero]


def with_known(scope: Scope, one: Function) -> Function:
    """A function without the tests that what is known of its variables makes vain.

    Args:
        scope: the nest. one: the function.
    """
    texts = (x for x in scope.planned.nest.parameters if "." not in x)
    sizes = frozenset(map(scope.parameter, texts))
    given = {n: c for n, c in one.arguments.items() if isinstance(c, str)}
    flow = _Flow(Spans({**given, **one.variables}, sizes))
    if not flow.asks(one.body):
        return one
    lines: list[Stmt] = []
    flow.block(one.body, {}, lines)
    body = (*lines,)
    if body == one.body:
        return one
    own = any(isinstance(x, str) for x in called(body))
    raises = one.raises and (own or bool(dangers(expressions(body))))
    return replace(one, body=body, raises=raises)


class _Flow:
    """Goes through statements.

    Args:
        spans: tells what expressions may be.
    """

    def __init__(self, spans: Spans) -> None:
        self.spans = spans
        self.simpler = Simpler(spans)
        self.left = _WORK
        self.jumps: list[dict[str, list[Known]]] = []
        self.settled: list[For] = []

    def block(
        self, block: Block, known: Known | None, lines: list[Stmt] | None = None
    ) -> Known | None:
        """What is known behind statements; None where nothing comes.

        Args:
            block: the statements. known: what is in front of them.
            lines: gets them, made simpler.
        """
        for node in block:
            self.left -= 1
            if known is None:
                if lines is not None:
                    lines.append(node)
                continue
            known = self._statement(node, known, lines)
        return known

    def _statement(
        self, node: Stmt, known: Known, lines: list[Stmt] | None
    ) -> Known | None:
        match node:
            case Assign():
                return self._assign(node, known, lines)
            case If():
                return self._if(node, known, lines)
            case For():
                return self._for(node, known, lines)
            case While():
                return self._while(node, known, lines)
            case Jump(word):
                if self.jumps:
                    self.jumps[-1][word].append(known)
                if lines is not None:
                    lines.append(node)
                return None
            case Run(call) if lines is not None:
                lines.append(Run(self.simpler(call, known)))
                return known
        if lines is not None:
            lines.append(node)
        return known

    def _assign(self, node: Assign, known: Known, lines: list[Stmt] | None) -> Known:
        target, value = node.target, node.value
        if lines is not None:
            parts = tuple(self.simpler(part, known) for part in target.parts)
            made = self.simpler(value, known)
            if parts != target.parts or made != value:
                node = replace(node, target=replace(target, parts=parts), value=made)
            lines.append(node)
        if target.op != "name":
            return known
        if node.op:
            value = Expr(node.op, target.kind, (target, value))
        own, after = self.spans.variable(target.name, {}), {**known}
        after.pop(target.name, None)
        if own is ANY:
            real = self.spans.real(value, known)
            if real is not None:
                after[target.name] = real
        elif within(found := self.spans.of(value, known), own):
            after[target.name] = found
        return after

    def _if(self, node: If, known: Known, lines: list[Stmt] | None) -> Known | None:
        cond = node.cond if lines is None else self.simpler(node.cond, known)
        decided = None if dangers([cond]) else self.spans.of(cond, known).number
        after: list[Known | None] = []
        sides: list[Block] = []
        for holds, body in ((True, node.body), (False, node.orelse)):
            here = self.spans.where(cond, known, holds)
            if decided is not None and bool(decided) != holds:
                here = None
            made: list[Stmt] | None = None if lines is None else []
            after.append(self.block(body, None if here is None else {**here}, made))
            sides.append((*(made or ()),))
        if lines is not None:
            if decided is None:
                lines.append(If(cond, *sides))
            else:
                lines += sides[0] if decided else sides[1]
        return _either(*after)

    def _for(self, node: For, known: Known, lines: list[Stmt] | None) -> Known | None:
        again = any(node is one for one in self.settled)
        if lines is not None:
            start, stop = (self.simpler(x, known) for x in (node.start, node.stop))
            node = replace(node, start=start, stop=stop)
        values, rounds = self._values(node, known), self._rounds(node, known)
        head, last, left = (
            self._few(node, known, rounds)
            if rounds
            else self._many(node, known, values)
        )
        if lines is None:
            return _either(self.block(node.orelse, last), *left)
        body: list[Stmt] = [] if head is not None else [*node.body]
        if head is not None:
            self._round(node.body, head, body)
        first = self._peeled(node, known, values, body) if not again else ()
        if first:
            return self.block(first, known, lines)
        orelse: list[Stmt] = []
        last = self.block(node.orelse, last, orelse)
        lines.append(replace(node, body=(*body,), orelse=(*orelse,)))
        return _either(last, *left)

    def _while(
        self, node: While, known: Known, lines: list[Stmt] | None
    ) -> Known | None:
        head, _, left = self._grown(node, known, lambda at: self._where(node.cond, at))
        cond = node.cond if lines is None else self.simpler(node.cond, head)
        made: list[Stmt] | None = None if lines is None else []
        here = self._where(cond, head)
        if lines is not None and here is not None:
            self._round(node.body, here, made)
        out = self.spans.where(cond, head, False)
        orelse: list[Stmt] | None = None if lines is None else []
        last = self.block(node.orelse, None if out is None else {**out}, orelse)
        if lines is not None:
            body = (*(made or ()),) if here is not None else node.body
            lines.append(While(cond, body, (*(orelse or ()),)))
        return _either(last, *left)

    def _where(self, cond: Expr, known: Known) -> Known | None:
        """What is known where a condition holds."""
        found = self.spans.where(cond, known, True)
        return None if found is None else {**found}

    def _round(
        self, body: Block, head: Known | None, lines: list[Stmt] | None = None
    ) -> tuple[Known | None, list[Known]]:
        """What is known behind a round of a loop, and where it leaves the loop.

        Args:
            body: of the loop. head: what is known where the round begins.
            lines: gets the body, made simpler.
        """
        self.jumps.append({"break": [], "continue": []})
        end = self.block(body, head, lines)
        jumps = self.jumps.pop()
        return _either(end, *jumps["continue"]), jumps["break"]

    def _values(self, node: For, known: Known) -> Interval:
        """What the variable of a loop is in its rounds."""
        step = node.step.number if node.step is not None else 1
        start, stop = (self.spans.of(x, known) for x in (node.start, node.stop))
        if not isinstance(step, int) or step == 0:
            return ANY
        if step > 0:
            return Interval(start.low, None if stop.high is None else stop.high - 1)
        return Interval(None if stop.low is None else stop.low + 1, start.high)

    def _rounds(self, node: For, known: Known) -> range:
        """The values of the variable of a loop of a few rounds; none of others."""
        start, stop = (self.spans.of(x, known).number for x in (node.start, node.stop))
        if node.step is not None or start is None or stop is None or self.left <= 0:
            return range(0)
        return range(start, stop) if stop - start <= _ROUNDS else range(0)

    def _few(
        self, node: For, known: Known, rounds: range
    ) -> tuple[Known | None, Known | None, list[Known]]:
        """What is known in all rounds of a loop, behind it, and where it is left."""
        head: Known | None = None
        last: Known | None = known
        left: list[Known] = []
        for value in rounds:
            if last is None:
                break
            here: Known = {**last, node.var: exactly(value)}
            head = here if head is None else _either(head, here)
            last, more = self._round(node.body, here)
            left += more
        return head, last, left

    def _many(
        self, node: For, known: Known, values: Interval
    ) -> tuple[Known | None, Known | None, list[Known]]:
        """As ``_few``, where it is not known how many rounds there are."""
        own = values.meet(self.spans.variable(node.var, {}))
        begun = {name: x for name, x in known.items() if name != node.var}
        head, end, left = self._grown(node, begun, lambda at: {**at, node.var: own})
        after = _either(known, end)
        if after is not None:
            after.pop(node.var, None)
        return {**head, node.var: own}, after, left

    def _grown(
        self, node: For | While, known: Known, begin: Callable[[Known], Known | None]
    ) -> tuple[Known, Known | None, list[Known]]:
        """What is known where any round begins, behind the last, and where it is left.

        Args:
            node: the loop. known: what is in front of it.
            begin: what is known then in the body, made of that.
        """
        head, seen = known, 0
        own = node.var if isinstance(node, For) else ""
        while True:
            if self.left <= 0:
                lost = _changed(node)
                head = {name: x for name, x in head.items() if name not in lost}
            end, left = self._round(node.body, begin(head))
            if end is None:
                return head, end, left
            grown = _either(head, {n: x for n, x in end.items() if n != own})
            assert grown is not None
            seen += 1
            if seen >= _GROWING:
                grown = {n: x for n, x in grown.items() if x == head[n]}
            if grown == head:
                return head, end, left
            head = grown

    def asks(self, block: Sequence[Stmt]) -> bool:
        """Whether something in statements may become simpler."""
        return any(map(self._may_be_simpler, parts(block)))

    def _may_be_simpler(self, expr: Expr) -> bool:
        if expr.op in COMPARISONS:  # Of what tells types.
            names = (part.name for part in expr.parts if part.op == "name")
            return any(self.spans.types.get(name) == "int" for name in names)
        return has_rule(expr)

    def _peeled(
        self, node: For, known: Known, values: Interval, made: Sequence[Stmt]
    ) -> Block:
        """A loop with its first round apart, where that makes the others simpler.

        Args:
            node: the loop. known: what is known in front of it.
            values: of its variable. made: its body, as simple as it is in all rounds.
        """
        ends = [Run(node.start), Run(node.stop)]
        fixed = _changed(node).isdisjoint(used(ends)) and not _reads(ends)
        whole = any(isinstance(x, Jump) for x in statements(node.body))
        if whole or not fixed or node.orelse or node.step is not None:
            return ()
        if not self.asks(made) or self.left <= 0:
            return ()
        if sum(1 for _ in parts(node.body)) > _LARGEST:
            return ()
        own = values.meet(self.spans.variable(node.var, {}))
        end, _ = self._round(node.body, {**known, node.var: own})
        if end is None:
            return ()
        lines: list[Stmt] = []
        self._round(node.body, self._many(node, end, values)[0], lines)
        if lines == made:
            return ()
        begin = self.spans.of(node.start, known).number
        second = infix("+", node.start, number(1))
        if begin is not None:
            second = number(begin + 1)
        others = replace(node, start=second)
        self.settled.append(others)
        first = (Assign(variable(node.var), node.start), *node.body, others)
        return (If(infix("<", node.start, node.stop, of(BOOL)), first),)


def _reads(block: Sequence[Stmt]) -> bool:
    """Whether statements may read cells, which others may have changed by then."""
    reading = ("cell", "local cell", "address", "call")
    return any(part.op in reading for part in parts(block))


def _changed(node: For | While) -> set[str]:
    """The variables that a loop gives values."""
    names = {one.target.name for one in assignments((node,)) if one.target.op == "name"}
    return names | {loop.var for loop in loops((node,))}


def _either(*several: Known | None) -> Known | None:
    """What is known where one of several is; None where none is."""
    found = [one for one in several if one is not None]
    if not found:
        return None
    first, *others = found
    for other in others:
        joined: Known = {}
        for name, one in first.items():
            two = other.get(name)
            if isinstance(one, Interval) and isinstance(two, Interval):
                joined[name] = one.join(two)
            elif isinstance(one, Reals) and isinstance(two, Reals):
                joined[name] = Reals(min(one.low, two.low), max(one.high, two.high))
            elif isinstance(one, Nonzero) and one == two:
                joined[name] = one
        first = joined
    return {**first}
