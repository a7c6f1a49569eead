"""Statements of one iteration as those of several side by side.

Each statement runs for all lanes before the next one does, which the proof allows: the
loop carries nothing, and nothing after it reads the scalars that it gives a value. What
is no vector of neighbours in memory is put together lane by lane.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from looptx.lower.kinds import of
from looptx.lower.scope import Scope
from looptx.lower.tree import (
    Assign,
    Expr,
    For,
    If,
    Intrinsic,
    Stmt,
    assignments,
    dangers,
    expressions,
    infix,
    inside,
    loops,
    number,
    parts,
    variable,
)
from looptx.lower.types import c_vector
from looptx.lower.vectors.loaded import LOADED, computed, is_loaded, seen, widened
from looptx.lower.vectors.masks import GUARDED, certain, chosen, function
from looptx.lower.vectors.places import computed_of, integer, moved, near_axes
from looptx.lower.vectors.scalar import Scalar
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
from looptx.model.types import ScalarType

NUMBERS = ("float64", "float32", "int64", "int32")
"""The types of which there are vectors."""

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
        targets = (line.target for line in assignments(block))
        self.assigned = frozenset(one.name for one in targets if one.op == "name")
        return self._block(block)

    def _block(self, block: Sequence[Stmt]) -> list[Stmt]:
        """The statements of a block, which may run several times or not at all.

        So what it binds means nothing outside of it.
        """
        before = self.sure, self.bound, self.outside
        self.bound, self.outside = {**self.bound}, frozenset(self.bound)
        block = [self._unconditional(node) for node in block]
        self.sure |= certain(node for node in block if isinstance(node, Assign))
        found = [line for node in block for line in self._statement(node)]
        self.sure, self.bound, self.outside = before
        return found

    def _unconditional(self, node: Stmt) -> Stmt:
        """A scalar that lanes keep where a condition does not hold."""
        match node:
            case If(cond, (Assign(Expr("name") as own, value, op),), ()) if (
                own.name in self.own
            ):
                taken = infix(op, own, value, own.kind) if op else value
                chosen_ = Expr("choice", own.kind, (cond, taken, own))
                return Assign(own, replace(chosen_, facts=frozenset({GUARDED})))
        return node

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
            case For(_, start, stop, body, step, ()) if not any(
                map(self.varies, filter(None, (start, stop, step)))
            ):
                return [replace(node, body=(*self._block(body),))]
            case If(cond, body, orelse) if not self.varies(cond):
                return [If(cond, (*self._block(body),), (*self._block(orelse),))]
        if any(loops([node])):
            raise Scalar(
                "a loop in it is another one in each iteration",
                "vectorize an innermost loop",
            )
        raise Scalar("it is more than assignments", "write `a if c else b` for `if c`")

    def _scalar(self, target: Expr, value: Expr, op: str) -> Stmt:
        """What gives a scalar its value in every iteration."""
        name, dtype = target.name, target.kind.dtype
        self._check_inside(name)
        if op and name not in self.own:
            raise Scalar(f"`{name}` goes from one iteration to the next")
        found = self.vector(value, dtype)
        self.bound.pop(name, None)
        if name not in self.own:
            self.own[name] = self.fresh(f"{name}_lanes", dtype)
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

    def _store(self, target: Expr, value: Expr, op: str) -> list[Stmt]:
        if not self.varies(target):
            raise Scalar(
                f"`{target.name}` is written at the same place again",
                "vectorize a loop that moves it",
            )
        dtype = target.kind.dtype
        found = self.vector(value, dtype)
        if op and not (op in _SIGNS or (op == "/" and DTYPES[dtype].is_inexact)):
            raise Scalar(f"`{op}=` has no vector", "write it with `+`, `-` or `*`")
        step = self.step(target)
        if step == 1:
            return [Assign(replace(self._bound(target), lanes=self.lanes), found, op)]
        if op:
            found = Expr(
                op, target.kind, (self._value(target), found), lanes=self.lanes
            )
        if step == -1:
            cells = replace(self.at(target, self.lanes - 1), lanes=self.lanes)
            return [Assign(cells, self.call("reverse", dtype, found))]
        held = self.fresh("new", dtype)
        return [
            Assign(held, found),
            *(Assign(self.at(target, k), lane(held, k)) for k in range(self.lanes)),
        ]

    def varies(self, expr: Expr) -> bool:
        """Whether a value is another one in each lane."""
        for part in inside(expr):
            if part.op == "name" and self._moves(part.name):
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
        check_number(dtype)
        if not self.varies(expr):
            return self.call("splat", dtype, expr)
        found = self._value(expr)
        have = found.kind.dtype
        if have in LOADED:
            found = widened(self, found, dtype)
            have = found.kind.dtype
        if have == dtype:
            return found
        if DTYPES[have].is_inexact and not DTYPES[dtype].holds(DTYPES[have]):
            raise Scalar(f"{have} as {dtype}")
        if DTYPES[dtype].is_integer and not DTYPES[dtype].holds(DTYPES[have]):
            raise Scalar(f"{have} as {dtype}")
        return self.call(f"from_{DTYPES[have].short}", dtype, found)

    def _value(self, expr: Expr) -> Expr:
        """A value that varies, in all lanes; its type is one of numbers, or loaded."""
        dtype = expr.kind.dtype
        if is_loaded(self, expr):
            return self._load(seen(expr))
        check_number(dtype)
        match expr:
            case Expr("name", name=name) if name in self.own:
                return self.own[name]
            case Expr("name" | "index"):
                return self._steps(expr)
            case Expr("cell" | "local cell"):
                return self._load(expr)
            case Expr("cast", parts=(part,)) if is_loaded(self, part):
                return self.vector(part, dtype)
            case Expr("cast", parts=(part,)) if part.kind.dtype in NUMBERS:
                if DTYPES[dtype].is_inexact or not DTYPES[part.kind.dtype].is_inexact:
                    return self._cast(part, dtype)
            case Expr("neg", parts=(part,)):
                return Expr(
                    "neg", expr.kind, (self.vector(part, dtype),), lanes=self.lanes
                )
            case Expr(
                "+" | "-" | "*" | "/" | "&" | "|" | "^" as op, parts=(_, _) as two
            ):
                whole = DTYPES[dtype].is_integer
                small = computed(self, expr) if dtype == "int64" else None
                if small is not None:
                    return self.call("from_i32", dtype, small)
                if op in _SIGNS or whole == (op in _BITS):
                    both = tuple(self.vector(part, dtype) for part in two)
                    return Expr(op, expr.kind, both, lanes=self.lanes)
            case Expr("choice"):
                return chosen(self, expr)
            case Expr("call"):
                return function(self, expr) or self._each(expr)
        return self._each(expr)

    def _cast(self, part: Expr, dtype: str) -> Expr:
        found = self._value(part)
        have = found.kind.dtype
        if have == dtype:
            return found
        return self.call(f"from_{DTYPES[have].short}", dtype, found)

    def _steps(self, expr: Expr) -> Expr:
        """The values of an integer that the variable of the loop moves."""
        at = integer(expr)
        step = None if at is None else self._stride(at)
        if step is None:
            return self._each(expr)
        dtype = expr.kind.dtype
        first = self.call("splat", dtype, self.at(expr, 0))
        steps = (number(step * k) for k in range(self.lanes))
        both = first, self.call("lanes", dtype, *steps)
        return Expr("+", expr.kind, both, lanes=self.lanes)

    def _load(self, cell: Expr) -> Expr:
        step = self.step(cell)
        if step == 1:
            return replace(self._bound(cell), lanes=self.lanes)
        if step == -1:
            cells = replace(self.at(cell, self.lanes - 1), lanes=self.lanes)
            return self.call("reverse", cell.kind.dtype, cells)
        return self._each(cell)

    def _each(self, expr: Expr) -> Expr:
        """A value computed for one lane after the other.

        Raises:
            Scalar: it is of neighbours that have no vector, which C takes at once.
        """
        for cell in computed_of(expr):
            if self.step(cell):
                check_number(cell.kind.dtype)
        parts = (self.at(expr, k) for k in range(self.lanes))
        return self.call("lanes", expr.kind.dtype, *parts)

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


def check_number(dtype: str) -> None:
    """Make sure that there are vectors of a type.

    Raises:
        Scalar: there are none.
    """
    if dtype not in NUMBERS:
        *most, last = NUMBERS
        wanted = f"compute in {', '.join(most)} or {last}"
        raise Scalar(f"there are no vectors of {dtype}", wanted)


def lane(vector: Expr, k: int) -> Expr:
    """One number of a vector."""
    function = Intrinsic("lane", vector.kind.dtype, lanes=vector.lanes)
    return Expr("call", vector.kind, (vector, number(k)), intrinsic=function)
