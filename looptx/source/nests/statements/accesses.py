"""The cells a statement reads and writes.

Reads that always find what the same statement wrote to a scalar before are left out:
they are no business of the order between statements.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Sequence

from looptx.errors import LooptxError
from looptx.model.elements import Access
from looptx.model.expr import TRUE, Compare, Cond, conj, disj, negate
from looptx.model.noted.exchanges import exchanged, turned
from looptx.model.noted.slices import is_elementwise, is_noted
from looptx.model.records import replace
from looptx.model.trees import dotted
from looptx.source.ast_tools import walked
from looptx.source.names.arrays import SIZES, VIEWS
from looptx.source.nests.headers import Obstacle, bounds
from looptx.source.nests.statements import refusals
from looptx.source.nests.statements.reads import Reads
from looptx.source.spelling.edits import agreements, fills

MOST_PLACES = 4
"""The most branches of a statement whose accesses are distinguished."""


class Reader(Reads):
    """Collects the accesses of one statement.

    Attributes:
        agrees: where loops over elements mean what their statements say.
    """

    agrees: Cond = TRUE

    def finish(self) -> tuple[Access, ...]:
        """The accesses, equal ones once; certain are writes that are always reached.

        Of one scalar or element, that may be by one branch or another.
        """
        found = []
        for access in self.accesses:
            scalar = access.write and access.array in self.context.scalars
            if scalar and access.array not in self.context.private:
                certain = access.array in self.defined
                access = Access(access.array, (), True, certain)
            elif access.write and access.cell in self.made:
                access = Access(*access.cell, True)
            found.append(access)
        places = Counter(map(_anywhere, dict.fromkeys(found)))
        few = (
            _anywhere(each) if places[_anywhere(each)] > MOST_PLACES else each
            for each in found
        )
        return tuple(dict.fromkeys(few))

    def block(self, body: Sequence[ast.stmt], *, maybe: bool) -> None:
        """Statements one after the other; ``maybe`` when they may not all run."""
        for stmt in body:
            self.statement(stmt, maybe=maybe)

    def statement(self, stmt: ast.stmt, *, maybe: bool = False) -> None:
        """One statement, whatever it contains."""
        match stmt:
            case ast.Assign() if pair := self._exchanged(stmt):
                self._exchange(stmt, pair, maybe)
            case ast.Assign(targets, value):
                self.read(value, maybe)
                for target in targets:
                    self._no_view(target, value)
                for target in targets:
                    self._write(target, maybe)
            case ast.AugAssign(target, _, value):
                self._read_target(target, maybe)
                self.read(value, maybe)
                self._write(target, maybe, again=True)
            case ast.AnnAssign(target=target, value=value) if value is not None:
                self.read(value, maybe)
                self._no_view(target, value)
                self._write(target, maybe)
            case ast.Expr(value):
                self.read(value, maybe)
            case ast.If(test, body, orelse):
                self.read(test, maybe)
                self._branches(test, body, orelse)
            case ast.For():
                self._agree(stmt)
                self.context.check_loop(stmt)
                for arg in self.context.kinds.scope.counted(stmt).args:
                    self.read(arg, maybe)
                self._perhaps(stmt.body, stmt, maybe)
                self._perhaps(stmt.orelse)
            case ast.While(test, body, orelse):
                self.read(test, maybe)
                self._perhaps(body)
                self._perhaps(orelse)
            case ast.Break() | ast.Continue():
                # What stands behind it is in a body, so that it may not run anyhow.
                pass
            case ast.Assert(test, message):
                self._leave(stmt, message)
                self.read(test, maybe)
            case ast.Raise(error, cause):
                self._leave(stmt, error, cause)
            case ast.Pass():
                pass
            case _:
                raise self.context.unsupported(stmt, *refusals.statement(stmt))

    def _leave(self, stmt: ast.stmt, *parts: ast.expr | None) -> None:
        """A statement that may raise an exception, made of these parts.

        Python's own loops do that, and all that making it may do.
        """
        before = self.leaves
        self.anything(stmt, "may end the loops")
        for part in filter(None, parts):
            self.read(part, True)
        self.leaves = before

    def _exchanged(self, stmt: ast.Assign) -> tuple[str, ...]:
        """The arrays that a statement exchanges, if it does."""
        pair = exchanged(stmt)
        return pair if pair in self.context.pairs else ()

    def _exchange(self, stmt: ast.Assign, pair: Sequence[str], maybe: bool) -> None:
        """All of either array comes to be in the other one.

        Args:
            stmt: the statement. pair: the arrays. maybe: whether it may not happen.
        """
        for node in walked(stmt.value):
            if isinstance(node, ast.Name):
                self._outside(node)
                self.context.arrays[node.id] = None
                for write in (False, True):
                    self._add(Access(node.id, (), write, not maybe))
        for write in (False, True):
            self._scalar(turned(*pair), write, maybe)

    def _agree(self, stmt: ast.For) -> None:
        """Note where a loop over elements means what its statement says."""
        found = [self.affine.cond(condition) for condition in agreements(stmt)]
        if is_elementwise(stmt) and not (fills(stmt) or is_noted(stmt)):
            raise self.context.unsupported(
                stmt,
                "a statement on slices under what is decided while the nest runs",
                "loop over the elements",
            )
        for cond in found:
            if cond is None:
                raise self.context.unsupported(
                    stmt, "slices whose bounds data decide", "loop over the elements"
                )
            known = disj(negate(self.where), cond)
            self.context.use_cond(known, self.affine.loops)
            self.agrees = conj(self.agrees, known)

    def _branches(
        self, test: ast.expr, body: list[ast.stmt], orelse: list[ast.stmt]
    ) -> None:
        before = self.defined, self.made
        with self.narrowed(self.affine.implied(test, True)):
            self.block(body, maybe=True)
        first, made = self.defined, self.made
        self.defined, self.made = before
        with self.narrowed(self.affine.implied(test, False)):
            self.block(orelse, maybe=True)
        self.defined, self.made = self.defined & first, self.made & made

    def _perhaps(
        self, body: list[ast.stmt], loop: ast.For | None = None, maybe: bool = True
    ) -> None:
        """What a loop assigns and does, which may not be to its end, or never.

        Args:
            body: what it does. loop: the loop, if it has a variable.
            maybe: whether the loop itself may not be reached.
        """
        before = self.defined, self.made
        if loop is not None:
            with self.narrowed(self._runs(loop)):
                self._write(loop.target, maybe)
            if self.context.kinds.scope.surely_runs(loop):
                before = self.defined, self.made
        self.block(body, maybe=True)
        self.defined, self.made = before

    def _runs(self, stmt: ast.For) -> Cond:
        """Where a loop with a variable of its own runs, as far as that is known."""
        assert isinstance(stmt.target, ast.Name)
        if stmt.target.id not in self.context.private:
            return TRUE
        found = bounds(stmt, self.affine, outermost=False)
        if isinstance(found, Obstacle):
            return TRUE
        start, stop, step = found
        for end in (start, stop):
            self.context.use(end, frozenset(self.affine.loops.values()))
        return Compare("<" if step > 0 else ">", start, stop)

    def _read_target(self, target: ast.expr, maybe: bool) -> None:
        """The old value of an augmented assignment's target."""
        if isinstance(target, ast.Name):
            self._scalar(target.id, False, maybe)
        elif isinstance(target, ast.Subscript):
            self._element(target, maybe, write=False)

    def _write(self, target: ast.expr, maybe: bool, *, again: bool = False) -> None:
        context = self.context
        match target:
            case ast.Name(name):
                if name in context.loop_vars:
                    raise context.unsupported(
                        target,
                        f"the loop variable `{name}` is assigned in the nest",
                        "use another name",
                    )
                if name in context.arrays or (again and self._is_array(name)):
                    raise self._whole(target, name)
                if again and name in context.objects:
                    self.anything(target, "may be any object, and is changed")
                self._scalar(name, True, maybe)
            case ast.Subscript():
                self._element(target, maybe, write=True)
            case ast.Tuple(elements) | ast.List(elements):
                for element in elements:
                    self._write(element, maybe)
            case ast.Attribute(base, attr):
                if attr in SIZES | VIEWS or self._is_array(dotted(base)):
                    raise context.unsupported(
                        target,
                        f"an assignment to the attribute `{ast.unparse(target)}`",
                        "change it before or after the nest",
                    )
                self.anything(target, "may change anything where it is assigned")
                self.read(base, maybe)
            case _:
                what, hint = refusals.expression(target)
                raise context.unsupported(target, what, hint)

    def _no_view(self, target: ast.expr, value: ast.expr) -> None:
        """A scalar must not become a window on an array: its reads would be hidden."""
        if isinstance(target, ast.Tuple | ast.List):
            parts: list[ast.expr] = [value] * len(target.elts)
            if isinstance(value, ast.Tuple | ast.List):
                parts = value.elts if len(value.elts) == len(parts) else parts
            for element, part in zip(target.elts, parts, strict=True):
                self._no_view(element, part)
        elif isinstance(target, ast.Name) and self.context.kinds.may_be_view(value):
            kinds = self.context.kinds
            bindings = kinds.scope.bindings.get(target.id, [])
            if kinds.rank(target.id) or any(one.kind == "arg" for one in bindings):
                raise self._whole(target, target.id)
            raise self.context.unsupported(
                value,
                f"`{target.id}` would be a view of an array",
                "use the array's elements, or make the view before the nest",
            )

    def _whole(self, target: ast.expr, name: str) -> LooptxError:
        kinds = self.context.kinds
        bindings = kinds.scope.bindings.get(name, [])
        made = any(isinstance(one.value, ast.Call) for one in bindings)
        if made and not kinds.rank(name):
            return self.context.unsupported(
                target,
                f"`{name}` is assigned in the nest, and may be an array",
                f"if it is a number, say so: `{name} = float(...)`, or a type for the "
                "arguments it is made of (`x: float`)",
            )
        return self.context.unsupported(
            target,
            f"the array `{name}` is assigned as a whole in the nest",
            "assign its elements, or move the assignment out of the nest",
        )


def _anywhere(access: Access) -> Access:
    """An access that may happen wherever its statement runs."""
    return replace(access, where=TRUE, certain=access.certain and access.where == TRUE)
