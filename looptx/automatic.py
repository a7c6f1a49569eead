"""Loops that run in vector lanes though no directive says so.

NumPy's functions take several numbers in the time of one, and give the same bits. A
sum, or a recurrence, waits in every iteration for the one before. Where a loop around
it carries nothing, its iterations run side by side, each with the sum in its own order:
no bit of a result changes. (Vectors of outer loops: Nuzman and Zaks, PACT 2008.)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from contextlib import suppress

from looptx.directives.marks import mark
from looptx.errors import LooptxError
from looptx.looptree.nodes import Block, For, If, LoopTree
from looptx.looptree.planned import Planned
from looptx.lower.values.mathematics import QUICK
from looptx.model.callees.expansion import TooLarge, inlined, meanings
from looptx.model.dtypes import DTYPES
from looptx.model.elements import Access
from looptx.model.execution.marks import Marks
from looptx.model.expr import IntExpr, Var, linear, variables
from looptx.model.functions import Native, lookup
from looptx.model.program import Nest, Statement
from looptx.model.records import dataclass, field, replace
from looptx.model.schedule import Band, Tree, bands, statements
from looptx.model.storage import allocated
from looptx.model.trees import dotted, walk
from looptx.model.types import ArrayType, Type
from looptx.poly.analysis import Analysis
from looptx.poly.budget import HINT_OPERATIONS, budget
from looptx.source.nests.statements.exact_reductions import integer_targets

LANES = 8
"""Lanes at most where not all are neighbours in memory: each walks along a row."""

GATHER = 2
"""What a number costs that is no neighbour of the others, in cycles, roughly."""

CALL = 60
"""What one of NumPy's inner loops costs for one number, in cycles, roughly."""

LIGHT = 4
"""What an operation of a branch takes at most where all lanes run it, in cycles."""

_CYCLES: Mapping[type[ast.operator], int] = {
    **dict.fromkeys((ast.Add, ast.Sub, ast.Mult), 4),
    **dict.fromkeys((ast.BitAnd, ast.BitOr, ast.BitXor), 1),
    ast.Div: 14,
}
_SQUARE = 12
_FUNCTIONS = {
    **dict.fromkeys(("min", "max", "numpy.minimum", "numpy.maximum"), 2),
    **dict.fromkeys(("abs", "numpy.abs", "numpy.fabs"), 1),
    "range": 0,
    "numpy.sqrt": 14,
}
"""How long a result takes, roughly, for operations that have vectors."""


def in_lanes(
    planned: Planned, types: Mapping[str, Type], imports: Mapping[str, str]
) -> Planned | None:
    """The loops of a nest without directives, some of them in vectors.

    Args:
        planned: the nest in the order of the source.
        types: of the names it reads.
        imports: what names of modules and functions mean.

    Returns:
        None where no loop gains by it, or none is known to be independent.
    """
    try:
        nest = inlined(planned.schedule.nest)
    except TooLarge:
        return None
    imports = {**imports, **meanings(nest)}
    chooser = _Chooser(planned, nest, {**types}, imports)
    outermost = list(_outermost(planned.schedule.tree))
    if planned.schedule.applied or not any(
        _holds_loops(band) or chooser.asks(band) for band in outermost
    ):
        return None
    found: dict[int, int] = {}
    with suppress(LooptxError), budget(HINT_OPERATIONS):
        for band in outermost:
            found |= chooser.marks(band)
    return replace(planned, body=_marked(planned.body, found)) if found else None


def _outermost(tree: Tree) -> Iterator[Band]:
    """The loops of a tree that stand in no other one of it."""
    found = list(bands(tree))
    inner = {one.dim.uid for band in found for one in bands(band.body)}
    return (band for band in found if band.dim.uid not in inner)


def _holds_loops(band: Band) -> bool:
    return any(True for _ in bands(band.body))


def _marked(block: Block, lanes: Mapping[int, int]) -> Block:
    def one(node: LoopTree) -> LoopTree:
        match node:
            case For(dim=dim, body=body):
                marks = replace(node.marks, vectorize=lanes.get(dim))
                return replace(node, body=_marked(body, lanes), marks=marks)
            case If(cond, body):
                return If(cond, _marked(body, lanes))
        return node

    return tuple(map(one, block))


