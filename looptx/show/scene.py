"""Everything a picture shows, before anything is drawn."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from looptx.directives import Verb
from looptx.errors import LooptxError, Refused, Unproven
from looptx.model.moves.cutting import with_cuts
from looptx.model.program import Nest
from looptx.model.records import dataclass, replace
from looptx.model.schedule import (
    Band,
    Dim,
    Schedule,
    bands,
    path,
    statements,
)
from looptx.model.types import Type
from looptx.proof import schedules
from looptx.show import descriptions
from looptx.show.dependences import Broken, Dependence, broken, direct, possible
from looptx.show.grids import Grid, Point, grids_of
from looptx.show.judge import Witness, private, verdict, witness
from looptx.show.moved import moved
from looptx.show.order import Order, order_of
from looptx.show.picture_sizes import blocks_of, checked, space_of
from looptx.show.runs import Run, Space
from looptx.show.touches import Rules, rules_of, touches
from looptx.source.nests.statements.exact_reductions import bit_targets, integer_targets
from looptx.source.nests.statements.raising import with_raises

SHADES = 9
"""The shades from the first run to the last, where there are no blocks."""

HUES = 6
"""The colours of blocks, used again in turn."""

FEW = 170
"""Beyond this many arrows between neighbours, those of one run stand for all."""

FAR = 12
"""As many short arrows are as hard to read as one long one."""


@dataclass(frozen=True, slots=True)
class View:
    """The runs in one order: where each is drawn, and in which colour.

    ``tones`` are names of colours, by the number of the run: ``b2`` for a block,
    ``r5`` for a shade.
    """

    title: str
    order: Order
    grids: Sequence[Grid]
    tones: Sequence[str]


@dataclass(frozen=True, slots=True)
class Scene:
    """A nest before and after its directives, at concrete sizes.

    Attributes:
        kernel: the qualified name of the function.
        nest: the nest's name, where the function has several; else "".
        directives: their texts.
        space: the runs.
        before, after: the two orders.
        dependences: the direct ones.
        shown: those of them that are drawn from the start.
        faults: what the new order breaks, the pair to point at first.
        error: the refusal, if there is one.
        pair: the first fault in words.
        blocks: the loops whose blocks have colours.
        together: the loops whose iterations run together.
        notes: what is left out.
    """

    kernel: str
    nest: str
    directives: tuple[str, ...]
    space: Space
    before: View
    after: View
    rules: Rules
    dependences: Sequence[Dependence]
    shown: Sequence[Dependence]
    faults: Sequence[Broken]
    error: LooptxError | None
    pair: str
    blocks: tuple[str, ...]
    together: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def status(self) -> str:
        """``refused``, ``unknown``, ``trusted``, ``safe``, or ``plain`` as written."""
        if isinstance(self.error, Refused):
            return "refused"
        if self.error is not None:
            return "unknown"
        if self.faults:
            return "trusted"
        return "safe" if self.directives else "plain"


def scene_of(
    kernel: str,
    nest: Nest,
    verbs: Sequence[Verb],
    names: frozenset[str],
    types: Mapping[str, Type],
    given: Mapping[str, int],
    *,
    alone: bool = True,
) -> Scene:
    """Enumerate a nest as written and as scheduled.

    Args:
        kernel: the qualified name of the function.
        nest: the nest.
        verbs: its directives.
        names: the identifiers of the function.
        types: what is known of the names the nest reads.
        given: sizes; the others are chosen.
        alone: whether the function has no other nest.

    Raises:
        LooptxError: the directives are malformed, or a size is wrong. A schedule that
            is refused or unknown is drawn, with the error in the scene.
    """
    wanted, nest = checked(nest, given), with_raises(nest, types)
    final = schedules(nest, verbs, names)[-1]
    error = verdict(nest, verbs, names, types)
    integers = integer_targets(nest, types) | bit_targets(nest, types)
    case = witness(nest, final, integers) if error is not None else None
    cut = with_cuts(nest, final.cuts)
    space = space_of(cut, final, wanted, case.sizes if case else {})
    rules = rules_of(final, private(cut, final), integers)
    runs = moved(space, nest, final)
    space, final, rules = runs.space, runs.final, replace(rules, tags=runs.tags)
    found = direct(space, rules)
    after = order_of(final, space)
    faults = _faults(space, after, found, case) or _maybe(error, after, space, rules)
    tones, blocks = _tones(final, space, after)
    notes = (*runs.notes, *nest.asked.told)
    seen = _seen(space, runs.source, order_of(runs.source, space), tones)
    return Scene(
        kernel,
        "" if alone else nest.name,
        tuple(verb.text for verb in verbs),
        space,
        seen,
        _seen(space, final, after, tones, "as scheduled"),
        rules,
        found,
        _chosen(seen.grids, found, faults),
        faults,
        error,
        _pair(space, final, faults, error),
        blocks,
        tuple(dict.fromkeys(dim.name for dim in _together(final))),
        (*_notes(space, final, rules, case, faults, bool(tones)), *notes),
    )


def _seen(
    space: Space,
    schedule: Schedule,
    order: Order,
    tones: Sequence[str],
    title: str = "as written",
) -> View:
    """The runs in the order of a schedule."""
    grids = grids_of(space, schedule, order)
    return View(title, order, grids, tones or _shades(order))


def _faults(
    space: Space,
    order: Order,
    found: Sequence[Dependence],
    case: Witness | None,
) -> list[Broken]:
    """The dependences that an order breaks, that of the proof's witness first."""
    faults = broken(order, space, found)
    if case is not None:
        known = case.source, case.sink
        faults.sort(key=lambda fault: _ends(space, fault) != known)
    return faults


