"""Statements on slices of arrays, spelled as loops over their elements.

``A[i, 1:-1] = B[i, 1:-1] + c`` is ``for ax0 in range(1, A.shape[1] - 1)`` around
``A[i, ax0] = B[i, ax0] + c``, where some conditions hold on the loop: no bound is
beyond the start of its axis, the extents agree, and no element is written before
another one needs it, as NumPy evaluates all of the right side first. Where one of them
does not hold Python runs the statement. Bounds beyond the end, and numbers beyond
either, are those of elements outside of the array.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from looptx.model.naming import free
from looptx.model.trees import dotted
from looptx.source.ast_tools import walked
from looptx.source.names.imports import own_nodes
from looptx.source.names.scope import Function, Scope
from looptx.source.names.subscripts import index_list, may_be_number
from looptx.source.spelling.edits import Change, elementwise, module
from looptx.source.text.functions import functions

_OPERATIONS = (ast.Add, ast.Sub, ast.Mult, ast.Div)
"""What NumPy computes of arrays as it does of their elements, to the last bit."""

_FUNCTIONS = frozenset(("numpy.sqrt", "numpy.abs", "numpy.absolute", "numpy.fabs"))


def with_slices(tree: ast.Module, known: Mapping[str, str]) -> ast.Module:
    """A tree whose loops have statements on elements in place of those on slices.

    Args:
        tree: the module's. known: what its names mean.
    """
    if not any(map(_is_candidate, walked(tree))):
        return tree
    changes: dict[ast.AST, Change] = {}
    for found in functions(tree, "", known, known):
        if any(map(_is_candidate, own_nodes(found.node))):
            changes.update(_Function(found.node, found.outer).changes())
    return module(tree, changes)


def _target(node: ast.AST) -> ast.Subscript | None:
    """The slice that a statement assigns, if it does so with one."""
    match node:
        case ast.Assign([ast.Subscript() as target]) | ast.AugAssign(
            ast.Subscript() as target
        ):
            if any(isinstance(x, ast.Slice) for x in index_list(target)):
                return target
    return None


def _is_candidate(node: ast.AST) -> bool:
    """Whether a statement assigns a slice."""
    return _target(node) is not None


@dataclass(frozen=True)
class _Axis:
    """The positions of a subscript on an axis: all from a start to a stop.

    Attributes:
        start, stop: as Python. plain: whether it is one number.
    """

    start: str
    stop: str
    plain: bool = False


class _Unlike(Exception):
    """A statement is none on elements, as far as its text says."""


class _Function:
    """Respells the statements of one function."""

    def __init__(self, node: Function, outer: Mapping[str, str]) -> None:
        self.scope = Scope(node, outer)
        self.node = node
        nodes = walked(node)
        self.arrays = {
            dotted(x.value) for x in nodes if isinstance(x, ast.Subscript)
        } - {""}

    def changes(self) -> Iterator[tuple[ast.AST, Change]]:
        """What the statements in loops become."""
        if self.scope.hides("range") or self.scope.wild:
            return
        inside = {
            part
            for loop in own_nodes(self.node)
            if self.scope.is_range_loop(loop) and isinstance(loop, ast.For)
            for stmt in loop.body
            for part in own_nodes(stmt)
        }
        for stmt in own_nodes(self.node):
            if stmt in inside and isinstance(stmt, ast.Assign | ast.AugAssign):
                target = _target(stmt)
                if target is None:
                    continue
                try:
                    made = _Statement(self, stmt, target).loops()
                except _Unlike:
                    continue
                yield stmt, lambda _, made=made: made  # type: ignore[misc]


class _Statement:
    """One statement, while it is respelled.

    Args:
        function: where it stands. stmt: the statement. target: the slice it assigns.
    """

    def __init__(
        self,
        function: _Function,
        stmt: ast.Assign | ast.AugAssign,
        target: ast.Subscript,
    ) -> None:
        self.function = function
        self.stmt = stmt
        self.target = target
        self.base = dotted(target.value)
        self.conditions: dict[str, None] = {}
        self.axes = self._axes(target)
        self.slices = [axis for axis in self.axes if not axis.plain]
        taken = {*function.scope.identifiers}
        self.counters = [free(f"ax{at}", taken) for at in range(len(self.slices))]

    def loops(self) -> ast.For:
        """The loops over its elements."""
        stmt = self.stmt
        value = self._element(stmt.value)
        cell = self._cell(self.axes)
        cell.ctx = ast.Store()
        ast.copy_location(cell, self.target)
        made: ast.stmt
        if isinstance(stmt, ast.Assign):
            made = ast.Assign([cell], value)
        else:
            made = ast.AugAssign(cell, stmt.op, value)
            if not isinstance(stmt.op, _OPERATIONS):
                raise _Unlike
        made = elementwise(ast.copy_location(made, stmt), ())
        conditions = [self._expr(text) for text in self.conditions]
        for counter, axis in reversed([*zip(self.counters, self.slices, strict=True)]):
            numbers = axis.stop if axis.start == "0" else f"{axis.start}, {axis.stop}"
            loop = ast.For(
                ast.copy_location(ast.Name(counter, ast.Store()), self.target),
                self._expr(f"range({numbers})"),
                [made],
                [],
            )
            first = counter == self.counters[0]
            made = elementwise(
                ast.copy_location(loop, stmt), conditions if first else ()
            )
        assert isinstance(made, ast.For)
        return made

    def _expr(self, text: str) -> ast.expr:
        """An expression in the place of the slice that is assigned."""
        found = ast.parse(text, mode="eval").body
        for node in ast.walk(found):
            if isinstance(node, ast.expr):
                ast.copy_location(node, self.target)
        return found

    def _axes(self, node: ast.Subscript) -> list[_Axis]:
        """The positions of a subscript, and what they need."""
        array = dotted(node.value)
        if not array:
            raise _Unlike
        return [
            self._axis(array, at, index) for at, index in enumerate(index_list(node))
        ]

    def _axis(self, array: str, at: int, index: ast.expr) -> _Axis:
        extent = f"{array}.shape[{at}]"
        if not isinstance(index, ast.Slice):
            if not may_be_number(index):
                raise _Unlike
            place = self._bound(index, extent)
            self._need(f"0 <= {place}", f"{place} < {extent}")
            return _Axis(place, f"{place} + 1", plain=True)
        if index.step is not None and not _is_one(index.step):
            raise _Unlike
        start = "0" if index.lower is None else self._bound(index.lower, extent)
        stop = extent if index.upper is None else self._bound(index.upper, extent)
        self._need(f"0 <= {start}")
        if index.upper is not None and not stop.startswith(extent):
            self._need(f"0 <= {stop}")
        return _Axis(start, stop)

    def _bound(self, node: ast.expr, extent: str) -> str:
        """A bound or number; literals that count from the end do so from the start."""
        match node:
            case ast.UnaryOp(ast.USub(), ast.Constant(int(value))):
                if type(value) is int and value > 0:
                    return f"{extent} - {value}"
        for part in ast.walk(node):
            if not isinstance(part, _PLAIN) or dotted(part) in self.function.arrays:
                raise _Unlike
            if isinstance(part, ast.Constant) and type(part.value) is not int:
                raise _Unlike
        text = ast.unparse(node)
        return text if isinstance(node, ast.Name | ast.Constant) else f"({text})"

    def _need(self, *texts: str) -> None:
        self.conditions.update(dict.fromkeys(texts))

    def _cell(self, axes: Sequence[_Axis], array: str = "") -> ast.Subscript:
        """The element of a subscript in the innermost loop."""
        first = len(self.slices) - sum(not axis.plain for axis in axes)
        own = [*zip(self.counters, self.slices, strict=True)][first:]
        places, left = [], iter(own)
        for axis in axes:
            if axis.plain:
                places.append(axis.start)
                continue
            counter, other = next(left)
            same = axis.start == other.start
            start = "" if axis.start == "0" else f" + {axis.start}"
            back = "" if other.start == "0" else f" - ({other.start})"
            places.append(counter if same else f"{counter}{back}{start}")
        cell = self._expr(f"{array or self.base}[{', '.join(places)}]")
        assert isinstance(cell, ast.Subscript)
        return cell

    def _element(self, node: ast.expr) -> ast.expr:
        """What a part of the right side is of one element."""
        match node:
            case ast.Constant(value=value) if type(value) in (int, float):
                return node
            case ast.Name(name):
                if name in self.function.arrays:
                    raise _Unlike
                return node
            case ast.UnaryOp(ast.USub(), operand):
                made: ast.expr = ast.UnaryOp(node.op, self._element(operand))
            case ast.BinOp(left, op, right) if isinstance(op, _OPERATIONS):
                made = ast.BinOp(self._element(left), op, self._element(right))
            case ast.Call(function, [value], []):
                if self.function.scope.resolve(function) not in _FUNCTIONS:
                    raise _Unlike
                made = ast.Call(function, [self._element(value)], [])
            case ast.Subscript():
                made = self._read(node)
            case _:
                raise _Unlike
        return ast.copy_location(made, node)

    def _read(self, node: ast.Subscript) -> ast.expr:
        """The element of an operand."""
        axes = self._axes(node)
        array = dotted(node.value)
        slices = [axis for axis in axes if not axis.plain]
        if len(slices) > len(self.slices):
            raise _Unlike
        own = self.slices[len(self.slices) - len(slices) :]
        for axis, other in zip(slices, own, strict=True):
            ours = f"{other.stop} - ({other.start})"
            theirs = f"{axis.stop} - ({axis.start})"
            self._need(f"{ours} == {theirs}")
        if array == self.base:
            self._need(self._apart(axes, slices))
        return self._cell(axes, array)

    def _apart(self, axes: Sequence[_Axis], slices: Sequence[_Axis]) -> str:
        """Where no element is written before another one needs it."""
        if len(axes) != len(self.axes):
            raise _Unlike
        pairs = [*zip(self.axes, axes, strict=True)]
        kinds = [one.plain for one in self.axes] == [one.plain for one in axes]
        cases = []
        if kinds:
            starts = [f"{a.start} == {b.start}" for a, b in pairs if not a.plain]
            cases.append(f"({' and '.join(starts)})")
        for one, other in pairs:
            cases.append(f"{one.stop} <= {other.start}")
            cases.append(f"{other.stop} <= {one.start}")
        return " or ".join(cases)


_PLAIN = (
    ast.Name,
    ast.Constant,
    ast.BinOp,
    ast.UnaryOp,
    ast.Add,
    ast.Sub,
    ast.Mult,
    ast.USub,
    ast.expr_context,
)


def _is_one(step: ast.expr) -> bool:
    """Whether a step is that of a slice without one."""
    return isinstance(step, ast.Constant) and step.value == 1
