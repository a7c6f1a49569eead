"""``# looptx:`` comments: which loop or function each of them annotates."""

from __future__ import annotations

import ast
import bisect
from collections.abc import Iterator

from looptx.errors import LooptxError, Malformed, Place, Together
from looptx.model.marks import (
    APPLIED_ALREADY,
    DIRECTIVE,
    NAMING,
    NEARLY,
    may_address,
)
from looptx.model.program import Directive
from looptx.model.records import dataclass, field
from looptx.model.trees import children
from looptx.source.names.imports import FUNCTIONS
from looptx.source.text.parse import Comment, Parsed, end_line


def is_directive(comment: str) -> bool:
    """Whether a comment is addressed to looptx."""
    return DIRECTIVE.match(comment) is not None


@dataclass
class Placed:
    """Directives by the statement they annotate.

    Attributes:
        found: the directives of a loop or a function, or what names a statement, in
            source order.
        applied: statements under an ``applied`` comment.
        lines: the line of the first comment of each statement.
        nearly: what may be misspelt directives of loops and functions.
        wrong: directives on nothing that can be scheduled, or behind code (LX107), or
            on a loop that is not ``for`` (LX305).
    """

    found: dict[ast.AST, list[Directive]] = field(default_factory=dict)
    applied: set[ast.AST] = field(default_factory=set)
    lines: dict[ast.AST, int] = field(default_factory=dict)
    nearly: dict[ast.AST | None, list[Directive]] = field(default_factory=dict)
    wrong: Together = field(default_factory=Together)

    def of(self, node: ast.stmt) -> tuple[Directive, ...]:
        """The directives that annotate a statement."""
        return tuple(self.found.get(node, ()))


def place(parsed: Parsed) -> Placed:
    """Find the statement that every directive comment of a module annotates."""
    placed = Placed()
    if not may_address(parsed.text):
        return placed
    comments = [
        comment
        for comment in parsed.comments.values()
        if is_directive(comment.text) or NEARLY.match(comment.text)
    ]
    if not comments:
        return placed
    found = [
        (parsed.first_line(stmt), stmt, inside)
        for stmt, inside in _statements(parsed.tree)
    ]
    statements = sorted(found, key=lambda each: each[0])
    for comment in comments:
        applied = APPLIED_ALREADY.match(comment.text) is not None
        stmt, inside = _below(parsed, comment, statements)
        if not is_directive(comment.text):
            placed.nearly.setdefault(stmt, []).append(_nearly(parsed, comment))
            continue
        if applied:
            if stmt is not None:
                placed.applied.add(stmt)
                placed.lines.setdefault(stmt, comment.line)
            continue
        with placed.wrong:
            checked = _schedulable(parsed, comment, stmt, inside)
            placed.lines.setdefault(checked, comment.line)
            placed.found.setdefault(checked, []).append(directive(parsed, comment))
    return placed


def any_in(parsed: Parsed) -> bool:
    """Whether a text has directives."""
    return any(is_directive(comment.text) for comment in parsed.comments.values())


def _schedulable(
    parsed: Parsed, comment: Comment, stmt: ast.stmt | None, inside: bool
) -> ast.stmt:
    """The statement that a directive annotates. Raises LX107, LX305."""
    if stmt is None or (not inside and not isinstance(stmt, FUNCTIONS)):
        raise _nowhere(parsed, comment, stmt)
    if isinstance(stmt, ast.While | ast.AsyncFor):
        raise _not_range(parsed, comment)
    names = NAMING.match(directive(parsed, comment).text)
    if not names and not isinstance(stmt, ast.For) and not isinstance(stmt, FUNCTIONS):
        raise _nowhere(parsed, comment, stmt)
    return stmt


def directive(parsed: Parsed, comment: Comment) -> Directive:
    """A comment as a directive; its place is that of its first word."""
    match = DIRECTIVE.match(comment.text)
    skip = match.end() if match else 0
    where = Place(parsed.filename, comment.line, comment.column + skip + 1)
    return Directive(comment.text[skip:], where, parsed.line(comment.line))


def _nearly(parsed: Parsed, comment: Comment) -> Directive:
    """What a comment would say if it were a directive; its place is the comment's."""
    text = NEARLY.sub("", comment.text, count=1)
    where = Place(parsed.filename, comment.line, comment.column + 1)
    return Directive(text, where, parsed.line(comment.line))


def _statements(tree: ast.Module) -> Iterator[tuple[ast.stmt, bool]]:
    """Every statement, and whether it is inside a function."""

    def visit(node: ast.AST, inside: bool) -> Iterator[tuple[ast.stmt, bool]]:
        for child in children(node):
            if isinstance(child, ast.expr):
                continue
            if isinstance(child, ast.stmt):
                yield child, inside
            deeper = inside or isinstance(child, FUNCTIONS)
            yield from visit(child, deeper and not isinstance(child, ast.ClassDef))

    return visit(tree, False)


def _below(
    parsed: Parsed, comment: Comment, statements: list[tuple[int, ast.stmt, bool]]
) -> tuple[ast.stmt | None, bool]:
    """The statement that an own-line comment annotates, if there is one."""
    if not comment.alone or comment.inside:
        return None, False
    line = comment.line
    at = bisect.bisect_right(statements, line, key=lambda one: one[0])
    nearest = at - 1
    while nearest >= 0 and statements[nearest][0] == statements[at - 1][0]:
        _, stmt, inside = statements[nearest]
        if isinstance(stmt, FUNCTIONS | ast.ClassDef) and line < stmt.lineno:
            return stmt, inside
        if line <= end_line(stmt) and not _is_compound(stmt):
            return None, inside
        nearest -= 1
    if at == len(statements):
        return None, False
    first, stmt, inside = statements[at]
    deeper = parsed.depth(line) > parsed.depth(first)
    return (None if deeper else stmt), inside


def _is_compound(stmt: ast.stmt) -> bool:
    return hasattr(stmt, "body") or hasattr(stmt, "cases")


def _nowhere(parsed: Parsed, comment: Comment, stmt: ast.stmt | None) -> LooptxError:
    message = "the directive stands on no loop and no function"
    hint = "put it on its own line above a `for` or a `def`"
    if not comment.alone:
        message = "the directive stands behind code"
    elif isinstance(stmt, ast.For):
        message = "the directive stands on a loop outside of any function"
        hint = "move the loop into a function"
    return _error("LX107", message, hint, parsed, comment)


def _not_range(parsed: Parsed, comment: Comment) -> LooptxError:
    return _error(
        "LX305",
        "the directive stands on a loop that is not `for` over `range`",
        "directives need a loop of the form `for i in range(...)`",
        parsed,
        comment,
    )


def _error(
    code: str, message: str, hint: str, parsed: Parsed, comment: Comment
) -> LooptxError:
    found = directive(parsed, comment)
    return Malformed(code, message, found.place, hint=hint, source=found.source)
