"""Whether the cells of temporaries are known and inside what the source allocates."""

from __future__ import annotations

from collections.abc import Mapping

from looptx.errors import Unproven
from looptx.model.expr import Compare, Const, conj, disj
from looptx.poly.bounds import safe_sizes
from looptx.poly.dependences.privatization import Dataflow
from looptx.poly.spaces import Spaces


def check_temporaries(
    sizes: Spaces, temporaries: frozenset[str]
) -> tuple[str, Unproven] | None:
    """See that the cells of temporaries are known, and inside what is allocated.

    A buffer would not raise where the array did, so what is outside must be impossible.

    Args:
        sizes: of the nest and what is assumed.
        temporaries: the arrays.

    Returns:
        The first of which that is not so, or not known, and LX207.
    """
    if not temporaries:
        return None
    nest = sizes.nest
    made = [size for name in temporaries for size in nest.allocations[name].shape]
    given = [*sizes.assumes, *(Compare(">=", size, Const(0)) for size in made)]
    others = frozenset(nest.arrays) - temporaries
    everything = Spaces(nest, given, others, known=True)
    spaces = everything.at(safe_sizes(everything, others, raising=True))
    for statement in nest.statements.values():
        domain = spaces.domain(statement)
        for access in statement.accesses:
            if access.array not in temporaries:
                continue
            shape = nest.allocations[access.array].shape
            cell = [one for one in access.subscripts if one is not None]
            if len(cell) != len(access.subscripts):
                return _unclear(access.array, "has a subscript that is not affine")
            if len(cell) != len(shape):
                return _unclear(access.array, "is not used element by element")
            outside = disj(
                *(Compare("<", subscript, Const(0)) for subscript in cell),
                *(Compare(">=", *pair) for pair in zip(cell, shape, strict=True)),
            )
            space = domain.get_space()
            used = conj(access.where, outside)
            bad = domain & spaces.cond(used, space, statement.loops)
            if not bad.is_empty():
                return _unclear(access.array, "may be used outside of its size")
    return None


def check_lives(
    arrays: frozenset[str], lives: Mapping[str, Dataflow]
) -> tuple[str, Unproven] | None:
    """See that nothing of arguments is read that the nest has not written before.

    Args:
        arrays: the arguments. lives: the dataflow of all temporaries.

    Returns:
        As ``check_temporaries``.
    """
    for array in sorted(arrays & lives.keys()):
        for one in lives[array].first:
            users = {user.name: user for user in lives[array].users}
            line = users[one.sink].place.line
            return array, Unproven(
                "LX207",
                f"unknown: what `{array}` holds: line {line} may read it before it is"
                " written",
                hint="write every cell before it is read, or leave this directive out",
            )
    return None


def _unclear(array: str, why: str) -> tuple[str, Unproven]:
    return array, Unproven(
        "LX207",
        f"unknown: what `{array}` holds: it {why}",
        hint="use plain subscripts inside the array, or `assume` how sizes compare",
    )
