"""Loops over the elements of arrays, spelled as loops over their indices.

An array does not change its length while a loop goes through it, and each of its
elements is read where its iteration begins. Numba's ``prange`` is Python's ``range``.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain

from looptx.model.naming import COUNTED, Taken
from looptx.model.records import dataclass, replace
from looptx.model.trees import dotted
from looptx.source.ast_tools import is_part_of_one, walked
from looptx.source.names.imports import own_nodes
from looptx.source.names.scope import Function, Scope
from looptx.source.spelling.arrays import is_array
from looptx.source.spelling.cells import Cells, bound_in, is_used, sourced
from looptx.source.spelling.edits import (
    AXIS,
    HEADER,
    Change,
    Changes,
    fills,
    marked,
    placed,
    spelling,
)
from looptx.source.spelling.stretches import (
    Stretch,
    is_constant,
    names_in,
    stretches,
)


def _is_renamed(node: ast.AST) -> bool:
    """Whether a node is a call of what may be a range by another name."""
    return isinstance(node, ast.Call) and dotted(node.func).endswith("prange")


@spelling(_is_renamed)
def with_ranges(function: Function, scope: Scope) -> Changes:
    """What is a range in Python has that name."""
    if not scope.hides("range"):
        calls = filter(_is_renamed, own_nodes(function))
        yield from ((x, _named) for x in calls if scope.is_range(x))


def _named(node: ast.AST) -> ast.AST:
    """A range by its own name."""
    assert isinstance(node, ast.Call)
    name = ast.copy_location(ast.Name("range", ast.Load()), node.func)
    return ast.copy_location(ast.Call(name, node.args, node.keywords), node)


def _is_candidate(node: ast.AST) -> bool:
    """Whether a statement is a loop that may be over elements."""
    match node:
        case ast.For(iter=ast.Call(ast.Name("range"))):
            return False
    return isinstance(node, ast.For)


@spelling(_is_candidate)
def with_indices(
    function: Function,
    scope: Scope,
    arrays: Collection[str] = (),
    *,
    plain: bool = False,
) -> Changes:
    """Loops over elements of arrays are loops over indices.

    Args:
        function: it. scope: its names.
        arrays: the arguments that are arrays, whatever the text says.
        plain: whether no loop is scheduled, so that none is ever written.
    """
    loops = (x for x in own_nodes(function) if isinstance(x, ast.For))
    return _Function(function, scope, arrays, plain).changes(
        filter(_is_candidate, loops)
    )


@dataclass(frozen=True)
class _Header:
    """What a loop goes through, several stretches side by side.

    Attributes:
        given: the targets of elements, each with what these are of.
        index: the target of the number of the iteration, if there is one.
        first: the first of these numbers.
    """

    given: Sequence[tuple[ast.Name, Stretch]]
    index: ast.Name | None = None
    first: int = 0

    @property
    def elements(self) -> Sequence[ast.Name]:
        """The targets of elements."""
        return [target for target, _ in self.given]

    @property
    def arrays(self) -> Sequence[str]:
        """The names of the arrays."""
        return [one.array for _, one in self.given if one.array]

    @property
    def fixed(self) -> set[str]:
        """The names that have to keep their values while the loop runs.

        Where it goes through one stretch, its ends are asked for once.
        """
        arrays = {*self.arrays, *(name.partition(".")[0] for name in self.arrays)}
        if self.index is None and len(self.given) == 1:
            return arrays
        return arrays.union(*(names_in(one) for _, one in self.given))

    @property
    def targets(self) -> Sequence[ast.Name]:
        """All targets, in the order of the source."""
        return [*([self.index] if self.index else []), *self.elements]


class _Function:
    """Respells the loops of one function."""

    def __init__(
        self, node: Function, scope: Scope, arrays: Collection[str], plain: bool
    ) -> None:
        self.scope = scope
        self.arrays = arrays
        self.plain = plain
        self.nodes = walked(node)
        self.taken = Taken(self.scope.identifiers)

    def changes(self, loops: Iterable[ast.For]) -> Iterator[tuple[ast.AST, Change]]:
        """What the loops become."""
        if any(map(self.scope.hides, COUNTED)):
            return
        cells = Cells(self.scope, self.nodes)
        for loop in loops:
            if self.scope.is_range_loop(loop):
                continue
            header = self._header(loop.target, loop.iter)
            if header is not None:
                if self._fits(loop, header):
                    yield loop, self._with_values(loop, header)
            elif change := cells.change(loop):
                yield loop, change

    def _header(self, target: ast.expr, source: ast.expr) -> _Header | None:
        """What a loop goes through, if its elements are known by their numbers."""
        called = ""
        if isinstance(source, ast.Call):
            called = self.scope.resolve(source.func)
        match target, source:
            case ast.Tuple([ast.Name() as index, inner]), ast.Call(args=[of, *start]):
                first = _start(start, source.keywords)
                if called == "builtins.enumerate" and first is not None:
                    found = self._header(inner, of)
                    if found is None or found.index is not None:
                        return None
                    return _Header(found.given, index, first)
        match target, source:
            case (
                ast.Tuple([_, *_] as targets),
                ast.Call(
                    args=[_, *_] as given,
                    keywords=[] | [ast.keyword("strict", ast.Constant(False))],
                ),
            ) if called == "builtins.zip":
                if len(given) != len(targets):
                    return None
                pairs = zip(targets, given, strict=True)
                parts = [stretches(one, of, self.scope) for one, of in pairs]
                return _Header([*chain(*parts)]) if all(parts) else None
        known = stretches(target, source, self.scope)
        return _Header(known) if known else None

    def _fits(self, loop: ast.For, header: _Header) -> bool:
        """Whether a loop may be over arrays, and is not better left as it is."""
        names = [one.id for one in header.targets]
        arrays = [*header.arrays]
        if len({*names, *arrays}) < len(names) + len({*arrays}):
            return False
        changed = {name for stmt in loop.body for name in bound_in(stmt)}.union(names)
        if changed & header.fixed:
            return False
        told = [self._is_array(array) for array in arrays]
        # Of what is no array the loops inside are scheduled by themselves; rows of a
        # list may have several lengths: these loops know each of them.
        parts = (x for one in loop.body for x in walked(one))
        inside = (x for x in parts if not (is_part_of_one(x) or fills(x)))
        inner = any(map(self.scope.is_range_loop, inside))
        inner = inner and (not self.plain or self._rows(loop, names))
        return False not in told and (not (inner and told) or True in told)

    def _rows(self, loop: ast.For, names: Collection[str]) -> bool:
        """Whether elements are looked at as lists themselves.

        Args:
            loop: the loop. names: of its elements.
        """
        taken: list[ast.AST] = []
        for node in (x for stmt in loop.body for x in walked(stmt)):
            match node:
                case ast.Subscript(of) | ast.For(iter=of) | ast.comprehension(iter=of):
                    taken.append(of)
                case ast.Call(function, given) if not self.scope.is_range(node):
                    full = self.scope.resolve(function)
                    taken += given if full.startswith("builtins.") else ()
        return any(isinstance(x, ast.Name) and x.id in names for x in taken)

    def _is_array(self, name: str) -> bool | None:
        """Whether a name is known to be an array, or not to be one."""
        told = is_array(name, self.scope, self.nodes)
        return True if told is None and name in self.arrays else told

    def _with_values(self, loop: ast.For, header: _Header) -> Change:
        """The loop, in one of a single iteration where it has to keep its elements."""
        changed = {name for stmt in loop.body for name in bound_in(stmt)}
        values: dict[str, str] = {}

        def kept(target: ast.Name, of: Stretch) -> tuple[ast.Name, Stretch]:
            elements = []
            for one in of.written:
                name = one.id if isinstance(one, ast.Name) else ""
                if not is_constant(one) and (not name or name in changed):
                    name = self.taken.free(f"{target.id}{len(values) + 1}")
                    values[name] = ast.unparse(one)
                    one = ast.Name(name, ast.Load())
                elements.append(one)
            return target, replace(of, written=elements)

        given = [kept(*pair) for pair in header.given]
        inner = self._over_elements(loop, replace(header, given=given))
        if not values:
            return inner
        names, texts = (", ".join(part) for part in (values, values.values()))
        line = placed(f"{names} = {texts}", loop.iter)
        once = self.taken.free("once")
        around = self._counting(loop, once, "1", [line])

        def change(node: ast.AST) -> ast.AST:
            found = inner(node)
            assert isinstance(found, ast.For)
            marked(found, AXIS)
            outer = ast.For(node.target, node.iter, [found], [])  # type: ignore[attr-defined]
            return around(ast.copy_location(outer, node))

        return change

    def _over_elements(self, loop: ast.For, header: _Header) -> Change:
        """The loop over the numbers of elements."""
        index, first = header.index, header.first
        (target, only), *more = header.given
        alone = index is None and not more
        if alone and only.counted:
            return self._counting(loop, target.id, only.numbers, [])
        counts = [*dict.fromkeys(one.count for _, one in header.given)]
        stop = counts[0] if len(counts) == 1 else f"min({', '.join(counts)})"
        if index is None or self._is_assigned(index.id, loop):
            counter = self.taken.free(f"i{target.id}")
        else:
            counter = index.id
        numbers = f"{first}, {stop} + {first}" if first > 0 else stop
        at = f"{counter} - {first}" if first > 0 else counter
        if alone:
            numbers = only.numbers
        lines = []
        for name, of in header.given:
            if is_used(name.id, self.scope, self.nodes):
                texts = of.element(counter if alone else of.position(at))
                code, text = (f"{name.id} = {one}" for one in texts)
                lines.append(marked(placed(code, name), text))
        if index is not None and counter != index.id:
            lines.insert(0, placed(f"{index.id} = {counter}", index))
        return self._counting(loop, counter, numbers, lines)

    def _counting(
        self, loop: ast.For, counter: str, numbers: str, lines: Sequence[ast.stmt]
    ) -> Change:
        """The loop over a range.

        Args:
            loop: as it is. counter: the variable. numbers: of the range.
            lines: what stands first in its body.
        """
        target = ast.copy_location(ast.Name(counter, ast.Store()), loop.target)
        source = sourced(f"range({numbers})", loop.iter)

        def change(node: ast.AST) -> ast.AST:
            assert isinstance(node, ast.For)
            body = [*lines, *node.body]
            made = ast.For(target, source, body, node.orelse)
            return marked(ast.copy_location(made, node), HEADER)

        return change

    def _is_assigned(self, name: str, loop: ast.For) -> bool:
        """Whether the body of a loop assigns a name."""
        return any(
            isinstance(x, ast.Name) and x.id == name and not isinstance(x.ctx, ast.Load)
            for stmt in loop.body
            for x in walked(stmt)
        )


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
