"""Arguments of which the user says that nobody looks at them after the nest."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from looptx.model.expr import Var
from looptx.model.moves.changes import redirected
from looptx.model.program import Nest, Reduction
from looptx.model.records import replace
from looptx.model.shapes import extent
from looptx.model.storage import LIKE, Allocation, Buffer


def promised(nest: Nest, arrays: Collection[str]) -> Nest:
    """The nest, which may keep the cells of some arguments like those of temporaries.

    Args:
        nest: the nest. arrays: the arguments.
    """
    found: dict[str, Allocation] = {}
    sizes: list[str] = []
    for array in sorted(arrays):
        rank = max(
            len(access.subscripts)
            for statement in nest.statements.values()
            for access in statement.accesses
            if access.array == array
        )
        texts = (extent(array, axis) for axis in range(rank))
        own = [nest.entry.equal.get(text, text) for text in texts]
        found[array] = _like(array, own)
        sizes += own
    return replace(
        nest,
        allocations={**nest.allocations, **found},
        asked=replace(nest.asked, scratch=nest.asked.scratch.union(found)),
        parameters=tuple(dict.fromkeys((*nest.parameters, *sizes))),
    )


def _like(array: str, sizes: Collection[str]) -> Allocation:
    """Memory like that of an argument, whose extents have these names."""
    shape = tuple(map(Var, sizes))
    return Allocation(array, shape, "", f"{LIKE}{array}", False, "", (), 0, 0)


def apart(
    nest: Nest, buffers: Collection[Buffer], names: Mapping[str, str]
) -> tuple[Nest, tuple[Buffer, ...]]:
    """A nest whose memory for arguments has names of its own: theirs stay theirs.

    Args:
        nest: what runs. buffers: the memory. names: by argument, what it is called.

    Returns:
        The nest and the buffers.
    """
    if not names:
        return nest, tuple(buffers)
    made = {
        new: replace(nest.allocations[old], array=new) for old, new in names.items()
    }
    statements = {}
    for name, one in nest.statements.items():
        cells = {
            access.cell: (names[access.array], access.subscripts)
            for access in one.accesses
            if access.array in names
        }
        statements[name] = redirected(one, name, cells) if cells else one
    nest = replace(
        nest, statements=statements, allocations={**nest.allocations, **made}
    )
    renamed = (
        replace(one, name=names[one.name], allocation=made[names[one.name]])
        if one.name in names
        else one
        for one in buffers
    )
    return nest, tuple(renamed)


def called(
    reductions: Mapping[int, tuple[Reduction, ...]], names: Mapping[str, str]
) -> dict[int, tuple[Reduction, ...]]:
    """Reductions into that memory, under its names.

    Args:
        reductions: by dimension. names: by argument, what its memory is called.
    """

    def other(one: Reduction) -> Reduction:
        array = names.get(one.target.array, one.target.array)
        return replace(one, target=replace(one.target, array=array))

    return {uid: tuple(map(other, found)) for uid, found in reductions.items()}
