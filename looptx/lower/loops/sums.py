"""Reductions in vectors: several numbers side by side, folded into one.

So many vectors are combined side by side that none waits for an operation to end. Then
they are folded in halves, and each time what is left of the loop and fills as many
lanes is taken in; at last there are two numbers, which the target takes in, and at most
one iteration. (Pairwise sums: Higham, SIAM J. Sci. Comput. 14, 1993.)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from looptx.looptree.nodes import Block, Call, Let
from looptx.looptree.nodes import For as Loop
from looptx.lower import tree
from looptx.lower.kinds import INT, of
from looptx.lower.loops.cells import bindings, calls, fixed, targets
from looptx.lower.loops.functions import Functions
from looptx.lower.loops.reductions import Accumulator, accumulators
from looptx.lower.loops.statements import Frame
from looptx.lower.scope import Scope
from looptx.lower.tree import (
    Assign,
    Expr,
    For,
    If,
    Stmt,
    infix,
    intrinsic,
    number,
    used,
)
from looptx.lower.vectors.loads import loaded_once
from looptx.lower.vectors.loop import last, left, room, shifted
from looptx.lower.vectors.masks.masked import lane
from looptx.lower.vectors.narrow import added
from looptx.lower.vectors.scalar import Scalar, check_number
from looptx.lower.vectors.widening import Widening
from looptx.model.dtypes import DTYPES
from looptx.model.expr import Const, Var, add
from looptx.model.records import dataclass, field

MOST = 4
"""How many vectors the reductions of a loop have together, each at least one: an
addition takes about as many steps."""


def sums(
    functions: Functions,
    block: Callable[[Block, Frame], list[Stmt]],
    node: Loop,
    frame: Frame,
) -> list[Stmt]:
    """A loop that carries reductions, in vectors, and the rest of it.

    Args:
        functions: of the nest.
        block: lowers a block of loops into a function.
        node: the loop, by steps of one.
        frame: the function that it is in.

    Raises:
        Scalar: it cannot be had so.
    """
    if not all(isinstance(child, Call | Let) for child in node.body):
        raise Scalar("it is more than assignments", "vectorize an innermost loop")
    scope, stands = functions.scope, dict[str | Expr, Expr]()
    kept = _kept(functions, node)
    if {one.own.name for one in kept} <= _added(functions, block, node, frame):
        raise Scalar("C adds up small integers in strips of 32 bits")
    for one in kept:
        if one.cell:
            stands[one.own] = tree.variable(scope.names.fresh(one.own.name), one.kind)
    scope.stands.update(stands)
    inside = block(node.body, frame)
    for cell in stands:
        del scope.stands[cell]
    marks, body = _marks(inside, kept)
    lanes, most = room(scope, node, body)
    lanes = min(lanes, *(scope.vector // DTYPES[one.kind.dtype].size for one in kept))
    var = functions.declare(node.var, frame)
    start, stop = functions.ends(node)
    end = tree.variable(scope.names.fresh("end"))
    frame.declared[end.name] = "Py_ssize_t"
    groups = _groups(len(kept), lanes, most)
    whole = intrinsic("whole", of(INT), start, stop, number(groups * lanes))
    sides = [_Side(one, stands.get(one.own, one.own).name) for one in kept]
    plain = For(var, start, stop, (*body,))
    tower = _Tower(scope, plain, end, sides, frame.declared)
    several = infix("<", start, infix("-", stop, number(1)))
    return [
        Assign(end, whole),
        If(several, (*marks, *tower.lines(groups, lanes))),
        last(plain, end, block(node.body, frame)),
    ]


def _added(
    functions: Functions,
    block: Callable[[Block, Frame], list[Stmt]],
    node: Loop,
    frame: Frame,
) -> frozenset[str]:
    """The variables of a loop that C adds up in strips.

    Args:
        functions, block, node, frame: as of ``sums``.
    """
    body = (*block(node.body, frame),)
    plain = For(functions.scope.names(node.var), *functions.ends(node), body)
    known = {**functions.outside, **frame.around, **frame.declared}
    types = {name: kind for name, kind in known.items() if isinstance(kind, str)}
    return added(functions.scope, plain, types)


def _kept(functions: Functions, node: Loop) -> list[Accumulator]:
    """The reductions that a loop carries.

    Raises:
        Scalar: one is no number of which there are vectors, or has no single place.
    """
    scope, names = functions.scope, functions.scope.names
    reductions = scope.planned.reductions[node.dim]
    within = set(calls(node.body))
    kept = accumulators(scope, functions.statements, reductions, within)
    moving = {names(var) for var in (node.var, *bindings(node.body))}
    kept += fixed(scope, reductions, node.body, moving)
    places = {one.own for one in kept}
    for cell in targets(scope, reductions, node.body):
        if cell not in places:
            raise Scalar(f"cells of `{cell.name}` that move take its results")
    for one in kept:
        check_number(one.kind.dtype)
        ordered = one.op in ("min", "max") and DTYPES[one.kind.dtype].is_inexact
        if ordered and not one.propagates and one.takes is None:
            raise Scalar(
                f"what a NaN does to `{one.own.name}` differs between statements"
            )
    return kept


def _marks(
    lines: Sequence[Stmt], kept: Sequence[Accumulator]
) -> tuple[list[Stmt], list[Stmt]]:
    """What marks types of scalars, and the other statements.

    Raises:
        Scalar: a mark depends on data.
    """
    tags = {one.tag.name for one in kept if one.tag}
    marks: list[Stmt] = [
        line
        for line in lines
        if isinstance(line, Assign) and line.target.name in tags
        if line.value.op == "number"
    ]
    others = [line for line in lines if line not in marks]
    if tags & used(others):
        raise Scalar("the Python type of a result depends on the data")
    return marks, others


def _groups(kept: int, lanes: int, most: int | None) -> int:
    """How many vectors each reduction has.

    Args:
        kept: how many reductions there are.
        lanes: of a vector.
        most: how often the loop runs at most, where that is known.
    """
    groups = MOST
    while groups > 1 and (
        groups * kept > MOST or (most is not None and groups * lanes > most)
    ):
        groups //= 2
    return groups


@dataclass(slots=True)
class _Side:
    """A reduction in vectors.

    Attributes:
        one: the reduction.
        name: the variable that stands for it in the statements.
        vectors: what has its results for now.
    """

    one: Accumulator
    name: str
    vectors: list[Expr] = field(default_factory=list)

    def fresh(self, widening: Widening) -> Expr:
        """A new vector for it."""
        return widening.fresh(f"{self.name}_lanes", self.one.kind.dtype)

    def joined(self, widening: Widening, own: Expr, part: Expr) -> Expr:
        """A vector that has taken in another one.

        Args:
            widening: makes vectors.
            own: the one vector. part: the other.
        """
        op, dtype = self.one.op, self.one.kind.dtype
        if op not in ("min", "max"):
            return Expr(op, own.kind, (own, part), lanes=own.lanes)
        if self.one.propagates and DTYPES[dtype].is_inexact:
            return widening.call(f"{op}imum", dtype, part, own)
        both = (part, own) if self.one.takes else (own, part)
        return widening.call(op, dtype, *both)


@dataclass(frozen=True, slots=True)
class _Tower:
    """Vectors that are folded in halves while a loop runs out.

    Attributes:
        scope: the nest.
        loop: it, one iteration after the other.
        end: the variable that says how far it has come.
        sides: its reductions.
        declared: the variables of the function it is in: their types, by name.
    """

    scope: Scope
    loop: For
    end: Expr
    sides: list[_Side]
    declared: dict[str, str]

    def lines(self, groups: int, lanes: int) -> list[Stmt]:
        """The loop in vectors, but for one iteration that may be left.

        Args:
            groups: how many vectors each reduction has. lanes: of each.
        """
        wide, lines = self._widening(lanes), list[Stmt]()
        for side in self.sides:
            side.vectors = [side.fresh(wide) for _ in range(groups)]
            first = wide.call("splat", side.one.kind.dtype, side.one.identity)
            lines += [Assign(vector, first) for vector in side.vectors]
        every, step = (*self._vectors(lanes),), number(groups * lanes)
        loop = For(self.loop.var, self.loop.start, self.end, every, step)
        lines += loaded_once(self.scope, loop, self.declared)
        while groups > 1:
            groups //= 2
            for side in self.sides:
                kept, others = side.vectors[:groups], side.vectors[groups:]
                for own, part in zip(kept, others, strict=True):
                    lines.append(Assign(own, side.joined(wide, own, part)))
                side.vectors = kept
            lines.append(self._left(groups, lanes))
        while lanes > 2:
            lanes //= 2
            wide = self._widening(lanes)
            for side in self.sides:
                dtype, half = side.one.kind.dtype, side.fresh(wide)
                own, part = (
                    wide.call(word, dtype, *side.vectors) for word in ("low", "high")
                )
                lines.append(Assign(half, side.joined(wide, own, part)))
                side.vectors = [half]
            lines.append(self._left(1, lanes))
        for side in self.sides:
            (last,) = side.vectors
            lines += [
                line for k in range(lanes) for line in side.one.take(lane(last, k))
            ]
        return lines

    def _widening(self, lanes: int) -> Widening:
        return Widening(self.scope, self.loop.var, lanes, self.declared)

    def _vectors(self, lanes: int) -> list[Stmt]:
        """The statements for one vector of each reduction after the other."""
        found: list[Stmt] = []
        for group, own in enumerate(
            zip(*(side.vectors for side in self.sides), strict=True)
        ):
            widening = self._widening(lanes)
            for side, vector in zip(self.sides, own, strict=True):
                widening.own[side.name] = vector
            at = {self.loop.var: add(Var(self.loop.var), Const(group * lanes))}
            lines = widening.statements(self.loop.body)
            found += [shifted(line, at) for line in lines]
        return found

    def _left(self, groups: int, lanes: int) -> Stmt:
        """The statements once more, where enough of the loop is left."""
        return left(self.loop, self.end, self._vectors(lanes), groups * lanes)
