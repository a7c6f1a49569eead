"""How a nest is written: the nodes of its loops and statements, with their comments."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from itertools import takewhile

import libcst as cst

from looptx.errors import Place
from looptx.model.program import LoopNode, Nest
from looptx.model.records import dataclass
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
        nodes: the statements of the model, by name. headers: those that the source
            says in headers of loops, each as lines of its own.
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
    headers: Mapping[str, tuple[cst.CSTNode, Concrete]]
    loops: Mapping[str, cst.CSTNode]
    comments: Mapping[cst.CSTNode, Comments]
    indent: str
    unit: str

    def statement(self, name: str) -> tuple[cst.CSTNode, Concrete]:
        """A statement of the model, and the lines that it is a part of."""
        return self.headers.get(name) or (self.nodes[name], self.concrete)

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
    first, last = (concrete.line_at(where(place)) for place in (tops[0], tops[-1]))
    block = concrete.blocks[first]
    region = block[block.index(first) : block.index(last) + 1]
    hoisted, sunk = (
        [
            node
            for node in region
            if any(low <= concrete.places[node][0] <= high for low, high in lines)
        ]
        for lines in (nest.text.hoisted, nest.text.sunk)
    )
    header = nest.first.place.line
    above = first.leading_lines
    kept = above[: max(0, len(above) - (header - nest.text.first_line))]
    nodes = {
        name: concrete.statements[where(statement.place)]
        for name, statement in nest.statements.items()
        # One that begins the life of a buffer is not in the source.
        if statement.loops and not statement.spelt
    }
    # One header may say several loops: its comments are those of the first.
    loops = {
        name: concrete.statements[where(loop.place)]
        for name, loop in nest.loops.items()
        if where(loop.place) in concrete.statements
    }
    made, inside = _without_jumps(concrete, nest, nodes)
    # A statement on arrays is a loop, too.
    comments = attach(
        region,
        frozenset(loops.values()),
        frozenset((*nodes.values(), *loops.values())),
        frozenset(kept),
        frozenset((*hoisted, *sunk)),
        inside,
    )
    about = {node: comments[nodes[name]] for name, node in made.items()}
    indent = concrete.indent(first)
    return Original(
        concrete,
        region,
        hoisted,
        sunk,
        kept,
        nodes | made,
        _headers(nest),
        loops,
        {**comments, **about},
        indent,
        indent_unit(indent),
    )


def _headers(nest: Nest) -> dict[str, tuple[cst.CSTNode, Concrete]]:
    """What headers of loops say, each as a line of its own at the same place."""
    found: dict[str, tuple[cst.CSTNode, Concrete]] = {}
    for name, one in nest.statements.items():
        if one.spelt:
            line, column = one.code[0].lineno, one.code[0].col_offset
            lines = Concrete([f"{' ' * column}{one.spelt}\n"], line, one.place.file)
            found[name] = lines.statements[line, column], lines
    return found


def where(place: Place) -> Where:
    """A place as libcst and ``ast`` count: characters from 0."""
    return place.line, place.column - 1


def _without_jumps(
    concrete: Concrete, nest: Nest, nodes: Mapping[str, cst.CSTNode]
) -> tuple[dict[str, cst.CSTNode], frozenset[cst.CSTNode]]:
    """The statements that are written without the ``continue`` in them.

    Args:
        concrete: the function. nest: as it was read. nodes: its statements there.

    Returns:
        These statements by name, and what is in them that stands behind them there.
    """
    made: dict[str, cst.CSTNode] = {}
    inside: set[cst.CSTNode] = set()
    for name, node in nodes.items():
        statement = nest.statements[name]
        if statement.continued:
            block = _block_behind(concrete, node)
            made[name] = _straight(block)[0]
            inside.update(block[1:])
        elif isinstance(statement.code[0], ast.Pass) and not isinstance(node, cst.Pass):
            # Nothing but a `continue` is left of the body of its loop.
            made[name] = cst.Pass()
    return made, frozenset(inside)


def _block_behind(concrete: Concrete, node: cst.CSTNode) -> Sequence[Line]:
    """A statement and what follows it in its block."""
    assert isinstance(node, cst.If)
    block = concrete.blocks[node]
    return block[block.index(node) :]


def _straight(block: Sequence[Line]) -> list[Line]:
    """The body of a loop without its ``continue``, as ``source`` has it."""
    found: list[Line] = []
    for at, line in enumerate(block, 1):
        if isinstance(line, cst.If) and _has_jump(line):
            return [*found, _joined(line, block[at:])]
        if isinstance(line, cst.SimpleStatementLine) and _has_jump(line):
            small = [
                *takewhile(lambda one: not isinstance(one, cst.Continue), line.body)
            ]
            if small:
                small[-1] = small[-1].with_changes(semicolon=cst.MaybeSentinel.DEFAULT)
                found.append(line.with_changes(body=small))
            return found
        found.append(line)
    return found


def _joined(node: cst.If, rest: Sequence[Line]) -> cst.If:
    """A condition with what follows it in one of its branches."""
    body, other = _lines(node.body), _otherwise(node)
    if _always(body):
        other = [*other, *rest] if not _always(other) else other
    elif _always(other):
        body = [*body, *rest]
    test, then, other = node.test, _straight(body), _straight(other)
    if not then:
        test, then, other = _not(test), other, []
    if not then:
        then = [cst.SimpleStatementLine([cst.Pass()])]
    orelse: cst.If | cst.Else | None = None
    if other:
        orelse = cst.Else(cst.IndentedBlock(other))
    if len(other) == 1 and isinstance(other[0], cst.If) and not rest:
        orelse = other[0]
    block = cst.IndentedBlock(then)
    if isinstance(node.body, cst.IndentedBlock):
        block = block.with_changes(header=node.body.header)
    spaced = {"whitespace_before_test": cst.SimpleWhitespace(" ")}
    return node.with_changes(test=test, body=block, orelse=orelse, **spaced)


def _lines(suite: cst.BaseSuite) -> list[Line]:
    """The statements of a suite."""
    if isinstance(suite, cst.SimpleStatementSuite):
        trailing = suite.trailing_whitespace
        return [cst.SimpleStatementLine(suite.body, trailing_whitespace=trailing)]
    return [line for line in suite.body if isinstance(line, Line)]


def _otherwise(node: cst.If) -> list[Line]:
    """The statements of the other branch."""
    match node.orelse:
        case None:
            return []
        case cst.If() as other:
            return [other]
        case cst.Else(body=body):
            return _lines(body)
    return []


def _has_jump(line: cst.CSTNode) -> bool:
    """Whether a ``continue`` of the loop around is in a statement."""
    if isinstance(line, cst.For | cst.While):
        return line.orelse is not None and _has_jump(line.orelse)
    if isinstance(line, cst.Continue):
        return True
    return any(map(_has_jump, line.children))


def _always(block: Sequence[Line]) -> bool:
    """Whether a block ends with a ``continue`` in any case."""
    match block[-1:]:
        case [cst.If() as last]:
            return _always(_lines(last.body)) and _always(_otherwise(last))
        case [cst.SimpleStatementLine(body=[*_, cst.Continue()])]:
            return True
    return False


def _not(test: cst.BaseExpression) -> cst.BaseExpression:
    """The opposite of a condition."""
    if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
        return test.expression
    if isinstance(test, cst.BooleanOperation | cst.IfExp) and not test.lpar:
        test = test.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    return cst.UnaryOperation(cst.Not(), test)
