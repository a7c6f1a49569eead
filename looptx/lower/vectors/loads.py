"""Vectors that the statements of a loop read several times, loaded once.

What nothing in the loop writes stays in a register from its first use to its last. Of
vectors that overlap, as neighbours in a stencil do, only the foremost is loaded: the
others are its lanes behind those that the iteration before has loaded, which costs less
than to read across the border of two lines of the cache. (Reuse of vector registers:
Shin, Chame, Hall, PACT 2002; alignment by shuffles: Eichenberger, Wu, O'Brien, PLDI
2004.)
"""

from __future__ import annotations

from collections.abc import Iterator

from looptx.lower.scope import Scope
from looptx.lower.tree import (
    Assign,
    Expr,
    For,
    If,
    Stmt,
    infix,
    inside,
)
from looptx.lower.vectors.masks.masked import is_masked
from looptx.lower.vectors.places import (
    integer,
    moved,
    near_axes,
    partners,
    standing,
)
from looptx.lower.vectors.stores import kept, stores_last, vector_call
from looptx.model.dtypes import DTYPES
from looptx.model.expr import Var, linear
from looptx.model.records import dataclass, field, replace

LINE = 64
"""The bytes of a line of the cache: a vector as long lies in two but where it begins
with one."""

BEHIND = "behind_"
"""How functions begin that take so many lanes less of a vector, and the rest of the
next one."""


def loaded_once(scope: Scope, loop: For, declared: dict[str, str]) -> list[Stmt]:
    """A loop over vectors that loads what it uses again once.

    Args:
        scope: the nest.
        loop: it; its step is the lanes of its vectors, or several times that.
        declared: the variables of the function it is in: their types, by name.
    """
    lines = [node for node in loop.body if isinstance(node, Assign)]
    if len(lines) < len(loop.body) or is_masked(lines):
        return [loop]
    return _Loads(scope, loop, declared, lines).lines()


@dataclass(slots=True)
class _Loads:
    """The loads of a loop.

    Attributes:
        scope, loop, declared: as above.
        body: the statements of the loop.
        held: what stands for loads.
        ready: what gives the variables their values, by the load in front of which.
        before, after: what stands in front of the loop, and at the end of its body.
    """

    scope: Scope
    loop: For
    declared: dict[str, str]
    body: list[Assign]
    held: dict[Expr, Expr] = field(default_factory=dict)
    ready: dict[Expr, list[Assign]] = field(default_factory=dict)
    before: list[Stmt] = field(default_factory=list)
    after: list[Assign] = field(default_factory=list)

    def lines(self) -> list[Stmt]:
        """The loop, and what stands in front of it."""
        for front, others in self._foremost():
            self._follow(front, others)
        for load in self._repeated():
            self._hold(load)
        if not self.held:
            return [stores_last(self.scope, self.loop, self.declared)]
        found: list[Stmt] = []
        for line in self.body:
            for load in _loads(line):
                found += self.ready.pop(load, ())
            found.append(replace(line, value=standing(line.value, self.held)))
        loop = replace(self.loop, body=(*found, *self.after))
        loop = stores_last(self.scope, loop, self.declared)
        if not self.before:
            return [loop]
        # Where the loop does not run the cells need not even exist.
        runs = infix("<", loop.start, loop.stop)
        return [If(runs, (*self.before, loop))]

    def _free(self) -> list[list[Expr]]:
        """The loads of each statement that none of them changes."""
        written = {line.target.name for line in self.body}
        others = partners(self.scope)
        for name in [*written]:
            written |= others.get(name, set())
        return [
            [load for load in _loads(line) if load.name not in written]
            for line in self.body
        ]

    def _repeated(self) -> Iterator[Expr]:
        """Loads to keep: half of the registers have them, the rest the results."""
        last: dict[Expr, int] = {}
        count: dict[Expr, int] = {}
        for at, loads in enumerate(self._free()):
            for load in loads:
                last[load], count[load] = at, count.get(load, 0) + 1
        live: list[int] = []
        begun: set[Expr] = {*self.held}
        for at, loads in enumerate(self._free()):
            live = [end for end in live if end >= at]
            for load in loads:
                if load not in begun and count[load] > 1:
                    begun.add(load)
                    if len(live) < self.scope.registers // 2:
                        live.append(last[load])
                        yield load

    def _hold(self, load: Expr) -> Expr:
        """Keep a load from its first use on."""
        own = self._kept(load)
        self.held[load] = own
        self.ready.setdefault(load, []).append(Assign(own, vector_call("held", load)))
        return own

    def _kept(self, load: Expr) -> Expr:
        return kept(self.scope, load, self.declared)

    def _foremost(self) -> Iterator[tuple[Expr, dict[Expr, int]]]:
        """Loads, and how many lanes others lie behind each."""
        step, rows = self.loop.step, dict[object, dict[int, Expr]]()
        if step is None or integer(self.loop.start) is None:
            return
        for load in (load for loads in self._free() for load in loads):
            size = DTYPES[load.kind.dtype].size * load.lanes
            if size < LINE or step.number != load.lanes:
                continue
            if found := self._row(load):
                row, offset = found
                rows.setdefault(row, {})[offset] = load
        for row in rows.values():
            front = max(row)
            lanes = row[front].lanes
            near = {
                load: front - at for at, load in row.items() if 0 < front - at < lanes
            }
            if near:
                yield row[front], near

    def _row(self, load: Expr) -> tuple[object, int] | None:
        """What loads that overlap have in common, and where a load is in it."""
        axis = near_axes(self.scope)[load.name] % len(load.parts)
        at = integer(load.parts[axis])
        if at is None:
            return None
        terms, offset = linear(at)
        if terms.get(Var(self.loop.var)) != 1:
            return None
        far = tuple(part for k, part in enumerate(load.parts) if k != axis)
        return (load.name, far, frozenset(terms.items()), load.lanes), offset

    def _follow(self, front: Expr, others: dict[Expr, int]) -> None:
        """Take vectors from the foremost one, and from that of the iteration before.

        Args:
            front: it. others: how many lanes each lies behind it.
        """
        start = integer(self.loop.start)
        assert start is not None
        lanes, most = front.lanes, max(others.values())
        (hindmost,) = (load for load, gap in others.items() if gap == most)
        old, own = self._kept(front), self._hold(front)
        # The first of its lanes are those that an iteration before would have loaded.
        first = moved(hindmost, {self.loop.var: start}, {})
        self.before.append(Assign(old, first))
        self.before.append(Assign(old, vector_call(f"{BEHIND}{most}", old, old)))
        self.after.append(Assign(old, own))
        begin = self.ready.pop(front)
        for load, gap in others.items():
            self.held[load] = self._kept(load)
            found = vector_call(f"{BEHIND}{lanes - gap}", old, own)
            self.ready[load] = [Assign(self.held[load], found)]
        # Whichever comes first, the foremost is loaded in front of it.
        self._first((front, *others), begin)

    def _first(self, loads: tuple[Expr, ...], begin: list[Assign]) -> None:
        wanted = (load for line in self.body for load in _loads(line) if load in loads)
        load = next(wanted)
        self.ready[load] = begin + self.ready.get(load, [])


def _loads(line: Assign) -> list[Expr]:
    """The vectors that a statement loads."""
    return [one for one in inside(line.value) if one.op == "cell" and one.lanes > 1]
