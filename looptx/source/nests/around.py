"""What stands around a statement: loops, conditions, and what scalars are there."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from looptx.model.expr import And, Cond, IntExpr
from looptx.model.expr.polynomial import Polynomial
from looptx.model.records import dataclass, field, replace
from looptx.source.ast_tools import walked
from looptx.source.nests.sizes.affine import Affine


@dataclass(frozen=True)
class Around:
    """The loops and conditions around a statement.

    Attributes:
        loops: ids of the enclosing loops by variable, outermost first.
        guard: affine conditions that hold here.
        own_guard: those of them inside the innermost loop.
        values: affine values that scalars of the nest have here.
        definite: the names that are integers here, or something has failed before.
        products: scalars of the nest that are sums of loops times sizes here.
    """

    loops: Mapping[str, str]
    guard: tuple[Cond, ...]
    own_guard: tuple[Cond, ...]
    values: Mapping[str, IntExpr]
    definite: frozenset[str]
    products: Mapping[str, Polynomial] = field(default_factory=dict)


def everything(conds: tuple[Cond, ...]) -> Cond:
    """The conjunction of some conditions."""
    return conds[0] if len(conds) == 1 else And(conds)


def leading(affine: Affine, test: ast.BoolOp) -> list[Cond]:
    """The affine conditions an ``and`` starts with: without them nothing happens."""
    found: list[Cond] = []
    if isinstance(test.op, ast.And):
        for value in test.values:
            cond = affine.cond(value)
            if cond is None:
                break
            found.append(cond)
    return found


def assigned_once(root: ast.stmt) -> frozenset[str]:
    """The names with exactly one place in the nest that binds them."""
    counts: dict[str, int] = {}
    for node in walked(root):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            counts[node.id] = counts.get(node.id, 0) + 1
    return frozenset(name for name, count in counts.items() if count == 1)


def valued(
    stmt: ast.stmt, once: frozenset[str], around: Around, affine: Affine
) -> Around:
    """What stands around the next statement, which may know a scalar's value.

    Args:
        stmt: the statement in front of it. once: the names that one place in the nest
            binds. around: what stands around that. affine: what expressions mean there.
    """
    match stmt:
        case ast.Assign([ast.Name(name)], given) if name in once:
            pass
        case ast.AnnAssign(target=ast.Name(name), value=ast.expr() as given):
            if name not in once:
                return around
        case _:
            return around
    if not affine.is_definite(given):
        return around
    found = affine.expr(given)
    if found is not None:
        return replace(around, values={**around.values, name: found})
    product = affine.polynomial(given)
    if product is None:
        return around
    return replace(around, products={**around.products, name: product})
