"""Elements that are assigned where a mask tells them, as all elements.

``x[x < 0] = 0.0`` is ``x[:] = np.where(x < 0, 0.0, x)``, where the mask has the shape
of the array. What is no plain number is made one of the array's type first, ``value[:]
= s``, as NumPy does it whether or not an element is assigned.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Mapping

from looptx.source.names.imports import own_nodes
from looptx.source.names.scope import Function, Scope
from looptx.source.spelling.edits import Change, Changes, always, spelling
from looptx.source.spelling.inserted import placed
from looptx.source.spelling.whole.maker import Known, target
from looptx.source.spelling.whole.reading.along import along
from looptx.source.spelling.whole.reading.axes import Unlike
from looptx.source.spelling.whole.reading.extents import Extents
from looptx.source.spelling.whole.reading.operations import outer, tells
from looptx.source.spelling.whole.reading.singles import TakenOut

_EVERYWHERE = 127
"""The largest integer that all types of integers have."""

_SUMS = (ast.Add, ast.Sub)
"""What rounds the same however NumPy goes through complex numbers."""

_EXACT = 2048
"""Integers up to that are floats of any type, exactly."""


@spelling(lambda node: isinstance(node, ast.Assign | ast.AugAssign) and _part(node))
def with_assigned(function: Function, scope: Scope, axes: Mapping[str, int]) -> Changes:
    """Nothing is assigned to what a mask tells.

    Args:
        function: it. scope: its names.
        axes: how many arguments have, where no text says so.
    """
    return _Function(function, scope, axes).changes()


def _part(stmt: ast.Assign | ast.AugAssign) -> ast.Subscript | None:
    """What a statement assigns, if that may be what a mask tells."""
    match target(stmt):
        case ast.Subscript(ast.Name(), mask) as one if not isinstance(
            mask, ast.Slice | ast.Tuple | ast.Constant
        ):
            return one
    return None


class _Function:
    """Respells what one function assigns."""

    def __init__(
        self, function: Function, scope: Scope, axes: Mapping[str, int]
    ) -> None:
        self.function = function
        self.scope = scope
        self.known = Known.of(function, scope, axes)
        self.extents = Extents(scope, self.known.ranks, self.known.numpy)

    def changes(self) -> Iterator[tuple[ast.AST, Change]]:
        """What the statements become."""
        if self.scope.wild or self.scope.hides("range") or not self.known.numpy:
            return
        for node in own_nodes(self.function):
            if not isinstance(node, ast.Assign | ast.AugAssign):
                continue
            part = _part(node) if target(node) else None
            alone = isinstance(node, ast.AugAssign) or len(node.targets) == 1
            if part is not None and alone and self._is_mask(part):
                try:
                    lines = self._lines(copy.deepcopy(node), part)
                except Unlike:
                    continue
                yield node, always(placed(lines, node, self.known.taken.again("once")))

    def _is_mask(self, part: ast.Subscript) -> bool:
        """Whether a subscript tells of each element of an array."""
        assert isinstance(part.value, ast.Name)
        array, scope = part.value.id, self.scope
        if array in scope.shared or len(scope.bindings.get(array, ())) > 1:
            return False
        rank = self.known.ranks.get(array, 0)
        try:
            found = self.extents.of(part.slice)
        except Unlike:
            return False
        if not 0 < rank == len(found) or not tells(part.slice, scope):
            return False
        # One position stands for all others of an array, but not of what it masks.
        single = {f"{name}.shape[{at}]" for name, at in self.known.ranks.single}
        wide = self.known.ranks.wide
        return not any(
            text == "1" or (text in single and (array, at) in wide)
            for at, text in enumerate(found)
        )

    def _lines(
        self, stmt: ast.Assign | ast.AugAssign, part: ast.Subscript
    ) -> list[ast.stmt]:
        """The statements on all elements.

        Args:
            stmt: the statement, as nothing else has it. part: what it assigns.

        Raises:
            Unlike: what it assigns is not known to be a number, or such elements.
        """
        array = ast.Name(ast.unparse(part.value), ast.Load())
        taken = TakenOut(self.scope, self.known.taken.again)
        value = taken.number(stmt.value)
        self._fits(copy.deepcopy(value), part)
        value = _Whole(part).visit(value)
        if any(self.scope.runs_other_code(x) for x in ast.walk(value)):
            raise Unlike
        lines: list[ast.stmt] = [*taken.lines]
        several = bool(self.extents.of(value))
        number = None if taken.lines else _number(value, stmt)
        if number is not None:
            value = number
        elif isinstance(stmt, ast.Assign):
            name = self.known.taken.again("value")
            shape = f"{array.id}.shape" if several else "1"
            lines += self._made(name, shape, array.id, value)
            value = _parsed(name if several else f"{name}[0]")
        if isinstance(stmt, ast.AugAssign):
            if self.extents.is_complex(array) and not isinstance(stmt.op, _SUMS):
                # NumPy rounds that of a single element in another way in place.
                raise Unlike
            value = ast.BinOp(array, stmt.op, value)
        where = _parsed(f"{self.known.numpy}.where")
        chosen = ast.Call(where, [copy.deepcopy(part.slice), value, array], [])
        return [*lines, self._all(array.id, chosen)]

    def _fits(self, value: ast.expr, part: ast.Subscript) -> None:
        """Make sure that there is a number for each element, or one for all of them.

        All other arrays are of as many elements as the mask tells, or NumPy raises; and
        a mask has as many axes as all arrays of which it tells.

        Args:
            value: what is assigned, as nothing else has it. part: to what.

        Raises:
            Unlike: there are arrays, or something else than operations on elements.
        """
        calls = (x for x in ast.walk(value) if isinstance(x, ast.Call))
        if any(along(x, self.scope) or outer(x, self.scope) for x in calls):
            raise Unlike
        beside = _Whole(part, ast.Constant(0))
        if self.extents.of(beside.visit(value)):
            raise Unlike
        if len({self.known.ranks.get(name) for name in beside.names}) > 1:
            raise Unlike

    def _made(
        self, name: str, shape: str, array: str, value: ast.expr
    ) -> list[ast.stmt]:
        """What makes numbers of the type of an array.

        Args:
            name: of them. shape: the text of theirs. array: its name. value: they.
        """
        self.known.ranks[name] = self.known.ranks[array] if shape != "1" else 1
        made = _parsed(f"{self.known.numpy}.empty({shape}, {array}.dtype)")
        return [ast.Assign([ast.Name(name, ast.Store())], made), self._all(name, value)]

    def _all(self, array: str, value: ast.expr) -> ast.stmt:
        """What assigns all elements of an array.

        Args:
            array: its name. value: the elements.
        """
        whole = ", ".join(":" * self.known.ranks[array])
        (stmt,) = ast.parse(f"{array}[{whole}] = 0").body
        assert isinstance(stmt, ast.Assign)
        stmt.value = value
        return stmt


class _Whole(ast.NodeTransformer):
    """Puts arrays in the place of what the mask of a statement tells of them.

    Args:
        part: what the statement assigns. number: what to put there instead of arrays.

    Attributes:
        names: of the arrays, with that to which is assigned.
    """

    def __init__(self, part: ast.Subscript, number: ast.expr | None = None) -> None:
        self.mask = ast.dump(part.slice)
        self.number = number
        assert isinstance(part.value, ast.Name)
        self.names = {part.value.id}

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        """An array, or what is taken of it otherwise."""
        if isinstance(node.value, ast.Name) and ast.dump(node.slice) == self.mask:
            self.names.add(node.value.id)
            # It stays subscripted, as numbers have no elements and raise.
            return self.number or ast.Subscript(node.value, ast.Slice(), ast.Load())
        return node


def _parsed(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def _number(node: ast.expr, stmt: ast.stmt) -> ast.expr | None:
    """A number that arrays of all types take, or of floats; None for any other one.

    An array of integers does not take an integer that its type has not.

    Args:
        node: what is assigned. stmt: the statement.
    """
    if not _is_number(node):
        return None
    value = ast.literal_eval(node)
    if isinstance(value, float) or 0 <= value <= _EVERYWHERE:
        return node
    return None


def _is_number(node: ast.expr) -> bool:
    """Whether an expression is a number as it is written."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return _is_number(node.operand)
    return isinstance(node, ast.Constant) and type(node.value) in (int, float)
