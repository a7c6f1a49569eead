"""Planned nests as Python source, written as a person would write it."""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Collection, Sequence

from looptx.emit.choices import chosen, chosen_cond
from looptx.emit.format import indent_unit, tidy
from looptx.emit.indexed import Indexed
from looptx.emit.naming import named
from looptx.emit.statement import indented, render
from looptx.emit.text import format_cond, format_expr
from looptx.looptree.nodes import Block, Call, For, If, Let, LoopTree
from looptx.looptree.planned import Final, Planned
from looptx.looptree.prepare import occurrences, prepare
from looptx.looptree.readable import readable_cond
from looptx.looptree.walk import bound, nodes
from looptx.model.expr import (
    TRUE,
    ZERO,
    Cond,
    IntExpr,
    conj,
    negate,
    rewrite_cond,
    variables,
)
from looptx.model.storage import Buffer

_MARK = "# looptx: applied"
_DIRECTIVE = re.compile(r"\s*#\s*looptx\s*:")
_PRAGMA = re.compile(r"#\s*(noqa|type:|fmt:|pragma|pylint:|mypy:|ruff:|isort:)")


def nest_lines(
    planned: Planned,
    indent: str,
    digest: str,
    line_length: int = 88,
    *,
    original: Sequence[str] = (),
) -> tuple[str, ...]:
    """The lines that replace a nest in its file.

    Args:
        planned: the nest and its proven loops.
        indent: the white space before the nest's ``for``.
        digest: 12 hex digits of the sha256 of the original lines.
        line_length: the length lines are wrapped to.
        original: the nest's lines as they stand in the file; needed when the plan
            assumes something, for the branch where that does not hold.

    Raises:
        LooptxError: LX106 when a collapse or an unroll cannot be carried out.
        ValueError: when ``original`` is needed and missing.
    """
    unit = indent_unit(indent)
    root = planned.nest.first
    printer = _Printer(planned, unit, line_length)
    printer.comment(root.comments.above, indent)
    inner = indent + unit if planned.assumes else indent
    if planned.assumes:
        if not original:
            raise ValueError("a nest with assumptions needs its original lines")
        test = rewrite_cond(conj(*planned.assumes), {})
        printer.lines.append(f"{indent}if {printer.cond(test)}:")
    printer.header = _header(planned, digest)
    printer.nest(inner)
    if planned.assumes:
        printer.lines.append(f"{indent}else:")
        printer.lines.extend(_deeper(original, unit))
    return tidy(printer.lines, indent, line_length)


def _header(planned: Planned, digest: str) -> list[str]:
    """What marks a nest as transformed, and what was trusted."""
    words = " | ".join(planned.schedule.applied)
    applied = f"{words} [sha256 {digest}]".strip()
    trusted = [f"on trust: {line.removeprefix('trust ')}" for line in planned.trusted]
    return [applied, *planned.memory, *trusted]


