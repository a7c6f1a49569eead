"""Statements of one iteration as those of several side by side.

Each statement runs for all lanes before the next one does, which the proof allows: the
loop carries nothing, and nothing after it reads the scalars that it gives a value. What
is no vector of neighbours in memory is put together lane by lane.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from looptx.lower.kinds import of
from looptx.lower.scope import Scope
from looptx.lower.tree import (
    Assign,
    Expr,
    For,
    If,
    Intrinsic,
    Stmt,
    While,
    assignments,
    dangers,
    expressions,
    inside,
    number,
    parts,
    variable,
)
from looptx.lower.types import c_vector
from looptx.lower.vectors.loaded import computed, is_loaded, seen, small, widened
from looptx.lower.vectors.masks import rounds
from looptx.lower.vectors.masks.conditions import branches, certain, chosen, function
from looptx.lower.vectors.masks.masked import (
    Mask,
    by_lane,
    cast,
    cells,
    hidden,
    integers,
    lane,
    load,
    store,
    uniform,
)
from looptx.lower.vectors.places import integer, moved, near_axes
from looptx.lower.vectors.scalar import LOADED, NUMBERS, Scalar, check_number
from looptx.model.dtypes import DTYPES
from looptx.model.expr import (
    Const,
    IntExpr,
    Var,
    add,
    linear,
    substitute,
    variables,
)
from looptx.model.records import dataclass, field, replace
from looptx.model.types import ScalarType

_SIGNS = ("+", "-", "*")
_BITS = ("&", "|", "^")


@dataclass(slots=True)
class Widening:
    """Statements in the lanes of vectors.

    Attributes:
        scope: the nest.
        var: the C variable of the loop; its value is that of the first lane.
        lanes: how many iterations run side by side.
        declared: the variables of the function they are in: their types, by name.
        own: the scalars that every iteration has for itself, by C name: their vectors.
        bound: the variables that are expressions of that of the loop.
        outside: those of them that are so in front of the statements of this block.
        assigned: all variables that get a value in it.
        sure: the cells that every iteration reads or writes.
        near: the axes in which arrays have neighbours beside each other, by C name.
        mask: the lanes that run what is made now; None for all.
        before: what stands in front of the statement that is made.
        small: whether small integers are written as they are; where the loop has no
            others, C's own vectors have more lanes.
        reads, loose: as of ``Rounds``.
    """

    scope: Scope
    var: str
    lanes: int
    declared: dict[str, str]
    own: dict[str, Expr] = field(default_factory=dict)
    bound: dict[str, IntExpr] = field(default_factory=dict)
    outside: frozenset[str] = frozenset()
    assigned: frozenset[str] = frozenset()
    sure: frozenset[Expr] = frozenset()
    near: dict[str, int] = field(default_factory=dict)
    mask: Mask | None = None
    before: list[Stmt] = field(default_factory=list)
    small: bool = False
    reads: Counter[str] = field(default_factory=Counter)
    loose: tuple[str, frozenset[str]] = "", frozenset()

    def __post_init__(self) -> None:
        self.near = near_axes(self.scope)

    def statements(self, block: Sequence[Stmt]) -> list[Stmt]:
        """Statements for all lanes.

        Raises:
            Scalar: they cannot be had so.
        """
        reasons = dangers(expressions(block))
        if reasons:
            raise Scalar(f"{reasons[0]} may raise")
        if any(part.lanes > 1 for part in parts(block)):
            raise Scalar("there are vectors in it", "vectorize only one of the loops")
        self.small = any(part.kind.dtype in NUMBERS for part in cells(block))
        targets = (line.target for line in assignments(block))
        self.assigned = frozenset(one.name for one in targets if one.op == "name")
        return self._block(block)

    def _block(self, block: Sequence[Stmt]) -> list[Stmt]:
        """The statements of a block, which may run several times or not at all.

        So what it binds means nothing outside of it.
        """
        around = self.sure, self.bound, self.outside, self.before, self.reads
        self.reads = self.reads + rounds.reads(block)
        self.bound, self.outside = {**self.bound}, frozenset(self.bound)
        if self.mask is None:
            self.sure |= certain(node for node in block if isinstance(node, Assign))
        found: list[Stmt] = []
        for node in block:
            self.before = []
            lines = self._statement(node)
            found += (*self.before, *lines)
        self.sure, self.bound, self.outside, self.before, self.reads = around
        return found

    def _statement(self, node: Stmt) -> list[Stmt]:
        match node:
            case Assign(Expr("name", name=name), Expr("index") as value):
                at = integer(value)
                assert at is not None
                self._check_inside(name)
                if node.op or name in self.own:
                    raise Scalar(f"`{name}` is one number for all iterations")
                self.bound[name] = substitute(at, self.bound)
                return []
            case Assign(Expr("name") as target, value):
                return [self._scalar(target, value, node.op)]
            case Assign(target, value):
                return self._store(target, value, node.op)
            case For(_, start, stop, body, step) if self._same(start, stop, step):
                if node.orelse or rounds.is_left(node):
                    return rounds.rounds(self, node, self._block)
                return [replace(node, body=(*self._block(body),))]
            case If(cond, body, orelse) if self._same(cond):
                return [If(cond, (*self._block(body),), (*self._block(orelse),))]
            case If():
                return branches(self, node, self._block)
            case While():
                return rounds.rounds(self, node, self._block)
            case For():
                raise Scalar(*rounds.ANOTHER)
        raise Scalar("it is more than assignments and branches")

    def _same(self, *exprs: Expr | None) -> bool:
        """Whether values are those of all lanes, even of those that do not run."""
        known = [one for one in exprs if one is not None]
        alone = self.mask is not None and hidden(self, *known)
        return not alone and not any(map(self.varies, known))

    def _scalar(self, target: Expr, value: Expr, op: str) -> Stmt:
        """What gives a scalar its value in every iteration."""
        name, dtype = target.name, target.kind.dtype
        self._check_inside(name)
        if op and name not in self.own:
            raise Scalar(f"`{name}` goes from one iteration to the next")
        found = self.vector(value, dtype)
        self.bound.pop(name, None)
        if name not in self.own:
            self.own[name] = self.fresh(f"{name}_lanes", found.kind.dtype)
        elif self.mask is not None and not rounds.is_loose(self, name):
            own = self.own[name]
            taken = Expr(op, own.kind, (own, found), lanes=self.lanes) if op else found
            bits = cast(self, self.mask.bits, integers(own.kind.dtype))
            return Assign(own, self.call("choose", own.kind.dtype, bits, taken, own))
        return Assign(self.own[name], found, op)

    def _check_inside(self, name: str) -> None:
        """Make sure that a variable is not bound where a block may not run."""
        if name in self.outside:
            raise Scalar(f"`{name}` has another value where a loop or a branch ends")

    def fresh(self, stem: str, dtype: str) -> Expr:
        """A new variable that is a vector."""
        name = self.scope.names.fresh(stem)
        self.declared[name] = c_vector(dtype, self.lanes)
        return replace(variable(name, of(ScalarType(dtype))), lanes=self.lanes)

    def held(self, vector: Expr, stem: str) -> Expr:
        """A variable that holds a vector from here on."""
        if vector.op == "name":
            return vector
        own = self.fresh(stem, vector.kind.dtype)
        self.before.append(Assign(own, vector))
        return own

    def _store(self, target: Expr, value: Expr, op: str) -> list[Stmt]:
        if not self.varies(target):
            raise Scalar(
                f"`{target.name}` is written at the same place again",
                "vectorize a loop that moves it",
            )
        dtype = target.kind.dtype
        found = self.vector(value, dtype)
        if op:
            check_number(dtype)
        if self.step(target):
            target = seen(target)
        if op and not (op in _SIGNS or (op == "/" and DTYPES[dtype].is_inexact)):
            raise Scalar(f"`{op}=` has no vector", "write it with `+`, `-` or `*`")
        step = self.step(target)
        if step == 1 and self.mask is None:
            return [Assign(replace(self._bound(target), lanes=self.lanes), found, op)]
        if op:
            found = Expr(op, target.kind, (self.value(target), found), lanes=self.lanes)
        if self.mask is not None:
            return store(self, target, step, found)
        if step == -1:
            cells_ = replace(self.at(target, self.lanes - 1), lanes=self.lanes)
            return [Assign(cells_, self.call("reverse", found.kind.dtype, found))]
        held = self.fresh("new", found.kind.dtype)
        return [
            Assign(held, found),
            *(Assign(self.at(target, k), lane(held, k)) for k in range(self.lanes)),
        ]

    def varies(self, expr: Expr) -> bool:
        """Whether a value is another one in each lane."""
        for part in inside(expr):
            if part.lanes > 1 or (part.op == "name" and self._moves(part.name)):
                return True
            if part.index is not None and any(map(self._moves, variables(part.index))):
                return True
        return False

    def _moves(self, name: str) -> bool:
        if name == self.var or name in self.own or name in self.bound:
            return True
        if name in self.assigned:
            raise Scalar(f"`{name}` goes from one iteration to the next")
        return False

    def vector(self, expr: Expr, dtype: str) -> Expr:
        """A value in all lanes, by C's conversion to a type that holds it."""
        if self.small and dtype in LOADED:
            return small(self, expr, DTYPES[dtype].in_memory.name)
        check_number(dtype)
        if not self.varies(expr):
            return uniform(self, expr, dtype)
        found = self.value(expr)
        have = found.kind.dtype
        if have in LOADED:
            found = widened(self, found, dtype)
            have = found.kind.dtype
        if DTYPES[have].is_inexact and not DTYPES[dtype].holds(DTYPES[have]):
            raise Scalar(f"{have} as {dtype}")
        if DTYPES[dtype].is_integer and not DTYPES[dtype].holds(DTYPES[have]):
            raise Scalar(f"{have} as {dtype}")
        return cast(self, found, dtype)

    def value(self, expr: Expr) -> Expr:
        """A value that varies, in all lanes; its type is one of numbers, or loaded."""
        dtype = expr.kind.dtype
        if is_loaded(self, expr):
            return self._load(seen(expr))
        if expr.op == "name" and expr.name in self.own:
            return self.own[expr.name]
        if self.small and dtype in LOADED:
            return small(self, expr, DTYPES[dtype].in_memory.name)
        check_number(dtype)
        match expr:
            case Expr("name" | "index"):
                return self._steps(expr)
            case Expr("cell" | "local cell"):
                return self._load(expr)
            case Expr("cast", parts=(part,)) if is_loaded(self, part):
                return self.vector(part, dtype)
            case Expr("cast", parts=(part,)) if part.kind.dtype in NUMBERS:
                if DTYPES[dtype].is_inexact or not DTYPES[part.kind.dtype].is_inexact:
                    return cast(self, self.value(part), dtype)
            case Expr("neg", parts=(part,)):
                return Expr(
                    "neg", expr.kind, (self.vector(part, dtype),), lanes=self.lanes
                )
            case Expr(
                "+" | "-" | "*" | "/" | "&" | "|" | "^" as op, parts=(_, _) as two
            ):
                whole = DTYPES[dtype].is_integer
                few = computed(self, expr) if dtype == "int64" else None
                if few is not None:
                    return self.call("from_i32", dtype, few)
                if op in _SIGNS or whole == (op in _BITS):
                    both = tuple(self.vector(part, dtype) for part in two)
                    return Expr(op, expr.kind, both, lanes=self.lanes)
            case Expr("choice"):
                return chosen(self, expr, dtype)
            case Expr("call"):
                return function(self, expr) or self.each(expr)
        return self.each(expr)

    def _steps(self, expr: Expr) -> Expr:
        """The values of an integer that the variable of the loop moves."""
        at = integer(expr)
        step = None if at is None else self._stride(at)
        if step is None:
            return self.each(expr)
        dtype = expr.kind.dtype
        first = self.call("splat", dtype, self.at(expr, 0))
        steps = (number(step * k) for k in range(self.lanes))
        both = first, self.call("lanes", dtype, *steps)
        return Expr("+", expr.kind, both, lanes=self.lanes)

    def _load(self, cell: Expr) -> Expr:
        step = self.step(cell)
        if step and self.mask is not None and hidden(self, cell):
            return load(self, cell, step)
        if step == 1:
            return replace(self._bound(cell), lanes=self.lanes)
        if step == -1:
            cells = replace(self.at(cell, self.lanes - 1), lanes=self.lanes)
            return self.call("reverse", cell.kind.dtype, cells)
        return self.each(cell)

    def each(self, expr: Expr) -> Expr:
        """A value computed for one lane after the other."""
        return by_lane(self, expr)

    def call(self, operation: str, dtype: str, *args: Expr, rules: str = "") -> Expr:
        """A function of vectors.

        Args:
            operation: which. dtype: of the numbers it gives.
            args: what it gets. rules: as of an ``Intrinsic``.
        """
        called = Intrinsic(operation, dtype, rules, self.lanes)
        kind = of(ScalarType(dtype))
        return Expr("call", kind, args, intrinsic=called, lanes=self.lanes)

    def step(self, cell: Expr) -> int:
        """How far apart in memory the cells of neighbours are; 0 if not known."""
        steps = []
        for place in cell.parts:
            at = integer(place)
            if at is None:
                if self.varies(place):
                    return 0
                steps.append(0)
                continue
            step = self._stride(at)
            if step is None:
                return 0
            steps.append(step)
        near = self.near.get(cell.name)
        if near is None:
            return 0
        near %= len(steps)
        far = any(step for axis, step in enumerate(steps) if axis != near)
        return 0 if far or steps[near] not in (1, -1) else steps[near]

    def _stride(self, at: IntExpr) -> int | None:
        """By how much the next lane has a larger integer, if it is always as much."""
        terms, _ = linear(substitute(at, self.bound))
        own = Var(self.var)
        others = (name for term in terms if term != own for name in variables(term))
        return None if any(map(self._moves, others)) else terms.get(own, 0)

    def _bound(self, expr: Expr) -> Expr:
        return self.at(expr, 0)

    def at(self, expr: Expr, k: int) -> Expr:
        """A value of one lane."""
        places = {
            name: substitute(e, {self.var: self._lane(k)})
            for name, e in self.bound.items()
        }
        places[self.var] = self._lane(k)
        values = {name: lane(held, k) for name, held in self.own.items()}
        return moved(expr, places, values)

    def _lane(self, k: int) -> IntExpr:
        return add(Var(self.var), Const(k))
