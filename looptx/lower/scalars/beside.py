"""Sums of several iterations of an outer loop, side by side.

A sum of floats waits in every step for the one before, as its order is to stay. Where
an iteration of the loop around it needs nothing of the others to begin, four of them
sum up together, each in its own order; what is done with the sums is done one behind
the other. Lanes ask that nothing else goes on in such iterations, and that their rows
are as long. (Unroll and jam: Callahan, Cocke, Kennedy, JPDC 5, 1988.)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from looptx.lower import tree
from looptx.lower.kinds import INT, of
from looptx.lower.scalars.groups import SIZE
from looptx.lower.scalars.renamed import renamed, renamed_value
from looptx.lower.scalars.rows import Row, counted, in_variable, row_of
from looptx.lower.scope import Scope
from looptx.lower.tree import (
    KEPT,
    Assign,
    Block,
    Expr,
    For,
    Function,
    If,
    Run,
    Stmt,
    infix,
    intrinsic,
    number,
    parts,
    used,
)
from looptx.lower.types import c_element
from looptx.lower.vectors.places import partners
from looptx.model.expr import (
    Max,
    Min,
    Var,
)
from looptx.model.records import dataclass, replace


def with_rows_beside(scope: Scope, one: Function) -> Function:
    """A function whose loops sum up for several iterations at once.

    Args:
        scope: the nest. one: the function; of a team others write what it reads.
    """
    if one.team or any(part.lanes > 1 for part in parts(one.body)):
        return one
    declared = {**one.variables}
    given = {n: c for n, c in one.arguments.items() if isinstance(c, str)}
    others = partners(scope)
    uses = counted(one.body)

    def beside(loop: For) -> list[Stmt]:
        row = row_of(loop)
        if row is None or not _may_be_beside(row, one.body, uses, others):
            return []
        return _Beside(scope, row, declared, given | declared).lines()

    def kept(loop: For) -> list[Stmt]:
        """The same for a sum in a cell, which is there if the sum has a part."""
        name = scope.names.fresh(f"{loop.var}_sum")
        found = in_variable(loop, name)
        if found is None:
            return []
        some, held, alone = found
        before = {**declared}
        if held.name == name:
            declared[name] = c_element(held.kind.dtype)
        lines = beside(alone)
        if lines:
            return [If(some, (*lines,), (loop,))]
        declared.clear()
        declared.update(before)
        return []

    def change(block: Block) -> Block:
        found: list[Stmt] = []
        for node in block:
            if isinstance(node, If):
                node = If(node.cond, change(node.body), change(node.orelse))
            elif isinstance(node, For):
                lines = beside(node) or kept(node)
                if not lines:
                    lines = [replace(node, body=change(node.body))]
                found += lines
                continue
            elif isinstance(node, tree.While):
                node = replace(node, body=change(node.body))
            found.append(node)
        return (*found,)

    return replace(one, body=change(one.body), variables=declared)


def _may_be_beside(
    row: Row, body: Block, uses: Mapping[str, int], others: Mapping[str, set[str]]
) -> bool:
    """Whether several iterations of a loop may sum up at once.

    Args:
        row: an iteration. body: of the function.
        uses: how often that has each variable.
        others: the arrays that may share memory with each.
    """
    if not row.sums_up() or not row.is_alone(body, uses):
        return False
    return row.may_wait() and row.is_free(others)


@dataclass(frozen=True, slots=True)
class _Beside:
    """A loop that sums up for several of its iterations at once.

    Attributes:
        scope: the nest. row: an iteration.
        declared: is given the variables of the loop. types: of those there are, in C.
    """

    scope: Scope
    row: Row
    declared: dict[str, str]
    types: Mapping[str, str]

    def lines(self) -> list[Stmt]:
        """The loop, for as many iterations as are whole groups, and for the rest."""
        row, var = self.row, tree.variable(self.row.loop.var)
        at, end, stop = (self._fresh(f"{var.name}_{x}") for x in ("at", "end", "stop"))
        rows = [self._names(k) for k in range(SIZE)]
        body: list[Stmt] = []
        for k, names in enumerate(rows):
            place = infix("+", at, number(k)) if k else at
            body.append(Assign(tree.variable(names[var.name]), place))
            body += renamed(row.before, names)
        late: list[list[Stmt]] = [[] for _ in rows]
        for one in row.inner:
            body += (line for lines in late for line in lines)
            late = []
            body += self._summed(one, rows, late)
        for lines, names in zip(late, rows, strict=True):
            body += [*lines, *renamed(row.behind, names)]
        left = {var.name: var, **{x.target.name: x.target for x in row.before}}
        body += (Assign(x, renamed_value(x, rows[-1])) for x in left.values())
        begin = self._fresh(f"{var.name}_begin")
        return [
            Assign(begin, row.loop.start),
            Assign(stop, row.loop.stop),
            Assign(end, intrinsic("whole", of(INT), begin, stop, number(SIZE))),
            For(at.name, begin, end, (*body,), number(SIZE)),
            replace(row.loop, start=end, stop=stop),
        ]

    def _summed(
        self, inner: For, rows: list[dict[str, str]], late: list[list[Stmt]]
    ) -> Iterator[Stmt]:
        """A sum, of all rows where all go on.

        Args:
            inner: it.
            rows: how each row calls what is its own.
            late: is given what each row sums up when others have ended.
        """
        own = self.row.begun | {self.row.loop.var}
        places: list[list[Expr]] = []
        for word, end in (("start", inner.start), ("stop", inner.stop)):
            differ = rows if own & used((Run(end),)) else rows[:1]
            values = (renamed_value(end, names) for names in differ)
            places.append([self._fresh(f"{inner.var}_{word}") for _ in differ])
            yield from map(Assign, places[-1], values)
        bodies = [(*renamed(inner.body, names),) for names in rows]
        together = tuple(line for body in bodies for line in body)
        late += ([] for _ in rows)
        if len(places[0]) == len(places[1]) == 1:
            yield For(inner.var, places[0][0], places[1][0], together)
            return
        first, last = (
            self._fresh(f"{inner.var}_first"),
            self._fresh(f"{inner.var}_last"),
        )
        starts, stops = ([Var(x.name) for x in found] for found in places)
        least = Min((*stops,)) if len(stops) > 1 else stops[0]
        most = Max((*starts,)) if len(starts) > 1 else starts[0]
        yield Assign(first, tree.index(most))
        yield Assign(last, tree.index(Max((least, Var(first.name)))))
        for k, body in enumerate(bodies):
            # What few are left to do is not worth to be written out for these.
            alone, stop = (KEPT, *body), stops[k % len(stops)]
            if len(starts) > 1:
                to = tree.index(Min((Var(first.name), stop)))
                yield For(inner.var, places[0][k], to, alone)
            late[k] = [For(inner.var, last, tree.index(stop), alone)]
        yield For(inner.var, first, last, together)

    def _names(self, row: int) -> dict[str, str]:
        """How a row calls what is its own."""
        loop = self.row.loop.var
        found = {loop: self._fresh(f"{loop}_{row}").name}
        for name in sorted(self.row.own):
            found[name] = self.scope.names.fresh(f"{name}_{row}")
            self.declared[found[name]] = self.types[name]
        return found

    def _fresh(self, stem: str) -> Expr:
        name = self.scope.names.fresh(stem)
        self.declared[name] = "Py_ssize_t"
        return tree.variable(name)
