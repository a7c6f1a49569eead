"""Statements of libcst in the making."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import cast

import libcst as cst

from looptx.syntax.concrete import Line
from looptx.syntax.header import PRAGMA, fitted


class Body:
    """The statements of a block, and the comments that wait for the next of them.

    Args:
        indent: the white space in front of its statements. unit: one level of it.
        line_length: the length that lines should have at most.
    """

    def __init__(self, indent: str, unit: str, line_length: int) -> None:
        self.indent = indent
        self.unit = unit
        self.line_length = line_length
        self.statements: list[Line] = []
        self.waiting: list[str] = []

    @property
    def room(self) -> int:
        """The width of a line at this depth."""
        return self.line_length - len(self.indent)

    def inner(self) -> Body:
        """An empty body one level deeper."""
        return Body(self.indent + self.unit, self.unit, self.line_length)

    def comment(self, lines: Iterable[str]) -> None:
        """Comments for the next statement, wrapped if they are too long here."""
        self.waiting += fitted(lines, self.room)

    def add(self, statement: Line) -> None:
        """Append a statement below the comments that wait."""
        above = _lines(self.waiting)
        self.statements.append(statement.with_changes(leading_lines=above))
        self.waiting = []

    def statement(self, node: cst.CSTNode, behind: str = "") -> None:
        """Append a small statement, or a compound one, with the comment behind it."""
        if isinstance(node, cst.BaseSmallStatement):
            small = node.with_changes(semicolon=cst.MaybeSentinel.DEFAULT)
            node = cst.SimpleStatementLine([small])
            behind = self.beside(cst.Module([]).code_for_node(node).rstrip(), behind)
            node = node.with_changes(trailing_whitespace=_behind(behind))
        self.add(cast("Line", node))

    def line(self, code: str, behind: str = "") -> None:
        """Append a simple statement that is given as text."""
        statement = cst.parse_statement(code)
        assert isinstance(statement, cst.SimpleStatementLine)
        self.statement(statement.body[0], behind)

    def beside(self, code: str, behind: str) -> str:
        """A comment that fits behind a line of code; another one waits above it."""
        last = code.rpartition("\n")[2]
        fits = len(last) + 2 + len(behind) <= self.room
        if not behind or fits or PRAGMA.match(behind):
            return behind
        self.comment([behind])
        return ""

    def compound(
        self, head: str, inside: Body, behind: str = "", *, elif_: bool = False
    ) -> None:
        """Append a loop or a condition.

        Args:
            head: its first line, as text. inside: its body.
            behind: the comment behind the head.
            elif_: an ``if`` continues the last statement as its ``elif``.
        """
        node = cst.parse_statement(f"{head} pass")
        assert isinstance(node, cst.For | cst.If)
        node = node.with_changes(body=inside.suite(behind))
        if elif_ and isinstance(node, cst.If):
            self._append(node)
        else:
            self.add(node)

    def otherwise(self, inside: Body) -> None:
        """Append the ``else`` of the last statement; for a lone ``if``, an ``elif``."""
        match inside.statements:
            case [cst.If() as alone] if not (inside.waiting or self.waiting):
                self._append(alone)
                return
        self._append(cst.Else(inside.suite(), leading_lines=_lines(self.waiting)))
        self.waiting = []

    def _append(self, node: cst.If | cst.Else) -> None:
        last = self.statements.pop()
        assert isinstance(last, cst.If)
        self.statements.append(_with_else(last, node))

    def suite(self, behind: str = "") -> cst.IndentedBlock:
        """The block; what still waits closes it."""
        return cst.IndentedBlock(
            self.statements,
            header=_behind(behind),
            indent=self.unit,
            footer=_lines(self.waiting),
        )


def _with_else(node: cst.If, other: cst.If | cst.Else) -> cst.If:
    """A chain of conditions with one more branch at its end."""
    if isinstance(node.orelse, cst.If):
        other = _with_else(node.orelse, other)
    return node.with_changes(orelse=other)


def _lines(texts: Sequence[str]) -> list[cst.EmptyLine]:
    return [cst.EmptyLine(comment=cst.Comment(text)) for text in texts]


def _behind(comment: str) -> cst.TrailingWhitespace:
    """The end of a line, with a comment if there is one."""
    if not comment:
        return cst.TrailingWhitespace()
    return cst.TrailingWhitespace(cst.SimpleWhitespace("  "), cst.Comment(comment))
