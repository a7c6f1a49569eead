"""Random numbers of NumPy in loops, spelled as calls that say what they draw from.

``np.random.random()`` is ``random(key, at)`` of ``callees.mersenne``: nests are given
the words of NumPy's own generator, and how many of them are used. So what draws has
accesses as any other statement, and the order in which numbers are drawn is kept.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator, Mapping
from pathlib import Path

from looptx.model.callees.callee import Callee
from looptx.model.functions import lookup
from looptx.model.naming import DRAW, DRAWN, HELD
from looptx.source.ast_tools import walked
from looptx.source.callees import mersenne
from looptx.source.callees.module import Functions
from looptx.source.names.imports import own_nodes, scope_imports
from looptx.source.names.scope import Function, Scope
from looptx.source.spelling.edits import Change, always, respelt
from looptx.source.spelling.inserted import Inserted
from looptx.source.spelling.lists.operations import parents
from looptx.source.spelling.stretches import PURE
from looptx.source.spelling.tuples.parts import noting

_KNOWN = {
    **dict.fromkeys(("random", "random_sample", "ranf", "sample", "rand"), "random"),
    **dict.fromkeys(("standard_normal", "randn"), "standard_normal"),
    **{name: name for name in ("uniform", "randint", "normal")},
}
"""The functions that stand for NumPy's, which are given numbers alone, or nothing."""

_MOST = {"uniform": 2, "randint": 2, "normal": 2}
"""How many numbers they are given; a third says how many are wanted."""

_FULL = "looptx.draws."

_OTHERS = ast.Lambda | ast.comprehension | ast.NamedExpr | ast.Assert
"""What may draw more than once, or not at all, or change what is drawn with."""

_NUMPY = f"{HELD}numpy"
_INT = f"{HELD}int"

_MADE = {
    DRAWN[0]: f"{_NUMPY}.empty(624, {_NUMPY}.uint32)",
    DRAWN[1]: f"{_NUMPY}.empty(1, {_NUMPY}.int32)",
    DRAWN[2]: f"{_NUMPY}.empty(2)",
}
"""What makes arrays like those that nests are given."""

NAMES = {
    _NUMPY: "numpy",
    _INT: "builtins.int",
    **{f"{DRAW}{name}": f"{_FULL}{name}" for name in _KNOWN.values()},
}
"""What the names mean that the spelling has."""


@functools.cache
def drawing() -> Mapping[str, Callee]:
    """The functions that draw, by their full names."""
    file = Path(mersenne.__file__)
    tree = ast.parse(file.read_text("utf-8"))
    own = Functions(tree, file.name, scope_imports(tree, {}))
    found = {f"{_FULL}{name}": own.callee(name) for name in _KNOWN.values()}
    return {full: one for full, one in found.items() if one is not None}


def with_draws(tree: ast.Module, known: Mapping[str, str]) -> ast.Module:
    """A tree in which loops draw random numbers by calls that say what they use.

    Args:
        tree: the module's. known: what its names mean.
    """
    return respelt(tree, known, _may_draw, _changes)


def _may_draw(node: ast.AST) -> bool:
    """Whether a node may be a call that draws, by its name."""
    if not isinstance(node, ast.Call):
        return False
    last = getattr(node.func, "attr", getattr(node.func, "id", ""))
    return last in _KNOWN or isinstance(node.func, ast.Name)


def _changes(function: Function, scope: Scope) -> Iterator[tuple[ast.AST, Change]]:
    """The changes of a function, in its outermost loops."""
    nodes = own_nodes(function)
    loops = [node for node in nodes if isinstance(node, ast.For | ast.While)]
    inside = {part for loop in loops for part in walked(loop) if part is not loop}
    around = parents(nodes)
    inserted: dict[ast.AST, Inserted] = {}

    def before(place: ast.stmt, text: str) -> None:
        (stmt,) = ast.parse(text).body
        for one in walked(stmt):
            if isinstance(one, ast.expr | ast.stmt):
                ast.copy_location(one, place)
        inserted.setdefault(around[place], Inserted()).before(place, stmt)

    for loop in (one for one in loops if one not in inside):
        own, drawn = {*walked(loop)}, False
        for node in (one for one in nodes if one in own):
            name = _drawn(node, scope)
            if not name or not isinstance(node, ast.Call):
                continue
            place = _place(node, around, scope)
            if place is None:
                continue
            drawn = True
            yield node, always(_call(node, name))
            if test := _refused(node, name):
                before(place, f"if {test}: raise IndexError")
        for array, made in _MADE.items() if drawn else ():
            before(loop, f"{array} = {made}")
    if not inserted:
        return
    into = inserted.pop(function, Inserted()).into(function)
    for owner, one in inserted.items():
        yield owner, one.into(owner)
    note = noting(dict.fromkeys(DRAWN, "None"))
    yield function, lambda node: note(into(node))


