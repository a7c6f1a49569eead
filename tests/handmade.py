"""Nests made by hand from a few lines of Python, and their orders by enumeration.

The reader here knows just enough for tests: ``for`` over ``range`` with affine bounds,
``if`` with one comparison, assignments. The order of a schedule is found by brute
force: every instance of every statement, sorted by its time.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable, Iterator, Mapping
from math import prod
from typing import Any

from looptx.errors import Place
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
    Start,
    Var,
    add,
    mul,
    sub,
    variables,
)
from looptx.model.program import (
    Access,
    Loop,
    LoopNode,
    Nest,
    Node,
    Reduction,
    Statement,
    StatementNode,
)
from looptx.model.schedule import Band, Schedule, path

Values = dict[str, int]
Instance = tuple[str, tuple[tuple[str, int], ...]]
COMPARE: dict[type[ast.cmpop], str] = {ast.Lt: "<", ast.GtE: ">=", ast.Eq: "=="}


def nest_of(code: str, **fields: Any) -> Nest:
    """The nest of the first ``for`` in ``code``."""
    tree = ast.parse(code)
    root = next(node for node in ast.walk(tree) if isinstance(node, ast.For))
    return Reader().nest(root, fields)


class Reader:
    """Collects loops and statements of one nest."""

    def __init__(self) -> None:
        self.loops: dict[str, Loop] = {}
        self.statements: dict[str, Statement] = {}
        self.arrays: dict[str, None] = {}
        self.scalars: dict[str, None] = {}
        self.names: dict[str, None] = {}

    def nest(self, root: ast.For, fields: dict[str, Any]) -> Nest:
        node = self.loop(root, {}, ())
        inner = {loop.var for loop in self.loops.values()} | set(self.scalars)
        sizes = [n for n in self.names if n not in inner and n not in self.arrays]
        settings: dict[str, Any] = {
            "name": "n0",
            "body": (node,),
            "loops": self.loops,
            "statements": self.statements,
            "arrays": tuple(self.arrays),
            "scalars": tuple(self.scalars),
            "parameters": tuple(sizes),
            "live_in": (*self.arrays, *sizes),
            "live_out": (),
            "aliases": frozenset(),
            "equal": {},
            "directives": (),
            "first_line": root.lineno,
            "last_line": root.end_lineno or root.lineno,
            "indent": "",
            "place": Place("t.py", root.lineno),
        }
        return Nest(**{**settings, **fields})

    def loop(
        self, node: ast.For, scope: dict[str, str], outer: tuple[str, ...]
    ) -> LoopNode:
        assert isinstance(node.target, ast.Name) and isinstance(node.iter, ast.Call)
        var = node.target.id
        same = sum(loop.var == var for loop in self.loops.values())
        ident = f"{var}#{same + 1}" if same else var
        args = [self.affine(arg, scope) for arg in node.iter.args]
        start = args[0] if len(args) > 1 else Const(0)
        stop = args[1] if len(args) > 1 else args[0]
        step = args[2] if len(args) > 2 else Const(1)
        assert isinstance(step, Const)
        place = Place("t.py", node.lineno)
        loop = Loop(ident, var, start, stop, step.value, place)
        self.loops[ident] = loop
        return LoopNode(
            loop, self.body(node.body, {**scope, var: ident}, (*outer, ident))
        )

    def body(
        self,
        nodes: list[ast.stmt],
        scope: dict[str, str],
        loops: tuple[str, ...],
        guard: tuple[Cond, ...] = (),
    ) -> tuple[Node, ...]:
        found: list[Node] = []
        for node in nodes:
            if isinstance(node, ast.For):
                found.append(self.loop(node, scope, loops))
            elif isinstance(node, ast.If):
                test = node.test
                assert isinstance(test, ast.Compare)
                cond = Compare(
                    COMPARE[type(test.ops[0])],
                    self.affine(test.left, scope),
                    self.affine(test.comparators[0], scope),
                )
                found.extend(self.body(node.body, scope, loops, (*guard, cond)))
            else:
                found.append(self.statement(node, scope, loops, guard))
        return tuple(found)

    def statement(
        self,
        node: ast.stmt,
        scope: dict[str, str],
        loops: tuple[str, ...],
        guard: tuple[Cond, ...],
    ) -> StatementNode:
        name = f"s{len(self.statements)}"
        reduction = None
        for part in ast.walk(node):
            if isinstance(part, ast.Subscript) and isinstance(part.value, ast.Name):
                self.arrays[part.value.id] = None
        for part in ast.walk(node):
            if isinstance(part, ast.Name) and part.id not in self.arrays:
                if isinstance(part.ctx, ast.Store):
                    self.scalars[part.id] = None
                else:
                    self.names[part.id] = None
        if isinstance(node, ast.AugAssign):
            target = node.target
            base = target.value if isinstance(target, ast.Subscript) else target
            assert isinstance(base, ast.Name)
            reduction = Reduction("+", Access(base.id, (), True), node.value)
        self.statements[name] = Statement(
            name,
            loops,
            And(guard),
            (),
            (node,),
            Place("t.py", node.lineno),
            reduction=reduction,
        )
        return StatementNode(name)

    def affine(self, node: ast.expr, scope: dict[str, str]) -> IntExpr:
        match node:
            case ast.Constant(value=int(value)):
                return Const(value)
            case ast.Name(id=name):
                if name not in scope:
                    self.names[name] = None
                return Var(scope.get(name, name))
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return mul(Const(-1), self.affine(operand, scope))
            case ast.BinOp(left=left, op=op, right=right):
                one, two = self.affine(left, scope), self.affine(right, scope)
                combine: dict[type[ast.operator], Callable[..., IntExpr]] = {
                    ast.Add: add,
                    ast.Sub: sub,
                    ast.Mult: mul,
                }
                return combine[type(op)](one, two)
        raise AssertionError(ast.unparse(node))


def value(expr: IntExpr, env: Mapping[str, int], starts: Mapping[str, int]) -> int:
    """An expression for given variables and starts."""
    match expr:
        case Const(number):
            return number
        case Var(name):
            return env[name]
        case Start(loop):
            return starts[loop]
        case Add(terms):
            return sum(value(term, env, starts) for term in terms)
        case Mul(factors):
            product = 1
            for factor in factors:
                product *= value(factor, env, starts)
            return product
        case FloorDiv(left, right):
            return value(left, env, starts) // value(right, env, starts)
        case Mod(left, right):
            return value(left, env, starts) % value(right, env, starts)
        case Min(args):
            return min(value(arg, env, starts) for arg in args)
        case Max(args):
            return max(value(arg, env, starts) for arg in args)
    raise AssertionError(expr)


def holds(cond: Cond, env: Mapping[str, int], starts: Mapping[str, int]) -> bool:
    """A condition for given variables."""
    match cond:
        case And(args):
            return all(holds(arg, env, starts) for arg in args)
        case Compare(op, left, right):
            one, two = value(left, env, starts), value(right, env, starts)
            return {
                "<": one < two,
                "<=": one <= two,
                "==": one == two,
                "!=": one != two,
                ">=": one >= two,
                ">": one > two,
            }[op]
    raise AssertionError(cond)


class Run:
    """All instances of a nest for given sizes, in source order, and the starts."""

    def __init__(self, nest: Nest, sizes: Mapping[str, int]) -> None:
        self.nest = nest
        self.sizes = dict(sizes)
        self.instances: list[Instance] = []
        self.seen: dict[str, list[int]] = {loop: [] for loop in nest.loops}
        self.reached: dict[str, list[Values]] = {loop: [] for loop in nest.loops}
        for root in nest.body:
            self._visit(root, {})
        self.starts = {
            loop: (min if nest.loops[loop].step > 0 else max)(values, default=0)
            for loop, values in self.seen.items()
        }

    def _visit(self, node: Node, values: Values) -> None:
        env = {**self.sizes, **values}
        if isinstance(node, StatementNode):
            if holds(self.nest.statements[node.statement].guard, env, {}):
                self.instances.append((node.statement, tuple(values.items())))
            return
        loop = node.loop
        start, stop = value(loop.start, env, {}), value(loop.stop, env, {})
        for number in range(start, stop, loop.step):
            self.seen[loop.id].append(number)
            self.reached[loop.id].append({**values, loop.id: number})
            for child in node.body:
                self._visit(child, {**values, loop.id: number})

    def position(self, schedule: Schedule, uid: int, instance: Instance) -> int:
        """The position of an instance along one dimension."""
        values = self.values(schedule, instance)
        return value(schedule.position[uid][instance[0]], values, self.starts)

    def values(self, schedule: Schedule, instance: Instance) -> Values:
        """The sizes and the values of all loops at an instance, collapsed ones too."""
        name, values = instance
        env = {**self.sizes, **dict(values)}
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
            used = variables(expr)
            loops = [x for x in self.nest.statements[name].loops if x in used]
            made = [x for x in schedule.collapsed if x in used]
            counts = (prod(map(len, self.sides(schedule, x))) for x in made)
            places = list(itertools.product(*map(range, counts)))
            for reached in self.reached[loops[-1]] if loops else [{}]:
                for values in places:
                    known = dict(zip(made, values, strict=True))
                    env = {**self.sizes, **reached, **known}
                    seen.append(value(expr, env, self.starts))
        return range(min((0, *seen)), max((-1, *seen)) + 1)

    def time(self, schedule: Schedule, instance: Instance) -> tuple[int, ...]:
        """The time of an instance: positions and child numbers from the root."""
        return tuple(
            (
                self.position(schedule, node.dim.uid, instance)
                if isinstance(node, Band)
                else child
            )
            for node, child in path(schedule.tree, instance[0])
        )

    def order(self, schedule: Schedule) -> list[Instance]:
        """The instances as the schedule visits them; all times must be distinct."""
        timed = [(self.time(schedule, one), one) for one in self.instances]
        for name in self.nest.statements:
            times = [time for time, (own, _) in timed if own == name]
            assert len(set(times)) == len(times), "two instances at one time"
        return [one for _, one in sorted(timed, key=lambda pair: pair[0])]


def boxes(limit: int, *names: str) -> Iterator[Values]:
    """All sizes from 0 to ``limit`` for the names."""
    for sizes in itertools.product(range(limit + 1), repeat=len(names)):
        yield dict(zip(names, sizes, strict=True))


class Log:
    """An array that remembers what is read and written, and where."""

    def __init__(self, name: str, log: list[tuple[object, ...]]) -> None:
        self.name = name
        self.log = log
        self.cells: dict[object, int] = {}

    def __getitem__(self, key: object) -> int:
        number = self.cells.get(key, hash((self.name, key)) % 1000)
        self.log.append(("read", self.name, key, number))
        return number

    def __setitem__(self, key: object, new: int) -> None:
        self.cells[key] = new
        self.log.append((self.name, key, new))


def accesses_of(code: str, arrays: tuple[str, ...], sizes: Values) -> list[Any]:
    """What running ``code`` reads and writes, in order."""
    log: list[Any] = []
    scope: dict[str, Any] = {name: Log(name, log) for name in arrays}
    exec(code, {**scope, **sizes})
    return log


def accesses_in_order(
    run: Run,
    order: list[Instance],
    arrays: tuple[str, ...],
    before: Mapping[str, object] | None = None,
) -> list[Any]:
    """What the statements read and write when run in ``order``."""
    log: list[Any] = []
    scope: dict[str, Any] = {name: Log(name, log) for name in arrays}
    scope.update(before or {})
    scope.update(run.sizes)
    compiled = {
        name: compile(ast.Module(list(statement.code), []), name, "exec")
        for name, statement in run.nest.statements.items()
    }
    for name, values in order:
        variables = {run.nest.loops[loop].var: number for loop, number in values}
        scope.update(variables)
        exec(compiled[name], scope)
    return log
