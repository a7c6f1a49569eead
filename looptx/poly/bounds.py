"""Facts over parameters: extents and memory safety."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import islpy as isl

from looptx.model.expr import (
    TRUE,
    Cond,
    Var,
    variables,
)
from looptx.model.program import Loop, LoopNode, Node, Statement
from looptx.poly.astexpr import texts, to_cond
from looptx.poly.spaces import Spaces


def condition(spaces: Spaces, values: isl.Set) -> Cond:
    """A set of parameter values as a condition, given the context."""
    known = values.gist_params(spaces.context).coalesce()
    if known.plain_is_universe() or spaces.context.is_subset(values):
        return TRUE
    build = isl.AstBuild.from_context(spaces.context)
    return to_cond(build.expr_from_set(known), texts(spaces))


def safe_sizes(
    spaces: Spaces, wraps: frozenset[str], *, raising: bool = False
) -> isl.Set:
    """The parameters for which every affine access stays inside its array.

    Args:
        spaces: of the nest; only arrays whose extents it holds are looked at.
        wraps: arrays with subscripts that may count from the end.
        raising: whether only accesses count that must execute: for other parameters an
            exception ends every run.

    Returns:
        The parameters.
    """
    bad = isl.Set.empty(spaces.params_space())
    for statement in spaces.nest.statements.values():
        domain = spaces.domain(statement)
        space = domain.get_space()
        seen = set()
        for access in statement.accesses:
            if access.array not in spaces.shapes or (raising and not access.certain):
                continue
            reached = spaces.guarded(statement, access, domain)
            for axis, subscript in enumerate(access.subscripts):
                key = access.array, axis, subscript, access.where
                if subscript is None or key in seen:
                    continue
                seen.add(key)
                at = spaces.expr(subscript, space, statement.loops)
                extent = Var(spaces.shape_text(access.array, axis))
                size = spaces.expr(extent, space, statement.loops)
                # What is written as ``x[-2]`` does not wrap around again.
                counted = not raising and at.sub(size).is_cst()
                wrapped = access.array in wraps and not counted
                lowest = size.neg() if wrapped else size.sub(size)
                outside = at.ge_set(size) | at.lt_set(lowest)
                bad = bad | (reached & outside).params()
    if not raising:
        bad = _known(spaces, bad) | _disagreeing(spaces)
    return (spaces.context - bad).coalesce()


def _known(spaces: Spaces, values: isl.Set) -> isl.Set:
    """Parameter values, with any of those that only branches of data ask for."""
    native = {*spaces.nest.parameters}.union(*map(variables, spaces.assumes))
    for statement in spaces.nest.statements.values():
        for access in statement.accesses:
            axes = range(len(access.subscripts))
            native.update(spaces.shape_text(access.array, axis) for axis in axes)
    for text in spaces.parameters:
        if text not in native:
            name = spaces.parameter(text)
            place = values.find_dim_by_name(isl.dim_type.param, name)
            if place >= 0:
                values = values.eliminate(isl.dim_type.param, place, 1)
    return values


def _disagreeing(spaces: Spaces) -> isl.Set:
    """The parameters for which a loop over elements is not what its statement says."""
    bad = isl.Set.empty(spaces.params_space())
    for loop, around in _surroundings(spaces.nest.body, ()):
        if loop.agrees != TRUE:
            where = Statement("", around, loop.guard, (), (), loop.place)
            domain = spaces.domain(where)
            agrees = spaces.cond(loop.agrees, domain.get_space(), around)
            bad = bad | (domain - agrees).params()
    for statement in spaces.nest.statements.values():
        if statement.agrees != TRUE:
            domain = spaces.domain(statement)
            space = domain.get_space()
            agrees = spaces.cond(statement.agrees, space, statement.loops)
            bad = bad | (domain - agrees).params()
    return bad


def _surroundings(
    body: Sequence[Node], around: tuple[str, ...]
) -> Iterator[tuple[Loop, tuple[str, ...]]]:
    """The loops of a nest, each with those around it."""
    for node in body:
        if isinstance(node, LoopNode):
            yield node.loop, around
            yield from _surroundings(node.body, (*around, node.loop.id))


def with_cells(spaces: Spaces) -> isl.Set:
    """The parameters for which what data choose can be chosen.

    An axis has a cell wherever it is read or written at a subscript that is not affine.
    """
    bad = isl.Set.empty(spaces.params_space())
    for statement in spaces.nest.statements.values():
        domain = spaces.domain(statement)
        chosen = {
            (access.array, axis)
            for access in statement.accesses
            for axis, subscript in enumerate(access.subscripts)
            if subscript is None and access.array in spaces.shapes
        }
        for array, axis in sorted(chosen):
            extent = Var(spaces.shape_text(array, axis))
            size = spaces.expr(extent, domain.get_space(), statement.loops)
            bad = bad | (domain & size.le_set(size.sub(size))).params()
    return (spaces.context - bad).coalesce()


def in_bounds(spaces: Spaces, wraps: frozenset[str]) -> Cond:
    """When every affine access stays inside its array, as a condition."""
    return condition(spaces, safe_sizes(spaces, wraps))


def enough(spaces: Spaces, array: str) -> Cond | None:
    """When every affine access to an array stays inside it, where there is any.

    Args:
        spaces: of the nest, with the array's extents.
        array: the array, whose subscripts may not count from the end.

    Returns:
        A condition on parameters; None where it never holds.
    """
    used = isl.Set.empty(spaces.params_space())
    for statement in spaces.nest.statements.values():
        if any(access.array == array for access in statement.accesses):
            used = used | spaces.domain(statement).params()
    used = used.coalesce()
    if used.is_empty():
        return TRUE
    sizes = safe_sizes(spaces, frozenset())
    return None if sizes.is_disjoint(used) else condition(spaces.at(used), sizes)


def always(spaces: Spaces, statement: Statement, wanted: Cond) -> Cond:
    """When a condition holds at every iteration of a statement.

    Args:
        spaces: those of the nest.
        statement: one of its statements.
        wanted: the condition, over its loops and parameters.

    Returns:
        A condition on parameters.

    Raises:
        Unproven: LX203 when the condition is not quasi-affine.
    """
    domain = spaces.domain(statement)
    wrong = domain - spaces.cond(wanted, domain.get_space(), statement.loops)
    return condition(spaces, (spaces.context - wrong.params()).coalesce())
