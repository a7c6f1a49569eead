"""One loop nest, from its syntax tree into the model."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from looptx.errors import LooptxError
from looptx.model.elements import Element
from looptx.model.expr import (
    FALSE,
    TRUE,
    Cond,
    Const,
    IntExpr,
    conj,
    disj,
    negate,
)
from looptx.model.naming import free
from looptx.model.nests.kept import KeptLoop
from looptx.model.noted.slices import is_elementwise, is_noted
from looptx.model.program import (
    Loop,
    LoopNode,
    Node,
    Statement,
    StatementNode,
)
from looptx.model.records import replace
from looptx.source.ast_tools import walked
from looptx.source.names.must_execute import jumps
from looptx.source.nests.around import (
    Around,
    assigned_once,
    everything,
    leading,
    valued,
)
from looptx.source.nests.array_swap import alike, with_exchanges
from looptx.source.nests.context import Context
from looptx.source.nests.ends import AROUND, KeptWhole, early_end, kept, straight
from looptx.source.nests.headers import Obstacle, bounds, lengths
from looptx.source.nests.looked_up import is_inside
from looptx.source.nests.private import apart, private
from looptx.source.nests.sizes.affine import Affine
from looptx.source.nests.sizes.sliced import tested
from looptx.source.nests.statements import refusals
from looptx.source.nests.statements.accesses import Reader
from looptx.source.nests.statements.effects import in_place
from looptx.source.nests.statements.reductions import reduction
from looptx.source.nests.statements.running import Running
from looptx.source.spelling.edits import (
    ROW,
    agreements,
    mark,
    needs,
    views,
)


class Builder:
    """Reads the loops and statements below one outermost loop, or several.

    Args:
        context: what is known of the nest; it collects what is found.
        canonical: parameter texts and what to write for them.
        opaque: the inner loops that are part of opaque statements.
        whole: the code of a nest that is one statement.

    Attributes:
        around: the loops around what is read.

    Raises:
        KeptWhole: a further loop belongs into ``opaque``.
        LooptxError: the nest contains what it cannot.
    """

    def __init__(
        self,
        context: Context,
        root: ast.For | ast.While | ast.If,
        canonical: Mapping[str, str],
        opaque: Mapping[ast.AST, KeptLoop],
        whole: Sequence[ast.stmt] = (),
    ) -> None:
        self.context = context
        self.root = root
        self.canonical = canonical
        self.opaque = opaque
        self.loops: dict[str, Loop] = {}
        self.statements: dict[str, Statement] = {}
        self.once = assigned_once(root)
        roots = root.body if isinstance(root, ast.If) else [root]
        self.around: list[ast.For] = []
        around = Around({}, (), (), {}, context.kinds.definite(root))
        if isinstance(root, ast.While) and not whole:
            hint = "a loop without `break` always runs it: write it after the loop"
            raise context.unsupported(root, "an `else` of a loop that jumps", hint)
        if whole:
            body = self._once(root, whole, around)
        else:
            body, _ = self._block(roots, around)
        self.body = tuple(body)
        self.statements = in_place(context, self.statements)

    def _affine(self, around: Around) -> Affine:
        context = self.context
        fixed = context.scalars | context.loop_vars
        if around.loops:
            # It is evaluated elsewhere than in the source, perhaps where that does not.
            fixed |= context.unset
        return Affine(
            context.kinds,
            around.loops,
            fixed,
            around.values,
            self.canonical,
            around.definite,
            around.products,
        )

    def _loop(self, node: ast.For, around: Around) -> LoopNode:
        context = self.context
        parsed = context.parsed
        context.check_loop(node)
        assert isinstance(node.target, ast.Name)
        var = node.target.id
        if var in around.loops:
            raise context.unsupported(
                node, f"a loop over `{var}` inside a loop over `{var}`", "rename one"
            )
        start, stop, step = self._bounds(node, around)
        count = sum(loop.var == var for loop in self.loops.values())
        name = f"{var}#{count + 1}" if count else var
        outer = frozenset(around.loops.values())
        context.use(start, outer)
        context.use(stop, outer)
        for text in lengths(node, context.kinds):
            context.use_text(text)
        place, guard = parsed.place(node), everything(around.own_guard)
        agrees = self._agrees(node, around)
        self.loops[name] = Loop(
            name, var, start, stop, step, place, guard=guard, agrees=agrees
        )
        inside = replace(
            around,
            loops={**around.loops, var: name},
            own_guard=(),
            definite=around.definite
            | context.kinds.ranged(context.kinds.scope.counted(node)),
        )
        self.around.append(node)
        body, _ = self._block(node.body, inside)
        if not body:
            nothing = ast.copy_location(ast.Pass(), node.body[0])
            body = [self._statement(nothing, inside, opaque=False)]
        self.around.pop()
        return LoopNode(self.loops[name], tuple(body))

    def _open(self, around: Around) -> dict[str, Loop]:
        """The loops around, by their variables."""
        return {var: self.loops[name] for var, name in around.loops.items()}

    def _agrees(self, node: ast.stmt, around: Around) -> Cond:
        """Where a loop, and all in the outermost, means what the source says."""
        found = []
        whole = () if around.loops else (*needs(self.root), *alike(self.context.pairs))
        for condition in (*agreements(node), *whole):
            cond = self._affine(around).cond(condition)
            if cond is None:
                raise self._unlike(node)
            found.append(cond)
            self.context.use_cond(cond, around.loops)
        return everything((*found,))

    def _unlike(self, node: ast.stmt) -> LooptxError:
        """The error for slices of which the entry cannot see that they agree.

        Raises:
            KeptWhole: they can be looked at where they stand.
        """
        what = "slices whose bounds are no sums of sizes and loop variables"
        if self.around and is_noted(node):
            self._keep(node, Obstacle(what, AROUND))
        return self.context.unsupported(node, what, "loop over the elements")

    def _bounds(self, node: ast.For, around: Around) -> tuple[IntExpr, IntExpr, int]:
        """Start, stop and step of a loop whose bounds are affine."""
        outermost = not around.loops
        if outermost:
            self._check_end(node)
        found = bounds(node, self._affine(around), outermost=outermost)
        if not isinstance(found, Obstacle):
            return found
        if is_elementwise(node):
            raise self._unlike(node)
        names = {x.id for x in walked(node.iter) if isinstance(x, ast.Name)}
        missing = sorted(names & self.context.unset)
        if missing and not outermost:
            found = Obstacle(
                f"`{missing[0]}` may have no value where the nest begins",
                f"assign `{missing[0]}` before the nest in any case",
            )
        if outermost:
            assert isinstance(node.target, ast.Name)
            message = f"`{node.target.id}` cannot be scheduled: {found.reason}"
            raise self.context.unsupported(node, message, found.hint, "LX305")
        raise KeptWhole(kept(node, found, self.context.parsed))

    def _once(
        self, root: ast.stmt, code: Sequence[ast.stmt], around: Around
    ) -> list[Node]:
        """Statements in a loop of one iteration.

        Args:
            root: where they stand. code: they. around: what is known there.
        """
        name = free("once", self.context.kinds.scope.identifiers)
        place = self.context.parsed.place(root)
        agrees = self._agrees(root, around)
        self.loops[name] = Loop(name, name, Const(0), Const(1), 1, place, agrees=agrees)
        inside = replace(around, loops={name: name})
        body = [self._statement(x, inside, opaque=True) for x in code]
        return [LoopNode(self.loops[name], tuple(body))]

    def _check_end(self, root: ast.For) -> None:
        """The outermost loop runs to its end."""
        end = early_end(root)
        if end is not None:
            stmt, why = end
            what, hint = "`else` of a loop", why.hint
            if isinstance(stmt, ast.Break | ast.Continue):
                what, hint = refusals.statement(stmt)
            raise self.context.unsupported(stmt, what, hint)

    def _keep(self, node: ast.stmt, why: Obstacle) -> None:
        """See that the loops in an opaque statement are part of it."""
        loops = kept(node, why, self.context.parsed)
        if not loops.keys() <= self.opaque.keys():
            raise KeptWhole(loops)

    def _block(
        self, body: Sequence[ast.stmt], around: Around
    ) -> tuple[list[Node], Cond | None]:
        """The statements of a block, and where a ``continue`` ends it.

        That is None where data decide; then all behind it is in its last statement.
        """
        found: list[Node] = []
        left: Cond = FALSE
        busy = [stmt for stmt in body if not isinstance(stmt, ast.Pass)] or body[:1]
        for at, stmt in enumerate(busy, 1):
            if isinstance(stmt, ast.Continue):
                return found, TRUE
            if isinstance(stmt, ast.If):
                nodes, ended = self._if(stmt, busy[at:], around)
                found += nodes
                if ended is None:
                    return found, None
                if ended != FALSE:
                    left = disj(left, ended)
                    around = self._guarded(around, [negate(ended)])
            elif mark(stmt) == ROW and is_inside(
                stmt, self._open(around), self.canonical
            ):
                continue
            elif isinstance(stmt, ast.For) and stmt not in self.opaque:
                found.append(self._loop(stmt, around))
            else:
                opaque = isinstance(stmt, ast.For | ast.While)
                found.append(self._statement(stmt, around, opaque=opaque))
                around = valued(stmt, self.once, around, self._affine(around))
        return found, left

    def _if(
        self, stmt: ast.If, rest: Sequence[ast.stmt], around: Around
    ) -> tuple[list[Node], Cond | None]:
        """A condition, with the rest of its block; where it ends that, as ``_block``.

        Args:
            stmt: the condition. rest: what stands behind it. around: where it stands.
        """
        # Where it holds, its branch fails unless these are integers; where it never
        # does, some integer would say the same, and `range` refuses any other number.
        inside = replace(
            around, definite=around.definite | self.context.kinds.within(stmt.body)
        )
        cond = self._affine(inside).cond(stmt.test)
        if cond is None:
            if not any(jumps([stmt])):
                return [self._undecided(stmt, around)], FALSE
            whole = self._straight([stmt, *rest])
            return [self._undecided(whole, around, continued=True)], None
        other = negate(cond)
        then, one = self._block(stmt.body, self._guarded(inside, [cond]))
        others, two = self._block(stmt.orelse, self._guarded(around, [other]))
        if one is not None and two is not None:
            return then + others, disj(conj(cond, one), conj(other, two))
        if rest:
            self._straight(None)
        return then + others, None

    def _straight(self, block: Sequence[ast.stmt] | None) -> ast.If:
        """A condition and what follows it as one ``if``, without ``continue``.

        Raises:
            KeptWhole: there is none, so that its loop is a part of a statement.
            LooptxError: that is the outermost loop.
        """
        made = straight(block) if block is not None else None
        if made is not None:
            (whole,) = made
            assert isinstance(whole, ast.If)
            return whole
        loop = self.around[-1]
        jump = next(jumps(loop.body))
        if len(self.around) == 1:
            raise self.context.unsupported(jump, *refusals.statement(jump))
        why = Obstacle("it has a `continue` that data decide", AROUND)
        raise KeptWhole(kept(loop, why, self.context.parsed))

    def _undecided(
        self, stmt: ast.If, around: Around, *, continued: bool = False
    ) -> StatementNode:
        """A condition that is decided while the nest runs, with all it holds.

        Args:
            stmt: the condition. around: where it stands.
            continued: whether it holds what stands behind it in the source.
        """
        affine = self._affine(around)
        untyped = affine.untyped(stmt.test)
        self.context.untyped.update(untyped)
        hint = "put the `if` into the loop, unless the loop changes its condition"
        if untyped:
            name = next(iter(untyped))
            hint = f"if `{name}` is an integer, write `{name}: int`; else {hint}"
        why = Obstacle(
            f"it stands under `if {ast.unparse(stmt.test)}`, "
            "which is decided while the nest runs",
            hint,
        )
        self._keep(stmt, why)
        if not stmt.orelse and isinstance(stmt.test, ast.BoolOp):
            around = self._guarded(around, leading(affine, stmt.test))
        return self._statement(stmt, around, opaque=True, continued=continued)

    def _guarded(self, around: Around, conds: Sequence[Cond]) -> Around:
        for cond in conds:
            self.context.use_cond(cond, around.loops)
        guard = (*around.guard, *conds)
        return replace(around, guard=guard, own_guard=(*around.own_guard, *conds))

    def _statement(
        self,
        stmt: ast.stmt,
        around: Around,
        *,
        opaque: bool,
        continued: bool = False,
    ) -> StatementNode:
        """A statement of the model; ``opaque`` and ``continued`` are as of that."""
        apart_here = self.context.apart.keys() - around.loops.keys()
        own = private(stmt, apart_here) if opaque else frozenset[str]()
        context = self.context.within(own)
        runs = context.kinds.scope.runs(stmt)
        affine = self._affine(around)
        stmt = tested(stmt, affine)
        reader = (Running if runs else Reader)(context, affine)
        reader.statement(stmt)
        accesses = reader.finish()
        name = f"s{len(self.statements)}"
        statement = Statement(
            name=name,
            loops=tuple(around.loops.values()),
            guard=everything(around.guard),
            accesses=accesses,
            code=(with_exchanges(stmt, context.pairs),),
            place=context.parsed.place(stmt),
            reduction=reduction(stmt, accesses, context.kinds.scope),
            opaque=opaque or runs,
            continued=continued,
            agrees=reader.agrees,
            effects=reader.effects,
            leaves=reader.leaves,
            spelt="" if opaque or mark(stmt) == ROW else mark(stmt),
            views=views(stmt),
            elementwise=is_elementwise(stmt),
            elements=tuple(
                Element(access.array, access.subscripts, node)
                for node, access in {n: a for a, n in reader.elements}.items()
                if access.array not in reader.passed
            ),
        )
        names = {x: context.apart[x] for x in own}
        self.statements[name] = apart(statement, names) if own else statement
        return StatementNode(name)
