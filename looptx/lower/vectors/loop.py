"""Vector loops: as many iterations side by side as a vector has lanes, then the rest.

A loop in it runs for all lanes at once. (Explicit vectors as values of the program, and
of outer loops: Nuzman and Zaks, PACT 2006 and 2008.)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from looptx.looptree.nodes import For as Loop
from looptx.looptree.nodes import Let
from looptx.lower import tree
from looptx.lower.kinds import INT, of
from looptx.lower.scope import Scope
from looptx.lower.tree import (
    Assign,
    Block,
    Expr,
    For,
    If,
    Run,
    Stmt,
    While,
    infix,
    intrinsic,
    number,
    parts,
)
from looptx.lower.vectors.loads import loaded_once
from looptx.lower.vectors.masks.conditions import COMPARISONS
from looptx.lower.vectors.masks.masked import CELLS, cells
from looptx.lower.vectors.places import integer, moved
from looptx.lower.vectors.scalar import NUMBERS, Scalar
from looptx.lower.vectors.widening import Widening
from looptx.model.dtypes import DTYPES
from looptx.model.expr import (
    Const,
    IntExpr,
    Min,
    Var,
    add,
    floordiv,
    mul,
    neg,
    sub,
    variables,
)
from looptx.model.records import replace

WRITTEN_OUT = 8
"""So many vectors of a constant count are written out, without a loop."""

REPEATED = 8
"""So many statements at most are repeated for what is left over, for each width."""

SMALL, SIDE = 2, 2
"""A loop of so few statements has so many vectors of each beside each other: there is
less to count, and much to load before something is stored."""


def vector_loop(
    scope: Scope, node: Loop, plain: For, declared: dict[str, str]
) -> list[Stmt]:
    """A loop in vectors, and the rest of it.

    Args:
        scope: the nest.
        node: the loop.
        plain: the same, or a piece of it, one iteration after the other.
        declared: the variables of the function it is in: their types, by name.

    Raises:
        Scalar: it cannot be had so.
    """
    lanes, _ = room(scope, node, plain.body)
    start, stop = integer(plain.start), integer(plain.stop)
    if start is not None and stop is not None:
        count = sub(stop, start)
        if isinstance(count, Const) and all(isinstance(x, Assign) for x in plain.body):
            return _constant(scope, plain, declared, start, count.value, lanes)
    end = tree.variable(scope.names.fresh("end"))
    declared[end.name] = "Py_ssize_t"

    def vectors() -> list[Stmt]:
        return Widening(scope, plain.var, lanes, declared).statements(plain.body)

    def loop(side: int) -> tuple[For, list[Stmt]]:
        body = beside(vectors, plain.var, side, lanes)
        every = For(plain.var, plain.start, end, (*body,), number(side * lanes))
        return every, loaded_once(scope, every, declared)

    side, (every, lines) = 1, loop(1)
    small = len(plain.body) <= SMALL and lines == [every]
    if small and all(isinstance(line, Assign) for line in plain.body):
        side, (_, lines) = SIDE, loop(SIDE)
    size = number(side * lanes)
    whole = intrinsic("whole", of(INT), plain.start, plain.stop, size)
    lines = [Assign(end, whole), *lines]
    if len(plain.body) > REPEATED:
        return [*lines, replace(plain, start=end)]
    rest: list[Stmt] = []
    while side > 1:
        side //= 2
        body = beside(vectors, plain.var, side, lanes)
        rest.append(left(plain, end, body, side * lanes))
    while lanes > 2:
        lanes //= 2
        rest.append(left(plain, end, vectors(), lanes))
    rest.append(last(plain, end, plain.body))
    return [*lines, If(infix("<", end, plain.stop), (*rest,))]


def beside(
    vectors: Callable[[], list[Stmt]], var: str, side: int, lanes: int
) -> list[Stmt]:
    """Several vectors of each statement, those of one iteration after the other's.

    Args:
        vectors: makes one of each. var: of the loop.
        side: how many. lanes: of each.
    """
    if side == 1:
        return vectors()
    found: list[Stmt] = []
    for group in range(side):
        at = {var: add(Var(var), Const(group * lanes))}
        found += [shifted(line, at) for line in vectors()]
    return found


def left(plain: For, end: Expr, body: Sequence[Stmt], step: int) -> Stmt:
    """Statements that run once more where enough of a loop is left.

    Args:
        plain: the loop. end: the variable that says how far it has come.
        body: the statements. step: how many iterations they are.
    """
    lines = Assign(tree.variable(plain.var), end), *body
    enough = infix(">=", infix("-", plain.stop, end), number(step))
    return If(enough, (*lines, Assign(end, number(step), "+")))


def last(plain: For, end: Expr, body: Sequence[Stmt]) -> Stmt:
    """The iteration of a loop that may be left.

    Args:
        plain: the loop. end: the variable that says how far it has come.
        body: the statements of an iteration.
    """
    lines = Assign(tree.variable(plain.var), end), *body
    return If(infix("<", end, plain.stop), lines)


def by_one(node: Loop) -> Loop:
    """A loop that counts its iterations, in a variable of a name that none has."""
    var = f"{node.var} at"
    count = neg(floordiv(sub(node.start, node.stop), Const(node.step)))
    value = add(node.start, mul(Const(node.step), Var(var)))
    body = (Let(node.var, value), *node.body)
    return replace(node, var=var, start=Const(0), stop=count, step=1, body=body)


def room(scope: Scope, node: Loop, body: Sequence[Stmt]) -> tuple[int, int | None]:
    """How many lanes the vectors of a loop have, and how often it runs at most.

    Args:
        scope: the nest.
        node: the loop. body: its statements.

    Returns:
        The lanes, and the iterations as far as there is a number.

    Raises:
        Scalar: not even two lanes.
    """
    wanted = node.marks.vectorize or scope.vector
    start, stop = (scope.native(end) for end in (node.start, node.stop))
    ends = stop.args if isinstance(stop, Min) else (stop,)
    counts = [sub(end, start) for end in ends]
    most = [max(one.value, 0) for one in counts if isinstance(one, Const)]
    lanes = _lanes(min([wanted, *most]), scope.names(node.var), body, scope.vector)
    return lanes, min(most, default=None)


def _constant(
    scope: Scope,
    plain: For,
    declared: dict[str, str],
    start: IntExpr,
    count: int,
    lanes: int,
) -> list[Stmt]:
    """A loop of a constant count; what is left over has vectors of fewer lanes.

    Args:
        scope: the nest.
        plain: the loop, one iteration after the other.
        declared: the variables of the function it is in: their types, by name.
        start: where it begins. count: of its iterations.
        lanes: of its vectors, at most.
    """
    found: list[Stmt] = []
    while lanes > 1:
        groups = count // lanes
        if groups:
            found += _groups(
                Widening(scope, plain.var, lanes, declared), plain, start, groups
            )
        start, count = add(start, Const(groups * lanes)), count % lanes
        lanes //= 2
    if count:
        found += [shifted(line, {plain.var: start}) for line in plain.body]
    return found


def _groups(widening: Widening, plain: For, start: IntExpr, groups: int) -> list[Stmt]:
    """A constant number of vectors, written out if these are few.

    Args:
        widening: how statements become vectors.
        plain: the loop.
        start: where they begin. groups: how many there are.
    """
    body, lanes = widening.statements(plain.body), widening.lanes
    places = [add(start, Const(group * lanes)) for group in range(groups + 1)]
    if groups <= WRITTEN_OUT:
        return [shifted(line, {plain.var: at}) for at in places[:-1] for line in body]
    ends = tree.index(places[0]), tree.index(places[-1])
    return [For(plain.var, *ends, (*body,), number(lanes))]


def shifted(line: Stmt, at: Mapping[str, IntExpr]) -> Stmt:
    """A statement at other values of loop variables."""

    def block(lines: Sequence[Stmt]) -> Block:
        return (*(shifted(one, at) for one in lines),)

    match line:
        case If(cond, body, orelse):
            return If(moved(cond, at, {}), block(body), block(orelse))
        case While(cond, body, orelse):
            return While(moved(cond, at, {}), block(body), block(orelse))
        case For(_, start, stop, body, step, orelse):
            start, stop = moved(start, at, {}), moved(stop, at, {})
            step = step and moved(step, at, {})
            return For(line.var, start, stop, block(body), step, block(orelse))
        case Run(call):
            return Run(moved(call, at, {}))
        case Assign(target, value, op):
            return Assign(moved(target, at, {}), moved(value, at, {}), op)
    return line


def _lanes(wanted: int, var: str, body: Sequence[Stmt], room: int) -> int:
    """How many lanes the vectors of statements have.

    Args:
        wanted: how many at most.
        var: the variable of the loop, which is compared in 64 bits.
        body: the statements. room: the bytes of a vector.

    Raises:
        Scalar: not even two.
    """
    if wanted < 2:
        raise Scalar("no two iterations are side by side", "take more lanes")
    numbers = [part.kind.dtype for part in cells(body)]
    tests = (part for part in parts(body) if part.op in COMPARISONS)
    if any(_counts(side, var) for test in tests for side in test.parts):
        numbers.append("int64")
    calls = (part.intrinsic for part in parts(body) if part.intrinsic)
    numbers += [one.dtype for one in calls if one.rules == "quick"]
    size = max((DTYPES[dtype].size for dtype in numbers if dtype in NUMBERS), default=8)
    return 1 << min(wanted, room // size).bit_length() - 1


def _counts(expr: Expr, var: str) -> bool:
    """Whether a value is computed of a variable, which is more than a place."""
    if expr.op in CELLS:
        return False
    own = expr.op == "name" and expr.name == var
    own = own or (expr.index is not None and var in variables(expr.index))
    return own or any(_counts(part, var) for part in expr.parts)
