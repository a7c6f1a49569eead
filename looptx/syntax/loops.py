"""Planned loops as libcst's statements, written as a person would write them."""

from __future__ import annotations

import ast
import copy
from collections.abc import Collection, Iterator, Mapping, Sequence

import libcst as cst

from looptx.looptree.choices import chosen, chosen_cond
from looptx.looptree.nodes import Block, Call, For, If, Let, LoopTree
from looptx.looptree.passes.readable import readable_cond
from looptx.looptree.planned import Final, Planned
from looptx.looptree.prepare import occurrences
from looptx.looptree.renaming import named
from looptx.looptree.sizes import Indexed
from looptx.looptree.text import format_cond, format_expr
from looptx.looptree.walk import bound, nodes
from looptx.model.expr import TRUE, ZERO, Cond, IntExpr, negate, rewrite_cond, variables
from looptx.model.naming import free
from looptx.model.program import Statement
from looptx.model.storage import LIKE, Allocation, Buffer, Store
from looptx.syntax.added import Written
from looptx.syntax.allocated import resized, said
from looptx.syntax.body import Body
from looptx.syntax.comments import comments_of
from looptx.syntax.concrete import Concrete, Where
from looptx.syntax.header import applied
from looptx.syntax.inlined import Expressions
from looptx.syntax.original import Original, where
from looptx.syntax.refusals import irreplaceable, unknown_then
from looptx.syntax.splice import undirected
from looptx.syntax.substitution import Substitution, UnfaithfulError, substituted


