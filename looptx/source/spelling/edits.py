"""Changes of a syntax tree, which are a new tree: what is known is kept with nodes.

What the source does not say as it stands there has a mark: its text, where that is
written when the loops around it are.
"""

from __future__ import annotations

import ast
import copy
import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Concatenate, ParamSpec, TypeAlias, TypeVar

from looptx.model.elements import View
from looptx.model.noted.slices import is_elementwise
from looptx.model.records import dataclass
from looptx.source.ast_tools import COMPREHENSION, FOLLOWS, PART, is_part_of_one, walked
from looptx.source.names.imports import own_nodes
from looptx.source.names.scope import Function, Scope, surveyed
from looptx.source.text.functions import functions

Change: TypeAlias = Callable[[ast.AST], ast.AST]
"""What stands in the place of a node, made of the node with all changes inside."""

Changes: TypeAlias = Iterable[tuple[ast.AST, Change]]
"""The nodes of a function that change."""

P = ParamSpec("P")

Respelt: TypeAlias = Callable[Concatenate[ast.Module, Mapping[str, str], P], ast.Module]
"""Makes a tree, of what its names mean, one with changes in its functions."""

Node = TypeVar("Node", bound=ast.AST)

HEADER = "header"
"""The mark of loops with another header than the source has."""

AXIS = "axis"
"""The mark of the loops inside of such a one that its header stands for, too."""

ROW = "row"
"""The mark of a row that is only looked up, where the source gives it a name."""


def spelling(
    one: Callable[[ast.AST], object], times: int = 1
) -> Callable[[Callable[Concatenate[Function, Scope, P], Changes]], Respelt[P]]:
    """Make what changes a function change all of a module: a spelling of it.

    Args:
        one: tells of a node at once whether it may be changed: functions without such
            nodes stay as they are, and so does a module without any.
        times: how often, as long as something changes.
    """

    def of(changes: Callable[Concatenate[Function, Scope, P], Changes]) -> Respelt[P]:
        @functools.wraps(changes)
        def respelt(
            tree: ast.Module,
            known: Mapping[str, str],
            /,
            *more: P.args,
            **named: P.kwargs,
        ) -> ast.Module:
            for _ in range(times):
                if not any(map(one, walked(tree))):
                    break
                found: dict[ast.AST, Change] = {}
                for part in functions(tree, "", known, known):
                    if any(map(one, own_nodes(part.node))):
                        scope = surveyed(part.node, part.outer)
                        found.update(changes(part.node, scope, *more, **named))
                before, tree = tree, module(tree, found)
                if tree is before:
                    break
            return tree

        return respelt

    return of


def marked(node: Node, text: str) -> Node:
    """A node with a mark."""
    vars(node)["spelt"] = text
    return node


def mark(node: ast.AST) -> str:
    """The mark of a node; empty for what the source says."""
    found = vars(node).get("spelt", "")
    assert isinstance(found, str)
    return found


def placed(text: str, place: ast.expr) -> ast.stmt:
    """A statement with a mark that begins where an expression does.

    Args:
        text: the statement. place: the expression.
    """
    (stmt,) = ast.parse(text).body
    for node in ast.walk(stmt):
        if isinstance(node, ast.expr | ast.stmt):
            node.lineno = node.end_lineno = place.lineno
            node.col_offset += place.col_offset
            node.end_col_offset = (node.end_col_offset or 0) + place.col_offset
    return marked(stmt, text)


def viewed(node: Node, view: View) -> Node:
    """A node in the place of one that is made of a row by its name."""
    vars(node)["view"] = view
    return node


def views(node: ast.AST) -> dict[str, View]:
    """The rows that stand in a statement where the source has their names.

    Those that get their names in the statement itself have them in its text, too.
    """
    parts = walked(node)
    own = {part.value for part in parts if isinstance(part, ast.Expr)}
    found = (vars(part).get("view") for part in parts)
    known = (view for view in found if isinstance(view, View))
    return {view.name: view for view in known if view.row not in own}


def elementwise(node: Node, conditions: Sequence[ast.expr]) -> Node:
    """A part of what is one statement in the source, on elements of its arrays.

    Args:
        node: a loop over elements, or the statement on one.
        conditions: where its outermost loop means the same.
    """
    vars(node)["agrees"] = tuple(conditions)
    return node


def part(node: Node) -> Node:
    """One of several statements that are one in the source: no nest of its own."""
    vars(node)[PART] = True
    return node


def reaching(node: Node, line: int) -> Node:
    """A loop that stands for several statements of the source, up to a line."""
    vars(node)["reaches"] = line
    return node


def reached(node: ast.AST) -> int:
    """The line of the last statement that a loop stands for; 0 where it is one."""
    found: int = vars(node).get("reaches", 0)
    return found


def comprehension(node: Node) -> Node:
    """What a statement begins with that makes a list by a comprehension."""
    vars(node)[COMPREHENSION] = True
    return node


