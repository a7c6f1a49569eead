"""The C functions of a nest: its worker, and those of the bodies of parallel loops."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from looptx.looptree.nodes import For as Loop
from looptx.lower import tree
from looptx.lower.kinds import INT, of
from looptx.lower.loops.statements import Frame, Statements
from looptx.lower.scope import Scope
from looptx.lower.tree import (
    Assign,
    Expr,
    Function,
    Stmt,
    View,
    call,
    called,
    dangers,
    expressions,
    intrinsic,
    number,
    used,
)
from looptx.model.records import dataclass, field


@dataclass(slots=True)
class Functions:
    """The functions of one nest.

    Attributes:
        scope: the nest.
        statements: lowers its statements.
        name: the stem of the names of the functions.
        outside: what the nest has from its entry: C name to type.
        outlined: the functions so far.
        scalar: the lines of vector loops without vectors, why they have none, and
            what helps.
    """

    scope: Scope
    statements: Statements
    name: str
    outside: Mapping[str, str | View]
    outlined: list[Function] = field(default_factory=list)
    scalar: dict[tuple[int, str, str], None] = field(default_factory=dict)

    def raises(self, body: Sequence[Stmt]) -> bool:
        """Whether statements, or functions that they call, may raise."""
        loud = {one.name for one in self.outlined if one.raises}
        return bool(loud & called(body)) or bool(dangers(expressions(body)))

    def declare(self, var: str, frame: Frame) -> str:
        """Declare a loop variable; returns its C name."""
        name = self.scope.names(var)
        frame.declared[name] = "Py_ssize_t"
        return name

    def ends(self, node: Loop) -> tuple[Expr, Expr]:
        """The bounds of a loop."""
        return self.scope.integer(node.start), self.scope.integer(node.stop)

    def numbered(self, lines: list[Stmt], frame: Frame) -> list[Stmt]:
        """The body of a C function, with the number of its thread if it needs it."""
        thread = self.scope.thread
        if thread not in used(lines):
            return lines
        frame.declared[thread] = "int"
        return [
            Assign(tree.variable(thread), intrinsic("thread", of(INT))),
            *lines,
        ]

    def outline(
        self,
        body: Sequence[Stmt],
        inner: Frame,
        frame: Frame,
        own: Mapping[str, str],
        *,
        team: bool = False,
    ) -> Expr:
        """Put statements into a function of their own; returns the call.

        Args:
            body: the statements. inner: the frame that they were written for.
            frame: that of the caller.
            own: the arguments that the caller gives it alone, with their types.
            team: whether several threads call it at the same time.
        """
        names = used(body)
        known = {**self.outside, **frame.around, **frame.declared, **own}
        local = {n: c for n, c in inner.declared.items() if n not in own}
        given = {n: c for n, c in known.items() if n in names and n not in local}
        title = f"lx_{self.name}_body{len(self.outlined)}"
        # A body with loops of its own is worth a call; C then optimises it alone.
        nested = any(True for _ in tree.loops(body))
        raises = self.raises(body)
        function = Function(
            title, given, local, (*body,), raises, inline=not nested, team=team
        )
        self.outlined.append(function)
        return call(title, of(INT), *map(tree.variable, given))


def step_of(node: Loop) -> Expr | None:
    """The step of a loop, if it is not 1."""
    return None if node.step == 1 else number(node.step)
