"""Reductions carried by a parallel or vector loop: partial results, combined."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator

from looptx.lower import advice
from looptx.lower.kinds import BOOL, Kind, fail, names, of
from looptx.lower.loops.identity import UNWRITTEN, identity
from looptx.lower.loops.statements import Frame, Statements
from looptx.lower.scope import Scope
from looptx.lower.tree import (
    Assign,
    Expr,
    If,
    Stmt,
    both,
    either,
    infix,
    number,
    used,
    variable,
)
from looptx.lower.values.literals import cast, encoded, loaded, nonzero
from looptx.lower.values.operators import binary
from looptx.model.dtypes import DTYPES
from looptx.model.program import Reduction, Statement
from looptx.model.records import dataclass, field, replace
from looptx.model.trees import dotted, form
from looptx.model.types import ScalarType

LANES = 8
"""How many sums a vector loop keeps side by side unless the directive says."""


@dataclass(slots=True)
class Accumulator:
    """A scalar that collects, in C.

    Attributes:
        own: what it is: a variable, or a cell of an array.
        scalar: what it stands for: its name in the source, or the cell.
        op: of the reduction.
        tag: what marks its Python type, if something does.
        propagates: whether ``np.maximum`` takes part, where a NaN wins.
        takes: whether a NaN is taken as it is by ``min(x, s)``, and lost to what comes
            next; None where statements differ in that.
        equal: whether ``min(x, s)`` takes what is equal, which may be of another type.
        c_type: of its C variable, or of the cell.
        bytes: whether it is a bool of which any byte but 0 is True.
        bits: those of it that say which bool it is, as of a scope; None for all.
        partials: the array that holds the partial results of each of the two.
        local: whether these arrays are variables of a C function.
    """

    own: Expr
    scalar: str | Expr
    op: str
    tag: Expr | None
    propagates: bool
    takes: bool | None
    equal: bool
    c_type: str
    bytes: bool = False
    bits: Expr | None = None
    partials: dict[Expr, str] = field(default_factory=dict)
    local: bool = True

    @property
    def kind(self) -> Kind:
        """Its type."""
        return self.own.kind

    @property
    def cell(self) -> bool:
        """Whether it is a cell of an array, which nothing has to declare."""
        return self.own.op != "name"

    @property
    def variables(self) -> dict[Expr, str]:
        """What it consists of, with C types."""
        return {self.own: self.c_type} | ({self.tag: "int"} if self.tag else {})

    @property
    def lanes(self) -> bool:
        """Whether lanes help: what is exact in any order C vectorises by itself.

        Not so in a cell, which C would store every time.
        """
        inexact = DTYPES[self.kind.dtype].is_inexact
        return self.cell or (self.op in ("+", "*") and inexact)

    def untagged(self) -> Accumulator:
        """The value alone: lanes run in one thread and share the mark of the type."""
        return replace(self, tag=None, partials={})

    def declared(self) -> dict[str, str]:
        """The C variables it consists of, with their types."""
        return {} if self.cell else {v.name: c for v, c in self.variables.items()}

    def initial(self, *at: Expr) -> list[Stmt]:
        """Set to what changes nothing; ``at`` is the index of a partial result."""
        start = self._written(self.identity)
        lines: list[Stmt] = [Assign(self._place(self.own, at), start)]
        if self.tag:
            lines.append(Assign(self._place(self.tag, at), number(0)))
        return lines

    def stands(self, *at: Expr) -> dict[str | Expr, Expr]:
        """What stands for the scalar while partial result ``at`` is computed."""
        found: dict[str | Expr, Expr] = {self.scalar: self._place(self.own, at)}
        if self.tag:
            found[f"{self.scalar} type"] = self._place(self.tag, at)
        return found

    def combine(self, *at: Expr) -> list[Stmt]:
        """Take partial result ``at`` in."""
        part = self._place(self.own, at)
        taken = self.take(part, self.tag and self._place(self.tag, at))
        if self.bytes:
            # A cell that no iteration writes keeps its byte, which may be any.
            return [If(infix("!=", part, self.identity, of(BOOL)), (*taken,))]
        return taken

    def take(self, part: Expr, tag: Expr | None = None) -> list[Stmt]:
        """Take a partial result in, and the mark of its type."""
        own, marked = self.own, list[Stmt]()
        if self.tag and tag:
            # NumPy's functions give one of its types even where two are equal.
            marked = [If(tag, (Assign(self.tag, tag),))]
        if self.op in ("min", "max"):
            given, kept = self._read(part), self._read(own)
            sign = "<" if self.op == "min" else ">"
            if self.takes and not self.propagates:
                # Of a NaN no comparison holds: it is taken where the other one fails.
                other = sign if self.equal else f"{sign}="
                test = Expr("not", of(BOOL), (infix(other, kept, given, of(BOOL)),))
            else:
                test = infix(f"{sign}=" if self.equal else sign, given, kept, of(BOOL))
            if self.propagates and DTYPES[self.kind.dtype].kind == "f":
                test = either(test, infix("!=", given, given, of(BOOL)))
            if self.equal and tag:
                # No iteration has left what it began with.
                test = both(tag, test)
            taken: list[Stmt] = [Assign(own, part)]
            if self.tag and tag and not self.propagates:
                return [If(test, (*taken, Assign(self.tag, tag)))]
            return [If(test, (*taken,)), *marked]
        strong = Kind(self.kind.dtype, frozenset((ScalarType(self.kind.dtype),)))
        pair = [replace(self._read(value), kind=strong) for value in (own, part)]
        if self.kind.dtype == "bool":
            # Any byte but 0 is True.
            kept, given = pair
            ends = loaded(kept, self.bits), nonzero(given, strong)
            whole = Expr(self.op, strong, ends)
        else:
            whole = cast(binary(self.op, *pair), self.kind.dtype)
        done: Stmt = Assign(own, self._written(whole))
        if self.op == "*" and self.kind.is_complex:
            # A product with 1 turns an infinite part into NaN.
            done = If(infix("!=", part, number(1), of(BOOL)), (done,))
        return [done, *marked]

    def _read(self, value: Expr) -> Expr:
        """A number as C computes with it."""
        return loaded(value) if self.cell and value.kind.dtype != "bool" else value

    def _written(self, value: Expr) -> Expr:
        """A number as it is kept."""
        return encoded(value) if self.cell else value

    def _place(self, variable: Expr, at: tuple[Expr, ...]) -> Expr:
        if not at:
            return variable
        op = "local cell" if self.local else "cell"
        return Expr(op, variable.kind, at, self.partials[variable])

    @property
    def identity(self) -> Expr:
        """What changes nothing; where any byte is a bool, none of what is written."""
        own = identity(self.op, self.kind)
        if not self.bytes:
            return own
        assert isinstance(own.number, int)
        return replace(number(own.number + UNWRITTEN), kind=self.kind)


def accumulators(
    scope: Scope,
    lowering: Statements,
    reductions: Iterable[Reduction],
    inside: Collection[str],
) -> list[Accumulator]:
    """The scalars that the statements ``inside`` a loop reduce into."""
    found: dict[str, Accumulator] = {}
    for reduction in reductions:
        scalar = reduction.target.array
        if scalar in scope.planned.nest.arrays or scalar in scope.buffers:
            continue
        statements = list(reducing(scope, reduction, inside))
        if not statements:
            continue
        kind = scope.kinds[scalar]
        if any(one.dtype != kind.dtype for one in kind.members if not one.weak):
            fail(f"partial results of `{scalar}`, which is {names(kind)}")
        if len(kind.members) > 1 and any(_asks(scope, s, scalar) for s in statements):
            fail(f"partial results of `{scalar}`: its type decides what is computed")
        own = variable(scope.names(scalar), kind)
        tag = scope.tag(scalar) if scalar in lowering.tagged else None
        nan = propagates(statements)
        if tag and nan and not all(propagates([one]) for one in statements):
            fail(
                f"the Python type of `{scalar}` after the nest depends on the data",
                hint=advice.SAME,
            )
        equal = takes_equal(statements)
        if tag and not nan and equal is None and reduction.op in ("min", "max"):
            fail(
                f"partial results of `{scalar}`: which of two that are equal is taken"
                " depends on the data",
                hint=advice.SAME,
            )
        how = nan, takes(statements), bool(equal)
        found[scalar] = Accumulator(own, scalar, reduction.op, tag, *how, kind.c)
    return list(found.values())


def _asks(scope: Scope, statement: Statement, scalar: str) -> bool:
    """Whether what a statement computes depends on the type that a scalar has then."""
    aside = replace(scope, names=scope.names.copy(), stands={})
    lines = Statements(aside).lowered(statement, statement.own_index, Frame())
    return aside.tag(scalar).name in used(lines)


def reducing(
    scope: Scope, reduction: Reduction, inside: Collection[str]
) -> Iterator[Statement]:
    """The statements ``inside`` a loop that carry out a reduction."""
    for statement in scope.planned.nest.statements.values():
        own = statement.reduction
        if statement.name in inside and own is not None:
            same = own.target.array == reduction.target.array
            if same and own.op == reduction.op:
                yield statement


def propagates(statements: Iterable[Statement]) -> bool:
    """Whether a NaN wins in a reduction by minimum or maximum: one of NumPy's does it.

    What the others make of a NaN depends on the order, which the user has left open.
    """
    return any(
        isinstance(node, ast.Call)
        and dotted(node.func).rpartition(".")[2] in ("minimum", "maximum")
        for statement in statements
        for line in statement.code
        for node in ast.walk(line)
    )


def takes(statements: Iterable[Statement]) -> bool | None:
    """Whether a NaN is taken where Python's comparisons decide.

    ``min(x, s)`` takes one, as no ``s`` is less, and ``min(s, x)`` takes none.

    Returns:
        None where statements differ in that.
    """
    # Lines in front hold what calls are given.
    found = {_takes(statement.code[-1]) for statement in statements}
    return found.pop() if len(found) == 1 else None


def takes_equal(statements: Iterable[Statement]) -> bool | None:
    """Whether what is equal to a minimum or maximum stands for it from then on.

    Returns:
        None where statements differ in that, or a comparison of several decides.
    """
    found = {_takes(statement.code[-1], equal=True) for statement in statements}
    return found.pop() if len(found) == 1 else None


def _takes(line: ast.stmt, *, equal: bool = False) -> bool | None:
    """Whether a line takes what does not compare, or what is equal."""
    match line:
        case ast.If(ast.Compare(left, [op], [right]), [ast.Assign([target])]) if form(
            target
        ) in (form(left), form(right)):
            return equal and isinstance(op, ast.LtE | ast.GtE)
        case ast.If(_, [first], others):
            found = {_takes(one, equal=equal) for one in (first, *others)}
            return found.pop() if len(found) == 1 else None
        case ast.Assign([target], ast.Call(_, [first, second])):
            return None if form(first) == form(second) else form(first) != form(target)
        case ast.Assign([target], ast.IfExp(ast.Compare(_, [op], _), body, other)):
            inclusive = equal and isinstance(op, ast.LtE | ast.GtE)
            return form(body if inclusive else other) != form(target)
    return None
