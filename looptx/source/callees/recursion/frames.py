"""Functions that call themselves anywhere, as loops that keep what they go back to.

A call keeps what is read behind it in a list, and the statements begin again with other
arguments; where they end, what was kept last goes on behind its call. (A stack in the
place of recursion: Knuth, Structured programming with go to statements, '74.) What goes
on is the rest of each block around a call, and of each loop the rounds that are left.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Sequence

from looptx.model.callees.callee import Written
from looptx.model.callees.structure import TOO_DEEP
from looptx.model.naming import RANGE, again
from looptx.model.records import dataclass, field
from looptx.source.ast_tools import walked
from looptx.source.callees.recursion.again import (
    Other,
    given_on,
    is_name,
    is_plain,
    pairs,
)
from looptx.source.callees.recursion.remade import remade
from looptx.source.liveness import binds, bound_before, live_after, reads
from looptx.source.names.enclosing import enclosing
from looptx.source.names.imports import arguments, bound_names, resolve
from looptx.source.names.must_execute import jumps

MOST = 4
"""So many calls of itself a function may have: each has a copy of what follows it."""


def framed(written: Written, deepest: int) -> list[ast.stmt]:
    """The statements of a function that calls itself, as a loop.

    Args:
        written: the function. deepest: so many calls may run at once.

    Raises:
        Other: it gives a value, or is called where that is not a statement.
    """
    frames = _Frames(written)
    first = ast.parse(
        f"{frames.kept} = []\n"
        f"{frames.back} = False\n"
        "while True:\n"
        f"    {frames.leaves} = False\n"
        f"    if {frames.back}:\n"
        f"        if not {frames.kept}:\n            break\n"
        f"        {frames.taken} = {frames.kept}.pop()\n"
        "    else:\n"
        f"        if len({frames.kept}) >= {deepest}:\n"
        f"            raise {TOO_DEEP}\n"
        f"        {frames.back} = True"
    ).body
    match first[-1]:
        case ast.While(body=[_, ast.If(_, back, begins)]):
            back += frames.rests()
            begins += frames.run(written.node.body)
    return first


@dataclass
class _Frames:
    """Makes the loop of a function.

    Attributes:
        written: the function. sites: its calls of itself.
        fixed: the arguments that are the same in all calls.
        saved: what is kept at each. missing: what of that has no value yet there.
        arrays: what is made again where one goes on.
    """

    written: Written
    sites: list[ast.Expr] = field(default_factory=list)
    fixed: set[str] = field(default_factory=set)
    saved: list[str] = field(default_factory=list)
    missing: dict[ast.Expr, set[str]] = field(default_factory=dict)
    arrays: dict[str, ast.Assign] = field(default_factory=dict)

    def __post_init__(self) -> None:
        node = self.written.node
        self.sites = [
            x for x in walked(node) if isinstance(x, ast.Expr) and self._call(x)
        ]
        inside = [x for stmt in node.body for x in ast.walk(stmt)]
        named = sum(is_name(x, node.name) for x in inside)
        if not 0 < named == len(self.sites) <= MOST:
            raise Other
        given = {one.arg for one in arguments(node)}
        bound = {*bound_names(inside)}
        taken = {x.id for x in inside if isinstance(x, ast.Name)} | given
        changing = {x for site in self.sites for x, _ in self._others(site)}
        self.fixed = given - bound - changing
        local = (given | bound) - self.fixed
        live: set[str] = set()
        counts: set[str] = set()
        for site in self.sites:
            live |= live_after(node, site)
            for loop in self._loops(site):
                live |= self._ends(loop)
                counts |= binds([loop.target] if isinstance(loop, ast.For) else [])
        live = (live | counts) & local
        known = remade(self.written, self.fixed, given - bound)
        self.arrays = {name: stmt for name, stmt in known if name in live}
        for stmt in self.arrays.values():
            live |= reads(stmt.value) & local
        self.saved = sorted(live - self.arrays.keys())
        for site in self.sites:
            missing = live - given - bound_before(node, site)
            if not missing <= counts - live_after(node, site):
                raise Other
            self.missing[site] = missing
        self._check(inside, changing | {*self.saved})
        fresh = iter(again(x, taken) for x in ("frames", "back", "at", "leaves"))
        self.kept, self.back, self.at, self.leaves = fresh
        self.was = {x: again(x, taken | {self.at}) for x in self.saved}

    def _check(self, inside: Sequence[ast.AST], numbers: set[str]) -> None:
        """Make sure that what is kept is no array, as far as the text tells.

        Raises:
            Other: it is one.
        """
        for x in inside:
            match x:
                case ast.Subscript(ast.Name(name)) | ast.Attribute(ast.Name(name)):
                    if name in numbers:
                        raise Other

    @property
    def taken(self) -> str:
        """What takes all that was kept, as text."""
        return ", ".join([self.at, *self.was.values()]) if self.saved else self.at

    def _call(self, stmt: ast.Expr) -> bool:
        call = stmt.value
        return isinstance(call, ast.Call) and is_name(call.func, self.written.node.name)

    def _others(self, site: ast.Expr) -> list[tuple[str, ast.expr]]:
        """The arguments that a call gives another value."""
        assert isinstance(site.value, ast.Call)
        return pairs(self.written.node, site.value)

    def _loops(self, site: ast.stmt) -> Iterator[ast.For | ast.While]:
        """The loops around a call."""
        for step in enclosing(self.written.node, site):
            if isinstance(step.around, ast.For | ast.While):
                yield step.around

    def _ends(self, loop: ast.AST) -> frozenset[str]:
        """What tells which rounds are left of a loop, besides its variable.

        Args:
            loop: around a call.

        Raises:
            Other: it is another loop than one over a range, or a ``while``, or its end
                may be another one by then.
        """
        match loop:
            case ast.While(orelse=[]):
                return frozenset()
            case ast.For(ast.Name(name), ast.Call(over, args, []), body, []):
                ends = args[1:] or args
                plain = all(is_plain(x, self.fixed) for x in ends)
                read = frozenset().union(*map(reads, ends))
                bound = {*bound_names(x for stmt in body for x in ast.walk(stmt))}
                known = resolve(over, self.written.imports) == RANGE
                # The next round is found by the variable: it has to be the loop's.
                known &= name not in bound and name not in read
                if known and ends and plain and read.isdisjoint(bound):
                    return read
        raise Other

    def run(self, stmts: Sequence[ast.stmt], inner: bool = False) -> list[ast.stmt]:
        """Statements that begin the function again where that calls itself.

        Args:
            stmts: as they are written. inner: whether they stand in a loop.
        """
        found: list[ast.stmt] = []
        for stmt in stmts:
            match stmt:
                case ast.Return(value):
                    if value is not None and not _is_none(value):
                        raise Other
                    return [*found, *self._leave(inner)]
                case ast.Expr() if self._call(stmt):
                    return [*found, *self._enter(stmt), *self._leave(inner)]
                case ast.Expr(ast.Constant()):
                    continue
            if not self._leaves(stmt):
                found.append(copy.deepcopy(stmt))
            elif isinstance(stmt, ast.If):
                ways = [self.run(x, inner) for x in (stmt.body, stmt.orelse)]
                test = copy.deepcopy(stmt.test)
                found.append(ast.If(test, ways[0] or [ast.Pass()], ways[1]))
            elif isinstance(stmt, ast.For | ast.While) and not stmt.orelse:
                made = copy.deepcopy(stmt)
                made.body = self.run(stmt.body, True) or [ast.Pass()]
                test = ast.Name(self.leaves, ast.Load())
                after = ast.Break() if inner else ast.Continue()
                found += [made, ast.If(test, [after], [])]
            else:
                raise Other
        return found

    def _leaves(self, stmt: ast.stmt) -> bool:
        """Whether the function may end in a statement, or call itself."""
        return any(isinstance(x, ast.Return) or x in self.sites for x in walked(stmt))

    def _leave(self, inner: bool) -> list[ast.stmt]:
        if not inner:
            return [ast.Continue()]
        return [*ast.parse(f"{self.leaves} = True").body, ast.Break()]

    def _enter(self, site: ast.Expr) -> list[ast.stmt]:
        """What a call becomes: it keeps what it goes back to, and begins again."""
        number = str(self.sites.index(site) + 1)
        values = ("0" if x in self.missing[site] else x for x in self.saved)
        kept = f"({', '.join([number, *values])})" if self.saved else number
        lines = ast.parse(f"{self.kept}.append({kept})\n{self.back} = False").body
        return [*lines, *given_on(self._others(site))]

    def rests(self) -> list[ast.stmt]:
        """What goes on behind the call that kept what was taken."""
        lines: list[ast.stmt] = []
        for number, site in reversed([*enumerate(self.sites, 1)]):
            test = ast.parse(f"{self.at} == {number}", mode="eval").body
            lines = [ast.If(test, self.rest(site) or [ast.Pass()], lines)]
        return lines

    def rest(self, site: ast.Expr) -> list[ast.stmt]:
        """What goes on behind a call."""
        live = live_after(self.written.node, site)
        arrays = [x for name, x in self.arrays.items() if name in live]
        first = [
            stmt
            for name in self.saved
            for stmt in ast.parse(f"{name} = {self.was[name]}").body
        ]
        first += map(copy.deepcopy, arrays)
        found: list[ast.stmt] = []
        for step in reversed(enclosing(self.written.node, site)):
            found += step.block[step.at + 1 :]
            if isinstance(step.around, ast.For | ast.While):
                if any(jumps(found)):
                    raise Other
                found.append(self._left(step.around))
        return [*first, *self.run(found)]

    def _left(self, loop: ast.For | ast.While) -> ast.stmt:
        """The rounds that are left of a loop."""
        made = copy.copy(loop)
        match made:
            case ast.For(ast.Name(name), ast.Call(over, args)):
                stop, step = map(ast.unparse, (*args, ast.Constant(1))[-2:])
                if len(args) == 3:
                    stop, step = map(ast.unparse, args[1:])
                text = f"{ast.unparse(over)}({self.was[name]} + {step}, {stop}, {step})"
                made.iter = ast.parse(text, mode="eval").body
        return made


def _is_none(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is None
