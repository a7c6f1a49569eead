"""Loops whose end data decide: by jumps in their body, or as parts of a ``while``."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from looptx.model.nests.kept import KeptLoop
from looptx.source.ast_tools import walked
from looptx.source.names.must_execute import jumps
from looptx.source.nests.headers import Obstacle
from looptx.source.text.parse import Parsed

AROUND = "name a loop around it, or schedule it in a function of its own"


class KeptWhole(Exception):
    """Loops that turned out to be part of an opaque statement: read the nest again.

    ``loops`` has them by their syntax.
    """

    def __init__(self, loops: Mapping[ast.AST, KeptLoop]) -> None:
        super().__init__()
        self.loops = loops


def early_end(loop: ast.For) -> tuple[ast.stmt, Obstacle] | None:
    """What in a loop decides which iterations run, and why it cannot be scheduled."""
    for jump in jumps(loop.body):
        if isinstance(jump, ast.Break):
            return jump, Obstacle("it may end at its `break`", AROUND)
    if loop.orelse:
        hint = "a loop without `break` always runs it: write it after the loop"
        return loop.orelse[0], Obstacle("it has an `else`", hint)
    return None


def straight(block: Sequence[ast.stmt]) -> list[ast.stmt] | None:
    """The body of a loop without its ``continue``: ``if`` around what follows.

    None where that would have to stand in two places.
    """
    found: list[ast.stmt] = []
    for at, stmt in enumerate(block, 1):
        if isinstance(stmt, ast.Continue):
            return found
        if isinstance(stmt, ast.If) and any(jumps([stmt])):
            rest = block[at:]
            branches = [straight(one) for one in behind(stmt, rest) or ()]
            if None in branches or not branches:
                return None
            then, other = (one or [] for one in branches)
            test = stmt.test
            if not then:
                then, other, test = other, [], ast.UnaryOp(ast.Not(), test)
            made = ast.If(test, then or [ast.Pass()], other)
            return [*found, ast.fix_missing_locations(ast.copy_location(made, stmt))]
        found.append(stmt)
    return found


def behind(
    stmt: ast.If, rest: Sequence[ast.stmt]
) -> tuple[Sequence[ast.stmt], Sequence[ast.stmt]] | None:
    """The branches of a condition with what follows it, where that goes into one."""
    ends = _always(stmt.body), _always(stmt.orelse)
    match (not rest, *ends):
        case (True, _, _) | (_, True, True):
            return stmt.body, stmt.orelse
        case (_, True, False):
            return stmt.body, [*stmt.orelse, *rest]
        case (_, False, True):
            return [*stmt.body, *rest], stmt.orelse
    return None


def _always(block: Sequence[ast.stmt]) -> bool:
    """Whether a block ends with a ``continue`` in any case."""
    if not block:
        return False
    last = block[-1]
    if isinstance(last, ast.If):
        return _always(last.body) and _always(last.orelse)
    return isinstance(last, ast.Continue)


def ending(root: ast.stmt, parsed: Parsed) -> dict[ast.AST, KeptLoop]:
    """The inner loops that are parts of opaque statements, as their text says.

    Args:
        root: the outermost loop of a nest. parsed: the module.
    """
    found: dict[ast.AST, KeptLoop] = {}
    for node in walked(root):
        if node is root or node in found:
            continue
        if isinstance(node, ast.While):
            found |= kept(node, Obstacle("it stands in a `while`", AROUND), parsed)
        elif isinstance(node, ast.For) and (end := early_end(node)) is not None:
            found |= kept(node, end[1], parsed)
    return found


def stopped(root: ast.stmt, parsed: Parsed) -> Mapping[ast.AST, KeptLoop]:
    """The loops of a nest that may end early."""
    end = early_end(root) if isinstance(root, ast.For) else None
    reason = "its nest is one statement"
    if isinstance(root, ast.While):
        reason = "it stands in a `while`"
    elif any(isinstance(node, ast.Return) for node in walked(root)):
        reason = "its function may `return` in it"
    return kept(root, end[1] if end else Obstacle(reason, AROUND), parsed)


def kept(node: ast.stmt, why: Obstacle, parsed: Parsed) -> Mapping[ast.AST, KeptLoop]:
    """The loops of a statement that becomes opaque.

    Args:
        node: the statement. why: what is wrong with it. parsed: the module.
    """
    found: dict[ast.AST, KeptLoop] = {}
    for loop in walked(node):
        if isinstance(loop, ast.For):
            reason = why.reason
            if loop is not node and isinstance(node, ast.For):
                outer = ast.unparse(node.target)
                where = f"it stands in the loop `{outer}` of line {node.lineno}"
                reason = f"{where}, of which {reason}"
            place = parsed.place(loop)
            found[loop] = KeptLoop(ast.unparse(loop.target), place, reason, why.hint)
    return found
