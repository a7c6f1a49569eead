"""The text of a statement, cut at the names that may be renamed."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from looptx.model.program import Ref, Text
from looptx.source.directives import is_directive
from looptx.source.parse import Parsed
from looptx.source.walking import walked

_NO_WORD = re.compile(r"\W")


_PASS = "pass"


@dataclass(frozen=True, slots=True)
class _Idle:
    """A statement of one line that does nothing, and how long it is."""

    width: int


@dataclass(frozen=True, slots=True)
class _Edge:
    """Where an expression begins or ends; it takes no room."""

    number: int
    begins: bool


_Mark: TypeAlias = Ref | _Edge | _Idle


def statement_text(
    parsed: Parsed,
    stmt: ast.stmt,
    names: Mapping[str, str],
    *,
    whole: bool,
    within: Sequence[ast.expr] = (),
) -> tuple[Text, tuple[tuple[int, int], ...]]:
    """The text of a statement, its lines dedented to its own indentation.

    Args:
        parsed: the module.
        stmt: the statement.
        names: what occurrences of a name become: loop ids and scalars.
        whole: take the last line to its end, comment included (compound statements).
        within: expressions of the statement, none inside another.

    Returns:
        The text, and for each expression the range of the parts that are its own.
    """
    first, left = parsed.start(stmt)
    last, right = parsed.end(stmt)
    if whole:
        right = len(parsed.line(last).rstrip())
    marks = _occurrences(parsed, stmt, names, within)
    indent = len(parsed.line(first)) - len(parsed.line(first).lstrip())
    parts: list[str | Ref | _Edge] = []
    for number in range(first, last + 1):
        comment = parsed.comments.get(number)
        if comment and is_directive(comment.text) and comment.alone:
            continue
        line = parsed.line(number)
        begin = left if number == first else _dedent(line, indent)
        stop = right if number == last else len(line.rstrip())
        if number == first and isinstance(stmt, ast.If) and line[begin:][:4] == "elif":
            begin += 2
        if number != first:
            parts.append("\n")
        at = begin
        for column, ref in marks.get(number, ()):
            parts += [line[at:column], _PASS if isinstance(ref, _Idle) else ref]
            at = column
            if isinstance(ref, Ref):
                at += len(_written(line, column))
            elif isinstance(ref, _Idle):
                at += ref.width
        parts.append(line[at : max(at, stop)])
    return _without_edges(list(_joined(parts)), len(within))


def _without_edges(
    parts: Sequence[str | Ref | _Edge], count: int
) -> tuple[Text, tuple[tuple[int, int], ...]]:
    """A text, and the ranges of parts between the two edges of each expression."""
    kept: list[str | Ref] = []
    edges: dict[tuple[int, bool], int] = {}
    for part in parts:
        if isinstance(part, _Edge):
            edges[part.number, part.begins] = len(kept)
        else:
            kept.append(part)
    ranges = ((edges[at, True], edges[at, False]) for at in range(count))
    return Text(tuple(kept)), tuple(ranges)


def render(text: Text, names: Mapping[str, str] | None = None) -> str:
    """A text with its names written out, renamed by ``names``.

    A loop that ``names`` leaves out is written as its variable.
    """
    given = names or {}
    return "".join(
        (
            part
            if isinstance(part, str)
            else given.get(part.name, part.name.partition("#")[0])
        )
        for part in text.parts
    )


def is_faithful(
    text: Text,
    stmt: ast.stmt,
    names: Mapping[str, str],
    within: Sequence[tuple[ast.expr, tuple[int, int]]],
) -> bool:
    """Whether a text that is renamed says the same as its statement, renamed.

    Names in an f-string may be out of reach (``f"{i=}"``), and before Python 3.12 their
    places are not always those that ``ast`` says.

    Args:
        text, within: what ``statement_text`` made, with the expressions.
        stmt, names: of what.
    """
    strings = [node for node in walked(stmt) if isinstance(node, ast.JoinedStr)]
    if not strings:
        return True
    fresh = {ref: f"_looptx_{re.sub(_NO_WORD, '_', ref)}" for ref in names.values()}
    inside = {id(node) for one in strings for node in walked(one)}
    pairs = [(text, stmt)] + [
        (Text(text.parts[first:last]), node)
        for node, (first, last) in within
        if id(node) in inside
    ]
    try:
        return all(
            ast.dump(_first(render(part, fresh)))
            == ast.dump(_first(ast.unparse(_Renamed(names, fresh).visit(_copy(node)))))
            for part, node in pairs
        )
    except SyntaxError:
        return False


def _first(text: str) -> ast.stmt:
    return ast.parse(text).body[0]


def _copy(node: ast.AST) -> ast.AST:
    return _first(ast.unparse(node))


class _Renamed(ast.NodeTransformer):
    """A statement whose loops and scalars have new names."""

    def __init__(self, names: Mapping[str, str], fresh: Mapping[str, str]) -> None:
        self.names = names
        self.fresh = fresh

    def visit_Name(self, node: ast.Name) -> ast.Name:
        """A name, renamed."""
        if node.id in self.names:
            node.id = self.fresh[self.names[node.id]]
        return node


def _written(line: str, column: int) -> str:
    """The identifier at a column, as it is spelled there (it may not be normalised)."""
    end = column
    while end < len(line) and line[column : end + 1].isidentifier():
        end += 1
    return line[column:end]


def _dedent(line: str, indent: int) -> int:
    """How many characters of indentation to drop from a line."""
    return min(indent, len(line) - len(line.lstrip()))


def _occurrences(
    parsed: Parsed,
    stmt: ast.stmt,
    names: Mapping[str, str],
    within: Sequence[ast.expr],
) -> dict[int, list[tuple[int, _Mark]]]:
    """What is not literal in a text, by line, in order of the columns."""
    alone = frozenset(map(id, _standing_alone(stmt)))
    found: dict[int, list[tuple[int, _Mark]]] = {}
    for number, expr in enumerate(within):
        for begins, (line, column) in enumerate((parsed.end(expr), parsed.start(expr))):
            edge = _Edge(number, bool(begins))
            found.setdefault(line, []).append((column, edge))
    for node in walked(stmt):
        if isinstance(node, ast.Pass):
            (line, column), (_, end) = parsed.start(node), parsed.end(node)
            found.setdefault(line, []).append((column, _Idle(end - column)))
        elif isinstance(node, ast.Name) and node.id in names:
            line, column = parsed.start(node)
            ref = Ref(names[node.id], id(node) in alone)
            found.setdefault(line, []).append((column, ref))
    for marks in found.values():
        marks.sort(key=lambda mark: mark[0])
    return found


def _standing_alone(stmt: ast.stmt) -> Iterator[ast.expr]:
    """Expressions that may be replaced by any other without parentheses."""
    for node in walked(stmt):
        match node:
            case ast.Subscript(slice=ast.Tuple(elements)):
                yield from elements
            case ast.Subscript(slice=index):
                yield index
            case ast.Call(args=args):
                yield from args
            case ast.Assign(value=value) | ast.AugAssign(value=value):
                yield value
            case ast.AnnAssign(value=ast.expr() as value):
                yield value


def _joined(parts: list[str | Ref | _Edge]) -> Iterator[str | Ref | _Edge]:
    """Neighbouring literal parts as one; empty ones dropped."""
    literal = ""
    for part in parts:
        if isinstance(part, str):
            literal += part
            continue
        if literal:
            yield literal
        literal = ""
        yield part
    if literal:
        yield literal