class Writer:
    """Writes one nest.

    Args:
        planned: the nest and its proven loops.
        original: how it is written in the source.
        digest: 12 hex digits of the sha256 of its lines there.
        made: the statements that allocate its temporaries, by their names.
    """

    def __init__(
        self,
        planned: Planned,
        original: Original,
        digest: str,
        made: Mapping[str, cst.SimpleStatementLine],
    ) -> None:
        self.planned = planned
        self.original = original
        self.digest = digest
        self.made = made
        self.names = planned.nest.text.spelled
        self.hidden = planned.nest.names.hidden
        self.numpy = planned.nest.names.numpy
        self.marked = False
        self.integers: Collection[LoopTree] = ()
        # Comments are written once; those of the root above everything.
        root = planned.nest.first.id
        self.above = set(planned.nest.loops) - {root}
        self.behind = set(planned.nest.loops)
        self.below = set(planned.nest.loops)
        own = planned.nest.statements.items()
        self.first = {name for name, one in own if not one.added}
        self.buffers = {each.name: each for each in planned.buffers}

    def expr(self, expr: IntExpr) -> str:
        """An integer expression as the source would write it."""
        return format_expr(self.plainly(expr), self.names)

    def cond(self, cond: Cond) -> str:
        """A condition as the source would write it."""
        return format_cond(chosen_cond(cond, self.hidden), self.names)

    def plainly(self, expr: IntExpr) -> IntExpr:
        """An expression without the names that are bound to something else there."""
        return chosen(expr, self.hidden)

    def nest(self, body: Body) -> None:
        """Write the loops with the statements before and after them.

        Raises:
            LooptxError: LX106 when a collapse cannot be carried out, LX210 when what is
                read after an exception may hold another value then.
        """
        uses = occurrences(self.planned.nest)
        block = named(self.planned, self.planned.body, uses)
        for name in self.planned.lost_in_exceptions(block):
            raise unknown_then(name, self.planned.nest)
        sizes = Indexed(self.planned, block, uses)
        self.integers = sizes.made
        if not any(isinstance(node, For) for node in nodes(block)):
            self.mark(body)
        used = {
            access.array
            for node in nodes(block)
            if isinstance(node, Call)
            for access in self.planned.nest.statements[node.statement].accesses
        }
        for own in self.planned.unused:
            body.comment(said(self.made[own.array]))
        for buffer in self.planned.buffers:
            if buffer.name in used or buffer.allocation is None:
                self.allocate(buffer, sizes.shape(buffer), body)
            elif buffer.name in self.made:
                body.comment(said(self.made[buffer.name]))
        self.block(sizes.block, body)
        body.comment(self.left())
        for final in sizes.finals:
            self.final(final, body)
        # Nothing may be left of a nest whose statements never run.
        if not body.statements:
            body.line("pass")

    def mark(self, body: Body) -> None:
        """Say what was applied, once."""
        if not self.marked:
            body.comment(applied(self.planned, self.digest, body.room))
        self.marked = True

    def allocate(self, buffer: Buffer, sizes: Sequence[IntExpr], body: Body) -> None:
        """Allocate a temporary; a variable needs no allocation.

        Args:
            buffer: the temporary. sizes: the extents of its axes.
            body: where the statement is appended.
        """
        own = buffer.allocation
        if own is None:
            body.line(f"{buffer.name} = {{}}")
            return
        if own.made:
            self.made_here(buffer, own, sizes, body)
            return
        line = self.made[buffer.name]
        if buffer.name in self.planned.plain:
            body.comment(said(line))
            return
        extents = ", ".join(map(self.expr, sizes))
        shape = extents if len(sizes) == 1 else f"({extents})"
        statement, inside = resized(line, shape, own.like)
        body.comment(inside)
        body.statement(statement, "".join(comments_of(line.trailing_whitespace)))

    def made_here(
        self, buffer: Buffer, own: Allocation, sizes: Sequence[IntExpr], body: Body
    ) -> None:
        """Allocate a cache, which no statement of the source allocates.

        Args:
            buffer: the cache. own: its element type. sizes: the extents of its axes.
            body: where the statement is appended.
        """
        if buffer.name in self.planned.plain:
            return
        extents = ", ".join(map(self.expr, sizes))
        shape = extents if len(sizes) == 1 else f"({extents})"
        if not self.numpy:
            self.numpy = free("numpy", self.planned.schedule.taken, 2)
            renamed = f" as {self.numpy}" if self.numpy != "numpy" else ""
            body.line(f"import numpy{renamed}")
        like = own.element.removeprefix(LIKE)
        given = own.element.startswith(LIKE)
        dtype = f"{like}.dtype" if given else f"{self.numpy}.{like}"
        body.line(f"{buffer.name} = {self.numpy}.empty({shape}, {dtype})")

    def block(self, block: Block, body: Body) -> None:
        """Write some nodes one after the other."""
        previous: If | None = None
        for node in block:
            opened: If | None = None
            match node:
                case For():
                    self.loop(node, body)
                case If(cond, inner):
                    inside = body.inner()
                    self.block(inner, inside)
                    if previous and _opposite(previous, cond):
                        body.otherwise(inside)
                    else:
                        body.compound(f"if {self.cond(cond)}:", inside)
                        opened = node
                case Let(var, value):
                    behind = "# a Python int" if node in self.integers else ""
                    body.line(f"{var} = {self.expr(value)}", behind)
                case Call():
                    self.call(node, body)
            previous = opened

    def loop(self, node: For, body: Body) -> None:
        """Write a loop."""
        about = [self.original.about_loop(loop) for loop in node.headers]
        left = [loop for loop in node.headers if loop in self.above]
        above = [line for loop in left for line in self.original.about_loop(loop).above]
        behind, *others = [one.behind for one in about if one.behind] or [""]
        if self.behind.issuperset(node.headers):
            above += others
        ending = [loop for loop in node.headers if loop in self.below]
        self.above.difference_update(left)
        self.behind.difference_update(node.headers)
        self.below.difference_update(ending)
        body.comment(dict.fromkeys(above))
        self.mark(body)
        bounds = [self.expr(node.stop)]
        if node.start != ZERO or node.step != 1:
            bounds.insert(0, self.expr(node.start))
        if node.step != 1:
            bounds.append(str(node.step))
        inside = body.inner()
        head = f"for {node.var} in range({', '.join(bounds)}):"
        # Comments above a loop come before those in it.
        behind = body.beside(head, behind)
        self.block(node.body, inside)
        body.compound(head, inside, behind)
        for one in ending:
            body.comment(self.original.about_loop(one).below)

    def call(self, node: Call, body: Body) -> None:
        """Write a statement, with its comments at its first occurrence."""
        statement = self.planned.nest.statements[node.statement]
        if statement.store is not None:
            self.store(node, statement, statement.store, body)
            return
        if statement.added:
            for line in statement.code:
                body.line(self.added(node, statement, line))
            return
        about = self.original.about(node.statement)
        first = node.statement in self.first
        self.first.discard(node.statement)
        if first:
            for loop in statement.loops:
                body.comment(self.vanished(loop))
            body.comment(about.above)
        source, concrete = self.original.statement(node.statement)
        try:
            written = substituted(
                source, self.substitution(statement, node, concrete), concrete
            )
        except UnfaithfulError:
            written_as = self.original.concrete.line(statement.place.line)
            raise irreplaceable(statement.place, written_as) from None
        body.statement(undirected(written), about.behind)
        if first:
            body.comment(about.below)

    def store(self, node: Call, statement: Statement, store: Store, body: Body) -> None:
        """Write the statement that gives a buffer, or a row of it, its first values.

        Args:
            node: the call of the statement. statement: the allocation in the source.
            store: the buffer, and which of its axes are one position here.
            body: where the statement is appended.
        """
        if any(store.places):
            (code,) = statement.code
            assert isinstance(code, ast.Assign)
            row = (":" if p is None else self.expr(node.index[p]) for p in store.places)
            body.line(f"{store.array}[{', '.join(row)}] = {ast.unparse(code.value)}")
        elif not self.buffers[store.array].whole or store.array in self.planned.plain:
            # An array that lives all the time has its values from its allocation.
            body.line(statement.written)

    def added(self, node: Call, statement: Statement, line: ast.stmt) -> str:
        """The text of what is none of the source's statements.

        Args:
            node: a call of it. statement: what is called. line: its code.
        """
        texts = {name: self.expr(value) for name, value in node.index.items()}
        texts |= self.cells(node, statement)
        writing = Written(texts, self.planned.plain, self.planned.nest.names.numpy)
        return ast.unparse(writing.visit(copy.deepcopy(line)))

    def cells(self, node: Call, statement: Statement) -> dict[str, str]:
        """The texts of the cells of scalars, by the names that the source has."""
        written = {new: old for old, new in statement.renamed.items()}
        return {
            written.get(name, name): self.cell(node, name, own)
            for name, own in statement.expanded.items()
        }

    def cell(self, node: Call, array: str, places: Sequence[str]) -> str:
        """The text of a cell of a buffer in one call.

        Args:
            node: the call. array: the buffer. places: the indices of its axes, by name.

        Returns:
            The name of a variable, or a subscript.
        """
        if array in self.planned.plain:
            return array
        inside = ", ".join(self.expr(node.index[place]) for place in places)
        return f"{array}[{inside or '()'}]"

    def substitution(
        self, statement: Statement, node: Call, concrete: Concrete
    ) -> Substitution:
        """The replacements of a statement's names and elements in one call.

        Args:
            statement: the statement. node: the call.
            concrete: the lines that the statement is a part of.
        """
        loops = self.planned.nest.loops
        values = {
            loops[loop].var: self.plainly(node.index[loop])
            for loop in statement.loops
            if loop in node.index
        }
        cells = {**statement.renamed, **self.cells(node, statement)}
        elements = {
            concrete.where(each.node): self.cell(node, each.array, each.places)
            for each in statement.elements
            if each.places is not None and each.written
        }
        own = {loops[loop].var: loop for loop in statement.loops}
        expressions = Expressions(
            statement, node.index, own, cells, self.planned.plain, self.expr
        )
        rows = {
            view.name: expressions.text(view.row) for view in statement.views.values()
        }
        for one in statement.inlined:
            text = expressions.text(one.value)
            if isinstance(one.node, ast.Name):
                cells[one.node.id] = text
            else:
                elements[concrete.where(one.node)] = text
        return Substitution(
            values=values,
            cells={**cells, **rows},
            elements=elements,
            joined=frozenset(
                view.name for view in statement.views.values() if view.joined
            ),
            converted=statement.converted,
            idle=frozenset(
                concrete.where(part)
                for line in statement.code
                for part in ast.walk(line)
                if isinstance(part, ast.Pass)
            ),
            spelled=self.names,
        )

    def vanished(self, loop: str) -> Iterator[str]:
        """The comments of a loop that was unrolled or that runs once."""
        about = self.original.about_loop(loop)
        if loop in self.above:
            self.above.discard(loop)
            yield from about.above
        if loop in self.behind:
            self.behind.discard(loop)
            yield from [about.behind] if about.behind else []

    def left(self) -> Iterator[str]:
        """The comments of what is not written, because it never runs."""
        found: list[tuple[Where, list[str]]] = []
        for name, loop in self.planned.nest.loops.items():
            about = self.original.about_loop(name)
            lines = list(about.above) if name in self.above else []
            lines += [about.behind] if name in self.behind else []
            lines += about.below if name in self.below else []
            found.append((where(loop.place), lines))
        for name in self.first:
            about = self.original.about(name)
            place = self.planned.nest.statements[name].place
            found.append((where(place), [*about.above, about.behind, *about.below]))
        for _, comments in sorted(found):
            yield from filter(None, comments)

    def final(self, final: Final, body: Body) -> None:
        """Give a loop variable the value that Python leaves in it."""
        opened = False
        for cond, value in final.cases:
            test = rewrite_cond(cond, {})
            assign = f"{final.var} = {self.expr(value)}"
            if test == TRUE and not opened:
                body.line(assign)
                return
            inside = body.inner()
            inside.line(assign)
            if test == TRUE:
                body.otherwise(inside)
                return
            body.compound(f"if {self.cond(test)}:", inside, elif_=opened)
            opened = True


def _opposite(node: If, cond: Cond) -> bool:
    """Whether a condition holds behind an ``if`` just where that one's did not."""
    untouched = variables(node.cond).isdisjoint(bound(node.body))
    return untouched and readable_cond(negate(node.cond)) == cond
