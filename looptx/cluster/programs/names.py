"""The names in the text of a task: parameters for what it reads from outside."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from looptx.model.expr import IntExpr
from looptx.model.naming import free
from looptx.model.records import dataclass, field, replace
from looptx.model.shapes import axis_of
from looptx.model.trees import dotted


@dataclass(frozen=True, slots=True)
class Given:
    """What a task's function is given in the place of an array.

    Attributes:
        name: of the parameter.
        origin: for each axis the parameter that says where the window begins, or ""
            where it holds all of the axis.
        extents: the parameters that say how long the whole array is, by axis.
        rows: whether parts of it are used as arrays: NumPy computes with these as they
            lie in memory, so the window is all of the array, and lies as it does.
    """

    name: str
    origin: tuple[str, ...]
    extents: Mapping[int, str]
    rows: bool = False


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is known of a part when its text is written.

    Attributes:
        name: of the function.
        arrays: the arrays from outside of the part, with how many axes they have.
        whole: for each the axes of which any cell may be touched.
        results: the scalars that it returns. starts: those that it is given.
        lowest: for each axis of an array where what is touched begins: each a bound.
        fastmath: levels of inexact arithmetic.
    """

    name: str
    arrays: Mapping[str, int]
    whole: Mapping[str, frozenset[int]]
    results: tuple[str, ...] = ()
    starts: tuple[str, ...] = ()
    lowest: Mapping[str, Sequence[Sequence[IntExpr]]] = field(default_factory=dict)
    fastmath: tuple[str, ...] = ()


def _subscripts(node: ast.expr) -> tuple[ast.expr, list[ast.Subscript]]:
    """What is subscripted, and the subscripts around it from the first on."""
    found: list[ast.Subscript] = []
    while isinstance(node, ast.Subscript):
        found.insert(0, node)
        node = node.value
    return node, found


def _indices(found: Sequence[ast.Subscript]) -> list[ast.expr] | None:
    """The indices of some subscripts, if each is that of an axis."""
    indices: list[ast.expr] = []
    for one in found:
        inside = one.slice
        indices += inside.elts if isinstance(inside, ast.Tuple) else [inside]
    special = ast.Slice | ast.Starred | ast.Constant
    for index in indices:
        number = isinstance(index, ast.Constant) and isinstance(index.value, int)
        if isinstance(index, special) and not number:
            return None
    return indices


def shifted(body: Sequence[ast.stmt], wanted: Wanted) -> dict[str, frozenset[int]]:
    """The axes of arrays that are counted from a window's first cell.

    Those of which each use is an element, and whose subscripts are known.
    """
    axes: dict[str, frozenset[int]] = {}

    def visit(node: ast.AST) -> None:
        match node:
            case ast.Attribute(array, "shape" | "dtype" | "ndim") if (
                dotted(array) in wanted.arrays
            ):
                return
        if isinstance(node, ast.Subscript):
            base, found = _subscripts(node)
            name = dotted(base)
            if name in wanted.arrays:
                indices = _indices(found)
                use(name, range(len(indices)) if indices is not None else ())
                for one in found:
                    visit(one.slice)
                return
        if isinstance(node, ast.Name | ast.Attribute):
            name = dotted(node)
            if name in wanted.arrays:
                use(name, ())
                return
        for child in ast.iter_child_nodes(node):
            visit(child)

    def use(name: str, own: Sequence[int]) -> None:
        known = axes.get(name)
        axes[name] = frozenset(own) if known is None else known.intersection(own)

    for stmt in body:
        visit(stmt)
    every = {name: {*range(count)} for name, count in wanted.arrays.items()}
    found = {
        name: own - wanted.whole[name]
        for name, own in axes.items()
        if own == every[name]
    }
    # Of an array that is only asked for its extents nothing has to be there.
    return {**{x: frozenset(every[x]) for x in every.keys() - axes.keys()}, **found}


