"""Text to syntax tree, lines and comments.

``ast`` counts columns in UTF-8 bytes and knows no comments; ``Parsed`` turns columns
into characters and keeps a table of comments made by ``tokenize``. Lines are numbered
as Python does: a line feed, a carriage return or both end a line, a form feed does not.
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator, Mapping

from looptx.errors import Malformed, Place
from looptx.model.lines import NEWLINE
from looptx.model.records import dataclass
from looptx.parsers.deep import deeply
from looptx.parsers.unwarned import parsed
from looptx.source.text.aliases import spell_out
from looptx.source.text.encoding import LIMIT, too_large
from looptx.source.text.self_assignments import settle


@dataclass(frozen=True, slots=True)
class Comment:
    """One comment.

    Attributes:
        line, column: from 1, and from 0.
        text: it, with its ``#``.
        alone: whether nothing else is on its line.
        inside: whether it is between brackets, in the middle of an expression.
    """

    line: int
    column: int
    text: str
    alone: bool
    inside: bool


class Parsed:
    """A module's tree with its lines.

    Args:
        text: the source, newlines as in the file.
        filename: what places call it.

    Attributes:
        tree: as the model reads it; whole: with statements on arrays as they are.
        ranks: how many axes arrays have to have for that, where it hangs on it, by the
            qualified name of their function.

    Raises:
        Malformed: LX303 and LX304.
    """

    def __init__(self, text: str, filename: str) -> None:
        self.text = text
        self.filename = filename
        self.tree = _tree(text, filename)
        self.whole = self.tree
        self.ranks: Mapping[str, Mapping[str, int]] = {}
        self.lines = NEWLINE.sub("\n", text).split("\n")
        # Not cached properties: before Python 3.12 those hold a lock over forks.
        self._comments: dict[int, Comment] | None = None

    def line(self, number: int) -> str:
        """A line by its number, without the newline; empty past the end."""
        return self.lines[number - 1] if 0 < number <= len(self.lines) else ""

    def column(self, line: int, offset: int) -> int:
        """The character at a byte offset of a line, both from 0."""
        text = self.line(line)
        if text.isascii():
            return offset
        return len(
            text.encode("utf-8", "surrogatepass")[:offset].decode("utf-8", "replace")
        )

    def depth(self, line: int) -> int:
        """The column a line is indented to; a form feed resets it, as in Python."""
        text = self.line(line)
        white = text[: len(text) - len(text.lstrip(" \t\f"))]
        return len(white.rpartition("\f")[2].expandtabs())

    def first_line(self, node: ast.stmt) -> int:
        """The first line of a statement, that of the ``@`` of its first decorator."""
        decorators = getattr(node, "decorator_list", ())
        if not decorators:
            return node.lineno
        line, column = self.start(decorators[0])
        # Only brackets, comments and `\\` may be between the two.
        text = self.line(line)[:column]
        while line > 1 and not text.lstrip().startswith("@"):
            line -= 1
            text = self.line(line)
        return line

    def start(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        """Line (from 1) and character (from 0) where a node starts."""
        return node.lineno, self.column(node.lineno, node.col_offset)

    def end(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        """Line and character where a node ends."""
        line = end_line(node)
        return line, self.column(line, node.end_col_offset or 0)

    def place(self, node: ast.expr | ast.stmt) -> Place:
        """Where a node starts, for errors."""
        line, column = self.start(node)
        return Place(self.filename, line, column + 1)

    @property
    def comments(self) -> dict[int, Comment]:
        """All comments by line."""
        if self._comments is None:
            self._comments = {comment.line: comment for comment in self._tokens()}
        return self._comments

    def _tokens(self) -> Iterator[Comment]:
        if "#" not in self.text:
            return
        stream = io.StringIO("\n".join(self.lines))
        opened = 0
        try:
            for token in tokenize.generate_tokens(stream.readline):
                if token.type == tokenize.OP:
                    opened += (token.string in "([{") - (token.string in ")]}")
                elif token.type == tokenize.COMMENT:
                    line, column = token.start
                    alone = not self.line(line)[:column].strip()
                    text = token.string.rstrip()
                    yield Comment(line, column, text, alone, opened > 0)
        except (tokenize.TokenError, SyntaxError) as error:
            raise self._no_words(error) from None

    def _no_words(self, error: tokenize.TokenError | SyntaxError) -> Malformed:
        """LX303 for a text that is Python, but not to ``tokenize``."""
        if isinstance(error, SyntaxError):
            reason, line = error.msg, error.lineno or 1
        else:
            reason, (line, _) = error.args
        line = min(line, len(self.lines))
        return Malformed(
            "LX303",
            f"cannot be split into words: {reason}",
            Place(self.filename, line),
            hint="indent this line by spaces alone, without a `\\` above it",
            source=self.line(line),
        )


def end_line(node: ast.expr | ast.stmt) -> int:
    """The last line of a node."""
    return node.end_lineno or node.lineno


def _tree(text: str, filename: str) -> ast.Module:
    if len(text) > LIMIT:
        raise too_large(filename)
    deep = Malformed(
        "LX304",
        "the source is too deeply nested to be analysed",
        Place(filename, 1),
        hint="move the annotated functions to a file of their own",
    )
    try:
        tree = deeply(lambda: parsed(text, filename))
        settle(tree)
        spell_out(tree)
        return tree
    except SyntaxError as error:
        if error.msg.startswith("too many"):
            raise deep.at(Place(filename, error.lineno or 1)) from None
        lines = NEWLINE.split(text)
        line = min(max(1, error.lineno or 1), len(lines))
        source = lines[line - 1]
        # Python counts columns from the first of the lines that a `\\` joins.
        column = min(max(1, error.offset or 1), len(source) + 1)
        raise Malformed(
            "LX303",
            f"not valid Python: {error.msg}",
            Place(filename, line, column),
            hint="looptx reads what this Python reads",
            source=source,
        ) from None
    except (RecursionError, MemoryError):
        raise deep from None
    except ValueError as error:
        raise Malformed(
            "LX303",
            f"not valid Python: {error}",
            Place(filename, 1),
            hint="a source file holds text only",
        ) from None
