"""A plan as a text: which worker has which block, what a block reads, what travels."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from typing import TypeAlias

from looptx.cluster.graph.nodes import Node
from looptx.cluster.graph.steps import Step
from looptx.cluster.work import cells
from looptx.cluster.work.boxes import Box, joined, met, volume

MOST = 16
"""The most rows and columns of a table, and the most times in a line."""

Halos: TypeAlias = "Mapping[tuple[str, str], list[Box]]"
"""Cells of a block, by the name of the array and where they come from."""


def drawing(
    head: str,
    made: Sequence[Step],
    nodes: Sequence[Node],
    inputs: Sequence[Sequence[Node]],
) -> str:
    """The blocks of each nest, the halo of one of them, and the bytes of each step.

    Args:
        head: what stands above. made: the steps.
        nodes, inputs: the tasks, and what each needs.
    """
    steps: dict[str, list[Step]] = defaultdict(list)
    for one in made:
        steps[one.label].append(one)
    needs = dict(zip(map(id, nodes), inputs, strict=True))
    lines = [head]
    for label, own in steps.items():
        busiest = max(own, key=lambda step: step.traffic.moved)
        lines += ["", *_step(label, busiest, nodes, needs)]
    lines += ["", "bytes between workers, step by step:"]
    width = max(map(len, steps), default=0)
    for label, own in steps.items():
        lines += (f"  {label:{width}}  {text}" for text in _bytes(own))
    return "\n".join(line.rstrip() for line in lines)


def _step(
    label: str,
    step: Step,
    nodes: Sequence[Node],
    inputs: Mapping[int, Sequence[Node]],
) -> Iterator[str]:
    """The blocks of a step, and one of them.

    Args:
        label: what its tasks are called. step: which. nodes, inputs: of the plan.
    """
    own = [
        node
        for node in nodes
        if step.begin < node.key[1] <= step.end
        and node.work is not None
        and node.key[0].rpartition("-")[0].endswith(f".{label}")
    ]
    when = "".join(f", {name}={value}" for name, value in step.around)
    if not step.blocks:
        yield f"{label}{when}: one task, on worker {own[0].worker}"
    else:
        yield f"{label}{when}: the worker of each of {_counted(len(own), 'block')}"
        yield ""
        yield from _blocks(step, own)
    halos = [_halos(node, inputs[id(node)]) for node in own]
    at = max(range(len(own)), key=lambda one: _far(own[one], halos[one]))
    yield ""
    yield from _block(step, own[at], halos[at])


def _blocks(step: Step, nodes: Sequence[Node]) -> Iterator[str]:
    """The workers of blocks, as tables of the last two loops.

    Args:
        step: which. nodes: its blocks.
    """
    *outer, last = step.blocks
    *pages, row = outer or [("", -1)]
    tables: dict[tuple[int, ...], dict[tuple[int, int], str]] = defaultdict(dict)
    for node in nodes:
        page = tuple(node.key[at] for _, at in pages)
        place = node.key[row[1]] if row[0] else 0, node.key[last[1]]
        tables[page][place] = str(node.worker)
    for page, table in tables.items():
        if pages:
            yield "  " + ", ".join(
                f"{name}={value}" for (name, _), value in zip(pages, page, strict=True)
            )
        heads = f"{row[0]}=" if row[0] else None
        yield from _table(table, heads, f"{last[0]}=")


def _table(
    table: Mapping[tuple[int, int], str], row: str | None, column: str
) -> Iterator[str]:
    """A table of what stands at pairs of numbers.

    Args:
        table: it. row: what stands in front of the first numbers, which are not said
            where it is None. column: in front of the second ones.
    """
    rows, columns = (sorted({one[axis] for one in table}) for axis in (0, 1))
    heads = [f"{column}{x}" for x in columns[:MOST]]
    sides = ["" if row is None else f"{row}{x}" for x in rows[:MOST]]
    width = max(map(len, (*heads, *table.values())))
    side = max(map(len, sides))
    more = "  .." * (len(columns) > MOST)
    yield f"  {'':{side}}" + "".join(f"  {head:>{width}}" for head in heads) + more
    for name, at in zip(sides, rows, strict=False):
        own = (table.get((at, x), "") for x in columns[:MOST])
        yield f"  {name:{side}}" + "".join(f"  {x:>{width}}" for x in own) + more
    if len(rows) > MOST:
        yield "  .."


def _halos(node: Node, inputs: Sequence[Node]) -> Halos:
    """What a block reads, and where it is.

    Args:
        node: the block. inputs: what it needs.
    """
    found: dict[tuple[str, str], list[Box]] = defaultdict(list)
    assert node.work is not None
    for name, window in node.work.windows.items():
        sources = [*window.sources, *([window.home] if window.home else [])]
        for source in sources:
            given = inputs[source.number]
            if given.function is cells.here:
                where = "caller"
            else:
                where = "file" if given.function is cells.read else str(given.worker)
            found[name, where] += source.boxes
    return found


def _far(node: Node, halos: Halos) -> int:
    """How many cells a block has from other workers."""
    own = {str(node.worker), "caller", "file"}
    return sum(volume(boxes) for (_, where), boxes in halos.items() if where not in own)


def _block(step: Step, node: Node, halos: Halos) -> Iterator[str]:
    """What one block reads and writes.

    Args:
        step: it is of. node: the block. halos: what it reads.
    """
    name = " ".join(f"{name}={node.key[at]}" for name, at in step.blocks)
    yield f"  {name}{' ' * bool(name)}on worker {node.worker}"
    for array, boxes in node.written.items():
        yield f"    writes {_cells(array, boxes)}"
    for (array, where), boxes in sorted(halos.items()):
        place = {str(node.worker): "has", "caller": "is sent", "file": "reads"}.get(
            where, f"gets from worker {where}"
        )
        yield f"    {place} {_cells(array, joined(boxes))}"
    for array in dict.fromkeys(array for array, _ in halos):
        own = {where: boxes for (name, where), boxes in halos.items() if name == array}
        if len(own) > 1:
            yield from _picture(array, own)


def _cells(array: str, boxes: Sequence[Box]) -> str:
    """Cells of an array in words."""
    texts = [
        ", ".join(
            str(start)
            if stop == start + 1
            else f"{start}:{stop}" + f":{step}" * (step > 1)
            for start, stop, step in box
        )
        for box in boxes[:MOST]
    ]
    texts = [f"{array}[{text or '()'}]" for text in texts]
    more = [".."] * (len(boxes) > MOST)
    return f"{', '.join([*texts, *more])}: {_counted(volume(boxes), 'cell')}"


def _picture(array: str, own: Mapping[str, Sequence[Box]]) -> Iterator[str]:
    """Where the cells of a window come from, drawn where that changes.

    Args:
        array: its name. own: the cells, by where they come from.
    """
    boxes = [box for some in own.values() for box in some]
    if len(boxes[0]) not in (1, 2) or any(x[2] > 1 for box in boxes for x in box):
        return
    flat = [box if len(box) == 2 else ((0, 1, 1), *box) for box in boxes]
    edges = [sorted({end for box in flat for end in box[axis][:2]}) for axis in (0, 1)]
    table = {}
    for top, bottom in pairwise(edges[0]):
        for left, right in pairwise(edges[1]):
            part = ((top, bottom, 1), (left, right, 1))[2 - len(boxes[0]) :]
            places = [w for w, some in own.items() if any(met(x, part) for x in some)]
            table[top, left] = places[0] if places else "."
    yield ""
    yield f"    where cells of {array} come from, from these on:"
    rows = "" if len(boxes[0]) == 2 else None
    yield from (f"  {line}" for line in _table(_merged(table), rows, ""))


def _merged(table: Mapping[tuple[int, int], str]) -> dict[tuple[int, int], str]:
    """A table without rows and columns that are as those in front of them."""
    found = dict(table)
    for axis in (0, 1):
        numbers = sorted({one[axis] for one in table})
        lines = {
            x: [found[one] for one in sorted(found) if one[axis] == x] for x in numbers
        }
        same = {x for before, x in pairwise(numbers) if lines[before] == lines[x]}
        found = {one: text for one, text in found.items() if one[axis] not in same}
    return found


def _bytes(steps: Sequence[Step]) -> Iterator[str]:
    """The bytes of a nest's steps, those in one that are equal one after the other.

    Args:
        steps: of one nest.
    """
    runs = [[*some] for _, some in groupby(steps, _moves)]
    for some in runs[:MOST]:
        when = " ".join(f"{name}={value}" for name, value in some[0].around)
        moved, sent = _moves(some[0])
        text = f"{moved}{f' and {sent} sent from the caller' * bool(sent)}"
        if len(some) > 1:
            then = " ".join(f"{name}={value}" for name, value in some[-1].around)
            yield f"{when} to {then}: {text} in each of {len(some)}"
        else:
            yield f"{when}: {text}" if when else text
    if len(runs) > MOST:
        left = sum(one.traffic.moved for some in runs[MOST:] for one in some)
        yield f"and {left} in {_counted(sum(map(len, runs[MOST:])), 'step')} more"
    if len(steps) > 1:
        yield f"{sum(one.traffic.moved for one in steps)} in all"


def _moves(step: Step) -> tuple[int, int]:
    return step.traffic.moved, step.traffic.sent


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'s' * (count != 1)}"
