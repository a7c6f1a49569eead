"""Exception analysis: what a nest may raise, and what its entry can rule out.

A schedule may run statements in another order only if none of them raises: after an
exception the arrays must hold what the loops as written left in them. An operation
cannot raise where isl proves it (``1.0 / (i + 1)``), or where the entry can test it for
all iterations at once: it depends on nothing that the nest changes, or on integer
arrays, whose elements one pass bounds.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from looptx.errors import LooptxError, Place
from looptx.lower.checks import HELD, INTERRUPT, NONZERO, OUTSIDE, Early, parts
from looptx.lower.intervals.narrow import Narrow
from looptx.lower.intervals.positions import Positions
from looptx.lower.intervals.restarts import LEAVING, guards
from looptx.lower.kinds import RANGES, fail
from looptx.lower.limits import EXACT, WORD
from looptx.lower.loops.inner import ZERO_STEP
from looptx.lower.loops.statements import Frame, Statements
from looptx.lower.scope import Scope, Unknown
from looptx.lower.tree import (
    Expr,
    Stmt,
    dangers,
    expressions,
    infix,
    number,
)
from looptx.lower.tree import parts as pieces
from looptx.lower.values.expressions import Expressions
from looptx.lower.values.operators import SIGNS, checked, of_integers
from looptx.lower.values.reducing import AXES
from looptx.model.execution.leaving import RAISED
from looptx.model.expr import (
    FALSE,
    TRUE,
    And,
    Compare,
    Cond,
    Const,
    IntExpr,
    conj,
    negate,
    variables,
)
from looptx.model.program import Statement
from looptx.model.records import dataclass, field, replace
from looptx.model.trees import dotted, form
from looptx.model.types import ScalarType

_DIVISIONS = ("/", "//", "%")


@dataclass(frozen=True, slots=True)
class Hazard:
    """A statement that may raise, and by what.

    ``again`` says that Python's loops start again then, as if nothing had run.
    """

    place: Place
    reason: str
    again: bool

    def __str__(self) -> str:
        return f"line {self.place.line}: {self.reason} may raise"


@dataclass(slots=True)
class Survey:
    """What is known of the exceptions of a nest.

    Attributes:
        wanted: conditions that would exclude some, if they always held.
        hazards: what may raise in the middle, whatever the entry tests.
        partial: whether the entry tests an operation that Python may not execute.
        measured: the arrays that it goes through for that.
    """

    wanted: list[tuple[str, Cond]] = field(default_factory=list)
    hazards: list[Hazard] = field(default_factory=list)
    partial: bool = False
    measured: frozenset[str] = frozenset()


def survey(scope: Scope, *, every: bool, hazards: bool = True) -> Survey:
    """Look for what may raise, and fill ``scope.checks``.

    Args:
        scope: the nest; the kinds of its scalars are known.
        every: test all that can be tested. Loops in the order of the source need no
            test that costs time, nor one of an operation they may not execute.
        hazards: whether those are asked for.
    """
    for name in scope.planned.nest.live_in:
        scope.names(name)
    found = Survey()
    for one in scope.statements:
        # Where False holds at every iteration there is none.
        never = scope.planned.always.get((one.name, FALSE))
        if never is None:
            found.wanted.append((one.name, FALSE))
        # NumPy computes with the numbers of a statement on no elements, too.
        runs = TRUE if never is None or one.elementwise else negate(never)
        scope.checks.runs[one.name] = runs
    scope.checks.conditions += scope.checks.runs.values()
    # What is lowered here is thrown away, and so are the names it takes.
    aside = replace(scope, names=scope.names.copy())
    narrow = Narrow(aside)
    settlers = [_Settler(scope, narrow, one, every, found) for one in scope.statements]
    for settler in settlers:
        settler.run()
    if every:
        _settle_digits(scope)
        subscripts = {one.statement.name for one in settlers if one.has_subscripts()}
        if subscripts:
            Positions(aside).settle(subscripts)
    for settler in settlers:
        if hazards or settler.lowering.slices:
            found.hazards += settler.hazards()
    found.partial = scope.checks.partial
    found.measured = frozenset(scope.checks.reaches)
    return found


def _settle_digits(scope: Scope) -> None:
    """Let the entry test the subscripts whose digits tell how far they go."""
    checks = scope.checks
    for (name, array, axis), cond in scope.planned.digits.items():
        # What may count from the end is looked at where it stands.
        if array in {*scope.buffers, *scope.planned.wraps} or name not in checks.runs:
            continue
        checks.digits.add((name, array, axis))
        if cond != TRUE:
            checks.sizes |= variables(cond)
            checks.conditions.append(cond)
            reason = f"an index into {array} is out of bounds"
            wrong = scope.fails(cond)
            checks.test(wrong, reason=reason, sure=False, statement=name)


def _hazards(lines: Sequence[Stmt], place: Place, sliced: bool) -> list[Hazard]:
    """What may raise in a statement with what the entry has made sure of.

    Args:
        lines: what it is in C. place: of it. sliced: whether it is one on arrays.
    """
    found = dict[Hazard, None]()
    for one in pieces(lines):
        if sliced and (_is_of_rows(one) or one.raises in (OUTSIDE, ZERO_STEP)):
            # The conditions of the statement say that rows agree and are not empty,
            # that slices are inside, and that steps are positive.
            continue
        if one.raises and one.raises != INTERRUPT:
            again = one.intrinsic in LEAVING
            found[Hazard(place, one.raises, again)] = None
    return list(found)


def _is_of_rows(one: Expr) -> bool:
    """Whether it reduces rows, or compares how long they are."""
    called = one.intrinsic
    return called is not None and (
        called.rules in ("reduce", "planes", AXES)
        or called.operation in ("agree", "memory")
    )


class _Settler:
    """Settles at the entry what one statement may raise.

    Args:
        scope: the nest. narrow: of its integers, in one for texts that are not kept.
        statement: the statement.
        every, found: as in ``survey``.
    """

    def __init__(
        self,
        scope: Scope,
        narrow: Narrow,
        statement: Statement,
        every: bool,
        found: Survey,
    ) -> None:
        self.scope = scope
        self.narrow = narrow
        self.checks = scope.checks
        self.statement = statement
        self.every = every
        self.found = found
        self.e = Expressions(narrow.scope, statement, statement.own_index)
        self.lowering = Statements(narrow.scope)
        self.body = self.lowered(self.lowering)
        self.fits = {
            (call.dtype, one.parts)
            for one in pieces(self.body)
            if (call := one.intrinsic) is not None and call.operation == "fit"
        }
        # Whether it is known for which sizes the statement runs.
        self.known = (statement.name, FALSE) in scope.planned.always

    def lowered(self, lowering: Statements) -> list[Stmt]:
        """The statement in C."""
        return lowering.lowered(self.statement, self.statement.own_index, Frame())

    def hazards(self) -> list[Hazard]:
        """What may still raise in the statement, now that all is settled."""
        place, sliced = self.statement.place, self.statement.elementwise
        if not dangers(expressions([*self.body, *self.lowering.slices])):
            return []
        lowering = Statements(self.narrow.scope)
        body = self.lowered(lowering)
        if _hazards(lowering.slices, place, True):
            fail("a statement on slices that may raise")
        return _hazards(body, place, sliced)

    def run(self) -> None:
        """Visit all of the statement, if anything in it may raise."""
        if dangers(expressions(self.body)):
            visit = self._numbers if self.statement.elementwise else self._visit
            for line in self.statement.code:
                visit(line, True)
            nest = self.scope.planned.nest
            for guard, test in guards(self.statement, nest) if self.known else ():
                self._exclude(guard, test)

    def _numbers(self, node: ast.AST, sure: bool) -> None:
        """Let the entry compute the numbers of a statement on arrays.

        What may raise of elements raises of none of them: the extents say nothing.
        """
        if isinstance(node, ast.BinOp | ast.Call) and self._early(node, sure):
            return
        for part in ast.iter_child_nodes(node):
            self._numbers(part, sure)

    def _visit(self, node: ast.AST, sure: bool) -> None:
        if isinstance(node, ast.BinOp | ast.Call) and self._early(node, sure):
            return
        match node:
            case ast.BinOp(left, op, right) | ast.AugAssign(left, op, right):
                self._division(SIGNS.get(type(op), ""), left, right, sure)
        if isinstance(node, ast.expr):
            self._fit(node, sure)
        always, perhaps = parts(node)
        for part in always:
            self._visit(part, sure)
        for part in perhaps:
            self._visit(part, False)

    def has_subscripts(self) -> bool:
        """Whether subscripts that only data tell may be out of bounds."""
        found = dangers(expressions(self.body))
        return OUTSIDE in found and not self.statement.store

    def _value(self, node: ast.expr) -> Expr | None:
        """The lowered expression; None for a node that has no value on its own."""
        try:
            return self.e.value(node)
        except (LooptxError, Unknown):
            return None

    def _early(self, node: ast.BinOp | ast.Call, sure: bool) -> bool:
        """Whether the entry computes an operation that may raise."""
        known = self.known or self.statement.elementwise
        sure, written = sure and known, form(node)
        runs, early = self.checks.runs[self.statement.name], self.checks.early
        if not self._fixed(node):
            return False
        if written in early and runs in early[written].uses:
            early[written].uses[runs] |= sure
            early[written].statements.add(self.statement.name)
            return True
        if not (sure or self.every):
            return False
        if written not in early:
            value = self._value(node)
            if value is None or not dangers([value]):
                return False
            name = self.scope.names.fresh("early")
            early[written] = Early(name, value, ast.unparse(node))
        early[written].uses[runs] = sure
        early[written].statements.add(self.statement.name)
        return True

    def _exclude(self, guard: ast.stmt, test: ast.expr) -> None:
        """Let the entry ask what each iteration would, and raises if it is so."""
        if self._fixed(test) and not dangers([cond := self.e.condition(test)]):
            name = self.statement.name
            self.checks.test(cond, reason=RAISED, sure=True, statement=name)
            self.checks.excluded.add((name, form(guard)))

    def _fixed(self, node: ast.expr) -> bool:
        """Whether an expression is made of numbers the nest does not change."""
        match node:
            case ast.Name(id=name):
                known = isinstance(self.scope.types.get(name), ScalarType)
                assigned = name in self.scope.planned.nest.scalars
                return known and not assigned and name not in self.e.ids
            case ast.Attribute():
                if dotted(node) in self.scope.types:
                    return isinstance(self.scope.types[dotted(node)], ScalarType)
                head = dotted(node).partition(".")[0]
                outside = head in self.scope.imports and head not in self.scope.types
                return outside or self._fixed(node.value)
            case ast.Call(func, args, []):
                known = isinstance(func, ast.Name) or self._fixed(func)
                return bool(dotted(func)) and known and all(map(self._fixed, args))
            case ast.Constant():
                return True
            case ast.BinOp(left, _, right):
                return self._fixed(left) and self._fixed(right)
            case ast.UnaryOp(_, operand):
                return self._fixed(operand)
            case ast.Compare(left, _, others):
                return all(map(self._fixed, (left, *others)))
        return False

    def _division(self, sign: str, left: ast.expr, right: ast.expr, sure: bool) -> None:
        if sign not in _DIVISIONS:
            return
        dividend, divisor = self._value(left), self._value(right)
        if dividend is None or divisor is None:
            return
        if sign == "/" and of_integers(dividend, divisor):
            for node in (left, right):
                if self.narrow.fits(self.statement, node, (-EXACT, EXACT)):
                    self.checks.know(self.statement.name, node, HELD)
        if not checked(dividend, divisor):
            return
        factors = self._factors(right)
        if factors is not None:
            wanted = conj(*(Compare("!=", one, Const(0)) for one in factors))
            reason = f"{ast.unparse(right)} is 0, and something is divided by it"
            if self._holds(wanted, reason, sure):
                self.checks.know(self.statement.name, right, NONZERO)
        elif self._fixed(right) and not dangers([divisor]):
            sure = sure and self.known
            if sure or self.every:
                self.checks.test(
                    infix("==", divisor, number(0)),
                    reason=f"{ast.unparse(right)} is 0, and something is divided by it",
                    sure=sure,
                    statement=self.statement.name,
                )
                self.checks.know(self.statement.name, right, NONZERO)

    def _factors(self, node: ast.expr) -> list[IntExpr] | None:
        """The factors of a product of integers of sizes and loops."""
        exact = self.e.integer(node)
        if exact is not None:
            return [exact]
        match node:
            case ast.BinOp(left, ast.Mult(), right):
                one, two = self._factors(left), self._factors(right)
                return None if one is None or two is None else one + two
        return None

    def _fit(self, node: ast.expr, sure: bool) -> None:
        """An integer that goes into a smaller type."""
        if isinstance(node, ast.Constant):
            return
        if not self.fits:
            return
        value, exact = self._value(node), self.e.integer(node)
        if value is None:
            return
        for dtype, (low, high) in RANGES.items():
            if (dtype, (value,)) not in self.fits:
                continue
            if value.kind.weak and self.narrow.fits(self.statement, node, (low, high)):
                self.checks.know(self.statement.name, node, dtype)
            elif exact is not None:
                wanted: Cond = Compare(">=", exact, Const(low))
                if high < WORD:  # It is in 64 bits anyhow.
                    wanted = And((wanted, Compare("<=", exact, Const(high))))
                reason = f"{ast.unparse(node)} is out of bounds for {dtype}"
                if self._holds(wanted, reason, sure):
                    self.checks.know(self.statement.name, node, dtype)

    def _holds(self, wanted: Cond, reason: str, sure: bool) -> bool:
        """Whether a condition holds at all iterations once the entry has tested it."""
        if variables(wanted) & set(self.statement.places):
            return False
        known = self.scope.planned.always.get((self.statement.name, wanted))
        if known is None:
            self.found.wanted.append((self.statement.name, wanted))
        if known is None or known == FALSE or not (sure or self.every):
            return False
        if known != TRUE:
            self.checks.sizes |= variables(known)
            self.checks.conditions.append(known)
            wrong = self.scope.fails(known)
            self.checks.test(wrong, reason=reason, sure=sure)
        return True
