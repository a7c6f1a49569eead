"""What names of a nest hold: numbers of which kinds, as far as it is known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from looptx.model.dtypes import INTEGERS
from looptx.model.expr import variables
from looptx.model.functions import CONSTANTS
from looptx.model.program import Nest
from looptx.model.storage import allocated
from looptx.model.types import ArrayType, ScalarType, Type
from looptx.source.nests.context import names_of
from looptx.source.nests.statements import quiet
from looptx.source.nests.statements.held import Held
from looptx.source.nests.statements.quiet import Number, Numbers
from looptx.source.nests.statements.told import Told


class Names:
    """What the names of a nest hold.

    Attributes:
        values: of variables, None where it may be no number.
    """

    def __init__(self, nest: Nest, types: Mapping[str, Type]) -> None:
        self.nest = nest
        self.types = {**types, **allocated(nest.allocations, types)}
        self.loops = {loop.var for loop in nest.loops.values()}
        self.sizes = frozenset(_sizes(nest))
        self.told = Told(nest.entry.definitions, types, self.sizes)
        self.ranks: dict[str, int] = {}
        for access in (x for one in nest.statements.values() for x in one.accesses):
            known = self.ranks.get(access.array, 0)
            self.ranks[access.array] = max(known, len(access.subscripts))
        self.values: dict[str, Numbers | None] = dict.fromkeys(
            nest.scalars, frozenset()
        )
        for name in set(nest.scalars).intersection(nest.live_in):
            self.values[name] = self.outside(name)

    def bind(self, name: str, value: Numbers | None) -> None:
        """Note what is assigned to a name."""
        if name in self.values:
            known = self.values[name]
            both = None if known is None or value is None else (known, value)
            self.values[name] = both and quiet.joined(both)

    def of(self, name: str) -> Numbers | None:
        """What a name or an attribute holds; None where it may be no number."""
        if name in self.values:
            return self.values[name]
        return quiet.COUNT if name in self.loops else self.outside(name)

    def held(self, name: str) -> Held:
        """What a name holds where the nest starts, as the text tells it."""
        return self.told.of(self.nest.entry.reaching.get(name, ()))

    def outside(self, name: str) -> Numbers | None:
        """What is read from outside of the nest."""
        nest, kind = self.nest, self.types.get(name)
        full = nest.names.functions.get(name, "")
        if full in CONSTANTS:
            return quiet.constant(CONSTANTS[full])
        told = self.held(name).number
        if told is None or isinstance(kind, ArrayType) or full:
            return None
        strong = isinstance(kind, ScalarType) and not kind.weak
        if name in self.sizes and not strong:
            return quiet.COUNT
        if isinstance(kind, ScalarType) and (strong or told == quiet.NUMBER):
            return frozenset((quiet.typed(kind),))
        arrays = nest.entry.starts.get(name)
        if told != quiet.NUMBER:
            return told
        if arrays is not None and all(map(self._is_integer, arrays)):
            return frozenset((quiet.integer(63),))
        return None if name in nest.arrays else quiet.NUMBER

    def _is_integer(self, array: str) -> bool:
        kind = self.types.get(array)
        return kind is not None and kind.dtype in INTEGERS

    def rank(self, name: str) -> int:
        """How many axes an array has at least; 0 for what may be none."""
        kind = self.types.get(name)
        if isinstance(kind, ArrayType):
            return kind.ndim
        known = kind is None and self.held(name).cells is not None
        return self.ranks.get(name, 0) if known else 0

    def element(self, name: str, axes: int) -> Numbers | None:
        """What an array holds; None where so many subscripts may select a row."""
        kind, held = self.types.get(name), self.held(name)
        if isinstance(kind, ArrayType):
            found = frozenset((Number(kind.dtype),))
            return found if kind.ndim == axes else None
        if axes < self.ranks.get(name, 0) or held.axes not in (None, axes):
            return None
        local = name in self.nest.allocations and held.cells == quiet.NUMBER
        return quiet.FLOAT if local else held.cells


def _sizes(nest: Nest) -> Iterator[str]:
    """What says how far a nest runs, and where its cells are."""
    bounds = (x for loop in nest.loops.values() for x in (loop.start, loop.stop))
    places = (
        x
        for one in nest.statements.values()
        for access in one.accesses
        for x in access.subscripts
        if x is not None
    )
    texts = {text for x in (*bounds, *places) for text in variables(x)}
    for text in texts - nest.loops.keys():
        yield text
        yield from names_of(text)
