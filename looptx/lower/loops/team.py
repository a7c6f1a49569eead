"""A team of threads that walks loops together, and shares the parallel ones in them.

Where a parallel loop stands in a loop that runs in order, as that over time, or beside
another parallel loop, threads are started once, not for every one. Each of them walks
the loops that run in order by itself. It takes its piece of a parallel loop, and waits
for the others where it comes to what they write. What stands between parallel loops is
done by one thread while the others wait, if it writes arrays, and by each of them, if
it sets variables, which are its own: pointers of arrays that exchange names, too.
(Single program, multiple data; Cytron, Lipkis, Schonberg, SC 1990, from loops.)
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from itertools import groupby

from looptx.looptree.nodes import Block, Call, LoopTree
from looptx.looptree.nodes import For as Loop
from looptx.looptree.nodes import If as Branch
from looptx.looptree.walk import nodes
from looptx.lower import tree
from looptx.lower.bindings.exchanges import turns
from looptx.lower.crossing import meet
from looptx.lower.kinds import INT, Kind, of
from looptx.lower.loops.functions import Functions, step_of
from looptx.lower.loops.parallel import ParallelLoops, cuts
from looptx.lower.loops.statements import Frame
from looptx.lower.loops.work import MEETING, START, Unknown, Work, worth
from looptx.lower.tree import (
    Assign,
    Expr,
    For,
    If,
    Run,
    Stmt,
    Team,
    infix,
    intrinsic,
    number,
)
from looptx.model.noted.exchanges import pair_of, pairs_of, turned
from looptx.model.program import Statement
from looptx.model.records import dataclass, field
from looptx.model.trees import identifiers


@dataclass(slots=True)
class Teams:
    """Lowers loops that a team of threads walks.

    Attributes:
        functions: of the nest.
        block: lowers a block of loops into a function.
        thread, team: the variables with the number of a thread, and of all.
        behind: the parallel loops that threads may have left, and others not.
    """

    functions: Functions
    block: Callable[[Block, Frame], list[Stmt]]
    thread: Expr = field(init=False)
    team: Expr = field(init=False)
    behind: list[Loop] = field(default_factory=list)

    def lowered(self, block: Block, frame: Frame) -> list[Stmt]:
        """Parallel loops in others, or beside others; nothing where no team can go.

        An exception has to end all threads, and a loop that is no equal pieces, or
        reduces, needs more than a number of the thread: they have teams of their own.

        Args:
            block: what has them, from one of them or a loop around it to another.
            frame: the function that it is in.
        """
        functions = self.functions
        shared = [one for one in nodes(block) if _is_parallel(one)]
        if not shared or not all(map(self._is_plain, shared)):
            return []
        if len({one.marks.parallel for one in shared if isinstance(one, Loop)}) > 1:
            return []
        if not self._can_walk(block) or self._locals(block) & self._elsewhere(block):
            return []
        self.thread, self.team = (
            tree.variable(functions.scope.names.fresh(word))
            for word in ("thread", "team")
        )
        before, inner = len(functions.outlined), frame.inside({})
        inner.declared.update(dict.fromkeys((self.thread.name, self.team.name), "int"))
        lines: list[Stmt] = [
            Assign(self.thread, intrinsic("thread", of(INT))),
            Assign(self.team, intrinsic("team", of(INT))),
            *self._walk(block, block, inner),
        ]
        if functions.raises(lines):
            del functions.outlined[before:]
            return []
        own, after = self._handed(block, lines, inner, frame)
        call = functions.outline(lines, inner, frame, own, team=True)
        work = Work(functions.scope, frame)
        threads = self._threads(block, shared[0], work)
        ahead, behind = turns(self._pairs(block), functions.scope, frame.declared)
        return [*work.lines, *ahead, Team(call, threads), *after, *behind]

    def _is_plain(self, node: LoopTree) -> bool:
        """Whether a parallel loop is shared in equal pieces, and reduces nothing."""
        assert isinstance(node, Loop) and node.marks.parallel is not None
        how = node.marks.parallel
        plain = how.schedule in ("", "static") and not how.chunk and not how.least
        return plain and not self.functions.scope.planned.reductions.get(node.dim)

    def _threads(self, block: Block, shared: LoopTree, work: Work) -> Expr:
        """How many threads are in the team: one where a block does too little."""
        assert isinstance(shared, Loop) and shared.marks.parallel is not None
        most = tree.team(shared.marks.parallel.threads)
        try:
            amount, meetings = work.operations(block), work.meetings(block)
        except Unknown:
            work.lines.clear()
            return most
        waiting = infix("*", tree.constant(float(MEETING), amount.kind), meetings)
        return worth(most, amount, START, waiting)

    def _can_walk(self, block: Block) -> bool:
        """Whether one thread, or each, can do what is in no parallel loop."""
        for node in block:
            if _is_parallel(node):
                continue
            if isinstance(node, Loop | Branch) and _shares(node):
                fits = self._can_walk(node.body)
            else:
                alone = {self._alone(one) for one in self._statements(node)}
                pure = all(map(self._is_pure, self._statements(node)))
                fits = pure and len(alone) < 2
            if not fits:
                return False
        return True

    def _statements(self, node: LoopTree) -> Iterator[Statement]:
        """The statements of a node."""
        known = self.functions.scope.planned.nest.statements
        for one in nodes((node,)):
            if isinstance(one, Call):
                yield known[one.statement]

    def _variables(self, statement: Statement) -> set[str]:
        """The variables of C that a statement sets, as the source calls them."""
        written = (part for code in statement.code for part in ast.walk(code))
        names = {
            part.id
            for part in written
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
        }
        signs = {turned(*pair) for pair in pairs_of(statement.code)}
        return signs | {
            name for name in names if name not in self.functions.scope.buffers
        }

    def _arrays(self, statement: Statement, *, write: bool) -> set[str]:
        """The arrays in memory that a statement reads, or writes.

        Of values an exchange copies arrays; what it does is set pointers.
        """
        if pairs_of(statement.code):
            return set()
        scope = self.functions.scope
        accesses = (one for one in statement.accesses if one.write == write)
        names, buffers = {one.array for one in accesses}, scope.buffers
        variables = {*scope.planned.nest.scalars} - {*buffers}
        return names - variables - {name for name in names if self._is_local(name)}

    def _is_local(self, name: str) -> bool:
        """Whether a buffer is a variable of a function."""
        held = self.functions.scope.buffers.get(name)
        return held is not None and held.local

    def _alone(self, statement: Statement) -> bool:
        """Whether one thread has to do it alone: it writes into memory."""
        return bool(self._arrays(statement, write=True))

    def _is_pure(self, statement: Statement) -> bool:
        """Whether it writes into memory or sets variables, in no thread's part."""
        scope = self.functions.scope
        held = (scope.buffers.get(access.array) for access in statement.accesses)
        if any(one is not None and one.split for one in held):
            return False
        if pairs_of(statement.code) and not all(map(pair_of, statement.code)):
            return False
        return not (self._alone(statement) and self._variables(statement))

    def _walk(self, block: Block, whole: Block, frame: Frame) -> list[Stmt]:
        """What every thread does of a block.

        Args:
            block: it. whole: all that the team walks.
            frame: of the function of the team.
        """
        lines: list[Stmt] = []
        for shares, group in groupby(block, _shares):
            for node in group if shares else ():
                lines += self._node(node, whole, frame)
            if not shares:
                lines += self._between(tuple(group), whole, frame)
        return lines

    def _node(self, node: LoopTree, whole: Block, frame: Frame) -> list[Stmt]:
        """A parallel loop, or what it stands in."""
        functions = self.functions
        match node:
            case Loop() if _is_parallel(node):
                scope = functions.scope
                waiting = any(meet(scope, one, node) for one in self.behind)
                lines = self._together() if waiting else []
                self.behind.append(node)
                loops = ParallelLoops(functions, self.block)
                given = *functions.ends(node), number(node.step), self.team
                ends = cuts(given, self.thread)
                if node.marks.vectorize is not None:
                    return [*lines, Run(loops.part(node, ends, frame))]
                name, call = loops.outlined(node, frame)
                return [*lines, For(name, *ends, (Run(call),), step_of(node))]
            case Loop():
                lines = self._together()
                name = functions.declare(node.var, frame)
                body = *self._walk(node.body, whole, frame), *self._together()
                loop = For(name, *functions.ends(node), body, step_of(node))
                return [*lines, loop]
            case Branch(cond, body):
                lines = self._together()
                inner = *self._walk(body, whole, frame), *self._together()
                return [*lines, If(functions.scope.condition(cond), inner)]
        raise AssertionError(node)

    def _together(self) -> list[Stmt]:
        """Threads wait for each other, unless they just have."""
        lines: list[Stmt] = [_BARRIER] if self.behind else []
        self.behind.clear()
        return lines

    def _between(self, block: Block, whole: Block, frame: Frame) -> list[Stmt]:
        """What stands between parallel loops.

        Args:
            block, whole, frame: as in ``_walk``.
        """
        lines = self._together()
        for alone, group in groupby(block, self._is_alone):
            part = tuple(group)
            if alone:
                first = infix("==", self.thread, number(0))
                lines += [If(first, self._once(part, frame)), _BARRIER]
                continue
            lines += self.block(part, frame)
            # What is read here, others may write behind it.
            if self._reads(part) & self._written(whole):
                lines.append(_BARRIER)
        return lines

    def _once(self, block: Block, frame: Frame) -> tuple[Stmt, ...]:
        """What one thread does: in a function, where nobody writes what it reads."""
        if self._locals(block):
            return (*self.block(block, frame),)
        inner = frame.inside({})
        lines = self.block(block, inner)
        return (Run(self.functions.outline(lines, inner, frame, {})),)

    def _is_alone(self, node: LoopTree) -> bool:
        return any(map(self._alone, self._statements(node)))

    def _reads(self, block: Block) -> set[str]:
        """The arrays in memory that a block reads."""
        each = (one for node in block for one in self._statements(node))
        return set[str]().union(*(self._arrays(one, write=False) for one in each))

    def _written(self, block: Block) -> set[str]:
        """The arrays in memory that a block writes, with what they may be."""
        nest, found = self.functions.scope.planned.nest, set[str]()
        for one in (one for node in block for one in self._statements(node)):
            found |= self._arrays(one, write=True)
        return found.union(*map(nest.others, found))

    def _handed(
        self, block: Block, lines: list[Stmt], inner: Frame, frame: Frame
    ) -> tuple[dict[str, str], list[Stmt]]:
        """Variables that are used elsewhere, too, are handed in, and out at the end.

        Args:
            block: all of it. lines: what a thread does, which gets more at its end.
            inner: the function of the team. frame: that around it.

        Returns:
            Its arguments for that, and what its caller does behind the call.
        """
        scope, own = self.functions.scope, dict[str, str]()
        ends: list[Stmt] = []
        after: list[Stmt] = []
        for name, kind in self._set(block):
            c_type = inner.declared.get(name, self.functions.outside.get(name))
            assert isinstance(c_type, str)
            frame.declared.setdefault(name, c_type)
            out = scope.names.fresh(f"{name}_out")
            frame.declared[out] = f"{c_type}[1]"
            own |= {name: c_type, out: f"{c_type}*"}
            held = tree.variable(name, kind)
            cell = Expr("local cell", kind, (number(0),), out)
            ends.append(Assign(cell, held))
            after.append(Assign(held, cell))
        if ends:
            lines.append(If(infix("==", self.thread, number(0)), (*ends,)))
        return own, after

    def _set(self, block: Block) -> Iterator[tuple[str, Kind]]:
        """The C variables that are set between parallel loops and used elsewhere."""
        scope, statements = self.functions.scope, self.functions.statements
        each = (self._variables(one) for one in self._in_order(block))
        for name in sorted(set[str]().union(*each) & self._elsewhere(block)):
            yield scope.names(name), scope.kinds[name]
            if name in statements.tagged:
                yield scope.tag(name).name, of(INT)

    def _locals(self, block: Block) -> set[str]:
        """The buffers used in order that each thread has for itself."""
        accesses = (a for one in self._in_order(block) for a in one.accesses)
        return {one.array for one in accesses if self._is_local(one.array)}

    def _elsewhere(self, block: Block) -> set[str]:
        """What is used outside of a block, or again when it runs again."""
        planned = self.functions.scope.planned
        outside = _without(planned.body, block)
        if outside is None:
            return {*planned.nest.scalars, *self.functions.scope.buffers}
        found = {*planned.nest.live_in, *planned.nest.live_out}
        for one in (one for other in outside for one in self._statements(other)):
            found.update(access.array for access in one.accesses)
            found = found.union(*map(identifiers, one.code))
        return found

    def _pairs(self, block: Block) -> set[tuple[str, ...]]:
        """The arrays that exchange their names between parallel loops."""
        each = (pairs_of(one.code) for one in self._in_order(block))
        return set[tuple[str, ...]]().union(*each)

    def _in_order(self, block: Block) -> Iterator[Statement]:
        """The statements of a block that are in no parallel loop."""
        for node in block:
            if isinstance(node, Loop | Branch) and not _is_parallel(node):
                yield from self._in_order(node.body)
            elif isinstance(node, Call):
                yield from self._statements(node)


_BARRIER = Run(intrinsic("barrier", of(INT)))


def _is_parallel(node: LoopTree) -> bool:
    return isinstance(node, Loop) and node.marks.parallel is not None


def _shares(node: LoopTree) -> bool:
    """Whether it is a parallel loop, or has one in it."""
    return any(map(_is_parallel, nodes((node,))))


def _without(block: Block, part: Block) -> list[LoopTree] | None:
    """What else there is in a block; None where the part stands in a loop of it."""
    for at, child in enumerate(block):
        if child is part[0]:
            return [*block[:at], *block[at + len(part) :]]
        rest = _without(child.body, part) if isinstance(child, Branch) else None
        if rest is not None:
            return [*block[:at], *rest, *block[at + 1 :]]
    return None


def walked(block: Block) -> tuple[Block, Block, Block]:
    """What stands before parallel loops beside each other, these, and the rest.

    Nothing stands before a single one, or what it stands in, nor is there such a part.
    """
    at = [number for number, node in enumerate(block) if _shares(node)]
    first, end = (at[0], at[-1] + 1) if len(at) > 1 else (0, 0)
    return block[:first], block[first:end], block[end:]
