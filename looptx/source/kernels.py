"""One function to a kernel: its nests, and what is known of its names."""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol, TypeVar

from looptx.errors import LooptxError, Malformed, Place
from looptx.model.callees.callee import Callee
from looptx.model.noted.slices import is_elementwise
from looptx.model.program import Kernel, LoopNode, Nest
from looptx.model.records import replace
from looptx.source.ast_tools import is_part_of_one, walked
from looptx.source.callees.inside import defined_in
from looptx.source.flow.flows import Flows
from looptx.source.flow.memory import Memory
from looptx.source.kinds.integers import Kinds
from looptx.source.kinds.types import local_types, vague
from looptx.source.liveness import binds
from looptx.source.names.imports import arguments
from looptx.source.names.scope import Scope, annotation_text
from looptx.source.nests.joining import moved_lines, region
from looptx.source.nests.named import check_inside, renamed, statements
from looptx.source.nests.nest import read_nest
from looptx.source.nests.returns import ending_nest
from looptx.source.nests.roots import Root, outermost
from looptx.source.nests.statements import refusals
from looptx.source.plain import Plain
from looptx.source.spelling.edits import body, mark
from looptx.source.text import directives
from looptx.source.text.functions import Found, is_kernel, is_wanted
from looptx.source.text.integers import MOST_DIGITS, long_integers
from looptx.source.text.parse import Parsed, end_line

MOST_PAIRS = 20_000
"""Nests times statements of a function: each nest looks at all statements."""

Result = TypeVar("Result")


class Room(Protocol):
    """What gives a function room on the stack, and returns what it does."""

    def __call__(self, function: Callable[[], Result], /) -> Result:
        """What ``function`` returns."""
        ...


def too_deep(what: str, place: Place) -> LooptxError:
    """What is said of what would need too much room."""
    message = f"the {what} is too deeply nested to be analysed"
    return Malformed("LX304", message, place, hint="split long expressions")


