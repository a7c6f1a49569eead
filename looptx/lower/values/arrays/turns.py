"""Subscripts between one pair of brackets: all have values before one is looked up."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from looptx.lower.checks import OUTSIDE, SATURATED
from looptx.lower.kinds import INT, of
from looptx.lower.scope import Scope
from looptx.lower.tree import Expr, dangers, intrinsic
from looptx.model.records import replace

_LOOKED_UP = ("at", "at_near")


def as_index(value: Expr, node: ast.expr, scope: Scope) -> Expr:
    """A subscript, with what is known of a scalar that is one.

    Args:
        value: it. node: what it is of. scope: the nest.
    """
    known = isinstance(node, ast.Name) and node.id in scope.saturated
    return replace(value, facts=value.facts | {SATURATED}) if known else value


def in_turn(places: Sequence[Expr], groups: Sequence[Sequence[object]]) -> list[Expr]:
    """Places of an element, which raise in the order of Python.

    Args:
        places: one behind the other. groups: what stands in each pair of brackets.
    """
    left = iter(places)
    return [
        place for group in groups for place in together([next(left) for _ in group])
    ]


def together(places: Sequence[Expr], bounds: Sequence[Expr] = ()) -> list[Expr]:
    """Those of one pair of brackets: the first that is looked up waits for the rest.

    Args:
        places: one behind the other. bounds: of slices there, and in front of them.
    """
    found = [*places]
    for at, place in enumerate(found):
        if _is_looked_up(place):
            value, *others = place.parts
            for one in (*found[at + 1 :], *bounds):
                later = one.parts[0] if _is_looked_up(one) else one
                if dangers([later]) or SATURATED in later.facts:
                    value = behind(value, later)
            found[at] = replace(place, parts=(value, *others))
            break
    return found


def _is_looked_up(place: Expr) -> bool:
    called = place.intrinsic
    return called is not None and called.operation in _LOOKED_UP


def behind(value: Expr, later: Expr) -> Expr:
    """A number, behind what a later one may raise; beyond 64 bits it is none."""
    if SATURATED in later.facts:
        made = intrinsic("behind_near", of(INT), value, later, raises=OUTSIDE)
    else:
        made = intrinsic("behind", of(INT), value, later)
    return replace(made, facts=value.facts & {SATURATED})
