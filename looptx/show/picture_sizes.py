"""Sizes that make a good picture: some whole tiles and a partial one, or some cells."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product

from looptx.errors import LooptxError, Malformed
from looptx.language.words import suggestion
from looptx.model.expr import (
    Add,
    Const,
    FloorDiv,
    IntExpr,
    Max,
    Min,
    Mod,
    Mul,
    Select,
    variables,
)
from looptx.model.expr.evaluate import holds
from looptx.model.program import Loop, Nest
from looptx.model.schedule import Schedule
from looptx.show.runs import Space, enumerate_runs

MOST = 4096
"""The most runs of a picture."""

PLAIN = {1: 12, 2: 7, 3: 4, 4: 3}
"""Iterations of a loop without blocks, by the depth of the nest; 2 below that."""

ROOM = {1: 200, 2: 2500, 3: 300}
"""How many runs a picture of chosen sizes has at most, by depth; as 3 below that."""

LARGEST = 100_000
"""The largest size that may be asked for, either way."""


def checked(nest: Nest, given: Mapping[str, int]) -> dict[str, int]:
    """The sizes a user asked for, under the names of the nest.

    Raises:
        LooptxError: LX104 for what is no size of the nest, LX103 for what is too large.
    """
    result = {}
    for text, number in given.items():
        name = nest.entry.equal.get(text, text)
        if name not in nest.parameters:
            known = ", ".join(f"`{one}`" for one in nest.parameters) or "none"
            raise Malformed(
                "LX104",
                f"`{text}` is no size of nest `{nest.name}`",
                detail=(f"its sizes: {known}",),
                hint=suggestion(text, nest.parameters, "use one of these names"),
            )
        if abs(number) > LARGEST:
            raise Malformed(
                "LX103",
                f"the size `{text}={number}` is out of range",
                hint=f"a picture shows at most {MOST} iterations",
            )
        result[name] = number
    return result


def telling(nest: Nest, schedule: Schedule, given: Mapping[str, int]) -> dict[str, int]:
    """Sizes at which every loop has some whole blocks and a partial one.

    Args:
        nest: the nest. schedule: whose blocks they are, and whose assumptions hold.
        given: sizes that are not to be changed, by the nest's names.
    """
    goal = next(_goals(nest, blocks_of(schedule), PLAIN[2]))
    return _assumed(schedule, {**_sizes(nest, goal), **given}, given)


def space_of(
    nest: Nest,
    schedule: Schedule,
    given: Mapping[str, int],
    least: Mapping[str, int],
) -> Space:
    """The runs of a nest at the sizes given, and at good ones for the others.

    Args:
        nest: the nest.
        schedule: whose blocks should be seen, and whose assumptions hold.
        given: sizes that are not to be changed, by the nest's names.
        least: sizes at which something happens that must be seen.

    Returns:
        At most as many runs as a picture can show.

    Raises:
        LooptxError: LX103 when the given sizes make too many runs.
    """
    blocks = blocks_of(schedule)
    depth = max((len(s.loops) for s in nest.statements.values()), default=1)
    plain = PLAIN.get(depth, 2)
    room = ROOM.get(depth, ROOM[3])
    for goal in _goals(nest, blocks, plain):
        sizes = {**_sizes(nest, goal), **given}
        wanted = _assumed(schedule, _raised(sizes, least, given), given)
        space = enumerate_runs(nest, wanted, MOST if least or given else room)
        if space is not None:
            return space
    fixed = {**dict.fromkeys(nest.parameters, 1), **least, **given}
    space = enumerate_runs(nest, fixed, MOST)
    if space is not None:
        return space
    limits = {
        loop.id: blocks.get(loop.id, 0) + plain if depth < 3 else plain
        for loop in nest.loops.values()
        if not (variables(loop.start) | variables(loop.stop))
    }
    sizes = {**_sizes(nest, dict.fromkeys(nest.loops, plain)), **given}
    space = enumerate_runs(nest, sizes, MOST, limits)
    if space is None:
        raise too_many()
    return space


def too_many() -> LooptxError:
    """LX103 for sizes that no picture can hold."""
    return Malformed(
        "LX103",
        f"at these sizes there are more than {MOST} iterations to draw",
        hint="give smaller ones with `--size`",
    )


def _goals(
    nest: Nest, blocks: Mapping[str, int], plain: int
) -> Iterator[dict[str, int]]:
    """How many iterations each loop should have, the most telling choice first."""
    for tiles in (2, 1):
        yield {
            loop: tiles * block + (block + 1) // 2
            if (block := blocks.get(loop, 0)) > 1
            else plain
            for loop in nest.loops
        }
    for count in range(plain, 1, -1):
        yield dict.fromkeys(nest.loops, count)


def blocks_of(schedule: Schedule) -> dict[str, int]:
    """The largest blocks that each loop is split into."""
    found: dict[str, int] = {}
    for uid, positions in schedule.position.items():
        for statement, expr in positions.items():
            loop = schedule.owner.get(uid, {}).get(statement)
            if loop is not None:
                step = abs(schedule.index[statement, loop].step)
                found[loop] = max(found.get(loop, 0), *_divisors(expr, step), 0)
    return found


def _divisors(expr: IntExpr, step: int) -> Iterator[int]:
    """The numbers that positions are divided by; the loop's own step is not one."""
    match expr:
        case FloorDiv(value, Const(divisor)):
            yield divisor // step
            yield from _divisors(value, step)
        case Mod(value, Const(divisor)):
            yield divisor
            yield from _divisors(value, step)
        case Add(parts) | Mul(parts) | Min(parts) | Max(parts):
            for part in parts:
                yield from _divisors(part, step)
        case Select(_, then, other):
            yield from _divisors(then, step)
            yield from _divisors(other, step)


