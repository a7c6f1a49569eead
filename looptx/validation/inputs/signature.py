"""What a function is given: which arguments are sizes, arrays, index arrays, scalars.

Annotations say it, and otherwise the ways in which the function uses its names, as the
reader of nests understands them (``source.kinds.integers``). Extents that the function
asks for (``A.shape``) are sizes like its integer arguments; all others are as large as
its subscripts need.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Collection, Mapping
from typing import Any

import numpy as np

from looptx.model.records import dataclass, field
from looptx.model.types import ArrayType, ScalarType, Type, is_integer
from looptx.source.kinds.integers import Kinds
from looptx.validation.code import Code
from looptx.validation.inputs import uses
from looptx.validation.inputs.indices import Indices
from looptx.validation.inputs.uses import Axis
from looptx.validation.symbols.cells import MOST_CELLS, Cells, TooMuch
from looptx.validation.symbols.functions import Functions


@dataclass(frozen=True, slots=True)
class Array:
    """An array argument.

    ``indices`` is true when its values are subscripts of others or bounds of loops.
    """

    name: str
    rank: int
    dtype: str
    indices: bool = False


@dataclass(frozen=True, slots=True)
class Signature:
    """The inputs of a function, by name (``self.A`` for an attribute).

    Attributes:
        sizes: the integers. arrays, scalars (with their types), fixed (with values).
        asked: the extents that the function looks at.
        spelled: other names of sizes: the ``n`` of ``n = A.shape[0]``.
        usual: the sizes that a default or a constant of the module gives.
        indices: what its index arrays hold.
    """

    sizes: tuple[str, ...]
    arrays: Mapping[str, Array]
    scalars: Mapping[str, str]
    fixed: Mapping[str, object]
    asked: tuple[Axis, ...]
    spelled: Mapping[str, Axis]
    usual: Mapping[str, int]
    indices: Indices

    @property
    def free(self) -> tuple[str, ...]:
        """Everything that sizes are chosen for: integers, and extents asked for."""
        return (*self.sizes, *map(extent_name, self.asked))

    def roomy(self, sizes: Mapping[str, int]) -> dict[str, int]:
        """The sizes, with the arrays large enough for distinct positions."""
        indices = self.indices
        large = {
            extent_name(axis): indices.most
            for axis in self.asked
            if not indices.into.get(axis[0], frozenset()).isdisjoint(indices.distinct)
        }
        return {name: size * large.get(name, 1) for name, size in sizes.items()}

    def shown(self) -> dict[str, str]:
        """``{name in free: its name in messages}``."""
        names = {axis: name for name, axis in reversed([*self.spelled.items()])}
        axes = {extent_name(axis): names.get(axis, "") for axis in self.asked}
        return {name: axes.get(name) or name for name in self.free}


def extent_name(axis: Axis) -> str:
    """``A.shape[0]``."""
    return f"{axis[0]}.shape[{axis[1]}]"


def signature(
    code: Code,
    types: Mapping[str, Type],
    values: Mapping[str, object],
    default: str = "float64",
    independent: Collection[str] = (),
) -> Signature:
    """Tell what each input of a function is.

    Args:
        code: the function.
        types: those that annotations and the like say.
        values: of module constants, where they are known.
        default: the type of the elements and scalars of which nothing is known.
        independent: the arrays whose accesses the user vouches for.

    Returns:
        The inputs, in the order of their first use.
    """
    definition = code.scope.function
    kinds = Kinds(code.scope)
    ranks = uses.ranks(definition, kinds, types)
    into = uses.indirect(definition, kinds)
    chosen = {**uses.defaults(definition), **values}
    arrays: dict[str, Array] = {}
    sizes: list[str] = []
    scalars: dict[str, str] = {}
    fixed: dict[str, object] = {}
    known = kinds.arrays | uses.called(definition)
    indirect = frozenset[str]().union(*into.values())
    for name in uses.inputs(definition, kinds, types, {*code.given, *code.outside}):
        kind = types.get(name)
        if isinstance(kind, ArrayType) or name in known:
            holds = name in indirect
            dtype = kind.dtype if kind else "int64" if holds else default
            arrays[name] = Array(name, ranks.get(name) or 1, dtype, holds)
        elif uses.is_option(chosen.get(name)):
            fixed[name] = chosen[name]
        elif name in kinds.integers or _is_size(kind):
            sizes.append(name)
        elif name in values:
            fixed[name] = values[name]
        else:
            scalars[name] = kind.dtype if kind else default
    axes = _Axes(arrays, uses.views(definition))
    asked = dict.fromkeys(map(axes.own, uses.asked(definition, ranks)))
    held = [name for name, array in arrays.items() if array.indices]
    return Signature(
        tuple(sizes),
        arrays,
        scalars,
        fixed,
        tuple(filter(axes.exists, asked)),
        {name: axes.own(axis) for name, axis in uses.spelled(definition)},
        {name: size for name in sizes if isinstance(size := chosen.get(name), int)},
        Indices.of(into, held, independent),
    )


def _is_size(kind: Type | None) -> bool:
    """Whether a type is that of whole numbers."""
    return isinstance(kind, ScalarType) and is_integer(kind) and kind.dtype != "bool"


@dataclass(frozen=True, slots=True)
class _Axes:
    """The axes of arguments, and those of their views."""

    arrays: Mapping[str, Array]
    views: Mapping[str, tuple[str, bool]]

    def own(self, axis: Axis) -> Axis:
        """The argument's axis that a view's is."""
        name, number = axis
        base, transposed = self.views.get(name, (name, False))
        if name in self.arrays or base not in self.arrays:
            return axis
        return base, self.arrays[base].rank - 1 - number if transposed else number

    def exists(self, axis: Axis) -> bool:
        """Whether it is one of an argument."""
        name, number = axis
        return name in self.arrays and 0 <= number < self.arrays[name].rank


@dataclass(slots=True)
class Given:
    """The inputs of one run.

    Attributes:
        values: by the names of the function's arguments and globals.
        arrays: the arrays among them (and in their attributes), by dotted name.
        members: the objects whose attributes are inputs, by name.
    """

    values: dict[str, Any]
    arrays: dict[str, Cells]
    members: dict[str, Members] = field(default_factory=dict)


class Members:
    """An object with attributes: ``self``."""


def build(
    functions: Functions,
    inputs: Signature,
    sizes: Mapping[str, int],
    extents: Mapping[Axis, int],
    limit: int,
    repeat: bool = False,
) -> Given:
    """Fresh inputs.

    Args:
        functions: what makes symbols. inputs: what the function takes.
        sizes: of every name in ``inputs.free``.
        extents: of the axes that are not asked for.
        limit: index arrays hold numbers below it.
        repeat: whether they hold numbers twice, or not within ``limit`` cells.

    Returns:
        The inputs, and the arrays and objects among them.

    Raises:
        TooMuch: an array would be too large.
    """

    def held(name: str, at: int) -> int:
        chance = functions.table.chance
        return inputs.indices.number(name, at, limit, repeat, chance)

    arrays = {}
    for name, array in inputs.arrays.items():
        axes = [(name, axis) for axis in range(array.rank)]
        shape = tuple(
            sizes.get(extent_name(axis), extents.get(axis, 1)) for axis in axes
        )
        if math.prod(shape) > MOST_CELLS:
            raise TooMuch
        arrays[name] = _cells(functions, array, shape, held)
    scalars = {
        name: functions.table.leaf(
            "scalar", (name,), functools.partial(functions.table.number, dtype, name)
        )
        for name, dtype in inputs.scalars.items()
    }
    own = {name: sizes[name] for name in inputs.sizes}
    given = Given({}, arrays)
    for name, value in {**own, **scalars, **inputs.fixed, **arrays}.items():
        _put(given, name, value)
    return given


def _put(given: Given, name: str, value: object) -> None:
    """Bind a name, and the objects on the way to an attribute."""
    root, *rest = name.split(".")
    if not rest:
        given.values[root] = value
        return
    holder = given.values.setdefault(root, Members())
    path = root
    given.members[path] = holder
    for part in rest[:-1]:
        path = f"{path}.{part}"
        if not hasattr(holder, part):
            setattr(holder, part, Members())
        holder = getattr(holder, part)
        given.members[path] = holder
    setattr(holder, rest[-1], value)


def _cells(
    functions: Functions,
    array: Array,
    shape: tuple[int, ...],
    held: Callable[[str, int], int],
) -> Cells:
    table, name, dtype = functions.table, array.name, array.dtype

    def value(place: tuple[int, ...]) -> Any:
        if array.indices:
            return held(name, int(np.ravel_multi_index(place, shape)))
        return table.number(dtype, (name, place))

    def fill(place: tuple[int, ...]) -> Any:
        return table.leaf("cell", (name, place), lambda: value(place), dtype)

    values = np.empty(shape, dtype=object)
    return Cells(table, values, dtype, fill, name, tuple(range(len(shape))))
