"""The names of one function: how each is bound, and what is visible from elsewhere."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

from looptx.model.callees.callee import Callee
from looptx.model.callees.cells import Read
from looptx.model.records import dataclass
from looptx.model.trees import dotted
from looptx.source.ast_tools import walked
from looptx.source.names.assignments import ASSIGNING, assignments
from looptx.source.names.calls import is_known, sees_variables
from looptx.source.names.captures import COMPREHENSIONS, captured
from looptx.source.names.imports import (
    SCOPES,
    arguments,
    bound_names,
    own_nodes,
    resolve,
    scope_imports,
)

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef

Known: TypeAlias = Callable[[str], Callee | None]
"""Finds a function of the user by its full name."""

GIVEN = ".."
"""Begins the full name of what an argument, or an object that is one, is called for."""

Inside: TypeAlias = Callable[["Scope", Known], Callable[[str, ast.AST], Callee | None]]
"""Finds those that a function defines itself: see ``callees.inside``."""


@dataclass(frozen=True, slots=True)
class Binding:
    """One way a name gets a value.

    ``kind`` is ``arg``, ``value`` (``value`` is what is assigned), ``range`` (a loop
    over ``range``), ``swap`` (``A, B = B, A``: the same arrays under exchanged names),
    or ``other`` (``value`` is what the value was taken from, when there is one;
    ``rest`` tells that several of its parts may be).
    """

    kind: str
    value: ast.expr | None = None
    annotation: str = ""
    rest: bool = False


_KEPT = 4
"""How many scopes are kept for who asks next: of a function and those in it."""

_last: list[tuple[Mapping[str, str], Scope]] = []


def surveyed(function: Function, imports: Mapping[str, str]) -> Scope:
    """The scope of a function that calls none of the user's.

    One spelling after the other asks for it, and most leave the function as it is.

    Args:
        function: of a tree that is not changed any more. imports: as of ``Scope``.
    """
    for outer, one in _last:
        if one.function is function and outer == imports:
            return one
    made = Scope(function, imports)
    _last[:] = [(dict(imports), made), *_last[: _KEPT - 1]]
    return made


class Scope:
    """What is known of a function's names, independent of control flow.

    Attributes:
        imports: meanings of names inside the function.
        bindings: by name; dotted names (``self.h``) that are assigned included.
        shared: names other code can see or change: global, nonlocal, captured.
        foreign: those that other code can bind, too.
        wild: whether the function looks at its variables by name (``locals()``).
        identifiers: every identifier that occurs.
        callees: the functions of the user that it calls, by what calls name.
    """

    def __init__(
        self,
        function: Function,
        imports: Mapping[str, str],
        known: Known = lambda full: None,
        inside: Inside = lambda *_: lambda name, node: None,
    ) -> None:
        self.function = function
        self.imports = scope_imports(function, imports)
        self.bindings: dict[str, list[Binding]] = {}
        self.annotations: dict[str, str] = {}
        self._parts: dict[ast.AST, Mapping[str, Sequence[Binding]]] = {}
        for argument in arguments(function):
            text = annotation_text(argument.annotation)
            self._bind(argument.arg, Binding("arg", annotation=text))
        own = [node for node in own_nodes(function) if node is not function]
        for name, binding in bindings(own, self.imports):
            self._bind(name, binding)
        for node in (each for each in own if isinstance(each, ast.AnnAssign)):
            text = annotation_text(node.annotation)
            if isinstance(node.target, ast.Name) and text:
                self.annotations[node.target.id] = text
        for name in _nonlocal(own) & self.bindings.keys():
            self._bind(name, Binding("other"))
        self.shared = frozenset((*_shared(own), *members(function)))
        self.foreign = frozenset(_foreign(function))
        self.callees = dict(self._callees(own, known, inside))
        for one in (x for callee in self.callees.values() for x in callee.all()):
            self.imports |= one.meanings
        self.wild = any(
            isinstance(node, ast.Call) and sees_variables(self.resolve(node.func))
            for node in own
        )
        self.identifiers = frozenset(_identifiers(function))

    def resolve(self, node: ast.AST) -> str:
        """The full name an expression stands for, empty when unknown."""
        return resolve(node, self.imports)

    def _callees(
        self, own: Sequence[ast.AST], known: Known, inside: Inside
    ) -> Iterator[tuple[str, Callee]]:
        """The functions of the user that are called, with what calls name."""
        local = inside(self, known)
        for node in own:
            if not isinstance(node, ast.Call):
                continue
            name = dotted(node.func)
            # Of an argument the caller knows what it leads to, see ``native``.
            found = known(self.resolve(node.func) or f"{GIVEN}{name}")
            if found is not None:
                yield name, found.seen_from(self.bindings)
            elif isinstance(node.func, ast.Name):
                found = local(node.func.id, node)
                if found is not None:
                    yield node.func.id, found

    def callee(self, node: ast.AST) -> Callee | None:
        """The function of the user that a call is of, if it can be in its place."""
        if not isinstance(node, ast.Call):
            return None
        found = self.callees.get(dotted(node.func))
        if found is None or found.refused or found.given(node) is None:
            return None
        return found

    def read(self, node: ast.AST) -> list[Read]:
        """The elements that are read by the function of the user that a call is of."""
        callee = self.callee(node)
        if callee is None or not isinstance(node, ast.Call):
            return []
        return callee.read(node)

    def runs(self, node: ast.AST) -> bool:
        """Whether a statement calls functions of the user that tell by what they run.

        That is what they do to arrays.
        """
        return any(
            callee.runs_in(part)
            for part in walked(node)
            if isinstance(part, ast.Call) and (callee := self.callee(part)) is not None
        )

    def hides(self, builtin: str) -> bool:
        """Whether the name of a builtin means something else here, or may do so."""
        full = f"builtins.{builtin}"
        return self.imports.get(builtin, full) != full

    def is_range(self, node: ast.AST) -> bool:
        """Whether an expression is a call of the builtin ``range``."""
        return _is_range(node, self.imports)

    def is_range_loop(self, node: ast.AST) -> bool:
        """Whether a statement is ``for NAME in range(...)``, ``reversed`` or not."""
        if not isinstance(node, ast.For) or not isinstance(node.target, ast.Name):
            return False
        return counted(node.iter, self.imports) is not None

    def counted(self, node: ast.For) -> ast.Call:
        """The ``range`` of such a loop."""
        found = counted(node.iter, self.imports)
        assert found is not None
        return found

    def surely_runs(self, node: ast.stmt) -> bool:
        """Whether a statement is a loop over numbers, at least one, that it says."""
        if not isinstance(node, ast.For) or not self.is_range_loop(node):
            return False
        try:
            return bool(range(*map(ast.literal_eval, self.counted(node).args)))
        except (TypeError, ValueError):
            return False

    def runs_other_code(self, node: ast.AST) -> bool:
        """Whether a node is a call of something unknown: it may change attributes."""
        if not isinstance(node, ast.Call):
            return isinstance(node, ast.Await | ast.Yield | ast.YieldFrom)
        name = self.resolve(node.func)
        known = name.startswith("numpy.") or is_known(name)
        known = known or self.callee(node) is not None
        return not known and counted(node, self.imports) is None

    def bound_in(self, root: ast.AST) -> Mapping[str, Sequence[Binding]]:
        """How a statement of the function, or a part of one, binds names."""
        if root not in self._parts:
            found: dict[str, list[Binding]] = {}
            for name, binding in bindings(own_nodes(root, enter=False), self.imports):
                found.setdefault(name, []).append(binding)
            self._parts[root] = found
        return self._parts[root]

    def _bind(self, name: str, binding: Binding) -> None:
        self.bindings.setdefault(name, []).append(binding)


def members(function: Function) -> Mapping[str, str]:
    """The variables that stand for numbers of objects, as ``self.t``, with these."""
    found = vars(function).get("members", {})
    assert isinstance(found, dict)
    return found


def bindings(
    nodes: Sequence[ast.AST], imports: Mapping[str, str]
) -> Iterator[tuple[str, Binding]]:
    """How nodes of one scope bind (dotted) names.

    Variables of comprehensions are their own. What is assigned in one may be made of
    them: it may be anything.
    """
    inside = {
        part
        for node in nodes
        if isinstance(node, COMPREHENSIONS)
        for part in walked(node)
        if isinstance(part, ast.NamedExpr)
    }
    for node in nodes:
        if node in inside:
            assert isinstance(node, ast.NamedExpr)
            yield dotted(node.target), Binding("other")
        elif not isinstance(node, ast.comprehension):
            yield from bound_by(node, imports)


def bound_by(
    node: ast.AST, imports: Mapping[str, str]
) -> Iterator[tuple[str, Binding]]:
    """How a node itself binds names."""
    if not isinstance(node, ASSIGNING):
        if isinstance(getattr(node, "ctx", None), ast.Del) and dotted(node):
            yield dotted(node), Binding("other")
        return
    text = annotation_text(node.annotation) if isinstance(node, ast.AnnAssign) else ""
    ranged = None
    match node:
        case ast.For(ast.Name(), over) | ast.comprehension(ast.Name(), over):
            ranged = counted(over, imports)
    for one in assignments(node):
        value = one.value if isinstance(one.value, ast.expr) else None
        kind = "other" if one.part or value is None else "value"
        if one.swap:
            kind = "swap"
        elif ranged is not None:
            # Backwards, too, it gives the numbers of its range.
            kind, value = "range", ranged
        if one.name:
            yield one.name, Binding(kind, value, text, one.rest)


def _is_range(node: ast.AST, imports: Mapping[str, str]) -> bool:
    """Whether an expression is a call of the builtin ``range``."""
    return (
        isinstance(node, ast.Call) and resolve(node.func, imports) == "builtins.range"
    )


def counted(node: ast.AST, imports: Mapping[str, str]) -> ast.Call | None:
    """The ``range`` that a loop goes through if it is over this, maybe backwards."""
    match node:
        case ast.Call(function, [ast.Call() as inner], []):
            if resolve(function, imports) == "builtins.reversed":
                return inner if _is_range(inner, imports) else None
    return node if isinstance(node, ast.Call) and _is_range(node, imports) else None


def annotation_text(node: ast.expr | None) -> str:
    """An annotation as text; one written as a string without its quotes.

    What may be of several types says nothing, which ``int | None`` and
    ``Optional[int]`` are.
    """
    if node is None:
        return ""
    text = ast.unparse(node)
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        text = node.value
    name, _, more = text.partition("[")
    several = name.rpartition(".")[2].strip() in ("Optional", "Union")
    return "" if "|" in text or (several and more) else text


def is_continued(name: str, bindings: Sequence[Binding]) -> bool:
    """Whether each value of an attribute is of the last: the first is elsewhere."""
    return "." in name and all(
        one.value is not None and any(dotted(n) == name for n in walked(one.value))
        for one in bindings
    )


def _shared(own: list[ast.AST]) -> Iterator[str]:
    """Names declared global or nonlocal, and those that scopes inside take."""
    for node in own:
        if isinstance(node, ast.Global | ast.Nonlocal):
            yield from node.names
        elif isinstance(node, SCOPES | ast.GeneratorExp):
            yield from captured(node)


def _foreign(function: Function) -> Iterator[str]:
    """Names that are declared global or nonlocal here, or in a scope inside."""
    for node in walked(function):
        if isinstance(node, ast.Global | ast.Nonlocal):
            yield from node.names


def _nonlocal(own: list[ast.AST]) -> frozenset[str]:
    """Names that functions inside may give other values."""
    return frozenset(
        name
        for node in own
        if isinstance(node, SCOPES)
        for inner in walked(node)
        if isinstance(inner, ast.Nonlocal)
        for name in inner.names
    )


def _identifiers(function: Function) -> Iterator[str]:
    nodes = walked(function)
    yield from bound_names(nodes)
    for node in nodes:
        match node:
            case ast.Name(name) | ast.arg(name):
                yield name
            case ast.Global(names) | ast.Nonlocal(names):
                yield from names
