"""The cells that a part of a nest's loops reads before it writes them, and writes.

The part is taken as it is printed: its loops are the iterations, in their order, and
whatever it does not bind (the variables of loops around it, sizes) are parameters. So
moved statements, copies and splits need no thought of their own. Which reads see what
was there before follows from the last write in front of each, cell by cell (Feautrier,
"Dataflow analysis of array and scalar references", IJPP 1991).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import islpy as isl

from looptx.errors import Unproven
from looptx.looptree.nodes import Block, Call, For, If, Let
from looptx.looptree.walk import nodes
from looptx.model.elements import Access
from looptx.model.expr import (
    TRUE,
    ZERO,
    Compare,
    Cond,
    Const,
    IntExpr,
    Var,
    conj,
    mod,
    neg,
    rewrite,
    rewrite_cond,
    sub,
    variables,
)
from looptx.model.program import Nest
from looptx.model.records import dataclass
from looptx.model.shapes import extent, is_extent
from looptx.poly.affine import Affine
from looptx.poly.budget import named_space
from looptx.poly.scanning import scanned

_IN, _OUT = isl.dim_type.in_, isl.dim_type.out


@dataclass(frozen=True, slots=True)
class Footprint:
    """Cells of one array, as loops over their coordinates ``a0``, ``a1`` ...

    Attributes:
        read: those whose values from before are needed: read before they are written,
            or perhaps not written.
        written: those that may be written.
    """

    read: Block
    written: Block


@dataclass(frozen=True, slots=True)
class _Instance:
    """A call among the loops: when it runs, in which order, and what it touches.

    Attributes:
        call: it. loops: the variables around it. domain: their values.
        time: what its runs are ordered by.
    """

    call: Call
    loops: tuple[str, ...]
    where: Cond
    time: tuple[IntExpr, ...]


class _Part(Affine):
    """The spaces of a part of a nest: all that it does not bind is a parameter."""

    def __init__(self, parameters: Iterable[str]) -> None:
        self.parameters = tuple(parameters)

    def start(self, loop: str) -> isl.PwAff:
        """No loop tree has the start of a loop."""
        raise Unproven("LX203", f"unknown: the first value of {loop} is not known")

    def line(self) -> isl.Space:
        """``[params] -> { [at] }``."""
        return named_space(self._names(), ["at"])


@dataclass(frozen=True, slots=True)
class Known:
    """What is known where a part of a nest's loops runs.

    Attributes:
        around: conditions of what it does not bind.
        wraps: the arrays with subscripts that may count from the end.
        extents: of the axes of temporaries.
    """

    around: tuple[Cond, ...]
    wraps: frozenset[str]
    extents: Mapping[str, tuple[IntExpr, ...]]

    def extent(self, array: str, axis: int) -> IntExpr:
        """The length of an array along an axis."""
        if array in self.extents:
            return self.extents[array][axis]
        return Var(extent(array, axis))


def footprints(nest: Nest, block: Block, known: Known) -> Mapping[str, Footprint]:
    """What a part of the loops of a nest touches, by array; a scalar has one cell.

    Call it inside ``budget()``.

    Args:
        nest: with the statements that the loops call.
        block: the part.
        known: what is known where it runs.

    Raises:
        Unproven: LX203 for what is not affine, LX204 where isl gives up.
    """
    found = list(_instances(block, (), TRUE, ()))
    return _Cells(nest, found, known).footprints()


def _instances(
    block: Block, loops: tuple[str, ...], where: Cond, time: tuple[IntExpr, ...]
) -> Iterator[_Instance]:
    """The calls of a block.

    Args:
        block: the block. loops: the variables around it. where: their values.
        time: when it runs.
    """
    for place, node in enumerate(block):
        now = (*time, Const(place))
        match node:
            case For(var, start, stop, step):
                own, up = Var(var), step > 0
                first = Compare(">=" if up else "<=", own, start)
                inside = conj(first, Compare("<" if up else ">", own, stop))
                if abs(step) > 1:
                    apart = mod(sub(own, start), abs(step))
                    inside = conj(inside, Compare("==", apart, ZERO))
                later = own if up else neg(own)
                yield from _instances(
                    node.body, (*loops, var), conj(where, inside), (*now, later)
                )
            case If(cond, body):
                yield from _instances(body, loops, conj(where, cond), now)
            case Let(var, value):
                # What follows sees it, up to the end of the block.
                loops, where = (
                    (*loops, var),
                    conj(where, Compare("==", Var(var), value)),
                )
            case Call():
                yield _Instance(node, loops, where, now)


class _Cells:
    """The accesses of some instances as relations.

    Args:
        nest, known: as for ``footprints``. found: the instances.
    """

    def __init__(self, nest: Nest, found: Sequence[_Instance], known: Known) -> None:
        self.nest = nest
        self.found = found
        self.known = known
        self.ranks: dict[str, int] = {}
        for one in found:
            for access in nest.statements[one.call.statement].accesses:
                rank = max(self.ranks.get(access.array, 0), len(access.subscripts))
                self.ranks[access.array] = rank
        names: dict[str, None] = {}
        for one in found:
            names.update(dict.fromkeys(sorted(self._read(one) - {*one.loops})))
        for array, rank in self.ranks.items():
            sizes = (known.extent(array, axis) for axis in range(rank))
            for size in sizes:
                names.update(dict.fromkeys(sorted(variables(size))))
        for cond in known.around:
            names.update(dict.fromkeys(sorted(variables(cond))))
        self.part = _Part(names)
        space = self.part.space("C", 0)
        positive = (Compare(">=", Var(x), ZERO) for x in names if is_extent(x))
        context = conj(*known.around, *positive)
        self.context = self.part.cond(context, space, ()).params()

    def _read(self, one: _Instance) -> frozenset[str]:
        """All names that say when an instance runs, and what it touches."""
        names = set(variables(one.where))
        for access in self.nest.statements[one.call.statement].accesses:
            for subscript in access.subscripts:
                if subscript is not None:
                    names |= variables(self._seen(subscript, one))
            names |= variables(self._when(access, one))
        return frozenset(names)

    def _seen(self, expr: IntExpr, one: _Instance) -> IntExpr:
        """An expression over the loops of the source, where it is called."""
        return rewrite(expr, {Var(x): value for x, value in one.call.index.items()})

    def _when(self, access: Access, one: _Instance) -> Cond:
        """When an access may happen, as far as that can be told."""
        index = one.call.index
        unknown = variables(access.where) - index.keys() - {*self.nest.parameters}
        if unknown:
            return TRUE
        return rewrite_cond(access.where, {Var(x): y for x, y in index.items()})

    def footprints(self) -> Mapping[str, Footprint]:
        """The cells of each array."""
        empty = isl.UnionMap.empty(self.part.params_space())
        reads, must, times = empty, empty, empty
        written: dict[tuple[str, Access], isl.Set] = {}
        sinks: dict[str, tuple[str, Access]] = {}
        for number, one in enumerate(self.found):
            statement = self.nest.statements[one.call.statement]
            for at, access in enumerate(statement.accesses):
                name = f"s{number}.{at}"
                cells, now = self._relation(name, one, access), self._time(name, one)
                times = times.union(isl.UnionMap.from_map(now))
                key = statement.name, access
                if not access.write:
                    sinks[name] = key
                    reads = reads.union(isl.UnionMap.from_map(cells))
                    continue
                known = written.get(key)
                own = cells.range()
                written[key] = own if known is None else known | own
                if self._certain(access):
                    must = must.union(isl.UnionMap.from_map(cells))
        info = isl.UnionAccessInfo.from_sink(reads).set_must_source(must)
        flow = info.set_schedule_map(times).compute_flow()
        before: dict[tuple[str, Access], isl.Set] = {}
        found = {
            str(one.get_tuple_name(_IN)): one.range()
            for one in _maps(flow.get_may_no_source())
        }
        for name, key in sinks.items():
            if name in found:
                known = before.get(key)
                before[key] = found[name] if known is None else known | found[name]
        sure = must.range()
        for key, own in written.items():
            left = isl.UnionSet.from_set(own).subtract(sure)
            if not left.is_empty():
                before[key] = left.extract_set(own.get_space())
        return {
            array: Footprint(
                self._scanned(array, before), self._scanned(array, written)
            )
            for array in self.ranks
        }

    def _time(self, name: str, one: _Instance) -> isl.Map:
        """When an access of an instance happens.

        Args:
            name: of the access. one: the instance.
        """
        depth = max(len(each.time) for each in self.found)
        time = (*one.time, *[ZERO] * (depth - len(one.time)))
        now = self.part.map(name, one.loops, time, "T")
        space = self.part.space(name, len(one.loops))
        return now.intersect_domain(self._domain(one, space))

    def _domain(self, one: _Instance, space: isl.Space) -> isl.Set:
        """The runs of an instance, in a space."""
        domain = self.part.cond(one.where, space, one.loops)
        return domain.intersect_params(self.context)

    def _certain(self, access: Access) -> bool:
        """Whether an access happens at all instances, to all cells that are known."""
        unknown = variables(access.where) - self.nest.loops.keys()
        known = None not in access.subscripts and unknown <= {*self.nest.parameters}
        return access.certain and known

    def _relation(self, name: str, one: _Instance, access: Access) -> isl.Map:
        """From the runs of an instance to the cells of an access.

        Args:
            name: of the runs. one: the instance. access: one of its statement's.
        """
        space = self.part.space(name, len(one.loops))
        where = self.part.cond(self._when(access, one), space, one.loops)
        cells = isl.Map.from_domain(self._domain(one, space) & where)
        for axis in range(self.ranks[access.array]):
            given = access.subscripts[axis] if axis < len(access.subscripts) else None
            if given is None:
                runs = isl.Set.universe(space)
                inside = self._inside(access.array, axis)
                place = isl.Map.from_domain_and_range(runs, inside)
            else:
                value = self.part.expr(self._seen(given, one), space, one.loops)
                place = isl.Map.from_pw_aff(value)
                if access.array in self.known.wraps:
                    place = place.apply_range(self._from_end(access.array, axis))
            cells = cells.flat_range_product(place)
        return cells.set_tuple_name(_OUT, access.array)

    def _inside(self, array: str, axis: int) -> isl.Set:
        """All coordinates of an axis."""
        at, size = Var("at"), self.known.extent(array, axis)
        inside = conj(Compare(">=", at, ZERO), Compare("<", at, size))
        return self.part.cond(inside, self.part.line(), ("at",))

    def _from_end(self, array: str, axis: int) -> isl.Map:
        """From a subscript to the coordinate: what is negative counts from the end."""
        line, inside = self.part.line(), self._inside(array, axis)
        own = self.part.expr(Var("at"), line, ("at",))
        size = self.part.expr(self.known.extent(array, axis), line, ("at",))
        below = own.lt_set(own.sub(own))
        kept = isl.Map.from_pw_aff(own).intersect_domain(inside)
        moved = isl.Map.from_pw_aff(own.add(size)).intersect_range(inside)
        return kept | moved.intersect_domain(below)

    def _scanned(
        self, array: str, found: Mapping[tuple[str, Access], isl.Set]
    ) -> Block:
        """The cells of an array that some accesses touch, as loops.

        Those of each access are a part of their own: together they may be a cross, of
        which isl makes rows, and each alone is a box.
        """
        parts: list[isl.Set] = []
        for (_, access), cells in found.items():
            if access.array == array:
                own = cells.coalesce()
                if not any(own.is_subset(known) for known in parts):
                    parts = [known for known in parts if not known.is_subset(own)]
                    parts.append(own)
        return tuple(
            node for one in parts for node in scanned(self.part, one, self.context)
        )


def _maps(pairs: isl.UnionMap) -> list[isl.Map]:
    """The relations of a union."""
    found: list[isl.Map] = []
    pairs.foreach_map(found.append)
    return found


def around_of(loops: Sequence[For | If]) -> Iterator[Cond]:
    """What holds inside some loops and conditions of the variables that they bind.

    Args:
        loops: from the outermost on.
    """
    for node in loops:
        match node:
            case If(cond):
                yield cond
            case For(var, start, stop, step):
                low, high = (start, stop) if step > 0 else (stop, start)
                own = Var(var)
                yield Compare(">=" if step > 0 else ">", own, low)
                yield Compare("<" if step > 0 else "<=", own, high)


def touched(nest: Nest, block: Block) -> frozenset[str]:
    """The arrays and scalars that the statements of a block read or write."""
    calls = (node for node in nodes(block) if isinstance(node, Call))
    found = (nest.statements[call.statement].accesses for call in calls)
    return frozenset(access.array for accesses in found for access in accesses)
