"""Parts of arrays with names, whose bounds data decide, spelled out.

``v[k]`` behind ``v = x[s[i]:s[i + 1]]`` is ``x[start:stop][k]``, with ``start = s[i]``
where the source takes the part: a slice is a view, the same one wherever it is taken
with the same bounds. Nests inside of the block of that statement are given the bounds
as they are written there, where these keep their values.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from looptx.model.functions import lookup
from looptx.model.naming import Taken
from looptx.model.records import dataclass
from looptx.model.trees import dotted
from looptx.source.ast_tools import LOOPS, blocks, walked
from looptx.source.kinds.integers import Kinds
from looptx.source.names.imports import own_nodes
from looptx.source.names.scope import Function, Scope
from looptx.source.names.subscripts import index_list
from looptx.source.spelling.edits import (
    ROW,
    Change,
    Changes,
    Node,
    always,
    marked,
    spelling,
)
from looptx.source.spelling.inserted import Insertions, parted
from looptx.source.spelling.lists.noted import given, giving
from looptx.source.spelling.whole.making import Replaced
from looptx.source.spelling.whole.reading.positions import Positions
from looptx.source.spelling.whole.reading.ranks import known_ranks
from looptx.source.spelling.whole.turns.mixed import below, is_mixed, named
from looptx.source.spelling.whole.turns.webs import keeps_its_name
from looptx.source.spelling.whole.uses import Uses

MOST_PARTS = 8
"""Parts of parts that are looked for: each takes another look at the module."""

_PLAIN = (
    *(ast.Name, ast.Constant, ast.UnaryOp, ast.USub, ast.BinOp, ast.expr_context),
    *(ast.Add, ast.Sub, ast.Mult),
)
"""What bounds may be made of that are computed wherever the part is used."""


@spelling(named, MOST_PARTS)
def with_bounded(function: Function, scope: Scope, axes: Mapping[str, int]) -> Changes:
    """Parts of arrays that loops name have no names.

    Args:
        function: it. scope: its names.
        axes: how many arguments have, where no text says so.
    """
    return _Function(function, scope, axes).changes()


def _is_slice(node: ast.AST) -> bool:
    return isinstance(node, ast.Slice)


@dataclass(frozen=True)
class _View:
    """A part of an array while it has a name.

    Attributes:
        stmt: the statement that gives it that. part: it. uses: where its name stands.
        region: the statements up to the last of these.
    """

    stmt: ast.Assign
    part: ast.Subscript
    uses: Sequence[ast.Name]
    region: Sequence[ast.stmt]


class _Function:
    """Respells the parts of arrays of one function."""

    def __init__(
        self, function: Function, scope: Scope, axes: Mapping[str, int]
    ) -> None:
        self.function = function
        self.scope = scope
        self.ranks = known_ranks(function, scope, axes)
        self.told = bool(axes)
        self.uses = Uses(function, scope)
        self.taken = Taken(scope.identifiers)
        self.texts: dict[str, str] = {}

    @cached_property
    def kinds(self) -> Kinds:
        """What the names of the function are."""
        return Kinds(self.scope)

    @cached_property
    def assignments(self) -> Sequence[ast.Assign]:
        """The statements that give names values."""
        nodes = own_nodes(self.function)
        return [node for node in nodes if isinstance(node, ast.Assign)]

    def changes(self) -> Iterator[tuple[ast.AST, Change]]:
        """What the slices become, and what is made of them."""
        if self.scope.wild or self.scope.hides("len"):
            return
        inserted = Insertions(self.uses.outside)
        for view in self._views():
            lines, whole = self._taken(view)
            placed = parted(lines, view.stmt)
            inserted.before(view.stmt, *placed)
            yield view.stmt, always(ast.copy_location(ast.Pass(), view.stmt))
            for use in view.uses:
                yield self._used(use, whole)
        yield from inserted.changes()
        if self.texts:
            yield self.function, giving(self.texts)

    def _views(self) -> Iterator[_View]:
        """The slices of which each use can stand for itself."""
        found: dict[str, list[tuple[ast.Assign, list[ast.stmt]]]] = {}
        loops = [x for x in own_nodes(self.function) if isinstance(x, LOOPS)]
        inside = {x for loop in loops for x in own_nodes(loop, enter=False)}
        for owner in own_nodes(self.function):
            if owner not in inside and owner is not self.function:
                continue
            if not isinstance(owner, (*LOOPS, ast.If, Function)):
                continue
            for block in blocks(owner):
                for at, stmt in enumerate(block):
                    name = named(stmt)
                    fits = owner in inside or is_mixed(stmt, inside, self.uses)
                    if name and fits and isinstance(stmt, ast.Assign):
                        rests = found.setdefault(name, [])
                        rests.append((stmt, block[at + 1 :]))
        fit: dict[str, list[_View]] = {}
        for name, several in found.items():
            views = [self._view(stmt, name, rest) for stmt, rest in several]
            sure = [view for view in views if view is not None]
            uses = [use for view in sure for use in view.uses]
            given = {one.targets[0] for one in self.assignments if not one.targets[1:]}
            read = [x for x in self.uses.named(name) if x not in given]
            # What it is given elsewhere nobody reads.
            known = len(sure) == len(several) and len(uses) == len(read)
            if known and len({*uses}) == len(uses) and name not in self.scope.shared:
                fit[name] = sure
        for whole in fit.values():
            # A part of a part is one of the array as soon as that one has no name.
            parts = (x for view in whole for x in walked(view.part))
            if not any(isinstance(x, ast.Name) and x.id in fit for x in parts):
                yield from whole

    def _view(self, stmt: ast.Assign, name: str, rest: list[ast.stmt]) -> _View | None:
        """What a statement gives a name, if that is used as a part of an array is.

        Args:
            stmt: the statement. name: the name. rest: what follows it in its block.
        """
        whole = stmt.value
        assert isinstance(whole, ast.Subscript)
        places = {*self.uses.named(name)}
        while rest and places.isdisjoint(walked(rest[-1])):
            rest = rest[:-1]
        inside = {x for one in rest for x in walked(one)}
        uses = [x for x in self.uses.named(name) if x in inside]
        plain = [x for x in index_list(whole) if not isinstance(x, ast.Slice)]
        steps = (x.step for x in index_list(whole) if isinstance(x, ast.Slice))
        fixed = below(whole)
        if (
            not any(map(_is_slice, self._indices(whole)))
            or fixed in self.scope.shared
            or not keeps_its_name(self.function, fixed, {name, *_stored(rest)})
            or not all(map(self.positions.is_one, plain))
            or not all(x is None or isinstance(x, ast.Constant) for x in steps)
            or not all(self._fits(x, whole) for x in uses)
        ):
            return None
        return _View(stmt, whole, uses, rest)

    @cached_property
    def positions(self) -> Positions:
        """Which subscripts are integers."""
        return Positions(self.kinds, self.ranks, told=self.told)

    def _indices(self, whole: ast.Subscript) -> list[ast.expr]:
        """A subscript for each axis of an array, as far as these are known."""
        found = index_list(whole)
        rank = self.ranks.get(dotted(whole.value), 0)
        return [*found, *(ast.Slice() for _ in range(rank - len(found)))]

    def _fits(self, use: ast.Name, whole: ast.Subscript) -> bool:
        """Whether a name stands where nothing but elements and sizes are seen.

        Args:
            use: the name. whole: the part of an array that it stands for.
        """
        outer = self.uses.outside[use]
        match outer:
            case ast.Attribute(attr="shape" | "size" | "ndim"):
                return outer.attr == "size" or self._extent(outer, whole) is not None
            case ast.Call(function) if function is not use:
                if not self.scope.resolve(function):
                    return False
        return isinstance(use.ctx, ast.Load) and self.uses.is_seen(use)

    def _keeps(self, whole: ast.Subscript, region: Sequence[ast.stmt]) -> bool:
        """Whether subscripts have the same values all the while.

        Args:
            whole: a part of an array. region: the statements.
        """
        parts: list[ast.AST] = []
        inner: ast.expr = whole
        while isinstance(inner, ast.Subscript):
            parts += walked(inner.slice)
            inner = inner.value
        names = {x.id for x in parts if isinstance(x, ast.Name)}
        data = any(isinstance(x, ast.Subscript | ast.Attribute) for x in parts)
        if names & (_stored(region) | self.scope.shared):
            return False
        if any(map(self.scope.runs_other_code, parts)):
            return False
        for node in (x for stmt in region for x in walked(stmt)):
            if data and self.scope.runs_other_code(node):
                return False
            match node:
                case ast.Attribute(ctx=ast.Store() | ast.Del()):
                    return False
                case ast.Subscript(of, _, ast.Store() | ast.Del()) if data:
                    if dotted(of) in names or not self._is_new(dotted(of)):
                        return False
        return True

    def _is_new(self, name: str) -> bool:
        """Whether a name is given to nothing but arrays in memory of their own."""
        bindings = self.scope.bindings.get(name, ())
        values = (one.value for one in bindings)
        return bool(bindings) and all(
            isinstance(x, ast.Call)
            and lookup(self.scope.resolve(x.func)).fill is not None
            for x in values
        )

    def _extent(self, shape: ast.Attribute, whole: ast.Subscript) -> int | None:
        """The axis of an array whose extent is asked; -1 for the first of its part.

        Args:
            shape: what asks. whole: the part of which it does.
        """
        indices = self._indices(whole)
        axes = [at for at, x in enumerate(indices) if isinstance(x, ast.Slice)]
        match self.uses.outside[shape]:
            case ast.Subscript(value, ast.Constant(int(at))) if value is shape:
                if at == 0:
                    return -1
                if 0 <= at < len(axes) and ast.unparse(indices[axes[at]]) == ":":
                    return axes[at]
        return None

    def _taken(self, view: _View) -> tuple[list[ast.stmt], ast.Subscript]:
        """What takes a part of an array, and the part as it stands for its name.

        Args:
            view: the part.
        """
        lines: list[ast.stmt] = []
        found: list[ast.expr] = []
        for index in index_list(view.part):
            made = copy.copy(index)
            if isinstance(made, ast.Slice):
                made.lower = self._bound(made.lower, view, "start", lines)
                made.upper = self._bound(made.upper, view, "stop", lines)
            else:
                made = self._bound(made, view, "at", lines) or made
            found.append(made)
        array = view.part.value
        if any(not _is_slice(x) for x in found):
            # That may raise whatever is used of it.
            places = [ast.Slice() if _is_slice(x) else x for x in found]
            lines.append(marked(ast.Expr(_selected(array, places)), ROW))
        if not view.uses:
            # So may bounds that are no integers, and what is no array.
            (target,) = view.stmt.targets
            name = self.taken.again(f"{dotted(target)}_size")
            size = ast.Call(ast.Name("len", ast.Load()), [_selected(array, found)], [])
            lines.append(ast.Assign([ast.Name(name, ast.Store())], size))
        return lines, _selected(array, found)

    def _bound(
        self, node: ast.expr | None, view: _View, stem: str, lines: list[ast.stmt]
    ) -> ast.expr | None:
        """A subscript or bound, by a name where it is not computed again.

        Args:
            node: it. view: the part. stem: what the name says of it.
            lines: gets the statement that gives it the name.
        """
        if node is None:
            return None
        names = {x.id for x in walked(node) if isinstance(x, ast.Name)}
        plain = all(isinstance(x, _PLAIN) for x in walked(node))
        if plain and names.isdisjoint(_stored(view.region) | self.scope.shared):
            return node
        (target,) = view.stmt.targets
        name = self.taken.again(f"{dotted(target)}_{stem}")
        keeps = self._keeps(view.part, view.region)
        self.texts[name] = self._told(node) if keeps else "None"
        lines.append(ast.Assign([ast.Name(name, ast.Store())], node))
        return ast.Name(name, ast.Load())

    def _told(self, node: ast.expr) -> str:
        """An expression in the names that the source has."""
        texts = {**given(self.function), **self.texts}
        known = {
            name: ast.parse(text, mode="eval").body for name, text in texts.items()
        }
        return ast.unparse(Replaced(known).visit(copy.deepcopy(node)))

    def _used(self, use: ast.Name, whole: ast.Subscript) -> tuple[ast.AST, Change]:
        """What becomes of a use.

        Args:
            use: the name. whole: the part of an array that it stands for.
        """
        outer = self.uses.outside[use]
        if isinstance(outer, ast.Attribute) and outer.attr == "shape":
            axis = self._extent(outer, whole)
            text = "len(x)" if axis == -1 else f"x.shape[{axis}]"
            made = ast.parse(text, mode="eval").body
            array = whole if axis == -1 else whole.value
            made = Replaced({"x": array}).visit(made)
            return self.uses.outside[outer], always(_at(made, use))
        return use, always(_at(whole, use))


def _selected(array: ast.expr, indices: Sequence[ast.expr]) -> ast.Subscript:
    """What subscripts select of an array."""
    several = ast.Tuple([*indices], ast.Load())
    return ast.Subscript(array, several if indices[1:] else indices[0], ast.Load())


def _at(node: Node, place: ast.AST) -> Node:
    """A copy of an expression or statement in the place of another one.

    Args:
        node: it. place: the other one.
    """
    made = copy.deepcopy(node)
    for inner in ast.walk(made):
        if isinstance(inner, ast.expr | ast.stmt | ast.Slice):
            ast.copy_location(inner, place)
    return made


def _stored(region: Sequence[ast.stmt]) -> set[str]:
    """The names that statements give values."""
    return {
        node.id
        for stmt in region
        for node in walked(stmt)
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
    }
