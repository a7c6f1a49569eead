"""How arrays lie in memory: what the entry of a nest asks before it runs the loops."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations

from looptx.emit.cython.text import Cython
from looptx.lower.scope import Scope
from looptx.lower.tree import Intrinsic
from looptx.lower.types import c_element
from looptx.model.dtypes import DTYPES
from looptx.model.naming import told
from looptx.model.types import ArrayType


class Layouts:
    """The C of what is asked of arrays.

    Args:
        scope: the nest.
        arrays: those it is given, and their types.
        cython: what writes the nest.
    """

    def __init__(
        self, scope: Scope, arrays: Mapping[str, ArrayType], cython: Cython
    ) -> None:
        self.scope = scope
        self.nest = scope.planned.nest
        self.arrays = arrays
        self.cython = cython

    def spans(self) -> list[str]:
        """The memory each array takes."""
        return [
            f"cdef {self.cython.calling('lx_box')} {self._box(name)} = "
            f"lx_span({self._layout(name)}, {_alignment(kind)})"
            for name, kind in self.arrays.items()
        ]

    def _box(self, name: str) -> str:
        return self.scope.names(f"{name} box")

    def reach(self, name: str) -> str:
        """The least and the greatest element of an integer array."""
        array, kind = self.scope.names(name), self.arrays[name]
        helper = self.cython.calling(Intrinsic("reach", kind.dtype))
        where = f"{array}.data, {array}.shape, {array}.strides"
        return f"{helper}({where}, {kind.ndim})"

    def count(self, name: str) -> str:
        """How many elements an array has."""
        array, axes = self.scope.names(name), range(self.arrays[name].ndim)
        return " * ".join(f"{array}.shape[{axis}]" for axis in axes) or "1"

    def _layout(self, name: str) -> str:
        array, kind = self.scope.names(name), self.arrays[name]
        return f"&{array}, {kind.ndim}, sizeof({c_element(kind.dtype)})"

    def tests(self) -> Iterator[tuple[str, str]]:
        """Unaligned arrays, overlapping arrays, a written array folded on itself."""
        written = self.nest.written
        for name, kind in self.arrays.items():
            yield f"not {self._box(name)}.plain", f"{name} is not aligned in memory"
            if name in written and kind.layout == "A":
                reason = f"{name} is written and overlaps itself in memory"
                yield f"lx_folded({self._layout(name)})", reason
        laid = (x for made in self.nest.host.made.values() for x in made.laid)
        for name in dict.fromkeys((*laid, *sorted(self.scope.checks.rows))):
            if name in self.arrays and self.arrays[name].layout != "C":
                test = f"not {self.cython.calling('lx_ordered')}"
                yield f"{test}({self._layout(name)})", f"{name} does not lie row by row"
        for name in sorted(self.scope.checks.straight & self.arrays.keys()):
            test = self.cython.calling("lx_backwards")
            yield f"{test}({self._layout(name)})", f"{name} lies backwards"
        for one, two in combinations(self.arrays, 2):
            if {one, two} & written and two not in self.nest.others(one):
                test = f"lx_meet({self._box(one)}, {self._box(two)})"
                yield test, f"{told(one)} and {told(two)} overlap in memory"


def _alignment(kind: ArrayType) -> str:
    return f"sizeof({c_element(DTYPES[kind.dtype].real.name)})"
