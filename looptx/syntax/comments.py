"""Which comment of a nest belongs to which of its loops and statements."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

import libcst as cst

from looptx.model.marks import DIRECTIVE
from looptx.model.records import dataclass, field
from looptx.syntax.concrete import Line


@dataclass
class Comments:
    """Comments of a statement or loop: lines above, text behind, lines after."""

    above: list[str] = field(default_factory=list)
    behind: str = ""
    below: list[str] = field(default_factory=list)


SILENT = Comments()
"""No comments at all."""


def attach(
    body: Sequence[Line],
    loops: Collection[cst.CSTNode],
    statements: Collection[cst.CSTNode],
    foreign: Collection[cst.CSTNode] = (),
    moved: Collection[cst.CSTNode] = (),
    inside: Collection[cst.CSTNode] = (),
) -> Mapping[cst.CSTNode, Comments]:
    """Give every comment of a nest to a loop or a statement; directives go to none.

    A comment on its own line belongs to the statement that follows, at the end of a
    block to the last one. Comments inside a statement are part of it.

    Args:
        body: the nest, or several and what is between them, in order.
        loops: those of the model.
        statements: those of the model, small or compound.
        foreign: lines that are not about the nest.
        moved: what leaves it, with the comments directly above.
        inside: what is in a statement that stands in front of it.
    """
    collector = _Collector(loops, statements, foreign, inside)
    for node in body:
        if node in moved:
            collector.waiting += comments_of(*apart(node.leading_lines))
        else:
            collector.statement(node)
    collector.close(())
    return collector.found


def comments_of(*nodes: cst.CSTNode) -> Iterator[str]:
    """The comments in some nodes, without directives."""
    for node in nodes:
        if isinstance(node, cst.Comment):
            if not DIRECTIVE.match(node.value):
                yield node.value
        else:
            yield from comments_of(*node.children)


def apart(lines: Sequence[cst.EmptyLine]) -> Sequence[cst.EmptyLine]:
    """The lines above a statement that do not stand directly above it."""
    blank = [at for at, line in enumerate(lines, 1) if line.comment is None]
    return lines[: max(blank, default=0)]


class _Collector:
    def __init__(
        self,
        loops: Collection[cst.CSTNode],
        statements: Collection[cst.CSTNode],
        foreign: Collection[cst.CSTNode],
        inside: Collection[cst.CSTNode],
    ) -> None:
        self.inside = inside
        self.loops = loops
        self.statements = statements
        self.foreign = foreign
        self.found: dict[cst.CSTNode, Comments] = {}
        self.waiting: list[str] = []
        self.last = Comments()

    def _owner(self, node: cst.CSTNode) -> Comments:
        """The comments of an owner, which begin with those that wait for one."""
        self.last = self.found[node] = Comments(self.waiting)
        self.waiting = []
        return self.last

    def close(self, footer: Sequence[cst.EmptyLine]) -> None:
        """The end of a block: what is left goes with what came last."""
        self.last.below += [*self.waiting, *comments_of(*footer)]
        self.waiting = []

    def statement(self, node: Line) -> None:
        """Take the comments of a statement."""
        if node in self.inside:
            return
        lines = [x for x in node.leading_lines if x not in self.foreign]
        match node:
            case cst.SimpleStatementLine():
                self.waiting += comments_of(*lines)
                self._small(node.body, node.trailing_whitespace)
            case cst.For() if node in self.loops:
                self.waiting += comments_of(*lines)
                owner = self._owner(node)
                owner.above += comments_of(node.target, node.iter)
                self._suite(node.body, owner)
            case cst.If() if node not in self.statements:
                self.waiting += comments_of(*lines, node.test)
                self._suite(node.body)
                match node.orelse:
                    case cst.Else(leading_lines=above, body=body):
                        self.waiting += comments_of(*above)
                        self._suite(body)
                    case cst.If() as other:
                        self.statement(other)
            case _:
                self.waiting += comments_of(*lines)
                self._owner(node)

    def _suite(self, suite: cst.BaseSuite, owner: Comments | None = None) -> None:
        """Take the comments of a body; the one behind the colon is the owner's."""
        if isinstance(suite, cst.SimpleStatementSuite):
            self._small(suite.body, suite.trailing_whitespace)
            return
        assert isinstance(suite, cst.IndentedBlock)
        header = list(comments_of(suite.header))
        if owner is None:
            self.waiting += header
        else:
            owner.behind = "".join(header)
        for node in suite.body:
            assert isinstance(node, Line)
            self.statement(node)
        self.close(suite.footer)
        # What comes behind a loop is no part of what is in it.
        self.last = owner or self.last

    def _small(
        self,
        body: Sequence[cst.BaseSmallStatement],
        behind: cst.TrailingWhitespace,
    ) -> None:
        """Take the comments of a line of statements."""
        owners = [self._owner(node) for node in body if node in self.statements]
        last = list(comments_of(behind))
        if owners and body[-1] in self.statements:
            owners[-1].behind = "".join(last)
        else:
            self.waiting += last
