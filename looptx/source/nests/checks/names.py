"""What a nest may not do with its names."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TypeGuard

from looptx.model.naming import told
from looptx.model.noted.slices import is_elementwise
from looptx.model.program import Nest, Statement
from looptx.model.trees import dotted
from looptx.source.ast_tools import walked
from looptx.source.flow.bound import surely_bound
from looptx.source.liveness import exposed
from looptx.source.names.scope import Scope, members
from looptx.source.names.subscripts import subscripts
from looptx.source.nests.context import Context

MOST_AXES = 32
"""Axes beyond which an array's bounds are not analysed: the time grows too fast."""


def check_aliases(nest: Nest, root: ast.stmt, context: Context) -> None:
    """Nothing that a nest reads may be what it writes under another name.

    Args:
        nest: it. root: its loop. context: its names.

    Raises:
        LooptxError: LX301.
    """
    named = members(context.kinds.scope.function).items()
    bound = {text.partition(".")[2] for x, text in named if x in context.scalars}
    for name in nest.live_in:
        head, _, attr = name.rpartition(".")
        if head and attr in bound:
            raise context.unsupported(
                root,
                f"`{name}` is read by a function, and assigned",
                f"give `{attr}` to the function as an argument",
            )
    for one in nest.statements.values():
        for node, written, read in _on_slices(one):
            for pair in nest.aliases:
                if len(pair & written) == 1 and pair - written & read:
                    names = " and ".join(f"`{name}`" for name in sorted(pair))
                    raise context.unsupported(
                        node,
                        f"slices of {names}, which may share memory",
                        "loop over the elements",
                    )


def _on_slices(one: Statement) -> Iterator[tuple[ast.stmt, set[str], set[str]]]:
    """The statements on arrays in one of a nest, with what they write and read."""
    if one.elementwise:
        written = {x.array for x in one.accesses if x.write}
        yield one.code[0], written, {x.array for x in one.accesses if not x.write}
        return
    for node in (x for line in one.code for x in walked(line)):
        if not (isinstance(node, ast.stmt) and is_elementwise(node)):
            continue
        parts = [x for x in walked(node) if dotted(x)]
        stored = {subscripts(x)[0] for x in walked(node) if _is_stored(x)}
        named = {dotted(x) for x in parts if x in stored}
        yield node, named, {dotted(x) for x in parts if x not in stored}


def _is_stored(node: ast.AST) -> TypeGuard[ast.Subscript]:
    """Whether a part of a statement is an element that it assigns."""
    return isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store)


def check_axes(root: ast.stmt, context: Context) -> None:
    """No array has too many axes."""
    for name in context.arrays:
        if context.kinds.rank(name) > MOST_AXES:
            raise context.unsupported(
                root,
                f"`{name}` has more than {MOST_AXES} dimensions",
                "use an array of fewer dimensions",
                "LX304",
            )


def check_scalars(root: ast.stmt, context: Context, scope: Scope) -> None:
    """Check that no scalar of a nest may be read before it is assigned.

    Args:
        root: its loop. context: its names. scope: of the function.

    Raises:
        LooptxError: LX301.
    """
    known = surely_bound(root, scope) | scope.shared
    unbound = (exposed(root, scope.surely_runs) & context.scalars) - known
    for node in walked(root):
        if isinstance(node, ast.Name) and node.id in unbound:
            name = told(node.id).partition("[")[0]
            raise context.unsupported(
                node,
                f"`{name}` may be read before it is assigned",
                f"assign `{name}` before the nest",
            )
