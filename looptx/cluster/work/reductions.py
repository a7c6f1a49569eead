"""Sums and the like that several tasks collect: parts, and what is made of them.

Each task begins with the neutral number of the operation. What was there before, and
the parts, are combined in the order of the blocks.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from looptx.cluster.work.boxes import slices
from looptx.cluster.work.cells import (
    Cells,
    Source,
    Window,
    found,
    framed,
    inside,
    opened,
)
from looptx.looptree.identities import identity
from looptx.model.program import Nest, Reduction
from looptx.model.records import dataclass
from looptx.model.trees import dotted
from looptx.model.types import ArrayType, ScalarType, Type

_ARRAYS: Mapping[str, Callable[..., Any]] = {
    "+": np.add,
    "*": np.multiply,
    "min": np.minimum,
    "max": np.maximum,
    "&": np.bitwise_and,
    "|": np.bitwise_or,
    "^": np.bitwise_xor,
}
_SCALARS: Mapping[str, Callable[..., Any]] = {
    "+": operator.add,
    "*": operator.mul,
    "min": np.minimum,
    "max": np.maximum,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
}
LARGE = 2**63
"""The neutral numbers of integers are those of 64 bits."""

_BETTER: Mapping[str, Callable[..., Any]] = {"min": operator.lt, "max": operator.gt}


@dataclass(frozen=True, slots=True)
class Collecting:
    """A reduction of which tasks collect parts.

    Attributes:
        op: one of ``+ * min max & | ^``.
        compares: whether it keeps one of two values, as Python compares them.
        neutral: what a part begins with.
    """

    op: str
    compares: bool
    neutral: Any

    def arrays(self, one: Any, other: Any) -> Any:
        """The results of cells and of a part of them."""
        if self.compares:
            return np.where(_BETTER[self.op](other, one), other, one)
        return _ARRAYS[self.op](one, other)

    def scalars(self, one: Any, other: Any) -> Any:
        """The result of a number and of a part."""
        if self.compares:
            if isinstance(self.neutral, int) and not -LARGE <= one < LARGE:
                raise OverflowError("an integer is no part of a block's")
            return other if _BETTER[self.op](other, one) else one
        return _SCALARS[self.op](one, other)


def collecting(
    nest: Nest, reduction: Reduction, kind: Type | None, integers: frozenset[str]
) -> Collecting | None:
    """How parts of a reduction are collected; None where nothing is neutral.

    Args:
        nest: the nest. reduction: of one of its statements.
        kind: the type of its target. integers: targets that are exact in any order.
    """
    op, target = reduction.op, reduction.target.array
    exact, array = target in integers, isinstance(kind, ArrayType)
    compares = op in ("min", "max") and not _is_numpys(nest, reduction)
    dtype = kind.dtype if kind is not None else ""
    neutral = identity(op, dtype, exact=exact, is_array=array)
    weak = isinstance(kind, ScalarType) and kind.weak and exact
    if neutral is None or (weak and op in ("min", "max") and not compares):
        return None
    return Collecting(op, compares, neutral)


def _is_numpys(nest: Nest, reduction: Reduction) -> bool:
    """Whether it is NumPy's minimum or maximum."""
    code = (
        line
        for one in nest.statements.values()
        if one.reduction == reduction
        for line in one.code
    )
    return any(
        nest.names.functions.get(dotted(node.func), "")
        in ("numpy.minimum", "numpy.maximum")
        for line in code
        for node in ast.walk(line)
        if isinstance(node, ast.Call)
    )


def combine(
    how: Collecting,
    name: str,
    before: Any,
    parts: Sequence[Sequence[Source]],
    *inputs: Any,
) -> Cells:
    """The cells of an array, or a number, with the parts that tasks collected.

    Args:
        how: they are combined. name: of the result.
        before: the window of the cells before; where the number is, or itself.
        parts: where parts of them are, in order.
        inputs: what other tasks gave.
    """
    if not isinstance(before, Window):
        value = found(before, inputs) if isinstance(before, list) else before
        for part in parts:
            value = how.scalars(value, found(part, inputs))
        return Cells({name: value})
    lower, array = opened(before, inputs)
    for source in (source for part in parts for source in part):
        given = framed(inputs[source.number], source.item, source.frame)
        for box in source.boxes:
            own = array[slices(box, lower)]
            own[...] = how.arrays(own, given[2][inside(box, *given[:2])])
    return Cells({name: (lower, array)})
