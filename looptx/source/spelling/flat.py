"""All elements of arrays as arrays of one axis, for loops.

``for v in A.ravel()`` goes through an array that is made where the loop begins, as the
source says, and given to its nest: of what is no array of NumPy, nobody is asked for it
twice.

``A.flat[k]`` is an element of ``A.reshape(-1)``, a view that stands in front of the
outermost loop in which it is used, so that all that is asked of names sees what shares
memory. Nests are given it where A is an array that lies row by row: of any other it
would be a copy. Behind ``v = A[i]``, ``v.flat[k]`` is an element of a row of
``A.reshape(len(A), -1)``. That row has a name of its own, which nests in which it gets
none are given for v.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator, Sequence

from looptx.model.naming import Taken, flat, flat_rows
from looptx.model.trees import dotted
from looptx.source.ast_tools import walked
from looptx.source.names.imports import bound_names, own_nodes
from looptx.source.names.scope import Function, Scope
from looptx.source.spelling.edits import Change, Changes, always, spelling
from looptx.source.spelling.inserted import Inserted, placed
from looptx.source.spelling.lists.operations import parents
from looptx.source.spelling.tuples.parts import noting

_METHODS = ("ravel", "flatten")

_VIEW = (
    "{array}.reshape(-1) if {array}.__class__.__module__ == 'numpy' and "
    "{array}.__class__.__name__ == 'ndarray' and {array}.flags.c_contiguous else None"
)
"""What a nest is given for the elements of an array in the order of its rows."""

_ROWS = (
    "{array}.reshape({array}.shape[0], -1) if "
    "{array}.__class__.__module__ == 'numpy' and "
    "{array}.__class__.__name__ == 'ndarray' and {array}.flags.c_contiguous "
    "and {array}.ndim > 1 and {array}.size else None"
)
"""The same for its parts: of a number there are none, and of no cells no rows."""

_SEVERAL = ast.Slice | ast.Tuple | ast.List
"""Subscripts of more than one element."""


@spelling(lambda node: _flattened(node) or _viewed(node))
def with_flat(function: Function, scope: Scope) -> Changes:
    """The loops that stand in no others go through arrays with names."""
    nodes = own_nodes(function)
    loops = [x for x in nodes if isinstance(x, ast.For | ast.While)]
    inside = {part for loop in loops for part in walked(loop) if part is not loop}
    outermost = [x for x in loops if x not in inside]
    taken, parts = Taken(scope.identifiers), dict[str, str]()
    headers = (loop for loop in outermost if isinstance(loop, ast.For))
    for node in (x for loop in headers for x in _sources(loop, scope)):
        array = _flattened(node)
        name = taken.new(f"{array.replace('.', '_')}_flat")
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
        self.uses: dict[str, list[ast.AST]] = {}
        for node in own_nodes(scope.function):
            for child in ast.iter_child_nodes(node):
                if isinstance(child, ast.Name):
                    self.uses.setdefault(child.id, []).append(node)

    def elements(
        self, loop: ast.For | ast.While, nodes: Sequence[ast.AST]
    ) -> Iterator[tuple[ast.AST, Change]]:
        """The changes in a loop.

        Args:
            loop: it stands in no other. nodes: of the function, in it.
        """
        made: set[str] = set()
        rows = self._rows(loop, nodes)
        for stmt, (row, array) in rows.items():
            name = self._name(array, flat_rows, _ROWS)
            self._made(loop, name, f"{array}.reshape({array}.shape[0], -1)", made)
            yield stmt, _row_of(name, self._name(row))
        named = {row for row, _ in rows.values()}
        for node in nodes:
            array = _viewed(node)
            if not array or not (array in named or self._keeps(loop, array)):
                continue
            assert isinstance(node, ast.Subscript)
            name = self._name(array)
            if array not in named:
                self._made(loop, name, f"{array}.reshape(-1)", made)
            view = ast.copy_location(ast.Name(name, ast.Load()), node.value)
            yield node.value, always(view)

    def _made(self, loop: ast.stmt, name: str, view: str, made: set[str]) -> None:
        """Put what makes a view in front of a loop, once.

        Args:
            loop: it. name, view: of the view. made: the names that there are there.
        """
        if name not in made:
            made.add(name)
            (stmt,) = ast.parse(f"{name} = {view}").body
            self.inserted.before(loop, placed([stmt], loop, name))
            self.before.append(loop)

    def _rows(
        self, loop: ast.For | ast.While, nodes: Sequence[ast.AST]
    ) -> dict[ast.stmt, tuple[str, str]]:
        """What gives names to parts of arrays that are but used as `v.flat[k]`.

        Args:
            loop: as of ``elements``. nodes: in it.

        Returns:
            The names, and the arrays, by the statements.
        """
        own, found = self.scope, dict[ast.stmt, tuple[str, str]]()
        for node in nodes:
            match node:
                case ast.Assign([ast.Name(row)], ast.Subscript(ast.Name(array), at)):
                    if not isinstance(at, _SEVERAL) and self._keeps(loop, array):
                        found[node] = row, array
        given = [row for row, _ in found.values()]
        known: set[ast.AST] = {*found}
        known |= {x.value for x in nodes if isinstance(x, ast.Subscript) and _viewed(x)}
        return {
            stmt: (row, array)
            for stmt, (row, array) in found.items()
            if row not in own.shared
            and len(own.bindings.get(row, ())) == given.count(row)
            and known.issuperset(self.uses[row])
        }

    def _name(
        self,
        array: str,
        named: Callable[[str, Collection[str]], str] = flat,
        text: str = _VIEW,
    ) -> str:
        """The name of a view of an array.

        Args:
            array: it. named: what makes the name. text: what a nest is given for it.
        """
        key = named(array, ())
        if key not in self.names:
            self.names[key] = named(array, {*self.taken, *self.parts})
            self.parts[self.names[key]] = text.format(array=array)
        return self.names[key]

    def _keeps(self, loop: ast.For | ast.While, array: str) -> bool:
        """Whether a name is a variable that only the function sees, and a loop keeps.

        Args:
            loop: it. array: the name.
        """
        scope = self.scope
        own = array in scope.bindings and array not in scope.shared
        return own and not scope.wild and array not in {*bound_names(own_nodes(loop))}


def _row_of(view: str, name: str) -> Change:
    """The change of what gives a part of an array a name.

    Args:
        view: the name of that in which it is a row. name: that of the row.
    """

    def change(node: ast.AST) -> ast.AST:
        assert isinstance(node, ast.Assign)
        (target,), whole = node.targets, node.value
        assert isinstance(whole, ast.Subscript)
        base = ast.copy_location(ast.Name(view, ast.Load()), whole.value)
        row = ast.Subscript(base, whole.slice, ast.Load())
        left = ast.copy_location(ast.Name(name, ast.Store()), target)
        made = ast.Assign([left], ast.copy_location(row, whole))
        return ast.copy_location(made, node)

    return change


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
