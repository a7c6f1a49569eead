"""Whether every read gets its value from where it may, without who wrote it last.

isl's dataflow finds the last write before each read, which takes it long where accesses
have many parts. Less is enough here: whatever else a cell was written by is overwritten
before the read, by a write that the read may get its value from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import islpy as isl

from looptx.model.program import Statement
from looptx.poly.dependences.order import Times
from looptx.poly.dependences.privatization import END, cells
from looptx.poly.spaces import Spaces

_OUT = isl.dim_type.out


class Sources:
    """The writes that may reach the reads of an array in some order.

    Args:
        spaces: of what runs.
        times: when it does.
        name: of the array or scalar.
        users: the statements that touch it.
        end: whether what is left of each cell is read at the ``END``.
        right: of some pairs of a write and a read those that may be.
    """

    def __init__(
        self,
        spaces: Spaces,
        times: Times,
        name: str,
        users: Sequence[Statement],
        *,
        end: bool,
        right: Callable[[isl.Map], isl.Map],
    ) -> None:
        self.times, self.right, self.end = times, right, end
        self.users = {user.name: user for user in users}
        self._pairs: dict[tuple[str, str], tuple[isl.Map, isl.Map]] = {}
        self.written: dict[str, isl.Map] = {}
        self.certain: dict[str, isl.Map] = {}
        self.read: dict[str, isl.Map] = {}
        for user, access, one in cells(spaces, name, users):
            kinds = [self.written] if access.write else [self.read]
            if access.write and access.certain:
                kinds.append(self.certain)
            for known in kinds:
                more = known.get(user.name)
                both = one if more is None else more | one
                # Few parts here are far fewer of pairs, which nothing could join.
                known[user.name] = both.coalesce()

    def wrong(self) -> Iterator[isl.Map]:
        """Pairs of a write and a read that may get its value, and must not.

        Only whether there are any is exact: others may have written since.
        """
        for read in (*self.read, *([END] if self.end else [])):
            for write in self.written:
                pairs, right = self._found(write, read)
                left = pairs - right
                for other in self.certain:
                    if left.is_empty():
                        break
                    left -= self._overwritten(write, other, read)
                if not left.is_empty():
                    yield left

    def _found(self, write: str, read: str) -> tuple[isl.Map, isl.Map]:
        """Writes before reads of one cell, and those of them that are right."""
        if (write, read) not in self._pairs:
            pairs = self._meet(self.written[write], read)
            if read != END:
                pairs &= self.times.before(self.users[write], self.users[read])
            self._pairs[write, read] = pairs, self.right(pairs).coalesce()
        return self._pairs[write, read]

    def _meet(self, writes: isl.Map, read: str) -> isl.Map:
        """Writes, and the reads of the same cells."""
        if read == END:
            return writes.set_tuple_name(_OUT, END)
        return writes.apply_range(self.read[read].reverse())

    def _overwritten(self, write: str, other: str, read: str) -> isl.Map:
        """Pairs of a write and a read between which a right one stands."""
        _, right = self._found(other, read)
        right &= self._meet(self.certain[other], read)
        before = self.times.before(self.users[write], self.users[other])
        return before.apply_range(right)
