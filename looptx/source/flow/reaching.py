"""Which definitions reach a nest: how the names it reads may have got what they hold.

Statements in front of the nest are followed one after the other; what stands in a loop,
or in any other block, may run never or again and again. (Aho, Lam, Sethi, Ullman:
*Compilers*, 2006, 9.2.4.) Names of modules and of functions around have all that
is assigned to them anywhere.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from looptx.model.records import dataclass, field, replace
from looptx.model.trees import dotted
from looptx.model.types import WHOLE, Definition, Way
from looptx.source.ast_tools import once, walked
from looptx.source.flow.keeping import uses
from looptx.source.liveness import passes_on
from looptx.source.names.captures import comprehended
from looptx.source.names.enclosing import enclosing
from looptx.source.names.imports import (
    FUNCTIONS,
    arguments,
    own_nodes,
    stored,
)
from looptx.source.names.locality import functions
from looptx.source.names.scope import Binding, Function, Scope, bindings, bound_by

State: TypeAlias = Mapping[str, frozenset[int]]
_NOWHERE: State = {}
_ANYWHERE: State = {}
"""Stands for all that the function assigns to any name, wherever."""

_WAYS = {"arg": Way.GIVEN, "value": Way.VALUE, "swap": Way.VALUE, "range": Way.COUNT}
"""Other kinds of bindings may give anything."""
_LEAVING = ast.Return | ast.Raise | ast.Continue | ast.Break


@dataclass
class Reaching:
    """What reaches a nest.

    Attributes:
        scope: the names of the function. module: that of the function.
        definitions: all of them that have been met.
    """

    scope: Scope
    module: ast.Module
    definitions: list[Definition] = field(default_factory=list)
    _known: dict[tuple[str, int, bool], int] = field(default_factory=dict)
    _free: dict[str, frozenset[int]] = field(default_factory=dict)
    _whole: dict[str, frozenset[int]] = field(default_factory=dict)
    _homes: dict[str, ast.AST] = field(default_factory=dict)
    _later: list[tuple[str, Binding, State | None]] = field(default_factory=list)

    def at(
        self, root: ast.stmt, names: Iterable[str], unset: Collection[str] = ()
    ) -> State:
        """The definitions of names that reach a statement of the function.

        Args:
            root: the statement. names: those that are asked about.
            unset: those of the function that may have no value there.
        """
        function = self.scope.function
        state: State | None = self._arguments()
        for step in enclosing(function, root):
            around = step.around
            if isinstance(around, ast.If):
                state = self._where(around.test, state, step.block is around.body)
            elif around is not function:
                state = self._maybe(around, state)
            state = self._block(step.before, state)
        found = {name: self._reach(name, state or {}) for name in names}
        while self._later:
            self._define(*self._later.pop())
        never = {name: self._define(name, Binding("never"), None) for name in unset}
        return {x: y | {never[x]} if x in never else y for x, y in found.items()}

    def _arguments(self) -> State:
        """What the function is called with."""
        args = self.scope.function.args
        spread = {one.arg for one in (args.vararg, args.kwarg) if one is not None}
        found: dict[str, frozenset[int]] = {}
        for name, default in given(self.scope.function):
            bindings = self.scope.bindings.get(name, ())
            kind = "other" if name in spread else "arg"
            texts = (one.annotation for one in bindings if one.kind == "arg")
            ways = [Binding(kind, annotation=next(texts))]
            if default is not None:
                ways.append(Binding("value", default))
            found[name] = frozenset(self._define(name, one, None) for one in ways)
        return found

    def _reach(self, name: str, state: State | None) -> frozenset[int]:
        """The definitions of a name; without a state only those of scopes around."""
        own = frozenset[int]() if state is None else state.get(name, frozenset())
        if state is _ANYWHERE:
            own = self._anywhere(name)
        foreign = name in self.scope.foreign
        if "." in name or (
            state is not None and name in self.scope.bindings and not foreign
        ):
            return own
        if name not in self._free:
            self._free[name] = frozenset()
            self._free[name] = frozenset(
                self._define(name, one, None) for one in self._outside(name)
            )
        return own | self._free[name]

    def _outside(self, name: str) -> Iterator[Binding]:
        """What a module, or a function around, gives to a name."""
        if name in self.scope.foreign:
            yield from _bound(self.scope.function, self.scope.imports).get(name, ())
        for scope in _around(self.module, self.scope.function):
            if found := _bound(scope, self.scope.imports).get(name):
                self._homes[name] = scope
                yield from found
                return

    def _define(
        self,
        name: str,
        binding: Binding,
        state: State | None,
        inner: State = _NOWHERE,
    ) -> int:
        """The number of a definition; what reaches it is added to it.

        Args:
            name, binding: what is defined. state: what is defined in front of it.
            inner: the variables of comprehensions that it stands in.
        """
        number, value = self._declare(name, binding, state), binding.value
        if value is not None:
            known = self.definitions[number].reads
            found = self._reads(value, state, inner)
            reads = {one: known.get(one, frozenset()) | found[one] for one in found}
            self.definitions[number] = replace(self.definitions[number], reads=reads)
        return number

    def _declare(self, name: str, binding: Binding, state: State | None) -> int:
        """The number of a definition; what reaches it is not looked at.

        Args:
            name, binding: what is defined. state: what is defined in front of it.
        """
        key = name, id(binding.value or binding), state is _ANYWHERE
        if binding.value is None:
            key = f"{name}:{binding.kind}", 0, False
        value = binding.value
        if key not in self._known:
            way = _WAYS.get(binding.kind, Way.OTHER)
            if binding.kind == "other" and value is not None and not binding.rest:
                way = Way.PART
            self._known[key] = len(self.definitions)
            full = self._functions(value) if value is not None else {}
            made = Definition(way, name, value, binding.annotation, {}, full)
            self.definitions.append(made)
            if value is not None and self._may_be_list(value):
                stores, taken = self._stored(name, state)
                made = replace(made, stores=stores, taken=taken)
                self.definitions[self._known[key]] = made
        return self._known[key]

    def _may_be_list(self, value: ast.expr) -> bool:
        """Whether an expression is not seen to be a number or an array of NumPy."""
        if isinstance(value, ast.Call):
            return not self.scope.resolve(value.func).startswith(("numpy.", "math."))
        return not isinstance(value, ast.Constant | ast.Compare)

    def _stored(
        self, name: str, state: State | None
    ) -> tuple[frozenset[tuple[int, int]], int]:
        """What is stored into what a name holds, and what may be stored anywhere else.

        Args:
            name: the name. state: None for one of a scope around.
        """
        home = self.scope.function if state is not None else self._homes.get(name)
        one = uses(home, self.scope.imports).get(name) if home else None
        if one is None:
            return frozenset(), 0 if home is None else WHOLE
        where = None if state is None else _ANYWHERE
        found: set[tuple[int, int]] = set()
        for each in one.stores:
            binding = Binding("other" if each.part else "value", each.value)
            if each.value is None:
                binding = Binding("other")
            found.add((self._declare(f"{name}[]", binding, where), each.depth))
            self._later.append((f"{name}[]", binding, where))
        taken = 0 if "." in name or name in self.scope.foreign else one.taken
        return frozenset(found), taken

    def _anywhere(self, name: str) -> frozenset[int]:
        """All definitions of a name in the function."""
        if name not in self._whole:
            known = self.scope.bindings.get(name, ())
            more = [(name, one, _ANYWHERE) for one in known if one.kind != "arg"]
            self._later += more
            own = self._arguments().get(name, frozenset())
            self._whole[name] = own.union(self._declare(*one) for one in more)
        return self._whole[name]

    def _reads(
        self, value: ast.expr, state: State | None, inner: State
    ) -> Mapping[str, frozenset[int]]:
        """The definitions that reach the names in an expression.

        Args:
            value: the expression. state: what is defined in front of it.
            inner: the variables of comprehensions that it stands in.
        """
        nodes = walked(value)
        found = dict(inner)
        for node in nodes:
            if isinstance(node, ast.comprehension):
                for name, one in bound_by(node, self.scope.imports):
                    made = self._define(name, one, state, found)
                    found[name] = found.get(name, frozenset()) | {made}
        own = comprehended(nodes)
        free = {
            dotted(node)
            for node in nodes
            if isinstance(node, ast.Name | ast.Attribute) and node not in own
        }
        for name in free - inner.keys() - {""}:
            found[name] = found.get(name, frozenset()) | self._reach(name, state)
        return found

    def _functions(self, value: ast.expr) -> dict[str, str]:
        """The full names of what an expression reads."""
        resolve = self.scope.resolve
        found = {
            name: resolve(node) for node in walked(value) if (name := dotted(node))
        }
        return {name: full for name, full in found.items() if full}

    def _block(self, body: Sequence[ast.stmt], state: State | None) -> State | None:
        """What is defined behind statements; None where they are left."""
        for stmt in body:
            state = None if state is None else self._after(stmt, state)
        return state

    def _after(self, stmt: ast.stmt, state: State) -> State | None:
        """What is defined behind a statement."""
        match stmt:
            case _ if isinstance(stmt, _LEAVING):
                return None
            case ast.If(test, body, other):
                return _either(
                    self._block(body, self._where(test, state, True)),
                    self._block(other, self._where(test, state, False)),
                )
            case ast.Assign() | ast.AnnAssign() | ast.AugAssign():
                inside = [x for x in walked(stmt) if isinstance(x, ast.NamedExpr)]
                before = self._maybe(stmt, state) if inside else state
                names = {one.target.id for one in inside} & before.keys()
                kept = {name: before[name] for name in names}
                return {**before, **self._made(stmt, before), **kept}
            case ast.With() if all(map(passes_on, stmt.items)):
                for item in stmt.items:
                    state = {**state, **self._made(item, state)}
                return self._block(stmt.body, state)
        return self._maybe(stmt, state)

    def _made(self, node: ast.AST, state: State) -> dict[str, frozenset[int]]:
        """What a statement, or a part of one, defines."""
        return {
            name: frozenset(self._define(name, one, state) for one in bindings)
            for name, bindings in self.scope.bound_in(node).items()
        }

    def _maybe(self, node: ast.AST, state: State | None) -> State:
        """What is defined after some of what defines it, once or again and again."""
        found = state or {}
        before: State = {}
        while before != found:
            before = found
            made = self._made(node, found)
            found = _either(found, made) or {}
        return found

    def _where(self, test: ast.expr, state: State | None, holds: bool) -> State | None:
        """What is defined where a condition holds: ``x is None``."""
        match test:
            case ast.Compare(ast.Name(name), [op], [ast.Constant(None)]):
                without = isinstance(op, ast.Is) != holds
                if state and isinstance(op, ast.Is | ast.IsNot) and without:
                    kept = (x for x in state.get(name, ()) if not self._is_none(x))
                    return {**state, name: frozenset(kept)}
        if any(isinstance(node, ast.NamedExpr) for node in walked(test)):
            return self._maybe(ast.Expr(test), state)
        return state

    def _is_none(self, number: int) -> bool:
        value = self.definitions[number].value
        return isinstance(value, ast.Constant) and value.value is None


def given(function: Function) -> Iterator[tuple[str, ast.expr | None]]:
    """The arguments of a function with their defaults."""
    args = function.args
    plain = [*args.posonlyargs, *args.args]
    values = [None] * (len(plain) - len(args.defaults)) + args.defaults
    pairs = {x.arg: y for x, y in zip(plain, values, strict=True)}
    pairs |= {x.arg: y for x, y in zip(args.kwonlyargs, args.kw_defaults, strict=True)}
    for one in arguments(function):
        yield one.arg, pairs.get(one.arg)


def _either(*states: State | None) -> State | None:
    """What is defined on one of several ways."""
    known = [state for state in states if state is not None]
    if not known:
        return None
    names = {name for state in known for name in state}
    empty = frozenset[int]()
    return {x: empty.union(*(s.get(x, empty) for s in known)) for x in names}


def _around(module: ast.Module, function: Function) -> Iterator[ast.AST]:
    """The functions around one, from the inside, and the module."""
    found = [
        node
        for node in functions(module)
        if node.lineno < function.lineno
        and (node.end_lineno or 0) >= (function.end_lineno or 0)
    ]
    yield from sorted(found, key=lambda node: -node.lineno)
    yield module


@once
def _bound(
    scope: ast.AST, imports: Mapping[str, str]
) -> Mapping[str, Sequence[Binding]]:
    """What a module or a function, and functions inside for it, give to names.

    ``range`` means the same there as in what is inside, where it has a nest.
    """
    found: dict[str, list[Binding]] = {}
    if isinstance(scope, FUNCTIONS):
        for name, default in given(scope):
            values = [Binding("value", default)] if default is not None else []
            found[name] = [Binding("arg"), *values]
    others = [x for x in walked(scope) if isinstance(x, FUNCTIONS) and x is not scope]
    for inner in (scope, *others):
        nodes = [node for node in own_nodes(inner) if node is not inner]
        said = (x for x in nodes if isinstance(x, ast.Global | ast.Nonlocal))
        names = {name for one in said for name in one.names}
        for name, binding in bindings(nodes, imports):
            if inner is scope or name in names:
                found.setdefault(name, []).append(binding)
    if isinstance(scope, ast.Module):
        for name in stored(scope):
            found.setdefault(name, []).append(Binding("other"))
    return found
