"""Some lines of a file, in which nests are replaced by what was planned of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile

import libcst as cst

from looptx.errors import Place
from looptx.looptree.agreeing import tests
from looptx.looptree.planned import Planned
from looptx.model.expr import TRUE, Or, conj, rewrite_cond
from looptx.model.lines import NEWLINE
from looptx.model.program import Nest
from looptx.model.records import replace
from looptx.model.storage import Allocation
from looptx.syntax.body import Body
from looptx.syntax.comments import apart, comments_of
from looptx.syntax.concrete import Concrete, Line
from looptx.syntax.loops import Writer
from looptx.syntax.original import Original, original, where
from looptx.syntax.splice import Change, Changes, spliced, undirected
from looptx.syntax.tidy import indent_unit, tidied


class Region:
    """The concrete syntax of a function or an import, and what is to change in it.

    Args:
        lines: whole statements with their newlines, and comments that belong to them.
        first: the number of the first line in the file.
        filename: what errors call it.
        line_length: the length that new lines are wrapped to.
        padded: replace removed lines with empty ones.

    Raises:
        Malformed: LX403, as ``Concrete``.
    """

    def __init__(
        self,
        lines: Sequence[str],
        first: int,
        filename: str,
        line_length: int = 88,
        *,
        padded: bool = False,
    ) -> None:
        self.first = first
        self.last = first + len(lines) - 1
        self.concrete = Concrete(lines, first, filename)
        self.line_length = line_length
        self.padded = padded
        self.changes = Changes()

    def replace(self, planned: Planned, digest: str) -> Change:
        """Put the planned loops in the place of their nest.

        Args:
            planned: the nest.
            digest: 12 hex digits of the sha256 of its lines.

        Raises:
            LooptxError: LX106 when a collapse cannot be carried out.
        """
        written = original(self.concrete, planned.nest)
        held = [x.allocation for x in planned.buffers if x.allocation is not None]
        made = {
            own.array: self._allocation(own)
            for own in (*held, *planned.unused)
            if own.first_line
        }
        for one in made.values():
            self.changes.lines[one] = Change(above=one.leading_lines)
        for line in written.region:
            self.changes.lines[line] = Change()
        body = self._body(planned, written, digest, made)
        lines, behind = tidied(body, self.concrete.module.config_for_parsing)
        change = Change(
            [*map(_bare, written.hoisted), *lines, *map(_bare, written.sunk)],
            [
                *behind,
                *self._white(written.region[-1], planned.nest.text.last_line + 1),
            ],
            written.kept,
        )
        self.changes.lines[written.region[0]] = change
        return change

    def _body(
        self,
        planned: Planned,
        written: Original,
        digest: str,
        made: Mapping[str, cst.SimpleStatementLine],
    ) -> Body:
        """The new loops, and the original ones where an assumption does not hold."""
        writer = Writer(planned, written, digest, made)
        body = Body(written.indent, written.unit, self.line_length)
        body.comment(written.about_loop(planned.nest.first.id).above)
        kinds = tests(planned, made)
        assumed = [*planned.schedule.assumes, *([planned.inside()] if kinds else [])]
        if not assumed:
            writer.nest(body)
            return body
        inside, other = body.inner(), body.inner()
        writer.nest(inside)
        for line in (*made.values(), *written.region):
            if line in written.region[1:]:
                other.comment(comments_of(*line.leading_lines))
            other.add(undirected(line))
        test = rewrite_cond(conj(*assumed), {})
        sizes = writer.cond(test)
        if kinds and isinstance(test, Or):
            sizes = f"({sizes})"
        wanted = [*kinds, *([sizes] if test != TRUE or not kinds else [])]
        body.compound(f"if {' and '.join(wanted)}:", inside)
        body.otherwise(other)
        return body

    def _white(self, last: Line, line: int) -> Sequence[cst.EmptyLine]:
        """The lines of white space that libcst takes for the end of a statement."""
        return [
            cst.EmptyLine(False, cst.SimpleWhitespace(self.concrete.line(line + at)))
            for at in range(_blank_end(last))
        ]

    def _allocation(self, own: Allocation) -> cst.SimpleStatementLine:
        """The statement that allocates a temporary, which has its lines for itself."""
        return next(
            line
            for line in self.concrete.blocks
            if isinstance(line, cst.SimpleStatementLine)
            if self.concrete.places[line][0] == own.first_line
        )

    def keep_local(self, nest: Nest, names: Sequence[str]) -> None:
        """Make names local in front of a nest that was replaced, without a value."""
        first = self.concrete.line_at(where(nest.first.place))
        change = self.changes.lines[first]
        quoted = ", ".join(f"`{name}`" for name in names)
        unit = indent_unit(self.concrete.indent(first))
        inside = Body("", unit, self.line_length)
        inside.line(f"{' = '.join(names)} = None")
        body = Body("", unit, self.line_length)
        remark = f"# {quoted}: local, though nothing is assigned"
        body.compound("if False:", inside, remark)
        self.changes.lines[first] = replace(
            change, instead=[*body.statements, *change.instead]
        )

    def undirect(self, definition: Place) -> None:
        """Take the directives above a ``def``, or a loop that stays, away."""
        self.changes.undirected.add(self.concrete.statements[where(definition)])

    def undecorate(self, definition: Place, numbers: Iterable[int]) -> None:
        """Take some decorators of a ``def`` away."""
        node = self.concrete.statements[where(definition)]
        assert isinstance(node, cst.FunctionDef)
        for number in numbers:
            one = node.decorators[number]
            bare = one.with_changes(leading_lines=())
            self.changes.decorators[one] = self._height(bare) if self.padded else 0

    def _height(self, node: cst.CSTNode) -> int:
        """The number of a node's lines."""
        return len(NEWLINE.findall(self.concrete.module.code_for_node(node)))

    def disimport(
        self, place: Place, names: Sequence[tuple[str, str | None, str | None]]
    ) -> None:
        """Take names out of an import: module, member and alias of each."""
        from looptx.syntax.imports import without

        small = self.concrete.statements[where(place)]
        line = next(
            line
            for line in self.concrete.blocks
            if isinstance(line, cst.SimpleStatementLine) and small in line.body
        )
        left = without(line, names)
        gone = self._height(line) - sum(map(self._height, left)) if self.padded else 0
        self.changes.lines[line] = Change(left, [cst.EmptyLine(indent=False)] * gone)

    def text(self) -> str:
        """The lines with all changes."""
        return spliced(self.concrete, self.changes)

    def shown(self, planned: Planned, digest: str) -> tuple[str, ...]:
        """The lines that ``replace`` puts in the place of a nest."""
        change = self.replace(planned, digest)
        node = self.concrete.statements[where(planned.nest.first.place)]
        indent = self.concrete.indent(node)
        block = cst.IndentedBlock(change.instead, indent=indent, footer=change.behind)
        if not indent:
            lines = [line for line in block.body if isinstance(line, Line)]
            return tuple(cst.Module(lines, footer=change.behind).code.split("\n")[:-1])
        framed = cst.Module([cst.If(cst.Name("True"), block)])
        return tuple(framed.code.split("\n")[1:-1])


def _blank_end(node: cst.CSTNode) -> int:
    """How many lines of white space a block ends with, behind all comments."""
    match node:
        case cst.For(body=body, orelse=None) | cst.Else(body=body):
            return _blank_end(body)
        case (
            cst.For(orelse=cst.Else() as other) | cst.If(orelse=cst.CSTNode() as other)
        ):
            return _blank_end(other)
        case cst.If(body=body):
            return _blank_end(body)
        case cst.IndentedBlock(body=body, footer=footer):
            blank = [*takewhile(lambda each: each.comment is None, reversed(footer))]
            whole = len(blank) == len(footer)
            return len(blank) + (_blank_end(body[-1]) if whole else 0)
    return 0


def _bare(line: Line) -> Line:
    """A statement that moves, with the comments directly above it."""
    lines = line.leading_lines
    return line.with_changes(leading_lines=lines[len(apart(lines)) :])
