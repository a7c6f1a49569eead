"""A target: how a language writes down the typed tree. It decides nothing."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar

from looptx.emit.intrinsics import c_function
from looptx.lower.kinds import Number
from looptx.lower.tree import (
    Assign,
    Expr,
    For,
    Function,
    Given,
    If,
    Jump,
    ParallelFor,
    Run,
    Stmt,
    Team,
    While,
)
from looptx.model.expr import Cond, IntExpr

ATOM = 20
"""How tightly names, numbers and calls bind; operators bind less."""

Written = tuple[str, int]
"""The text of an expression, and how tightly it binds."""


class Target(ABC):
    """Writes expressions, statements and functions.

    Attributes:
        binds: how tightly operators bind, by their names in the tree; ``unary`` stands
            for signs and conversions.
        chained: the operators that would mean something else one behind the other.
        spelled: what operators are called that have other names in the tree.
        vector: how many bytes a vector has at most; on every machine, or on this one.
        registers: how many cells, or vectors of them, it keeps at once.
        machine: the processors that it writes for, where there are versions for
            several; empty where what compiles the text knows.
    """

    binds: ClassVar[Mapping[str, int]]
    chained: ClassVar[frozenset[str]] = frozenset()
    spelled: ClassVar[Mapping[str, str]] = {}
    vector: ClassVar[int] = 16
    registers: ClassVar[int] = 16
    machine: ClassVar[str] = ""

    def expression(self, expr: Expr) -> str:
        """An expression."""
        return self._written(expr)[0]

    def at(self, expr: Expr, least: int) -> str:
        """An expression, in parentheses where it must bind at least so tightly."""
        text, binds = self._written(expr)
        return text if binds >= least else f"({text})"

    def _written(self, expr: Expr) -> Written:
        match expr:
            case Expr("name", name=name):
                return name, ATOM
            case Expr("number", number=number) if number is not None:
                return self.number(number)
            case Expr("index" | "test", index=index) if index is not None:
                return self.index(index)
            case Expr("local cell", parts=parts, name=name):
                places = (f"[{self.expression(part)}]" for part in parts)
                text = name + "".join(places)
                return self.beside(expr, text) if expr.lanes > 1 else text, ATOM
            case Expr("address", parts=(cell,)):
                return f"&{self.expression(cell)}", self._unary
            case Expr("call"):
                return self.call(expr), ATOM
            case Expr("cast", parts=(part,), name=name):
                return self.cast(name) + self.at(part, self._unary), self._unary
            case Expr("choice"):
                return self.choice(expr), self.binds["choice"]
            case Expr("neg" | "~" as op, parts=(part,)):
                sign = "-" if op == "neg" else op
                return sign + self.at(part, self._unary), self._unary
        return self._operation(expr)

    @property
    def _unary(self) -> int:
        return self.binds["unary"]

    def _operation(self, expr: Expr) -> Written:
        op, binds = self.spelled.get(expr.op, expr.op), self.binds[expr.op]
        if expr.op == "not":
            return f"{op}{self.at(expr.parts[0], binds)}", binds
        first, *others = expr.parts
        least = binds + (expr.op in self.chained or expr.op in ("and", "or"))
        texts = [self.at(first, least), *(self.at(one, binds + 1) for one in others)]
        return f" {op} ".join(texts), binds

    def call(self, expr: Expr) -> str:
        """A call of a function of C."""
        name = c_function(expr.intrinsic) if expr.intrinsic else expr.name
        return f"{name}({', '.join(map(self.expression, expr.parts))})"

    @abstractmethod
    def number(self, number: Number) -> Written:
        """A number, but no complex one."""

    @abstractmethod
    def index(self, part: IntExpr | Cond) -> Written:
        """An expression or a condition over sizes and loops."""

    @abstractmethod
    def cast(self, c_type: str) -> str:
        """The prefix that converts an operand to another type."""

    @abstractmethod
    def beside(self, cell: Expr, first: str) -> str:
        """The cells of a vector, from the first one on."""

    @abstractmethod
    def choice(self, expr: Expr) -> str:
        """One of two values."""

    def statements(self, block: Sequence[Stmt]) -> list[str]:
        """The lines of statements."""
        return [line for node in block for line in self._statement(node)]

    def _statement(self, node: Stmt) -> list[str]:
        match node:
            case Assign():
                return [self.assign(node)]
            case If():
                return self.branch(node)
            case For():
                return self.loop(node)
            case While():
                return self.conditional_loop(node)
            case Jump(word):
                return [self.jump(word)]
            case ParallelFor():
                return self.parallel_loop(node)
            case Run(call):
                return [self.run(call)]
            case Team():
                return self.team(node)

    @abstractmethod
    def assign(self, node: Assign) -> str:
        """An assignment."""

    @abstractmethod
    def branch(self, node: If) -> list[str]:
        """The lines of statements that run where a condition holds."""

    @abstractmethod
    def loop(self, node: For) -> list[str]:
        """The lines of a loop."""

    @abstractmethod
    def conditional_loop(self, node: While) -> list[str]:
        """The lines of a loop as long as a condition holds."""

    @abstractmethod
    def jump(self, word: str) -> str:
        """``break`` or ``continue``."""

    @abstractmethod
    def parallel_loop(self, node: ParallelFor) -> list[str]:
        """The lines of a loop that threads share."""

    @abstractmethod
    def run(self, call: Expr) -> str:
        """A call as a statement."""

    @abstractmethod
    def team(self, node: Team) -> list[str]:
        """The lines of a call that several threads make."""

    @abstractmethod
    def function(self, one: Function) -> str:
        """A function."""

    @abstractmethod
    def c_type(self, kind: Given) -> str:
        """The type of a variable."""
