"""The positions of cells, labels and titles, in pixels.

One cell size serves the whole picture: the largest at which both panels stand side by
side, or above each other where that makes cells much larger. In a panel the grids of
the statements follow each other in lines, as words do.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from looptx.model.records import dataclass, field
from looptx.show.grids import Axis, Grid, Point
from looptx.show.scene import Scene, View

Spot = tuple[float, float]

WIDTH = 1160
"""The width between the margins."""

GUTTER = 56
"""Between the two panels."""

LARGEST, SMALLEST = 36, 5
"""Cells are so large."""

LINED = 20
"""Cells may shrink to this so that more fit in one line."""

LOW = 600
"""The panels stand above each other only if they are together no taller."""

TALLEST = 1500
"""Cells become smaller before the picture becomes taller than this."""

LETTER = 6.4
"""The width of a character of a label."""

CODE = 7.6
"""The width of a character of code."""

LINE = 18
"""The height of a line of labels."""

GAP = 22
"""Between grids."""

NOTHING = 150.0, 40.0
"""The size of a grid without cells."""


@dataclass(frozen=True, slots=True)
class Label:
    """A text; ``kind`` is its class, ``anchor`` where x is: start, middle or end."""

    x: float
    y: float
    text: str
    kind: str
    anchor: str = "middle"

    def moved(self, x: float, y: float) -> Label:
        """The same, elsewhere."""
        return Label(self.x + x, self.y + y, self.text, self.kind, self.anchor)


@dataclass(slots=True)
class Drawing:
    """Cells by the number of their run (their centres), empty places, and labels."""

    width: float = 0
    height: float = 0
    cells: dict[int, Spot] = field(default_factory=dict)
    empty: list[Spot] = field(default_factory=list)
    labels: list[Label] = field(default_factory=list)

    def put(self, other: Drawing, x: float, y: float) -> None:
        """Add another drawing.

        Args:
            other: the drawing. x, y: where its upper left corner goes.
        """
        for number, (a, b) in other.cells.items():
            self.cells[number] = a + x, b + y
        self.empty += [(a + x, b + y) for a, b in other.empty]
        self.labels += [label.moved(x, y) for label in other.labels]
        self.width = max(self.width, x + other.width)
        self.height = max(self.height, y + other.height)


@dataclass(frozen=True, slots=True)
class Figure:
    """The two panels; ``cell`` is the size of a cell."""

    cell: int
    width: float
    height: float
    before: Drawing
    after: Drawing


def figure_of(scene: Scene, codes: Mapping[str, str]) -> Figure:
    """Lay a scene out.

    Args:
        scene: what to show.
        codes: the text above each statement's grid.
    """
    beside = _largest(scene, codes, (WIDTH - GUTTER) / 2, stacked=False)
    above = _largest(scene, codes, WIDTH, stacked=True)
    low = _height(scene, codes, above, WIDTH, stacked=True) <= LOW
    broken = _rows(scene, beside, (WIDTH - GUTTER) / 2) > _rows(scene, above, WIDTH)
    if low and (broken or above > 1.4 * beside):
        return _place(scene, codes, above, WIDTH, stacked=True)
    return _place(scene, codes, beside, (WIDTH - GUTTER) / 2, stacked=False)


def _largest(
    scene: Scene, codes: Mapping[str, str], room: float, *, stacked: bool
) -> int:
    """The largest cells with which the picture is neither too wide nor too tall.

    All statements in one line, or else all slices of each, are worth smaller cells.
    """
    grids = [*scene.before.grids, *scene.after.grids]
    fitting = [
        size
        for size in range(LARGEST, SMALLEST, -1)
        if all(_extent(grid, size, room)[0] <= room for grid in grids)
        and _height(scene, codes, size, room, stacked=stacked) <= TALLEST
    ]
    sliced = [
        size for size in fitting if size >= LINED and _rows(scene, size, room) == 1
    ]
    lined = [size for size in sliced if _lines(scene, codes, size, room) == 1]
    return next(iter([*lined[:1], *sliced[:1], *fitting]), SMALLEST)


def _rows(scene: Scene, size: int, room: float) -> int:
    """The most lines that the slices of one grid take."""
    grids = [*scene.before.grids, *scene.after.grids]
    lines = (math.ceil(len(each.facets) / _across(each, size, room)) for each in grids)
    return max(1, *lines)


def _lines(scene: Scene, codes: Mapping[str, str], size: int, room: float) -> int:
    """In how many lines the statements are drawn."""
    tops = [
        {y for _, y in _flow([_box(g, codes, size, room) for g in view.grids], room)}
        for view in (scene.before, scene.after)
    ]
    return max(map(len, tops))


def _height(
    scene: Scene, codes: Mapping[str, str], size: int, room: float, *, stacked: bool
) -> float:
    """About how tall the panels are."""
    heights = []
    for view in (scene.before, scene.after):
        boxes = [_box(grid, codes, size, room) for grid in view.grids]
        spots = _flow(boxes, room)
        heights.append(
            max(y + box[1] for (_, y), box in zip(spots, boxes, strict=True))
        )
    return sum(heights) if stacked else max(heights)


def _box(grid: Grid, codes: Mapping[str, str], size: int, room: float) -> Spot:
    """The width and height of a grid with its code above it."""
    wide, tall = _extent(grid, size, room)
    code = min(room, len(codes[grid.statement]) * CODE)
    return max(wide, code), LINE + tall


def _flow(boxes: Sequence[Spot], room: float) -> list[Spot]:
    """The positions of boxes, side by side in lines."""
    spots = []
    x = y = tallest = 0.0
    for wide, tall in boxes:
        if x and x + wide > room:
            x, y, tallest = 0.0, y + tallest + GAP, 0.0
        spots.append((x, y))
        x += wide + 2 * GAP
        tallest = max(tallest, tall)
    return spots


def _place(
    scene: Scene, codes: Mapping[str, str], size: int, room: float, *, stacked: bool
) -> Figure:
    before = _panel(scene.before, codes, size, room)
    after = _panel(scene.after, codes, size, room)
    moved = Drawing()
    if stacked:
        moved.put(after, 0, before.height + GAP)
    else:
        moved.put(after, before.width + GUTTER, 0)
    width, height = max(before.width, moved.width), max(before.height, moved.height)
    return Figure(size, width, height, before, moved)


def _panel(view: View, codes: Mapping[str, str], size: int, room: float) -> Drawing:
    """Its title, and every grid below its code."""
    panel = Drawing()
    panel.labels.append(Label(0, LINE - 6, view.title, "panel", "start"))
    boxes = [_box(grid, codes, size, room) for grid in view.grids]
    fit = int(room / CODE)
    for grid, box, (x, y) in zip(view.grids, boxes, _flow(boxes, room), strict=True):
        drawing = Drawing(*box)
        code = codes[grid.statement]
        code = code if len(code) <= fit else f"{code[: fit - 1]}…"
        drawing.labels.append(Label(0, LINE - 6, code, "code", "start"))
        drawing.put(_drawn(grid, size, room), 0, LINE)
        panel.put(drawing, x, y + LINE + 6)
    return panel


def _extent(grid: Grid, size: int, room: float) -> Spot:
    """The width and height of a grid, before it is drawn."""
    if not grid.places:
        return NOTHING
    rows, columns = _inner(grid)
    across = _across(grid, size, room)
    beside = min(across, len(grid.facets))
    lines = math.ceil(len(grid.facets) / across)
    tall = (rows.count if rows is not None else 1) * size + LINE - 2
    tall += LINE if grid.facets[0] else 0
    wide = beside * (columns.count * size + GAP) - GAP + _right(columns)
    return _left(rows) + wide, lines * (tall + 10) - 10


def _drawn(grid: Grid, size: int, room: float) -> Drawing:
    """All slices of a grid, in lines as wide as there is room."""
    if not grid.places:
        box = Drawing(*NOTHING)
        box.labels.append(Label(0, 24, "no iterations", "none", "start"))
        return box
    rows, columns = _inner(grid)
    left, across = _left(rows), _across(grid, size, room)
    drawing = Drawing()
    y = 0.0
    for start in range(0, len(grid.facets), across):
        line = grid.facets[start : start + across]
        for at, facet in enumerate(line):
            box = _facet(grid, facet, size, at == 0, at == len(line) - 1)
            drawing.put(box, left + at * (columns.count * size + GAP), y)
        y = drawing.height + 10
    return drawing


def _inner(grid: Grid) -> tuple[Axis | None, Axis]:
    """The vertical and the horizontal axis."""
    *outer, columns = grid.axes
    return (outer[-1] if outer else None), columns


def _across(grid: Grid, size: int, room: float) -> int:
    """How many slices are drawn in one line."""
    if not grid.places:
        return 1
    rows, columns = _inner(grid)
    beside = _left(rows) + _right(columns)
    return max(1, int((room - beside + GAP) // (columns.count * size + GAP)))


def _left(rows: Axis | None) -> float:
    """The room for the labels of the rows."""
    if rows is None:
        return 0
    longest = max(map(len, rows.texts.values()))
    return max(longest, len(rows.name) + 2) * LETTER + 8


def _right(columns: Axis) -> float:
    """The room for the name of the columns."""
    return 6 + (len(columns.name) + 2) * LETTER


def _facet(grid: Grid, facet: Point, size: int, first: bool, last: bool) -> Drawing:
    """One grid of cells; the first of a line has row labels, the last axis names."""
    rows, columns = _inner(grid)
    box = Drawing()
    top = 0.0
    if facet:
        text = ", ".join(
            f"{axis.name} = {axis.texts.get(at, at)}"
            for axis, at in zip(grid.axes, facet, strict=False)
        )
        top += LINE
        box.labels.append(Label(0, top - 6, text, "facet", "start"))
    top += LINE - 2
    count = rows.count if rows is not None else 1
    box.width, box.height = columns.count * size, top + count * size
    widest = max(map(len, columns.texts.values())) * LETTER + 5
    for at, text in _ticks(columns, size, widest):
        box.labels.append(Label((at + 0.5) * size, top - 5, text, "tick"))
    if last:
        name = f"{columns.name} →"
        box.labels.append(Label(box.width + 6, top - 5, name, "axis", "start"))
        box.width += _right(columns)
    if rows is not None and first:
        for at, text in _ticks(rows, size, 13):
            y = top + (at + 0.5) * size + 4
            box.labels.append(Label(-6, y, text, "tick", "end"))
        box.labels.append(Label(-6, top - 5, f"{rows.name} ↓", "axis", "end"))
    taken = set()
    for number, place in grid.places.items():
        if place[:-2] == facet:
            row = place[-2] - rows.low if rows is not None else 0
            column = place[-1] - columns.low
            taken.add((row, column))
            box.cells[number] = _centre(row, column, size, top)
    box.empty = [
        _centre(row, column, size, top)
        for row in range(count)
        for column in range(columns.count)
        if (row, column) not in taken
    ]
    return box


def _centre(row: int, column: int, size: int, top: float) -> Spot:
    return (column + 0.5) * size, top + (row + 0.5) * size


def _ticks(axis: Axis, size: int, needed: float) -> Iterator[tuple[int, str]]:
    """Every label, or every second, fifth ... where they would touch."""
    stride = next(
        (step for step in (1, 2, 5, 10, 20, 50) if step * size >= needed), 100
    )
    for at in range(0, axis.count, stride):
        text = axis.texts.get(axis.low + at)
        if text is not None:
            yield at, text
