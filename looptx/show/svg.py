"""A scene as SVG: two panels, and for a file of its own a title and a legend."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Iterator
from html import escape
from importlib.resources import files
from itertools import pairwise

from looptx.show import heading
from looptx.show.layout import Drawing, Figure, Label, Spot, figure_of
from looptx.show.scene import HUES, SHADES, Scene, View

MARK = "made by looptx show"
"""In a comment at the beginning of every picture: ours may be replaced by us."""

STYLE = "picture.css"
"""The style sheet of the drawing."""

MARGIN = 32
"""Around a picture that is a file."""

DIGIT = 6.6
"""The width of a digit in a cell."""

HIDDEN = 1500
"""At most so many arrows wait to be shown when their cell is pointed at."""


def resource(name: str) -> str:
    """A text that comes with this package."""
    return (files(__package__) / name).read_text(encoding="utf-8")


def text(x: float, y: float, content: str, kind: str, anchor: str = "start") -> str:
    """One line of text.

    Args:
        x, y: its position.
        content: what it says.
        kind: its class.
        anchor: which end of it is at that position.

    Returns:
        The element.
    """
    where = f' text-anchor="{anchor}"' if anchor != "start" else ""
    return (
        f'<text class="{kind}" x="{_number(x)}" y="{_number(y)}"{where}>'
        f"{escape(content)}</text>"
    )


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def labels(many: Iterable[Label]) -> Iterator[str]:
    """Their texts."""
    for label in many:
        yield text(label.x, label.y, label.text, label.kind, label.anchor)


def panels(scene: Scene, figure: Figure, *, live: bool) -> Iterator[str]:
    """The titles and the two panels.

    Args:
        scene: what is drawn. figure: where.
        live: add what a page shows on demand.

    Yields:
        SVG elements.
    """
    for view, drawing, name in (
        (scene.before, figure.before, "before"),
        (scene.after, figure.after, "after"),
    ):
        yield f'<g class="view" id="{name}">'
        yield from _view(scene, view, drawing, figure, live=live)
        yield "</g>"


def _view(
    scene: Scene, view: View, drawing: Drawing, figure: Figure, *, live: bool
) -> Iterator[str]:
    size, numbers = figure.cell, counted(scene, figure)
    yield from labels(drawing.labels)
    radius = max(0.8, size / 24)
    for x, y in drawing.empty:
        yield f'<circle class="empty" cx="{x:g}" cy="{y:g}" r="{radius:.2g}"/>'
    gap = 1.5 if size >= 14 else 1
    side, corner = size - gap, min(5, size / 7)
    for number, (x, y) in drawing.cells.items():
        yield (
            f'<rect class="cell {view.tones[number]}" data-run="{number}"'
            f' x="{_number(x - side / 2)}" y="{_number(y - side / 2)}"'
            f' width="{side:g}" height="{side:g}" rx="{corner:.2g}"/>'
        )
    if live or not numbers:
        yield from _route(view, drawing, size, hidden=numbers)
    shown = {(each.source, each.sink) for each in scene.shown}
    broken = {(each.dependence.source, each.dependence.sink) for each in scene.faults}
    few = len(scene.dependences) <= HIDDEN
    yield '<g class="arrows">'
    for dependence in scene.dependences:
        pair = dependence.source, dependence.sink
        if pair in shown or (live and few):
            kind = dependence.kind
            kind += " broken" if pair in broken and view is scene.after else ""
            kind += "" if pair in shown else " more"
            ends = drawing.cells[pair[0]], drawing.cells[pair[1]]
            yield arrow(*ends, size, f"arrow {kind}", pair)
    yield "</g>"
    if scene.faults:
        yield from _pair(scene, drawing, size)
    if numbers:
        for number, (x, y) in drawing.cells.items():
            step = str(view.order.steps[number] + 1)
            where = f'x="{_number(x)}" y="{_number(y + 3.8)}" text-anchor="middle"'
            kind = f"step {view.tones[number]}"
            yield f'<text class="{kind}" data-run="{number}" {where}>{step}</text>'


def counted(scene: Scene, figure: Figure) -> bool:
    """Whether the step of every run fits into its cell."""
    steps = (*scene.before.order.steps, *scene.after.order.steps)
    digits = len(str(max(steps, default=0) + 1))
    return figure.cell >= max(15, digits * DIGIT + 3)


def _route(view: View, drawing: Drawing, size: int, *, hidden: bool) -> Iterator[str]:
    """The way from each run to the next, and faintly where it jumps.

    Steps of several runs are passed by.
    """
    steps: dict[int, list[int]] = {}
    for number in drawing.cells:
        steps.setdefault(view.order.steps[number], []).append(number)
    spots = [drawing.cells[steps[at][0]] for at in sorted(steps) if len(steps[at]) == 1]
    ways: dict[str, list[str]] = {"route": [], "route jump": []}
    for spot, after in pairwise(spots):
        kind = "route" if math.dist(spot, after) < 1.1 * size else "route jump"
        ways[kind].append("M" + "L".join(_pairs((spot, after))))
    for kind, lines in ways.items():
        if lines:
            more = " more" if hidden else ""
            yield f'<path class="{kind}{more}" d="{"".join(lines)}"/>'


def arrow(start: Spot, end: Spot, size: float, kind: str, pair: tuple[int, int]) -> str:
    """An arrow between two cells; a long one is bent, to pass the cells between.

    Args:
        start, end: the centres of the cells. size: of a cell.
        kind: its CSS class. pair: the numbers of the two runs, for the page's script.

    Returns:
        An SVG element.
    """
    (x, y), (u, v) = start, end
    length = math.hypot(u - x, v - y) or 1.0
    across, along = (v - y) / length, (u - x) / length
    bend = 0.0 if length < 1.6 * size else min(0.16 * length, 0.9 * size)
    middle = (x + u) / 2 + across * bend, (y + v) / 2 - along * bend
    a, b = _toward(start, middle, size)
    tip_x, tip_y = _toward(end, middle, size)
    head = max(2.6, min(4.6, size / 7))
    angle = math.atan2(tip_y - middle[1], tip_x - middle[0])
    wings = [
        (tip_x - head * math.cos(angle + turn), tip_y - head * math.sin(angle + turn))
        for turn in (0.5, -0.5)
    ]
    tip = "L".join(_pairs([wings[0], (tip_x, tip_y), wings[1]]))
    curve = (
        f"Q{_number(middle[0])} {_number(middle[1])} {_number(tip_x)} {_number(tip_y)}"
        if bend
        else f"L{_number(tip_x)} {_number(tip_y)}"
    )
    data = f' data-from="{pair[0]}" data-to="{pair[1]}"'
    line = f"M{_number(a)} {_number(b)}{curve}"
    return (
        f'<g class="{kind}"{data}><path class="line" d="{line}"/>'
        f'<path class="head" d="M{tip}"/></g>'
    )


def _pairs(spots: Iterable[Spot]) -> Iterator[str]:
    return (f"{_number(x)} {_number(y)}" for x, y in spots)


def _toward(start: Spot, end: Spot, size: float) -> Spot:
    """Where a line leaves a cell's number, which is wider than high."""
    x, y = end[0] - start[0], end[1] - start[1]
    inset = 1 / (math.hypot(x / (0.33 * size), y / (0.24 * size)) or 1.0)
    share = min(0.45, inset)
    return start[0] + x * share, start[1] + y * share


