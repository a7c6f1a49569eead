"""Lists and tuples that a nest is given: arrays of their numbers, and back.

What a nest stores is put into the lists behind it, also where it raises; where it gives
up they are as they were.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from looptx.emit.cython.arrays import NUMPY, UNTAKEN, scalar_type, type_number
from looptx.emit.cython.lists.costs import COSTS, COUNT, NOTE, NOW, SKIP
from looptx.emit.cython.lists.numbers import APART, BACK, COPY, TAGS, TAKE
from looptx.emit.cython.memory import reserved
from looptx.emit.cython.text import Cython
from looptx.lower.scope import TYPE, Scope
from looptx.lower.values.alternatives import code
from looptx.model.dtypes import DTYPES
from looptx.model.execution.leaving import FEW
from looptx.model.types import ArrayType, ScalarType

_COUNT, _BEGUN, _RUN, _RAN = (f"lx_list_{x}" for x in ("all", "begun", "run", "ran"))
"""The variables of the number of elements, and of the times of a call."""

SHARED = "a list that is written is in two places"
"""The reason to leave where what is stored would be seen by another name."""


_BITS = {"bool": 0, "int64": 1, "float64": 2}
"""What tells the numbers of Python apart."""


class Lists:
    """Writes what the entry of a nest does with the lists and tuples it is given.

    Args:
        scope: the nest. objects: the variables of the objects, by name.
        cython: what writes it.
    """

    def __init__(
        self, scope: Scope, objects: Mapping[str, str], cython: Cython
    ) -> None:
        self.scope, self.objects, self.cython = scope, objects, cython
        self.given = [name for name in objects if scope.holders(name)]
        written = scope.planned.nest.written
        self.written = [name for name in self.given if name in written]
        self.costs = ""

    def noted(self, entry: str) -> list[str]:
        """Lines in front of an entry: what is noted of its calls.

        Args:
            entry: its name.
        """
        self.costs = f"{entry}_costs"
        return [f"cdef {self.cython.calling(COSTS)} {self.costs}"] if self.given else []

    def taken(self) -> list[str]:
        """Lines that make the arrays; NotImplemented where there are other values."""
        if not self.given:
            return []
        sizes = (f"({self.objects[x]}, {self._kind(x).ndim})" for x in self.given)
        count = " + ".join(f"{self.cython.calling(COUNT)}{one}" for one in sizes)
        skips = f"{self.cython.calling(SKIP)}(&{self.costs}, {_COUNT})"
        lines = [
            f"cdef int64_t {_COUNT} = {count}, {_BEGUN}, {_RUN}, {_RAN}",
            *(f"if {skips}:", f"    return {FEW!r}"),
            self._now(_BEGUN),
        ]
        for name in self.given:
            kind = self.scope.array(name)
            tuples = sum(1 << k for k, x in enumerate(kind.holders) if x == "tuple")
            held = self.scope.names(f"{name} held")
            given = f"&{self.scope.names(name)}, {self.objects[name]}, {kind.ndim}"
            mask = sum(1 << _BITS[dtype] for dtype in kind.elements)
            types = f"{self._number(kind.dtype)}, {mask}"
            call = f"{self.cython.calling(TAKE)}({given}, {types}, {tuples})"
            untaken = self.cython.calling(UNTAKEN)
            lines += [f"{held} = {call}", f"if {held} is None:"]
            lines += [f"    return {untaken}()"]
        return lines

    def apart(self) -> list[str]:
        """Lines that leave where what is written may be seen by another name."""
        lists = [x for x in self.given if self._kind(x).holders[-1] == "list"]
        several = len(lists) > 1 or any(self._kind(x).ndim > 1 for x in self.written)
        if not self.written or not several:
            return []
        lists.sort(key=lambda name: name not in self.written)
        held = "".join(f"{self.objects[name]}, " for name in lists)
        axes = "".join(f"{self._kind(name).ndim}, " for name in lists)
        call = f"{self.cython.calling(APART)}(({held}), ({axes}), {len(self.written)})"
        return [f"if not {call}:", f"    return {SHARED!r}"]

    def tags(self) -> list[str]:
        """Lines that tell which types the numbers have where the nest begins."""
        lines = []
        for name in self.scope.told_lists:
            if name in self.given:
                kind = self._kind(name)
                tags = self.scope.names(f"{name}{TYPE}")
                codes = ", ".join(str(code(ScalarType(x, weak=True))) for x in _BITS)
                given = f"&{tags}, {self.objects[name]}, {kind.ndim}, {codes}"
                lines.append(f"{self.cython.calling(TAGS)}({given})")
        return lines

    def kept(self) -> list[str]:
        """Lines that keep what the arrays of written lists have before the loops."""
        arrays = {
            one: self._kind(name).ndim
            for name in self.written
            for one in self._arrays(name)
        }
        declared = [f"cdef object {self._before(one)}" for one in arrays]
        lines = [
            f"{self._before(one)} = "
            f"{self.cython.calling(COPY)}(&{self.scope.names(one)}, {ndim})"
            for one, ndim in arrays.items()
        ]
        return [*declared, *reserved(lines, "what lists held before")]

    def back(self) -> list[str]:
        """Lines that put into lists what the nest has stored."""
        lines = []
        for name in self.written:
            kind = self._kind(name)
            arrays = [
                f"&{self.scope.names(one)}, {self._before(one)}"
                for one in self._arrays(name)
            ]
            cells, tags = (*arrays, "NULL, None")[:2]
            members = sorted(self.scope.kinds[name].members, key=str)
            types = "".join(f"({self._member(one)}), " for one in members)
            given = f"{self.objects[name]}, {cells}, {tags}"
            cell = self._number(kind.dtype)
            call = f"({given}, {kind.ndim}, {cell}, ({types}))"
            lines.append(f"{self.cython.calling(BACK)}{call}")
        return lines

    def run(self, lines: Sequence[str]) -> list[str]:
        """Lines that run the loops, with the times of both ends.

        Args:
            lines: that run them.
        """
        if not self.given:
            return [*lines]
        return [self._now(_RUN), *lines, self._now(_RAN)]

    def ended(self) -> list[str]:
        """Lines that note what a call took."""
        if not self.given:
            return []
        times = f"&{self.costs}, {_COUNT}, {_BEGUN}, {_RUN}, {_RAN}"
        return [f"{self.cython.calling(NOTE)}({times})"]

    def _now(self, name: str) -> str:
        return f"{name} = {self.cython.calling(NOW)}({_COUNT})"

    def _arrays(self, name: str) -> list[str]:
        """The array of a list, and the one that tells the types, where there is one."""
        return [name, f"{name}{TYPE}"] if name in self.scope.told_lists else [name]

    def _before(self, array: str) -> str:
        """The variable of what an array had before the loops."""
        return self.scope.names(f"{array} before")

    def _kind(self, name: str) -> ArrayType:
        return self.scope.array(name)

    def _number(self, dtype: str) -> str:
        """What NumPy calls a type in C."""
        return self.cython.calling(type_number(DTYPES[dtype]))

    def _member(self, one: ScalarType) -> str:
        """What tells a type, the number of Python it is made of, and NumPy's type."""
        row, numpy = DTYPES[one.dtype], "None"
        if not one.weak:
            self.cython.calling(NUMPY)
            numpy = self.cython.calling(scalar_type(one.dtype))
        number = 0 if row.kind == "b" else 1 if row.is_integer else 2
        return f"{code(one)}, {number}, {numpy}"
