"""Which arrays of a function may share memory.

Every name gets the set of places its memory may come from: an argument, an attribute, a
global, or an allocation. Views keep the places of their array, copies have a new one.
Two arrays may share memory when their places meet. Control flow is not looked at: a
name has the places of all its bindings.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from looptx.source.calls import BUILTINS, NUMPY, REDUCING, inputs
from looptx.source.imports import dotted
from looptx.source.integers import VIEWS, Kinds
from looptx.source.scope import Binding, Scope
from looptx.source.subscripts import subscripts
from looptx.source.walking import walked

_MADE_TEXT = """
zeros ones empty full zeros_like ones_like empty_like full_like arange linspace
logspace eye identity tile
"""
_MADE = frozenset(_MADE_TEXT.split())
_RANDOM = frozenset(("random", "standard_normal", "uniform", "integers", "normal"))
_FRESH_NUMPY_TEXT = """
copy repeat concatenate stack vstack hstack
column_stack outer dot matmul cumsum cumprod sort argsort tri tril triu
random.rand random.randn random.random random.standard_normal random.uniform
"""
_FRESH_NUMPY = frozenset(_FRESH_NUMPY_TEXT.split()).union(
    NUMPY - {"real", "imag"}, _MADE, REDUCING
)
_FRESH_METHODS = frozenset(("copy", "dot", "cumsum", "cumprod", "argsort")).union(
    ("tolist", "item"), _RANDOM, REDUCING
)
# Others may return what they are given: dict, getattr, list, max, next, tuple, zip ...
_FRESH_BUILTINS = frozenset(
    f"builtins.{name}" for name in (BUILTINS | {"id", "print"}) - {"max", "min", "sum"}
)
Places = frozenset[str]
_NONE: Places = frozenset()


class Memory:
    """Where the memory of a function's arrays comes from."""

    def __init__(self, kinds: Kinds) -> None:
        self.scope = kinds.scope
        self.numbers = kinds.integers | kinds.numbers.names
        self.arrays = kinds.arrays
        self._places: dict[str, Places] = {}
        self._solve()

    def aliases(self, arrays: Iterable[str]) -> frozenset[frozenset[str]]:
        """The pairs of these arrays that may share memory."""
        names = sorted(set(arrays))
        for name in names:
            self._of_name(name)
        pairs = {
            frozenset((first, second))
            for first in {*names, *self._swapped()}
            for second in {*names, *self._swapped()}
            if first != second and _meet(self._of_name(first), self._of_name(second))
        }
        pairs = self._swap_closure(pairs, names)
        return frozenset(pair for pair in pairs if pair <= set(names))

    def is_given(self, array: str) -> bool:
        """Whether a name is an array that may come from outside.

        A call can give one array under two such names: ``aliases`` does not say that.
        """
        return array in self.arrays and any(
            not place.startswith("@") for place in self._of_name(array)
        )

    def _swap_groups(self) -> list[frozenset[str]]:
        """Names that exchange their arrays, as groups."""
        groups: list[frozenset[str]] = []
        for name, bindings in self.scope.bindings.items():
            for binding in bindings:
                if binding.kind == "swap" and binding.value is not None:
                    group = frozenset((name, dotted(binding.value)))
                    meeting = [g for g in groups if g & group]
                    groups = [g for g in groups if not g & group]
                    groups.append(group.union(*meeting))
        return groups

    def _swapped(self) -> frozenset[str]:
        return frozenset().union(*self._swap_groups())

    def _swap_closure(
        self, pairs: set[frozenset[str]], names: Iterable[str]
    ) -> set[frozenset[str]]:
        """What may alias one of a group of exchanged names may alias all of them."""
        found = set(pairs)
        while True:
            more: set[frozenset[str]] = set()
            for group in self._swap_groups():
                for pair in found:
                    touched = pair & group
                    others = pair - group
                    if len(touched) == 2:
                        more |= {
                            frozenset((a, b)) for a in group for b in group if a != b
                        }
                    elif touched:
                        more |= {others | {member} for member in group}
            if more <= found:
                return found
            found |= more

    def _solve(self) -> None:
        """Places of all bound names: grown until nothing changes."""
        for name in self.scope.bindings:
            self._places[name] = _NONE
        changed = True
        while changed:
            changed = False
            for name, bindings in self.scope.bindings.items():
                found = self._places[name].union(
                    *(self._of_binding(name, one) for one in bindings)
                )
                if found != self._places[name]:
                    self._places[name] = found
                    changed = True

    def _of_binding(self, name: str, binding: Binding) -> Places:
        if binding.kind == "arg":
            return frozenset((name,))
        if binding.kind in ("swap", "range"):
            return _NONE
        if binding.value is None:
            return frozenset((f"?{name}",))
        found = self._of(binding.value)
        if binding.kind == "other":
            # The parts of a new tuple are different arrays.
            return frozenset(
                f"{p}#{name}" if p[0] == "@" and "#" not in p else p for p in found
            )
        return found

    def _of_name(self, name: str) -> Places:
        """Places of a (dotted) name; one that is never bound is a place of its own."""
        if name in self.numbers:
            return _NONE
        if name in self._places:
            own = self._places[name]
            if "." not in name:
                return own
        else:
            own = _NONE
        base, dot, attribute = name.rpartition(".")
        if not dot:
            return own or frozenset((name,))
        return own | {_member(place, attribute) for place in self._of_name(base)}

    def _of(self, node: ast.expr) -> Places:
        match node:
            case ast.Name():
                return self._of_name(node.id)
            case ast.Attribute(value=value, attr=attr):
                if attr in VIEWS:
                    return self._of(value)
                if dotted(node):
                    return self._of_name(dotted(node))
                return frozenset(_member(place, attr) for place in self._of(value))
            case ast.Subscript():
                base, _ = subscripts(node)
                return self._of(base)
            case ast.IfExp(_, value, other):
                return self._of(value) | self._of(other)
            case ast.BoolOp(_, values) | ast.Tuple(values) | ast.List(values):
                return _NONE.union(*map(self._of, values))
            case ast.Starred(value) | ast.NamedExpr(_, value) | ast.Await(value):
                return self._of(value)
            case ast.Call():
                return self._of_call(node)
            case ast.Constant():
                return _NONE
            case ast.BinOp() | ast.UnaryOp() | ast.Compare():
                return _fresh(node)
        return _fresh(node).union(
            *(self._of_name(n.id) for n in walked(node) if isinstance(n, ast.Name))
        )

    def _of_call(self, node: ast.Call) -> Places:
        if is_fresh(node, self.scope):
            return _fresh(node)
        passed = _NONE.union(
            *map(self._of, node.args), *(self._of(k.value) for k in node.keywords)
        )
        if not self.scope.resolve(node.func) and isinstance(node.func, ast.Attribute):
            passed |= self._of(node.func.value)
        return passed | _fresh(node)


