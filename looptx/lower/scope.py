"""What the names of a nest mean in C: their types, their C names, their integers."""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from looptx.looptree.planned import Planned
from looptx.lower import tree
from looptx.lower.buffers import Held
from looptx.lower.checks import Checks
from looptx.lower.kinds import BOOL, TAG, Kind, fail, of
from looptx.lower.tree import Expr
from looptx.model import shapes
from looptx.model.dtypes import ROWS
from looptx.model.expr import (
    TRUE,
    Compare,
    Cond,
    Const,
    IntExpr,
    Var,
    negate,
    with_exprs,
    with_parts,
)
from looptx.model.intervals.symbolic import UpperBound
from looptx.model.nests.made import LONGEST
from looptx.model.program import Statement
from looptx.model.records import dataclass, field, replace
from looptx.model.schedule import in_source_order
from looptx.model.trees import brackets, dotted
from looptx.model.types import ArrayType, ScalarType, Type, is_integer

_RESERVED = frozenset(
    re.findall(
        r"\w+",
        """cdef cpdef ctypedef cimport include extern struct union enum inline nogil gil
    public readonly api sizeof typeid new NULL const volatile double float int long
    short char signed unsigned bint void size_t ssize_t Py_ssize_t complex object bool
    min max abs range type threads str bytes list dict tuple set
    DEF IF ELIF ELSE fused property noexcept cppclass namespace operator
    sqrt floor ceil trunc rint fabs sqrtf floorf ceilf truncf rintf fabsf""",
    )
).union(row.c for row in ROWS)


class Names:
    """Identifiers of the source as identifiers of the Cython text, each its own.

    What belongs to one of them is asked for by words behind it (``"s type"``), which
    are no identifier of the source. Names of C functions begin with ``lx_``, and no
    name that is given out does.
    """

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = {*taken, *_RESERVED}
        self._given: dict[str, str] = {}

    def __call__(self, name: str) -> str:
        """The Cython name of a (dotted) name of the source."""
        given = self._given.get(name)
        if given is None:
            plain = re.sub(r"\W", "_", name, flags=re.ASCII)
            given = plain
            free = (
                plain == name and name not in _RESERVED and not plain.startswith("lx_")
            )
            if not free or keyword.iskeyword(plain):
                given = self.fresh(plain.removeprefix("lx_"))
            self._given[name] = given
        return given

    def copy(self) -> Names:
        """Others that begin with the same."""
        made = Names(())
        made._taken, made._given = {*self._taken}, {**self._given}
        return made

    def fresh(self, stem: str) -> str:
        """A new identifier that begins with ``stem``."""
        name, number = stem, 1
        while name in self._taken or keyword.iskeyword(name):
            number += 1
            name = f"{stem}_{number}"
        self._taken.add(name)
        return name


TYPE = " types"
"""Behind the name of what holds numbers in that of what tells their types."""


class Unknown(Exception):
    """The type of a scalar is not known yet."""


