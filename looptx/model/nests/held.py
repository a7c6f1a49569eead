"""The names of what may be lists and tuples in a nest: an array stands for each.

An array and a list give the same where elements are taken and stored one by one, but
for the types of these.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping, Sequence

from looptx.model.callees.callee import Callee, told
from looptx.model.noted.exchanges import exchanged
from looptx.model.records import dataclass, field
from looptx.model.trees import dotted, walk

_FOLDS = ("sum", "min", "max")
"""The builtins that make one number of those in a list."""

_OTHER = -2
"""Stands for the depth of what is used as no array is, or in several ways."""


def held(
    tree: ast.Module,
    first: int,
    last: int,
    callees: Mapping[str, Callee],
    imports: Mapping[str, str],
    made: Collection[str] = (),
) -> dict[str, int]:
    """The names, with how deep the numbers are: 2 of a list of lists.

    Args:
        tree: the function. first, last: the lines in which the nest's loops begin.
        callees: the functions of the user that the nest calls, by what calls name.
        imports: what names mean. made: the lists that the nest makes in each round.
    """
    uses = _Uses(callees, imports, [*_outermost(tree, first, last)], made)
    depths = {name: uses.depth(name) for name in uses.shown}
    return {name: depth for name, depth in depths.items() if depth > 0}


def _outermost(tree: ast.AST, first: int, last: int) -> Iterator[ast.stmt]:
    """The statements that begin in some lines, and are in no other of these."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.stmt) and first <= node.lineno <= last:
            yield node
        else:
            yield from _outermost(node, first, last)


@dataclass(frozen=True, slots=True)
class _Chain:
    """``A[i][j]``: a (dotted) name, and how many subscripts there are."""

    node: ast.expr
    name: str
    count: int

    @staticmethod
    def of(node: ast.expr) -> _Chain | None:
        """An expression as one; None where it is none."""
        count = 0
        while isinstance(node, ast.Subscript) and _is_one(node):
            node, count = node.value, count + 1
        return _Chain(node, name, count) if (name := dotted(node)) else None


