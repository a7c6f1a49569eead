"""All elements of arrays as arrays of one axis, for loops.

``for v in A.ravel()`` goes through an array that is made where the loop begins, as the
source says, and given to its nest: of what is no array of NumPy, nobody is asked for it
twice.

``A.flat[k]`` is an element of ``A.reshape(-1)``, a view that stands in front of the
outermost loop in which it is used, so that all that is asked of names sees what shares
memory. Nests are given it where A is an array that lies row by row: of any other it
would be a copy.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping, Sequence

from looptx.model.naming import HELD, flat, free
from looptx.model.trees import dotted
from looptx.source.ast_tools import walked
from looptx.source.names.imports import bound_names, own_nodes
from looptx.source.names.scope import Function, Scope
from looptx.source.spelling.edits import Change, always, respelt
from looptx.source.spelling.inserted import Inserted, placed
from looptx.source.spelling.lists.operations import parents
from looptx.source.spelling.tuples.parts import noting

_METHODS = ("ravel", "flatten")

_VIEW = (
    "{array}.reshape(-1) if {array}.__class__.__module__ == 'numpy' and "
    "{array}.__class__.__name__ == 'ndarray' and {array}.flags.c_contiguous else None"
)
"""What a nest is given for the elements of an array in the order of its rows."""

_SEVERAL = ast.Slice | ast.Tuple | ast.List
"""Subscripts of more than one element."""


def with_flat(tree: ast.Module, known: Mapping[str, str]) -> ast.Module:
    """A tree in which the loops that stand in no others go through arrays with names.

    Args:
        tree: the module's. known: what its names mean.
    """
    return respelt(
        tree, known, lambda node: _flattened(node) or _viewed(node), _changes
    )


def _changes(function: Function, scope: Scope) -> Iterator[tuple[ast.AST, Change]]:
    """The changes of a function, in its outermost loops."""
    nodes = own_nodes(function)
    loops = [x for x in nodes if isinstance(x, ast.For | ast.While)]
    inside = {part for loop in loops for part in walked(loop) if part is not loop}
    outermost = [x for x in loops if x not in inside]
    taken, parts = set(scope.identifiers), dict[str, str]()
    headers = (loop for loop in outermost if isinstance(loop, ast.For))
    for node in (x for loop in headers for x in _sources(loop, scope)):
        array = _flattened(node)
        name = free(f"{HELD}{array.replace('.', '_')}_flat", taken)
        taken.add(name)
        own = f"{array}.__class__.__module__.startswith('numpy')"
        parts[name] = f"{ast.unparse(node)} if {own} else None"
        made = ast.copy_location(ast.Name(name, ast.Load()), node)
        yield node, always(made)
    views = _Views(scope, taken)
    for loop in outermost:
        yield from views.elements(loop, [x for x in nodes if x in {*walked(loop)}])
    for owner in {*map(parents(nodes).get, views.before)} - {None, function}:
        assert owner is not None
        yield owner, views.inserted.into(owner)
    parts |= views.parts
    if parts:
        note, into = noting(parts), views.inserted.into(function)
        yield function, lambda node: note(into(node))


class _Views:
    """Names the views of arrays that loops use as ``A.flat[k]``.

    Args:
        scope: the function. taken: the names that there are.

    Attributes:
        parts: what nests are given for the views, by name.
        inserted: what makes them.
        before: the loops in front of which it stands.
    """

    def __init__(self, scope: Scope, taken: Collection[str]) -> None:
        self.scope = scope
        self.taken = taken
        self.names: dict[str, str] = {}
        self.parts: dict[str, str] = {}
        self.inserted = Inserted()
        self.before: list[ast.AST] = []

    def elements(
        self, loop: ast.For | ast.While, nodes: Sequence[ast.AST]
    ) -> Iterator[tuple[ast.AST, Change]]:
        """The changes in a loop.

        Args:
            loop: it stands in no other. nodes: of the function, in it.
        """
        made: set[str] = set()
        for node in nodes:
            array = _viewed(node)
            if not array or not self._keeps(loop, array):
                continue
            assert isinstance(node, ast.Subscript)
            name = self._name(array)
            if array not in made:
                made.add(array)
                (stmt,) = ast.parse(f"{name} = {array}.reshape(-1)").body
                self.inserted.before(loop, placed([stmt], loop, name))
                self.before.append(loop)
            view = ast.copy_location(ast.Name(name, ast.Load()), node.value)
            yield node.value, always(view)

    def _name(self, array: str) -> str:
        """The name of the view of an array."""
        if array not in self.names:
            taken = {*self.taken, *self.parts}
            self.names[array] = flat(array, taken)
            self.parts[self.names[array]] = _VIEW.format(array=array)
        return self.names[array]

    def _keeps(self, loop: ast.For | ast.While, array: str) -> bool:
        """Whether a name is a variable that only the function sees, and a loop keeps.

        Args:
            loop: it. array: the name.
        """
        scope = self.scope
        own = array in scope.bindings and array not in scope.shared
        return own and not scope.wild and array not in {*bound_names(own_nodes(loop))}


def _sources(loop: ast.For, scope: Scope) -> Iterator[ast.expr]:
    """The arrays of all elements that a loop goes through."""
    left = [loop.iter]
    while left:
        match left.pop():
            case ast.Call(function, args) if scope.resolve(function) in (
                "builtins.enumerate",
                "builtins.reversed",
                "builtins.zip",
            ):
                left += args
            case node if _flattened(node):
                yield node


def _flattened(node: ast.AST) -> str:
    """The array of which an expression has all elements; empty for others."""
    match node:
        case ast.Call(ast.Attribute(array, method), [], []) if method in _METHODS:
            return dotted(array)
    return ""


def _viewed(node: ast.AST) -> str:
    """The array of which an expression is an element, `A.flat[k]`; empty for others."""
    match node:
        case ast.Subscript(ast.Attribute(ast.Name(array), "flat"), index):
            return "" if isinstance(index, _SEVERAL) else array
    return ""
