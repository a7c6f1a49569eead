"""Finds the regions of lists in a function."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from looptx.model.functions import lookup
from looptx.model.records import replace
from looptx.source.ast_tools import LOOPS, blocks, walked
from looptx.source.names.imports import FUNCTIONS, arguments
from looptx.source.names.must_execute import jumps
from looptx.source.names.scope import Scope
from looptx.source.spelling.lists.converted import converted
from looptx.source.spelling.lists.grown.tables import appends
from looptx.source.spelling.lists.noted import rows_of
from looptx.source.spelling.lists.operations import (
    METHODS,
    QUEUES,
    Operation,
    Parents,
    What,
    display,
    is_there,
    kind_of,
    operation,
    uses,
)
from looptx.source.spelling.lists.regions import Begins, Put, Region
from looptx.source.spelling.stretches import PURE

_ELSEWHERE = "it is not made in a loop, or in front of it in the same block"
_BEHIND = "it is used behind a loop that takes elements which it had before, or a queue"
_UNLIKE = "its elements are no numbers, and no tuples of equally many"
_ROW = "`{}` makes it a row of a list of which, or of it, the loop does more"
_LEFT = "`{}` is more than native code does to a list"
"""Why a list is none."""

READING = frozenset(
    f"builtins.{name}" for name in ("len", "list", "tuple", "sum", "sorted", "set")
)
"""What is given lists and keeps none."""


class Regions:
    """Finds the regions of a function.

    Args:
        scope: the function. nodes: all of it. around: what they stand in.
    """

    def __init__(self, scope: Scope, nodes: Sequence[ast.AST], around: Parents) -> None:
        self.scope = scope
        self.nodes = nodes
        self.around = around
        self.why: dict[str, str] = {}
        self.names = {
            node.func.value.id
            for node in nodes
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in METHODS
            and isinstance(node.func.value, ast.Name)
            and self._is_plain(node.func.value.id)
        } - scope.shared

    def _is_plain(self, name: str) -> bool:
        """Whether a name is an argument, or is assigned, and has no other value."""
        own = sum(isinstance(x.ctx, ast.Store) for x in uses(self.nodes, name))
        gone = any(isinstance(x.ctx, ast.Del) for x in uses(self.nodes, name))
        given = any(x.arg == name for x in arguments(self.scope.function))
        known = len(self.scope.bindings.get(name, ()))
        return not gone and 0 < known == own + given

    def found(self) -> Iterator[Region]:
        """The regions: no two of a list in one another; ``why`` there are no others."""
        for name in sorted(self.names):
            self.why[name] = _ELSEWHERE
            regions = [*self._block(name, self.scope.function.body)]
            alone = [one.made_here or one for one in regions]
            own = any(name in (x.cells, x.spans) for x in rows_of(self.scope.function))
            if own or all(self._array(one, alone) is not None for one in alone):
                regions = alone
            while wrong := [x for x in regions if not self._is_one(x, regions)]:
                regions.remove(wrong[0])
            for one in regions:
                used = self._is_used(one, regions)
                array = self._array(one, regions) if used else None
                private = self._is_private(name)
                yield replace(one, used=used, private=private, array=array)

    def _is_private(self, name: str) -> bool:
        """Whether nobody but a function has the lists that have a name.

        Whoever else has one sees what is in it when an exception ends the loop.
        """
        bound = self.scope.bindings.get(name, ())
        stmts = [node for node in self.nodes if isinstance(node, ast.stmt)]
        made = [stmt for stmt in stmts if self._makes(name, stmt)]
        return len(made) == len(bound) and all(
            isinstance(use.ctx, ast.Store)
            or operation(use, self.scope, self.around) is not None
            or self._is_read(use)
            for use in uses(self.nodes, name)
        )

    def _is_read(self, use: ast.Name) -> bool:
        """Whether a list is given to what keeps nothing."""
        call = self.around[use]
        if not isinstance(call, ast.Call) or use not in call.args:
            return False
        full = self.scope.resolve(call.func)
        return full in READING or (full.startswith("numpy.") and lookup(full).pure)

    def _is_one(self, region: Region, others: Sequence[Region]) -> bool:
        """Whether the function can get a list that it uses behind a loop.

        Args:
            region: of the list. others: all regions of it.
        """
        if region.begins is Begins.GIVEN or not self._is_used(region, others):
            return True
        queued = QUEUES in {kind_of(stmt, self.scope) for stmt in region.made}
        kept = all(one.adds for one in region.operations) and not region.displays
        first = not region.first or (kept and not self._is_in_loop(region.loop))
        good = first and not queued and not region.is_queue
        if not good:
            self.why[region.name] = _BEHIND
        return good

    def _is_used(self, region: Region, others: Sequence[Region]) -> bool:
        """Whether the function uses a list behind a loop, or where it ends that.

        What is made in front of other loops are other lists.

        Args:
            region: of the list. others: all regions of it.
        """
        if region.begins is Begins.GIVEN:
            return True
        returned = any(one.what is What.RETURN for one in region.operations)
        return returned or any(self._behind(region.name, others))

    def _behind(self, name: str, others: Sequence[Region]) -> Iterator[ast.Name]:
        """The uses of a list outside of the loops that make it.

        Args:
            name: of the list. others: all regions of it.
        """
        own = (one.nodes for one in others if one.begins is not Begins.GIVEN)
        known = frozenset[ast.AST]().union(*own)
        return (use for use in uses(self.nodes, name) if use not in known)

    def _array(self, region: Region, others: Sequence[Region]) -> str | None:
        """The type of an array that does in the place of a list, if one does.

        Args:
            region: of the list. others: all regions of it.
        """
        returned = any(one.what is What.RETURN for one in region.operations)
        if region.begins is Begins.GIVEN or region.first or returned:
            return None
        found = [*self._behind(region.name, others)]
        return converted(found, region.loop, self.scope, self.around)

    def _block(self, name: str, body: Sequence[ast.stmt]) -> Iterator[Region]:
        """The regions of a list in a block.

        Args:
            name: of the list. body: the statements.
        """
        for number, stmt in enumerate(body):
            if not any(uses(walked(stmt), name)):
                continue
            region = None
            if isinstance(stmt, LOOPS):
                region = self._region(name, stmt, body[:number])
            if region is not None:
                yield region
            elif not isinstance(stmt, FUNCTIONS | ast.ClassDef):
                inner = [x for part in blocks(stmt) for x in self._block(name, part)]
                if isinstance(stmt, LOOPS) and not self._covers(name, stmt, inner):
                    whole = self._whole(name, stmt)
                    inner = inner if whole is None else [whole]
                yield from inner

    def _region(
        self, name: str, loop: ast.For | ast.While, before: Sequence[ast.stmt]
    ) -> Region | None:
        """The region of a list in a loop that does not make it, if it is one.

        Args:
            name: of the list. loop: the loop. before: what stands in front of it.
        """
        displays = self._displays(name, loop)
        known = self._operations(name, loop, *displays)
        if not known:
            return None
        made = self._of_made(name, loop, known, before)
        region: Region | None = Region(name, loop, known, Begins.GIVEN, made_here=made)
        if displays or not all(one.keeps for one in known):
            region = made and replace(made, displays=displays)
        if region is not None and not region.fits(self.scope):
            self.why[name] = _UNLIKE
            return None
        return region

    def _whole(self, name: str, loop: ast.For | ast.While) -> Region | None:
        """The region of a list in a loop that makes it, if it is one.

        Args:
            name: of the list. loop: the loop.
        """
        displays = self._displays(name, loop)
        if len(displays) != len(self.scope.bindings.get(name, ())):
            return None
        known = self._operations(name, loop, *displays)
        if not known:
            return None
        region = Region(name, loop, known, Begins.NOTHING, displays)
        return region if region.fits(self.scope) else None

    def _covers(self, name: str, loop: ast.stmt, inner: Sequence[Region]) -> bool:
        """Whether a loop can be native as regions inside of it are.

        Args:
            name: of a list. loop: the loop. inner: the regions.
        """
        if any(one.begins is Begins.GIVEN for one in inner):
            return False
        known = frozenset[ast.AST]().union(*(one.nodes for one in inner))
        return all(one in known for one in uses(walked(loop), name))

    def _is_in_loop(self, node: ast.AST) -> bool:
        """Whether something stands in a loop."""
        while node is not self.scope.function:
            node = self.around[node]
            if isinstance(node, LOOPS):
                return True
        return False

    def _makes(self, name: str, stmt: ast.stmt) -> bool:
        """Whether a statement makes a list."""
        found = display(stmt, self.scope)
        return found is not None and found[0] == name

    def _displays(self, name: str, loop: ast.stmt) -> list[ast.stmt]:
        """The statements in a loop that make a list."""
        stmts = (node for node in walked(loop) if isinstance(node, ast.stmt))
        return [stmt for stmt in stmts if self._makes(name, stmt)]

    def _operations(
        self, name: str, loop: ast.stmt, *displays: ast.stmt
    ) -> list[Operation] | None:
        """What a loop does to a list; None if that is not known.

        Args:
            name: of the list. loop: the loop. displays: what makes the list.
        """
        makes = {node for stmt in displays for node in walked(stmt)}
        found = []
        for use in uses(walked(loop), name):
            if use in makes and isinstance(use.ctx, ast.Store):
                continue
            one = operation(use, self.scope, self.around)
            if one is None or not self._is_told(one):
                whole = self.around[self.around[use]] if one is None else one.stmt
                row = any(appends(x) for x in (whole, self.around[use]))
                text = ast.unparse(self.around[use] if row else whole).splitlines()[0]
                self.why[name] = (_ROW if row else _LEFT).format(text)
                return None
            found.append(one)
        return found

    def _is_told(self, one: Operation) -> bool:
        """Whether native code can tell that an operation does not raise.

        What a ``while`` asks is asked before each round.
        """
        if one.at is None:
            return True
        parts = walked(one.stmt)
        pure = all(isinstance(part, PURE) for part in walked(one.at))
        pure = pure and not any(isinstance(part, ast.NamedExpr) for part in parts)
        return pure and (
            not isinstance(one.stmt, ast.While) or is_there(one, self.around)
        )

    def _of_made(
        self,
        name: str,
        loop: ast.For | ast.While,
        operations: Sequence[Operation],
        before: Sequence[ast.stmt],
    ) -> Region | None:
        """The region of a list that is made in front of a loop.

        Args:
            name, loop, before: as of ``_region``. operations: on the list.
        """
        if any(jumps(loop.orelse)):
            # They are those of the loop around, in which there is one more.
            return None
        known = [x for x in before if any(uses(walked(x), name))]
        made = [k for k, stmt in enumerate(known) if self._makes(name, stmt)]
        if not made:
            return None
        front, *others = known[made[-1] :]
        shown = display(front, self.scope)
        put = [] if shown is None else [Put(front, value) for value in shown[1]]
        for stmt in others:
            if not self._put(name, stmt, put):
                return None
        return Region(name, loop, operations, Begins.MADE, (), front, put)

    def _put(self, name: str, stmt: ast.stmt, put: list[Put]) -> bool:
        """Note what a statement in front of a loop appends to a list, or takes.

        Args:
            name: of the list. stmt: the statement.
            put: what was put into the list before, where it is noted.

        Returns:
            Whether it does nothing else to the list.
        """
        found = [
            operation(x, self.scope, self.around) for x in uses(walked(stmt), name)
        ]
        match stmt, found:
            case ast.Expr(call), [one] if one and one.what is What.APPEND:
                put += [Put(stmt, value) for value in one.values]
                return one.node is call
            case (
                (ast.Expr(call) | ast.Assign([ast.Name()], call)),
                [one],
            ) if one and one.what is What.POP and one.node is call:
                left = [k for k, x in enumerate(put) if x.taken is None]
                if left:
                    put[left[-1]] = replace(put[left[-1]], taken=one)
                return bool(left)
        return False
