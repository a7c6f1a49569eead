"""Arrays that a nest exchanges, as ``A, B = B, A`` does after each sweep."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from looptx.errors import LooptxError
from looptx.source.ast_tools import walked
from looptx.source.names.subscripts import continued, subscripts
from looptx.source.nests.context import Context


def check_exchanged(root: ast.For | ast.While | ast.If, context: Context) -> None:
    """No arrays go round the names of a nest.

    Raises:
        Unsupported: LX301, at the assignment.
    """
    given = {
        target: (source, stmt)
        for stmt in walked(root)
        if isinstance(stmt, ast.Assign)
        for target, source in _renamings(stmt)
    }
    within = continued(walked(root))
    bases = (
        subscripts(node)[0]
        for node in walked(root)
        if isinstance(node, ast.Subscript) and node not in within
    )
    arrays = {base.id for base in bases if isinstance(base, ast.Name)}
    for name in given:
        ring = [name]
        while ring[-1] in given and given[ring[-1]][0] not in ring:
            ring.append(given[ring[-1]][0])
        if len(ring) > 1 and ring[-1] in given and given[ring[-1]][0] == name:
            own = sorted(arrays.intersection(ring))
            if len(own) > 1:
                raise _error(root, context, given[name][1], own)


def _renamings(stmt: ast.Assign) -> Iterator[tuple[str, str]]:
    """The pairs (name, other name) for which a statement says ``name = other``."""
    for target in stmt.targets:
        pairs = [(target, stmt.value)]
        if isinstance(target, ast.Tuple) and isinstance(stmt.value, ast.Tuple):
            pairs = list(zip(target.elts, stmt.value.elts, strict=False))
        for left, right in pairs:
            if isinstance(left, ast.Name) and isinstance(right, ast.Name):
                yield left.id, right.id


def _error(
    root: ast.For | ast.While | ast.If,
    context: Context,
    stmt: ast.stmt,
    names: list[str],
) -> LooptxError:
    first, second, *_ = names
    around = [
        loop.target.id
        for loop in walked(root)
        if isinstance(loop, ast.For) and isinstance(loop.target, ast.Name)
        if any(node is stmt for node in walked(loop))
    ]
    step = around[-1] if around else "t"
    return context.unsupported(
        stmt,
        f"the arrays {' and '.join(f'`{name}`' for name in names)} are exchanged",
        f"write the sweep from `{second}` to `{first}` out too, or index one array "
        f"by `{step} % 2`",
    )
