"""Walking a block: what it binds, what it reads, and replacing variables in it.

A block is read as Python reads it: statements run one after the other and a ``Let`` or
``For`` binds its variable for what follows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from looptx.looptree.nodes import Block, Call, For, If, Let, LoopTree
from looptx.model.expr import (
    Cond,
    IntExpr,
    Var,
    rewrite,
    rewrite_cond,
    substitute,
    variables,
)
from looptx.model.records import replace

Uses = Mapping[str, Mapping[str, int]]
"""``{statement: {loop id: how often the statement's text reads the loop}}``."""


def nodes(block: Block) -> Iterator[LoopTree]:
    """Every node of a block, outer before inner, in order."""
    for node in block:
        yield node
        if isinstance(node, For | If):
            yield from nodes(node.body)


def bound(block: Block) -> frozenset[str]:
    """The variables a block binds."""
    return frozenset(node.var for node in nodes(block) if isinstance(node, For | Let))


def reads(block: Block, uses: Uses | None = None) -> frozenset[str]:
    """The variables and parameters a block reads.

    Args:
        block: the loops.
        uses: with it, a loop value counts only where the statement's text reads it.
    """
    names: set[str] = set()
    for node in nodes(block):
        match node:
            case For():
                names |= variables(node.start) | variables(node.stop)
            case If(cond):
                names |= variables(cond)
            case Let(_, value):
                names |= variables(value)
            case Call(statement, index):
                for loop, value in index.items():
                    if weight(uses, statement, loop):
                        names |= variables(value)
    return frozenset(names)


def weight(uses: Uses | None, statement: str, loop: str) -> int:
    """How often a statement's text reads a loop; 1 when nothing is known."""
    if uses is None or statement not in uses:
        return 1
    return uses[statement].get(loop, 0)


def map_exprs(
    block: Block, expr: Callable[[IntExpr], IntExpr], cond: Callable[[Cond], Cond]
) -> Block:
    """The block with every expression and condition replaced."""

    def one(node: LoopTree) -> LoopTree:
        match node:
            case For():
                start, stop = expr(node.start), expr(node.stop)
                body = map_exprs(node.body, expr, cond)
                return replace(node, start=start, stop=stop, body=body)
            case If(test, body):
                return If(cond(test), map_exprs(body, expr, cond))
            case Let(var, value):
                return Let(var, expr(value))
            case Call(statement, index):
                return Call(
                    statement, {loop: expr(value) for loop, value in index.items()}
                )

    return tuple(map(one, block))


def rename(block: Block, names: Mapping[str, str]) -> Block:
    """The block with variables renamed, bindings and reads."""
    leaf: dict[IntExpr, IntExpr] = {Var(old): Var(new) for old, new in names.items()}
    block = map_exprs(
        block, lambda e: rewrite(e, leaf), lambda c: rewrite_cond(c, leaf)
    )

    def one(node: LoopTree) -> LoopTree:
        match node:
            case For():
                var = names.get(node.var, node.var)
                return replace(node, var=var, body=tuple(map(one, node.body)))
            case If(cond, body):
                return If(cond, tuple(map(one, body)))
            case Let(var, value):
                return Let(names.get(var, var), value)
            case Call():
                return node

    return tuple(map(one, block))


class Inliner:
    """Replaces one variable by its value in the statements that follow its ``Let``.

    Attributes:
        count: how many reads were replaced, text occurrences counted.
        captured: whether a replaced read stands where a name of the value has
            changed; the result must not be used then.
    """

    def __init__(self, var: str, value: IntExpr, uses: Uses | None = None) -> None:
        """Prepare to replace ``var`` by ``value``."""
        self.var = var
        self.values = {var: value}
        self.leaf: dict[IntExpr, IntExpr] = {Var(var): value}
        self.names = variables(value)
        self.uses = uses
        self.count = 0
        self.captured = False
        self._dirty = False

    def block(self, block: Block) -> Block:
        """The block with the variable replaced up to where it is bound again."""
        result: list[LoopTree] = []
        for at, node in enumerate(block):
            result.append(self._node(node))
            if isinstance(node, For | Let) and node.var == self.var:
                return (*result, *block[at + 1 :])
        return tuple(result)

    def _node(self, node: LoopTree) -> LoopTree:
        match node:
            case For():
                start, stop = self._expr(node.start), self._expr(node.stop)
                # What an iteration changes, the next one sees.
                self._bind(node.var, *bound(node.body))
                body = node.body if node.var == self.var else self.block(node.body)
                return replace(node, start=start, stop=stop, body=body)
            case If(cond, body):
                if self.var in variables(cond):
                    self._found(1)
                    cond = rewrite_cond(cond, self.leaf)
                return If(cond, self.block(body))
            case Let(var, value):
                value = self._expr(value)
                self._bind(var)
                return Let(var, value)
            case Call(statement, index):
                return Call(
                    statement,
                    {
                        loop: self._expr(value, weight(self.uses, statement, loop))
                        for loop, value in index.items()
                    },
                )

    def _bind(self, *names: str) -> None:
        self._dirty |= not self.names.isdisjoint(names)

    def _found(self, times: int) -> None:
        self.count += times
        self.captured |= self._dirty

    def _expr(self, expr: IntExpr, times: int = 1) -> IntExpr:
        if self.var not in variables(expr):
            return expr
        self._found(times)
        return substitute(expr, self.values)
