"""What directives name inside a nest: loops, and single statements."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from looptx.errors import Malformed
from looptx.model.program import Nest, StatementNode
from looptx.source.ast_tools import walked
from looptx.source.names.imports import FUNCTIONS, own_nodes
from looptx.source.names.scope import Function
from looptx.source.text.directives import Placed


def statements(function: Function, placed: Placed) -> Iterator[ast.stmt]:
    """The statements of a function that are no loops and have directives."""
    for node in own_nodes(function):
        other = isinstance(node, ast.For | FUNCTIONS)
        if isinstance(node, ast.stmt) and not other and placed.of(node):
            yield node


def check_inside(
    function: Function, roots: Collection[ast.For], placed: Placed
) -> None:
    """Check that all statements with directives are in nests.

    Args:
        function: the function. roots: the outermost loops of its nests.
        placed: the directives of the module.

    Raises:
        Malformed: LX107.
    """
    inside = {node for root in roots for node in walked(root)}
    for stmt in statements(function, placed):
        if stmt not in inside:
            directive = placed.of(stmt)[0]
            raise Malformed(
                "LX107",
                "the directive stands on no loop and no function",
                directive.place,
                hint="`nest` names a loop over `range`, or a statement inside one",
                source=directive.source,
            )


def renamed(nest: Nest, whole: Nest) -> dict[str, str | StatementNode]:
    """What is named in a nest, as it is known in one that was read with others."""
    loops = {loop.place: name for name, loop in whole.loops.items()}
    single = {one.place: name for name, one in whole.statements.items()}
    found: dict[str, str | StatementNode] = {}
    for name, root in nest.asked.subnests.items():
        if isinstance(root, StatementNode):
            place = nest.statements[root.statement].place
            found[name] = StatementNode(single[place])
        else:
            found[name] = loops[nest.loops[root].place]
    return found
