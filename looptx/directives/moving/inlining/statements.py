"""A statement whose value is computed wherever it is read: the new nest.

(Halide's ``compute_inline``, Ragan-Kelley et al., PLDI 2013; also CINN's and TVM's.)
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from looptx.directives.base import check
from looptx.directives.moving.inlining.cases import Reads, told_apart
from looptx.directives.moving.inlining.solving import disjoint, solved
from looptx.directives.moving.inlining.values import BINDING, bound, gives_several
from looptx.directives.moving.renamed import renamed
from looptx.directives.names import group
from looptx.model.elements import Cell
from looptx.model.expr import IntExpr
from looptx.model.moves import Inline, Move
from looptx.model.moves.changes import changed
from looptx.model.program import Access, Nest, Statement
from looptx.model.schedule import Schedule, Tree, statements
from looptx.model.schedule import Sequence as InOrder
from looptx.model.tree import without


def inlined(schedule: Schedule, nest: str) -> Schedule:
    """The schedule in which what reads a nest's values computes them itself.

    Args:
        schedule: the schedule.
        nest: the name of the nest, which runs no more.

    Raises:
        Malformed: LX104 for the name, LX106 for what is no plain assignment, or is read
            where no expression can stand, LX117 for an array that others see.
    """
    while nest in schedule.groups:
        own = group(schedule, nest).statements
        first = next(name for name in statements(schedule.tree) if name in own)
        readers = reads_of(schedule, producer_of(schedule, first), own)
        result, _, found = told_apart(schedule, first, readers)
        for old in (own & readers.keys()) - found.keys():
            # It stays in the nest, and its own values are to be inlined next.
            producer_of(schedule, old)
        schedule = without_one(result, first, found)
    return schedule


def _named(statement: Statement) -> str:
    """What a statement is called in messages."""
    if statement.inlined:
        return f"line {statement.place.line}"
    if statement.copy is not None:
        return f"the copy of `{statement.copy.array}`"
    return f"`{statement.written.splitlines()[0]}`"


@dataclass(frozen=True, slots=True)
class Producer:
    """A statement that assigns once per cell.

    Attributes:
        statement: the statement. array: what it writes. cell: its subscripts.
        value: the expression.
    """

    statement: Statement
    array: str
    cell: tuple[IntExpr, ...]
    value: ast.expr

    @property
    def words(self) -> str:
        """What it is called in messages."""
        return _named(self.statement)

    def may_give(self, read: Access) -> bool:
        """Whether an access may read what it writes, as far as subscripts tell."""
        own = read.array == self.array and not read.write
        return own and not disjoint(self.cell, read.subscripts)


def reads_of(
    schedule: Schedule, producer: Producer, own: Collection[str]
) -> dict[str, Reads]:
    """What statements read of a producer, as far as one sees that in the text.

    Args:
        schedule: the schedule. producer: one of the statements of a nest.
        own: all of them.

    Raises:
        Malformed: LX106.
    """
    known, readers = schedule.nest.statements, _readers(schedule, producer, own)
    return {old: solved_reads(producer, known[old]) for old in readers}


def without_one(schedule: Schedule, name: str, reads: Mapping[str, Reads]) -> Schedule:
    """The schedule without one statement.

    Args:
        schedule: the schedule. name: of the statement.
        reads: what statements read of it, all of them.
    """
    producer, nest = producer_of(schedule, name), schedule.nest
    number = len(schedule.moves) + 1
    moved = {old: f"{old}@{number}" for old in reads}
    step = Inline(producer.array, name, moved, reads, not nest.private(producer.array))
    check(
        statements(schedule.tree) != (name,),
        f"nothing is left of the nest without {producer.words}",
        "remove the loop",
    )
    tree = without(schedule.tree, (name,))
    result = renamed(replace(schedule, tree=tree), moved, gone=name)
    return replace(
        result,
        nest=replace(nest, statements={**nest.statements, **changed(nest, step)}),
        moves=(*schedule.moves, step),
    )


def producer_of(schedule: Schedule, name: str) -> Producer:
    """The assignment. Raises LX106."""
    statement = schedule.nest.statements[name]
    words = _named(statement)
    moved = any(
        isinstance(move, Move) and name in move.moved.values()
        for move in schedule.moves
    )
    check(not moved, f"{words} has moved into a loop", "inline it instead")
    own = f"{words} cannot stand where its value is read"
    plain = "inline plain assignments; `compute_at` moves other statements"
    check(statement.copy is None and not statement.opaque, own, plain)
    match statement.code:
        case (ast.Assign([ast.Subscript() | ast.Name() as target], value),):
            pass
        case (
            ast.AnnAssign(
                target=ast.Subscript() | ast.Name() as target, value=ast.expr() as value
            ),
        ):
            pass
        case _:
            check(False, own, plain)
            raise AssertionError
    writes = [x for x in statement.accesses if x.write]
    check(len(writes) == 1 and writes[0].certain, own, plain)
    (write,) = writes
    check(
        all(x.array != write.array for x in statement.accesses if not x.write),
        f"{words} reads `{write.array}` itself",
        "inline what reads no cell of the array that it writes",
    )
    cell = tuple(one for one in write.subscripts if one is not None)
    check(
        len(cell) == len(write.subscripts)
        and (not cell or any(x.node is target for x in statement.elements)),
        f"{words} writes a cell that is not affine, or no single one",
        "write `T[i, j]` with affine subscripts",
    )
    check(
        isinstance(target, ast.Name) or not gives_several(value),
        f"{own}: the cell makes one number of it",
        "give the cell a number",
    )
    inside = [type(node) for node in ast.walk(value)]
    check(not set(inside) & set(BINDING), own, "write it without names of its own")
    return Producer(statement, write.array, cell, value)


def _readers(schedule: Schedule, producer: Producer, own: Collection[str]) -> list[str]:
    """The statements that read the values, as far as one sees that in the text.

    Behind another nest that writes the array again they are those of that nest. The
    proof says whether it is so.

    Args:
        schedule: the schedule. producer: one of the statements of a nest, which may be
            cut or distributed by now. own: all of them.

    Raises:
        Malformed: LX106.
    """
    tree, array, nest = schedule.tree, producer.array, schedule.nest
    tops = tree.children if isinstance(tree, InOrder) else (tree,)
    home = next(
        at for at, one in enumerate(tops) if producer.statement.name in statements(one)
    )
    found: list[str] = []
    for top in tops[home:]:
        names = [x for x in statements(top) if x != producer.statement.name]
        for name in names:
            if any(map(producer.may_give, nest.statements[name].accesses)):
                check_reader(nest, nest.statements[name], producer)
                found.append(name)
        again = not set(names).issubset(own) and _writes(nest, top, array)
        if top is not tops[home] and again:
            break
    return found


def _writes(nest: Nest, tree: Tree, array: str) -> bool:
    return any(touches(nest, x, array, write=True) for x in statements(tree))


def touches(nest: Nest, name: str, array: str, *, write: bool) -> bool:
    """Whether a statement reads or writes an array.

    Args:
        nest: of the statement. name: its name. array: the array.
        write: whether writes are asked for.
    """
    accesses = nest.statements[name].accesses
    return any(x.array == array and x.write == write for x in accesses)


def check_reader(nest: Nest, reader: Statement, producer: Producer) -> None:
    """See that an expression can stand where a statement reads the value.

    Args:
        nest: all statements. reader: the one that reads. producer: what it reads of.

    Raises:
        Malformed: LX106.
    """
    array = producer.array
    line = f"line {reader.place.line}"
    known = {x.subscripts for x in reader.elements if x.array == array}
    reads = [x for x in reader.accesses if x.array == array and not x.write]
    single = all(
        not producer.cell
        or (x.subscripts in known and len(x.subscripts) == len(producer.cell))
        for x in reads
    )
    check(
        single and all(None not in x.subscripts for x in reads),
        f"`{array}` is not read element by element in {line}, or at places that are"
        " not affine",
        f"read `{array}` at affine subscripts",
    )
    check(
        reader.copy is None,
        f"`{array}` is copied into a buffer",
        "put this before the cache",
    )
    targets = [x.target for x in reader.code if isinstance(x, ast.AugAssign)]
    cells = [x.node for x in reader.elements if x.array == array]
    changed = any(
        target in cells or (isinstance(target, ast.Name) and target.id == array)
        for target in targets
    )
    writes = any(x.array == array for x in reader.accesses if x.write)
    check(
        not (changed or (writes and reader.opaque)),
        f"`{array}` is also changed in {line}",
        "inline what is only read, or leave this directive out",
    )
    names = {
        name
        for node in ast.walk(ast.Module(list(reader.code), []))
        if isinstance(node, BINDING)
        for name in bound(node)
    }
    own = {nest.loops[loop].var for loop in producer.statement.loops}
    free = {x.id for x in ast.walk(producer.value) if isinstance(x, ast.Name)} - own
    taken = sorted(names & free)
    check(
        not taken,
        f"`{''.join(taken[:1])}` means something else in {line}",
        "rename one of them",
    )


def solved_reads(producer: Producer, reader: Statement) -> Reads:
    """Which iteration wrote what each read gets. Raises LX106."""
    found: dict[Cell, tuple[IntExpr, ...]] = {}
    for access in reader.accesses:
        if producer.may_give(access):
            cell: Sequence[IntExpr] = [x for x in access.subscripts if x is not None]
            values = solved(producer.statement.loops, producer.cell, cell, reader.loops)
            check(
                values is not None,
                f"the subscripts in {producer.words} do not say which iteration wrote"
                " a cell",
                "write each cell once, at subscripts like `T[i, j]` or `T[2 * i + 1]`",
            )
            assert values is not None
            found[access.cell] = values
    return found
