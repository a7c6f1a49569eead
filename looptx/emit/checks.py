"""What the entry of a nest makes sure of, so that operations inside need not.

An operation on what is known before the nest raises at once or never: the entry tries
it. Where it would raise, the loops as written run and raise by themselves, or, where
they might not come to it at all, the native loops that check as they go.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field, replace

from looptx.emit.values import ATOM, Value

NONZERO = "nonzero"
"""A fact about a value; so are names of integer types, whose range it is in."""


@dataclass(frozen=True, slots=True)
class Test:
    """A test of the entry.

    Attributes:
        wrong: a C condition, true where an operation would raise.
        reason: what is wrong then.
        sure: whether Python comes to the operation whenever the nest runs.
    """

    wrong: str
    reason: str
    sure: bool


@dataclass(frozen=True, slots=True)
class Early:
    """A value computed by the entry: its C variable, what it is, as in ``Test``."""

    name: str
    value: Value
    sure: bool


@dataclass(slots=True)
class Checks:
    """What the entry of a nest makes sure of.

    Attributes:
        tests: by C condition.
        early: operations on live-in numbers, by their text in the source.
        facts: of an expression of a statement, by both.
        within: the subscripts known to be inside an axis, by statement, array, axis and
            text.
        reaches: the integer arrays whose least and greatest elements are needed: the C
            variable of these, by name.
        sizes: live-in integers that tests compute with.
    """

    tests: dict[str, Test] = field(default_factory=dict)
    early: dict[str, Early] = field(default_factory=dict)
    facts: dict[tuple[str, str], frozenset[str]] = field(default_factory=dict)
    within: set[tuple[str, str, int, str]] = field(default_factory=set)
    reaches: dict[str, str] = field(default_factory=dict)
    sizes: set[str] = field(default_factory=set)

    @property
    def partial(self) -> bool:
        """Whether Python may do without an operation that the entry tries."""
        sure = [one.sure for one in self.tests.values()]
        sure += [one.sure for one in self.early.values()]
        return not all(sure)

    def refined(self, statement: str, node: ast.expr, value: Value) -> Value:
        """A value with what is known of it."""
        if not self.early and not self.facts:
            return value
        text = ast.unparse(node)
        early = self.early.get(text)
        if early is not None:
            return replace(value, text=early.name, binds=ATOM)
        facts = self.facts.get((statement, text))
        return replace(value, facts=facts) if facts else value

    def inside(self, statement: str, array: str, axis: int, node: ast.expr) -> bool:
        """Whether a subscript is known to be inside its axis."""
        known = self.within
        return bool(known) and (statement, array, axis, ast.unparse(node)) in known

    def know(self, statement: str, node: ast.expr, fact: str) -> None:
        """Note a fact."""
        key = statement, ast.unparse(node)
        self.facts[key] = self.facts.get(key, frozenset()) | {fact}

    def test(self, wrong: str, reason: str, sure: bool) -> None:
        """Add a test; one that is sure once is sure."""
        old = self.tests.get(wrong)
        self.tests[wrong] = Test(wrong, reason, sure or (old is not None and old.sure))


def parts(node: ast.AST) -> tuple[list[ast.AST], list[ast.AST]]:
    """The parts of a piece of source: those it always evaluates, and the others."""
    match node:
        case ast.IfExp(test, body, orelse):
            return [test], [body, orelse]
        case ast.BoolOp(_, [first, *rest]):
            return [first], list(rest)
        case ast.Compare(left, _, [first, *rest]):
            return [left, first], list(rest)
        case ast.If(test, body, orelse):
            return [test], [*body, *orelse]
        case ast.For(target, iter, body, orelse):
            return [iter], [target, *body, *orelse]
    return list(ast.iter_child_nodes(node)), []
