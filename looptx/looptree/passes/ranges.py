"""Index set splitting: no guard stays in a loop where bounds can say it.

``for i in range(a, b)`` with nothing but ``if i < n`` in it runs up to ``min(b, n)``.
Where more stands in it, it becomes two loops, before ``n`` and from there on; a guard
that is the same for all iterations stands around two loops. What is in a loop is only
written twice where that keeps a guard out of an innermost loop, and not too often.
(Griebl, Feautrier, Lengauer: "Index set splitting", 2000.)
"""

from __future__ import annotations

from collections.abc import Iterator

from looptx.looptree.nodes import Block, Call, For, If, Let, LoopTree
from looptx.looptree.passes.bounds import Facts
from looptx.looptree.passes.redundant import drop_guards
from looptx.looptree.walk import bound, nodes
from looptx.model.expr import (
    ONE,
    ZERO,
    And,
    Compare,
    Cond,
    Const,
    IntExpr,
    Max,
    Min,
    Or,
    Var,
    add,
    compare,
    conj,
    divisors,
    floordiv,
    linear,
    maximum,
    minimum,
    mod,
    mul,
    neg,
    negate,
    sub,
    variables,
)
from looptx.model.records import replace

MOST_CALLS = 12
"""How often the parts of an innermost loop may call, if that is more than it did."""


MOST_WORK = 6000
"""How many comparisons are decided to find out where loops are best cut."""


def ranges(block: Block, facts: Facts) -> Block:
    """The block, conditions on loop variables said by the bounds of loops.

    Args:
        block: the loops, simplified.
        facts: what holds before them.
    """
    return _Search().block(block, facts)


class _Search:
    """Looks for where to cut loops, as long as that is not too much work."""

    def __init__(self) -> None:
        self.left = MOST_WORK

    def block(self, block: Block, facts: Facts) -> Block:
        """The block with all its loops cut."""
        result: list[LoopTree] = []
        for node in block:
            match node:
                case For():
                    node = _trimmed(node, facts)
                    body = self.block(node.body, facts.under(node))
                    node = replace(node, body=body)
                    result.extend(self.loop(node, facts, MOST_CALLS))
                case If(cond, body):
                    result.append(If(cond, self.block(body, facts.given(cond))))
                case _:
                    result.append(node)
        return tuple(result)

    def loop(self, loop: For, facts: Facts, most: int) -> Block:
        """A loop as one or several.

        Args:
            loop: the loop.
            facts: what holds before it.
            most: how often its parts may call, where that is more than it does.
        """
        match loop.body:
            case (If(cond, body),):
                tighter = _bounded(loop, cond, body, facts)
                if tighter is not None:
                    return tighter
        guards, calls = _guards(loop.body), _calls(loop.body)
        for part, inner in dict.fromkeys(_asked(loop.body, _innermost(loop.body))):
            self.left -= guards
            if self.left < 0:
                break
            for halves in _halves(loop, part, facts):
                made = [_calls((half,)) for half in halves]
                left = [_guards(half.body) for half in halves]
                fewer = max(left, default=0) <= guards
                if not fewer or sum(left) >= len(left) * guards:
                    continue
                if sum(made) > max(calls, most if inner else 0):
                    continue
                spare = max(calls, most) - sum(made)
                result: Block = ()
                for half, own in zip(halves, made, strict=True):
                    found = self.half(half, facts, own + spare)
                    spare += own - _calls(found)
                    result += found
                return result
        return (loop,)

    def half(self, half: For | If, facts: Facts, most: int) -> Block:
        """A half of a loop, looked at again."""
        match half:
            case For():
                return self.loop(half, facts, most)
            case If(cond, (For() as loop,)):
                return (If(cond, self.loop(loop, facts.given(cond), most)),)
        return (half,)


def _trimmed(loop: For, facts: Facts) -> For:
    """A loop without the bounds that others are seen to keep, the steps considered."""
    start, stop, step = loop.start, loop.stop, loop.step
    up = step > 0

    def kept(bound: IntExpr, nearest: bool) -> IntExpr:
        kind = Min if nearest == up else Max
        args = list(bound.args) if isinstance(bound, kind) else []
        for arg in args[:]:
            others = [other for other in args if other is not arg]
            if any(beats(other, arg, nearest) for other in others):
                args = others
        return kind(tuple(args)) if len(args) > 1 else args[0] if args else bound

    def beats(one: IntExpr, other: IntExpr, nearest: bool) -> bool:
        apart = sub(other, one) if nearest == up else sub(one, other)
        whole = nearest and mod(sub(one, start), abs(step)) == ZERO
        return facts.nonnegative(add(apart, Const(abs(step) - 1 if whole else 0)))

    return replace(loop, start=kept(start, False), stop=kept(stop, True))


def _bounded(loop: For, cond: Cond, body: Block, facts: Facts) -> Block | None:
    """A loop around nothing but a guard, said by its bounds or around it as a whole.

    None where that says nothing of the guard.
    """
    parts = cond.args if isinstance(cond, And) else (cond,)
    around: list[Cond] = []
    inside: list[Cond] = []
    only: IntExpr | None = None
    for part in parts:
        solved = _solved(part, loop, body)
        if _fixed(part, loop, body):
            around.append(part)
        elif solved is not None and solved[0] in (">=", "<"):
            loop = _within(loop, *solved, facts)
        elif solved is not None and solved[0] == "==" and only is None:
            only = solved[1]
        else:
            inside.append(part)
    if len(inside) == len(parts):
        return None
    body = (If(conj(*inside), body),) if inside else body
    whole = conj(*around)
    block = _once(loop, only, body) if only else (replace(loop, body=body),)
    block = drop_guards(block, facts.given(whole))
    return (If(whole, block),) if around and block else block


