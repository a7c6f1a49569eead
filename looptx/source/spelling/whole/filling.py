"""What makes an array: its shape and type, and what its cells are at first."""

from __future__ import annotations

import ast
import copy

from looptx.model.functions import FILLED, lookup
from looptx.model.functions import Function as Row
from looptx.model.records import dataclass, replace
from looptx.model.trees import dotted
from looptx.source.names.scope import Scope
from looptx.source.spelling.whole.expanding import expanded
from looptx.source.spelling.whole.maker import Known
from looptx.source.spelling.whole.reading.axes import Ranks, Unlike
from looptx.source.spelling.whole.reading.extents import Extents

_KNOWN_TYPES = ("builtins.float", "builtins.int", "builtins.bool", "builtins.complex")

_MADE = ("numpy.array", "numpy.asarray")
"""What makes an array of a number, which has a type."""


@dataclass(frozen=True)
class New:
    """A new array.

    Attributes:
        call: what makes one like it. shape: the texts of its extents.
        element: the text of an array with the same type of elements, of any shape;
            empty where that is not known before the statement runs.
        fill: what the cells are, as an array or number; None for any values.
        number: whether that is one number, whatever it looks like.
        laid_out: whether ``call`` gives it the same layout, too.
        own: whether loops compute what its type follows from: ``call`` has it not.
    """

    call: ast.Call
    shape: tuple[str, ...]
    element: str
    fill: ast.expr | None = None
    number: bool = False
    laid_out: bool = False
    own: bool = False


class Filling:
    """Reads what makes arrays.

    Args:
        scope: of the function. known: of it.
    """

    def __init__(self, scope: Scope, known: Known) -> None:
        self.scope = scope
        self.known = known
        self.ranks = known.ranks
        self.numpy = known.numpy
        self.extents = Extents(scope, known.ranks, known.numpy)

    def new(self, value: ast.expr) -> New:
        """What an expression makes.

        Raises:
            Unlike: it is no new array, as far as its text says.
        """
        if isinstance(value, ast.Call):
            row = self._row(value)
            if row.fill is not None:
                return self._constructed(value, row)
            match value:
                case ast.Call(ast.Attribute(of, "copy"), [], []):
                    if not self.scope.resolve(value.func):
                        return self._copied(value, of)
                case ast.Call(_, [of], []) if row.name == "numpy.copy":
                    # It lies in memory as the array does.
                    return replace(self._copied(value, of), laid_out=False)
        if not isinstance(value, ast.BinOp | ast.UnaryOp | ast.Compare | ast.Call):
            # A part of an array, or another name of it: no memory of its own.
            raise Unlike
        return self.like(value)

    def like(self, value: ast.expr) -> New:
        """An array of the shape and type of what is computed of others, filled by it.

        Raises:
            Unlike: as of ``new``.
        """
        shape, element = self.extents.array(value)
        text = "".join(f"{one}, " for one in shape)
        made = ast.parse(f"{self.numpy}.empty(({text}), ({element}).dtype)").body[0]
        assert isinstance(made, ast.Expr) and isinstance(made.value, ast.Call)
        for part in ast.walk(made.value):
            if isinstance(part, ast.expr):
                ast.copy_location(part, value)
        return New(made.value, (*map(_clipped, shape),), element, value)

    def statement(
        self,
        name: str,
        new: New,
        stmt: ast.stmt,
        place: ast.expr,
        *,
        ordered: bool = False,
    ) -> tuple[ast.stmt, tuple[str, ...]]:
        """The loops that fill an array, and what NumPy lays it out like.

        Args:
            name: of it. new: it; it has values. stmt: what makes it.
            place: where it gets its name.
            ordered: whether others see how it lies in memory.

        Raises:
            Unlike: its elements are computed in another way than native code does.
        """
        assert new.fill is not None
        axes = len(new.shape)
        whole: ast.expr = ast.Slice()
        if axes > 1:
            whole = ast.Tuple([ast.Slice() for _ in range(axes)], ast.Load())
        target = ast.Subscript(ast.Name(name, ast.Load()), whole, ast.Store())
        for part in ast.walk(target):
            if isinstance(part, ast.expr | ast.Slice):
                ast.copy_location(part, place)
        made = ast.copy_location(ast.Assign([target], new.fill), stmt)
        number = new.fill if new.number else None
        known = replace(self.known, ranks=Ranks(self.ranks))
        known.ranks[name] = axes
        return expanded(self.scope, known, made, number, ordered=ordered)

    def _copied(self, call: ast.Call, of: ast.expr) -> New:
        """What copies an array.

        Args:
            call: it. of: the array.
        """
        if self.numpy:
            return replace(self.like(of), laid_out=True)
        return New(call, (*self.extents.of(of),), "", of, laid_out=True)

    def _constructed(self, call: ast.Call, row: Row) -> New:
        """What ``np.zeros`` and the like make.

        Args:
            call: of such a function. row: the function.
        """
        if {one.arg for one in call.keywords} - {"dtype", "shape", FILLED}:
            raise Unlike
        fill: ast.expr | None = None
        if row.fill == FILLED:
            fill = argument(call, 1, FILLED)
            if fill is None:
                raise Unlike
        elif row.fill:
            fill = ast.copy_location(ast.Constant(int(row.fill)), call)
        shape = self._shape(call, row)
        element = self._element(call, row)
        return New(call, shape, element, fill, bool(row.fill), True)

    def _shape(self, call: ast.Call, row: Row) -> tuple[str, ...]:
        """The extents that a call says."""
        if row.like:
            if not call.args:
                raise Unlike
            return tuple(self.extents.of(call.args[0]))
        match argument(call, 0, "shape"):
            case ast.Tuple(elts) | ast.List(elts):
                if any(isinstance(one, ast.Starred) for one in elts):
                    raise Unlike
                return tuple(map(ast.unparse, elts))
            case ast.Attribute(of, "shape"):
                rank = self.ranks.get(dotted(of), 0)
                if not rank:
                    raise Unlike
                return tuple(f"{dotted(of)}.shape[{axis}]" for axis in range(rank))
            case None:
                raise Unlike
            case other:
                return (ast.unparse(other),)

    def _element(self, call: ast.Call, row: Row) -> str:
        """What makes an array of the same elements, of whatever its names are."""
        dtype = argument(call, row.dtype, "dtype")
        if dtype is not None and not self._is_type(dtype):
            return ""
        small = copy.deepcopy(call)
        if not row.like:
            small.args[:1] = [ast.Constant(0)]
            small.keywords = [one for one in small.keywords if one.arg != "shape"]
        return ast.unparse(small)

    def _is_type(self, node: ast.expr) -> bool:
        """Whether an expression says a type of elements."""
        match node:
            case ast.Constant(str()):
                return True
            case ast.Attribute(ast.Call(function, [ast.Name()], []), "dtype"):
                return self.scope.resolve(function) in _MADE
            case ast.Attribute(of, "dtype"):
                return dotted(of) in self.ranks
        full = self.scope.resolve(node)
        return full.startswith("numpy.") or full in _KNOWN_TYPES

    def _row(self, call: ast.Call) -> Row:
        return lookup(self.scope.resolve(call.func))


def _clipped(count: str) -> str:
    """A count of positions; a text of one is below 0 where there are none."""
    return count if count.endswith("]") or count.isdecimal() else f"max({count}, 0)"


def argument(call: ast.Call, at: int, name: str) -> ast.expr | None:
    """An argument of a call, by its place or name.

    Args:
        call: it. at: the place. name: the name.
    """
    if len(call.args) > at:
        return call.args[at]
    return next((one.value for one in call.keywords if one.arg == name), None)
