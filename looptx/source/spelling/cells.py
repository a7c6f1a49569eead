"""Loops over all cells of arrays, spelled as loops over their axes."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from looptx.model.records import dataclass
from looptx.model.trees import dotted
from looptx.source.ast_tools import walked
from looptx.source.names.scope import Scope
from looptx.source.names.subscripts import index_list, may_be_number
from looptx.source.spelling.edits import AXIS, HEADER, Change, marked, placed


@dataclass(frozen=True)
class _Cells:
    """The cells that a loop goes through.

    Attributes:
        targets: of the subscripts. sizes: the extents.
        lines: what stands first in the body.
    """

    targets: Sequence[ast.expr]
    sizes: Sequence[str]
    lines: Sequence[ast.stmt]


class Cells:
    """The loops of a function over ``np.ndindex`` and ``np.ndenumerate``.

    Args:
        scope: of the function. nodes: all of it.
    """

    def __init__(self, scope: Scope, nodes: Sequence[ast.AST]) -> None:
        self.scope = scope
        self.nodes = nodes

    def change(self, loop: ast.For) -> Change | None:
        """What a loop becomes, if it is one of these."""
        found = self._cells(loop)
        return None if found is None else self._over_cells(loop, found)

    def _cells(self, loop: ast.For) -> _Cells | None:
        """What ``np.ndindex`` or ``np.ndenumerate`` goes through."""
        called = ""
        if isinstance(loop.iter, ast.Call):
            called = self.scope.resolve(loop.iter.func)
        lines: Sequence[ast.stmt] = ()
        match loop.target, loop.iter:
            case ast.Tuple(targets), ast.Call(_, args, []) if called == "numpy.ndindex":
                sizes = self._sizes(args, len(targets))
            case (
                ast.Tuple([ast.Tuple(targets), ast.Name(name) as value]),
                ast.Call(_, [array], []),
            ) if called == "numpy.ndenumerate" and dotted(array):
                text, axes = ast.unparse(array), len(targets)
                sizes = [f"{text}.shape[{axis}]" for axis in range(axes)]
                at = ", ".join(map(ast.unparse, targets))
                lines = [placed(f"{name} = {text}[{at}]", value)]
            case _:
                return None
        names = {one.id for one in targets if isinstance(one, ast.Name)}
        inside = (*lines, *loop.body)
        if (
            not sizes
            or loop.orelse
            or len(names) < len(targets)
            or not all(map(self._only_in_loops, names))
            or any(isinstance(x, ast.Break) for s in loop.body for x in walked(s))
            or (lines and any(names.intersection(bound_in(x)) for x in inside))
        ):
            return None
        return _Cells(targets, sizes, lines)

    def _sizes(self, args: Sequence[ast.expr], axes: int) -> list[str]:
        """The extents of the arguments of ``np.ndindex``, if they surely are some."""
        match args:
            case [ast.Tuple(elts)]:
                args = elts
            case [
                ast.Attribute(array, "shape")
                | ast.Starred(ast.Attribute(array, "shape"))
            ]:
                text = ast.unparse(array)
                if dotted(array) and self._has_axes(text, axes):
                    return [f"{text}.shape[{axis}]" for axis in range(axes)]
                return []
        plain = len(args) == axes and all(map(self._is_size, args))
        return [*map(ast.unparse, args)] if plain else []

    def _is_size(self, node: ast.expr) -> bool:
        """Whether a number is an extent; others may be negative, which is an error."""
        match node:
            case ast.Constant(int(value)):
                return type(value) is int and value >= 0
            case ast.Subscript(ast.Attribute(attr="shape")):
                return True
            case ast.Call(function, [_], []):
                return self.scope.resolve(function) == "builtins.len"
            case ast.Name(name):
                known = self.scope.bindings.get(name, [])
                return bool(known) and all(
                    one.kind == "value"
                    and one.value is not None
                    and not isinstance(one.value, ast.Name)
                    and self._is_size(one.value)
                    for one in known
                )
        return False

    def _has_axes(self, array: str, count: int) -> bool:
        """Whether an array has elements of so many subscripts."""
        return any(
            isinstance(node, ast.Subscript)
            and dotted(node.value) == array
            and len(index_list(node)) == count
            and all(map(may_be_number, index_list(node)))
            for node in self.nodes
        )

    def _only_in_loops(self, name: str) -> bool:
        """Whether a name is read only in loops of which it is a variable."""
        inside = {
            part
            for node in self.nodes
            if isinstance(node, ast.For)
            if any(
                isinstance(x, ast.Name) and x.id == name for x in walked(node.target)
            )
            for stmt in node.body
            for part in walked(stmt)
        }
        others = (x for x in self.nodes if isinstance(x, ast.Name) and x.id == name)
        read = all(x in inside or isinstance(x.ctx, ast.Store) for x in others)
        return read and not self.scope.wild and name not in self.scope.shared

    def _over_cells(self, loop: ast.For, cells: _Cells) -> Change:
        """The loops over all axes."""
        targets = cells.targets
        sources = [sourced(f"range({size})", loop.iter) for size in cells.sizes]

        def change(node: ast.AST) -> ast.AST:
            assert isinstance(node, ast.For)
            body = [*cells.lines, *node.body]
            for target, source in reversed([*zip(targets, sources, strict=True)]):
                first = target is targets[0]
                text = HEADER if first else AXIS
                inner = marked(ast.For(target, source, body, []), text)
                place = node if first else target
                body = [_until(ast.copy_location(inner, place), node)]
            return body[0]

        return change


def bound_in(stmt: ast.AST) -> Iterator[str]:
    """The names that a statement, or a target, may give other values."""
    for node in walked(stmt):
        if isinstance(node, ast.Name | ast.Attribute):
            name = "" if isinstance(node.ctx, ast.Load) else dotted(node)
            yield from filter(None, (name,))


def is_used(name: str, scope: Scope, nodes: Sequence[ast.AST]) -> bool:
    """Whether a function reads a name, or others may.

    Args:
        name: the name. scope: of the function. nodes: all of it.
    """
    read = any(
        isinstance(x, ast.Name) and x.id == name and isinstance(x.ctx, ast.Load)
        for x in nodes
    )
    return read or scope.wild or name in scope.shared


def _until(node: ast.For, last: ast.For) -> ast.For:
    """A statement that ends where another one does."""
    node.end_lineno, node.end_col_offset = last.end_lineno, last.end_col_offset
    return node


def sourced(text: str, place: ast.expr) -> ast.expr:
    """An expression in the place of another one."""
    found = ast.parse(text, mode="eval").body
    for node in ast.walk(found):
        if isinstance(node, ast.expr):
            ast.copy_location(node, place)
    return found
