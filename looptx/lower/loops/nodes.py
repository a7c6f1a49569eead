"""Generated loops as those of the typed tree."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import zip_longest

from looptx.looptree.nodes import Block, Call, Let, LoopTree
from looptx.looptree.nodes import For as Loop
from looptx.looptree.nodes import If as Branch
from looptx.looptree.walk import nodes
from looptx.lower import tree
from looptx.lower.known.pieces import in_pieces
from looptx.lower.known.written import written_once
from looptx.lower.loops.cells import bindings
from looptx.lower.loops.full_tiles import full_tile
from looptx.lower.loops.functions import Functions, step_of
from looptx.lower.loops.lanes import lanes
from looptx.lower.loops.parallel import ParallelLoops
from looptx.lower.loops.registers import invariant_cells
from looptx.lower.loops.statements import Frame
from looptx.lower.loops.sums import sums
from looptx.lower.loops.team import Teams, walked
from looptx.lower.tree import (
    Assign,
    Expr,
    For,
    If,
    Run,
    Stmt,
    assignments,
    infix,
    number,
    parts,
    used,
)
from looptx.lower.vectors.blocks import whole
from looptx.lower.vectors.loop import by_one, vector_loop
from looptx.lower.vectors.scalar import Scalar
from looptx.lower.vectors.tiles import in_registers
from looptx.model.expr import TRUE, IntExpr
from looptx.model.noted.exchanges import pair_of
from looptx.model.program import Statement
from looptx.model.records import dataclass, field, replace
from looptx.model.storage import Store


@dataclass(slots=True)
class Loops(Functions):
    """Lowers the loops of one nest into its functions.

    Attributes:
        around: the loops around what is lowered, one iteration after the other.
    """

    around: list[Loop] = field(default_factory=list)

    def block(self, block: Block, frame: Frame) -> list[Stmt]:
        """The statements of a block."""
        before, shared, behind = walked(block)
        if shared and (together := Teams(self, self.block).lowered(shared, frame)):
            return [*self.block(before, frame), *together, *self.block(behind, frame)]
        return [line for node in block for line in self._node(node, frame)]

    def _node(self, node: LoopTree, frame: Frame) -> list[Stmt]:
        match node:
            case Call(statement, at):
                found = self.scope.planned.nest.statements[statement]
                for access in found.accesses:
                    held = self.scope.buffers.get(access.array)
                    if held is not None and held.local:
                        name = self.scope.names(access.array)
                        frame.declared[name] = held.declaration
                if found.store is not None:
                    return self._filled(found, found.store, at, frame)
                return self.statements.lowered(found, at, frame)
            case Let(var, value):
                name = self.declare(var, frame)
                return [Assign(tree.variable(name), self.scope.integer(value))]
            case Branch(cond, body):
                inner = self.block(body, frame)
                return [If(self.scope.condition(cond), (*inner,))]
            case Loop():
                return self._for(node, frame)

    def _filled(
        self, found: Statement, store: Store, at: Mapping[str, IntExpr], frame: Frame
    ) -> list[Stmt]:
        """Give every cell of a buffer, or of a row of it, its initial value."""
        scope, name = self.scope, store.array
        extents = scope.buffers[name].extents
        loops: list[tuple[str, IntExpr]] = []
        places: list[Expr] = []
        for axis, (place, extent) in enumerate(zip_longest(store.places, extents)):
            if place is not None:
                places.append(scope.integer(at[place]))
                continue
            loops.append((scope.names(f"{name} {axis}"), extent))
            places.append(tree.variable(loops[-1][0]))
        frame.declared.update((axis, "Py_ssize_t") for axis, _ in loops)
        value = self.statements.initial(found)
        line: Stmt = Assign(scope.cell(name, places, value.kind), value)
        for variable, extent in reversed(loops):
            line = For(variable, number(0), scope.integer(extent), (line,))
        return [line]

    def _for(self, node: Loop, frame: Frame) -> list[Stmt]:
        if node.marks.parallel is not None:
            loops = ParallelLoops(self, self.block)
            return loops.lowered(node, node.marks.parallel, frame)
        if lines := Teams(self, self.block).lowered((node,), frame):
            return lines
        if node.marks.vectorize is not None:
            lines = self._vectors(node, frame)
            if lines:
                return lines
        return self._in_blocks(node, frame) or self._plain(node, frame)

    def _in_blocks(self, node: Loop, frame: Frame) -> list[Stmt]:
        """The loop around blocks that are registers; nothing where there are none."""
        found = whole(node)
        if found is None:
            return []
        when, full = found
        before = dict(frame.declared)
        name = self.declare(node.var, frame)
        body = tuple(self.block(full.body, frame))
        loop = For(name, *self.ends(node), body, step_of(node))
        lines = in_registers(self.scope, loop, frame.declared)
        if not lines:
            frame.declared.clear()
            frame.declared.update(before)
        elif when != TRUE:
            rest = tuple(self._plain(node, frame))
            return [If(self.scope.condition(when), (*lines,), rest)]
        return lines

    def _plain(self, node: Loop, frame: Frame) -> list[Stmt]:
        name = self.declare(node.var, frame)
        self.around.append(node)
        body = tuple(self._alone(node, frame) or self.block(node.body, frame))
        if tile := full_tile(node):
            uncut = tuple(self.block(tile.body, frame))
            body = (If(self.scope.condition(tile.full), uncut, body),)
        self.around.pop()
        plain = For(name, *self.ends(node), body, step_of(node))
        return self._in_registers(node, plain, frame) or [plain]

    def _alone(self, node: Loop, frame: Frame) -> list[Stmt]:
        """The body of a loop that exchanges arrays; nothing for others.

        Loops in it are functions of their own, where C knows that arrays are apart.
        """
        statements = self.scope.planned.nest.statements
        calls = [child for child in node.body if isinstance(child, Call)]
        if not any(pair_of(x) for c in calls for x in statements[c.statement].code):
            return []
        lines: list[Stmt] = []
        for child in node.body:
            known, inner = len(self.outlined), frame.inside({})
            own = self._node(child, inner) if isinstance(child, Loop) else []
            if own and not self._is_left(child):
                own = [Run(self.outline(own, inner, frame, {}))]
            else:
                del self.outlined[known:]
                own = self._node(child, frame)
            lines += own
        return lines

    def _is_left(self, loop: LoopTree) -> bool:
        """Whether a loop gives a scalar a value that is looked at somewhere else."""
        nest = self.scope.planned.nest
        own = {x.statement for x in nodes((loop,)) if isinstance(x, Call)}
        seen = {*nest.live_in, *nest.live_out}
        for name, one in nest.statements.items():
            seen.update(x.array for x in one.accesses if name not in own)
        return any(
            access.write and access.array in seen.intersection(nest.scalars)
            for name in own
            for access in nest.statements[name].accesses
        )

    def _vectors(self, node: Loop, frame: Frame) -> list[Stmt]:
        """The loop in vectors; nothing where it cannot be had so."""
        before = dict(frame.declared)
        try:
            if node.step != 1:
                node = by_one(node)
            if node.dim in self.scope.planned.reductions:
                return sums(self, self.block, node, frame)
            name = self.declare(node.var, frame)
            self.around.append(node)
            body = tuple(self.block(node.body, frame))
            self.around.pop()
            plain = For(name, *self.ends(node), body)
            plain = written_once(self.scope, plain, frame.declared)
            lines, pieces = in_pieces(self.scope, plain, frame.declared)
            for piece, short in pieces:
                own = piece, frame.declared
                lines += [piece] if short else vector_loop(self.scope, node, *own)
            return lines
        except Scalar as found:
            frame.declared.clear()
            frame.declared.update(before)
            lines = lanes(self, self.block, node, frame)
            if not lines:
                self.scalar[self._line(node), found.reason, found.hint] = None
            return lines

    def _line(self, node: Loop) -> int:
        """Where a loop has its first statement in the source."""
        first = next(child for child in nodes(node.body) if isinstance(child, Call))
        return self.scope.planned.nest.statements[first.statement].place.line

    def _in_registers(self, node: Loop, plain: For, frame: Frame) -> list[Stmt]:
        """The loop with its invariant cells in variables; nothing when it has none."""
        scope = self.scope
        cells = invariant_cells(scope, node, self.around)
        if not cells or self.raises([plain]):
            return []
        kept = {
            cell: tree.variable(scope.names.fresh(cell.name), cell.kind)
            for cell in cells
        }
        for cell, variable in kept.items():
            scope.stands[cell] = variable
        body = tuple(self.block(node.body, frame))
        for cell in kept:
            del scope.stands[cell]
        names = {cell.name for cell in kept}
        moving = {scope.names(var) for var in (node.var, *bindings(node.body))}
        left = (part for part in parts(body) if part.name in names)
        if not all(moving & used([Assign(part, part)]) for part in left):
            return []
        frame.declared.update((kept[cell].name, kind) for cell, kind in cells.items())
        set_inside = {line.target.name for line in assignments(body)}
        back = ((cell, own) for cell, own in kept.items() if own.name in set_inside)
        runs = infix("<" if node.step > 0 else ">", plain.start, plain.stop)
        return [
            # Where the loop does not run the cells need not even exist.
            If(
                runs,
                (
                    *(Assign(variable, cell) for cell, variable in kept.items()),
                    replace(plain, body=body),
                    *(Assign(cell, own) for cell, own in back),
                ),
            )
        ]
