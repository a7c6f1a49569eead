"""Which lines of comments belong to a loop."""

from __future__ import annotations

from looptx.source.text.parse import Parsed


def start_line(parsed: Parsed, header: int, lowest: int, directive: int) -> int:
    """The first line of the comments that stand directly above a loop.

    Args:
        header: the line of the ``for``. lowest: the first line they may stand on.
        directive: the line of the loop's first directive, at most ``header``.
    """
    depth = parsed.depth(header)
    line = header
    while line - 1 >= lowest:
        comment = parsed.comments.get(line - 1)
        if comment is None or not comment.alone or parsed.depth(line - 1) > depth:
            break
        line -= 1
    return min(line, directive)


def end_line(parsed: Parsed, last: int, depth: int) -> int:
    """The last line of a loop, own-line comments inside its body included."""
    line = last + 1
    while line <= len(parsed.lines):
        comment = parsed.comments.get(line)
        if comment is not None and comment.alone and parsed.depth(line) > depth:
            last = line
        elif parsed.line(line).strip():
            break
        line += 1
    return last
