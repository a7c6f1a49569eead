"""Several nests of one statement list read as one, so that they can be fused.

Statements between them are moved: a plain statement before the first nest if no earlier
nest shares data with it, else behind the last one. Further loops
between them become part of what is read; the analysis judges them exactly.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Sequence
from types import UnionType

from looptx.errors import Refused
from looptx.model.records import dataclass
from looptx.model.trees import dotted
from looptx.source.ast_tools import walked
from looptx.source.flow.fresh import is_pure
from looptx.source.flow.memory import Memory
from looptx.source.liveness import binds, is_caught, reads
from looptx.source.names.arrays import SIZES
from looptx.source.names.enclosing import enclosing
from looptx.source.names.imports import FUNCTIONS
from looptx.source.names.scope import Function, Scope
from looptx.source.names.subscripts import subscripts
from looptx.source.text.comments import start_line
from looptx.source.text.parse import Parsed, end_line


@dataclass(frozen=True)
class Region:
    """Nests side by side.

    Attributes:
        function: the function with the region as one statement, in the place of it.
        root: that statement; its body holds the loops alone.
        hoisted, sunk: the statements moved before and behind it.
    """

    function: Function
    root: ast.If
    hoisted: tuple[ast.stmt, ...]
    sunk: tuple[ast.stmt, ...]


def region(
    parsed: Parsed, scope: Scope, memory: Memory, loops: Sequence[ast.For]
) -> Region | None:
    """The region from the first of some loops to the last.

    Args:
        parsed: the module. scope: of the function. memory: what its arrays share.
        loops: the roots of the nests, in source order.

    Returns:
        The region; None if the loops are not in one statement list.

    Raises:
        Refused: LX206, a statement between them can move neither way.
    """
    block = enclosing(scope.function, loops[0])[-1].block
    if not all(loop in block for loop in loops):
        return None
    at = [number for number, stmt in enumerate(block) if stmt in loops]
    between = block[at[0] : at[-1] + 1]
    caught = is_caught(scope.function, loops[0])
    mover = _Mover(parsed, scope, memory, between, caught)
    root = ast.If(ast.Constant(True), mover.loops, [])
    first, last = mover.loops[0], mover.loops[-1]
    root.lineno, root.col_offset = first.lineno, first.col_offset
    root.end_lineno, root.end_col_offset = last.end_lineno, last.end_col_offset
    new = [*block[: at[0]], *mover.hoisted, root, *mover.sunk, *block[at[-1] + 1 :]]
    function = _with_block(scope.function, block, new)
    assert isinstance(function, FUNCTIONS)
    return Region(function, root, tuple(mover.hoisted), tuple(mover.sunk))


def _with_block(
    node: ast.AST, block: list[ast.stmt], new: list[ast.stmt]
) -> ast.AST | None:
    """``node`` with one of its statement lists replaced; None if it has no such list.

    Only the way to the list is copied: all statements stay the same objects.
    """
    for name, value in ast.iter_fields(node):
        if not isinstance(value, list):
            continue
        changed: list[ast.stmt] | list[ast.AST] | None = None
        if value is block:
            changed = new
        else:
            for number, child in enumerate(value):
                inner = (
                    _with_block(child, block, new)
                    if isinstance(child, ast.AST)
                    else None
                )
                if inner is not None:
                    changed = [*value[:number], inner, *value[number + 1 :]]
                    break
        if changed is not None:
            clone = copy.copy(node)
            setattr(clone, name, changed)
            return clone
    return None


_QUIET = (ast.Constant, ast.Name, ast.Tuple, ast.expr_context)


def _is_quiet(stmt: ast.stmt) -> bool:
    """Whether a statement only copies values: it raises nothing."""
    inside = (node for node in walked(stmt) if node is not stmt)
    return all(isinstance(node, _QUIET) for node in inside)


def _stuck(parsed: Parsed, stmt: ast.stmt, *, alone: bool) -> Refused:
    """The error for a statement that cannot move.

    Args:
        parsed: the source. stmt: the statement.
        alone: whether no other one has a part of its lines.
    """
    line = parsed.line(stmt.lineno).strip()
    stands = f"line {stmt.lineno}, `{line}`, stands between them and"
    detail: tuple[str, ...]
    if alone:
        detail = (
            f"{stands} shares data with nests on both sides,",
            "or may do more than compute a value.",
        )
        hint = "move it before the first nest or behind the last yourself"
    else:
        detail = (f"{stands.removesuffix(' and')}, on a line with others.",)
        hint = "write each of them on a line of its own"
    what = "refused: a statement between the nests cannot move"
    return Refused("LX206", what, detail=detail, hint=hint)


class _Mover:
    """Sorts the statements of a region into loops, hoisted and sunk ones."""

    def __init__(
        self,
        parsed: Parsed,
        scope: Scope,
        memory: Memory,
        between: Sequence[ast.stmt],
        caught: bool,
    ) -> None:
        self.scope = scope
        self.memory = memory
        self.loops: list[ast.stmt] = [s for s in between if scope.is_range_loop(s)]
        self.used: frozenset[str] = frozenset().union(*map(_subscripted, self.loops))
        self.hoisted: list[ast.stmt] = []
        self.sunk: list[ast.stmt] = []
        for number, stmt in enumerate(between):
            if stmt in self.loops:
                continue
            earlier = [s for s in between[:number] if s in self.loops or s in self.sunk]
            later = [s for s in between[number:] if s in self.loops]
            alone = stmt.lineno not in {
                line
                for other in between
                if other is not stmt
                for line in (other.lineno, end_line(other))
            }
            movable = self._moves(stmt) and alone and (_is_quiet(stmt) or not caught)
            if movable and self._again(stmt) and self._free(stmt, earlier):
                self.hoisted.append(stmt)
            elif movable and self._free(stmt, later):
                self.sunk.append(stmt)
            else:
                raise _stuck(parsed, stmt, alone=alone)

    def _moves(self, stmt: ast.stmt) -> bool:
        """Whether a statement only gives values to names."""
        match stmt:
            case ast.Assign(targets, value):
                names = [
                    node
                    for target in targets
                    for node in (
                        target.elts if isinstance(target, ast.Tuple) else [target]
                    )
                ]
                return all(isinstance(name, ast.Name) for name in names) and _pure(
                    value, self.scope
                )
            case ast.AnnAssign(target=ast.Name(), value=value):
                return value is None or _pure(value, self.scope)
            case ast.Expr(ast.Constant()) | ast.Pass():
                return True
        return False

    def _again(self, stmt: ast.stmt) -> bool:
        """Whether running what is hoisted twice, this included, is as good as once.

        Native code that declines its arguments leaves the region as it was written.
        """
        return not any(binds([stmt]) & reads(one) for one in (*self.hoisted, stmt))

    def _free(self, stmt: ast.stmt, others: Sequence[ast.stmt]) -> bool:
        """Whether a statement that ``_moves`` may change places with ``others``."""
        bound, read, contents = binds([stmt]), reads(stmt), _contents(stmt)
        for other in others:
            if bound & (reads(other) | binds([other])) or read & binds([other]):
                return False
            written = _written(other)
            if contents & written:
                return False
            pairs = self.memory.aliases(contents | written)
            if any(pair & contents and pair & written for pair in pairs):
                return False
            # Native code checks the arrays of the loops for overlap, and no others.
            given = filter(self.memory.is_given, written)
            if any(given) and any(map(self.memory.is_given, contents - self.used)):
                return False
        return True


_IMPURE = (
    ast.Await,
    ast.Yield,
    ast.YieldFrom,
    ast.NamedExpr,
    ast.Lambda,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.GeneratorExp,
)


def _pure(value: ast.expr, scope: Scope) -> bool:
    """Whether an expression is pure."""

    nodes = list(walked(value))
    return not any(isinstance(node, _IMPURE) for node in nodes) and all(
        is_pure(node, scope) for node in nodes if isinstance(node, ast.Call)
    )


def _contents(stmt: ast.stmt) -> frozenset[str]:
    """The arrays whose elements a statement may read: not only their shape or type."""
    plain: set[ast.AST] = set()
    for node in walked(stmt):
        match node:
            case ast.Attribute(attr=attr) if attr in SIZES:
                plain.update(walked(node))
            case ast.Call(func=func, args=[first, *_]) if (
                dotted(func).rpartition(".")[2].endswith(("_like", "len"))
            ):
                plain.update(walked(first))
    return frozenset(
        dotted(node)
        for node in walked(stmt)
        if isinstance(node, ast.Name | ast.Attribute)
        and node not in plain
        and isinstance(node.ctx, ast.Load)
        and dotted(node)
    )


def _written(stmt: ast.stmt) -> frozenset[str]:
    """The arrays that a loop writes to."""
    return _subscripted(stmt, ast.Store | ast.Del)


def _subscripted(
    stmt: ast.stmt, contexts: type[ast.expr_context] | UnionType = ast.expr_context
) -> frozenset[str]:
    """The arrays that a loop has elements of."""
    return frozenset(
        dotted(subscripts(node)[0])
        for node in walked(stmt)
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, contexts)
    )


def moved_lines(parsed: Parsed, stmt: ast.stmt) -> tuple[int, int]:
    """The lines of a statement and of the comments directly above it."""
    first = start_line(parsed, stmt.lineno, 1, stmt.lineno)
    return first, end_line(stmt)
