"""Arrays that a nest exchanges, as ``A, B = B, A`` does after each sweep."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from looptx.errors import LooptxError
from looptx.model.noted.exchanges import exchanged, noted, turned
from looptx.source.ast_tools import walked
from looptx.source.liveness import is_caught
from looptx.source.names.scope import Scope
from looptx.source.names.subscripts import continued, subscripts
from looptx.source.nests.context import Context
from looptx.source.spelling.edits import Change, always, edited


def exchanges(root: ast.stmt, scope: Scope) -> Mapping[tuple[str, ...], int]:
    """The pairs of arrays that a nest exchanges, with how many axes they have.

    Nothing else gives them other values there, and nobody else can see their names.
    """
    if scope.wild or is_caught(scope.function, root):
        return {}
    found: dict[tuple[str, ...], int] = {}
    stores: dict[str, int] = {}
    swaps: dict[str, int] = {}
    axes = _axes(root)
    for node in walked(root):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            stores[node.id] = stores.get(node.id, 0) + 1
        pair = exchanged(node)
        if pair and all(name in axes for name in pair):
            found[pair] = max(axes[name] for name in pair)
            for name in pair:
                swaps[name] = swaps.get(name, 0) + 1
    partners = [name for pair in found for name in pair]
    return {
        pair: count
        for pair, count in found.items()
        if all(
            partners.count(name) == 1
            and stores[name] == swaps[name]
            and name not in scope.shared
            for name in pair
        )
    }


def alike(pairs: Mapping[tuple[str, ...], int]) -> Iterator[ast.expr]:
    """That arrays which are exchanged have one shape."""
    for (first, second), axes in pairs.items():
        for axis in range(axes):
            text = f"{first}.shape[{axis}] == {second}.shape[{axis}]"
            yield ast.parse(text, mode="eval").body


def signs(pairs: Mapping[tuple[str, ...], int]) -> dict[str, str]:
    """What says whether pairs have each other's names, with what it is at first."""
    return {turned(*pair): "False" for pair in pairs}


def with_exchanges(stmt: ast.stmt, pairs: Mapping[tuple[str, ...], int]) -> ast.stmt:
    """A statement in which those that exchange arrays are noted as such."""
    changes: dict[ast.AST, Change] = {
        node: always(noted(node, pair))
        for node in walked(stmt)
        if isinstance(node, ast.Assign) and (pair := exchanged(node)) in pairs
    }
    found = edited(stmt, changes) if changes else stmt
    assert isinstance(found, ast.stmt)
    return found


def renamed(pairs: Mapping[tuple[str, ...], int]) -> Iterator[str]:
    """What gives arrays the names that they have behind a nest."""
    for first, second in pairs:
        sign = turned(first, second)
        yield f"if {sign}: {first}, {second} = {second}, {first}"


def _axes(root: ast.stmt) -> dict[str, int]:
    """The arrays with names that are subscripted, with the most subscripts of each."""
    within = continued(walked(root))
    found: dict[str, int] = {}
    for node in walked(root):
        if isinstance(node, ast.Subscript) and node not in within:
            base, indices = subscripts(node)
            if isinstance(base, ast.Name):
                found[base.id] = max(found.get(base.id, 0), len(indices))
    return found


def check_exchanged(root: ast.For | ast.While | ast.If, context: Context) -> None:
    """No arrays go round the names of a nest, but for pairs.

    Raises:
        Unsupported: LX301, at the assignment.
    """
    given = {
        target: (source, stmt)
        for stmt in walked(root)
        if isinstance(stmt, ast.Assign)
        for target, source in _renamings(stmt)
        if target not in context.exchanged
    }
    arrays = _axes(root).keys()
    for name in given:
        ring = [name]
        while ring[-1] in given and given[ring[-1]][0] not in ring:
            ring.append(given[ring[-1]][0])
        if len(ring) > 1 and ring[-1] in given and given[ring[-1]][0] == name:
            own = sorted(arrays & set(ring))
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
        f"by `{step} % {len(names)}`",
    )
