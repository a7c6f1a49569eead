"""Names that are given to several arrays in turn, each with a name of its own.

``t = A[:, k]`` in one loop and ``t = A * B`` in another one are two arrays. Where each
use is of one of them alone, nothing but the name makes them one. (Webs: Chaitin,
SIGPLAN '82.)
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress

from looptx.model.naming import Taken
from looptx.model.records import dataclass
from looptx.source.ast_tools import blocks, is_loop, walked
from looptx.source.names.imports import SCOPES, arguments, own_nodes
from looptx.source.names.scope import Function, Scope
from looptx.source.spelling.edits import Change, Changes, spelling
from looptx.source.spelling.whole.reading.axes import Unlike
from looptx.source.spelling.whole.reading.extents import Extents
from looptx.source.spelling.whole.reading.ranks import known_ranks
from looptx.source.spelling.whole.uses import Uses


@spelling(is_loop)
def with_webs(function: Function, scope: Scope, axes: Mapping[str, int]) -> Changes:
    """Arrays that loops name in turn have names of their own.

    Args:
        function: it. scope: its names.
        axes: how many arguments have, where no text says so.
    """
    return _Function(function, scope, axes).changes()


def originals(function: ast.AST) -> Mapping[str, str]:
    """What the source calls the arrays of a function that have other names."""
    found = vars(function).get("webs", {})
    assert isinstance(found, dict)
    return found


def keeps_its_name(function: ast.AST, array: str, bound: Iterable[str]) -> bool:
    """Whether the source still has its name for an array where others have got names.

    Args:
        function: that has the array. array: its name here. bound: these others.
    """
    known = originals(function)
    return known.get(array, array) not in {known.get(name, name) for name in bound}


@dataclass(frozen=True)
class _Web:
    """An array while it has a name.

    Attributes:
        target: where it gets the name. uses: where that stands for it.
    """

    target: ast.Name
    uses: Sequence[ast.Name]


class _Function:
    """Takes the names of one function apart."""

    def __init__(
        self, function: Function, scope: Scope, axes: Mapping[str, int]
    ) -> None:
        self.function = function
        self.scope = scope
        self.extents = Extents(scope, known_ranks(function, scope, axes), "")

    def changes(self) -> Iterator[tuple[ast.AST, Change]]:
        """The new names."""
        if self.scope.wild:
            return
        named: dict[str, list[ast.Name]] = {}
        for node in walked(self.function):
            if isinstance(node, ast.Name):
                named.setdefault(node.id, []).append(node)
        taken = Taken(self.scope.identifiers)
        new: dict[str, str] = {}
        several = (x for x, known in self.scope.bindings.items() if len(known) > 1)
        loops = [*Uses(self.function, self.scope).outermost()]
        inside = {x for loop in loops for x in own_nodes(loop, enter=False)}
        given = {one.arg for one in arguments(self.function)}
        # What is known of the one of its arrays would be told of others.
        told = {name for node in inside for name in _told(node)}
        for name in sorted({*several} - self.scope.shared - given - told):
            outside = (x for x in named.get(name, ()) if x not in inside)
            if any(isinstance(x.ctx, ast.Load) for x in outside):
                continue
            for loop in loops:
                for web in self._webs(loop, name, named.get(name, [])):
                    own = taken.again(name)
                    new[own] = name
                    for use in (web.target, *web.uses):
                        yield use, renamed(own)
        if new:
            yield self.function, lambda node: named_apart(node, new)

    def _webs(
        self, loop: ast.stmt, name: str, nodes: Sequence[ast.Name]
    ) -> Sequence[_Web]:
        """The arrays that a loop gives a name, if each use of it is of one of them.

        Args:
            loop: an outermost one. name: the name. nodes: where it stands.
        """
        inside = {*own_nodes(loop, enter=False)}
        own = [node for node in nodes if node in inside]
        late = (node for node in nodes if node not in inside)
        if any(x.lineno >= loop.lineno and isinstance(x.ctx, ast.Load) for x in late):
            return ()
        webs = []
        for owner in (x for x in inside if not isinstance(x, SCOPES)):
            for block in blocks(owner):
                for at, stmt in enumerate(block):
                    web = self._web(stmt, name, block[at + 1 :])
                    webs += [] if web is None else [web]
        found = [x for web in webs for x in (web.target, *web.uses)]
        return webs if len(found) == len(own) == len({*found}) else ()

    def _web(self, stmt: ast.stmt, name: str, rest: Sequence[ast.stmt]) -> _Web | None:
        """The array that a statement gives a name, and the uses of that.

        Args:
            stmt: perhaps such a statement. name: the name.
            rest: what follows it in its block.
        """
        match stmt:
            case ast.Assign([ast.Name(own) as target], value) if own == name:
                pass
            case _:
                return None
        with suppress(Unlike):
            if self.extents.of(value):
                uses: list[ast.Name] = []
                for one in rest:
                    last = isinstance(one, ast.Assign) and any(
                        isinstance(x, ast.Name) and x.id == name for x in one.targets
                    )
                    part = one.value if last and isinstance(one, ast.Assign) else one
                    uses += (
                        x
                        for x in walked(part)
                        if isinstance(x, ast.Name) and x.id == name
                    )
                    if last:
                        break
                loads = all(isinstance(x.ctx, ast.Load) for x in uses)
                return _Web(target, uses) if loads else None
        return None


def _told(node: ast.AST) -> Iterator[str]:
    """The arrays that a node gives other names, or of which it tells the length."""
    match node:
        case ast.Assign(targets, ast.Name(name)):
            # What is stored into another array is nothing that another name has.
            if not all(isinstance(target, ast.Subscript) for target in targets):
                yield name
        case ast.NamedExpr(_, ast.Name(name)) | ast.AugAssign(ast.Name(name)):
            yield name
        case ast.Assign(_, value):
            yield from filter(None, map(_of, walked(value)))


def _of(node: ast.AST) -> str:
    """The name of the array whose size an expression is, or nothing."""
    match node:
        case ast.Call(ast.Name("len"), [ast.Name(name)]):
            return name
        case ast.Attribute(ast.Name(name), "shape" | "size"):
            return name
    return ""


def renamed(name: str) -> Change:
    """The change to a name."""

    def change(node: ast.AST) -> ast.AST:
        assert isinstance(node, ast.Name)
        made = ast.copy_location(ast.Name(name, node.ctx), node)
        vars(made)["called"] = called(node)
        return made

    return change


def called(node: ast.Name) -> str:
    """What the source calls what a name stands for."""
    found: str = vars(node).get("called", node.id)
    return found


def named_apart(function: ast.AST, names: Mapping[str, str]) -> ast.AST:
    """Note the names of arrays in a function, with what the source calls these."""
    vars(function)["webs"] = {**originals(function), **names}
    return function
