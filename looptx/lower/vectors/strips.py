"""Slow functions of many numbers at once, in front of the iterations that use them.

What a loop computes by NumPy's functions, or by powers, from nothing that it changes
need not wait for its turn. So the loop runs in strips: such calls are made for all
iterations of a strip, by a function that takes several numbers, and the iterations, in
order, find the results in a buffer. (Strip mining and scalar expansion: Allen and
Kennedy, TOPLAS 9, 1987.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from looptx.lower import tree
from looptx.lower.kinds import INT, of
from looptx.lower.scope import Scope
from looptx.lower.tree import (
    Assign,
    Block,
    Expr,
    For,
    Function,
    If,
    Run,
    Stmt,
    While,
    assignments,
    infix,
    inside,
    intrinsic,
    loops,
    number,
    parts,
    statements,
)
from looptx.lower.types import c_name
from looptx.lower.vectors.masks.conditions import LOOPS
from looptx.lower.vectors.masks.masked import CELLS
from looptx.lower.vectors.near import NearSums, Sum, added, near_sums
from looptx.lower.vectors.places import growth, integer, moved, partners
from looptx.model.dtypes import DTYPES, FLOATS
from looptx.model.expr import Const, IntExpr, Min, Var, add, sub, variables
from looptx.model.records import dataclass, field, replace

STRIP = 128
"""How many iterations a strip has: which powers need a call of C's library is seen for
all of them at once, and loops of NumPy take their time to begin."""

FEW = 16
"""How many powers are worth to be looked at all at once, before one is asked for."""

_LARGEST = 64
"""How large a value may be that is computed once more."""

RULES = "strip"
"""Of functions of a strip: from one buffer into another, so many numbers."""

CLIMB = "climb"
"""Of these the one for powers of one number."""

LAZY = ("choice", "and", "or")
"""What computes its first part in any case, and others perhaps."""


def in_strips(scope: Scope, one: Function) -> Function:
    """A function whose loops compute slow functions in strips.

    Args:
        scope: the nest. one: the function; of a team others write what it reads.
    """
    if one.team or any(part.lanes > 1 for part in parts(one.body)):
        return one
    declared = {**one.variables}
    given = {name: c for name, c in one.arguments.items() if isinstance(c, str)}

    def change(node: Stmt) -> list[Stmt]:
        match node:
            case For(_, _, _, body, None, ()) if _plain(body):
                return _Strips(scope, node, declared, given).lines()
        return [node]

    body = rewritten(one.body, change)
    return replace(one, body=body, variables=declared) if body != one.body else one


def rewritten(block: Block, change: Callable[[Stmt], Iterable[Stmt]]) -> Block:
    """Statements with others in place of each, the inner ones first.

    Args:
        block: the statements. change: what becomes of one, with all inside changed.
    """
    found: list[Stmt] = []
    for node in block:
        match node:
            case For() | While():
                node = replace(node, body=rewritten(node.body, change))
            case If(cond, body, orelse):
                node = If(cond, rewritten(body, change), rewritten(orelse, change))
        found += change(node)
    return (*found,)


def slow(expr: Expr) -> bool:
    """Whether it is a call of one of NumPy's functions, or a power."""
    called = expr.intrinsic
    if called is None or called.dtype not in ("float64", "float32"):
        return False
    if called.rules == "numpy":
        return called.operation in LOOPS
    return (called.operation, called.rules) == ("pow", "")


def _slow(expr: Expr) -> bool:
    """Whether it may be worth a call for several numbers."""
    of_numpy = expr.intrinsic is not None and bool(expr.intrinsic.rules)
    return _of_python(expr) or (slow(expr) and not (of_numpy and len(expr.parts) > 1))


def _of_python(expr: Expr) -> bool:
    """Whether it is a power that may raise, but not for most of its numbers."""
    called = expr.intrinsic
    return called is not None and (called.operation, called.rules) == ("pow", "python")


def _is_whole(value: Expr) -> bool:
    """Whether all that is converted is computed as integers of 64 bits."""
    return all(
        part.kind.dtype == "int64" for one in value.parts for part in inside(one)
    )


def _place(value: Expr) -> IntExpr | None:
    """An integer over sizes and loops, if it is one."""
    return None if value.kind.dtype in FLOATS else integer(value)


def _plain(body: Block) -> bool:
    """Whether all iterations run to their ends, and nothing but cells is written."""
    if not all(isinstance(node, Assign | If | For) for node in statements(body)):
        return False
    return all(part.op != "call" or part.intrinsic for part in parts(body))