@dataclass(slots=True)
class _Uses:
    """How statements use names.

    Args:
        callees: the functions of the user that they call.
        imports: what names mean. body: the statements. made: as of ``held``.

    Attributes:
        shown: the depths that uses of names show.
        counted: the depths that they have at least, as their lengths are asked.
        rows: the names that have elements of others, and how far in these are.
        copied: the names whose elements all become those of others.
        pairs: the names that are exchanged: either may have what both do.
        told: the nodes with names of which a use is noted.
    """

    callees: Mapping[str, Callee]
    imports: Mapping[str, str]
    body: Sequence[ast.stmt]
    made: Collection[str] = ()
    shown: dict[str, set[int]] = field(default_factory=dict)
    counted: dict[str, int] = field(default_factory=dict)
    rows: dict[str, list[tuple[str, int]]] = field(default_factory=dict)
    copied: dict[str, list[str]] = field(default_factory=dict)
    pairs: set[tuple[str, ...]] = field(default_factory=set)
    told: set[ast.AST] = field(default_factory=set)

    def __post_init__(self) -> None:
        nodes = [node for stmt in self.body for node in walk(stmt)]
        for node in nodes:
            self._look(node)
        for node in nodes:
            match node:
                case ast.Name() | ast.Attribute() if node not in self.told:
                    if isinstance(node.ctx, ast.Load) and (name := dotted(node)):
                        self.shown.setdefault(name, set()).add(_OTHER)
        for pair in self.pairs:
            self._unite(pair)

    def depth(self, name: str, seen: frozenset[str] = frozenset()) -> int:
        """How deep the numbers in what a name has are: 0 where it is one itself."""
        if name in seen:
            return _OTHER
        found = set(self.shown.get(name, ()))
        for row, count in self.rows.get(name, ()):
            if not count and row in {name, *seen}:
                continue
            found.add(_together(count, self.depth(row, seen | {name})))
        for other in self.copied.get(name, ()):
            if other != name and self.depth(other, seen | {name}) != 1:
                found.add(_OTHER)
        deep, least = {one for one in found if one > 0}, self.counted.get(name, 0)
        depth = max(deep, default=least)
        if not depth:
            return 0
        return _OTHER if _OTHER in found or len(deep) > 1 or depth < least else depth

    def _unite(self, pair: Sequence[str]) -> None:
        """Tell of two names what is known of either."""
        shown = set[int]().union(*(self.shown.get(x, ()) for x in pair))
        counted = max(self.counted.get(x, 0) for x in pair)
        rows = [row for x in pair for row in self.rows.get(x, ())]
        for name in pair:
            self.shown[name], self.counted[name] = shown, counted
            self.rows[name] = rows

    def _look(self, node: ast.AST) -> None:
        """Note what a node does with a list."""
        match node:
            case ast.Call(func) if dotted(func) in self.callees:
                self._give(self.callees[dotted(func)], node)
            case ast.Call(func, [over]) if self._calls(func, "len"):
                self._count(over)
            case ast.Call(func, [over]) if self._calls(func, "reversed"):
                self._show(over, 1)
            case ast.Call(func, [over], []) if any(
                self._calls(func, x) for x in _FOLDS
            ):
                self._show(_all_of(over), 1)
            case ast.Call(func, [ast.Starred(over)]) if self._calls(func, "zip"):
                self._show(over, 2)
            case ast.Compare(_, [ast.In() | ast.NotIn()], [over]):
                self._show(_all_of(over), 1)
            case ast.For(_, over, body) if self._is_copied(over, body):
                # A part of a list is a copy, and one of an array is none.
                pass
            case ast.For(target, over) | ast.comprehension(target, over):
                self._loop(target, over)
            case ast.Assign([ast.Name(name) as target], value) if name in self.made:
                if of := _copied(value):
                    self._name(target, of, 0)
            case ast.Assign([target], ast.Subscript() as value):
                self._name(target, value, 0)
            case ast.Assign([ast.Tuple(targets)], ast.Tuple(values)) if any(
                isinstance(x, ast.Tuple) for x in targets
            ):
                for one, value in zip(targets, values, strict=False):
                    if isinstance(value, ast.Subscript):
                        self._name(one, value, 0)
            case ast.Assign(_, ast.Tuple(names)) if pair := exchanged(node):
                self.pairs.add(pair)
                self.told.update(names)
            case ast.Assign([ast.Name(name)], ast.Name(new) as value) if (
                new in self.made
            ):
                self.pairs.add((name, new))
                self.told.add(value)
            case ast.Assign(
                [ast.Subscript(target, ast.Slice(None, None, None))],
                ast.Name() as value,
            ):
                self._copy(target, value)
            case ast.AugAssign(target) if name := dotted(target):
                # Arrays are computed with; lists are repeated, or grow.
                self.shown.setdefault(name, set()).add(_OTHER)
            case ast.Assign([ast.Tuple() as target], ast.Name() as value):
                self._name(target, value, 0)
            case ast.Subscript():
                self._show(node, 0)

    def _loop(self, target: ast.expr, over: ast.expr) -> None:
        """Note what a loop goes through."""
        called = over.func if isinstance(over, ast.Call) else None
        match target, over:
            case ast.Tuple([_, inner]), ast.Call(args=[of, *_]) if called:
                if self._calls(called, "enumerate"):
                    self._loop(inner, of)
                    return
        match target, over:
            case ast.Tuple(several), ast.Call(args=args) if called:
                if self._calls(called, "zip"):
                    for one, of in zip(several, args, strict=False):
                        self._loop(one, of)
            case _:
                self._name(target, _all_of(over), 1)

    def _is_copied(self, over: ast.expr, body: Sequence[ast.stmt]) -> bool:
        """Whether a loop may store elements while it goes through a part of a list.

        Args:
            over: what it goes through. body: of the loop.
        """
        parts = any(isinstance(x, ast.Slice) for x in walk(over))
        nodes = (x for stmt in body for x in walk(stmt))
        return parts and any(
            (isinstance(x, ast.Call) and dotted(x.func) in self.callees)
            or (isinstance(x, ast.Subscript) and not isinstance(x.ctx, ast.Load))
            for x in nodes
        )

    def _calls(self, func: ast.expr, builtin: str) -> bool:
        """Whether a call is one of a builtin function, which nothing hides."""
        if not isinstance(func, ast.Name) or func.id in self.callees:
            return False
        full = f"builtins.{builtin}"
        return func.id == builtin and self.imports.get(builtin, full) == full

    def _name(self, target: ast.expr, value: ast.expr, more: int) -> None:
        """Note what has the elements of a list.

        Args:
            target: it. value: the list, or an element of it.
            more: 1 where each element of the value is had in turn.
        """
        chain = _Chain.of(value)
        if chain is None or chain.node in self.told:
            return
        if isinstance(target, ast.Tuple):
            for one in target.elts:
                self._have(one, chain, more + 1)
        else:
            self._have(target, chain, more)

    def _have(self, target: ast.expr, chain: _Chain, more: int) -> None:
        self.told.add(chain.node)
        count = chain.count + more
        if isinstance(target, ast.Name):
            rows = self.rows.setdefault(chain.name, [])
            rows.append((target.id, count))
            self.shown.setdefault(chain.name, set())
        else:
            known = isinstance(target, ast.Subscript) and count > 0
            depth = count if known else _OTHER
            self.shown.setdefault(chain.name, set()).add(depth)

    def _show(self, node: ast.expr, more: int) -> None:
        """Note how deep a use shows that numbers are.

        Args:
            node: what is used. more: 1 where each element of it is.
        """
        chain = _Chain.of(node)
        if chain is not None and chain.node not in self.told:
            self.told.add(chain.node)
            self.shown.setdefault(chain.name, set()).add(chain.count + more)

    def _copy(self, target: ast.expr, value: ast.Name) -> None:
        """Note that a list gets the elements of another: of a number it gets none.

        Args:
            target: the list. value: what may be the other one.
        """
        # Lists in lists would be those of both.
        self._show(target, 1)
        self.told.add(value)
        if chain := _Chain.of(target):
            self.copied.setdefault(chain.name, []).append(value.id)

    def _count(self, node: ast.expr) -> None:
        """Note that the length of something is asked."""
        chain = _Chain.of(node)
        if chain is not None and chain.node not in self.told:
            self.told.add(chain.node)
            self.shown.setdefault(chain.name, set())
            least = max(self.counted.get(chain.name, 0), chain.count + 1)
            self.counted[chain.name] = least

    def _give(self, callee: Callee, call: ast.Call) -> None:
        """Note what a function of the user does with what a call gives it."""
        written, inner = callee.written, None
        if written is not None:
            inner = _Uses(callee.callees, written.imports, written.node.body)
        elif not callee.runs:
            inner = _Uses(callee.callees, callee.meanings, callee.body)
        for name, arg in (callee.given(call) or {}).items():
            chain = _Chain.of(arg)
            if inner is None or chain is None or chain.node in self.told:
                continue
            own = name if written is None else told(name)
            self.told.add(chain.node)
            depth = _together(chain.count, inner.depth(own)) or _OTHER
            self.shown.setdefault(chain.name, set()).add(depth)


def _copied(value: ast.expr) -> ast.Name | None:
    """The name of what an expression copies."""
    match value:
        case ast.Subscript(ast.Name() as of, ast.Slice(None, None, None)):
            return of
        case ast.List([ast.Starred(ast.Name() as of)]):
            return of
        case ast.Call(ast.Attribute(ast.Name() as of, "copy"), [], []):
            return of
        case ast.Call(ast.Name("list"), [ast.Name() as of], []):
            return of
    return None


def _all_of(node: ast.expr) -> ast.expr:
    """What a loop goes through, or what it goes through a part of."""
    match node:
        case ast.Subscript(whole, ast.Slice()):
            return whole
    return node


def _together(count: int, depth: int) -> int:
    """How deep numbers are in what so many subscripts are in front of."""
    return _OTHER if depth < 0 else count + depth


def _is_one(node: ast.Subscript) -> bool:
    """Whether a subscript takes, or stores, one element."""
    match node.slice:
        case ast.Slice() | ast.Tuple() | ast.Starred():
            return False
        case ast.Constant(value):
            return type(value) is int and not isinstance(node.ctx, ast.Del)
    return not isinstance(node.ctx, ast.Del)