def _within(loop: For, op: str, value: IntExpr, facts: Facts) -> For:
    """The iterations of a loop at which its variable is ``op value``."""
    first, second = _cut(loop, value, facts)
    return second if (op == ">=") == (loop.step > 0) else first


def _once(loop: For, value: IntExpr, body: Block) -> Block:
    """The one iteration of a loop at a value, if there is one."""
    ops = (">=", "<") if loop.step > 0 else ("<=", ">")
    met = conj(
        compare(ops[0], value, loop.start),
        compare(ops[1], value, loop.stop),
        compare("==", mod(sub(value, loop.start), abs(loop.step)), ZERO),
    )
    return (If(met, (Let(loop.var, value), *body)),)


def _halves(loop: For, part: Compare, facts: Facts) -> Iterator[tuple[For | If, ...]]:
    """Ways to write a loop as two in which a comparison is decided, or nearer to it.

    A comparison that does not depend on an innermost loop stands around both.
    """
    if _fixed(part, loop, loop.body):
        if _innermost(loop.body):
            yield tuple(
                If(cond, (replace(loop, body=drop_guards(loop.body, inside)),))
                for cond in (part, negate(part))
                for inside in [facts.given(cond).under(loop)]
            )
        return
    solved = _solved(part, loop, loop.body)
    if solved is None:
        return
    op, value = solved
    for at in (value, add(value, ONE)) if op == "==" else (value,):
        halves = tuple(
            replace(half, body=body)
            for half in _cut(loop, at, facts)
            if not _empty(half, facts)
            for body in [drop_guards(half.body, facts.under(half))]
            if body
        )
        if len(halves) == 2:
            yield halves


def _fixed(part: Cond, loop: For, body: Block) -> bool:
    """Whether a condition can be asked once, before a loop that may be empty."""
    changing = bound(body) | {loop.var}
    return changing.isdisjoint(variables(part)) and not divisors(part)


def _solved(part: Cond, loop: For, body: Block) -> tuple[str, IntExpr] | None:
    """A comparison as ``var op value``, if it is one of a loop's variable.

    The operator is one of ``>= < ==``, and the value is known before the loop.
    """
    if not isinstance(part, Compare) or part.op == "!=" or loop.var in bound(body):
        return None
    apart = sub(part.left, part.right)
    factor = linear(apart)[0].get(Var(loop.var), 0)
    rest = sub(apart, mul(Const(factor), Var(loop.var)))
    if not factor or not _fixed(Compare("==", rest, ZERO), loop, body):
        return None
    if part.op == "==":
        return ("==", mul(Const(-factor), rest)) if abs(factor) == 1 else None
    # The comparison as factor * var + rest >= 0, or its opposite.
    if part.op in (">", "<="):
        rest = sub(rest, ONE)
    holds = part.op in (">=", ">")
    if factor > 0:
        value = floordiv(add(neg(rest), Const(factor - 1)), factor)
    else:
        value = add(floordiv(rest, -factor), ONE)
    return ">=" if holds == (factor > 0) else "<", value


def _cut(loop: For, value: IntExpr, facts: Facts) -> tuple[For, For]:
    """The iterations before a loop arrives at a value or passes it, and the others."""
    up = loop.step > 0
    at = value if up else sub(value, ONE)
    if up:
        first = add(at, mod(sub(loop.start, at), loop.step))
    else:
        first = sub(at, mod(sub(at, loop.start), -loop.step))
    return (
        replace(loop, stop=_extreme(loop.stop, at, up, facts)),
        replace(loop, start=_extreme(loop.start, first, not up, facts)),
    )


def _extreme(one: IntExpr, other: IntExpr, least: bool, facts: Facts) -> IntExpr:
    """The least or greatest of two values."""
    if facts.nonnegative(sub(other, one)):
        return one if least else other
    if facts.nonnegative(sub(one, other)):
        return other if least else one
    return minimum(one, other) if least else maximum(one, other)


def _empty(loop: For, facts: Facts) -> bool:
    gap = sub(loop.start, loop.stop)
    return facts.nonnegative(gap if loop.step > 0 else neg(gap))


def _asked(block: Block, inner: bool) -> Iterator[tuple[Compare, bool]]:
    """The comparisons of a loop's conditions, and of those in innermost loops in it.

    Each with whether it stands in an innermost loop.
    """
    for node in block:
        match node:
            case If(cond, body):
                for part in _comparisons(cond):
                    yield part, inner
                yield from _asked(body, inner)
            case For(body=body):
                found = _asked(body, _innermost(body))
                yield from (each for each in found if each[1])


def _innermost(body: Block) -> bool:
    """Whether a loop with this body is an innermost one."""
    return not any(isinstance(node, For) for node in nodes(body))


def _guards(block: Block) -> int:
    """How many comparisons a block's conditions are made of."""
    return sum(
        len([*_comparisons(node.cond)]) for node in nodes(block) if isinstance(node, If)
    )


def _comparisons(cond: Cond) -> Iterator[Compare]:
    match cond:
        case Compare(op):
            if op != "!=":  # Reads well, and would leave three loops.
                yield cond
        case And(args) | Or(args):
            for arg in args:
                yield from _comparisons(arg)


def _calls(block: Block) -> int:
    """How many calls are written in a block."""
    return sum(isinstance(node, Call) for node in nodes(block))