def followed(node: Node, text: str) -> Node:
    """A loop that stands for a statement, and Python that it is followed by."""
    vars(node)[FOLLOWS] = text
    return node


def agreements(node: ast.AST) -> tuple[ast.expr, ...]:
    """The conditions of a loop over elements."""
    found = vars(node).get("agrees", ())
    assert isinstance(found, tuple)
    return found


def needing(node: Node, conditions: Sequence[ast.expr]) -> Node:
    """A statement that means the same as the source under conditions on sizes."""
    vars(node)["needs"] = tuple(conditions)
    return node


def needs(root: ast.AST) -> Iterator[ast.expr]:
    """The conditions of all statements in a nest."""
    for node in walked(root):
        yield from vars(node).get("needs", ())


@dataclass(frozen=True)
class Filled:
    """An array that is filled where the source makes it.

    Attributes:
        name: of the array. call: the text of what makes one in front of the nest.
        shape, element: of it, as texts, as of ``whole.filling.New``.
        laid: the arrays whose layout it has, where that is seen.
    """

    name: str
    call: str
    shape: tuple[str, ...]
    element: str
    laid: tuple[str, ...] = ()


def returning(node: Node, axes: int) -> Node:
    """A call of a function of the user that gives an array.

    Args:
        node: the call. axes: how many the array has.
    """
    noted = copy.copy(node)
    vars(noted)["axes"] = axes
    return noted


def axes_given(node: ast.AST) -> int:
    """How many axes the array has that a call gives; 0 for any other call."""
    found: int = vars(node).get("axes", 0)
    return found


def reading(node: ast.AST) -> ast.AST:
    """A call of a function of the user that reads what it is given, for a number."""
    noted = copy.copy(node)
    vars(noted)["reads"] = True
    return noted


def reads(node: ast.AST) -> bool:
    """Whether a node is such a call."""
    return "reads" in vars(node)


def making(node: Node, filled: Filled) -> Node:
    """What fills an array, in the place of the statement that makes it.

    Args:
        node: the statement. filled: the array.
    """
    vars(node)["made"] = filled
    for part in ast.walk(node):
        vars(part)["fills"] = True
    return node


def all_made(root: ast.AST) -> dict[str, Filled]:
    """The arrays that loops make, by name."""
    found = (made(node) for node in walked(root))
    return {one.name: one for one in found if one is not None}


def fills(node: ast.AST) -> bool:
    """Whether a statement is a part of what fills an array that its loop makes."""
    return "fills" in vars(node)


def made(node: ast.AST) -> Filled | None:
    """The array that a statement fills where the source makes it."""
    found: Filled | None = vars(node).get("made")
    return found


@dataclass(frozen=True)
class Given:
    """An array that a nest fills for the function.

    Attributes:
        array: its name in the nest.
        name: what the source calls it behind that; empty where it is returned.
    """

    array: str
    name: str


def giving(node: Node, given: Given) -> Node:
    """A loop that fills an array for the function.

    Args:
        node: the loop. given: the array.
    """
    vars(node)["gives"] = given
    return node


def gives(node: ast.AST) -> Given | None:
    """The array that a loop fills for the function."""
    found: Given | None = vars(node).get("gives")
    return found


def body(loop: ast.For | ast.While | ast.If) -> list[ast.stmt]:
    """The statements inside of a loop that the source has there."""
    if is_elementwise(loop):
        return []
    match loop.body:
        case [ast.For() as inner] if mark(inner) == AXIS:
            return body(inner)
    return loop.body


def edited(node: ast.AST, changes: Mapping[ast.AST, Change]) -> ast.AST:
    """A tree with some nodes changed; it shares what has no change inside.

    Args:
        node: the tree. changes: by the nodes of this tree.
    """
    fields: dict[str, object] = {}
    for name, value in ast.iter_fields(node):
        if isinstance(value, ast.AST):
            new: object = edited(value, changes)
        elif isinstance(value, list):
            parts = [
                edited(part, changes) if isinstance(part, ast.AST) else part
                for part in value
            ]
            same = all(x is y for x, y in zip(parts, value, strict=True))
            new = value if same else parts
        else:
            continue
        if new is not value:
            fields[name] = new
    if fields:
        changed = copy.copy(node)
        vars(changed).update(fields)
    else:
        changed = node
    if node not in changes:
        return changed
    made = changes[node](changed)
    return part(made) if is_part_of_one(node) and made is not node else made


def module(tree: ast.Module, changes: Mapping[ast.AST, Change]) -> ast.Module:
    """A module with some nodes changed; itself where there are none."""
    found = edited(tree, changes) if changes else tree
    assert isinstance(found, ast.Module)
    return found


def in_turn(changes: Sequence[Change]) -> Change:
    """Changes of one node, one after the other."""

    def change(node: ast.AST) -> ast.AST:
        for one in changes:
            node = one(node)
        return node

    return change


def always(node: ast.AST) -> Change:
    """The change to one node, whatever stands there."""
    return lambda _: node
