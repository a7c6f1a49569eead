"""The body of a function that computes numbers, in names of its own.

It may assign to its local variables and to elements of arrays that it is given, decide
by ``if``, loop, return, and call functions that are known. Whatever else it does, it is
refused for, by name.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from looptx.model.callees.structure import is_endless, returns
from looptx.model.functions import lookup
from looptx.model.naming import DRAWN
from looptx.model.noted.slices import is_elementwise
from looptx.model.records import dataclass, field
from looptx.source.callees.expressions import Expressions
from looptx.source.callees.guards import guarded
from looptx.source.callees.refusals import Refused, refuse
from looptx.source.names.scope import counted

_NOTHING = "may end without `return`, which gives None"

Known: TypeAlias = frozenset[str]
"""The names that have a value."""


@dataclass
class Body(Expressions):
    """Reads the body of a function.

    Attributes:
        locals, results, nothing: as of a ``Callee``.
    """

    locals: set[str] = field(default_factory=set)
    results: int | None = None
    nothing: bool = False
    _changed: set[str] = field(default_factory=set)
    _given: set[str] = field(default_factory=set)
    _counting: list[str] = field(default_factory=list)
    _rounds: int = 0

    def whole(
        self, code: Sequence[ast.stmt], parameters: Sequence[str]
    ) -> tuple[ast.stmt, ...]:
        """The statements of the function.

        Raises:
            Refused: it does something else than compute numbers.
        """
        self.parameters = frozenset(parameters)
        lines, left = self._block(guarded(code), self.parameters)
        if self.results is None and not self.nothing and left is None:
            parts = [part for one in code for part in ast.walk(one)]
            refuse([*(x for x in parts if isinstance(x, ast.Raise)), code[-1]][0])
        if left is not None:
            self.nothing = True
            lines.append(ast.Return(ast.Constant(None)))
        if self.nothing and self.results is not None:
            raise Refused(code[-1], _NOTHING)
        # What gives nothing is called for what it does, if only for what it raises.
        self.runs |= self.nothing
        # The value of a number is another one: nothing else sees that change.
        own = self._changed if self._changed.isdisjoint(self._given) else parameters
        self.updates |= {self.name(x) for x in parameters if x in own}
        self.updates -= self.arrays.keys()
        for array, axis, place, one in self.sized:
            rank = self.arrays.get(array, 0)
            if not -rank <= axis < rank:
                name = ast.unparse(one)
                raise Refused(one, f"reads a size of `{name}`, and no element")
            place.value = axis % rank
        for name, node in self.numbers.items():
            if self.name(name) in self.arrays:
                raise Refused(node, f"uses `{name}` both as an array and otherwise")
        return tuple(lines)

    def _block(
        self, code: Sequence[ast.stmt], known: Known
    ) -> tuple[list[ast.stmt], Known | None]:
        """Statements, and the names that have a value behind them.

        Args:
            code: the statements. known: the names that have a value before.

        Returns:
            The statements and the names; None for these where all ways end there.
        """
        found: list[ast.stmt] = []
        for node in code:
            if is_elementwise(node):
                # Which arrays share memory is known where it is called.
                raise Refused(node, "has statements on arrays")
            match node:
                case ast.Pass() | ast.Expr(ast.Constant()) | ast.AnnAssign(value=None):
                    continue
                case ast.Assign([ast.Name(name)]) if name in DRAWN:
                    # Loops that draw are given what they draw from.
                    continue
                case ast.Return(value):
                    found.append(ast.Return(self._returned(value, known)))
                    return found, None
                case ast.Break() | ast.Continue():
                    found.append(node)
                    return found, None
                case ast.Assert(test):
                    found += self._asserted(test, known) if __debug__ else []
                case ast.If(test, [ast.Raise()], []):
                    self.runs = True
                    cond = self.number(test, known)
                    found.append(ast.If(cond, [ast.Raise()], []))
                case ast.Raise() if self._rounds or any(map(returns, found[-1:])):
                    self.runs = True
                    found.append(ast.Raise())
                    return found, None
                case ast.If(test, body, orelse):
                    cond = self.number(test, known)
                    branches = [self._block(x, known) for x in (body, orelse)]
                    found.append(ast.If(cond, branches[0][0], branches[1][0]))
                    ends = [names for _, names in branches if names is not None]
                    if not ends:
                        return found, None
                    known = frozenset.intersection(*ends)
                case ast.For() | ast.While():
                    self._rounds += 1
                    found.append(self._loop(node, known))
                    self._rounds -= 1
                    if is_endless(node):
                        return found, None
                case _:
                    found += self._assigned(node, known)
                    known |= {name for name in _targets(node)}
        return found, known

    def _asserted(self, test: ast.expr, known: Known) -> Iterator[ast.stmt]:
        """An ``assert``, without which all else has to be the same.

        Args:
            test: what it asserts. known: as of ``_block``.
        """
        self.runs = True
        calls = filter(None, map(self.callee, _expressions(test)))
        cond = self.number(test, known)
        if any(one.draws or one.writes for one in calls):
            raise Refused(test, "has an `assert` that does something")
        yield ast.If(ast.UnaryOp(ast.Not(), cond), [ast.Raise()], [])

    def _loop(self, node: ast.For | ast.While, known: Known) -> ast.stmt:
        """A loop: it may have no iteration, so that nothing has a value behind it."""
        self.runs = True
        if isinstance(node, ast.While):
            test = self.number(node.test, known)
            body, orelse = (self._block(x, known)[0] for x in (node.body, node.orelse))
            return ast.While(test, body or [ast.Pass()], orelse)
        over = counted(node.iter, self.imports)
        target = node.target
        if over is None or not isinstance(target, ast.Name) or over is not node.iter:
            raise Refused(node, "has a `for` that is not `for NAME in range(...)`")
        if over.keywords or not 0 < len(over.args) < 4:
            refuse(over)
        if target.id in self._counting:
            raise Refused(node, f"has a loop over `{target.id}` in one over it")
        args = [self.number(one, known) for one in over.args]
        place = self._target(target)
        self._counting.append(target.id)
        body, _ = self._block(node.body, known | {target.id})
        self._counting.pop()
        orelse, _ = self._block(node.orelse, known)
        ranged = ast.Call(ast.Name("range", ast.Load()), args, [])
        return ast.For(place, ranged, body or [ast.Pass()], orelse, lineno=0)

    def _assigned(self, node: ast.stmt, known: Known) -> list[ast.stmt]:
        """An assignment, or a call that makes one."""
        match node:
            case ast.Assign(targets=[ast.Name() as target, *others], value=value) if (
                all(isinstance(one, ast.Name) for one in others)
            ):
                first = self._bound(target, value, known)
                name = ast.Name(target.id, ast.Load())
                rest = (self._bound(x, name, known | {target.id}) for x in others)
                return [first, *rest]
            case ast.AnnAssign(ast.Name() as target, _, ast.expr() as value, 1):
                return [self._bound(target, value, known)]
            case ast.AugAssign(ast.Name(name) as target, op, value):
                self._changed.add(name)
                left = self.number(ast.Name(name, ast.Load()), known, node)
                whole = ast.BinOp(left, op, self.number(value, known))
                return [ast.Assign([self._target(target)], whole, lineno=0)]
            case ast.AugAssign(ast.Subscript() as target, op, value):
                place = self.element(target, known, written=True)
                one = self.number(value, known)
                return [ast.AugAssign(place, op, one, lineno=0)]
            case ast.Assign([ast.Subscript() as target], value):
                one = self.number(value, known)
                place = self.element(target, known, written=True)
                return [ast.Assign([place], one, lineno=0)]
            case ast.Assign([ast.Tuple(targets)], value):
                several = self.several(value, len(targets), known)
                places = [self._part(one, known) for one in targets]
                both = ast.Tuple(places, ast.Store())
                return [ast.Assign([both], several, lineno=0)]
            case ast.Expr(ast.Call() as call):
                callee = self.callee(call)
                if callee is not None:
                    return [ast.Expr(self.call(call, callee, known))]
        refuse(node)

    def _bound(self, target: ast.expr, value: ast.expr, known: Known) -> ast.stmt:
        """A local variable that gets a number."""
        one = self.number(value, known)
        if not self._is_new(value):
            assert isinstance(target, ast.Name)
            self._given.add(target.id)
        return ast.Assign([self._target(target)], one, lineno=0)

    def _part(self, target: ast.expr, known: Known) -> ast.expr:
        """One of several things that are assigned at once."""
        if isinstance(target, ast.Subscript):
            return self.element(target, known, written=True)
        if not isinstance(target, ast.Name):
            refuse(target)
        self._given.add(target.id)
        return self._target(target)

    def _is_new(self, node: ast.expr) -> bool:
        """Whether a value is none that the function was given, were it an array."""
        if isinstance(node, ast.Call):
            return lookup(self.full(node.func)).fresh
        single = ast.Constant | ast.BinOp | ast.UnaryOp | ast.Compare | ast.Subscript
        return isinstance(node, single)

    def _target(self, target: ast.expr) -> ast.expr:
        assert isinstance(target, ast.Name)
        if target.id in self._counting:
            raise Refused(target, f"assigns the variable `{target.id}` of a loop in it")
        self.locals.add(self.name(target.id))
        self.numbers.setdefault(target.id, target)
        return ast.Name(self.name(target.id), ast.Store())

    def _returned(self, node: ast.expr | None, known: Known) -> ast.expr:
        """What is returned: a number, several, or nothing."""
        if node is None or (isinstance(node, ast.Constant) and node.value is None):
            self.nothing = True
            return ast.Constant(None)
        callee = self.callee(node)
        count = callee.results if callee is not None else 0
        if isinstance(node, ast.Tuple):
            count = len(node.elts)
            if count < 2:
                raise Refused(node, "returns a tuple of less than two values")
        if self.results not in (None, count):
            raise Refused(node, "returns now a number, now several")
        self.results = count
        return self.several(node, count, known) if count else self.number(node, known)


def _expressions(node: ast.expr) -> Iterator[ast.expr]:
    """An expression, and those inside."""
    return (part for part in ast.walk(node) if isinstance(part, ast.expr))


def _targets(node: ast.stmt) -> Iterator[str]:
    """The names that an assignment binds."""
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            yield part.id