def _wrapped(text: str, width: int, prefix: str = "") -> list[str]:
    return textwrap.wrap(
        text,
        width,
        subsequent_indent=prefix,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _glued(text: str, room: int) -> str:
    """A header that is broken behind its bars; within a directive only at need."""
    words, digest, more = text.partition(" [sha256 ")
    parts = words.split(" | ")
    whole = (p.replace(" ", "\0") if len(p) + 2 <= room else p for p in parts)
    return "\0| ".join(whole) + digest.replace("6 ", "6\0") + more


def _deeper(original: Sequence[str], unit: str) -> list[str]:
    """The original nest one level deeper, without directives and leading comments."""
    first = next(
        at for at, line in enumerate(original) if not line.lstrip().startswith("#")
    )
    kept = [line for line in original[first:] if not _DIRECTIVE.match(line)]
    margin = kept[0][: len(kept[0]) - len(kept[0].lstrip())]
    # The nest alone is a program only without its margin.
    code = "\n".join(["if True:", *kept]) if margin else "\n".join(kept)
    return indented(code, unit)[1 if margin else 0 :]


class _Printer:
    """Collects the lines of one nest."""

    def __init__(self, planned: Planned, unit: str, line_length: int) -> None:
        self.planned = planned
        self.unit = unit
        self.line_length = line_length
        self.names = planned.nest.spelled
        self.lines: list[str] = []
        self.integers: Collection[LoopTree] = ()
        self.header: list[str] = []
        self.first: set[str] = set(planned.nest.statements)
        # An array that lives all the time has its first values from its allocation.
        self.made = {
            buffer.fill
            for buffer in planned.buffers
            if buffer.whole and buffer.name not in planned.plain
        }
        loops = planned.nest.loops.values()
        root = planned.nest.first
        # The comments not printed yet; those of the root stand above everything.
        self.above = Counter(
            line for loop in loops if loop.id != root.id for line in loop.comments.above
        )
        self.behind = Counter(loop.comments.behind for loop in loops)

    def expr(self, expr: IntExpr) -> str:
        """An integer expression as the source would write it."""
        return format_expr(self.plainly(expr), self.names)

    def cond(self, cond: Cond) -> str:
        """A condition as the source would write it."""
        return format_cond(chosen_cond(cond, self.planned.nest.hidden), self.names)

    def plainly(self, expr: IntExpr) -> IntExpr:
        """An expression without the names that mean something else where it stands."""
        return chosen(expr, self.planned.nest.hidden)

    def nest(self, indent: str) -> None:
        """The loops with what stands before and after them."""
        before = len(self.lines)
        uses = occurrences(self.planned)
        block = named(self.planned, prepare(self.planned), uses)
        sizes = Indexed(self.planned, block, uses)
        if not any(isinstance(node, For) for node in nodes(block)):
            self.mark(indent)
        for buffer in self.planned.buffers:
            self.allocate(buffer, tuple(map(sizes.extent, buffer.extents)), indent)
        self.integers = sizes.made
        self.block(sizes.block, indent)
        for loop in self.planned.nest.loops.values():
            self.comment(loop.comments.below, indent + self.unit)
        for final in sizes.finals:
            self.final(final, indent)
        # Nothing may be left of a nest whose statements never run.
        if all(line.lstrip().startswith("#") for line in self.lines[before:]):
            self.lines.append(f"{indent}pass")

    def allocate(self, buffer: Buffer, sizes: Sequence[IntExpr], indent: str) -> None:
        """The storage of a temporary; a variable needs none."""
        own = buffer.allocation
        if own is None:
            self.lines.append(f"{indent}{buffer.name} = {{}}")
        elif buffer.name in self.planned.plain:
            self.comment((own.comment,) if own.comment else (), indent)
        else:
            extents = ", ".join(map(self.expr, sizes))
            shape = extents if len(sizes) == 1 else f"({extents})"
            code = f"{indent}{own.array} = {own.before}{shape}{own.after}"
            self.code([code], own.comment, indent)

    def mark(self, indent: str) -> None:
        """The header, once, wrapped for this depth."""
        room = max(self.line_length - len(indent) - len(_MARK) - 1, 20)
        for text in self.header:
            for part in _wrapped(_glued(text, room), room):
                self.lines.append(f"{indent}{_MARK} {part}".replace("\0", " "))
        self.header = []

    def comment(self, lines: Sequence[str], indent: str) -> None:
        """Comment lines, wrapped when they are too long at their new depth."""
        for line in lines:
            room = self.line_length - len(indent)
            parts = [line]
            if len(line) > room and line.startswith("# ") and not _PRAGMA.match(line):
                parts = _wrapped(line, max(room, 20), "# ")
            self.lines.extend(indent + part for part in parts)

    def block(self, block: Block, indent: str) -> None:
        previous: If | None = None
        for node in block:
            opened: If | None = None
            match node:
                case For():
                    self.loop(node, indent)
                case If(cond, body):
                    if previous and _opposite(previous, cond):
                        self.otherwise(body, indent)
                    else:
                        self.lines.append(f"{indent}if {self.cond(cond)}:")
                        opened = node
                        self.block(body, indent + self.unit)
                case Let(var, value):
                    behind = "# a Python int" if node in self.integers else ""
                    self.code([f"{indent}{var} = {self.expr(value)}"], behind, indent)
                case Call():
                    self.call(node, indent)
            previous = opened

    def otherwise(self, body: Block, indent: str) -> None:
        """The other branch of an ``if``; ``elif`` where that is but an ``if``."""
        at = len(self.lines)
        deeper = indent + self.unit
        self.block(body, deeper)
        lines = self.lines[at:]
        if _lone_if(lines, deeper):
            level = [indent + line.removeprefix(deeper) for line in lines]
            self.lines[at:] = [f"{indent}el{level[0].lstrip()}", *level[1:]]
        else:
            self.lines.insert(at, f"{indent}else:")

    def loop(self, node: For, indent: str) -> None:
        for line in node.comments:
            if self.above[line] > 0:
                self.above[line] -= 1
                self.comment((line,), indent)
        self.mark(indent)
        bounds = [self.expr(node.stop)]
        if node.start != ZERO or node.step != 1:
            bounds.insert(0, self.expr(node.start))
        if node.step != 1:
            bounds.append(str(node.step))
        self.behind[node.behind] = 0
        code = f"for {node.var} in range({', '.join(bounds)}):"
        self.code([indent + code], node.behind, indent)
        self.block(node.body, indent + self.unit)

    def call(self, node: Call, indent: str) -> None:
        if node.statement in self.made:
            return
        statement = self.planned.nest.statements[node.statement]
        first = node.statement in self.first
        self.first.discard(node.statement)
        if first:
            for loop in statement.loops:
                self.vanished(loop, indent)
            self.comment(statement.comments.above, indent)
        values = {loop: self.plainly(value) for loop, value in node.index.items()}
        code = render(statement.text, values, self.names)
        self.code(indented(code, indent), statement.comments.behind, indent)
        if first:
            self.comment(statement.comments.below, indent)

    def vanished(self, loop: str, indent: str) -> None:
        """The comments of a loop that was unrolled or that runs once."""
        comments = self.planned.nest.loops[loop].comments
        lines = [line for line in comments.above if self.above[line] > 0]
        self.above.subtract(lines)
        if self.behind[comments.behind] > 0 and comments.behind:
            self.behind[comments.behind] = 0
            lines.append(comments.behind)
        self.comment(lines, indent)

    def code(self, lines: list[str], behind: str, indent: str) -> None:
        """Lines of code with the comment behind them, above them if it does not fit."""
        if behind:
            fits = len(lines[-1]) + 2 + len(behind) <= self.line_length
            if fits or _PRAGMA.match(behind):
                lines = [*lines[:-1], f"{lines[-1]}  {behind}"]
            else:
                self.comment((behind,), indent)
        self.lines.extend(lines)

    def final(self, final: Final, indent: str) -> None:
        word = "if"
        for cond, value in final.cases:
            test = rewrite_cond(cond, {})
            assign = f"{final.var} = {self.expr(value)}"
            if test == TRUE and word == "if":
                self.lines.append(indent + assign)
                return
            head = "else" if test == TRUE else f"{word} {self.cond(test)}"
            self.lines.append(f"{indent}{head}:")
            self.lines.append(indent + self.unit + assign)
            if test == TRUE:
                return
            word = "elif"


def _opposite(node: If, cond: Cond) -> bool:
    """Whether a condition holds behind an ``if`` just where that one's did not."""
    untouched = variables(node.cond).isdisjoint(bound(node.body))
    return untouched and readable_cond(negate(node.cond)) == cond


def _lone_if(lines: Sequence[str], indent: str) -> bool:
    """Whether lines at some depth are one ``if`` statement, and no text of a string."""
    level = [line.removeprefix(indent) for line in lines]
    quoted = any(mark in line for line in lines for mark in ('"""', "'''", "\\"))
    return (
        level[0].startswith("if ")
        and not quoted
        and all(line.startswith(indent) for line in lines)
        and all(line.startswith((" ", "\t", ")", "el")) for line in level[1:])
    )