@dataclass(slots=True)
class _Strips:
    """A loop that is taken apart.

    Attributes:
        scope: the nest.
        loop: it.
        declared: the variables of the function it is in. given: its arguments.
        at: the variable that says where a strip begins.
        changed: the variables that get a value in it.
        written: the arrays that do, or other cells.
        known: what scalars are at a place in its body, as far as that hangs on nothing
            that the loop changes.
        buffers: what stands for the calls that are made before.
        ahead: these, in order: their buffers, and those of what they get.
        sums: the variables that it adds to.
    """

    scope: Scope
    loop: For
    declared: dict[str, str]
    given: dict[str, str]
    at: Var = field(init=False)
    changed: frozenset[str] = frozenset()
    written: frozenset[str] = frozenset()
    known: dict[str, Expr] = field(default_factory=dict)
    buffers: dict[Expr, Expr] = field(default_factory=dict)
    ahead: list[tuple[Expr, Expr, Expr]] = field(default_factory=list)
    sums: list[Sum] = field(default_factory=list)

    def lines(self) -> list[Stmt]:
        """The loop in strips, or as it is."""
        if not any(map(_slow, parts(self.loop.body))):
            return [self.loop]
        targets = [line.target for line in assignments(self.loop.body)]
        variables = {one.name for one in targets if one.op == "name"}
        self.changed = frozenset(variables.union(x.var for x in loops(self.loop.body)))
        arrays = {one.name for one in targets if one.op in CELLS}
        others = partners(self.scope)
        for name in [*arrays]:
            arrays |= others.get(name, set())
        # Where arrays exchange their names, an array is a variable, too.
        self.written = frozenset(arrays) | self.changed
        self.at = Var(self.scope.names.fresh(f"{self.loop.var}_strip"))
        body = tuple(map(self._statement, self.loop.body))
        if not self.ahead:
            return [self.loop]
        return self._lines(body)

    def _statement(self, node: Stmt) -> Stmt:
        """A statement with the results of what is called before."""
        if isinstance(node, Assign) and (more := added(node)):
            self.sums.append(Sum(node, more[0], self._moved(more[1])))
        match node:
            case Assign(Expr("name", name=name) as target, value, ""):
                value = self._rewritten(value)
                own = self._moved(value) if self._alike(name, value) else None
                self.known.pop(name, None)
                if own is not None:
                    self.known[name] = own
                return Assign(target, value)
            case Assign(target, value, op):
                self.known.pop(target.name, None)
                places = tuple(map(self._rewritten, target.parts))
                target = replace(target, parts=places)
                return Assign(target, self._rewritten(value), op)
            case If(cond):
                node = replace(node, cond=self._rewritten(cond))
                self._forget(node)
            case For():
                self._forget(node)
        return node

    def _forget(self, node: Stmt) -> None:
        """Nothing is known of what a statement may give a value."""
        for line in assignments((node,)):
            self.known.pop(line.target.name, None)
        for one in loops((node,)):
            self.known.pop(one.var, None)

    def _rewritten(self, expr: Expr) -> Expr:
        """A value that is computed in any case, with results in place of calls."""
        lazy = 1 if expr.op in LAZY else len(expr.parts)
        ready = tuple(map(self._rewritten, expr.parts[:lazy]))
        if ready != expr.parts[:lazy]:
            expr = replace(expr, parts=(*ready, *expr.parts[lazy:]))
        if not _slow(expr):
            return expr
        whole = self._moved(replace(expr, raises=""))
        if whole is None or not (self._climbs(whole) or self._is_of_one(whole)):
            return expr
        if whole not in self.buffers:
            self.buffers[whole] = self._called(whole)
        found = replace(self.buffers[whole], kind=expr.kind)
        if not _of_python(expr):
            return found
        # What is not finite is asked for once more: it raises, or comes of no number.
        given = (found, *expr.parts)
        return replace(
            intrinsic("pow_found", expr.kind, *given, rules="python"),
            raises=expr.raises,
        )

    def _is_of_one(self, whole: Expr) -> bool:
        """Whether a call is of another number in each iteration, and of one only."""
        first, *others = map(self._varies, whole.parts)
        return first and not any(others) and not _of_python(whole)

    def _climbs(self, whole: Expr) -> int:
        """How much the exponent of a power of one number grows; 0 for other calls."""
        called = whole.intrinsic
        if called is None or called.operation != "pow":
            return 0
        base, exponent = whole.parts
        if whole.kind.dtype != "float64" or self._varies(base):
            return 0
        if exponent.op != "cast" or not _is_whole(exponent):
            return 0
        step = growth(exponent, self.loop.var)
        return step if step in (1, -1) else 0

    def _called(self, whole: Expr) -> Expr:
        """The result of a call that is made before, in an iteration."""
        assert whole.intrinsic is not None
        place = sub(Var(self.loop.var), self.at)
        names = (
            self.scope.names.fresh(f"{whole.intrinsic.operation}_{word}")
            for word in ("given", "found")
        )
        given, found = (
            Expr("local cell", whole.kind, (tree.index(place),), name) for name in names
        )
        self.ahead.append((whole, found if self._climbs(whole) else given, found))
        return found

    def _varies(self, expr: Expr) -> bool:
        """Whether it is another value in each iteration; C moves out the others."""
        return self.loop.var in tree.used([Run(expr)])

    def _moved(self, expr: Expr) -> Expr | None:
        """A value by what the loop does not change; None where there is no such."""
        indices = {n: _place(value) for n, value in self.known.items()}
        places = {n: at for n, at in indices.items() if at is not None}
        for part in inside(expr):
            if part.raises or not self._stays(part):
                return None
        found = moved(expr, places, self.known)
        return found if sum(1 for _ in inside(found)) <= _LARGEST else None

    def _alike(self, name: str, value: Expr) -> bool:
        """Whether a variable is what it is set to, without a conversion."""
        kind = self.declared.get(name)
        if _place(value) is not None:
            own = self.declared.get(value.name) if value.op == "name" else kind
            return kind == own == "Py_ssize_t"
        same = value.kind.dtype in FLOATS or value.op in CELLS
        return same and kind == c_name(value.kind.dtype)

    def _stays(self, part: Expr) -> bool:
        """Whether a part of a value is known before the loop runs."""
        names = {part.name} if part.op == "name" else set[str]()
        if part.index is not None:
            names = {name.partition(".")[0] for name in variables(part.index)}
            own = (self.known[n] for n in names & self.known.keys())
            if any(_place(one) is None for one in own):
                return False
        if part.op in CELLS and part.name in self.written:
            return False
        return names & self.changed <= self.known.keys()

    def _lines(self, body: Block) -> list[Stmt]:
        """The strips.

        Args:
            body: of the loop, with results in place of calls.
        """
        loop, at = self.loop, self.at
        stop, end = (
            self.scope.names.fresh(f"{loop.var}_{word}") for word in ("stop", "end")
        )
        self.declared.update(dict.fromkeys((at.name, stop, end), "Py_ssize_t"))
        called = [(one, x.intrinsic) for x, *one in self.ahead if x.intrinsic]
        powers = all(function.operation == "pow" for _, function in called)
        for cells, function in called:
            kind = f"{DTYPES[function.dtype or 'float64'].c}[{STRIP}]"
            self.declared.update(dict.fromkeys((one.name for one in cells), kind))
        until = tree.index(Min((add(at, Const(STRIP)), Var(stop))))
        filled = [line for one in self.ahead for line in self._filled(*one, end)]
        exact = *filled, For(loop.var, tree.variable(at.name), tree.variable(end), body)
        near = self._near_sums(body, end)
        quick = near.lines(exact) if near else exact
        lines: Block = (Assign(tree.variable(end), until), *quick)
        strips = For(at.name, loop.start, tree.variable(stop), lines, number(STRIP))
        all_: Block = (near.first, strips) if near else (strips,)
        last = Assign(tree.variable(stop), loop.stop)
        if not powers or any(loops(body)):
            return [last, *all_]
        enough = infix("-", tree.variable(stop), loop.start)
        plain = replace(loop, stop=tree.variable(stop))
        return [last, If(infix("<", enough, number(FEW)), (plain,), all_)]

    def _near_sums(self, body: Block, end: str) -> NearSums | None:
        """A strip whose sums are taken of what powers are near; None where none may.

        Args:
            body: as of ``_lines``. end: the variable that says where it ends.
        """
        loop, types = self.loop, {**self.given, **self.declared}
        sums = near_sums(loop.body, body, self.sums, types)
        if not sums:
            return None
        start, stop = tree.variable(self.at.name), tree.variable(end)
        strip = replace(loop, start=start, stop=stop)
        others = [one for one in self.sums if one not in sums]
        near = NearSums(self.scope, strip, self.at, sums, others)
        self.declared.update(near.declared(STRIP, types))
        return near

    def _filled(
        self, whole: Expr, given: Expr, found: Expr, end: str
    ) -> Iterator[Stmt]:
        """The statements that make a call for all iterations of a strip.

        Args:
            whole: the call. given, found: the cells of its operand and its result.
            end: the variable that says where the strip ends.
        """
        called, loop = whole.intrinsic, self.loop
        assert called is not None
        first, *others = whole.parts
        start, stop = tree.variable(self.at.name), tree.variable(end)
        count = infix("-", stop, start)
        step = self._climbs(whole)
        if step:
            begin = moved(others[0].parts[0], {loop.var: self.at}, {})
            arguments = [first, begin, number(step), tree.variable(found.name), count]
            function = replace(called, operation=CLIMB, dtype="float64", rules=RULES)
        else:
            yield For(loop.var, start, stop, (Assign(given, first),))
            cells = (tree.variable(cell.name) for cell in (given, found))
            arguments = [*cells, count, *others]
            function = replace(called, rules=RULES)
        yield Run(Expr("call", of(INT), (*arguments,), intrinsic=function))
