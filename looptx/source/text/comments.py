"""Which lines of comments belong to a loop."""

from __future__ import annotations

from looptx.source.text.parse import Parsed


def start_line(parsed: Parsed, header: int, lowest: int, directive: int) -> int:
    """The first line of the comments directly above a loop.

    Args:
        parsed: the module. header: the line of the ``for``.
        lowest: the first line that comments of the loop may be on.
        directive: the line of the loop's first directive, at most ``header``.

    Returns:
        The number of the line; ``header`` without comments.
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
    """The last line of a loop, comment lines inside its body included.

    Args:
        parsed: the module. last: the last line of the loop's code.
        depth: the column of its ``for``.

    Returns:
        The number of the line.
    """
    line = last + 1
    while line <= len(parsed.lines):
        comment = parsed.comments.get(line)
        if comment is not None and comment.alone and parsed.depth(line) > depth:
            last = line
        elif parsed.line(line).strip():
            break
        line += 1
    return last
