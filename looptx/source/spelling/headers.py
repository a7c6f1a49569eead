"""Loops over the elements of arrays, spelled as loops over their indices.

An array does not change its length while a loop goes through it, and each of its
elements is read where its iteration begins.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from looptx.model.naming import COUNTED, free
from looptx.model.trees import dotted
from looptx.source.ast_tools import walked
from looptx.source.names.imports import own_nodes
from looptx.source.names.scope import Function, Scope
from looptx.source.names.subscripts import index_list, may_be_number
from looptx.source.spelling.arrays import is_array
from looptx.source.spelling.edits import AXIS, HEADER, Change, marked, module, placed
from looptx.source.text.functions import functions


def with_indices(tree: ast.Module, known: Mapping[str, str]) -> ast.Module:
    """A tree whose loops over elements of arrays are loops over indices.

    Args:
        tree: the module's. known: what its names mean.
    """
    if not any(map(_is_candidate, walked(tree))):
        return tree
    changes: dict[ast.AST, Change] = {}
    for found in functions(tree, "", known, known):
        own = own_nodes(found.node)
        loops = [x for x in own if isinstance(x, ast.For) and _is_candidate(x)]
        if loops:
            changes.update(_Function(found.node, found.outer).changes(loops))
    return module(tree, changes)


def _is_candidate(node: ast.AST) -> bool:
    """Whether a statement is a loop that may be over elements."""
    match node:
        case ast.For(iter=ast.Call(ast.Name("range"))):
            return False
    return isinstance(node, ast.For)


@dataclass(frozen=True)
class _Header:
    """What a loop goes through, several arrays side by side.

    Attributes:
        arrays: the arrays. elements: the targets of their elements.
        index: the target of the number of the iteration, if there is one.
        first: the first of these numbers.
    """

    arrays: Sequence[ast.expr]
    elements: Sequence[ast.Name]
    index: ast.Name | None = None
    first: int = 0

    @property
    def targets(self) -> Sequence[ast.Name]:
        """All targets, in the order of the source."""
        return [*([self.index] if self.index else []), *self.elements]


class _Function:
    """Respells the loops of one function."""

    def __init__(self, node: Function, outer: Mapping[str, str]) -> None:
        self.scope = Scope(node, outer)
        self.nodes = walked(node)
        self.taken = set(self.scope.identifiers)

    def changes(self, loops: Iterable[ast.For]) -> Iterator[tuple[ast.AST, Change]]:
        """What the loops become."""
        if any(map(self.scope.hides, COUNTED)):
            return
        for loop in loops:
            header = self._header(loop.target, loop.iter)
            if header is not None:
                if self._fits(loop, header):
                    yield loop, self._over_elements(loop, header)
            elif (sizes := self._sizes(loop)) and isinstance(loop.target, ast.Tuple):
                yield loop, self._over_cells(loop, loop.target.elts, sizes)

    def _header(self, target: ast.expr, source: ast.expr) -> _Header | None:
        """What a loop goes through, if that may be arrays."""
        called = ""
        if isinstance(source, ast.Call):
            called = self.scope.resolve(source.func)
        match target, source:
            case ast.Name(), ast.Name() | ast.Attribute() if dotted(source):
                return _Header([source], [target])
            case ast.Tuple([ast.Name() as index, inner]), ast.Call(args=[of, *start]):
                first = _start(start, source.keywords)
                if called == "builtins.enumerate" and first is not None:
                    found = self._header(inner, of)
                    if found is None or found.index is not None:
                        return None
                    return _Header(found.arrays, found.elements, index, first)
        match target, source:
            case (
                ast.Tuple([_, *_] as targets),
                ast.Call(
                    args=arrays,
                    keywords=[] | [ast.keyword("strict", ast.Constant(False))],
                ),
            ):
                names = [one for one in targets if isinstance(one, ast.Name)]
                whole = [one for one in arrays if dotted(one)]
                same = len(names) == len(targets) == len(arrays) == len(whole)
                if called == "builtins.zip" and same:
                    return _Header(whole, names)
        return None

    def _fits(self, loop: ast.For, header: _Header) -> bool:
        """Whether a loop may be over arrays, and is not better left as it is."""
        names = [one.id for one in header.targets]
        arrays = [dotted(one) for one in header.arrays]
        if len({*names, *arrays}) < len(names) + len({*arrays}):
            return False
        told = [is_array(array, self.scope, self.nodes) for array in arrays]
        # Of a list the loops inside would still be those of arrays.
        inside = (x for one in loop.body for x in walked(one))
        inner = any(map(self.scope.is_range_loop, inside))
        return False not in told and (not inner or True in told)

    def _over_elements(self, loop: ast.For, header: _Header) -> Change:
        """The loop over the indices of arrays."""
        lengths = [f"len({ast.unparse(one)})" for one in header.arrays]
        stop = lengths[0] if len(lengths) == 1 else f"min({', '.join(lengths)})"
        index = header.index
        if index is None or self._is_assigned(index.id, loop):
            counter = free(f"i{header.elements[0].id}", self.taken)
            self.taken.add(counter)
        else:
            counter = index.id
        first = header.first
        numbers = f"{first}, {stop} + {first}" if first > 0 else stop
        at = f"{counter} - {first}" if first > 0 else counter
        texts = [
            (one, f"{one.id} = {ast.unparse(array)}[{at}]")
            for one, array in zip(header.elements, header.arrays, strict=True)
            if self._is_used(one.id)
        ]
        if index is not None and counter != index.id:
            texts.insert(0, (index, f"{index.id} = {counter}"))
        lines = [placed(text, target) for target, text in texts]
        target = ast.copy_location(ast.Name(counter, ast.Store()), loop.target)
        source = _source(f"range({numbers})", loop.iter)

        def change(node: ast.AST) -> ast.AST:
            assert isinstance(node, ast.For)
            body = [*lines, *node.body]
            made = ast.For(target, source, body, node.orelse)
            return marked(ast.copy_location(made, node), HEADER)

        return change

    def _is_used(self, name: str) -> bool:
        """Whether a function reads a name, or others may."""
        read = any(
            isinstance(x, ast.Name) and x.id == name and isinstance(x.ctx, ast.Load)
            for x in self.nodes
        )
        return read or self.scope.wild or name in self.scope.shared

    def _is_assigned(self, name: str, loop: ast.For) -> bool:
        """Whether the body of a loop assigns a name."""
        return any(
            isinstance(x, ast.Name) and x.id == name and not isinstance(x.ctx, ast.Load)
            for stmt in loop.body
            for x in walked(stmt)
        )

    def _sizes(self, loop: ast.For) -> list[str]:
        """The extents that ``np.ndindex`` counts through, if a loop nest does, too."""
        match loop.target, loop.iter:
            case ast.Tuple(targets), ast.Call(function, args, []):
                pass
            case _:
                return []
        names = {one.id for one in targets if isinstance(one, ast.Name)}
        if (
            self.scope.resolve(function) != "numpy.ndindex"
            or loop.orelse
            or len(names) < len(targets)
            or not all(map(self._only_in_loops, names))
            or any(isinstance(x, ast.Break) for s in loop.body for x in walked(s))
        ):
            return []
        match args:
            case [ast.Tuple(elts)]:
                args = elts
            case [
                ast.Attribute(array, "shape")
                | ast.Starred(ast.Attribute(array, "shape"))
            ]:
                text, axes = ast.unparse(array), len(targets)
                if dotted(array) and self._has_axes(text, axes):
                    return [f"{text}.shape[{axis}]" for axis in range(axes)]
                return []
        plain = len(args) == len(targets) and all(map(self._is_size, args))
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

    def _over_cells(
        self, loop: ast.For, targets: Sequence[ast.expr], sizes: Sequence[str]
    ) -> Change:
        """The loops over all axes of ``np.ndindex``."""
        sources = [_source(f"range({size})", loop.iter) for size in sizes]

        def change(node: ast.AST) -> ast.AST:
            assert isinstance(node, ast.For)
            body = node.body
            for target, source in reversed([*zip(targets, sources, strict=True)]):
                first = target is targets[0]
                text = HEADER if first else AXIS
                inner = marked(ast.For(target, source, body, []), text)
                place = node if first else target
                body = [_until(ast.copy_location(inner, place), node)]
            return body[0]

        return change


def _start(given: list[ast.expr], keywords: list[ast.keyword]) -> int | None:
    """The first number of an ``enumerate``, where it is a literal of at least 0."""
    if keywords:
        match given, keywords:
            case [], [ast.keyword("start", value)]:
                given = [value]
            case _:
                return None
    match given:
        case []:
            return 0
        case [ast.Constant(int(first))] if type(first) is int:
            return first
    return None


def _until(node: ast.For, last: ast.For) -> ast.For:
    """A statement that ends where another one does."""
    node.end_lineno, node.end_col_offset = last.end_lineno, last.end_col_offset
    return node


def _source(text: str, place: ast.expr) -> ast.expr:
    """An expression in the place of another one."""
    found = ast.parse(text, mode="eval").body
    for node in ast.walk(found):
        if isinstance(node, ast.expr):
            ast.copy_location(node, place)
    return found
