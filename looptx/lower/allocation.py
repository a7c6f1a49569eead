"""Where the buffers of a nest are, and what its entry allocates for them."""

from __future__ import annotations

from collections.abc import Iterator

from looptx.lower.buffers import held
from looptx.lower.kinds import INT, fail, of
from looptx.lower.scope import Scope
from looptx.lower.tree import Expr, call, team
from looptx.model.dtypes import DTYPES
from looptx.model.expr import Const, maximum
from looptx.model.records import replace
from looptx.model.schedule import bands
from looptx.model.types import ArrayType


def hold_arrays(scope: Scope) -> None:
    """Give the temporaries of the source their types and places."""
    for array in scope.planned.nest.asked.scratch:
        axes = len(scope.planned.nest.allocations[array].shape)
        if scope.array(array).ndim != axes:
            fail(f"`{array}`, of which rows are used but no elements")
    for buffer in scope.planned.buffers:
        if buffer.allocation is None:
            continue
        dtype = buffer.allocation.dtype(scope.types)
        if dtype not in DTYPES:
            fail(f"the element type of `{buffer.name}` is not known")
        scope.buffers[buffer.name] = held(buffer, dtype)
        kind = ArrayType(dtype, len(buffer.extents), "C")
        source = scope.types.get(buffer.allocation.of)
        if isinstance(source, ArrayType) and source.holders:
            holders = ("list",) * max(kind.ndim, 1)
            kind = replace(kind, holders=holders, elements=source.elements)
        scope.types = {**scope.types, buffer.name: kind}


def hold_scalars(scope: Scope) -> None:
    """Give the scalars that became arrays, and elements of lists, their places.

    Their kinds are known by now.
    """
    for buffer in scope.planned.buffers:
        if buffer.name in scope.told_lists:
            fail(f"`{buffer.name}` holds elements of several types of Python")
        if buffer.allocation is None or scope.is_listed(buffer.name):
            dtype = scope.kinds[buffer.name].dtype
            scope.buffers[buffer.name] = held(buffer, dtype)
    if any(one.split for one in scope.buffers.values()):
        scope.thread = scope.names.fresh("thread")


def allocations(scope: Scope) -> Iterator[tuple[str, list[Expr], str]]:
    """The buffers that are not local: their C names, shapes and element types."""
    for name, one in scope.buffers.items():
        if one.local:
            continue
        sizes = [scope.integer(maximum(extent, Const(0))) for extent in one.extents]
        if one.split:
            sizes.insert(0, _threads(scope))
        yield scope.names(name), sizes, one.dtype


def _threads(scope: Scope) -> Expr:
    """The most threads that a parallel loop of the nest has."""
    wanted = {
        band.dim.marks.parallel.threads
        for band in bands(scope.planned.schedule.tree)
        if band.dim.marks.parallel is not None
    }
    counts = [team(most) for most in sorted(wanted, key=str)]
    return counts[0] if len(counts) == 1 else call("max", of(INT), *counts)
