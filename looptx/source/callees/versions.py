"""Arguments that a function gives other values, each with a name of its own.

``r = r[m > 0]`` at the top of a function is another array than what it is given for
``r``: what follows has it by another name. (Static single assignment, of what no
condition and no loop decides: Cytron et al., TOPLAS '91.)
"""

from __future__ import annotations

import ast
import copy

from looptx.model.callees.callee import Written
from looptx.model.naming import Taken
from looptx.model.records import replace
from looptx.source.names.captures import COMPREHENSIONS
from looptx.source.names.imports import SCOPES, arguments


def versions(written: Written) -> Written:
    """A function whose arguments keep what they are given, as far as that is plain.

    Args:
        written: the function.
    """
    body = written.node.body
    given = {one.arg for one in arguments(written.node)}
    if not any(_bound(stmt) in given for stmt in body):
        return written
    inside = [x for stmt in body for x in ast.walk(stmt)]
    if any(isinstance(x, SCOPES | COMPREHENSIONS) for x in inside):
        return written
    taken = Taken({x.id for x in inside if isinstance(x, ast.Name)} | given)
    node = copy.copy(written.node)
    node.body = copy.deepcopy(body)
    for at, stmt in enumerate(node.body):
        name = _bound(stmt)
        if name in given:
            own = taken.again(name)
            given.add(own)
            assert isinstance(stmt, ast.Assign)
            _rename([stmt.targets[0], *node.body[at + 1 :]], name, own)
    return replace(written, node=node)


def _bound(stmt: ast.stmt) -> str:
    """The name that a statement alone gives a value."""
    match stmt:
        case ast.Assign([ast.Name(name)]):
            return name
    return ""


def _rename(nodes: list[ast.AST], name: str, own: str) -> None:
    """Give a name another one.

    Args:
        nodes: where. name: it. own: the other one.
    """
    for node in (x for one in nodes for x in ast.walk(one)):
        if isinstance(node, ast.Name) and node.id == name:
            node.id = own