def _pair(scene: Scene, drawing: Drawing, size: int) -> Iterator[str]:
    """The two runs that the new order gets wrong."""
    dependence = scene.faults[0].dependence
    ends = dependence.source, dependence.sink
    side = size - 1
    yield '<g class="fault">'
    for number in ends:
        x, y = drawing.cells[number]
        corner = min(5, size / 7)
        yield _rect(x - side / 2, y - side / 2, side, side, corner)
    spots = [drawing.cells[number] for number in ends]
    yield arrow(spots[0], spots[1], size, "arrow", ends)
    yield "</g>"


def drawing(scene: Scene, figure: Figure, *, live: bool = False) -> tuple[str, float]:
    """The panels and the legend below them, and how tall they are together.

    Args:
        scene: what is drawn.
        figure: where.
        live: whether a page moves it.

    Returns:
        Their elements, and the height.
    """
    parts = list(panels(scene, figure, live=live))
    y = figure.height + 34
    for kind, content in heading.keys(scene, counted=counted(scene, figure)):
        for at, line in enumerate(textwrap.wrap(content, 100)):
            if at == 0:
                parts.extend(_sample(kind, y))
            parts.append(text(64, y, line, "key"))
            y += 20
    for line in (line for note in scene.notes for line in textwrap.wrap(note, 110)):
        parts.append(text(0, y, line, "note"))
        y += 20
    return "".join(parts), y - 8


