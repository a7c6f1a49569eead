"""The statements that read what a statement writes, as far as one sees in the text."""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence
from contextlib import suppress

from looptx.directives.base import check
from looptx.directives.moving.inlining.cases import MOST_CELLS, Reads
from looptx.directives.moving.inlining.producer import Producer
from looptx.directives.moving.inlining.solving import solved
from looptx.directives.moving.inlining.values import BINDING, bound
from looptx.errors import Malformed
from looptx.model.elements import Cell
from looptx.model.expr import TRUE, IntExpr
from looptx.model.program import Nest, Statement
from looptx.model.schedule import Schedule, Tree, statements
from looptx.model.schedule import Sequence as InOrder


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
    nest = schedule.nest

    def reads(name: str) -> Reads:
        check_reader(nest, nest.statements[name], producer)
        return solved_reads(producer, nest.statements[name])

    sure, behind = _readers(schedule, producer, own)
    found = {name: reads(name) for name in sure}
    for name in behind if producer.cell else ():
        # Where it reads other values only, no expression need stand there.
        with suppress(Malformed):
            perhaps = reads(name)
            if len(perhaps) <= MOST_CELLS:
                found[name] = perhaps
    return found


def _readers(
    schedule: Schedule, producer: Producer, own: Collection[str]
) -> tuple[list[str], list[str]]:
    """The statements that may read the values, as far as one sees that in the text.

    Args:
        schedule: the schedule. producer: one of the statements of a nest, which may be
            cut or distributed by now. own: all of them.

    Returns:
        Those up to the next nest that writes the array again, and those behind it.
    """
    tree, array, nest = schedule.tree, producer.array, schedule.nest
    tops = tree.children if isinstance(tree, InOrder) else (tree,)
    home = next(
        at for at, one in enumerate(tops) if producer.statement.name in statements(one)
    )
    found: list[str] = []
    behind: list[str] = []
    now = found
    for top in tops[home:]:
        names = [x for x in statements(top) if x != producer.statement.name]
        for at, name in enumerate(names):
            if any(map(producer.may_give, nest.statements[name].accesses)) and not (
                now is behind and _is_new(nest, names[:at], name, array)
            ):
                now.append(name)
        again = not set(names).issubset(own) and _writes(nest, top, array)
        if top is not tops[home] and again:
            now = behind
    return found, behind


def _is_new(nest: Nest, before: Collection[str], name: str, array: str) -> bool:
    """Whether a statement reads what has been written in the same iteration.

    Args:
        nest: all statements. before: those in front of it. name: its name.
        array: of which it reads cells.
    """
    reader = nest.statements[name]
    same = [
        one
        for one in map(nest.statements.__getitem__, before)
        if (one.loops, one.guard) == (reader.loops, reader.guard)
    ]
    writes = [x for one in same for x in one.accesses if x.write and x.certain]
    written = {x.cell for x in writes if x.where == TRUE}
    read = {x.cell for x in reader.accesses if x.array == array and not x.write}
    return read <= written


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
