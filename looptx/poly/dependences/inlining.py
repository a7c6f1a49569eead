"""Statements that compute a value anew where they used to read it.

What the expression reads is read by the readers now, so the dependences of the producer
are carried over to them along the flow of its values: what had to come before it has to
come before each of its readers, and what had to come behind it, behind them. That each
read gets its value from one iteration of the producer, the one whose expression stands
there, follows from exact last writers (Feautrier, "Dataflow analysis of array and
scalar references", IJPP 1991).
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import reduce

import islpy as isl

from looptx.errors import Refused, Unproven
from looptx.model.elements import Access
from looptx.model.expr import IntExpr, Var, substitute
from looptx.model.moves import Inline
from looptx.model.moves.expanding import carried
from looptx.model.program import Statement
from looptx.model.records import replace
from looptx.poly.dependences.flows import END, START, Flow, kept
from looptx.poly.dependences.memory_based import Dependence
from looptx.poly.dependences.privatization import Dataflow, cells
from looptx.poly.dependences.state import Lifting, State

_IN, _OUT = isl.dim_type.in_, isl.dim_type.out

End = tuple[Statement, Access, isl.Map | None]
"""A statement that has an access now, the access, and how its instances were before."""


class Inlining(Lifting):
    """The instances that compute a value instead of reading it.

    Args:
        state: what runs before.
        step: the producer and its readers.

    Attributes:
        domains: of what runs under a new name.
    """

    def __init__(self, state: State, step: Inline) -> None:
        super().__init__(state, step.moved)
        self.step = step
        self.producer = state.nest.statements[step.producer]
        self.domains = {
            new: state.domains[old].set_tuple_name(new)
            for old, new in step.moved.items()
        }
        self.uses = {
            old: {
                read: self._use(old, read, reads[read.cell])
                for read in self._reads(old)
            }
            for old, reads in step.reads.items()
        }
        lives = state.dataflows if step.array in state.dataflows else state.origins
        self._check(lives[step.array])

    @property
    def gone(self) -> Collection[str]:
        """The statements that run no more."""
        return (*self.names, self.step.producer)

    def dependences(self, known: Sequence[Dependence]) -> list[Dependence]:
        """The dependences between what runs now."""
        return [x for one in known for x in self._carried(one)]

    def _use(self, old: str, read: Access, values: tuple[IntExpr, ...]) -> isl.Map:
        """``{ reader[y] -> producer[x] }`` of a read, where it happens."""
        spaces, reader = self.state.spaces, self.state.nest.statements[old]
        found = spaces.map(old, reader.loops, values)
        found = found.set_tuple_name(_OUT, self.step.producer)
        happens = spaces.guarded(reader, read, self.state.domains[old])
        return found.intersect_domain(happens)

    def _reads(self, old: str) -> list[Access]:
        """The accesses of a reader that get values of the producer."""
        accesses = self.state.nest.statements[old].accesses
        return [x for x in accesses if self._is_read(old, x)]

    def _is_read(self, name: str, access: Access) -> bool:
        """Whether an access of a statement is one that gets values of the producer."""
        return not access.write and access.cell in self.step.reads.get(name, {})

    def _all(self, old: str) -> isl.Map:
        """``{ reader[y] -> producer[x] }`` of all reads of a reader."""
        return reduce(isl.Map.union, self.uses[old].values())

    def _check(self, flow: Dataflow) -> None:
        """See that each read has the value of the iteration whose expression it gets.

        Raises:
            Refused: LX201 where it does not, or where others see the values.
        """
        array, gone = self.step.array, self.step.producer
        for one in flow.flow:
            source, sink = one.ends
            if source == gone and sink == END:
                if self.step.seen:
                    why = self.state.nest.escapes.unsuited.get(
                        array, "may be read afterwards"
                    )
                    raise self._refused(
                        f"`{array}` {why}",
                        "leave this directive out, or use an array that only this"
                        " nest sees",
                    )
            elif source == gone and sink not in self.uses:
                where = self.state.nest.statements[sink].place.line
                several = any(x.sink == sink and x.source != gone for x in flow.flow)
                raise self._refused(
                    f"line {where} reads values of line {self.producer.place.line}"
                    + (" and others" if several else ", which cannot stand there"),
                    "leave this directive out, or keep the values in another array",
                )
            elif sink in self.uses:
                if source == gone:
                    wrong = one.without(self._all(sink).reverse())
                else:
                    wrong = one.reading(self._cells(flow, sink))
                if not wrong.is_empty():
                    raise self._elsewhere(sink, source)
        self._check_quiet()

    def _cells(self, flow: Dataflow, name: str) -> isl.Map:
        """``{ statement[x] -> cell }`` of its reads that get values."""
        touched = (
            cell
            for user, access, cell in cells(
                self.state.spaces, self.step.array, flow.users
            )
            if user.name == name and self._is_read(name, access)
        )
        return reduce(isl.Map.union, touched)

    def _check_quiet(self) -> None:
        """See that each iteration that may raise is computed somewhere.

        Raises:
            Unproven: LX203 where one is not.
        """
        if not self.producer.raises:
            return
        rest = self.state.domains[self.producer.name]
        for uses in self.uses.values():
            for read, use in uses.items():
                if read.certain:
                    rest -= use.range()
        if not rest.is_empty():
            raise Unproven(
                "LX203",
                "unknown: whether an iteration that is never read raises",
                detail=(
                    f"line {self.producer.place.line} may raise, and need not be"
                    " computed for every iteration then",
                ),
                hint="write `compute_at`, which runs it all the same, say the types of"
                " what it reads in annotations, or let it write just what is read",
            )

    def _elsewhere(self, sink: str, source: str) -> Refused:
        known = self.state.nest.statements
        own, other = self.producer.place.line, f"what `{self.step.array}` held before"
        if source != START:
            other = f"a value of line {known[source].place.line}"
        if source == self.step.producer:
            other = "that of another iteration"
        return self._refused(
            f"where line {known[sink].place.line} reads what line {own} assigns, it may"
            f" get {other}",
            f"let line {own} write all that is read, or leave this directive out",
        )

    def _refused(self, why: str, hint: str) -> Refused:
        line = self.producer.place.line
        return Refused(
            "LX201",
            f"refused: to compute line {line} where it is read",
            detail=(why,),
            hint=hint,
        )

    def _ends(self, statement: Statement, access: Access) -> Iterator[End]:
        """Where an access happens now."""
        name, step = statement.name, self.step
        known = self.state.nest.statements
        if name == step.producer:
            if access.write:
                return
            for old, uses in self.uses.items():
                new = step.moved[old]
                for read, use in uses.items():
                    values = step.reads[old][read.cell]
                    ours = carried(self.producer, read, values)[access]
                    yield known[new], ours, use.set_tuple_name(_IN, new)
        elif name in step.moved:
            if not self._is_read(name, access):
                yield known[step.moved[name]], access, None
        else:
            yield statement, access, None

    def _carried(self, one: Dependence) -> Iterator[Dependence]:
        """A dependence between what runs now."""
        for source, ours, before in self._ends(one.source, one.source_access):
            for sink, theirs, behind in self._ends(one.sink, one.sink_access):
                pairs = one.relation
                pairs = pairs.set_tuple_name(_IN, source.name) if not before else pairs
                pairs = pairs.set_tuple_name(_OUT, sink.name) if not behind else pairs
                if before is not None:
                    pairs = before.apply_range(pairs)
                if behind is not None:
                    pairs = pairs.apply_range(behind.reverse())
                if source.name == sink.name and before is not None:
                    pairs = self._apart(sink, pairs)
                if pairs.is_empty():
                    continue
                same = before is None and behind is None
                exact = one.exact and ours.certain and theirs.certain
                yield replace(
                    one,
                    source=source,
                    sink=sink,
                    source_access=ours,
                    sink_access=theirs,
                    relation=pairs,
                    exact=exact,
                    reduction=one.reduction
                    if same and source.reduction and sink.reduction
                    else None,
                )

    def _apart(self, reader: Statement, pairs: isl.Map) -> isl.Map:
        """What a reader reads and then writes itself is read first, if it is simple.

        Raises:
            Unproven: LX203 where it may write before it reads.
        """
        space = pairs.get_space()
        same = pairs & isl.Map.identity(space)
        if same.is_empty() or _is_simple(reader):
            return pairs - same
        raise Unproven(
            "LX203",
            f"unknown: whether line {reader.place.line} changes what the expression"
            " reads before it is there",
            hint="leave this directive out",
        )

    def places(self) -> dict[str, dict[str, isl.PwAff]]:
        """What statements need besides loops: the names in the code of readers, too."""
        spaces, found = self.state.spaces, super().places()
        for name in self.step.moved.values():
            own = self.state.nest.statements[name]
            if own.values:
                space = spaces.space(name, len(own.loops))
                values = own.values.items()
                new = {x: spaces.expr(y, space, own.loops) for x, y in values}
                found[name] = {**found.get(name, {}), **new}
        return found

    def flows(self, name: str, known: Sequence[Flow]) -> list[Flow]:
        """The flows of an array or scalar, between what runs now."""
        return kept(x for one in known for x in self._flow(one))

    def _flow(self, flow: Flow) -> Iterator[Flow]:
        step = self.step
        if flow.source == step.producer:
            return
        if flow.sink != step.producer:
            yield flow.named(step.moved)
            return
        for old in step.moved:
            yield flow.at(_OUT, self._all(old).reverse()).named(step.moved)

    def dataflow(self, name: str, known: Dataflow) -> Dataflow | None:
        """The dataflow of an array or scalar as it is now; None where nothing is."""
        step, statements = self.step, self.state.nest.statements
        own = name == step.array
        users: dict[str, None] = {}
        for user in known.users:
            if user.name == step.producer:
                users.update({} if own else dict.fromkeys(step.moved.values()))
                continue
            left = step.moved.get(user.name, user.name)
            if any(x.array == name for x in statements[left].accesses):
                users[left] = None
        if not users:
            return None
        around, loops = self._around(name, known, users)
        return replace(
            known,
            users=tuple(statements[x] for x in users),
            flow=tuple(self.flows(name, known.flow)),
            around=around,
            loops=loops,
        )

    def _around(
        self, name: str, known: Dataflow, users: Mapping[str, None]
    ) -> tuple[dict[str, tuple[IntExpr, ...]], tuple[str, ...]]:
        """What tells the cells of different iterations apart.

        Raises:
            Unproven: LX203 where a reader needs those of several.
        """
        step = self.step
        before = {x.name: known.prefix(x) for x in known.users}
        if step.producer not in before or not before[step.producer]:
            around = {step.moved.get(x, x): y for x, y in known.around.items()}
            return around, known.loops
        found = {step.moved.get(x, x): y for x, y in before.items()}
        found.pop(step.producer)
        for old, reads in step.reads.items():
            if name == step.array:
                break
            wanted = {
                tuple(
                    substitute(x, dict(zip(self.producer.loops, values, strict=True)))
                    for x in before[step.producer]
                )
                for values in reads.values()
            }
            if old in before:
                wanted.add(before[old])
            if len(wanted) > 1:
                raise Unproven(
                    "LX203",
                    f"unknown: which of its values `{name}` has where line"
                    f" {self.producer.place.line} is computed",
                    hint=f"inline the statement that assigns `{name}`, too",
                )
            found[step.moved[old]] = wanted.pop()
        found = {x: found[x] for x in users}
        loops = tuple(map(Var, known.loops))
        if not known.around and all(x == loops for x in found.values()):
            return {}, known.loops
        return found, ()


def _is_simple(statement: Statement) -> bool:
    """Whether a statement reads all that it reads before it writes, and writes once."""
    if statement.opaque or statement.effects or len(statement.code) != 1:
        return False
    match statement.code[0]:
        case ast.Assign([ast.Name() | ast.Subscript()]):
            return True
        case ast.AugAssign() | ast.AnnAssign():
            return True
    return False