def _sample(kind: str, y: float) -> Iterator[str]:
    """What a line of the legend is about, left of it."""
    middle = y - 4
    match kind:
        case "blocks":
            for at in range(HUES - 2):
                yield _rect(13 * at, y - 10, 12, 12, 2, f"cell b{at}")
        case "shades":
            for at in range(SHADES):
                yield _rect(5.6 * at, y - 10, 5.8, 12, 0, f"cell r{at}")
        case "steps":
            yield _rect(18, y - 12, 16, 16, 3, "cell r2")
            yield text(26, y, "7", "step r2", "middle")
        case "route":
            yield f'<path class="route" d="M4 {middle}L48 {middle}"/>'
        case "fault":
            yield '<g class="fault">'
            yield _rect(8, y - 11, 14, 14, 3)
            yield _rect(31, y - 11, 14, 14, 3)
            yield "</g>"
        case "flow" | "anti" | "output":
            yield arrow((0, middle), (52, middle), 30, f"arrow {kind}", (-1, -1))


def _rect(
    x: float,
    y: float,
    width: float,
    height: float,
    corner: float,
    kind: str = "frame",
) -> str:
    return (
        f'<rect class="{kind}" x="{_number(x)}" y="{_number(y)}"'
        f' width="{width:g}" height="{height:g}" rx="{corner:.2g}"/>'
    )


def picture(scene: Scene) -> str:
    """A scene as an SVG file."""
    figure = figure_of(scene, heading.codes(scene))
    body, height = drawing(scene, figure)
    width = max(figure.width, 560)
    lines: list[str] = []
    y = 20.0
    for kind, content in heading.lines(scene):
        fit = int(width / (8.2 if kind in ("mono", "title") else 6.6))
        for line in textwrap.wrap(content, fit) or [""]:
            lines.append(text(0, y, line, kind))
            y += 20
        y += 4
    top = y + 18
    full = width + 2 * MARGIN, top + height + 2 * MARGIN
    title = escape(heading.title(scene))
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f"<!-- {MARK} -->\n"
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{full[0]:.0f}"'
        f' height="{full[1]:.0f}" viewBox="0 0 {full[0]:.0f} {full[1]:.0f}"'
        f' role="img" aria-label="{title}">\n<title>{title}</title>\n'
        f"<style>{resource(STYLE)}.paper {{ fill: #fff; }}\n"
        "@media (prefers-color-scheme: dark) { .paper { fill: #12181f; } }</style>\n"
        '<rect class="paper" width="100%" height="100%"/>\n'
        f'<g transform="translate({MARGIN} {MARGIN})">\n{"".join(lines)}\n'
        f'<g transform="translate(0 {top:.0f})">{body}</g>\n</g>\n</svg>\n'
    )
