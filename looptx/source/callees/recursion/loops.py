"""Functions that call themselves, as loops: at their ends first.

``def f(i): ...; f(i - 1)`` goes on with other arguments: ``i = i - 1`` and its
statements again. (Tail calls: Steele, Debunking the expensive procedure call myth,
ACM '77.) Python has a frame for each, and raises when there are too many: long before,
the loops leave native code, and Python runs what is written.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Sequence

from looptx.model.callees.callee import Callee, Written
from looptx.model.callees.structure import DEEPEST, TOO_DEEP
from looptx.model.naming import again
from looptx.model.records import dataclass, replace
from looptx.model.trees import leaves
from looptx.source.callees.expressions import RECURSIVE
from looptx.source.callees.recursion.again import Other, given_on, is_name, pairs
from looptx.source.callees.recursion.frames import framed
from looptx.source.names.captures import COMPREHENSIONS
from looptx.source.names.imports import SCOPES, arguments

MOST = 16
"""So often statements are written that stand behind conditions of an end."""


def unrolled(written: Written) -> Written:
    """A function that calls itself, as a loop, if it can be one.

    Args:
        written: the function.
    """
    node = written.node
    inside = [x for stmt in node.body for x in ast.walk(stmt)]
    if not calls_itself(written):
        return written
    if any(isinstance(x, SCOPES | COMPREHENSIONS) for x in inside):
        return written
    taken = {x.id for x in inside if isinstance(x, ast.Name)}
    taken |= {one.arg for one in arguments(node)}
    made = copy.copy(node)
    try:
        made.body = _looped(written, taken)
    except Other:
        try:
            # Behind a call of itself it goes on.
            made.body = framed(written, DEEPEST)
        except Other:
            return written
    for part in (x for stmt in made.body for x in ast.walk(stmt)):
        if isinstance(part, ast.expr | ast.stmt) and "lineno" not in vars(part):
            ast.copy_location(part, node.body[0])
    return replace(written, node=made)


def _looped(written: Written, taken: set[str]) -> list[ast.stmt]:
    """The statements of a function that calls itself at its ends.

    Args:
        written: the function. taken: its names.

    Raises:
        Other: it calls itself elsewhere.
    """
    flag, depth = again("goes_on", taken), again("depth", taken)
    lines = _Ends(written, flag).block(written.node.body)
    first = ast.parse(
        f"{flag} = True\n{depth} = 0\n"
        f"while {flag}:\n"
        f"    {flag} = False\n"
        f"    {depth} += 1\n"
        f"    if {depth} > {DEEPEST}:\n        raise {TOO_DEEP}"
    ).body
    loop = first[-1]
    assert isinstance(loop, ast.While)
    loop.body += lines
    return first


def calls_itself(written: Written) -> bool:
    """Whether a function calls itself by its name.

    Args:
        written: the function.
    """
    node = written.node
    named = any(is_name(x, node.name) for stmt in node.body for x in ast.walk(stmt))
    return named and _is(written.outside.callee(node.name), node)


def _is(callee: Callee | None, node: ast.FunctionDef) -> bool:
    """Whether what a function finds by its own name is the function.

    Args:
        callee: what it finds. node: the function.
    """
    if callee is None or callee.name != node.name:
        return False
    if callee.written is not None:
        return callee.written.node is node
    return callee.refused == RECURSIVE


@dataclass(frozen=True)
class _Ends:
    """Makes of calls at the end of a function what goes on with other arguments.

    Attributes:
        written: the function. flag: the variable that says that it goes on.
    """

    written: Written
    flag: str

    def block(self, stmts: Sequence[ast.stmt], copies: int = 1) -> list[ast.stmt]:
        """Statements with which the function ends.

        Args:
            stmts: as they are written. copies: how often they are in the loop.

        Raises:
            Other: it calls itself in front of others, or gives a value, or the loop
                would be too long.
        """
        found: list[ast.stmt] = []
        for at, stmt in enumerate(stmts):
            rest = stmts[at + 1 :]
            match stmt:
                case ast.Return(None | ast.Constant(None)):
                    return found
                case ast.Expr(ast.Constant()):
                    continue
                case ast.Expr(ast.Call(ast.Name(name)) as call) if name == self.name:
                    if self.block(rest):
                        raise Other
                    return [*found, *self._on(call)]
                case ast.If(test, body, orelse) if self._ends(stmt):
                    self._plain(test)
                    if rest and not (leaves(body) or leaves(orelse)):
                        copies *= 2
                    if copies > MOST:
                        raise Other
                    ways = [self.block([*x, *rest], copies) for x in (body, orelse)]
                    made = ast.If(copy.deepcopy(test), ways[0] or [ast.Pass()], ways[1])
                    return [*found, ast.copy_location(made, stmt)]
            self._plain(stmt)
            found.append(copy.deepcopy(stmt))
        return found

    @property
    def name(self) -> str:
        """What the function calls itself."""
        return self.written.node.name

    def _ends(self, stmt: ast.stmt) -> bool:
        """Whether the function may end in a statement, or call itself."""
        return any(
            isinstance(x, ast.Return) or is_name(x, self.name) for x in ast.walk(stmt)
        )

    def _plain(self, node: ast.AST) -> None:
        """Make sure that the function goes on behind a part of it.

        Raises:
            Other: it does not, or calls itself there.
        """
        for x in ast.walk(node):
            if isinstance(x, ast.Return) or is_name(x, self.name):
                raise Other

    def _on(self, call: ast.Call) -> list[ast.stmt]:
        """What goes on with the arguments of a call.

        Args:
            call: of the function.

        Raises:
            Other: it has not one argument for each name, in order.
        """
        for value in (*call.args, *(one.value for one in call.keywords)):
            self._plain(value)
        others = pairs(self.written.node, call)
        (on,) = ast.parse(f"{self.flag} = True").body
        return [*given_on(others), on]
