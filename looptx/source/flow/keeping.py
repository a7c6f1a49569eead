"""What the lists of a function may get where they are not made.

A list keeps whatever is stored into it, by any of its names. Who reads its elements
changes nothing; wherever else it goes, as another name or to other code, it may get
anything.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from looptx.model.records import dataclass, field
from looptx.model.trees import dotted
from looptx.model.types import WHOLE
from looptx.source.ast_tools import once, walked
from looptx.source.names.assignments import Assignment, assignments
from looptx.source.names.imports import FUNCTIONS, own_nodes, resolve
from looptx.source.names.subscripts import continued, subscripts

_ADDING = {"append": (0, False), "insert": (1, False), "extend": (0, True)}
"""Methods that store an argument: where it stands, and whether its elements go in."""

_QUIET = ("index", "count", "pop", "remove", "sort", "reverse", "clear", "copy")
"""Methods that store nothing."""

_CHOOSING = ("sum", "min", "max")
"""Builtins that give one of several that they are given."""


@dataclass(frozen=True, slots=True)
class Store:
    """Something that is stored.

    Attributes:
        value: what; None for anything. part: whether its elements are stored.
        depth: how many subscripts the place has.
    """

    value: ast.expr | None
    part: bool
    depth: int


@dataclass
class Uses:
    """What is done with what a name holds.

    Attributes:
        stores: what is stored into it.
        taken: the fewest subscripts of a part that may become something else's, too;
            0 for the whole.
    """

    stores: list[Store] = field(default_factory=list)
    taken: int = WHOLE


@once
def uses(scope: ast.AST, imports: Mapping[str, str]) -> Mapping[str, Uses]:
    """How a module or a function, and what is inside, uses (dotted) names."""
    return _Looked(scope, imports).found


class _Looked:
    """What is found by looking at each node of a scope.

    Attributes:
        found: the uses of each name.
        kept: how many more subscripts there are to what an expression leaves to others.
    """

    def __init__(self, scope: ast.AST, imports: Mapping[str, str]) -> None:
        self.imports = imports
        self.is_function = isinstance(scope, FUNCTIONS)
        self.found: dict[str, Uses] = defaultdict(Uses)
        self.kept: dict[ast.AST, int] = {}
        nodes, own = walked(scope), frozenset(own_nodes(scope))
        for node in nodes:
            self._read(node, node in own)
            for one in self._stored(node):
                self._store(one, node in own)
        self._take(nodes)

    def _read(self, node: ast.AST, own: bool) -> None:
        """Note which parts of a node are only read."""
        match node:
            case ast.For(iter=part) | ast.AsyncFor(iter=part):
                self.kept[part] = 1
            case ast.comprehension(iter=part) | ast.Starred(part):
                self.kept[part] = 1
            case ast.BinOp(left, _, right):
                self.kept |= {left: 1, right: 1}
            case ast.AugAssign(value=part):
                self.kept[part] = 1
            case ast.Compare(left, _, others):
                self.kept |= dict.fromkeys((left, *others), WHOLE)
            case ast.If(test) | ast.While(test) | ast.IfExp(test) | ast.Assert(test):
                self.kept[test] = WHOLE
            case ast.UnaryOp(_, part) | ast.FormattedValue(part):
                self.kept[part] = WHOLE
            case ast.Return(ast.expr() as part) if own and self.is_function:
                self.kept[part] = WHOLE
            case ast.Call():
                self._called(node, own)

    def _called(self, node: ast.Call, own: bool) -> None:
        """Note what known functions and methods do with what they are given."""
        full = resolve(node.func, self.imports)
        module, _, name = full.partition(".")
        if module in ("numpy", "math") or full == "builtins.len":
            self.kept |= dict.fromkeys(_given(node), WHOLE)
        several = name in _CHOOSING and len(node.args) > 1
        if module == "builtins" and name not in ("len", "setattr") and not several:
            self.kept |= dict.fromkeys(_given(node), 1)
        if isinstance(node.func, ast.Attribute):
            if node.func.attr in _QUIET:
                self.kept[node.func.value] = 1
            elif node.func.attr in _ADDING:
                self.kept[node.func.value] = WHOLE
                self._add(node, node.func, own)

    def _add(self, node: ast.Call, method: ast.Attribute, own: bool) -> None:
        """Note what a method of a list stores."""
        place, part = _ADDING[method.attr]
        value = node.args[place] if len(node.args) > place else None
        base, indices = _chain(method.value)
        depth = len(indices) + 1
        self._keep(dotted(base), Store(value, part, depth), own)

    def _stored(self, node: ast.AST) -> Iterator[Assignment]:
        """What a node assigns to elements; names that are one thing are taken."""
        found = [*assignments(node)]
        yield from (one for one in found if isinstance(one.target, ast.Subscript))
        several = isinstance(node, ast.Assign) and len(node.targets) > 1
        if several or isinstance(node, ast.NamedExpr):
            for one in found:
                self.found[one.name].taken = 0

    def _store(self, one: Assignment, own: bool) -> None:
        """Note what is assigned to elements."""
        base, indices = _chain(one.target)
        sliced = any(isinstance(index, ast.Slice) for index in indices)
        known = isinstance(one.value, ast.expr) and not one.rest
        value = one.value if known and not (sliced and one.part) else None
        assert value is None or isinstance(value, ast.expr)
        self._keep(dotted(base), Store(value, one.part or sliced, len(indices)), own)

    def _keep(self, name: str, store: Store, own: bool) -> None:
        if own:
            self.found[name].stores.append(store)
        else:
            self.found[name].taken = 0

    def _take(self, nodes: Sequence[ast.AST]) -> None:
        """Note which parts go where more may happen to them."""
        inner, bases = continued(nodes), set[ast.AST]()
        for node in nodes:
            if isinstance(node, ast.Subscript) and node not in inner:
                base, indices = subscripts(node)
                bases.add(base)
                if isinstance(node.ctx, ast.Load):
                    self._leave(node, dotted(base), len(indices))
        names = (x for x in nodes if isinstance(x, ast.Name | ast.Attribute))
        for name in names:
            if name not in bases and isinstance(name.ctx, ast.Load):
                self._leave(name, dotted(name), 0)

    def _leave(self, node: ast.AST, name: str, depth: int) -> None:
        one = self.found[name]
        one.taken = min(one.taken, depth + self.kept.get(node, 0))


def _given(node: ast.Call) -> Iterator[ast.expr]:
    """What a call is given."""
    yield from node.args
    yield from (one.value for one in node.keywords)


def _chain(node: object) -> tuple[ast.AST, list[ast.expr]]:
    """What is subscripted, and how."""
    assert isinstance(node, ast.expr)
    return subscripts(node) if isinstance(node, ast.Subscript) else (node, [])
