"""A schedule as loops: isl's AST generation (Grosser, Verdoolaege, Cohen, TOPLAS 2015).

The schedule tree is handed to isl with the values its loops show. At every band the
positions are cut as ``regions`` says, so that full tiles and the rectangles of skewed
loops get loops of their own. That never changes what is executed, only how it is
written. Loops that do not run what they should (``written``) are written more plainly.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from functools import reduce
from typing import Any

import islpy as isl

from looptx.looptree.nodes import Block, Call, For, If
from looptx.looptree.passes.bounds import sizes
from looptx.looptree.passes.merge import Apart, merge
from looptx.model.schedule import (
    Band,
    Dim,
    Leaf,
    Schedule,
    Sequence,
    Tree,
    statements,
)
from looptx.model.tree import in_sequence, whole_loops
from looptx.poly.budget import first_within_budget, is_wide
from looptx.poly.codegen.astloops import Loops
from looptx.poly.codegen.coordinates import Coordinates
from looptx.poly.codegen.ends import Ends
from looptx.poly.codegen.regions import Domains, Part, Regions, outer_cases
from looptx.poly.codegen.sizes import alone
from looptx.poly.codegen.verify_ast import Incomplete
from looptx.poly.collapse.delinearize import Delinearization
from looptx.poly.collapse.products import Products
from looptx.poly.spaces import Spaces

_KIND: Any = isl.ast_loop_type
_NODE: Any = isl.schedule_node_type

MOST_COPIES = 12
"""How often a statement may be written to keep guards out of inner loops."""


class Generator:
    """Generates the loops of one schedule."""

    def __init__(
        self,
        products: Products,
        whole: frozenset[str],
        *,
        cut: bool = False,
        values: bool = True,
    ) -> None:
        """Prepare; the rows and columns of ``whole`` collapsed loops are two loops.

        Args:
            products: the collapsed loops.
            whole: which of them.
            cut: whether regions and statements get loops of their own.
            values: whether loops show values of source loops, or count from 0.
        """
        self.spaces = products.spaces
        self.cut = cut
        self.ends = Ends(self.spaces, products.free)
        self.unfolding = Delinearization(products, whole, self.ends.known)
        self.order = in_sequence(products.schedule, self.unfolding.tree)
        self.coordinates = Coordinates(
            self.spaces, products.schedule, self.unfolding.tree, values=values
        )
        self.regions = Regions(self.coordinates, self.ends)
        # What is printed for a collapsed loop, and for one in steps that others shift,
        # follows from what isl was told to count.
        self.exact = bool(products.schedule.collapsed or self.coordinates.very) or any(
            self.coordinates.phases(dim, name)
            for name, dims in self.coordinates.dims.items()
            for dim in dims
        )
        moves = products.schedule.moves
        self.moved = frozenset(new for move in moves for new in move.moved.values())
        self.most = MOST_COPIES * len(self.coordinates.dims)
        self.calls = len(self.coordinates.dims)
        self.apart = 0

    def generate(self) -> Block:
        """The loops."""
        return self._read(self._tree())

    def wide(self) -> bool:
        """Whether isl takes long for each operation with the instances."""
        return any(map(is_wide, self._all().values()))

    def few(self) -> Block | None:
        """The loops, if they hold few copies of the statements; guarded if need be.

        A band that is separated writes a statement once more, more or less: where that
        is too much, isl is not asked for loops without guards.
        """
        tree, block = self._tree(), None
        if self.calls + self.apart <= self.most:
            block = self._few(tree)
        if block is None and self.apart:
            block = self._few(tree.map_schedule_node_bottom_up(_together))
        return block

    def _few(self, tree: isl.Schedule) -> Block | None:
        """The loops, unless they hold too many copies of the statements."""
        with suppress(Incomplete):
            block = self._read(tree)
            return block if _calls(block) <= self.most else None
        return None

    def _read(self, tree: isl.Schedule) -> Block:
        return Loops(self.coordinates, self.unfolding).read(tree)

    def _tree(self) -> isl.Schedule:
        """The schedule tree with its options, as isl reads it."""
        alive = self._all()
        domain = _union(alive)
        node = isl.Schedule.from_domain(domain).get_root().child(0)
        root: isl.ScheduleNode = self._insert(node, self.order, 0, alive, self.cut)
        return root.get_schedule()

    def _insert(
        self, node: Any, tree: Tree, depth: int, alive: Domains, whole: bool
    ) -> Any:
        """Insert ``tree`` at a leaf of isl's tree; the same position is returned.

        Args:
            node: the leaf.
            tree: what to insert.
            depth: how many bands stand around it.
            alive: the positions that arrive there.
            whole: whether they lie in the regions of all bands around it.
        """
        match tree:
            case Leaf():
                return _anchored(node) if self.exact else node
            case Band():
                cases = self._cases(alive, depth)
                if len(cases) > 1:
                    node = node.insert_sequence(_filters(cases))
                    for at, case in enumerate(cases):
                        inner = node.child(at).child(0)
                        inner = self._insert(inner, tree, depth, case, whole)
                        node = inner.parent().parent()
                    return node
                parts = [Part(alive, whole)]
                if whole and not tree.dim.marks.worker:
                    parts = self._parts(alive, depth)
                if len(parts) == 1:
                    (part,) = parts
                    return self._band(node, tree, depth, part)
                filters = _filters(part.positions for part in parts)
                node = node.insert_sequence(filters)
                for at, part in enumerate(parts):
                    child = self._band(node.child(at).child(0), tree, depth, part)
                    node = child.parent().parent()
                return node
            case Sequence(children):
                split = [
                    {name: alive[name] for name in statements(child)}
                    for child in children
                ]
                node = node.insert_sequence(_filters(map(self._everywhere, split)))
                for at, child in enumerate(children):
                    inner = node.child(at).child(0)
                    inner = self._insert(inner, child, depth, split[at], whole)
                    node = inner.parent().parent()
                return node

    def _cases(self, alive: Domains, depth: int) -> list[Domains]:
        """What runs in different iterations of the loops around, where that differs.

        It does for what moved and runs in the first iteration that needs it.
        """
        if not self.cut or not self.moved.issuperset(alive):
            return [alive]
        found = outer_cases(alive, depth)
        more = (len(found) - 1) * len(alive)
        if len(found) < 2 or self.calls + more > self.most:
            return [alive]
        self.calls += more
        return found

    def _parts(self, alive: Domains, depth: int) -> list[Part]:
        """The parts of a band, as long as that makes not too many copies."""
        own = Part(alive, True).calls
        parts = self.regions.cut(alive, depth, self.most - self.calls + own)
        self.calls += sum(part.calls for part in parts) - own
        return parts

    def _band(self, node: Any, band: Band, depth: int, part: Part) -> Any:
        alive = part.positions
        node = node.insert_partial_schedule(self._partial(band, alive))
        kind = _KIND.atomic
        if band.dim.fusing:
            kind = _KIND.unroll
        elif self._apart(band.dim) and self.regions.uneven(alive, depth):
            kind = _KIND.separate
            self.apart += 1
        node = node.band_member_set_ast_loop_type(0, kind)
        # Loops are told apart by marks: isl numbers their iterators by its own depth,
        # which it raises where statements of one stride are shifted.
        node = node.insert_mark(isl.Id(f"d{band.dim.uid}")).child(0)
        inner = node.child(0)
        inner = self._insert(inner, band.body, depth + 1, alive, part.region)
        return inner.parent().parent()

    def _apart(self, dim: Dim) -> bool:
        """Whether statements that run at different positions get loops of their own.

        Not those of a cluster's processes, to which all blocks are one program.
        """
        return self.cut and not dim.merged and not dim.marks.worker

    def _partial(self, band: Band, alive: Domains) -> isl.MultiUnionPwAff:
        parts = [
            isl.UnionPwAff.from_pw_aff(self.coordinates.partial(band.dim, name))
            for name in alive
        ]
        total = reduce(isl.UnionPwAff.union_add, parts)
        return isl.MultiUnionPwAff.from_union_pw_aff(total)

    def _all(self) -> Domains:
        """All positions of each statement."""
        known, context = self.coordinates, self.spaces.context
        return {name: alone(known.positions(name), context) for name in known.dims}

    def _everywhere(self, alive: Domains) -> Domains:
        return {
            name: isl.Set.universe(positions.get_space())
            for name, positions in alive.items()
        }


def _anchored(leaf: Any) -> Any:
    """A guard that always holds, at a leaf.

    isl shifts statements of one stride onto each other, so that a loop in steps runs
    both and counts otherwise than it was told. It lets that be where a node below
    speaks of the bands around it.
    """
    space = leaf.get_prefix_schedule_multi_union_pw_aff().get_space()
    return leaf.insert_guard(isl.Set.universe(space))


def _union(domains: Domains) -> isl.UnionSet:
    return reduce(isl.UnionSet.union, map(isl.UnionSet.from_set, domains.values()))


def _filters(parts: Iterable[Domains]) -> isl.UnionSetList:
    lists = [isl.UnionSetList.from_union_set(_union(part)) for part in parts]
    return reduce(isl.UnionSetList.concat, lists)


def generate(spaces: Spaces, schedule: Schedule) -> Block:
    """The loops that visit every statement instance in the order of the schedule.

    Statements that run at different iterations of a loop get loops of their own instead
    of guards, as long as that does not copy them too often or take isl too long.
    """
    if not spaces.nest.statements:
        # What was inlined went, and what it was inlined into never runs.
        return ()
    apart: set[str] = set()
    while True:
        whole = whole_loops(schedule, apart)
        products = Products(spaces, schedule, whole)
        block = _block(products, whole)
        try:
            block = merge(block, schedule, whole, sizes(spaces.nest))
            return (*products.counts, *block)
        except Apart as found:
            apart.add(found.loop)


def _block(products: Products, whole: frozenset[str]) -> Block:
    """The best loops of those that are complete.

    Raises:
        Incomplete: there are none.
    """

    def plain() -> Block:
        with suppress(Incomplete):
            return Generator(products, whole).generate()
        return Generator(products, whole, values=False).generate()

    fine = Generator(products, whole, cut=True)
    return first_within_budget(fine.few, plain, wide=fine.wide())


def _together(node: isl.ScheduleNode) -> isl.ScheduleNode:
    """A band that separates its statements as one that guards them."""
    band = node.get_type() == _NODE.band
    if band and node.band_member_get_ast_loop_type(0) == _KIND.separate:
        return node.band_member_set_ast_loop_type(0, _KIND.atomic)
    return node


def _calls(block: Block) -> int:
    """How many statement instances are written."""
    return sum(
        _calls(node.body) if isinstance(node, For | If) else isinstance(node, Call)
        for node in block
    )