def _sizes(nest: Nest, goal: Mapping[str, int]) -> dict[str, int]:
    """Sizes at which every loop has about as many iterations as its goal."""
    users = {
        text: [loop for loop in nest.loops.values() if text in _bounds(loop)]
        for text in nest.parameters
    }
    sizes = {
        text: max((goal[loop.id] * abs(loop.step) for loop in loops), default=0)
        for text, loops in users.items()
    }
    top = max(sizes.values(), default=1)
    sizes = {text: size or top for text, size in sizes.items()}
    space = enumerate_runs(nest, sizes, MOST)
    if space is not None:
        # Loops such as range(1, n - 1) have fewer iterations than n.
        counts = _counts(space)
        for text, loops in users.items():
            short = [
                (goal[loop.id] - counts[loop.id]) * abs(loop.step)
                for loop in loops
                if loop.id in counts
            ]
            sizes[text] += max(0, min(short, default=0))
    return sizes


def _bounds(loop: Loop) -> frozenset[str]:
    return variables(loop.start) | variables(loop.stop)


def _counts(space: Space) -> dict[str, int]:
    """How many different values each loop takes."""
    values: dict[str, set[int]] = {}
    for run in space.runs:
        loops = space.nest.statements[run.statement].loops
        for loop, number in zip(loops, run.point, strict=True):
            values.setdefault(loop, set()).add(number)
    return {loop: len(numbers) for loop, numbers in values.items()}


def _raised(
    sizes: Mapping[str, int], least: Mapping[str, int], given: Mapping[str, int]
) -> dict[str, int]:
    return {
        text: max(size, least[text]) if text in least and text not in given else size
        for text, size in sizes.items()
    }


def _assumed(
    schedule: Schedule, sizes: dict[str, int], given: Mapping[str, int]
) -> dict[str, int]:
    """The sizes, or the next ones above at which what the user assumes holds."""
    known = set(sizes)
    conds = [cond for cond in schedule.assumes if variables(cond) <= known]
    if all(holds(cond, sizes) for cond in conds):
        return sizes
    free = [text for text in sizes if text not in given]
    steps = sorted(product(range(33), repeat=min(len(free), 3)), key=sum)
    for more in steps:
        wanted = dict(sizes)
        for text, extra in zip(free, more, strict=False):
            wanted[text] += extra
        if all(holds(cond, wanted) for cond in conds):
            return wanted
    return sizes