class Names(ast.NodeTransformer):
    """Puts parameters in the place of what a part reads from outside.

    Args:
        wanted: what is known of the part.
        live: the values from outside that are no arrays, by how they are written.
        taken: names that parameters must not have.
        shifted: the axes of arrays that are counted from a window's first cell.
    """

    def __init__(
        self,
        wanted: Wanted,
        live: Mapping[str, str],
        taken: set[str],
        shifted: Mapping[str, frozenset[int]],
    ) -> None:
        self.wanted = wanted
        self.live = live
        self.taken = taken
        self.shifted = shifted
        self.values: dict[str, str] = {}
        self.given: dict[str, Given] = {}

    def _new(self, stem: str) -> str:
        name = free(stem, self.taken)
        self.taken.add(name)
        return name

    def _array(self, name: str) -> Given:
        known = self.given.get(name)
        if known is None:
            plain = name.isidentifier()
            own = name if plain else self._new(name.replace(".", "_"))
            shifted = self.shifted.get(name, frozenset[int]())
            axes = range(self.wanted.arrays[name])
            origin = tuple(
                self._new(f"{own}_{x}") if x in shifted else "" for x in axes
            )
            rows = name not in self.shifted
            known = self.given[name] = Given(own, origin, {}, rows)
        return known

    def integer(self, text: str) -> str:
        """What stands for an integer of the nest, if anything does."""
        found = axis_of(text)
        if found is not None:
            own = self.given.get(found[0])
            return own.extents.get(found[1], "") if own is not None else ""
        return self.values.get(text, text)

    def _extent(self, name: str, axis: int) -> ast.expr:
        """The length of an array along an axis."""
        own = self._array(name)
        axis %= self.wanted.arrays[name]
        if not own.origin[axis]:
            return ast.parse(f"{own.name}.shape[{axis}]", mode="eval").body
        if axis not in own.extents:
            more = {**own.extents, axis: self._new(f"{own.name}_size{axis}")}
            own = self.given[name] = replace(own, extents=more)
        return ast.Name(own.extents[axis], ast.Load())

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        """An element, or the length of an axis."""
        match node:
            case ast.Subscript(
                ast.Attribute(array, "shape"),
                ast.Constant(int(axis))
                | ast.UnaryOp(ast.USub(), ast.Constant(int(axis))),
            ) if dotted(array) in self.wanted.arrays:
                back = isinstance(node.slice, ast.UnaryOp)
                return self._extent(dotted(array), -axis if back else axis)
        base, found = _subscripts(node)
        name = dotted(base)
        if name not in self.wanted.arrays:
            return self.generic_visit(node)
        own, axis = self._array(name), 0
        value: ast.expr = ast.Name(own.name, ast.Load())
        for one in found:
            inside = one.slice
            parts = inside.elts if isinstance(inside, ast.Tuple) else [inside]
            moved = [self._moved(x, own, axis + at) for at, x in enumerate(parts)]
            axis += len(parts)
            index = moved[0] if len(moved) == 1 else ast.Tuple(moved, ast.Load())
            value = ast.Subscript(value, index, one.ctx)
        return ast.copy_location(value, node)

    def _moved(self, index: ast.expr, own: Given, axis: int) -> ast.expr:
        """An index of an array, from the first cell of its window."""
        index = self.visit(index)
        if axis < len(own.origin) and own.origin[axis]:
            name = ast.Name(own.origin[axis], ast.Load())
            index = ast.BinOp(index, ast.Sub(), name)
        return index

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """The length of an array."""
        match node:
            case ast.Call(ast.Name("len"), [array], []) if (
                dotted(array) in self.wanted.arrays
            ):
                return self._extent(dotted(array), 0)
        return self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """What stands for a member of an object."""
        return self._named(node) or self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """What stands for a name."""
        return self._named(node) or node

    def _named(self, node: ast.Attribute | ast.Name) -> ast.expr | None:
        """What stands for an array or a value from outside."""
        name = dotted(node)
        if name in self.wanted.arrays:
            own = self._array(name).name
        elif name in self.live:
            known = self.live[name]
            plain = isinstance(node, ast.Name)
            if known not in self.values:
                new = name if plain else self._new(name.replace(".", "_"))
                self.values[known] = new
            own = self.values[known]
        else:
            return None
        return ast.copy_location(ast.Name(own, node.ctx), node)
