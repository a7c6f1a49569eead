"""Iterations of a loop that are sums, and what is done with these."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping

from looptx.lower import tree
from looptx.lower.scalars.groups import is_light
from looptx.lower.tree import (
    KEPT,
    Assign,
    Block,
    Expr,
    For,
    If,
    Run,
    Stmt,
    While,
    assignments,
    dangers,
    expressions,
    infix,
    loops,
    parts,
    statements,
    used,
)
from looptx.lower.vectors.masks.masked import CELLS
from looptx.lower.vectors.places import integer
from looptx.model.dtypes import DTYPES
from looptx.model.expr import (
    Const,
    Var,
    sub,
)
from looptx.model.records import dataclass, replace

_MOST = 48
"""The most parts of an iteration in front of what its sum is for: four stand in a loop,
and registers are few."""

_BEHIND = 80
"""The most parts of the rest of it, which stands there four times."""


def counted(block: Block) -> dict[str, int]:
    """In how many expressions statements have each variable, or array."""
    found: dict[str, int] = {}
    for node in statements(block):
        match node:
            case Assign(target, value):
                names = [*_names(target), *_names(value)]
            case If(cond) | While(cond):
                names = [*_names(cond)]
            case For(var, start, stop, step=step):
                ends = (start, stop) if step is None else (start, stop, step)
                names = [var, *(x for end in ends for x in _names(end))]
            case _:
                names = [x for expr in expressions((node,)) for x in _names(expr)]
        for name in names:
            found[name] = found.get(name, 0) + 1
    return found


def _names(expr: Expr) -> Iterator[str]:
    return iter(used((Run(expr),)))


@dataclass(frozen=True, slots=True)
class Row:
    """An iteration of an outer loop.

    Attributes:
        loop: the outer loop.
        before: the assignments in front of sums. inner: the loops that sum up.
        behind: what is done with the sums.
    """

    loop: For
    before: tuple[Assign, ...]
    inner: tuple[For, ...]
    behind: Block

    @property
    def begun(self) -> frozenset[str]:
        """The variables that have values in front of the sums."""
        return frozenset(line.target.name for line in self.before)

    @property
    def own(self) -> frozenset[str]:
        """The variables that each iteration gives values first."""
        lines = assignments(self.inner)
        return self.begun | {line.target.name for line in lines}

    def sums_up(self) -> bool:
        """Whether it adds up floats, and does nothing else until that is done."""
        first = [*parts((*self.before, *self.inner))]
        if len(first) > _MOST or not all(map(is_light, first)):
            return False
        return any(
            line.target.name in self.begun
            and DTYPES[line.target.kind.dtype].is_inexact
            and (line.op or line.target.name in used((Run(line.value),)))
            for line in assignments(self.inner)
        )

    def is_alone(self, body: Block, uses: Mapping[str, int]) -> bool:
        """Whether what it calls its own comes of it alone, and nothing is raised.

        Args:
            body: of the function. uses: how often that has each variable.
        """
        loop = self.loop
        if dangers(expressions((loop,))):
            return False
        counters = {one.var for one in self.inner}
        inner = self.own - self.begun
        here = counted((loop,))
        if inner & used(self.behind) or any(uses[x] != here[x] for x in inner):
            return False
        every = counters | {x.var for x in loops(self.behind)}
        if loop.var in self.own | every or every & self.own:
            return False
        if any(_is_seen(x, body) for x in counters):
            return False
        ends = used([Run(x) for one in self.inner for x in (one.start, one.stop)])
        if ends & inner or not self._is_set_first(self.before, set()):
            return False
        return all(self._is_set_first(x.body, {*self.begun}) for x in self.inner)

    def _is_set_first(self, lines: Block, known: set[str]) -> bool:
        """Whether what statements read of the row's own it has a value.

        Args:
            lines: the statements. known: what has values in front of them.
        """
        for line in lines:
            assert isinstance(line, Assign)
            read = used((Run(line.value),))
            read |= {line.target.name} if line.op else set()
            if not read & self.own <= known:
                return False
            known.add(line.target.name)
        return True

    def may_wait(self) -> bool:
        """Whether what is done with its sums is plain, and little."""
        rest = [*statements(self.behind)]
        plain = all(isinstance(x, Assign | If | For) or x == KEPT for x in rest)
        found = [*parts(self.behind)]
        calls = (x for x in found if x.op == "call")
        return plain and len(found) <= _BEHIND and all(x.intrinsic for x in calls)

    def is_free(self, others: Mapping[str, set[str]]) -> bool:
        """Whether an iteration may begin, and sum up, before the last ones end.

        Args:
            others: the arrays that may share memory with each.
        """
        read = used((*self.before, *self.inner)) - self.own
        read -= {one.var for one in self.inner}
        written = {x.target.name for x in assignments(self.behind)} - self.own
        every = {x.var for x in loops(self.behind)}
        if (every | {self.loop.var}) & written or every & read:
            return False
        shared = {x for one in written for x in others.get(one, set()) - {one}}
        return not shared & read and all(map(self._is_apart, written & read))

    def _is_apart(self, array: str) -> bool:
        """Whether cells that are written lie behind all that are read meanwhile."""
        targets = (x.target for x in assignments(self.behind))
        written = [x for x in targets if x.name == array]
        first = [x for x in parts(self.before) if x.name == array]
        ends = [x for one in self.inner for x in (one.start, one.stop)]
        lines = [line for one in self.inner for line in one.body]
        summed = [x for x in parts(lines) if x.name == array]
        if not all(x.op == "cell" for x in (*written, *first, *summed)):
            return False
        if array in used([*map(Run, ends)]):
            return False
        return any(
            self._is_behind(*([x.parts[axis] for x in found] for found in cells))
            for cells in [(written, first, summed)]
            for axis in range(len(written[0].parts))
        )

    def _is_behind(
        self, written: list[Expr], first: list[Expr], summed: list[Expr]
    ) -> bool:
        """Whether no place on an axis is read that a row before has yet to write.

        Args:
            written: the places that are. first: those that are read in front of sums.
            summed: those that are read meanwhile.
        """
        var, inner = self.loop.var, self.inner[-1]
        own = _distances(written, var), _distances(first, var)
        if own[0] is None or own[1] is None:
            return False
        if own[1] and min(own[1]) < max(own[0]):
            return False
        if not summed:
            return True
        stop, far = _distances([inner.stop], var), _distances(summed, inner.var)
        if stop is None or far is None or len(self.inner) > 1:
            return False
        return integer(inner.start) == Const(0) and max(far) + stop[0] - 1 < min(own[0])


def _is_seen(var: str, block: Block) -> bool:
    """Whether statements have a variable outside of the loops that count with it."""
    for node in block:
        match node:
            case For(own, start, stop, body, step, orelse):
                ends = [Run(x) for x in (start, stop, step) if x is not None]
                within = () if own == var else body
                if var in used(ends) or _is_seen(var, (*within, *orelse)):
                    return True
            case If(cond, body, orelse) | While(cond, body, orelse):
                if var in used([Run(cond)]) or _is_seen(var, (*body, *orelse)):
                    return True
            case _ if var in used([node]):
                return True
    return False


def _distances(places: list[Expr], var: str) -> list[int] | None:
    """How far places are behind a variable; None where one is not always as far."""
    found = [integer(place) for place in places]
    far = [sub(one, Var(var)) for one in found if one is not None]
    known = [one.value for one in far if isinstance(one, Const)]
    return known if len(known) == len(places) else None


def row_of(loop: For) -> Row | None:
    """What an iteration of a loop is, if there are loops in it, and all is counted."""
    if loop.step is not None or loop.orelse:
        return None
    at = next((k for k, x in enumerate(loop.body) if isinstance(x, For)), -1)
    before = [x for x in loop.body[: max(at, 0)] if _is_set(x)]
    if len(before) < at or at < 0:
        return None
    inner = [*itertools.takewhile(_only_sets, loop.body[at:])]
    first = (x for x in before if isinstance(x, Assign))
    sums = (x for x in inner if isinstance(x, For))
    return Row(loop, (*first,), (*sums,), loop.body[at + len(inner) :])


def _is_set(node: Stmt) -> bool:
    return isinstance(node, Assign) and node.target.op == "name"


def _only_sets(node: Stmt) -> bool:
    """Whether a statement is a loop that gives variables values."""
    match node:
        case For(step=None, orelse=()):
            return all(map(_is_set, node.body))
    return False


def in_variable(loop: For, name: str) -> tuple[Expr, Expr, For] | None:
    """A loop whose iterations begin with a sum in a cell, which stands in a variable.

    Args:
        loop: it. name: a new one for the variable.

    Returns:
        What says that the sum has parts, as only then the cell need be there; the
        variable; and the loop. None where the sum is not alike in all iterations.
    """
    match loop.body[:1]:
        case (For(body=(Assign(Expr("cell") as cell, value, op) as line,)) as inner,):
            held = tree.variable(name, cell.kind)
            if not op or cell.name in used((Run(value),)):
                return None
            inner = replace(inner, body=(replace(line, target=held),))
        case (
            If(
                cond,
                (Assign(held, Expr("cell") as cell, ""), For() as inner, end),
                (),
            ),
        ) if end == Assign(cell, held):
            # It may also be a condition of the source.
            if cond != infix("<", inner.start, inner.stop):
                return None
        case _:
            return None
    changed = {x.target.name for x in assignments(loop.body)} | {loop.var}
    ends = [Run(inner.start), Run(inner.stop)]
    if used(ends) & changed or any(x.op in CELLS for x in parts(ends)):
        return None
    if inner.var in used([*map(Run, cell.parts)]):
        return None
    body = Assign(held, cell), inner, Assign(cell, held), *loop.body[1:]
    return infix("<", inner.start, inner.stop), held, replace(loop, body=body)
