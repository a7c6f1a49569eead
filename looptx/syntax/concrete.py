"""The lines of one function as libcst's tree.

A frame of one line stands in front of them: ``if True:`` where they are indented, so
that they are a program, and ``pass`` where they are not, so that the comments above the
function belong to it and not to a module.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import TypeAlias, cast

import libcst as cst
from libcst.metadata import (
    CodePosition,
    MetadataWrapper,
    PositionProvider,
    WhitespaceInclusivePositionProvider,
)

from looptx.errors import LooptxError, Malformed, Place
from looptx.model.lines import keep_ends

Where: TypeAlias = tuple[int, int]
"""A line of a file, from 1, and a character of it, from 0."""

Line: TypeAlias = cst.SimpleStatementLine | cst.BaseCompoundStatement
"""What a block consists of."""

_FRAME = 1
_FED = re.compile(r"[ \t]*\f\s*[^\s#]")
"""Code behind a form feed, which libcst does not keep."""

_STATEMENTS = (cst.BaseSmallStatement, cst.BaseCompoundStatement)


class _Wrapper(MetadataWrapper):
    """A tree that is not copied by visitors of which there are none."""

    def visit_batched(
        self,
        visitors: Iterable[cst.BatchableCSTVisitor],
        *hooks: Callable[[cst.CSTNode], None] | None,
    ) -> cst.CSTNode:
        """As of libcst, which walks through the tree for each table of places, too."""
        return super().visit_batched(visitors, *hooks) if [*visitors] else self.module


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
        # A form feed in front of all that is no part of the tree.
        top = lines[0]
        self._lead = top[: top.rfind("\f", 0, len(top) - len(top.lstrip())) + 1]
        kept = [top[len(self._lead) :], *lines[1:]]
        self._frame = _frame(kept)
        self._text = self._frame + "".join(kept)
        self.module = self._parsed()
        self._wrapper = _Wrapper(self.module, unsafe_skip_copy=True)
        self.places: Mapping[cst.CSTNode, Where] = {
            node: self._where(span.start)
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
        except cst.ParserSyntaxError as error:
            # libcst takes what stands behind a form feed for another block.
            lines = enumerate(keep_ends(self._text), 1)
            fed = (at for at, line in lines if _FED.match(line))
            raise self._not_kept(next(fed, error.raw_line)) from None
        if module.code == self._text:
            return module
        pairs = zip_longest(keep_ends(self._text), keep_ends(module.code))
        unlike = (at for at, (old, new) in enumerate(pairs, 1) if old != new)
        raise self._not_kept(next(unlike))

    def _not_kept(self, line: int) -> LooptxError:
        """What to say of a line of the tree, from 1."""
        at = min(max(line - _FRAME, 1), len(self._lines)) - 1
        hint = "move the annotated loops to a function of their own, without this line"
        if _FED.match(self._lines[at]):
            hint = "take away the form feed in front of this line"
        elif self._lines[at].endswith("\r"):
            hint = "end all lines with a line feed"
        place = Place(self._filename, self._first + at)
        message = "this line cannot be kept as it is written"
        return Malformed(
            "LX403", message, place, hint=hint, source=self.line(place.line)
        )

    def _where(self, position: CodePosition) -> Where:
        """A position in the tree as one in the file."""
        line = position.line - _FRAME
        lead = len(self._lead) if line == 1 else 0
        return line + self._first - 1, position.column + lead

    def line(self, number: int) -> str:
        """A line of the file, without its end."""
        return self._lines[number - self._first].rstrip("\r\n")

    def line_at(self, where: Where) -> Line:
        """The line, or compound statement, that begins at a place."""
        return next(line for line in self.blocks if self.places[line] == where)

    def beside(self, node: cst.CSTNode) -> tuple[str, str]:
        """What stands directly before and behind an expression and its parentheses.

        It is a character each, and empty at the end of a line.
        """
        span = self._wrapper.resolve(WhitespaceInclusivePositionProvider)[node]
        (first, start), (last, end) = map(self._where, (span.start, span.end))
        before = self._lines[first - self._first][:start]
        behind = self._lines[last - self._first][end:]
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
        match module.body[0]:
            case cst.If(body=cst.IndentedBlock(body=(), footer=footer)):
                # libcst writes `pass` for a block without statements.
                return self._lead + "".join(map(module.code_for_node, footer))
        return self._lead + module.code[len(self._frame) :]


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
