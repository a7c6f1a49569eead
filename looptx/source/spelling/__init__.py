"""Loops over elements and views of rows, spelled as loops over indices and elements.

The trees of a module are respelled before anything else looks at them, so that the
model has one form of each: ``for i, x in enumerate(A)`` is ``for i in range(len(A))``
with ``x = A[i]`` as its first statement, ``v[j]`` behind ``v = A[i]`` is ``A[i][j]``,
``s[0]`` behind ``s = A.shape`` is ``A.shape[0]``; ``slices`` makes loops of statements
on arrays, which validation runs as they are. All of it means the same where A is a
NumPy array; of other values native code says at the call that they are none, and Python
runs what is written. The text stays as it is until its loops are scheduled.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Collection, Mapping

from looptx.source.spelling.flat import with_flat
from looptx.source.spelling.headers import with_indices, with_ranges
from looptx.source.spelling.lists.grown.asked import with_asked
from looptx.source.spelling.lists.grown.rows import with_appended_rows
from looptx.source.spelling.lists.grown.through import with_gone_through
from looptx.source.spelling.lists.joined import with_joined
from looptx.source.spelling.lists.spelled import with_lists
from looptx.source.spelling.rows import with_rows
from looptx.source.spelling.scalars.branches import with_branches
from looptx.source.spelling.scalars.steps import with_steps
from looptx.source.spelling.shapes import with_shapes
from looptx.source.spelling.tuples.apart import with_apart
from looptx.source.spelling.tuples.contained import with_contained
from looptx.source.spelling.tuples.displays import with_displays
from looptx.source.spelling.tuples.members import with_members
from looptx.source.spelling.tuples.nested import with_nested
from looptx.source.spelling.tuples.parts import with_parts
from looptx.source.spelling.tuples.several import with_single
from looptx.source.spelling.tuples.tables import with_tables
from looptx.source.spelling.tuples.targets import with_targets
from looptx.source.spelling.tuples.unpacked import with_unpacked

_FIRST = (
    with_nested,
    *(with_gone_through, with_appended_rows, with_joined, with_asked, with_lists),
    *(with_tables, with_parts),
    *(with_members, with_flat, with_branches, with_steps, with_targets),
)
_THEN = with_displays, with_single
_LAST = with_unpacked, with_apart
"""Spellings of functions in which no loop is scheduled, and those behind others."""


def respelled(
    tree: ast.Module,
    known: Mapping[str, str],
    arrays: Collection[str] = (),
    *,
    plain: bool,
) -> ast.Module:
    """A module's tree in the spelling of the model; a new one where that differs.

    Args:
        tree: as Python reads it.
        known: what the names of the module mean.
        arrays: the arguments that are arrays, whatever the text says.
        plain: whether no loop is scheduled, so that none is ever written.
    """
    first = _FIRST if plain else ()
    then = (*_THEN, with_rows, *_LAST) if plain else (with_rows,)
    given = arrays if plain else ()
    indices = functools.partial(with_indices, arrays=given, plain=plain)
    for spelling in (with_ranges, *first, with_contained, with_shapes, indices, *then):
        tree = spelling(tree, known)
    return tree
