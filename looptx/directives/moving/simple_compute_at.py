"""``simple_compute_at``: a nest runs in the loops of another that are like its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from looptx.directives.base import check, make
from looptx.directives.moving.places import Place, Shown, named
from looptx.directives.moving.verb import MovingVerb
from looptx.directives.names import find, group
from looptx.directives.order.fused.alignment import mirrored, moved
from looptx.directives.order.fused.fusion import Part, part
from looptx.directives.order.opening import Opened
from looptx.errors import Malformed
from looptx.model.dims import down_to
from looptx.model.execution.marks import PLAIN
from looptx.model.expr import Const, IntExpr, add, floordiv, mul, neg, sub, variables
from looptx.model.records import dataclass, replace
from looptx.model.schedule import (
    Band,
    Dim,
    Group,
    Schedule,
    Tree,
    replace_band,
    sequence,
    statements,
)
from looptx.model.tree import without
from looptx.poly.ranges import Only, Ranges


@dataclass(frozen=True)
class SimpleComputeAt(MovingVerb):
    """Run each iteration of a nest in the same one of another, before what is there.

    syntax: ``simple_compute_at NEST LOOP``
    rewrite: ``for i: A[i] = ..``, ``for j: .. A[j]`` -> ``for j: A[j] = ..; .. A[j]``
    """

    verb = "simple_compute_at"
    usage = "simple_compute_at NEST LOOP"

    def change(self, schedule: Schedule) -> Schedule:
        """Put what is in the loops of the nest first in those of the other."""
        dim = find(schedule, self.loop)
        opened = Opened.of(schedule, down_to(schedule.tree, dim.uid))
        schedule, dim = opened.schedule, opened.inner(dim)
        own = part(schedule, self.nest, group(schedule, self.nest))
        place = Place.of(schedule, own.tree, dim, self.nest, self.loop)
        return opened.closed(_Merge(schedule, own, place, dim, self.loop).done())


class _Merge:
    """A nest whose outer loops become those of another.

    Args:
        schedule: the schedule.
        own: the nest.
        place: where it moves.
        dim: the innermost of the loops there, which is called ``loop``.
    """

    def __init__(
        self, schedule: Schedule, own: Part, place: Place, dim: Dim, loop: str
    ) -> None:
        self.schedule, self.own, self.place = schedule, own, place
        self.dim, self.loop = dim, loop
        self.names = statements(own.tree)
        self.ranges = Ranges(schedule.nest, schedule.assumes)
        around = [each for each in place.around if not each.fusing]
        count, rank = len(own.chain), len(around)
        check(
            count >= rank,
            f"`{own.name}` has only {count} of the {rank} loops down to `{loop}`",
            "name a loop further out, or write `compute_at`",
        )
        check(
            not any(
                variables(schedule.position[band.dim.uid][name]) & {*schedule.collapsed}
                for band in own.chain[:rank]
                for name in self.names
            ),
            f"a loop of `{own.name}` is collapsed",
            "collapse the loops afterwards",
        )
        theirs = [name for name in place.inside if self._plain(name)]
        check(
            bool(theirs) and all(map(self._plain, self.names)),
            "one of the nests copies cells, or has moved into loops of another",
            "put this directive before those that copy or move, or write `compute_at`",
        )
        self.sides = [
            (Shown.of(schedule, band.dim, self.names), Shown.of(schedule, each, theirs))
            for band, each in zip(own.chain, around, strict=False)
        ]
        self.theirs = theirs

    def done(self) -> Schedule:
        """The schedule. Raises LX106, LX116."""
        self._check_marks()
        self._check_values()
        schedule, names = self.schedule, self.names
        position = {uid: dict(values) for uid, values in schedule.position.items()}
        owner = {uid: dict(values) for uid, values in schedule.owner.items()}
        index = dict(schedule.index)
        for ours, other in self.sides:
            old, new = ours.dim.uid, other.dim.uid
            shift, turned = self._shift(ours, other), ours.stride != other.stride
            for name in names:
                own = position[old].pop(name)
                position[new][name] = add(neg(own) if turned else own, shift)
                if name in owner.get(old, {}):
                    loop = owner[old].pop(name)
                    if not turned:
                        owner.setdefault(new, {})[name] = loop
                for key in [key for key in index if key[0] == name]:
                    held = owner.get(new, {}).get(name) == key[1]
                    if turned:
                        index[key] = mirrored(index[key], old, new, shift)
                    else:
                        index[key] = moved(index[key], old, new, shift, held)
        for each in self.place.around:
            if each.fusing:
                value = schedule.position[each.uid][self.place.inside[0]]
                position[each.uid].update(dict.fromkeys(names, value))
        return replace(
            schedule,
            tree=self._tree(),
            position={uid: values for uid, values in position.items() if values},
            owner=owner,
            index=index,
            groups=self._groups(),
        )

    def _plain(self, name: str) -> bool:
        """Whether all loops of a statement are written in the source."""
        known = {loop.id for _, around in self.schedule.nest.walk() for loop in around}
        return known.issuperset(self.schedule.nest.statements[name].loops)

    def _shift(self, ours: Shown, other: Shown) -> IntExpr:
        """How much further on equal values are in the other nest."""
        if self.ranges.equal(ours.base, other.base):
            return Const(0)
        # Loops that take the same values are whole steps apart, where they take any.
        sign = Const(1 if other.stride > 0 else -1)
        distance = mul(sign, sub(ours.base, other.base))
        return floordiv(distance, abs(other.stride))

    def _check_marks(self) -> None:
        """See that no mark of the nest's loops would be lost. Raises LX106."""
        for ours, other in self.sides:
            check(
                ours.dim.marks in (PLAIN, other.dim.marks),
                f"`{self.own.name}.{ours.dim.name}` has a mark that "
                f"`{self._called(other)}` does not have",
                f"mark `{self._called(other)}`, after `simple_compute_at`",
            )

    def _check_values(self) -> None:
        """See that the loops take the same values. Raises LX106, LX116.

        Those of steps 1 and -1 may take them in opposite orders.
        """
        steps = [(ours.stride, other.stride) for ours, other in self.sides]
        for (ours, other), (one, two) in zip(self.sides, steps, strict=True):
            check(
                one == two or (one == -two and abs(one) == 1),
                f"`{self.own.name}.{ours.dim.name}` and `{self._called(other)}` have "
                f"different steps: {one} and {two}",
                "write `compute_at`, or schedule both nests alike",
                "LX116",
            )
        only = self.ranges.difference(
            [(name, self._values(name, at=0)) for name in self.names],
            [(name, self._values(name, at=1)) for name in self.theirs],
        )
        if only is not None:
            raise self._different(only)

    def _values(self, name: str, *, at: int) -> list[IntExpr]:
        """What the loops show, those that were common before first."""
        position = self.schedule.position
        common = [position[uid][name] for uid in self.place.common]
        sides = [pair[at] for pair in self.sides]
        return [*common, *(x.value(position[x.dim.uid][name]) for x in sides)]

    def _called(self, side: Shown) -> str:
        """A loop of the other nest."""
        return named(self.schedule, side.dim, self.theirs)

    def _different(self, only: Only) -> Malformed:
        """The error for values that only one of the nests takes."""
        values = only.values[len(self.place.common) :]
        ours = [f"{self.own.name}.{side.dim.name}" for side, _ in self.sides]
        theirs = [self._called(other) for _, other in self.sides]
        takes, not_ = (ours, theirs) if only.first else (theirs, ours)
        sizes = ", ".join(f"{text}={value}" for text, value in only.sizes.items())
        taken = ", ".join(map(str, values))
        return Malformed(
            "LX106",
            f"{_told(ours)} and {_told(theirs)} do not take the same values",
            detail=(
                f"{f'at {sizes}: ' if sizes else ''}{_told(takes)} "
                f"{'takes' if len(values) == 1 else 'take'} {taken}, and "
                f"{_told(not_)} {'does' if len(values) == 1 else 'do'} not",
            ),
            hint="write `compute_at`, which runs what each iteration needs, or `fuse`",
        )

    def _tree(self) -> Tree:
        """The tree: what is in the loops of the nest stands first in the loop."""
        schedule, inside = self.schedule, self.own.below(len(self.sides))
        rest = without(schedule.tree, self.names)
        headers = {
            other.dim.uid: (*other.dim.headers, *ours.dim.headers)
            for ours, other in self.sides
        }

        def joined(band: Band) -> Tree:
            return Band(band.dim, sequence((inside, band.body)))

        tree = replace_band(rest, self.dim.uid, joined)
        for uid, lines in headers.items():

            def told(band: Band, lines: tuple[str, ...] = lines) -> Tree:
                return Band(replace(band.dim, headers=lines), band.body)

            tree = replace_band(tree, uid, told)
        return tree

    def _groups(self) -> Mapping[str, Group]:
        """The nests: the one that moves is part of the other."""
        own = self.schedule.groups[self.own.name]
        inside = frozenset(self.place.inside)
        return {
            name: replace(
                known,
                statements=known.statements | own.statements,
                loops=known.loops | own.loops,
            )
            if known.statements & inside
            else known
            for name, known in self.schedule.groups.items()
        }


def _told(names: Sequence[str]) -> str:
    """Loops as they are called."""
    return ", ".join(f"`{name}`" for name in names)


def simple_compute_at(nest: str, loop: str) -> SimpleComputeAt:
    """Run each iteration of ``nest`` in the same one of ``loop``."""
    return make(SimpleComputeAt, nest, loop)