def _maybe(
    error: LooptxError | None, order: Order, space: Space, rules: Rules
) -> list[Broken]:
    """The pair that may be wrong where the proof does not know."""
    known = isinstance(error, Unproven) and possible(order, space, rules)
    return [known] if known else []


def _ends(space: Space, fault: Broken) -> tuple[Run, Run]:
    """The two runs of a fault."""
    dependence = fault.dependence
    return space.runs[dependence.source], space.runs[dependence.sink]


def _tones(
    schedule: Schedule, space: Space, order: Order
) -> tuple[list[str], tuple[str, ...]]:
    """A colour for every block, and the loops that count them; empty without blocks."""
    outer = {name: _outer(schedule, name) for name in statements(schedule.tree)}
    blocks = [
        tuple(order.positions[number][dim.uid] for dim in outer[run.statement])
        for number, run in enumerate(space.runs)
    ]
    if len(set(filter(None, blocks))) < 2:
        return [], ()
    tones = []
    for block in blocks:
        mixed = sum(at * position for at, position in enumerate(reversed(block), 1))
        tones.append(f"b{mixed % HUES}" if block else "b")
    names = dict.fromkeys(dim.name for dims in outer.values() for dim in dims)
    return tones, tuple(names)


def _outer(schedule: Schedule, statement: str) -> list[Dim]:
    """The dimensions of a statement that count blocks of another one further in."""
    dims = [
        node.dim for node, _ in path(schedule.tree, statement) if isinstance(node, Band)
    ]
    owners = [schedule.owner.get(dim.uid, {}).get(statement) for dim in dims]
    return [
        dim
        for at, (dim, owner) in enumerate(zip(dims, owners, strict=True))
        if owner is not None and owner in owners[at + 1 :]
    ]


def _shades(order: Order) -> list[str]:
    """A shade for every run, from the first to the last step."""
    last = max(order.steps, default=0) or 1
    return [f"r{step * (SHADES - 1) // last}" for step in order.steps]


def _chosen(
    grids: Sequence[Grid], found: Sequence[Dependence], faults: Sequence[Broken]
) -> Sequence[Dependence]:
    """All dependences, or those of one run in the middle that has many."""
    places = {
        run: (at, *place)
        for at, grid in enumerate(grids)
        for run, place in grid.places.items()
    }
    effort = sum(
        1 if _near(places[each.source], places[each.sink]) else FAR for each in found
    )
    if effort <= FEW:
        return found
    degree = Counter(end for each in found for end in (each.source, each.sink))
    if faults:
        centre = {faults[0].dependence.source, faults[0].dependence.sink}
    else:
        centre = {_central(places, degree)}
    return [each for each in found if {each.source, each.sink} & centre]


def _central(places: Mapping[int, Point], degree: Mapping[int, int]) -> int:
    """Of the runs with the most dependences, one in the middle of its grid."""
    most = max(degree.values())
    top = [run for run, count in sorted(degree.items()) if count == most]
    own = [run for run in top if places[run][0] == places[top[0]][0]]
    middle = [
        sum(each) / len(own) for each in zip(*(places[run] for run in own), strict=True)
    ]

    def distance(run: int) -> float:
        return math.dist(places[run], middle)

    return min(own, key=distance)


def _near(first: Point, second: Point) -> bool:
    """Whether two cells of one grid are neighbours."""
    return first[:-2] == second[:-2] and all(
        abs(a - b) <= 1 for a, b in zip(first[-2:], second[-2:], strict=True)
    )


def _together(schedule: Schedule) -> Iterator[Dim]:
    """The parallel and vector loops."""
    for band in bands(schedule.tree):
        marks = band.dim.marks
        if marks.together:
            yield band.dim


def _pair(
    space: Space,
    schedule: Schedule,
    faults: Sequence[Broken],
    error: LooptxError | None,
) -> str:
    if not faults:
        return ""
    fault, loop = faults[0], ""
    if fault.together is not None:
        statement = space.runs[fault.dependence.source].statement
        node, _ = path(schedule.tree, statement)[fault.together]
        loop = node.dim.name if isinstance(node, Band) else ""
    certain = fault.certain and not isinstance(error, Unproven)
    return descriptions.broken(space, fault, loop, certain)


def _notes(
    space: Space,
    schedule: Schedule,
    rules: Rules,
    case: Witness | None,
    faults: Sequence[Broken],
    coloured: bool,
) -> Iterator[str]:
    """What the picture does not show, and why."""
    for loop, count in space.limits.items():
        yield f"Only the first {count} iterations of {loop} are drawn."
    large = max(blocks_of(schedule).values(), default=0)
    if large > 1 and space.runs and not coloured:
        yield f"A block of {large} iterations is larger than this picture."
    vague = {
        touch.array
        for run in space.runs[:1]
        for touch in touches(space, run, rules)
        if not touch.known
    }
    for array in sorted(vague):
        yield f"Cells of {array} at subscripts that are not affine have no arrows."
    if case is not None and not faults:
        yield "The iterations that conflict are not in this picture."
        if any(space.sizes[text] < size for text, size in case.sizes.items()):
            yield f"They first do at {descriptions.sizes(case.sizes)}."
