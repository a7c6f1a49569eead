"""Arrays that loops make of sizes which data decide, spelled as parts of larger ones.

``d = np.zeros(k)`` in a loop that gives ``k`` values is ``d = cells[:count]`` behind
``count = k`` and ``cells[:count] = 0``, of memory for any number of cells that is only
there where it is used (see ``emit.cython.memory``). The positions that a mask tells,
``np.flatnonzero(mask)``, are stored one behind the other. Nests inside are given the
array of the source.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Mapping, Sequence

from looptx.model.naming import again
from looptx.model.nests.made import LONGEST
from looptx.source.ast_tools import is_loop
from looptx.source.names.imports import bound_names, own_nodes
from looptx.source.names.scope import Function, Scope
from looptx.source.names.subscripts import index_list
from looptx.source.spelling.edits import (
    Change,
    Changes,
    Filled,
    always,
    making,
    spelling,
)
from looptx.source.spelling.inserted import Insertions, parted
from looptx.source.spelling.lists.noted import giving
from looptx.source.spelling.whole.making import Making, Place, Replaced
from looptx.source.spelling.whole.reading.axes import Unlike
from looptx.source.spelling.whole.reading.bounds import Bounds, has_bounds
from looptx.source.spelling.whole.reading.operations import tells

TWICE = 2
"""What tells positions may be of such a size itself."""

_POSITIONS = "numpy.flatnonzero"

_BOTH = ("numpy.nonzero", "numpy.where")
"""Functions that give the positions of an array along each of its axes."""


@spelling(is_loop, TWICE)
def with_sized(function: Function, scope: Scope, axes: Mapping[str, int]) -> Changes:
    """Loops make no arrays of sizes that data decide.

    Args:
        function: it. scope: its names.
        axes: how many arguments have, where no text says so.
    """
    return _Function(function, scope, axes).changes()


class _Function(Making):
    """Respells the arrays that loops of one function make."""

    def changes(self) -> Iterator[tuple[ast.AST, Change]]:
        """What the statements become, and what stands in front of them and of loops."""
        if self.scope.wild or self.scope.hides("range") or not self.numpy:
            return
        # How long arrays are that their loops always make alike; and the others.
        self.fixed: dict[str, str] = {}
        self.larger: dict[str, ast.expr] = {}
        inserted = Insertions(self.uses.outside)
        texts: dict[str, str] = {}
        for place in self.places():
            try:
                lines, cells, count = self._lines(place)
            except Unlike:
                continue
            texts |= {cells: place.name, count: f"len({place.name})"}
            front = place.loops[0]
            text = f"{cells} = {self.numpy}.empty({LONGEST})"
            inserted.before(front, _at(text, front, len(self.taken)))
            *first, last = parted(lines, place.stmt)
            inserted.before(place.stmt, *first)
            yield place.stmt, always(last)
        yield from inserted.changes({self.function: giving(texts)} if texts else {})

    def _lines(self, place: Place) -> tuple[Sequence[ast.stmt], str, str]:
        """What a statement becomes, and the names of the larger array and the count.

        Raises:
            Unlike: it makes no array of a size that data decide.
        """
        used = {*self.uses.named(place.name)} - {*place.stmt.targets}
        if not all(self.uses.is_seen(x) and not self._is_exchanged(x) for x in used):
            raise Unlike
        count = again(f"{place.name}_count", self.taken)
        cells = again(f"{place.name}_cells", self.taken)
        mask = self._mask(place.value)
        part = self._masked(place.value)
        if mask is not None:
            lines, element = self._told_by(mask, "", cells, count)
        elif part is not None:
            lines, element = self._told_by(*part, cells, count)
        else:
            lines, element = self._counted(place, cells, count)
        self.taken.update((cells, count))
        of = ast.parse(element, mode="eval").body
        element = ast.unparse(Replaced(self.larger).visit(of))
        self.larger[place.name] = ast.Name(cells, ast.Load())
        filled = Filled(cells, "", (str(LONGEST),), element)
        marker = making(ast.Pass(), filled)
        last = _parsed(f"{place.name} = {cells}[:{count}]")
        return [marker, *lines, *last], cells, count

    def _is_exchanged(self, use: ast.Name) -> bool:
        """Whether a name stands where arrays take turns."""
        return isinstance(self.uses.outside[use], ast.Tuple)

    def _counted(
        self, place: Place, cells: str, count: str
    ) -> tuple[Sequence[ast.stmt], str]:
        """What fills an array whose size is not known in front of the loops.

        Args:
            place: where it is made. cells, count: the names that it gets.
        """
        bounds = Bounds(self.taken.again, self.filling.extents)
        value = copy.deepcopy(place.value)
        if has_bounds(value):
            value = bounds.visit(value)
        new = self.told(self.filling.new(value), place)
        if len(new.shape) != 1 or not new.element:
            raise Unlike
        size = ast.parse(new.shape[0], mode="eval").body
        size = _Sizes(self.fixed).visit(size)
        used = {x.id for x in ast.walk(size) if isinstance(x, ast.Name)}
        if not bounds.lines and used.isdisjoint(bound_names(own_nodes(place.loops[0]))):
            self.fixed[place.name] = ast.unparse(size)
            raise Unlike
        lines = bounds.lines + _parsed(
            f"{count} = {new.shape[0]}\n"
            f"if {count} < 0 or {count} > {LONGEST}:\n    raise ValueError"
        )
        if new.fill is not None:
            (fill,) = _parsed(f"{cells}[:{count}] = 0")
            assert isinstance(fill, ast.Assign)
            fill.value = copy.deepcopy(new.fill)
            lines.append(fill)
        return lines, new.element

    def _mask(self, value: ast.expr) -> ast.expr | None:
        """What tells the positions that an array holds; None for any other array."""
        match value:
            case ast.Call(function, [mask], []):
                full = self.scope.resolve(function)
                return mask if full == _POSITIONS else None
            case ast.Subscript(ast.Call(function, [mask], []), ast.Constant(0)):
                return mask if self.scope.resolve(function) in _BOTH else None
        return None

    def _masked(self, value: ast.expr) -> tuple[ast.expr, str] | None:
        """A mask that tells elements, and the text of the array of one axis with them.

        ``x[i, mask]`` are elements of ``x[i, :]``.
        """
        if not (isinstance(value, ast.Subscript) and is_named(value.value)):
            return None
        indices = index_list(value)
        masks = [x for x in indices if tells(x, self.scope)]
        if len(masks) != 1 or any(isinstance(x, ast.Slice) for x in indices):
            return None
        (mask,) = masks
        of = ast.unparse(value.value)
        if indices[1:]:
            places = (":" if x is mask else ast.unparse(x) for x in indices)
            of = f"{of}[{', '.join(places)}]"
        axes = self.filling.extents.of(ast.parse(of, mode="eval").body)
        return (mask, of) if len(axes) == 1 else None

    def _told_by(
        self, mask: ast.expr, of: str, cells: str, count: str
    ) -> tuple[Sequence[ast.stmt], str]:
        """What stores the positions that a mask tells, or the elements there.

        Args:
            mask: it. of: the text of the array that has the elements; empty for none.
            cells, count: as of ``_counted``.
        """
        if len(self.filling.extents.of(mask)) != 1:
            raise Unlike
        told, at = self.taken.again("mask"), self.taken.again("at")
        cell = f"{of}[{at}]" if of else at
        lines = _parsed(
            f"{told} = 0 != 0\n"
            f"if {told}.shape[0] > {LONGEST}:\n    raise ValueError\n"
            f"{count} = 0\n"
            f"for {at} in range({told}.shape[0]):\n"
            f"    if {told}[{at}]:\n"
            f"        {cells}[{count}] = {cell}\n"
            f"        {count} += 1"
        )
        (first, *_) = lines
        assert isinstance(first, ast.Assign) and isinstance(first.value, ast.Compare)
        first.value.left = copy.deepcopy(mask)
        if not of:
            return lines, f"{self.numpy}.empty(0, 'int64')"
        text = f"if {told}.shape[0] != len({of}):\n    raise IndexError"
        lines[1:1] = _parsed(text)
        return lines, self.filling.extents.type_of(ast.parse(of, mode="eval").body)


def is_named(node: ast.expr) -> bool:
    """Whether an expression is an array by its name, or a part of one."""
    while isinstance(node, ast.Subscript):
        if any(isinstance(x, ast.Call | ast.Compare) for x in ast.walk(node.slice)):
            return False
        node = node.value
    return isinstance(node, ast.Name)


class _Sizes(ast.NodeTransformer):
    """Puts what arrays were made of in the place of their lengths.

    Args:
        known: how long they are.
    """

    def __init__(self, known: Mapping[str, str]) -> None:
        self.known = known

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        """The length of an array of one axis, or something else."""
        match node:
            case ast.Subscript(ast.Attribute(ast.Name(name), "shape"), ast.Constant(0)):
                if name in self.known:
                    return ast.parse(self.known[name], mode="eval").body
        self.generic_visit(node)
        return node


def _parsed(text: str) -> list[ast.stmt]:
    """Statements that stand nowhere yet."""
    return ast.parse(text).body


def _at(text: str, place: ast.stmt, number: int) -> ast.stmt:
    """A statement in the place of another one.

    Args:
        text: it. place: the other one. number: another for each that stands there.
    """
    (stmt,) = ast.parse(text).body
    for node in ast.walk(stmt):
        if isinstance(node, ast.expr | ast.stmt):
            ast.copy_location(node, place)
            # What it allocates is told by its place.
            node.end_col_offset = (place.end_col_offset or 0) + number
    return stmt