@dataclass(slots=True)
class _Chooser:
    """Chooses the loops of one nest.

    Attributes:
        planned: the nest in the order of the source. nest: as the source has it.
        types: of the names it reads.
        imports: what names mean.
        floats: the names of floats, and of arrays of them.
    """

    planned: Planned
    nest: Nest
    types: dict[str, Type]
    imports: Mapping[str, str]
    floats: set[str] = field(default_factory=set)
    _analysis: Analysis | None = None

    def __post_init__(self) -> None:
        self._look_for_floats()

    def marks(self, band: Band) -> dict[int, int]:
        """The lanes of the loops to be vectors in a loop, by dimension; 0 for most."""
        inner = list(bands(band.body))
        if not inner:
            wide = self.asks(band) and self._gains(band) and not self._carries(band)
            return {band.dim.uid: 0} if wide else {}
        within = {
            uid: n
            for one in _outermost(band.body)
            for uid, n in self.marks(one).items()
        }
        if within or not self._gains(band) or self._carries(band):
            return within
        last = [one for one in inner if not _holds_loops(one)]
        waiting = {one.dim.uid: self._waits(one) for one in last}
        if not any(waiting.values()):
            return {}
        far = 0
        for one in last:
            own = self._far(band, one)
            if own * GATHER > waiting[one.dim.uid]:
                return {}
            far += own
        return {band.dim.uid: LANES if far else 0}

    def asks(self, band: Band) -> bool:
        """Whether it has what runs for several numbers at once, and no loop of it.

        That is a call, or a loop of a statement that goes round as often as it has to.
        """
        found = (self.nest.statements[name] for name in statements(band))
        rounds = any(all(map(self._is_left, one.code)) for one in found)
        return rounds or self.calls(band)

    def calls(self, band: Band) -> bool:
        """Whether its statements call what takes several numbers at once."""
        found = [self.nest.statements[name] for name in statements(band)]
        if all(map(self._is_ahead, found)):
            return False
        nodes = (x for one in found for line in one.code for x in walk(line))
        return any(isinstance(x, ast.Call) and self._is_loop(x) for x in nodes)

    def _is_ahead(self, one: Statement) -> bool:
        """Whether its calls are made in front of the loop, for many iterations at once.

        That is so in a statement on arrays, of what it does not write, see ``strips``.
        """
        written = {access.array for access in one.accesses if access.write}
        read = {access.array for access in one.accesses if not access.write}
        calls = (x for line in one.code for x in walk(line) if isinstance(x, ast.Call))
        single = all(len(x.args) == 1 for x in calls if self._is_loop(x))
        return one.elementwise and single and written.isdisjoint(read)

    def _is_loop(self, call: ast.Call) -> bool:
        row = lookup(self._full(call))
        quick = self.nest.asked.inexact and row.own in QUICK and row.module == "math"
        return quick or row.native is Native.UFUNC

    def _gains(self, band: Band) -> bool:
        """Whether its loops are the same in every iteration, and have vectors."""
        own = self._loop(band)
        for one in bands(band.body):
            loop = self.nest.loops[self._loop(one)]
            used = variables(loop.start) | variables(loop.stop)
            if own in used | variables(loop.guard):
                return False
        found = (self.nest.statements[name] for name in statements(band))
        return all(self._has_vectors(one) for one in found)

    def _has_vectors(self, one: Statement) -> bool:
        nodes = (node for line in one.code for node in walk(line))
        rounds = all(map(self._is_left, one.code))
        if one.opaque and not rounds and not all(map(self._is_branched, one.code)):
            return False
        return all(self._cycles(node) >= 0 for node in nodes)

    def _is_left(self, line: ast.AST) -> bool:
        """Whether a statement is a loop that each lane may leave by itself.

        Its rounds wait for floats of each other: where they do so for less than a sum
        does, what asks whether a lane is left costs as much; and integers wait less.
        """
        match line:
            case ast.For(orelse=[]) | ast.While(orelse=[]):
                body = line.body
            case _:
                return False
        carried = {
            dotted(node)
            for one in body
            for node in walk(one)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        }
        floats = filter(self._is_inexact, body)
        waits = max((self._chain(one, carried) or 0 for one in floats), default=0)
        return waits > LIGHT and all(map(self._is_round, body))

    def _is_inexact(self, line: ast.AST) -> bool:
        """Whether a statement computes with floats, as far as is seen."""
        return any(map(self._is_float, walk(line)))

    def _is_float(self, node: ast.AST) -> bool:
        match node:
            case ast.Constant(value):
                return isinstance(value, float)
            case ast.BinOp(op=ast.Div()) | ast.AugAssign(op=ast.Div()):
                return True
            case ast.Name(id=name):
                return name in self.floats
        return False

    def _look_for_floats(self) -> None:
        """Find the names of floats, and of arrays of them."""
        known = {**self.types, **allocated(self.nest.allocations, self.types)}
        self.floats = {x for x, kind in known.items() if DTYPES[kind.dtype].is_inexact}
        lines = [line for one in self.nest.statements.values() for line in one.code]
        made = [
            (x, node.value)
            for line in lines
            for node in walk(line)
            if isinstance(node, ast.Assign)
            for target in node.targets
            for x in walk(target)
            if isinstance(x, ast.Name) and isinstance(x.ctx, ast.Store)
        ]
        count = -1
        while count != len(self.floats):
            count = len(self.floats)
            self.floats |= {x.id for x, value in made if self._is_inexact(value)}

    def _is_round(self, line: ast.AST) -> bool:
        """Whether a statement of such a loop is an assignment, or may leave it."""
        match line:
            case ast.Assign() | ast.AugAssign():
                return True
            case ast.If(body=[*own, ast.Break()], orelse=[]):
                return all(map(self._is_round, own))
        return self._is_branched(line)

    def _is_branched(self, line: ast.AST) -> bool:
        """Whether a statement is branches of assignments, which all lanes run.

        What takes long in a branch is better left out where few iterations go there.
        """
        if not isinstance(line, ast.If):
            return False
        own = [*line.body, *line.orelse]
        light = all(self._cycles(x) <= LIGHT for one in own for x in walk(one))
        plain = ast.Assign | ast.AugAssign | ast.Pass
        return light and all(isinstance(x, plain) or self._is_branched(x) for x in own)

    def _full(self, call: ast.Call) -> str:
        head, _, tail = dotted(call.func).partition(".")
        return self.imports.get(head, head) + (f".{tail}" if tail else "")

    def _loop(self, band: Band) -> str:
        """The loop of the source that a band is."""
        (loop,) = band.dim.headers
        return loop

    def _carries(self, band: Band, exact: frozenset[str] = frozenset()) -> bool:
        """Whether an iteration has to wait for another one, but for ``exact`` sums."""
        if self._analysis is None:
            self._analysis = Analysis.under(self.nest, self.planned.schedule)
        marked = mark(self.planned.schedule, band.dim, Marks(vectorize=0))
        asked = replace(marked, reassociate=exact)
        race = self._analysis.race(asked)
        return race is not None or bool(self._analysis.passing(asked))

    def _waits(self, band: Band) -> int:
        """How long an iteration of an innermost loop waits for the one before.

        C finds vectors for sums of integers itself.
        """
        known = {**self.types, **allocated(self.nest.allocations, self.types)}
        if not self._carries(band, integer_targets(self.nest, known)):
            return 0
        inside = [self.nest.statements[name] for name in statements(band)]
        carried = {x.array for one in inside for x in one.accesses if x.write}
        lines = (
            line
            for one in inside
            for line in one.code
            if not one.opaque or self._is_inexact(line)
        )
        return max((self._chain(line, carried) or 0 for line in lines), default=0)

    def _chain(self, node: ast.AST, carried: set[str]) -> int | None:
        """The cycles from what is carried to a result; None where it is not used."""
        match node:
            case ast.Name() | ast.Attribute():
                return 0 if dotted(node) in carried else None
            case ast.Subscript(value):
                return self._chain(value, carried)
            case ast.AugAssign(value=value):
                return self._cycles(node) + (self._chain(value, carried) or 0)
            case ast.Assign(_, value):
                return self._chain(value, carried)
        found = (self._chain(x, carried) for x in ast.iter_child_nodes(node))
        known = [one for one in found if one is not None]
        return max(known) + self._cycles(node) if known else None

    def _cycles(self, node: ast.AST) -> int:
        """What an operation takes; less than nothing if it has no vectors."""
        match node:
            case ast.BinOp(op=ast.Pow(), right=ast.Constant(2)):
                return _SQUARE if self._is_double() else -1
            case ast.BinOp(op=op) | ast.AugAssign(op=op):
                return _CYCLES.get(type(op), -1)
            case ast.NamedExpr():
                return -1
            case ast.Call():
                name = self._full(node)
                if self._is_loop(node):
                    return CALL
                return 0 if lookup(name).is_type else _FUNCTIONS.get(name, -1)
        return 0

    def _is_double(self) -> bool:
        """Whether it has no numbers but those of which squares have vectors."""
        return all(
            x.dtype == "float64" or (not isinstance(x, ArrayType) and x.weak)
            for x in self.types.values()
        )

    def _far(self, band: Band, inner: Band) -> int:
        """How many cells of an inner loop are no neighbours in neighbouring lanes."""
        loop = self._loop(band)
        inside = (self.nest.statements[name] for name in statements(inner))
        cells = {x.cell: x for one in inside for x in one.accesses if x.subscripts}
        return sum(self._is_far(one, loop) for one in cells.values())

    def _is_far(self, access: Access, loop: str) -> bool:
        steps = [_step(one, loop) for one in access.subscripts]
        if not any(steps):
            return False
        kind = self.types.get(access.array)
        layout = kind.layout if isinstance(kind, ArrayType) else "C"
        near = {"C": -1, "F": 0}.get(layout)
        if near is None or steps[near] not in (1, -1):
            return True
        return sum(step != 0 for step in steps) > 1


def _step(subscript: IntExpr | None, loop: str) -> int:
    """By how much a subscript grows with a loop; 2 where it is not always as much."""
    if subscript is None:
        return 2
    terms, _ = linear(subscript)
    own = Var(loop)
    if any(loop in variables(term) for term in terms if term != own):
        return 2
    return terms.get(own, 0)
