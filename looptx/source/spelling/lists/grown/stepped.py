"""Comprehensions in loops that give one number for each: ``u = [f(x) for x in u]``.

A list of as many numbers is made, and filled; then the name is given it. With
conditions nobody knows how many numbers there are.
"""

from __future__ import annotations

import ast

from looptx.model.naming import Taken
from looptx.model.records import dataclass
from looptx.source.ast_tools import walked
from looptx.source.names.imports import own_nodes
from looptx.source.names.scope import Function, Scope
from looptx.source.spelling.edits import Changes, always, comprehension, spelling
from looptx.source.spelling.inserted import Insertions, parted
from looptx.source.spelling.lists.generated import is_target, renamed
from looptx.source.spelling.lists.grown.known import Comprehensions
from looptx.source.spelling.lists.operations import parents
from looptx.source.spelling.lists.written import placed, statement
from looptx.source.spelling.stretches import PURE


def _made(node: ast.AST) -> ast.ListComp | None:
    """The comprehension that a statement gives a name, if it is one for numbers."""
    match node:
        case ast.Assign(
            [ast.Name()],
            ast.ListComp(elt, [ast.comprehension(ifs=[])]) as made,
        ) if not isinstance(elt, ast.Tuple | ast.List | ast.ListComp):
            return made
    return None


@dataclass(frozen=True)
class _Steps:
    """What a comprehension goes through.

    Attributes:
        count: the text of how many steps there are. header: of a loop through them.
        at: the text of the number of a step.
        check: a condition under which the count is another one.
    """

    count: str
    header: str
    at: str
    check: str = ""


@spelling(_made)
def with_stepped(function: Function, scope: Scope) -> Changes:
    """Loops fill the lists that comprehensions make in loops."""
    nodes = own_nodes(function)
    known = Comprehensions(scope, parents(nodes))
    if not known.are_read:
        return
    taken = Taken(scope.identifiers)
    found: dict[ast.stmt, list[ast.stmt]] = {}
    for each in (node for node in nodes if isinstance(node, ast.Assign)):
        blocks = [*known.blocks(each)]
        loops = all(isinstance(x, ast.For | ast.While) for x in blocks)
        if blocks and loops and (lines := _lines(each, known, taken)):
            found[each] = lines
    inserted = Insertions(known.around)
    for stmt, (first, *others) in found.items():
        *_, loop = known.blocks(stmt)
        made = {_made(x) for x in found}
        left = (x for x in walked(loop) if isinstance(x, ast.ListComp))
        if all(x in made or _is_row(x, known) for x in left):
            inserted.behind(stmt, *parted(others, stmt))
            yield stmt, always(comprehension(placed(first, stmt)))
    yield from inserted.changes()


def _is_row(node: ast.AST, known: Comprehensions) -> bool:
    """Whether a comprehension is a row that a list of rows gets, see ``anew``."""
    call = known.around[node]
    return isinstance(call, ast.Call) and ast.unparse(call.func).endswith(".append")


def _lines(
    stmt: ast.stmt, known: Comprehensions, taken: Taken
) -> list[ast.stmt] | None:
    """Statements for one that gives a name a list, if it does so.

    Args:
        stmt: it. known: tells comprehensions. taken: gives names.
    """
    made = _made(stmt)
    if made is None or not known.is_known(made):
        return None
    assert isinstance(stmt, ast.Assign) and isinstance(stmt.targets[0], ast.Name)
    name = stmt.targets[0].id
    given = renamed(made, {}, taken.again)
    steps = _steps(given.generators[0], taken.again("at"))
    own = any(isinstance(x, ast.Name) and x.id == name for x in walked(made))
    # Two names that are exchanged have lists of one size.
    alike = steps is not None and (not own or steps.count == f"len({name})")
    if steps is None or not alike or name in known.scope.shared:
        return None
    filled = taken.again(name) if own else name
    # Numbers like those that may become its own are no more types than there are.
    begun = f"[*{name}]" if own else f"[0] * ({steps.count})"
    lines = (
        *((f"if {steps.check}: raise IndexError",) if steps.check else ()),
        f"{filled} = {begun}",
        f"for {steps.header}: {filled}[{steps.at}] = {ast.unparse(given.elt)}",
        *((f"{name} = {filled}",) if own else ()),
    )
    return [*map(statement, lines)]


def _steps(part: ast.comprehension, at: str) -> _Steps | None:
    """The steps of a clause; None where nobody knows in front of it how many there are.

    Args:
        part: the clause. at: a name for the number of a step.
    """
    target = ast.unparse(part.target)
    if not is_target(part.target) or not _is_pure(part.iter):
        return None
    match part.target, part.iter:
        case ast.Name(), ast.Call(ast.Name("range"), [count], []):
            text = ast.unparse(count)
            return _Steps(text, f"{target} in range({text})", target)
        case ast.Name(), ast.Call(ast.Name("range"), [first, last], []):
            low, high = ast.unparse(first), ast.unparse(last)
            header = f"{target} in range({low}, {high})"
            return _Steps(f"({high}) - ({low})", header, f"{target} - ({low})")
        case _, ast.Name(of):
            header = f"{at}, {target} in enumerate({of})"
            return _Steps(f"len({of})", header, at)
        case ast.Tuple([ast.Name(number), inner]), ast.Call(
            ast.Name("enumerate"), [ast.Name(of)], []
        ) if isinstance(inner, ast.Name):
            return _Steps(f"len({of})", f"{target} in enumerate({of})", number)
        case ast.Tuple(targets), ast.Call(ast.Name("zip"), [_, _, *_] as several):
            named = all(isinstance(x, ast.Name) for x in (*targets, *several))
            strict = [ast.unparse(x.value) for x in part.iter.keywords]
            if named and len(targets) == len(several) and strict in ([], ["False"]):
                size, *others = (f"len({ast.unparse(x)})" for x in several)
                source = ast.unparse(part.iter)
                header = f"{at}, ({target}) in enumerate({source})"
                check = " or ".join(f"{size} != {other}" for other in others)
                return _Steps(size, header, at, check)
    return None


def _is_pure(node: ast.expr) -> bool:
    """Whether what a clause goes through is the same if it is evaluated twice."""
    names = ("range", "len", "enumerate", "zip")
    return all(
        isinstance(x, (*PURE, ast.keyword))
        or (isinstance(x, ast.Call) and ast.unparse(x.func) in names)
        for x in walked(node)
    )
