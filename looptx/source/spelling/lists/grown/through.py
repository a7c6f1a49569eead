"""Loops through lists that were filled, as loops over positions: ``for x in out``.

What they go through does not change meanwhile. (Others are arrays as well, see
``headers``; these are known to be lists, of which native code knows what is done to
them.)
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Sequence

from looptx.model.naming import Taken
from looptx.model.records import dataclass
from looptx.source.ast_tools import walked
from looptx.source.names.imports import own_nodes
from looptx.source.names.scope import Function, Scope
from looptx.source.spelling.cells import sourced
from looptx.source.spelling.edits import (
    HEADER,
    Change,
    Changes,
    marked,
    placed,
    spelling,
)
from looptx.source.spelling.lists.finding import READING
from looptx.source.spelling.lists.generated import is_target
from looptx.source.spelling.lists.operations import (
    METHODS,
    Parents,
    What,
    display,
    operation,
    parents,
    uses,
)

_LOOKING = (What.LOAD, What.COUNT, What.TRUTH)
"""What leaves a list as it is."""


_READING = READING | {
    f"builtins.{name}"
    for name in ("min", "max", "any", "all", "enumerate", "zip", "reversed")
}
"""What keeps no list that it is given, as soon as it is through."""


@dataclass(frozen=True)
class _Header:
    """What a loop goes through.

    Attributes:
        of: the name of a list. target: what gets its elements.
        index: what gets their numbers; None where nothing does.
    """

    of: str
    target: ast.expr
    index: ast.Name | None = None


def _header(node: ast.AST) -> _Header | None:
    """What a node goes through, if it is a loop that may be over a list."""
    match node:
        case ast.For(target, ast.Name(of)) if is_target(target):
            return _Header(of, target)
        case ast.For(
            ast.Tuple([ast.Name() as index, target]),
            ast.Call(ast.Name("enumerate"), [ast.Name(of)], []),
        ) if is_target(target):
            return _Header(of, target, index)
    return None


@spelling(_header)
def with_gone_through(function: Function, scope: Scope) -> Changes:
    """Loops through lists that grew go through their positions."""
    if scope.wild or any(map(scope.hides, ("range", "len", "enumerate"))):
        return
    nodes = own_nodes(function)
    grown = {
        node.value.id
        for node in nodes
        if isinstance(node, ast.Attribute) and node.attr in METHODS
        if isinstance(node.value, ast.Name) and _is_list(node.value.id, nodes, scope)
    }
    around = parents(nodes)
    taken = Taken(scope.identifiers)

    @functools.cache
    def alone(name: str) -> bool:
        """Whether a list has no other name."""
        return all(_is_plain(use, scope, around) for use in uses(nodes, name))

    for loop in nodes:
        header = _header(loop)
        if header is None or header.of not in grown:
            continue
        assert isinstance(loop, ast.For)
        inside = [node for stmt in loop.body for node in walked(stmt)]
        ways = [operation(x, scope, around) for x in uses(inside, header.of)]
        kept = all(one is not None and one.what in _LOOKING for one in ways)
        names = {x.id for x in walked(loop.target) if isinstance(x, ast.Name)}
        if kept and header.of not in names and alone(header.of):
            at = taken.new("at")
            yield loop, _over_positions(header, at)


def _is_list(name: str, nodes: Sequence[ast.AST], scope: Scope) -> bool:
    """Whether all that a name is given is lists that a function makes.

    Args:
        name: it. nodes: the function's. scope: of the function.
    """
    stmts = (node for node in nodes if isinstance(node, ast.stmt))
    shown = (display(stmt, scope) for stmt in stmts)
    made = sum(one is not None and one[0] == name for one in shown)
    return name not in scope.shared and 0 < made == len(scope.bindings.get(name, ()))


def _is_plain(use: ast.Name, scope: Scope, around: Parents) -> bool:
    """Whether nobody keeps a list where its name is used.

    Args:
        use: the name. scope: of the function. around: what its nodes stand in.
    """
    if isinstance(use.ctx, ast.Store) or operation(use, scope, around) is not None:
        return True
    match around[use]:
        case ast.For(iter=over) | ast.comprehension(iter=over):
            return over is use
        case ast.Call(function, args) if use in args:
            return scope.resolve(function) in _READING
    return False


def _over_positions(header: _Header, at: str) -> Change:
    """The loop over the positions of a list.

    Args:
        header: what it goes through. at: the name of its variable.
    """

    def change(node: ast.AST) -> ast.AST:
        assert isinstance(node, ast.For)
        text = f"{ast.unparse(header.target)} = {header.of}[{at}]"
        lines = [placed(text, node.target)]
        if header.index is not None:
            lines.insert(0, placed(f"{header.index.id} = {at}", node.target))
        counter = ast.copy_location(ast.Name(at, ast.Store()), node.target)
        source = sourced(f"range(len({header.of}))", node.iter)
        made = ast.For(counter, source, [*lines, *node.body], node.orelse)
        return marked(ast.copy_location(made, node), HEADER)

    return change
