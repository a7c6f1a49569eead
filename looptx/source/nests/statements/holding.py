"""What names of a nest hold: numbers of which kinds, as far as it is known."""

from __future__ import annotations

from collections.abc import Mapping

from looptx.model.dtypes import INTEGERS
from looptx.model.functions import CONSTANTS
from looptx.model.program import Nest
from looptx.model.storage import allocated
from looptx.model.types import ArrayType, ScalarType, Type
from looptx.source.nests.statements import quiet
from looptx.source.nests.statements.quiet import Number, Numbers


class Names:
    """What the names of a nest hold.

    Attributes:
        values: of variables, None where it may be no number.
    """

    def __init__(self, nest: Nest, types: Mapping[str, Type]) -> None:
        self.nest = nest
        self.types = {**types, **allocated(nest.allocations, types)}
        self.loops = {loop.var for loop in nest.loops.values()}
        self.ranks: dict[str, int] = {}
        for access in (x for one in nest.statements.values() for x in one.accesses):
            known = self.ranks.get(access.array, 0)
            self.ranks[access.array] = max(known, len(access.subscripts))
        self.values: dict[str, Numbers | None] = dict.fromkeys(
            nest.scalars, frozenset()
        )
        for name in set(nest.scalars).intersection(nest.live_in) - nest.given.keys():
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

    def outside(self, name: str) -> Numbers | None:
        """What is read from outside of the nest."""
        nest, kind = self.nest, self.types.get(name)
        full = nest.functions.get(name, "")
        if full in CONSTANTS:
            return quiet.constant(CONSTANTS[full])
        if name in nest.odd or isinstance(kind, ArrayType) or full:
            return None
        python = name in nest.parameters or name in nest.python
        if python and not (isinstance(kind, ScalarType) and not kind.weak):
            return quiet.COUNT
        if isinstance(kind, ScalarType):
            return frozenset((quiet.typed(kind),))
        arrays = nest.starts.get(name)
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
        known = kind is None and name not in self.nest.odd
        return self.ranks.get(name, 0) if known else 0

    def element(self, name: str, axes: int) -> Numbers | None:
        """What an array holds; None where so many subscripts may select a row."""
        kind = self.types.get(name)
        if isinstance(kind, ArrayType):
            found = frozenset((Number(kind.dtype),))
            return found if kind.ndim == axes else None
        if name in self.nest.odd or axes < self.ranks.get(name, 0):
            return None
        return quiet.FLOAT if name in self.nest.allocations else quiet.NUMBER
