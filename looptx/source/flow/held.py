"""What names hold where a nest starts, as far as the function says it.

Statements in front of a nest are followed one after the other; what stands in a loop,
or in any other block, may run never or again and again (a fixed point over *a Python
integer*, *an integer* and *anything*: Cousot, Cousot 1977). Whatever is not seen to be
an integer may be anything. An argument may be a NumPy number, and so may what is
computed of one: its arithmetic wraps, and its type spreads to what it meets.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping, Sequence

from looptx.model.dtypes import INTEGERS
from looptx.model.functions import lookup
from looptx.model.records import dataclass
from looptx.model.trees import dotted
from looptx.source.ast_tools import walked
from looptx.source.kinds.integers import Kinds
from looptx.source.liveness import binds
from looptx.source.names.enclosing import enclosing
from looptx.source.names.imports import own_nodes
from looptx.source.names.scope import Binding
from looptx.source.names.subscripts import elements, subscripts


@dataclass(frozen=True, slots=True)
class Held:
    """What a name holds.

    Attributes:
        python: whether it is a Python integer.
        arrays: those whose elements have to be integers for it to be one; None: it may
            be something else all the same.
    """

    python: bool
    arrays: frozenset[str] | None

    def join(self, other: Held) -> Held:
        """What a name holds that holds one or the other."""
        if self.arrays is None or other.arrays is None:
            return ANYTHING
        return Held(self.python and other.python, self.arrays | other.arrays)


ANYTHING = Held(False, None)
INTEGER = Held(False, frozenset())
PYTHON = Held(True, frozenset())
"""A Python integer; also what a name holds that has no value yet."""

State = dict[str, Held]


def held(
    kinds: Kinds, root: ast.For | ast.While | ast.If, names: Collection[str]
) -> State:
    """What names hold where a nest starts.

    Args:
        kinds: what names of the function are.
        root: the nest.
        names: those that are asked about.
    """
    found = _Flow(kinds, root, names).found()
    return {name: found[name] for name in names}


class _Flow:
    """What names hold on the way through a function to one of its nests."""

    def __init__(
        self, kinds: Kinds, root: ast.For | ast.While | ast.If, names: Collection[str]
    ) -> None:
        self.scope = kinds.scope
        self.kinds = kinds
        self.root = root
        self.names = self._made_of(names)
        self.seen = frozenset(filter(self._shows, kinds.definite(root)))
        fixed = self.seen | self.scope.foreign
        self.bound = self.names & self.scope.bindings.keys() - fixed
        self.attributes = [name for name in self.bound if "." in name]

    def found(self) -> State:
        """What names hold where the nest starts."""
        state = {name: self._given(name) for name in self.names}
        function = self.scope.function
        for step in enclosing(function, self.root):
            around = step.around
            if around is not function:
                # The nest may come after any statement of a loop around it, and after
                # a part of any other block.
                before = around.test if isinstance(around, ast.If) else around
                state = self._maybe(before, state)
            for stmt in step.before:
                state = self._after(stmt, state)
        nest = self.root.body if isinstance(self.root, ast.If) else [self.root]
        for name in self.kinds.within(nest) & state.keys() - binds(nest):
            if state[name] == ANYTHING:
                state[name] = INTEGER
        return state

    def _made_of(self, names: Collection[str]) -> frozenset[str]:
        """Some names, and those that their values are computed of."""
        found, left = set[str](), [*names]
        while left:
            name = left.pop()
            if name and name not in found:
                found.add(name)
                for one in self.scope.bindings.get(name, ()):
                    left += map(dotted, walked(one.value) if one.value else ())
        return frozenset(found)

    def _shows(self, name: str) -> bool:
        """Whether uses of a name tell what it holds: it is bound no more than once."""
        bindings = self.scope.bindings.get(name, [])
        return len(bindings) <= ("." not in name) and all(
            one.kind in ("arg", "other") and not one.annotation for one in bindings
        )

    def _given(self, name: str) -> Held:
        """What a name holds when the function is called."""
        if name in self.seen:
            return INTEGER
        if name not in self.bound or name in self.attributes:
            return ANYTHING
        first = [one for one in self.scope.bindings[name] if one.kind == "arg"]
        if not first:
            return PYTHON
        return INTEGER if all(map(self.kinds.is_declared, first)) else ANYTHING

    def _after(self, stmt: ast.stmt, state: State) -> State:
        """What names hold after a statement."""
        found = self._maybe(stmt, state)
        if isinstance(stmt, ast.Assign | ast.AnnAssign | ast.AugAssign):
            inside = [x for x in walked(stmt) if isinstance(x, ast.NamedExpr)]
            within = {one.target.id for one in inside}
            before = found.copy() if inside else state
            for name, bindings in self._bindings(stmt):
                if len(bindings) == 1 and name not in within:
                    found[name] = self._bound(bindings[0], name, before)
        return found

    def _maybe(self, node: ast.AST, state: State) -> State:
        """What names hold after some of what binds them, once or again and again."""
        found = state | dict.fromkeys(self._disturbed(node), ANYTHING)
        before: State = {}
        while before != found:
            before = found.copy()
            for name, bindings in self._bindings(node):
                for binding in bindings:
                    new = self._bound(binding, name, found)
                    found[name] = found[name].join(new)
        return found

    def _bindings(self, node: ast.AST) -> Iterator[tuple[str, Sequence[Binding]]]:
        """How a statement, or a part of one, binds names that are asked about."""
        for name, bindings in self.scope.bound_in(node).items():
            if name in self.bound:
                yield name, bindings

    def _disturbed(self, node: ast.AST) -> Iterator[str]:
        """The attributes that a statement may change: by other code, or other names."""
        if not self.attributes:
            return
        parts = own_nodes(node, enter=False)
        other = any(map(self.scope.runs_other_code, parts))
        rebound = self.scope.bound_in(node).keys()
        stored = {
            (part.attr, dotted(part))
            for part in parts
            if isinstance(part, ast.Attribute) and not isinstance(part.ctx, ast.Load)
        }
        for name in self.attributes:
            base, _, own = name.rpartition(".")
            again = any(f"{base}.".startswith(f"{each}.") for each in rebound)
            alias = any(attr == own and text != name for attr, text in stored)
            if other or again or alias:
                yield name

    def _bound(self, binding: Binding, name: str, state: State) -> Held:
        """What a binding gives a name."""
        if binding.kind == "range":
            return PYTHON
        if binding.kind == "other" or binding.value is None:
            return ANYTHING
        found = self._of(binding.value, state)
        return INTEGER if found == PYTHON and "." in name else found

    def _of(self, value: ast.expr, state: Mapping[str, Held]) -> Held:
        """What an expression gives."""
        read = frozenset(map(dotted, walked(value))) & state.keys()
        if self.kinds.is_integer(
            value, frozenset(name for name in read if state[name].python)
        ):
            return PYTHON
        if isinstance(value, ast.Call):
            called = lookup(self.scope.resolve(value.func))
            if called.is_type and called.converts in INTEGERS:
                return INTEGER
        integers = {name: state[name].arrays for name in read}
        known = frozenset(n for n, arrays in integers.items() if arrays is not None)
        of = frozenset[str]().union(*filter(None, integers.values()))
        arrays = frozenset(
            dotted(subscripts(node)[0])
            for node in walked(value)
            if isinstance(node, ast.Subscript)
        )
        for needed in (frozenset[str](), arrays):
            cells = frozenset(map(elements, filter(self._stays, needed)))
            if self.kinds.is_integer(value, known | cells):
                return Held(False, needed | of)
        return ANYTHING

    def _stays(self, array: str) -> bool:
        """Whether a name means the same array from its first binding on."""
        bindings = self.scope.bindings.get(array, [])
        return len(bindings) <= 1 and array not in self.scope.foreign
