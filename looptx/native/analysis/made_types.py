"""The types of the arrays that a nest makes itself, by those of what it is given.

NumPy says them, of arrays without elements and of numbers of the same types.
"""

from __future__ import annotations

from collections.abc import Mapping

from looptx.errors import Unsupported
from looptx.lower.scalars.elements import element
from looptx.model.dtypes import DTYPES
from looptx.model.program import Nest
from looptx.model.types import ArrayType, Type


def with_made(
    nest: Nest, types: Mapping[str, Type], imports: Mapping[str, str]
) -> Mapping[str, Type]:
    """Types with those of the arrays that a nest makes.

    Args:
        nest: the nest. types: of what it is given. imports: what names mean.

    Raises:
        Unsupported: LX504 where NumPy makes no array of these, or one of another type.
    """
    known = dict(types)
    for name, made in nest.host.made.items():
        if made.listed or made.own:
            # What the nest computes says so, and that is not known yet.
            continue
        dtype = element(made.element, known, imports)
        if dtype not in DTYPES:
            what = f"not compiled natively: the array `{name}` of {dtype or 'no type'}"
            hint = "the statement runs as Python"
            raise Unsupported("LX504", what, nest.place, hint=hint)
        known[name] = ArrayType(dtype, len(made.shape))
    return known
