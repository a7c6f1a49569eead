"""Where Python's integers might leave 64 bits: proven not to, tested, or refused.

C computes a Python int in 64 bits, Python as large as it gets. The range of every
integer expression follows from what is known at the entry (sizes, arguments, the bounds
of the loops) by interval arithmetic. What has no bound is refused; what only values of
the call bound becomes a test at the entry.

Expressions are typed by what lowers them (``values.expressions``). The bound of one
counts where it is a Python int; NumPy's integers wrap around, in C as in NumPy.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from itertools import pairwise

from looptx.lower.intervals.indices import of_numpy
from looptx.lower.intervals.reach import Demand, Reach
from looptx.lower.intervals.typed import TypedParts
from looptx.lower.kinds import BOOL, INT, RANGES, UNSIGNED
from looptx.lower.limits import EXACT, NEAR, SIZES, WORD
from looptx.lower.scope import Scope
from looptx.lower.values.arrays.numbers import in_brackets
from looptx.lower.values.calls import ROUNDING, SUMMED
from looptx.lower.values.extents import counted
from looptx.lower.values.integers.unsigned import part_of
from looptx.model.dtypes import DTYPES, FLOATS
from looptx.model.expr import Var
from looptx.model.intervals.symbolic import (
    ANY,
    NOTHING,
    TRUTH,
    ZERO,
    Interval,
    exactly,
    within,
)
from looptx.model.program import Statement
from looptx.model.trees import dotted, element, form
from looptx.model.types import ScalarType

_SMALL = within(-EXACT, EXACT)
"""What a float is as an int where the loops as written may take over."""

_COUNT = within(0, SIZES)
"""How many elements there may be that a mask tells."""

_WORD = within(0, WORD)
"""What an integer without a sign is as an int, where a larger one raises or leaves."""

_LARGE = within(*RANGES["uint64"])
"""What an integer of Python is that may be beyond 63 bits."""

_TESTED = within(-WORD, WORD)
"""What an operation gives whose result is looked at."""

BITWISE = (ast.BitAnd, ast.BitOr, ast.BitXor)

_PLAIN = frozenset((INT, BOOL))
_OPERATORS: Mapping[type[ast.operator], Callable[..., Interval]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
}


class Ranges:
    """The bounds of the expressions of one statement, and what they demand.

    Args:
        scope: the nest; its scalars' kinds are known.
        reach: of its loops and arguments.
        scalars: the bounds of the scalars it assigns.
        statement: the statement.

    Attributes:
        here: closer bounds that tests give to scalars where it is looked at.
        saturated: the calls that make ints of what may be any number.
    """

    def __init__(
        self,
        scope: Scope,
        reach: Reach,
        scalars: Mapping[str, Interval],
        statement: Statement,
    ) -> None:
        self.scope = scope
        self.reach = reach
        self.scalars = scalars
        self.demands: list[Demand] = []
        self.here: dict[str, Interval] = {}
        self.saturated: list[ast.Call] = []
        self._known: dict[ast.expr, Interval] = {}
        self._placed: set[ast.expr] = set()
        self._kinds = TypedParts(scope, statement, reach.looks[statement.name])

    def of(self, node: ast.expr) -> Interval:
        """The bound of an expression, where it is a Python int or bool."""
        self._kinds.look(node)
        return self._bound(node)

    def condition(self, node: ast.expr) -> None:
        """Look at an expression of which only the truth counts."""
        self._kinds.look_if(node)
        self._bound(node)

    def limit(self, node: ast.expr) -> Interval:
        """The bound of an argument of ``range``, of whatever integer type it is."""
        return self._in_word(node, self._whole(node, self.of(node)))

    def cell(self, node: ast.Subscript) -> str:
        """The dtype of a cell that is written; its subscripts are looked at."""
        dtype = self._kinds.cell(node)
        self._bound(node)
        return dtype

    def is_int(self, node: ast.expr) -> bool:
        """Whether an expression may be a Python int."""
        return INT in self._members(node)

    def is_plain(self, node: ast.expr) -> bool:
        """Whether an expression is nothing but a Python int."""
        return self._members(node) == {INT}

    def _members(self, node: ast.expr) -> frozenset[ScalarType]:
        """The types of an expression; none where it has no value."""
        kind = self._kinds.found.get(node)
        return kind.members if kind is not None else frozenset()

    def held(self, node: ast.expr) -> str:
        """The scalar that an expression is, or the elements of a list; or empty."""
        return node.id if isinstance(node, ast.Name) else self.scope.list_of(node)

    def leaves(self, node: ast.expr) -> bool:
        """Whether an expression is a power of floats that may be complex."""
        return node in self._kinds.leaving

    def counts(self, name: str) -> bool:
        """Whether a scalar that the nest assigns is nothing but a Python int."""
        kind = self.scope.kinds.get(name)
        return name in self.scalars and kind is not None and kind.members <= _PLAIN

    def integer(self, node: ast.expr) -> Interval | None:
        """The bound of an expression that was looked at; None if it is no integer."""
        kind = self._kinds.found.get(node)
        if kind is None or kind.dtype not in RANGES:
            return None
        if kind.members <= _PLAIN:
            return self._bound(node)
        return within(*RANGES[kind.dtype])

    def exact(self, node: ast.expr, dtype: str = "") -> None:
        """Demand that a Python int is itself in ``dtype``, or else in 64 bits.

        What has a bound is in 64 bits: where it was computed that was demanded.
        """
        bound = self._bound(node)
        floating = bool(dtype) and DTYPES[dtype].is_inexact
        if self.is_int(node) and (floating or not bound.closed):
            self._demand(bound, EXACT if floating else WORD, node)

    def _bound(self, node: ast.expr) -> Interval:
        if node not in self._known:
            bound = self._new_bound(node)
            self._known[node] = _LARGE if UNSIGNED in self._members(node) else bound
        return self._known[node]

    def _new_bound(self, node: ast.expr) -> Interval:
        if node in self._kinds.numbers:
            return exactly(self._kinds.numbers[node])
        match node:
            case ast.Constant(value=bool() | int() as number):
                return exactly(number)
            case ast.Name(id=name):
                return self._name(name)
            case ast.Attribute():
                return self._attribute(node)
            case ast.Subscript():
                return self._subscript(node)
            case ast.BinOp():
                return self._binary(node)
            case ast.UnaryOp(op, operand):
                return self._unary(node, op, self._bound(operand))
            case ast.BoolOp(_, values):
                return self._either(node, values)
            case ast.IfExp(test, body, orelse):
                self._bound(test)
                return self._either(node, [body, orelse])
            case ast.Compare():
                return self._compare(node)
            case ast.Call():
                return self._call(node)
            case ast.Slice(lower, upper, step):
                for part in filter(None, (lower, upper, step)):
                    self.exact(part)
        return ZERO

    def _attribute(self, node: ast.Attribute) -> Interval:
        if not dotted(node):
            self._bound(node.value)
        if node.attr in ("size", "ndim") and isinstance(node.value, ast.Subscript):
            return _COUNT
        said = counted(node, self.scope)
        if said is None:
            return self.reach.outside(dotted(node))
        return self._demand(self.reach.of(said), WORD, node)

    def _name(self, name: str) -> Interval:
        if name in self._kinds.ids:
            return self.reach.of(Var(self._kinds.ids[name]))
        if name in self.scope.planned.nest.scalars:
            known = self.scalars.get(name) or self._other(name)
            return known.meet(self.here[name]) if name in self.here else known
        return self.reach.outside(name)

    def _other(self, name: str) -> Interval:
        """A scalar that is no Python int, or not known to be one yet."""
        kind = self.scope.kinds.get(name)
        if kind is None or INT in kind.members:
            return ANY
        return TRUTH if BOOL in kind.members else ZERO

    def _subscript(self, node: ast.Subscript) -> Interval:
        whole = self._kinds.integer(node)
        if whole is not None:
            return self.reach.of(whole)
        name = self.scope.list_of(node)
        for part in element(node)[1]:
            expr = self._kinds.integer(part)
            if expr is None:
                self._placed.update(() if self.scope.is_made(name) else (part,))
                self._bound(part)
            else:
                self._demand(self.reach.of(expr), WORD, part)
        return (self.scalars.get(name) or self._other(name)) if name else ZERO

    def _binary(self, node: ast.BinOp) -> Interval:
        left, right = self._bound(node.left), self._bound(node.right)
        if node in self._kinds.modular:
            # Its operands count as far as they are no such operations themselves.
            self.exact(node.left)
            self.exact(node.right)
            return ANY
        dtype = self._kinds.found[node].dtype
        for part in (node.left, node.right):
            self.exact(part, dtype if dtype == "float32" else "")
        self._stays(node)
        if not self.is_int(node):
            return TRUTH
        found = _OPERATORS.get(type(node.op))
        result = found(left, right) if found else ANY
        if UNSIGNED in self._members(node.left):
            number = self._kinds.numbers.get(node.right)
            result = result.meet(part_of(node.op, number))
        if (self._kinds.statement.name, form(node)) in self.scope.checks.again:
            return _TESTED
        if DTYPES[dtype].is_inexact:  # A float may be there instead.
            return self._demand(result, EXACT, node)
        if isinstance(node.op, (*BITWISE, ast.RShift)) and result.closed:
            # What fits has no bits beyond those of a word.
            return result
        return self._demand(result, WORD, node)

    def _stays(self, node: ast.expr) -> None:
        """A power of floats may be complex: the loops have to start again then."""
        again = (self._kinds.statement.name, form(node)) in self.scope.checks.again
        if node in self._kinds.leaving and not again:
            self.demands.append(Demand(ANY.reach, WORD, node))

    def _unary(self, node: ast.UnaryOp, op: ast.unaryop, bound: Interval) -> Interval:
        if isinstance(op, ast.Not):
            return TRUTH
        if node in self._kinds.modular:
            self.exact(node.operand)
            return ANY
        if isinstance(op, ast.UAdd) or not self.is_int(node):
            return bound
        bound = ~bound if isinstance(op, ast.Invert) else -bound
        return self._demand(bound, WORD, node)

    def _either(self, node: ast.expr, parts: Sequence[ast.expr]) -> Interval:
        """One of several values, in a C variable of the type of them all."""
        result = reduce(Interval.join, map(self._bound, parts))
        self._together(node, parts)
        return result

    def _together(self, node: ast.expr, parts: Sequence[ast.expr]) -> None:
        """Exprs that C converts to one type; where only truth counts it does not."""
        kind = self._kinds.found.get(node)
        if kind is not None and kind.dtype not in RANGES:
            for part in parts:
                self.exact(part, kind.dtype)

    def _compare(self, node: ast.Compare) -> Interval:
        parts = [node.left, *node.comparators]
        for left, right in pairwise(parts):
            bounds = self._bound(left), self._bound(right)
            whole = all(self._kinds.found[x].dtype in RANGES for x in (left, right))
            if self.is_int(left) and self.is_int(right) and whole:
                if not (bounds[0].closed and bounds[1].closed):
                    nearer = right if bounds[1].closed else left
                    self._demand(self._bound(nearer), NEAR, nearer)
            else:
                self.exact(left, self._kinds.found[right].dtype)
                self.exact(right, self._kinds.found[left].dtype)
        return TRUTH

    def alternatives(self, node: ast.expr) -> Sequence[ast.expr]:
        """The expressions of which an expression gives one, whatever data say."""
        match node:
            case ast.IfExp(_, body, orelse):
                return [body, orelse]
            case ast.BoolOp(_, values):
                return values
            case ast.Call(function, values):
                picks = self.scope.full(dotted(function)) in ("min", "max")
                return values if picks else []
        return []

    def _call(self, node: ast.Call) -> Interval:
        scope, args = self.scope, node.args
        name = scope.full(dotted(node.func))
        if name == "len":
            extent = self._kinds.integer(node)
            return _COUNT if extent is None else self.reach.of(extent)
        if parts := in_brackets(node, scope):
            for part in parts:
                self._bound(part)
            return ANY if self.is_int(node) else TRUTH
        bounds = [self._bound(arg) for arg in args]
        if any(UNSIGNED in self._members(arg) for arg in args):
            return TRUTH
        if name in ("min", "max"):
            self._together(node, args)
            # Where NumPy's integers are among them, Python's may be passed over.
            plain = all(self._kinds.found[arg].members <= _PLAIN for arg in args)
            pick = {"min": Interval.minimum, "max": Interval.maximum}
            return reduce(pick[name] if plain else Interval.join, bounds)
        if name in SUMMED or (name == "round" and len(args) == 2):
            return bounds[0] if name == "round" and self.is_int(node) else TRUTH
        if name in ROUNDING:
            found = self._whole(args[0], bounds[0])
            if not found.closed:
                self.saturated.append(node)
                if name == "int" and self._kinds.found[args[0]].dtype == "uint64":
                    # Beyond 64 bits it leaves the loops, or raises, or must not be.
                    ends = self.scope.again or node in self._placed
                    ends &= self.scope.looks
                    return _WORD if ends else self._demand(found, WORD, node)
            return self._in_word(node, found)
        dtype = self._kinds.found[node].dtype
        for arg in args:
            self.exact(arg, dtype if dtype == "float32" else "")
        self._stays(node)
        if not self.is_int(node):
            return TRUTH
        if name in ("math.gcd", "math.isqrt"):
            whole = (self._whole(*each) for each in zip(args, bounds, strict=True))
            return Interval(NOTHING, reduce(Interval.join, whole).reach)
        if name == "abs":
            return self._demand(abs(bounds[0]), WORD, node)
        return (
            self._demand(bounds[0] ** bounds[1], WORD, node) if name == "pow" else ANY
        )

    def _in_word(self, node: ast.expr, bound: Interval) -> Interval:
        """An integer that must be within 64 bits, if it may be beyond them."""
        wide = bound.up.most is not None and bound.up.most > WORD
        return self._demand(bound, WORD, node) if wide else bound

    def _whole(self, node: ast.expr, bound: Interval) -> Interval:
        """A number as an integer: of a float it is small, or saturated."""
        for member in self._kinds.found[node].members:
            if member.dtype in FLOATS:
                return _SMALL if self.scope.again else ANY
            if member.dtype == "bool":
                bound = bound.join(TRUTH)
            elif not member.weak:
                own = of_numpy(self._kinds, self.reach, node, member.dtype)
                bound = bound.join(own)
        return bound

    def _demand(self, bound: Interval, limit: int, node: ast.expr) -> Interval:
        self.demands.append(Demand(bound.reach, limit, node))
        return bound
