"""How a nest is written: the nodes of its loops and statements, with their comments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import libcst as cst

from looptx.errors import Place
from looptx.model.program import LoopNode, Nest
from looptx.syntax.comments import SILENT, Comments, attach
from looptx.syntax.concrete import Concrete, Line, Where
from looptx.syntax.tidy import indent_unit


@dataclass(frozen=True)
class Original:
    """The concrete syntax of a nest, or of several that become one.

    Attributes:
        concrete: its function.
        region: the statements from the first loop to the last.
        hoisted, sunk: those of them that move before the first, and behind the last.
        kept: the lines above the first loop that are not about it.
        nodes: the statements of the model, by name.
        comments: of loops and statements, by their nodes.
        loops: the loops of the model, by id.
        indent: the white space before the first loop. unit: one level of it.
    """

    concrete: Concrete
    region: Sequence[Line]
    hoisted: Sequence[Line]
    sunk: Sequence[Line]
    kept: Sequence[cst.EmptyLine]
    nodes: Mapping[str, cst.CSTNode]
    loops: Mapping[str, cst.CSTNode]
    comments: Mapping[cst.CSTNode, Comments]
    indent: str
    unit: str

    def about_loop(self, loop: str) -> Comments:
        """The comments of a loop; there are none of one that was not written."""
        node = self.loops.get(loop)
        return SILENT if node is None else self.comments[node]

    def about(self, statement: str) -> Comments:
        """The comments of a statement; there are none of one that was not written."""
        node = self.nodes.get(statement)
        return SILENT if node is None else self.comments[node]


def original(concrete: Concrete, nest: Nest) -> Original:
    """What a nest is written as.

    Args:
        concrete: its function.
        nest: as it was read.
    """
    tops = [node.loop.place for node in nest.body if isinstance(node, LoopNode)]
    first, last = (concrete.statements[where(place)] for place in (tops[0], tops[-1]))
    assert isinstance(first, cst.For) and isinstance(last, cst.For)
    block = concrete.blocks[first]
    region = block[block.index(first) : block.index(last) + 1]
    hoisted, sunk = (
        [
            node
            for node in region
            if any(low <= concrete.places[node][0] <= high for low, high in lines)
        ]
        for lines in (nest.hoisted, nest.sunk)
    )
    header = nest.first.place.line
    above = first.leading_lines
    kept = above[: max(0, len(above) - (header - nest.first_line))]
    nodes = {
        name: concrete.statements[where(statement.place)]
        for name, statement in nest.statements.items()
        # One that begins the life of a buffer is not in the source.
        if statement.loops
    }
    loops = {
        name: concrete.statements[where(loop.place)]
        for name, loop in nest.loops.items()
    }
    comments = attach(
        region,
        frozenset(loops.values()),
        frozenset(nodes.values()),
        frozenset(kept),
        frozenset((*hoisted, *sunk)),
    )
    indent = concrete.indent(first)
    return Original(
        concrete,
        region,
        hoisted,
        sunk,
        kept,
        nodes,
        loops,
        comments,
        indent,
        indent_unit(indent),
    )


def where(place: Place) -> Where:
    """A place as libcst and ``ast`` count: characters from 0."""
    return place.line, place.column - 1
