"""A second implementation of what schedules mean, by enumeration and without isl.

Nests are drawn at random, their instances enumerated at small sizes, and positions
evaluated from their definitions. Only the frozen model is shared with looptx.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence

from hypothesis import strategies as st

from looptx.errors import Place
from looptx.looptree.nodes import Block, Call, For, If, Let
from looptx.model.expr import (
    TRUE,
    Add,
    And,
    Compare,
    Cond,
    Const,
    FloorDiv,
    IntExpr,
    Max,
    Min,
    Mod,
    Mul,
    Not,
    Or,
    Select,
    Start,
    Var,
    add,
    mod,
    mul,
)
from looptx.model.program import (
    Access,
    Loop,
    LoopNode,
    Nest,
    Node,
    Statement,
    StatementNode,
)
from looptx.model.schedule import Band, Schedule, path
from looptx.model.schedule import Sequence as InOrder

PLACE = Place("test.py", 1)
Instance = tuple[str, tuple[int, ...]]


def value(expr: IntExpr, env: Mapping[str, int], starts: Mapping[str, int]) -> int:
    """An expression, evaluated the way Python does."""

    def of(part: IntExpr) -> int:
        return value(part, env, starts)

    match expr:
        case Const(number):
            return number
        case Var(name):
            return env[name]
        case Start(loop):
            return starts[loop]
        case Add(terms):
            return sum(map(of, terms))
        case Mul(factors):
            result = 1
            for factor in factors:
                result *= of(factor)
            return result
        case FloorDiv(left, right):
            return of(left) // of(right)
        case Mod(left, right):
            return of(left) % of(right)
        case Min(args):
            return min(map(of, args))
        case Max(args):
            return max(map(of, args))
        case Select(cond, then, other):
            return of(then if holds(cond, env, starts) else other)
    raise TypeError(expr)


def holds(cond: Cond, env: Mapping[str, int], starts: Mapping[str, int]) -> bool:
    """A condition, evaluated."""
    match cond:
        case Compare(op, left, right):
            a, b = value(left, env, starts), value(right, env, starts)
            return {
                "<": a < b,
                "<=": a <= b,
                "==": a == b,
                "!=": a != b,
                ">=": a >= b,
                ">": a > b,
            }[op]
        case And(args):
            return all(holds(arg, env, starts) for arg in args)
        case Or(args):
            return any(holds(arg, env, starts) for arg in args)
        case Not(arg):
            return not holds(arg, env, starts)
    raise TypeError(cond)


def enumerate_nest(
    nest: Nest, sizes: Mapping[str, int]
) -> tuple[list[Instance], dict[str, int]]:
    """The instances in source order, and the first value of every loop that runs."""
    order: list[Instance] = []
    seen: dict[str, list[int]] = {}

    def visit(node: Node, env: dict[str, int]) -> None:
        if isinstance(node, StatementNode):
            statement = nest.statements[node.statement]
            if holds(statement.guard, env, {}):
                order.append(
                    (statement.name, tuple(env[loop] for loop in statement.loops))
                )
            return
        loop = node.loop
        first, last = value(loop.start, env, {}), value(loop.stop, env, {})
        for number in range(first, last, loop.step):
            seen.setdefault(loop.id, []).append(number)
            for child in node.body:
                visit(child, {**env, loop.id: number})

    for root in nest.body:
        visit(root, dict(sizes))
    starts = {
        name: min(values) if nest.loops[name].step > 0 else max(values)
        for name, values in seen.items()
    }
    return order, starts


def time(
    schedule: Schedule,
    instance: Instance,
    sizes: Mapping[str, int],
    starts: Mapping[str, int],
) -> tuple[int, ...]:
    """The position vector of an instance, textual order included."""
    name, point = instance
    loops = schedule.nest.statements[name].loops
    env = {**sizes, **dict(zip(loops, point, strict=True))}
    vector = []
    for node, taken in path(schedule.tree, name):
        if isinstance(node, Band):
            vector.append(value(schedule.position[node.dim.uid][name], env, starts))
        elif isinstance(node, InOrder):
            vector.append(taken)
    return tuple(vector)


def run(block: Block, nest: Nest, env: Mapping[str, int]) -> list[Instance]:
    """The instances a generated program visits, in order."""
    order: list[Instance] = []

    def visit(nodes: Block, env: dict[str, int]) -> None:
        for node in nodes:
            match node:
                case For(var, start, stop, step, body):
                    for number in range(
                        value(start, env, {}), value(stop, env, {}), step
                    ):
                        visit(body, {**env, var: number})
                case If(cond, body):
                    if holds(cond, env, {}):
                        visit(body, env)
                case Let(var, number):
                    env = {**env, var: value(number, env, {})}
                case Call(name, index):
                    loops = nest.statements[name].loops
                    order.append(
                        (name, tuple(value(index[loop], env, {}) for loop in loops))
                    )

    visit(block, dict(env))
    return order


def cells(
    nest: Nest, instance: Instance, sizes: Mapping[str, int]
) -> Iterator[tuple[tuple[str, tuple[int, ...]], bool]]:
    """The cells an instance touches, and whether it writes them."""
    name, point = instance
    statement = nest.statements[name]
    env = {**sizes, **dict(zip(statement.loops, point, strict=True))}
    for access in statement.accesses:
        where = tuple(
            value(sub, env, {}) for sub in access.subscripts if sub is not None
        )
        yield (access.array, where), access.write


def conflicts(
    nest: Nest, first: Instance, second: Instance, sizes: Mapping[str, int]
) -> bool:
    """Whether two instances touch one cell and at least one writes it."""
    for (ours, write), (theirs, other) in itertools.product(
        cells(nest, first, sizes), cells(nest, second, sizes)
    ):
        if ours == theirs and (write or other):
            return True
    return False


def broken_order(
    nest: Nest,
    order: Sequence[Instance],
    times: Mapping[Instance, tuple[int, ...]],
    sizes: Mapping[str, int],
) -> bool:
    """Whether some conflicting pair changes its order."""
    return any(
        times[first] >= times[second] and conflicts(nest, first, second, sizes)
        for at, first in enumerate(order)
        for second in order[at + 1 :]
    )


def make_nest(
    root: LoopNode, statements: Sequence[Statement], parameters: Sequence[str]
) -> Nest:
    """A nest of hand-made parts; subscripts are taken as they are."""
    loops: dict[str, Loop] = {}

    def collect(node: Node) -> None:
        if isinstance(node, LoopNode):
            loops[node.loop.id] = node.loop
            for child in node.body:
                collect(child)

    collect(root)
    arrays = tuple(dict.fromkeys(a.array for s in statements for a in s.accesses))
    return Nest(
        name="n0",
        body=(root,),
        loops=loops,
        statements={s.name: s for s in statements},
        arrays=arrays,
        scalars=(),
        parameters=tuple(parameters),
        live_in=(),
        live_out=(),
        aliases=frozenset(),
        equal={},
        directives=(),
        first_line=1,
        last_line=1,
        indent="",
        place=PLACE,
    )


@st.composite
def nests(draw: st.DrawFn, depth: int = 3) -> Nest:
    """Random affine nests: imperfect, triangular, stepped, guarded."""
    statements: list[Statement] = []
    counter = itertools.count()
    names = iter("ijkpqrstuv")

    def bound(outer: Sequence[str]) -> IntExpr:
        kind = draw(st.integers(0, 5))
        if kind == 0:
            return Const(draw(st.integers(0, 5)))
        if kind == 1 and outer:
            return add(
                Var(draw(st.sampled_from(list(outer)))), Const(draw(st.integers(-1, 1)))
            )
        return add(
            Var(draw(st.sampled_from("nm"))),
            Const(draw(st.sampled_from([0, 0, 0, -1]))),
        )

    def subscript(outer: Sequence[str]) -> IntExpr:
        # Far from 0, so that no subscript counts from the end.
        terms: list[IntExpr] = [Const(50 + draw(st.integers(-1, 1)))]
        for name in draw(
            st.lists(st.sampled_from(list(outer)), min_size=0, max_size=2)
        ):
            terms.append(mul(Const(draw(st.sampled_from([1, 1, 1, -1, 2]))), Var(name)))
        total = add(*terms)
        if draw(st.integers(0, 9)) == 0:
            total = mod(total, draw(st.integers(2, 3)))
        return total

    def statement(outer: Sequence[str]) -> Node:
        name = f"S{next(counter)}"
        accesses = [
            Access(
                draw(st.sampled_from("AB")),
                (subscript(outer), subscript(outer)),
                write=at == 0,
            )
            for at in range(draw(st.integers(1, 3)))
        ]
        guard: Cond = TRUE
        if draw(st.integers(0, 5)) == 0:
            op = draw(st.sampled_from(["<", "==", ">=", "!="]))
            guard = Compare(op, Var(draw(st.sampled_from(list(outer)))), bound(outer))
        statements.append(
            Statement(name, tuple(outer), guard, tuple(accesses), (), PLACE)
        )
        return StatementNode(name)

    def loop(outer: Sequence[str], left: int) -> LoopNode:
        var = next(names)
        step = draw(st.sampled_from([1, 1, 1, 1, 2, 3, -1, -2]))
        low: IntExpr = Const(draw(st.sampled_from([0, 0, 0, 1, 2])))
        if outer and draw(st.integers(0, 4)) == 0:
            low = Var(draw(st.sampled_from(list(outer))))
        high = bound(outer)
        start, stop = (low, high) if step > 0 else (high, low)
        inner = (*outer, var)
        body: list[Node] = []
        for _ in range(draw(st.sampled_from([1, 1, 1, 2]))):
            if left > 1 and draw(st.integers(0, 3)):
                body.append(loop(inner, left - 1))
            else:
                body.append(statement(inner))
        if left > 1 and draw(st.booleans()):
            body.insert(0, statement(inner))
        return LoopNode(Loop(var, var, start, stop, step, PLACE), tuple(body))

    root = loop((), draw(st.integers(1, depth)))
    return make_nest(root, statements, ("n", "m"))


@st.composite
def directives(draw: st.DrawFn, names: Sequence[str]) -> list[str]:
    """Random directive texts over the loops of a nest (some may not apply)."""
    known = list(names)
    result = []
    for _ in range(draw(st.integers(1, 4))):
        verb = draw(
            st.sampled_from(["split", "tile", "reorder", "skew", "pad", "reorder"])
        )
        one = draw(st.sampled_from(known))
        if verb == "split":
            result.append(f"split {one} {draw(st.integers(1, 5))}")
            known.append(one + one[0])
        elif verb == "tile":
            some = draw(
                st.lists(st.sampled_from(known), min_size=1, max_size=2, unique=True)
            )
            sizes = [f"{name}={draw(st.integers(2, 4))}" for name in some]
            result.append(f"tile {' '.join(sizes)}")
            known.extend(name + name[0] for name in some)
        elif verb == "reorder" and len(known) > 1:
            some = draw(
                st.lists(st.sampled_from(known), min_size=2, max_size=4, unique=True)
            )
            result.append(f"reorder {' '.join(some)}")
        elif verb == "skew" and len(known) > 1:
            pair = draw(
                st.lists(st.sampled_from(known), min_size=2, max_size=2, unique=True)
            )
            by = draw(st.sampled_from(["", " by 2", " by -1"]))
            result.append(f"skew {pair[0]} {pair[1]}{by}")
        elif verb == "pad":
            result.append(f"pad {one} {draw(st.integers(0, 3))}")
    return result
