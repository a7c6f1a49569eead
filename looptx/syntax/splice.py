"""Rewritten nests, and what goes with them, put in their function."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar, cast

import libcst as cst

from looptx.model.marks import DIRECTIVE, may_address
from looptx.model.records import dataclass, field
from looptx.syntax.concrete import Concrete, Line

Node = TypeVar("Node", bound=cst.CSTNode)


@dataclass(frozen=True)
class Change:
    """The replacement of a statement: other statements, and comments behind them.

    ``above`` are the lines in front of it that stay.
    """

    instead: Sequence[Line] = ()
    behind: Sequence[cst.EmptyLine] = ()
    above: Sequence[cst.EmptyLine] = ()


@dataclass
class Changes:
    """What is to change in a function.

    Attributes:
        lines: lines and compound statements, and what becomes of them.
        decorators: those that go, and how many empty lines each leaves.
        undirected: functions and loops that keep none of the directives above them.
    """

    lines: dict[cst.CSTNode, Change] = field(default_factory=dict)
    decorators: dict[cst.CSTNode, int] = field(default_factory=dict)
    undirected: set[cst.CSTNode] = field(default_factory=set)


def spliced(concrete: Concrete, changes: Changes) -> str:
    """The text of a function with its changes carried out."""
    module = concrete.module.visit(_Splice(changes))
    return concrete.lines(module)


class _Splice(cst.CSTTransformer):
    """Every statement is looked up as it was; what is around it may have changed."""

    def __init__(self, changes: Changes) -> None:
        super().__init__()
        self.changes = changes

    def on_visit(self, node: cst.CSTNode) -> bool:
        """Nothing changes inside lines and expressions, which are most of a tree."""
        return not isinstance(node, cst.SimpleStatementLine | cst.BaseExpression)

    def leave_IndentedBlock(
        self, original_node: cst.IndentedBlock, updated_node: cst.IndentedBlock
    ) -> cst.IndentedBlock:
        """The body of a compound statement."""
        body, left = self._body(original_node.body, updated_node.body)
        return updated_node.with_changes(
            body=body,
            footer=[*left, *updated_node.footer],
        )

    def leave_Module(
        self, original_node: cst.Module, updated_node: cst.Module
    ) -> cst.Module:
        """The frame."""
        body, left = self._body(original_node.body, updated_node.body)
        return updated_node.with_changes(
            body=body, footer=[*left, *updated_node.footer]
        )

    def _body(
        self,
        before: Sequence[cst.CSTNode],
        after: Sequence[cst.CSTNode],
    ) -> tuple[list[Line], list[cst.EmptyLine]]:
        """The statements of a block, and the lines that are left at its end.

        ``before`` and ``after`` are the same statements, of which only the insides
        differ.
        """
        done: list[Line] = []
        left: list[cst.EmptyLine] = []
        for old, new in zip(before, after, strict=True):
            assert isinstance(new, Line)
            change = self.changes.lines.get(old)
            if change is None:
                if old in self.changes.undirected and isinstance(new, cst.For):
                    new = new.with_changes(leading_lines=_plain(new.leading_lines))
                done.append(_under(left, new))
                left = []
                continue
            left += change.above
            for statement in change.instead:
                done.append(_under(left, statement))
                left = []
            left += change.behind
        return done, left

    def leave_FunctionDef(
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> cst.FunctionDef:
        """A function without some decorators and directives, their comments kept."""
        bare = original_node in self.changes.undirected
        gone = self.changes.decorators
        above: list[cst.EmptyLine] = []
        left = list(updated_node.leading_lines)
        decorators: list[cst.Decorator] = []
        for old, new in zip(
            original_node.decorators, updated_node.decorators, strict=True
        ):
            left += new.leading_lines
            if old in gone:
                left += [cst.EmptyLine()] * gone[old]
                continue
            left = _plain(left) if bare else left
            if decorators:
                new = new.with_changes(leading_lines=left)
            else:
                above = left
                new = new.with_changes(leading_lines=())
            decorators.append(new)
            left = []
        left += updated_node.lines_after_decorators
        left = _plain(left) if bare else left
        return updated_node.with_changes(
            leading_lines=above if decorators else left,
            decorators=decorators,
            lines_after_decorators=left if decorators else (),
        )


def _plain(lines: Sequence[cst.EmptyLine]) -> list[cst.EmptyLine]:
    """Lines without directives."""
    return [
        line
        for line in lines
        if line.comment is None or not DIRECTIVE.match(line.comment.value)
    ]


def undirected(node: Node) -> Node:
    """A statement without the lines inside it that hold directives."""
    if not may_address(cst.Module([]).code_for_node(node)):
        return node
    return cast("Node", node.visit(_Undirected()))


class _Undirected(cst.CSTTransformer):
    def leave_EmptyLine(
        self, original_node: cst.EmptyLine, updated_node: cst.EmptyLine
    ) -> cst.EmptyLine | cst.RemovalSentinel:
        """Remove a line that holds a directive."""
        return cst.RemoveFromParent() if not _plain([updated_node]) else updated_node


def _under(lines: Sequence[cst.EmptyLine], statement: Line) -> Line:
    """A statement below some lines."""
    if not lines:
        return statement
    return statement.with_changes(leading_lines=[*lines, *statement.leading_lines])
