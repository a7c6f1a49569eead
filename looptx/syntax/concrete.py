"""The lines of one function as libcst's tree.

A frame of one line stands in front of them: ``if True:`` where they are indented, so
that they are a program, and ``pass`` where they are not, so that the comments above the
function belong to it and not to a module.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias, cast

import libcst as cst
from libcst.metadata import (
    MetadataWrapper,
    PositionProvider,
    WhitespaceInclusivePositionProvider,
)

from looptx.errors import LooptxError, Malformed, Place

Where: TypeAlias = tuple[int, int]
"""A line of a file, from 1, and a character of it, from 0."""

Line: TypeAlias = cst.SimpleStatementLine | cst.BaseCompoundStatement
"""What a block consists of."""

_FRAME = 1
_STATEMENTS = (cst.BaseSmallStatement, cst.BaseCompoundStatement)


class Concrete:
    """Lines of a file as a tree, and what begins at each of their places.

    Args:
        lines: with their newlines.
        first: the number of the first one in the file.
        filename: what errors call it.

    Attributes:
        module: the frame, and the lines.
        places: where each node begins.
        statements: small and compound ones, by where they begin.
        blocks: the statements of the block that each line or compound stands in.

    Raises:
        Malformed: LX403 where libcst would not give back the same lines.
    """

    def __init__(self, lines: Sequence[str], first: int, filename: str) -> None:
        self._first = first
        self._lines = lines
        self._filename = filename
        self._frame = _frame(lines)
        self._text = self._frame + "".join(lines)
        self.module = self._parsed()
        self._wrapper = MetadataWrapper(self.module, unsafe_skip_copy=True)
        self.places: Mapping[cst.CSTNode, Where] = {
            node: (span.start.line + first - 1 - _FRAME, span.start.column)
            for node, span in self._wrapper.resolve(PositionProvider).items()
        }
        self.statements: Mapping[Where, cst.CSTNode] = {
            where: node
            for node, where in self.places.items()
            if isinstance(node, _STATEMENTS)
        }
        self.blocks = dict(_blocks(self.module))

    def _parsed(self) -> cst.Module:
        try:
            module = cst.parse_module(self._text)
            if module.code == self._text:
                return module
        except cst.ParserSyntaxError as error:
            raise self._not_kept(error.raw_line - 1 - _FRAME) from None
        raise self._not_kept(0)

    def _not_kept(self, line: int) -> LooptxError:
        return Malformed(
            "LX403",
            "the function cannot be kept as it is written",
            Place(self._filename, self._first + max(0, line)),
            hint="take form feeds out of it, and end its lines all in one way",
        )

    def line(self, number: int) -> str:
        """A line of the file, without its end."""
        return self._lines[number - self._first].rstrip("\r\n")

    def beside(self, node: cst.CSTNode) -> tuple[str, str]:
        """What stands directly before and behind an expression and its parentheses.

        It is a character each, and empty at the end of a line.
        """
        span = self._wrapper.resolve(WhitespaceInclusivePositionProvider)[node]
        first, last = (
            self._lines[place.line - 1 - _FRAME] for place in (span.start, span.end)
        )
        before, behind = first[: span.start.column], last[span.end.column :]
        return before[-1:], behind[:1]

    def indent(self, node: cst.CSTNode) -> str:
        """The white space in front of a statement that begins its line."""
        line, column = self.places[node]
        return self._lines[line - self._first][:column]

    def where(self, node: ast.expr | ast.stmt) -> Where:
        """Where an expression or a statement begins; ``ast`` counts bytes."""
        line = self._lines[node.lineno - self._first]
        if line.isascii():
            return node.lineno, node.col_offset
        start = line.encode("utf-8", "surrogatepass")[: node.col_offset]
        return node.lineno, len(start.decode("utf-8", "replace"))

    def lines(self, module: cst.Module) -> str:
        """The text of a tree that was made of this one, without the frame."""
        return module.code[len(self._frame) :]


def _blocks(
    node: cst.CSTNode,
) -> Iterator[tuple[Line, Sequence[Line]]]:
    """Every line and compound statement with those of its block."""
    for child in node.children:
        # An `elif` is a compound statement, too, but stands in no block.
        if isinstance(child, Line) and isinstance(node, cst.IndentedBlock | cst.Module):
            yield child, cast("Sequence[Line]", node.body)
        if not isinstance(child, cst.SimpleStatementLine | cst.BaseExpression):
            yield from _blocks(child)


def _frame(lines: Sequence[str]) -> str:
    """A line that makes a program of the lines, ended as they are."""
    code = next((x for x in lines if x.strip() and not x.lstrip().startswith("#")), "")
    ending = code[len(code.rstrip("\r\n")) :] or "\n"
    return ("if True:" if code[:1] in (" ", "\t") else "pass") + ending