def _place(
    node: ast.Call, around: Mapping[ast.AST, ast.AST], scope: Scope
) -> ast.stmt | None:
    """The statement in front of which it can be asked what a call is given.

    Nothing in it may change that before the call, and asking may not raise what Python
    does not.

    Args:
        node: the call. around: what nodes stand in. scope: the function.
    """
    parts = [part for one in node.args for part in walked(one)]
    if not all(isinstance(part, PURE) for part in parts):
        return None
    outer: list[ast.AST] = [node]
    while not isinstance(outer[-1], ast.stmt):
        outer.append(around[outer[-1]])
        if isinstance(outer[-1], _OTHERS) or hasattr(outer[-1], "generators"):
            return None
    stmt = outer[-1]
    assert isinstance(stmt, ast.stmt)
    if all(isinstance(part, ast.Constant) for part in node.args):
        return stmt
    if isinstance(stmt, ast.While) or _in_several(node, stmt):
        return None
    own = {x.id for x in parts if isinstance(x, ast.Name)}
    plain = not any(isinstance(part, ast.Subscript | ast.Attribute) for part in parts)
    if plain and not own & scope.shared and own <= scope.bindings.keys():
        return stmt
    later = any(
        isinstance(x, ast.BoolOp | ast.IfExp)
        or (isinstance(x, ast.Compare) and len(x.ops) > 1)
        for x in outer
    )
    return None if later or _calls_others(stmt, scope) else stmt


def _in_several(node: ast.Call, stmt: ast.stmt) -> bool:
    """Whether a call stands in one of several targets: those in front come first."""
    if not isinstance(stmt, ast.Assign) or node in {*walked(stmt.value)}:
        return False
    (first, *others) = stmt.targets
    return bool(others) or isinstance(first, ast.Tuple | ast.List)


def _calls_others(stmt: ast.stmt, scope: Scope) -> bool:
    """Whether a statement calls functions that may change something."""
    head = stmt.test if isinstance(stmt, ast.If) else stmt
    return any(
        isinstance(x, ast.Call)
        and not _drawn(x, scope)
        and not lookup(scope.resolve(x.func)).pure
        for x in walked(head)
    )


def _refused(node: ast.Call, name: str) -> str:
    """What NumPy may refuse to do, as a condition; empty for nothing.

    Args:
        node: the call. name: of the function that stands for its.
    """
    given = [ast.unparse(one) for one in node.args]
    match name, given:
        case "uniform", [_, *_]:
            low, high = given if given[1:] else (given[0], "1.0")
            test = f"not -1e308 < ({high}) - ({low}) < 1e308"
        case "randint", _:
            low, high = given if given[1:] else ("0", given[0])
            test = f"not 0 < {_INT}({high}) - {_INT}({low}) < 4294967296"
        case "normal", [_, scale]:
            # NumPy looks at the sign of a zero.
            test = f"not ({scale}) > 0"
        case _:
            return ""
    return test


def _drawn(node: ast.AST, scope: Scope) -> str:
    """The function that stands for what a call draws; empty for others."""
    if not isinstance(node, ast.Call) or node.keywords:
        return ""
    module, _, name = scope.resolve(node.func).rpartition(".")
    if module != "numpy.random" or len(node.args) > _MOST.get(name, 0):
        return ""
    return "" if name == "randint" and not node.args else _KNOWN.get(name, "")


def _call(node: ast.Call, name: str) -> ast.AST:
    """What stands for a call that draws.

    Args:
        node: the call. name: of the function that stands for its.
    """
    arrays = DRAWN if name.endswith("normal") else DRAWN[:2]
    given: list[ast.expr] = [ast.Name(array, ast.Load()) for array in arrays]
    first = [ast.Constant(0)] if name == "randint" and len(node.args) == 1 else []
    made = ast.Call(ast.Name(f"{DRAW}{name}", ast.Load()), [], [])
    made.args = [*given, *first, *node.args]
    for one in (made, made.func, *given, *first):
        ast.copy_location(one, node)
    return made
