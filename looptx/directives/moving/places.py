"""Where a nest moves: the loops there, what they show, and what they are called."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from looptx.directives.base import check
from looptx.directives.names import group, single
from looptx.directives.order.fused.fusion import part
from looptx.directives.order.opening import check_not_collapsed
from looptx.model.dims import down_to, loops, paths
from looptx.model.expr import TRUE, ZERO, Const, IntExpr, Var, add, mul
from looptx.model.moves import Coordinate, Move
from looptx.model.records import dataclass
from looptx.model.schedule import Band, Dim, Schedule, Tree, sequence, statements
from looptx.model.schedule import Sequence as InOrder
from looptx.model.tree import uids


@dataclass(frozen=True, slots=True)
class Place:
    """Where a nest moves.

    Attributes:
        around: the dimensions around its new place, outermost first, that were not
            around it before. common: those that were, by uid.
        inside: the statements in the loop.
    """

    around: tuple[Dim, ...]
    common: tuple[int, ...]
    inside: tuple[str, ...]

    @property
    def counted(self) -> list[int]:
        """The dimensions that get a coordinate: a fusing one has a fixed position."""
        return [dim.uid for dim in self.around if not dim.fusing]

    def coordinate(
        self, schedule: Schedule, uid: int, coordinates: Mapping[int, str]
    ) -> Coordinate:
        """The loop that stands for the positions of one of the dimensions.

        Args:
            schedule: the schedule. uid: of the dimension.
            coordinates: the loops of all that have one, outermost first.
        """
        (dim,) = (each for each in self.around if each.uid == uid)
        side = Shown.of(schedule, dim, self.inside)
        base = side.base
        for outer in coordinates:
            if outer == uid:
                break
            stride = side.strides.get(outer, 0)
            base = add(base, mul(Const(stride), Var(coordinates[outer])))
        label = named(schedule, dim, self.inside)
        place = schedule.nest.place
        shown = label, base, side.stride
        loop = coordinates[uid]
        return Coordinate(loop, dim.name, ZERO, ZERO, 1, place, TRUE, TRUE, *shown)

    @staticmethod
    def of(schedule: Schedule, own: Tree, dim: Dim, nest: str, loop: str) -> Place:
        """The place in the loops of a dimension. Raises LX106."""
        inside = statements(loops(schedule.tree, dim.uid)[0])
        around = not set(inside).isdisjoint(statements(own))
        check(
            not (around and _moved(schedule, own)),
            f"`{nest}` has moved into a loop already, and `{loop}` is around it",
            "put this directive in the place of the one that moved it",
        )
        check(
            not around,
            f"`{loop}` is a loop of `{nest}` itself or around it",
            "name a loop of the nest that it shall move into",
        )
        single(schedule, dim, loop)
        path = down_to(schedule.tree, dim.uid)
        check_not_collapsed(schedule, (*inside, *statements(own)), path)
        inner = uids(own)
        outer = [
            x for x in paths(schedule.tree)[statements(own)[0]] if x.uid not in inner
        ]
        before = {each.uid for each in outer}
        gone = next(
            (x for x in outer if not x.fusing and x.uid not in {y.uid for y in path}),
            dim,
        )
        check(
            gone is dim,
            f"`{nest}` stands in the loop `{gone.name}`, and `{loop}` does not",
            f"name a loop inside `{gone.name}`",
        )
        return Place(
            tuple(each for each in path if each.uid not in before),
            tuple(each.uid for each in path if each.uid in before and not each.fusing),
            inside,
        )


def _moved(schedule: Schedule, own: Tree) -> bool:
    """Whether statements have moved into a loop."""
    moves = (step for step in schedule.moves if isinstance(step, Move))
    return any({*step.moved.values()} & {*statements(own)} for step in moves)


@dataclass(frozen=True, slots=True)
class Shown:
    """A loop: what it shows is ``base + stride * position``.

    Attributes:
        dim: its dimension. base, stride: the two numbers.
        strides: the same for the parts of the loop, by their dimensions.
    """

    dim: Dim
    base: IntExpr
    stride: int
    strides: Mapping[int, int]

    @staticmethod
    def of(schedule: Schedule, dim: Dim, names: Sequence[str]) -> Shown:
        """The loop of a dimension around some statements."""
        owner = schedule.owner.get(dim.uid, {})
        for name in names:
            index = schedule.index[name, owner[name]] if name in owner else None
            if index is not None and index.weights.get(dim.uid, 0) > 0:
                base = add(index.start, mul(Const(index.step), index.offset))
                strides = {x: index.step * y for x, y in index.weights.items()}
                return Shown(dim, base, strides[dim.uid], strides)
        return Shown(dim, ZERO, 1, {})

    def value(self, position: IntExpr) -> IntExpr:
        """What it shows at a position."""
        return add(self.base, mul(Const(self.stride), position))


def named(schedule: Schedule, dim: Dim, names: Sequence[str]) -> str:
    """A loop around some statements, with its nest where there are several."""
    nest, owner = schedule.nest, schedule.owner.get(dim.uid, {})
    # A statement that moved has coordinates before its own loops, and in their places.
    users = [nest.statements[x] for x in names if x in owner]
    users = users or [nest.statements[x] for x in owner]
    known = ([nest.loops[loop] for loop in one.loops] for one in users)
    own = ([x.id for x in each if not isinstance(x, Coordinate)] for each in known)
    roots = {each[0] for each in own if each}
    found = (name for name, root in nest.asked.subnests.items() if root in roots)
    prefix = next(found, "") if len(nest.body) > 1 else ""
    return f"{prefix}.{dim.name}" if prefix else dim.name


def forest(schedule: Schedule, nest: str) -> Tree:
    """A nest as it is now: also the several nests that its loops were distributed to.

    Raises LX104, LX106, LX115.
    """
    known = group(schedule, nest)

    def sought(tree: Tree) -> Tree | None:
        if known.statements.issuperset(statements(tree)):
            return None
        match tree:
            case Band(_, body):
                return sought(body)
            case InOrder(children):
                own = [
                    x for x in children if known.statements.issuperset(statements(x))
                ]
                held = frozenset(name for x in own for name in statements(x))
                if len(own) > 1 and held == known.statements:
                    return sequence(tuple(own))
                for child in children:
                    found = sought(child)
                    if found is not None:
                        return found
        return None

    apart = sought(schedule.tree)
    return apart or part(schedule, nest, known).tree