def is_fresh(call: ast.Call, scope: Scope) -> bool:
    """Whether a call surely gives what shares no memory, and writes to no array."""
    written = ("out", "copy", "overwrite_input", None)
    plain = not any(k.arg in written for k in call.keywords)
    given = len(call.args)
    name = scope.resolve(call.func)
    module, _, function = name.partition(".")
    if module == "numpy":
        most = inputs(function) if function in NUMPY else 2
        return (
            function in _FRESH_NUMPY and plain and (function in _MADE or given <= most)
        )
    if name or not isinstance(call.func, ast.Attribute):
        return module == "math" or name in _FRESH_BUILTINS
    method = call.func.attr
    if method == "astype":
        return given == 1 and not call.keywords
    return method in _FRESH_METHODS and plain and given <= 1


def is_pure(call: ast.Call, scope: Scope) -> bool:
    """Whether a call surely gives the same value a moment before, and does no more."""
    name = scope.resolve(call.func)
    drawn = name.startswith("numpy.random.") or (
        not name and isinstance(call.func, ast.Attribute) and call.func.attr in _RANDOM
    )
    return is_fresh(call, scope) and not drawn and name != "builtins.print"


def _fresh(node: ast.expr) -> Places:
    """The place of memory that an expression allocates."""
    return frozenset((f"@{node.lineno}:{node.col_offset}",))


def _member(place: str, attribute: str) -> str:
    """The place of an attribute; deep ones are the place of what they belong to."""
    return place if place.count(".") >= 4 else f"{place}.{attribute}"


def _meet(first: Places, second: Places) -> bool:
    """Whether two sets of places overlap; an object overlaps with its attributes."""
    return any(
        a == b or a.startswith(f"{b}.") or b.startswith(f"{a}.")
        for a in first
        for b in second
    )
