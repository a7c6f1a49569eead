"""Loops with names that may be read before they are assigned, spelled so that they ask.

Beside such a name is whether it has a value: where it has none the loops as written run
from their start, and raise what Python raises. A name that is None has none, either.
(Definite assignment, as far as a text shows it: Java Language Specification, chapter
16; the rest is looked at.)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from looptx.model.naming import HELD, free
from looptx.model.trees import asking, numberless, sure
from looptx.source.ast_tools import LOOPS, is_loop, walked
from looptx.source.flow.bound import surely_bound
from looptx.source.flow.nothing import (
    asked,
    begun,
    is_reset,
    learned,
    of_loops,
    read_in,
    resets,
)
from looptx.source.liveness import binds, exposed, reads
from looptx.source.names.captures import COMPREHENSIONS
from looptx.source.names.enclosing import enclosing
from looptx.source.names.imports import SCOPES, own_nodes
from looptx.source.names.scope import Function, Scope
from looptx.source.spelling.edits import Change, Changes, always, spelling
from looptx.source.spelling.inserted import Inserted, together

Names = frozenset[str]

_OTHERS = (SCOPES | COMPREHENSIONS | ast.Try | ast.TryStar | ast.With | ast.Match) | (
    ast.AsyncFor | ast.AsyncWith | ast.Delete | ast.NamedExpr | ast.Import
)
"""What is not followed from statement to statement."""


@spelling(is_loop)
def with_guarded(function: Function, scope: Scope) -> Changes:
    """Loops ask whether names have values, where they may have none."""
    loops = [x for x in own_nodes(function) if isinstance(x, LOOPS)]
    inside = {x for loop in loops for x in walked(loop) if x is not loop}
    taken = {*scope.identifiers}
    for root in loops:
        if scope.wild or root in inside:
            continue
        if not _is_followed(root, function):
            continue
        nothing = begun(root, function, scope)
        names = _unsure(root, function, scope) | nothing
        if names:
            flags = {x: free(f"{HELD}set_{x}", taken) for x in sorted(names)}
            once = free(f"{HELD}once", {*taken, *flags.values()})
            taken |= {once, *flags.values()}
            yield from _Guarded(root, flags, nothing).changes(once)


def _is_followed(root: ast.For | ast.While, function: Function) -> bool:
    """Whether all statements of a loop, and those around it, are known by their kinds.

    Args:
        root: the loop. function: where it stands.
    """
    around = [step.around for step in enclosing(function, root)[1:]]
    others = (isinstance(x, _OTHERS | ast.ImportFrom) for x in walked(root))
    return all(isinstance(x, ast.If) for x in around) and not any(others)


def _unsure(root: ast.For | ast.While, function: Function, scope: Scope) -> Names:
    """The names of numbers that have no value in front of a loop, and may get one late.

    Args:
        root: the loop, around which is no other. function, scope: where it stands.
    """
    sure = surely_bound(root, scope) | scope.shared | scope.foreign
    found = (exposed(root, scope.surely_runs) & binds([root])) - sure
    steps = enclosing(function, root)
    found -= binds(stmt for step in steps for stmt in step.before)
    return found - of_loops(root) if found else found


class _Guarded:
    """Respells one loop.

    Args:
        root: the loop. flags: what says whether names have values, by these.
        nothing: those of them that are None where they have none.
    """

    def __init__(
        self, root: ast.For | ast.While, flags: Mapping[str, str], nothing: Names
    ) -> None:
        self.root = root
        self.flags = flags
        self.names = frozenset(flags)
        self.nothing = nothing
        self.owners: dict[ast.AST, Inserted] = {}
        self.parts: dict[ast.AST, Change] = {}

    def changes(self, once: str) -> Iterator[tuple[ast.AST, Change]]:
        """The changes of the loop, and in it.

        Args:
            once: the name of the variable of a loop around it.
        """
        unset = [_assigned(flag, False, self.root) for flag in self.flags.values()]
        self._read(self.root, frozenset())
        self._loop(self.root, frozenset())
        yield from self.parts.items()
        yield from self._tests()
        for owner, inserted in self.owners.items():
            if owner is not self.root:
                yield owner, inserted.into(owner)
        inserted = self.owners.get(self.root, Inserted())

        def change(node: ast.AST) -> ast.AST:
            made = inserted.into(self.root)(node)
            assert isinstance(made, ast.stmt)
            return numberless(together(unset, made, once), self.nothing)

        yield self.root, change

    def _tests(self) -> Iterator[tuple[ast.AST, Change]]:
        """The truths that stand for comparisons with None."""
        for node in walked(self.root):
            one = asked(node)
            if one is not None and one[0] in self.nothing:
                flag = ast.Name(self.flags[one[0]], ast.Load())
                truth: ast.expr = asking(flag, one[0])
                if not one[1]:
                    truth = ast.UnaryOp(ast.Not(), truth)
                ast.fix_missing_locations(ast.copy_location(truth, node))
                yield node, always(truth)

    def _loop(self, loop: ast.For | ast.While, known: Names) -> None:
        """Follow the body of a loop.

        Args:
            loop: it. known: the names that have a value where it begins.
        """
        inside = known
        if isinstance(loop, ast.While):
            inside |= learned(loop.test, True) & self.nothing
        self._block(loop, loop.body, inside)
        self._block(loop, loop.orelse, known)

    def _block(
        self, owner: ast.stmt, body: Sequence[ast.stmt], known: Names
    ) -> Names | None:
        """Follow statements.

        Args:
            owner: what they stand in. body: they.
            known: the names that have a value in front of them.

        Returns:
            Those that have one behind them; None where all ways end.
        """
        for stmt in body:
            if isinstance(stmt, LOOPS):
                known -= resets(stmt) & self.nothing
            known |= self._asked(owner, stmt, self._read(stmt, known))
            match stmt:
                case ast.Assign([ast.Name(name)]) if (
                    is_reset(stmt) and name in self.nothing
                ):
                    none = _assigned(self.flags[name], False, stmt)
                    self.parts[stmt] = always(none)
                    known -= {name}
                case ast.If(test):
                    ways = [
                        self._block(
                            stmt, x, known | learned(test, holds) & self.nothing
                        )
                        for x, holds in ((stmt.body, True), (stmt.orelse, False))
                    ]
                    ends = [names for names in ways if names is not None]
                    if not ends:
                        return None
                    known = frozenset.intersection(*ends)
                case ast.For() | ast.While():
                    self._loop(stmt, known)
                case ast.Break() | ast.Continue() | ast.Return() | ast.Raise():
                    return None
                case ast.AnnAssign(value=None):
                    continue
                case _:
                    given = binds([stmt]) & self.names
                    lines = (
                        _assigned(self.flags[x], True, stmt) for x in given - known
                    )
                    self._inserted(owner).behind(stmt, *lines)
                    known |= given
        return known

    def _read(self, stmt: ast.stmt, known: Names) -> Names:
        """The names that have to be asked for where a statement begins.

        Args:
            stmt: it. known: the names that have a value there.
        """
        match stmt:
            case ast.If(test) | ast.While(test):
                part: ast.AST = test
            case ast.For():
                part = stmt.iter
            case _:
                part = stmt
        found = reads(part) - self.nothing
        if isinstance(stmt, ast.AugAssign) and isinstance(stmt.target, ast.Name):
            found |= {stmt.target.id}
        for node, is_known in read_in(part, known) if self.nothing else ():
            if node.id not in self.nothing:
                continue
            if not is_known:
                found |= {node.id}
            else:
                self.parts[node] = _surely
        if isinstance(stmt, LOOPS):
            # What it does not assign has a value there, or none in all of it.
            exposed_in = exposed(stmt, lambda _: False) - binds([stmt])
            found |= exposed_in - self.nothing
        return found & self.names - known

    def _asked(self, owner: ast.stmt, stmt: ast.stmt, names: Names) -> Names:
        """Ask in front of a statement whether names have values.

        Args:
            owner: what it stands in. stmt: it. names: they.
        """
        for name in sorted(names):
            test = ast.Assert(ast.Name(self.flags[name], ast.Load()), None)
            ast.fix_missing_locations(ast.copy_location(test, stmt))
            self._inserted(owner).before(stmt, asking(test, name))
        return names

    def _inserted(self, owner: ast.stmt) -> Inserted:
        return self.owners.setdefault(owner, Inserted())


def _surely(node: ast.AST) -> ast.AST:
    """A name that has a value where it is read."""
    assert isinstance(node, ast.Name)
    return sure(node)


def _assigned(name: str, value: bool, place: ast.stmt) -> ast.stmt:
    """What gives a name a truth.

    Args:
        name: it. value: the truth. place: where it stands.
    """
    made = ast.Assign([ast.Name(name, ast.Store())], ast.Constant(value))
    return ast.fix_missing_locations(ast.copy_location(made, place))
