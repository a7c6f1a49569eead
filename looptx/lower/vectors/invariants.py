"""Slow functions of what a loop does not change, called once in front of it.

C does not see that nothing on the way to an exception changes what they read. They are
called where the loop runs at all, and only those that its first iteration calls in any
case. (Loop-invariant code motion: Aho, Lam, Sethi, Ullman, Compilers, 2006, 9.5.)
"""

from __future__ import annotations

from collections.abc import Iterator

from looptx.lower import tree
from looptx.lower.scope import Scope
from looptx.lower.tree import (
    Assign,
    Block,
    Expr,
    For,
    Function,
    If,
    Jump,
    Stmt,
    assignments,
    infix,
    inside,
    loops,
    parts,
    statements,
    used,
)
from looptx.lower.vectors.places import partners, standing
from looptx.lower.vectors.strips import LAZY, rewritten, slow
from looptx.model.dtypes import DTYPES
from looptx.model.records import replace


def with_invariants(scope: Scope, one: Function) -> Function:
    """A function whose loops call in front of them what they do not change.

    Args:
        scope: the nest. one: the function; of a team others write what it reads.
    """
    known = all(part.lanes == 1 for part in parts(one.body))
    if one.team or not known or not any(map(slow, parts(one.body))):
        return one
    declared = {**one.variables}

    def change(node: Stmt) -> list[Stmt]:
        return _moved(scope, node, declared) if isinstance(node, For) else [node]

    return replace(one, body=rewritten(one.body, change), variables=declared)


def _moved(scope: Scope, loop: For, declared: dict[str, str]) -> list[Stmt]:
    """A loop, and the calls in front of it.

    Args:
        scope: the nest. loop: it.
        declared: the variables of the function it is in: their types, by name.
    """
    own = any(part.op == "call" and not part.intrinsic for part in parts(loop.body))
    if own or loop.step is not None:
        return [loop]
    targets = {line.target.name for line in assignments(loop.body)}
    changed = {loop.var, *targets, *(inner.var for inner in loops(loop.body))}
    for name in targets:
        changed |= partners(scope).get(name, set())
    held: dict[Expr, Expr] = {}
    for call in _first(loop.body):
        if call in held or any(part.raises for part in inside(call)):
            continue
        if changed & used([Assign(call, call)]) or call.intrinsic is None:
            continue
        name = scope.names.fresh(f"{call.intrinsic.operation}_once")
        declared[name] = DTYPES[call.intrinsic.dtype].c
        held[call] = tree.variable(name, call.kind)
    if not held:
        return [loop]
    before = (*(Assign(variable, call) for call, variable in held.items()),)
    body = tuple(_standing(node, held) for node in loop.body)
    runs = infix("<", loop.start, loop.stop)
    return [If(runs, before), replace(loop, body=body)]


def _first(block: Block) -> Iterator[Expr]:
    """The slow calls that the first iteration makes in any case."""
    for node in block:
        match node:
            case Assign(target, value):
                yield from _calls(target)
                yield from _calls(value)
            case If(cond):
                yield from _calls(cond)
        if any(isinstance(one, Jump) for one in statements((node,))):
            return


def _calls(expr: Expr) -> Iterator[Expr]:
    """The slow calls in a value that is computed, the outer ones first."""
    if slow(expr):
        yield expr
    for part in expr.parts[: 1 if expr.op in LAZY else None]:
        yield from _calls(part)


def _standing(node: Stmt, held: dict[Expr, Expr]) -> Stmt:
    """A statement with variables in place of calls.

    Args:
        node: the statement. held: the variables.
    """
    match node:
        case Assign(target, value, op):
            return Assign(standing(target, held), standing(value, held), op)
        case If(cond, body, orelse):
            both = (tuple(_standing(x, held) for x in side) for side in (body, orelse))
            return If(standing(cond, held), *both)
    return node