@dataclass(slots=True)
class Scope:
    """A nest on its way to C.

    Attributes:
        planned: the nest.
        types: of every live-in name.
        imports: what names of modules mean.
        names: of the source in C.
        kinds: of the scalars assigned in the nest, as far as they are known.
        computed: integer parameters that are expressions, by text: a C variable.
        buffers: temporaries, and scalars that became arrays: how C keeps them.
        thread: the C variable with the number of the thread, where a buffer needs it.
        stands: what stands for a scalar or a cell for now (a lane of an accumulator).
        copies: arrays of which parallel loops have copies: the C name of these.
        number: the C variable that counts them, ``""`` when there are none.
        own: arrays that are a copy for now: its C name and its number.
        bits: of partial results that are bools, by their C names: the bits that say
            which; another one is set where no iteration has written.
        checks: what the entry makes sure of.
        saturated: scalars that may be given an end of 64 bits for what is beyond.
        wide: magnitudes of the loops that the entry keeps within 64 bits.
        vector: how many bytes a vector has at most.
        registers: how many cells, or vectors of them, a processor keeps at once.
        ordered: whether the loops are those of the source, once that was asked.
    """

    planned: Planned
    types: Mapping[str, Type]
    imports: Mapping[str, str]
    names: Names
    kinds: dict[str, Kind] = field(default_factory=dict)
    computed: dict[str, str] = field(default_factory=dict)
    buffers: dict[str, Held] = field(default_factory=dict)
    thread: str = ""
    stands: dict[str | Expr, Expr] = field(default_factory=dict)
    copies: dict[str, str] = field(default_factory=dict)
    number: str = ""
    own: dict[str, tuple[str, str]] = field(default_factory=dict)
    bits: dict[str, Expr] = field(default_factory=dict)
    checks: Checks = field(default_factory=Checks)
    saturated: set[str] = field(default_factory=set)
    wide: list[UpperBound] = field(default_factory=list)
    vector: int = 16
    registers: int = 16
    ordered: bool | None = None

    def copy(self, planned: Planned) -> Scope:
        """Another, which nothing that is done with this one changes.

        Args:
            planned: the nest.
        """
        return replace(
            self,
            planned=planned,
            ordered=None,
            names=self.names.copy(),
            kinds={**self.kinds},
            computed={**self.computed},
            buffers={**self.buffers},
            stands={**self.stands},
            copies={**self.copies},
            own={**self.own},
            bits={**self.bits},
            checks=self.checks.copy(),
            wide=[*self.wide],
        )

    @property
    def statements(self) -> Iterator[Statement]:
        """Those of the source: not what fills temporaries."""
        for statement in self.planned.nest.statements.values():
            if statement.store is None:
                yield statement

    @property
    def again(self) -> bool:
        """Whether the loops may start again in the middle.

        They write no input, or what they write is put back.
        """
        return bool(self.checks.again) or not self.changed

    @property
    def looks(self) -> bool:
        """Whether integers without a sign are looked at where they become Python's.

        In another order nothing may raise: there the entry has to tell.
        """
        if self.ordered is None:
            self.ordered = in_source_order(self.planned.schedule)
        return bool(self.checks.again) or self.ordered

    @property
    def changed(self) -> frozenset[str]:
        """The arrays that are written, and read, too, perhaps by another name.

        What is written alone is written again where loops start again.
        """
        nest = self.planned.nest
        read = {
            access.array
            for statement in nest.statements.values()
            for access in statement.accesses
            if not access.write
        }
        written = nest.written - self.buffers.keys() - nest.host.made.keys()
        return frozenset(
            one for one in written if not read.isdisjoint((one, *nest.others(one)))
        )

    def full(self, name: str) -> str:
        """What a (dotted) name is called where it is defined: ``numpy.exp``."""
        head, _, tail = name.partition(".")
        found = self.imports.get(head, head) + (f".{tail}" if tail else "")
        return found.removeprefix("builtins.")

    def scalar(self, text: str) -> Expr:
        """What holds a scalar for now."""
        return self.stands.get(text) or tree.variable(self.names(text))

    def tag(self, name: str) -> Expr:
        """What tells in C which type a scalar has that may have several."""
        text = f"{name} type"
        return self.stands.get(text) or tree.variable(self.names(text), of(TAG))

    def cell(self, array: str, places: Iterable[Expr], kind: Kind) -> Expr:
        """A cell of an array (or of a scalar that became one)."""
        name, at = self.names(array), list(places)
        held = self.buffers.get(array)
        if held is not None and held.local:
            return self._kept(Expr("local cell", kind, (*at,), name))
        if held is not None:
            split = [tree.variable(self.thread)] if held.split else []
            at = [*split, *(at or [tree.number(0)])]
        if array in self.own:
            name, number = self.own[array]
            at.insert(0, tree.variable(number))
        return self._kept(Expr("cell", kind, (*at,), name))

    def _kept(self, cell: Expr) -> Expr:
        stands = self.stands.get(cell)
        return cell if stands is None else replace(stands, kind=cell.kind)

    def array(self, name: str) -> ArrayType:
        """The type of an array.

        Raises:
            Unsupported: LX504 when the name holds no array.
            Unknown: what the nest computes says of what type it is.
        """
        kind = self.type_of(name)
        if not isinstance(kind, ArrayType):
            fail(f"`{name}` is subscripted but is {kind or 'of unknown type'}")
        return kind

    def type_of(self, name: str) -> Type | None:
        """The type of a name of the caller, or of an array that the nest makes."""
        made = self.planned.nest.host.made.get(name)
        if name not in self.types and made is not None and made.own:
            raise Unknown(name)
        return self.types.get(name)

    def holders(self, name: str) -> Sequence[str]:
        """What an array stands for: lists, or tuples, that are given, by axis."""
        kind = self.types.get(name)
        return kind.holders if isinstance(kind, ArrayType) else ()

    @property
    def held(self) -> list[str]:
        """The arrays that stand for lists and tuples that are given."""
        return [*filter(self.holders, self.types)]

    def is_listed(self, name: str) -> bool:
        """Whether an array has the elements of a list: numbers as scalars hold them."""
        return bool(self.holders(name)) or self.is_made(name)

    def is_made(self, name: str) -> bool:
        """Whether an array has the elements of a list that the nest makes."""
        made = self.planned.nest.host.made.get(name.removesuffix(TYPE))
        return made is not None and made.listed

    def is_reserved(self, name: str) -> bool:
        """Whether an array has more cells than are used, in memory of its own."""
        made = self.planned.nest.host.made.get(name.removesuffix(TYPE))
        return made is not None and made.shape == (Const(LONGEST),)

    @property
    def told_lists(self) -> Iterator[str]:
        """The lists beside which an array says of which type each element is."""
        for name in (*self.planned.nest.host.made, *self.held):
            if self.is_listed(name) and len(self.kinds[name].members) > 1:
                yield name

    def list_of(self, node: ast.AST) -> str:
        """The array with the elements of a list of which one is looked at, or empty."""
        if not isinstance(node, ast.Subscript):
            return ""
        name = dotted(brackets(node)[0])
        return name if self.is_listed(name) else ""

    def is_integer(self, name: str) -> bool:
        """Whether a live-in name holds an integer."""
        kind = self.types.get(name)
        return (
            isinstance(kind, ScalarType) and is_integer(kind) and kind.dtype != "bool"
        )

    def parameter(self, text: str) -> str:
        """What an integer parameter or a loop variable is called in C."""
        axis = shapes.axis_of(text)
        if axis:
            return self.extent(*axis)
        return self.computed.get(text) or self.names(text)

    def extent(self, array: str, axis: int) -> str:
        """What an extent of an array is called in C: ``A.shape[0]``.

        Raises:
            Unsupported: LX504 where there is none: C would read what lies behind.
        """
        kind = self.types.get(array)
        made = self.planned.nest.host.made.get(array)
        if isinstance(kind, ArrayType):
            axes = kind.ndim
        elif made is not None and made.own:
            axes = len(made.shape)
        else:
            fail(f"`{array}` has no extents: it is {kind or 'of unknown type'}")
        if not -axes <= axis < axes:
            fail(f"`{shapes.extent(array, axis)}` of an array of {axes} dimensions")
        return shapes.extent(self.names(array), axis % axes)

    def native(self, expr: IntExpr) -> IntExpr:
        """An integer expression over the names and extents of C."""
        if isinstance(expr, Var):
            return Var(self.parameter(expr.name))
        return with_parts(expr, self.native)

    def integer(self, expr: IntExpr) -> Expr:
        """An integer expression in C."""
        return tree.index(self.native(expr))

    def condition(self, cond: Cond) -> Expr:
        """A condition over integers in C."""
        return tree.test(with_exprs(cond, self.native))

    def fails(self, cond: Cond) -> Expr:
        """That a condition does not hold, in C."""
        if isinstance(cond, Compare):
            return self.condition(negate(cond))
        return Expr("not", of(BOOL), (self.condition(cond),))

    def where(self, expr: Expr, cond: Cond) -> Expr:
        """A condition, and one over integers."""
        return expr if cond == TRUE else tree.both(expr, self.condition(cond))
