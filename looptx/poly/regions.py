"""Where a tile is full: the regions that ``isolate`` options set apart.

A block is full when every iteration it could hold lies inside the loop it was split
from; then no bound of an inner loop needs a minimum. Inside a partial block nothing is
set apart again, so ``d`` nested blocks give ``d + 1`` copies of the body, not ``2**d``.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import islpy as isl

from looptx.model.expr import variables
from looptx.model.schedule import Band, Dim, statements

if TYPE_CHECKING:
    from looptx.poly.codegen import Generator


def full_tiles(generator: Generator, band: Band, depth: int) -> isl.Set | None:
    """The ``isolate[[outer] -> [block]]`` set of a band; None where it has no tiles."""
    region: isl.Set | None = None
    opens = False
    for name in statements(band):
        dims = generator.dims[name][: depth + 1]
        for at in range(depth + 1):
            full = _full(generator, name, dims[: at + 1])
            if full is None:
                continue
            full = full.insert_dims(isl.dim_type.set, at + 1, depth - at)
            region = full if region is None else region & full
            opens = opens or at == depth
    if region is None or not opens:
        return None
    nested = isl.Map.from_domain(region)
    nested = nested.move_dims(isl.dim_type.out, 0, isl.dim_type.in_, depth, 1)
    return nested.wrap().set_tuple_name("isolate")


def _pieces(
    generator: Generator, name: str, loop: str, dims: list[Dim]
) -> list[tuple[int, int]] | None:
    """(place in ``dims``, weight) of a loop's pieces, if coarse ones come first.

    None when a finer piece stands outside a coarser one (blocks hold no interval then)
    or a size does not divide the next (isl guards every iteration of such remainders).
    """
    weights = generator.schedule.index[name, loop].weights
    placed = {dim.uid: at for at, dim in enumerate(dims)}
    ordered = sorted(weights.items(), key=lambda item: -item[1])
    sizes = [weight for _, weight in ordered]
    if sizes[-1] <= 0 or any(big % small for big, small in pairwise(sizes)):
        return None
    here = [(placed[uid], weight) for uid, weight in ordered if uid in placed]
    if len(here) < len(ordered) and [uid for uid, _ in ordered[: len(here)]] != [
        dims[at].uid for at, _ in here
    ]:
        return None
    return here if here == sorted(here) else None


def _full(generator: Generator, name: str, dims: list[Dim]) -> isl.Set | None:
    """The points of ``dims`` at which the block opened by the last of them is full."""
    spaces, schedule = generator.spaces, generator.schedule
    loop = schedule.owner.get(dims[-1].uid, {}).get(name)
    if loop is None or any(dim.merged for dim in dims):
        return None
    own = _pieces(generator, name, loop, dims)
    if own is None or len(own) == len(schedule.index[name, loop].weights):
        return None
    chain = spaces.outer_loops(loop)
    relevant = variables(chain[-1].start) | variables(chain[-1].stop) | {loop}
    values = spaces.loop_set(loop)
    conditions = []
    for axis, other in enumerate(chain):
        if other.id not in relevant:
            values = values.project_out(isl.dim_type.set, axis, 1).insert_dims(
                isl.dim_type.set, axis, 1
            )
            continue
        pieces = _pieces(generator, name, other.id, dims)
        if not pieces:
            return None
        step = schedule.index[name, other.id].step
        for at, weight in pieces:
            distance = f"v{axis} - c{at}" if step > 0 else f"-c{at} - v{axis}"
            conditions.append(f"0 <= {distance} < {weight * abs(step)}")
            if abs(step) > 1:
                conditions.append(f"({distance}) mod {abs(step)} = 0")
    sources = ", ".join(f"c{at}" for at in range(len(dims)))
    targets = ", ".join(f"v{axis}" for axis in range(len(chain)))
    boxes = isl.Map.read_from_str(
        values.get_ctx(),
        f"{{ [{sources}] -> L[{targets}] : {' and '.join(conditions)} }}",
    )
    values = values.set_tuple_name("L")
    return boxes.intersect_range(values.complement()).domain().complement()