class FunctionReader:
    """Reads one function.

    Args:
        parsed: the module. found: the function. placed: the module's directives.
        flows: what tells how arrays move through the module.
        room: gives each nest room on the stack. callee: finds a function by its name.
        plain: whether nobody names its nests: any loop may be one.

    Attributes:
        errors: why nests without directives were left out.
    """

    def __init__(
        self,
        parsed: Parsed,
        found: Found,
        placed: directives.Placed,
        flows: Callable[[], Flows],
        room: Room,
        callee: Callable[[str], Callee | None],
        *,
        plain: bool = False,
    ) -> None:
        self.parsed = parsed
        self.plain = plain
        self.callee = callee
        self.room = room
        self.flows = flows
        self.found = found
        self.node, self.qualname, self.outer, self.around = found
        self.decorators = found.decorators()
        self.placed = placed
        self.errors: list[LooptxError] = []
        self.roots: dict[Place, Root] = {}

    def kernel(self) -> Kernel | None:
        """The kernel, or None when there is nothing to schedule in the function."""
        node = self.node
        own = self.placed.of(node)
        asked = bool(own or self.decorators)
        loops = [n for n in walked(node) if isinstance(n, ast.For)]
        rounds = self.plain and any(isinstance(n, ast.While) for n in walked(node))
        if not (loops or rounds or asked or any(statements(node, self.placed))):
            return None
        if self._has_long_integers():
            return None
        scope = Scope(node, self.outer, self.callee, defined_in)
        found = list(outermost(scope, node.body, False, self.placed, plain=self.plain))
        self.roots = {self.parsed.place(each.loop): each for each in found}
        self._check_loops(scope)
        if not (found or asked) or self._is_too_large(len(found)):
            return None
        kinds = Kinds(scope)
        memory = Memory(kinds, self.flows)
        nests = (self._plain if self.plain else self._nests)(found, kinds, memory)
        if not nests and self.errors and (own or self._scheduled()):
            raise self.errors[0]
        if not (nests or asked):
            return None
        return Kernel(
            qualname=self.qualname,
            parameters=tuple(
                (a.arg, annotation_text(a.annotation)) for a in arguments(node)
            ),
            nests=tuple(nests),
            directives=own,
            names=scope.identifiers,
            imports=dict(scope.imports),
            types=local_types(kinds),
            place=self.parsed.place(node),
            first_line=self.parsed.first_line(node),
            last_line=end_line(node),
            decorators=self.decorators,
            around=self.around,
            nearly=tuple(
                each
                for stmt in (node, *loops)
                for each in self.placed.nearly.get(stmt, ())
            ),
            vague=vague(kinds),
            callees=scope.callees,
            join=functools.partial(self._join, kinds, memory),
        )

    def _has_long_integers(self) -> bool:
        """Whether it holds numbers that Python refuses to write."""
        long = next(iter(long_integers(self.node)), None)
        if long is not None:
            what = f"an integer of more than {MOST_DIGITS} digits"
            self._leave_out(long, what, "keep it in a variable outside of the function")
        return long is not None

    def _is_too_large(self, roots: int) -> bool:
        """Whether so many nests take too long to be analysed."""
        statements = sum(isinstance(n, ast.stmt) for n in walked(self.node))
        large = roots * statements > MOST_PAIRS
        if large:
            what = "the function has too many loops to be analysed"
            hint = "move the annotated loops to a function of their own"
            self._leave_out(self.node, what, hint)
        return large

    def _leave_out(self, node: ast.expr | ast.stmt, message: str, hint: str) -> None:
        """Leave the function out, or refuse it if something in it is wanted."""
        error = Malformed("LX304", message, self.parsed.place(node), hint=hint)
        if is_wanted(self.found, self.placed):
            raise error
        self.errors.append(error)

    def _join(self, kinds: Kinds, memory: Memory, nests: Sequence[Nest]) -> Nest:
        """Several nests of one statement list, and what is between them, as one.

        Raises:
            LooptxError: LX106, LX206 where that cannot be; and those of ``read``.
        """
        roots = [self.roots[nest.place] for nest in nests]
        loops = [root.loop for root in roots if isinstance(root.loop, ast.For)]
        names = ", ".join(f"`{nest.name}`" for nest in nests)
        joined = region(self.parsed, kinds.scope, memory, loops)
        if joined is None:
            raise Malformed(
                "LX106",
                f"the nests do not stand side by side: {names}",
                hint="fuse nests that stand under the same loops",
            )
        scope = Scope(joined.function, self.outer, self.callee, defined_in)
        local = Kinds(scope)
        hoisted, sunk = (
            tuple(moved_lines(self.parsed, stmt) for stmt in group)
            for group in (joined.hoisted, joined.sunk)
        )
        nest = read_nest(
            self.parsed,
            Root(joined.root, roots[0].lowest),
            0,
            self.placed,
            local,
            memory,
        )
        tops = [node.loop for node in nest.body if isinstance(node, LoopNode)]
        given = {nest.place: nest.name for nest in nests}
        named = {given[top.place]: top.id for top in tops if top.place in given}
        inside = {
            name: root for each in nests for name, root in renamed(each, nest).items()
        }
        return replace(
            nest,
            name="+".join(named),
            asked=replace(nest.asked, subnests={**named, **inside}),
            text=replace(
                nest.text,
                hoisted=hoisted,
                sunk=sunk,
                directives=(),
                applied=any(root.applied for root in roots),
            ),
        )

    def _scheduled(self) -> bool:
        """Whether the decorator itself holds directives."""
        return bool(self.decorators) and any(
            isinstance(d, ast.Call) and d.args and is_kernel(d, self.around)
            for d in self.node.decorator_list
        )

    def _check_loops(self, scope: Scope) -> None:
        """Directives stand on loops over ``range`` only, and on statements in them."""
        found = (root.loop for root in self.roots.values())
        roots = [loop for loop in found if isinstance(loop, ast.For)]
        check_inside(self.node, roots, self.placed)
        for node in walked(self.node):
            if isinstance(node, ast.For) and not scope.is_range_loop(node):
                for directive in self.placed.of(node):
                    raise refusals.loop(node, self.parsed, directive)
                if refusals.is_over_range(node) and not is_part_of_one(node):
                    self.errors.append(refusals.loop(node, self.parsed))

    def _nests(self, found: Sequence[Root], kinds: Kinds, memory: Memory) -> list[Nest]:
        """The nests that can be read, of loops over elements also those inside.

        Args:
            found: the outermost loops. kinds, memory: of the function.
        """
        nests: list[Nest] = []
        left, number = [*reversed(found)], 0
        unread: list[LooptxError] = []
        while left:
            root = left.pop()
            known = len(self.errors)
            nest = self._nest(root, number, kinds, memory)
            if nest is not None:
                nests.append(nest)
            elif is_elementwise(root.loop):
                # Nothing is missed where NumPy runs a statement on arrays.
                del self.errors[known:]
            elif mark(root.loop):
                unread += self.errors[known:]
                del self.errors[known:]
                inside, marked = body(root.loop), root.applied
                inner = [*outermost(kinds.scope, inside, marked, self.placed)]
                self.roots |= {self.parsed.place(each.loop): each for each in inner}
                left += reversed(inner)
                number -= not inner
            number += 1
        # Where others are nests, such a loop may well be over something else.
        self.errors += [] if nests else unread
        return nests

    def _plain(self, found: Sequence[Root], kinds: Kinds, memory: Memory) -> list[Nest]:
        """The nests where nobody names them, as ``_nests``.

        Args:
            found, kinds, memory: as of that.
        """

        def read(root: Root) -> Nest:
            known = len(self.errors)
            nest = self._nest(root, 0, kinds, memory)
            if nest is None:
                raise self.errors.pop(known)
            return nest

        def inside(loop: ast.For | ast.While | ast.If) -> Iterator[Root]:
            for block in (body(loop), loop.orelse):
                yield from outermost(kinds.scope, block, False, self.placed, plain=True)

        reading = Plain(read, inside)
        nests = reading.nests(found)
        # Where others are nests, such a loop may well be over something else.
        self.errors += reading.errors if nests else reading.errors + reading.unread
        return nests

    def _nest(
        self,
        root: Root,
        number: int,
        kinds: Kinds,
        memory: Memory,
    ) -> Nest | None:
        """A nest; None when it has no directives and cannot be read."""
        loop = root.loop
        annotated = any(n in self.placed.found for n in walked(loop))
        named = annotated or self._scheduled() or self.placed.of(self.node)
        if root.whole is None and not named:
            # No directive is about the loop: it may be a part of a statement.
            root = replace(root, whole=ending_nest(loop, binds([loop])))
        try:
            nest = self.room(
                lambda: read_nest(self.parsed, root, number, self.placed, kinds, memory)
            )
        except LooptxError as error:
            if annotated:
                raise
            self.errors.append(error)
            return None
        except RecursionError:
            if annotated:
                raise
            self.errors.append(too_deep("loop", self.parsed.place(loop)))
            return None
        return replace(nest, text=replace(nest.text, applied=root.applied))
