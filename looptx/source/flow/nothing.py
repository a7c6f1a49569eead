"""Names that are None until a loop gives them numbers: ``if best is None or x < best``.

Whether such a name has a number is a truth beside it. What a condition says of that is
known behind it, and in the rest of it: ``best is None or x < best`` reads no None.
(Flow typing: Guha, Saftoiu, Krishnamurthi, Typing local control and state using flow
analysis, ESOP 2011.)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from looptx.source.ast_tools import walked
from looptx.source.liveness import binds, exposed, reads
from looptx.source.names.enclosing import enclosing
from looptx.source.names.scope import Function, Scope

Names = frozenset[str]


def asked(node: ast.AST) -> tuple[str, bool] | None:
    """The name that a comparison asks for a number, and whether it wants one."""
    match node:
        case ast.Compare(ast.Name(name), [ast.Is()], [ast.Constant(None)]):
            return name, False
        case ast.Compare(ast.Name(name), [ast.IsNot()], [ast.Constant(None)]):
            return name, True
    return None


def resets(node: ast.AST) -> Names:
    """The names that statements in a node make None again."""
    return frozenset(
        part.targets[0].id
        for part in walked(node)
        if isinstance(part, ast.Assign) and is_reset(part)
        if isinstance(part.targets[0], ast.Name)
    )


def is_reset(stmt: ast.stmt) -> bool:
    """Whether a statement makes a name None."""
    match stmt:
        case ast.Assign([ast.Name()], ast.Constant(None)):
            return True
    return False


def begun(root: ast.For | ast.While, function: Function, scope: Scope) -> Names:
    """The names that are None where a loop begins, or become so in it first.

    Args:
        root: the loop, around which is no other. function, scope: where it stands.
    """
    told = {one[0] for one in map(asked, walked(root)) if one is not None}
    told |= resets(root)
    found = _numbered(root) - scope.shared - scope.foreign - of_loops(root)
    first = exposed(root, scope.surely_runs)
    steps = enclosing(function, root)
    before = [x for step in reversed(steps) for x in reversed(step.before)]
    behind = _behind(root, function)
    return frozenset(
        name
        for name in found
        if _is_none(name, before, name not in first and name in told)
        and not (name in resets(root) and name in behind)
        and not _is_asked_late(root, name)
    )


def _numbered(root: ast.stmt) -> Names:
    """The names that a loop gives something else than None."""
    none = {
        x.targets[0] for x in walked(root) if isinstance(x, ast.Assign) and is_reset(x)
    }
    return frozenset(
        node.id
        for node in walked(root)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        if node not in none
    )


def _is_none(name: str, before: list[ast.stmt], first: bool) -> bool:
    """Whether a name is None in front of a loop, or becomes so before it is read.

    Args:
        name: the name. before: what runs before, the nearest first in each block.
        first: whether the loop makes it None, or asks, before it reads a number.
    """
    last = next((stmt for stmt in before if name in binds([stmt])), None)
    return _gives_none(last, name) if last is not None else first


def _gives_none(stmt: ast.stmt, name: str) -> bool:
    """Whether a statement makes a name None, maybe others with it.

    Args:
        stmt: the statement. name: the name, which it binds.
    """
    match stmt:
        case ast.Assign(targets, value):
            given: list[tuple[ast.expr, ast.expr]] = [(x, value) for x in targets]
        case ast.AnnAssign(target=one, value=ast.expr() as value):
            given = [(one, value)]
        case _:
            return False
    values: list[ast.expr] = []
    for target, value in given:
        match target, value:
            case ast.Tuple(parts), ast.Tuple(each) if len(parts) == len(each):
                pairs = zip(parts, each, strict=True)
                own = ((y, x) for y, x in pairs if name in binds([y]))
                values += (x if isinstance(y, ast.Name) else y for y, x in own)
            case _ if name in binds([target]):
                values.append(value if isinstance(target, ast.Name) else target)
    return all(isinstance(x, ast.Constant) and x.value is None for x in values)


def of_loops(root: ast.stmt) -> Names:
    """The names that a loop counts with, uses as arrays or calls."""
    found: set[str] = set()
    for node in walked(root):
        match node:
            case ast.For(target):
                found |= binds([target])
            case ast.Subscript(ast.Name(name)) | ast.Attribute(ast.Name(name)):
                found.add(name)
            case ast.Starred(ast.Name(name)) | ast.Call(ast.Name(name)):
                found.add(name)
    return frozenset(found)


def _behind(root: ast.stmt, function: Function) -> Names:
    """The names that are read behind a loop, as far as the text goes on."""
    inside = {*walked(root)}
    return frozenset(
        node.id
        for node in walked(function)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
        if node not in inside and node.lineno >= root.lineno
    )


def _is_asked_late(root: ast.stmt, name: str) -> bool:
    """Whether a ``while`` reads a name each time that its statements make None."""
    loops = (node for node in walked(root) if isinstance(node, ast.While))
    return any(name in reads(one.test) and name in resets(one) for one in loops)


def learned(test: ast.expr, holds: bool) -> Names:
    """The names that have numbers where a condition holds, or does not.

    Args:
        test: the condition. holds: which of the two.
    """
    one = asked(test)
    if one is not None:
        return frozenset({one[0]}) if one[1] == holds else frozenset()
    match test:
        case ast.UnaryOp(ast.Not(), operand):
            return learned(operand, not holds)
        case ast.BoolOp(op, values) if isinstance(op, ast.And) == holds:
            return frozenset().union(*(learned(x, holds) for x in values))
    return frozenset()


def read_in(node: ast.AST, known: Names) -> Iterator[tuple[ast.Name, bool]]:
    """The names that an expression reads, each with whether it surely has a number.

    Args:
        node: the expression. known: the names that have one where it begins.
    """
    if asked(node) is not None:
        return
    match node:
        case ast.Name(name, ast.Load()):
            yield node, name in known
        case ast.BoolOp(op, values):
            for one in values:
                yield from read_in(one, known)
                known |= learned(one, isinstance(op, ast.And))
        case ast.IfExp(test, body, orelse):
            yield from read_in(test, known)
            yield from read_in(body, known | learned(test, True))
            yield from read_in(orelse, known | learned(test, False))
        case _:
            for part in ast.iter_child_nodes(node):
                yield from read_in(part, known)
