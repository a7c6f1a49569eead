"""Nests of looptx's model at given sizes, by enumeration and without isl.

The positions that a schedule gives are evaluated from their definitions: every instance
of every statement, sorted by its time. Only the model is shared with looptx.
"""

from __future__ import annotations

import ast
import itertools
import math
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from textwrap import indent
from typing import Any

from kit.recording import logged
from looptx import source
from looptx.looptree.nodes import Block, Call, For, If, Let
from looptx.model.expr import (
    Add,
    And,
    Compare,
    Cond,
    Const,
    FloorDiv,
    IntExpr,
    Max,
    Min,
    Mod,
    Mul,
    Not,
    Or,
    Select,
    Start,
    Var,
    variables,
)
from looptx.model.moves.cutting import part
from looptx.model.program import Kernel, LoopNode, Nest, Node
from looptx.model.schedule import Band, Schedule, path
from looptx.model.schedule import Sequence as InOrder

Values = dict[str, int]
Instance = tuple[str, tuple[int, ...]]
"""A statement and the values of its loops."""

NAMES: dict[str, Any] = {"math": math, "sqrt": math.sqrt}

OPERATORS: dict[str, Callable[[int, int], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
    ">=": operator.ge,
    ">": operator.gt,
}


def kernel_of(code: str, name: str = "") -> Kernel:
    """The kernel of that name in a module, by default the first."""
    kernels = source.read(code, "t.py").kernels
    return next(k for k in kernels if not name or k.qualname == name)


def nest_of(code: str, **fields: Any) -> Nest:
    """The first nest of a module, or of loops that stand alone, with other fields."""
    tree = ast.parse(code)
    if not any(isinstance(node, ast.FunctionDef) for node in tree.body):
        used = (node for node in ast.walk(tree) if isinstance(node, ast.Name))
        names = dict.fromkeys(node.id for node in used if node.id != "range")
        code = f"def f({', '.join(names)}):{chr(10) * (code[0] != chr(10))}" + indent(
            code, "    "
        )
    return replace(kernel_of(code).nests[0], **fields)


def value(
    expr: IntExpr, env: Mapping[str, Any], starts: Mapping[str, int] | None = None
) -> int:
    """An expression, evaluated the way Python does.

    Args:
        expr: the expression.
        env: variables; names that are none of them are Python, ``A.shape[0]``.
        starts: the first values of loops.
    """

    def of(part: IntExpr) -> int:
        return value(part, env, starts)

    match expr:
        case Const(number):
            return number
        case Var(name):
            return env[name] if name in env else eval(name, NAMES, dict(env))
        case Start(loop):
            return (starts or {})[loop]
        case Add(terms):
            return sum(map(of, terms))
        case Mul(factors):
            return math.prod(map(of, factors))
        case FloorDiv(left, right):
            return of(left) // of(right)
        case Mod(left, right):
            return of(left) % of(right)
        case Min(args):
            return min(map(of, args))
        case Max(args):
            return max(map(of, args))
        case Select(cond, then, other):
            return of(then if holds(cond, env, starts) else other)
    raise TypeError(expr)


def holds(
    cond: Cond, env: Mapping[str, Any], starts: Mapping[str, int] | None = None
) -> bool:
    """A condition, evaluated; as in ``value``."""
    match cond:
        case Compare(op, left, right):
            return OPERATORS[op](value(left, env, starts), value(right, env, starts))
        case And(args):
            return all(holds(arg, env, starts) for arg in args)
        case Or(args):
            return any(holds(arg, env, starts) for arg in args)
        case Not(arg):
            return not holds(arg, env, starts)
    raise TypeError(cond)


def points(nest: Nest, env: Mapping[str, Any]) -> Iterator[tuple[str, Values]]:
    """Statements, by name, and loops, by id, in the order of the source.

    Args:
        nest: the nest.
        env: what is known besides loops; it may change between two of them.

    Yields:
        Each with the values of the loops around it, a loop for each of its values.
    """

    def visit(node: Node, loops: Values) -> Iterator[tuple[str, Values]]:
        known = {**env, **loops}
        if not isinstance(node, LoopNode):
            if holds(nest.statements[node.statement].guard, known):
                yield node.statement, loops
            return
        loop = node.loop
        if not holds(loop.guard, known):
            return
        for number in range(
            value(loop.start, known), value(loop.stop, known), loop.step
        ):
            inner = {**loops, loop.id: number}
            yield loop.id, inner
            for child in node.body:
                yield from visit(child, inner)

    for root in nest.body:
        yield from visit(root, {})


class Run:
    """All instances of a nest at given sizes, in source order.

    Attributes:
        instances: in the order of the source. starts: the first values of loops.
        reached: for each loop, the values of it and those around it.
    """

    def __init__(self, nest: Nest, sizes: Mapping[str, int]) -> None:
        self.nest = nest
        self.sizes = dict(sizes)
        self.instances: list[Instance] = []
        self.reached: dict[str, list[Values]] = {loop: [] for loop in nest.loops}
        for name, values in points(nest, self.sizes):
            if name in self.reached:
                self.reached[name].append(values)
            else:
                self.instances.append((name, tuple(values.values())))
        self.starts = {
            loop: (min if nest.loops[loop].step > 0 else max)(
                (values[loop] for values in reached), default=0
            )
            for loop, reached in self.reached.items()
        }

    def at(self, instance: Instance) -> Values:
        """The values of the loops around an instance, by their ids."""
        loops = self.nest.statements[instance[0]].loops
        return dict(zip(loops, instance[1], strict=True))

    def position(self, schedule: Schedule, uid: int, instance: Instance) -> int:
        """The position of an instance along one dimension."""
        values = self.values(schedule, instance)
        return value(schedule.position[uid][instance[0]], values, self.starts)

    def values(self, schedule: Schedule, instance: Instance) -> Values:
        """The sizes and the values of all loops at an instance, collapsed ones too."""
        name = instance[0]
        env = {**self.sizes, **self.at(instance)}
        for loop, pair in schedule.collapsed.items():
            if name in schedule.position[pair.outer.uid]:
                rows, columns = self.sides(schedule, loop)
                row, column = (
                    value(schedule.position[dim.uid][name], env, self.starts)
                    for dim in pair.dims
                )
                place = (row - rows.start) * len(columns) + column - columns.start
                env[loop] = place
        return env

    def sides(self, schedule: Schedule, loop: str) -> tuple[range, range]:
        """The positions of the two dimensions of a collapsed loop, over the nest."""
        outer, inner = schedule.collapsed[loop].dims
        return self._span(schedule, outer.uid), self._span(schedule, inner.uid)

    def _span(self, schedule: Schedule, uid: int) -> range:
        """From position 0, or the first below it, to the last."""
        seen: list[int] = []
        for name, expr in schedule.position[uid].items():
            cut = part(schedule.cuts, name)
            used = variables(expr) | variables(cut)
            loops = [x for x in self.nest.statements[name].loops if x in used]
            made = [x for x in schedule.collapsed if x in used]
            counts = (math.prod(map(len, self.sides(schedule, x))) for x in made)
            places = list(itertools.product(*map(range, counts)))
            for reached in self.reached[loops[-1]] if loops else [{}]:
                for values in places:
                    known = dict(zip(made, values, strict=True))
                    env = {**self.sizes, **reached, **known}
                    if holds(cut, env, self.starts):
                        seen.append(value(expr, env, self.starts))
        return range(min((0, *seen)), max((-1, *seen)) + 1)

    def time(self, schedule: Schedule, instance: Instance) -> tuple[int, ...]:
        """Positions and places in the text, from the outermost on."""
        return tuple(
            self.position(schedule, node.dim.uid, instance)
            if isinstance(node, Band)
            else taken
            for node, taken in path(schedule.tree, instance[0])
            if isinstance(node, Band | InOrder)
        )

    def times(self, schedule: Schedule) -> dict[Instance, tuple[int, ...]]:
        """When a schedule runs the instances; no two of a statement at one time."""
        found = {one: self.time(schedule, one) for one in self.instances}
        assert len({(one[0], time) for one, time in found.items()}) == len(found)
        return found

    def order(self, schedule: Schedule) -> list[Instance]:
        """The instances as a schedule visits them."""
        times = self.times(schedule)
        return sorted(self.instances, key=lambda one: (times[one], one[0]))

    def broken(self, times: Mapping[Instance, tuple[int, ...]]) -> bool:
        """Whether some conflicting pair changes its order."""
        return any(
            times[first] >= times[second] and self.conflict(first, second)
            for first, second in itertools.combinations(self.instances, 2)
        )

    def conflict(self, first: Instance, second: Instance) -> bool:
        """Whether two instances touch one cell and at least one writes it."""
        return any(
            ours == theirs and (write or other)
            for ours, write in self.cells(first)
            for theirs, other in self.cells(second)
        )

    def cells(
        self, one: Instance
    ) -> Iterator[tuple[tuple[str, tuple[int, ...]], bool]]:
        """The cells an instance touches, and whether it writes them."""
        env = {**self.sizes, **self.at(one)}
        for access in self.nest.statements[one[0]].accesses:
            subscripts = [sub for sub in access.subscripts if sub is not None]
            cell = tuple(value(sub, env) for sub in subscripts)
            yield (access.array, cell), access.write


def visited(block: Block, nest: Nest, env: Mapping[str, int]) -> list[Instance]:
    """The instances a generated program visits, in order."""
    order: list[Instance] = []

    def visit(nodes: Block, env: dict[str, int]) -> None:
        for node in nodes:
            match node:
                case For(var, start, stop, step, body):
                    for number in range(value(start, env), value(stop, env), step):
                        visit(body, {**env, var: number})
                case If(cond, body):
                    if holds(cond, env):
                        visit(body, env)
                case Let(var, number):
                    env = {**env, var: value(number, env)}
                case Call(name, index):
                    loops = nest.statements[name].loops
                    point = tuple(value(index[loop], env) for loop in loops)
                    order.append((name, point))

    visit(block, dict(env))
    return order


def boxes(limit: int, *names: str) -> Iterator[Values]:
    """All sizes from 0 to ``limit`` for the names."""
    for sizes in itertools.product(range(limit + 1), repeat=len(names)):
        yield dict(zip(names, sizes, strict=True))


def accesses_of(code: str, arrays: Sequence[str], sizes: Values) -> list[Any]:
    """What running ``code`` reads and writes, in order."""
    log: list[Any] = []
    exec(code, {**{name: logged(name, log) for name in arrays}, **sizes})
    return log


def accesses_in_order(
    run: Run,
    order: Sequence[Instance],
    arrays: Sequence[str],
    before: Mapping[str, object] | None = None,
) -> list[Any]:
    """What the statements read and write when run in ``order``."""
    log: list[Any] = []
    scope: dict[str, Any] = {name: logged(name, log) for name in arrays}
    scope.update({**(before or {}), **run.sizes})
    compiled = {
        name: compile(ast.Module(list(statement.code), []), name, "exec")
        for name, statement in run.nest.statements.items()
    }
    for one in order:
        scope.update({run.nest.loops[x].var: at for x, at in run.at(one).items()})
        exec(compiled[one[0]], scope)
    return log
