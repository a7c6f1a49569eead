"""Which comment of a nest goes with which of its loops and statements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from looptx.model.program import Comments
from looptx.source.directives import is_directive
from looptx.source.parse import Comment, Parsed


@dataclass
class Anchor:
    """A loop header or a statement, and the comments that go with it.

    ``text`` is true when comments inside its lines are part of its text; ``whole`` when
    the comment behind its last line is too.
    """

    name: str
    first: int
    last: int
    column: int
    text: bool
    whole: bool = False
    above: list[str] = field(default_factory=list)
    below: list[str] = field(default_factory=list)
    behind: str = ""

    def comments(self) -> Comments:
        """What was collected."""
        return Comments(tuple(self.above), self.behind, tuple(self.below))


def attach(
    parsed: Parsed,
    anchors: Sequence[Anchor],
    first_line: int,
    last_line: int,
    moved: Sequence[tuple[int, int]] = (),
) -> None:
    """Give every comment of these lines to an anchor; directives go to none.

    Those of the ``moved`` lines, which are no part of the nest, go to none either.

    An own-line comment goes with what follows it, unless it is indented deeper: then it
    closes the block before it.
    """
    for line in range(first_line, last_line + 1):
        comment = parsed.comments.get(line)
        if comment is None or is_directive(comment.text):
            continue
        if any(low <= line <= high for low, high in moved):
            continue
        owners = [a for a in anchors if a.first <= line <= a.last]
        if owners:
            _inside(owners[-1], comment)
            continue
        after = next((a for a in anchors if a.first > line), None)
        before = [a for a in anchors if a.last < line]
        if after is None or (
            comment.alone and before and comment.column > after.column
        ):
            before[-1].below.append(comment.text)
        else:
            after.above.append(comment.text)


def _inside(anchor: Anchor, comment: Comment) -> None:
    """A comment within the lines of a header or a statement."""
    if anchor.text and (anchor.whole or comment.line < anchor.last):
        return
    if comment.line == anchor.last and not comment.alone:
        anchor.behind = comment.text
    else:
        anchor.above.append(comment.text)


def start_line(parsed: Parsed, header: int, lowest: int, directive: int) -> int:
    """The first line of the comments that stand directly above a loop.

    Args:
        header: the line of the ``for``. lowest: the first line they may stand on.
        directive: the line of the loop's first directive, at most ``header``.
    """
    column = len(parsed.line(header)) - len(parsed.line(header).lstrip())
    line = header
    while line - 1 >= lowest:
        comment = parsed.comments.get(line - 1)
        if comment is None or not comment.alone or comment.column > column:
            break
        line -= 1
    return min(line, directive)


def end_line(parsed: Parsed, last: int, column: int) -> int:
    """The last line of a loop, own-line comments inside its body included."""
    line = last + 1
    while line <= len(parsed.lines):
        comment = parsed.comments.get(line)
        if comment is not None and comment.alone and comment.column > column:
            last = line
        elif parsed.line(line).strip():
            break
        line += 1
    return last
