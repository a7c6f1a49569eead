"""Facts that the entry of a nest tests, so that operations inside need not.

An operation on what is known before the nest raises at once or never: the entry tries
it, if the statement it is in runs at all. Where it would raise, the loops as written
run and raise by themselves, or, where they might not come to it even so, the native
loops that check as they go.
"""

from __future__ import annotations

import ast

from looptx.lower.tree import Expr, variable
from looptx.model.expr import TRUE, Cond, disj
from looptx.model.program import Statement
from looptx.model.records import dataclass, field, replace
from looptx.model.trees import Form, form

NONZERO = "nonzero"
"""A fact about a value; so are names of integer types, whose range it is in."""

HELD = "held"
"""What is known of a Python int that a double holds, whatever the nest is given."""

SATURATED = "saturated"
"""What is known of an int of a float: the ends of 64 bits stand for what is beyond."""

OUTSIDE = "an index out of bounds"

INTERRUPT = "a signal"
"""What may be raised anywhere, in Python as well: nothing is to be ordered by it."""

THERE = "there"
"""What is known of a cell that may be read wherever its statement runs, even where the
statement does not come to it: the entry makes sure of all that data might choose."""


def there(statement: Statement, array: str) -> frozenset[str]:
    """What is known of the cells of an array in a statement.

    Args:
        statement: it. array: by its name in the source.
    """
    own = [access for access in statement.accesses if access.array == array]
    known = all(one.where == TRUE and None not in one.subscripts for one in own)
    return frozenset((THERE,) if own and known else ())


@dataclass(frozen=True, slots=True)
class Test:
    """A test of the entry.

    Attributes:
        wrong: conditions; where one is true an operation would raise.
        when: the sizes for which the statement of the operation runs.
        reason: what is wrong then.
        sure: whether Python executes it whenever the statement runs.
    """

    wrong: tuple[Expr, ...]
    when: Cond
    reason: str
    sure: bool


@dataclass(frozen=True, slots=True)
class Early:
    """A value computed by the entry.

    Attributes:
        name: its C variable.
        value: what it is; text: in the source.
        uses: the sizes for which statements with it run; whether Python executes
            it whenever they run.
        statements: those; what is written alike may mean something else in others.
    """

    name: str
    value: Expr
    text: str
    uses: dict[Cond, bool] = field(default_factory=dict)
    statements: set[str] = field(default_factory=set)

    @property
    def when(self) -> Cond:
        """The sizes for which the operation may execute."""
        return disj(*self.uses)

    @property
    def sure(self) -> bool:
        """Whether Python executes it for all of these."""
        return all(self.uses.values())


@dataclass(slots=True)
class Checks:
    """What the entry of a nest makes sure of.

    Attributes:
        runs: the sizes for which statements run, where they are known.
        tests: by conditions and these sizes.
        early: operations on live-in numbers, by how they are written.
        facts: of an expression of a statement, by both.
        within: the subscripts known to be inside an axis: statement, array, axis and
            how they are written. forward: those of them that are never negative.
        digits: statements, arrays and axes at which all other subscripts are inside.
        reaches: the integer arrays whose least and greatest elements are needed: the C
            variable of these, by name.
        excluded: what the entry has seen not to raise: the statement of the nest, and
            how the guard is written.
        again: the operations on Python ints after which the loops as written start
            again where a result is not in 64 bits: statement, and how it is written.
        conditions: all of these, and those under which something never raises.
        sizes: live-in integers that tests compute with.
        alike: the functions of NumPy that have to give one number the bits that they
            give many, and the types of these numbers.
        rows: the arrays that such loops are given, which lie row by row.
        straight: those among the arrays that loops are given which may lie anyhow, but
            not backwards.
    """

    runs: dict[str, Cond] = field(default_factory=dict)
    tests: dict[tuple[tuple[Expr, ...], Cond], Test] = field(default_factory=dict)
    early: dict[Form, Early] = field(default_factory=dict)
    facts: dict[tuple[str, Form], frozenset[str]] = field(default_factory=dict)
    within: set[tuple[str, str, int, Form]] = field(default_factory=set)
    forward: set[tuple[str, str, int, Form]] = field(default_factory=set)
    digits: set[tuple[str, str, int]] = field(default_factory=set)
    reaches: dict[str, str] = field(default_factory=dict)
    excluded: set[tuple[str, Form]] = field(default_factory=set)
    again: set[tuple[str, Form]] = field(default_factory=set)
    conditions: list[Cond] = field(default_factory=list)
    sizes: set[str] = field(default_factory=set)
    alike: set[tuple[str, str]] = field(default_factory=set)
    rows: set[str] = field(default_factory=set)
    straight: set[str] = field(default_factory=set)

    def copy(self) -> Checks:
        """Others that begin with the same."""
        return Checks(*(getattr(self, one).copy() for one in self.__match_args__))

    @property
    def partial(self) -> bool:
        """Whether Python may do without an operation that the entry tries."""
        sure = [one.sure for one in self.tests.values()]
        sure += [one.sure for one in self.early.values()]
        return not all(sure)

    def refined(self, statement: str, node: ast.expr, value: Expr) -> Expr:
        """A value with what is known of it."""
        if not self.early and not self.facts:
            return value
        written = form(node)
        early = self.early.get(written)
        if early is not None and statement in early.statements:
            return replace(variable(early.name, value.kind), literal=value.literal)
        facts = self.facts.get((statement, written))
        return replace(value, facts=value.facts | facts) if facts else value

    def inside(self, statement: str, array: str, axis: int, node: ast.expr) -> bool:
        """Whether a subscript is known to be inside its axis."""
        known = self.within
        return bool(known) and (statement, array, axis, form(node)) in known

    def never_negative(
        self, statement: str, array: str, axis: int, node: ast.expr
    ) -> bool:
        """Whether a subscript that is inside its axis counts from the front."""
        if (statement, array, axis) in self.digits:
            return True
        known = self.forward
        return bool(known) and (statement, array, axis, form(node)) in known

    def excludes(self, statement: str, node: ast.stmt) -> bool:
        """Whether a part of a statement is a guard that does not raise."""
        return bool(self.excluded) and (statement, form(node)) in self.excluded

    def know(self, statement: str, node: ast.expr, fact: str) -> None:
        """Note a fact."""
        key = statement, form(node)
        self.facts[key] = self.facts.get(key, frozenset()) | {fact}

    def test(self, *wrong: Expr, reason: str, sure: bool, statement: str = "") -> None:
        """Add a test; one that is sure once is sure.

        Args:
            wrong, reason, sure: as in ``Test``.
            statement: what is wrong only if it runs; none where ``wrong`` says so.
        """
        when = self.runs.get(statement, TRUE)
        old = self.tests.get((wrong, when))
        sure = sure or (old is not None and old.sure)
        self.tests[wrong, when] = Test(wrong, when, reason, sure)


def parts(node: ast.AST) -> tuple[list[ast.AST], list[ast.AST]]:
    """The parts of a piece of source: those it always evaluates, and the others."""
    match node:
        case ast.IfExp(test, body, orelse):
            return [test], [body, orelse]
        case ast.BoolOp(_, [first, *rest]):
            return [first], list(rest)
        case ast.Compare(left, _, [first, *rest]):
            return [left, first], list(rest)
        case ast.If(test, body, orelse) | ast.While(test, body, orelse):
            return [test], [*body, *orelse]
        case ast.Raise():
            return [], []
        case ast.Assert(test):
            return [test], []
        case ast.For(target, iter, body, orelse):
            return [iter], [target, *body, *orelse]
    return list(ast.iter_child_nodes(node)), []
