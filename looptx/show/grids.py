"""Where each run is drawn: a grid per statement, in the coordinates of a schedule.

A schedule has one axis for each loop of the source: what ``split`` divided is put
together again, so that a tiled loop keeps its shape, while ``skew`` turns a rectangle
into a parallelogram and ``pad`` moves it. The two innermost axes make a grid; every
value of the outer ones is a grid of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from looptx.model.records import dataclass
from looptx.model.schedule import Band, Schedule, path, statements
from looptx.show.order import Order
from looptx.show.runs import Space

Point = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Axis:
    """One loop: ``name`` is the loop, or what a skewed loop counts (``i + j``).

    ``low`` and ``high`` are its first and last coordinate, ``texts`` what they show.
    """

    name: str
    low: int
    high: int
    texts: Mapping[int, str]

    @property
    def count(self) -> int:
        """The number of coordinates."""
        return self.high - self.low + 1


@dataclass(frozen=True, slots=True)
class Grid:
    """The runs of one statement.

    Attributes:
        statement: its name.
        axes: outermost first; none when the statement never runs.
        places: the coordinates of each of its runs, by number of the run.
        facets: the values of the axes outside the last two at which something runs.
    """

    statement: str
    axes: tuple[Axis, ...]
    places: Mapping[int, Point]
    facets: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class _Line:
    """An axis before its extent is known; ``key`` is equal where axes are the same."""

    key: tuple[int, ...]
    loop: str
    places: Mapping[int, int]


def grids_of(space: Space, schedule: Schedule, order: Order) -> list[Grid]:
    """The grid of every statement, those of equal axes drawn to the same extent.

    Args:
        space: the runs.
        schedule: the schedule whose loops are the axes.
        order: where it puts each run.

    Returns:
        One grid for each statement, in the order of the source.
    """
    numbers: dict[str, list[int]] = {name: [] for name in statements(schedule.tree)}
    for number, run in enumerate(space.runs):
        numbers[run.statement].append(number)
    lines = {
        name: _lines(space, schedule, order, name, own) for name, own in numbers.items()
    }
    extents: dict[tuple[int, ...], tuple[int, int]] = {}
    for each in lines.values():
        for line in each:
            if line.places:
                low, high = min(line.places.values()), max(line.places.values())
                known = extents.get(line.key, (low, high))
                extents[line.key] = min(low, known[0]), max(high, known[1])
    result = []
    for name, each in lines.items():
        own = numbers[name]
        axes = tuple(_axis(space, line, *extents[line.key]) for line in each if own)
        places = {at: tuple(line.places[at] for line in each) for at in own}
        facets = tuple(sorted({place[:-2] for place in places.values()}))
        result.append(Grid(name, axes, places, facets))
    return result


def _lines(
    space: Space,
    schedule: Schedule,
    order: Order,
    statement: str,
    own: Sequence[int],
) -> list[_Line]:
    """The axes of a statement, in the order of its loops in the source."""
    dims = [
        node.dim.uid
        for node, _ in path(schedule.tree, statement)
        if isinstance(node, Band)
    ]
    result = []
    for loop in _own_loops(schedule, statement):
        weights = schedule.index[statement, loop].weights
        parts = {
            uid: weights[uid]
            for uid in dims
            if schedule.owner[uid].get(statement) == loop and uid in weights
        }
        places = {
            number: sum(
                weight * order.positions[number][uid] for uid, weight in parts.items()
            )
            for number in own
        }
        result.append(_Line(tuple(parts), loop, places))
    points = {space.runs[at].point[-len(result) :] if result else () for at in own}
    if len({tuple(line.places[at] for line in result) for at in own}) < len(points):
        return _as_indexed(space, schedule, statement, own)
    return result


def _own_loops(schedule: Schedule, statement: str) -> list[str]:
    """The loops of a statement that the schedule knows, outermost first.

    That of the source knows none that the statement moved into.
    """
    loops = schedule.nest.statements[statement].loops
    return [loop for loop in loops if (statement, loop) in schedule.index]


def _as_indexed(
    space: Space, schedule: Schedule, statement: str, own: Sequence[int]
) -> list[_Line]:
    """The axes by the loops' own values, where no better ones distinguish the runs."""
    result = []
    loops = schedule.nest.statements[statement].loops
    for loop in _own_loops(schedule, statement):
        axis, step = loops.index(loop), schedule.nest.loops[loop].step
        places = {at: space.runs[at].point[axis] // step for at in own}
        result.append(
            _Line((-1 - list(schedule.nest.loops).index(loop),), loop, places)
        )
    return result


def _axis(space: Space, line: _Line, low: int, high: int) -> Axis:
    """The axis with its name and texts: the loop's values where it shows them."""
    number = next(iter(line.places))
    loops = space.nest.statements[space.runs[number].statement].loops
    at = loops.index(line.loop)
    shown: dict[int, set[int]] = {}
    for number, place in line.places.items():
        shown.setdefault(place, set()).add(space.runs[number].point[at])
    variable = space.nest.loops[line.loop].var
    if all(len(values) == 1 for values in shown.values()):
        texts = {place: str(*values) for place, values in shown.items()}
        return Axis(variable, low, high, texts)
    points = {number: space.runs[number].point for number in line.places}
    formula = _formula(points, line.places)
    if formula is None:
        texts = {place: str(place) for place in range(low, high + 1)}
        return Axis(f"position of {variable}", low, high, texts)
    factors, constant = formula
    texts = {place: str(place - constant) for place in range(low, high + 1)}
    names = [space.nest.loops[loop].var for loop in loops]
    return Axis(_sum(factors, names, at), low, high, texts)


def _formula(
    points: Mapping[int, Point], places: Mapping[int, int]
) -> tuple[Point, int] | None:
    """The factors and the constant of a linear function, if ``places`` is one."""
    base = next(iter(points))
    factors = []
    for axis in range(len(points[base])):
        factor = 0
        known: dict[Point, tuple[int, int]] = {}
        for number, point in points.items():
            others = (*point[:axis], *point[axis + 1 :])
            first = known.setdefault(others, (point[axis], places[number]))
            if first[0] != point[axis]:
                factor = (places[number] - first[1]) // (point[axis] - first[0])
                break
        factors.append(factor)
    values = {
        places[number] - sum(a * b for a, b in zip(factors, point, strict=True))
        for number, point in points.items()
    }
    return (tuple(factors), values.pop()) if len(values) == 1 else None


def _sum(factors: Sequence[int], names: Sequence[str], first: int) -> str:
    """``i + 2*j``, with the axis' own loop in front."""
    order = sorted(range(len(names)), key=lambda at: (at != first, at))
    text = ""
    for at in order:
        factor = factors[at]
        if factor:
            term = names[at] if abs(factor) == 1 else f"{abs(factor)}*{names[at]}"
            sign = ("-" if factor < 0 else "") if not text else " +-"[1 + (factor < 0)]
            text += f" {sign} {term}" if text else f"{sign}{term}"
    return text or "0"
