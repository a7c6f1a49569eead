"""Which arrays of a function may share memory.

Every name has the places its memory may come from (see ``places``), and two arrays may
share memory when their places meet. Control flow is not looked at: a name has the
places of all its bindings, wherever in the module they are.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator

from looptx.model.trees import dotted
from looptx.source.ast_tools import once, walked
from looptx.source.flow.flows import Flows
from looptx.source.flow.places import Places, is_new, is_object, meet
from looptx.source.kinds.integers import Kinds
from looptx.source.names.namespaces import Namespace

Pairs = frozenset[frozenset[str]]


class Memory:
    """Where the memory of a function's arrays comes from.

    Args:
        kinds: what the names of the function are.
        flows: gives what those of its module may be; called when it is needed.
    """

    def __init__(self, kinds: Kinds, flows: Callable[[], Flows]) -> None:
        self.kinds = kinds
        self._flows = flows

    def aliases(self, arrays: Iterable[str]) -> Pairs:
        """The pairs of these arrays that may share memory.

        A name alone is one of which two parts may be the same memory: a list.
        """
        names = frozenset(arrays)
        if len(names) < 2 and names.isdisjoint(_chained(self.kinds.scope.function)):
            return frozenset()
        return _View(self.kinds, self._flows()).aliases(names)

    def is_given(self, array: str) -> bool:
        """Whether a name is an array that may come from outside.

        A call can give one array under two such names: ``aliases`` does not say that.
        """
        if array not in self.kinds.arrays:
            return False
        view = _View(self.kinds, self._flows())
        return not all(map(is_new, view.places(array, view.space)))


class _View:
    """The memory of a module as one of its functions sees it.

    What the function is given, and what those around it are, is taken to be apart.
    """

    def __init__(self, kinds: Kinds, flows: Flows) -> None:
        self.flows = flows
        self.variables = flows.variables
        self.space = flows.variables.inside(kinds.scope.function)
        self._given = frozenset(
            self.variables.parameter(space, name)
            for space in self.space.around()
            for name in space.arguments
        )
        own = kinds.scope.function.args
        self._tuples = {one.arg for one in (own.vararg, own.kwarg) if one}
        self._chained = _chained(kinds.scope.function)
        self._numbers = {self.variables.key(n, self.space) for n in kinds.integers}

    def places(self, name: str, space: Namespace) -> Places:
        """Where the memory of a (dotted) name comes from."""
        heap, points = self.flows.heap, self.flows.points
        first, *attributes = name.split(".")
        found = points.direct(first, space)
        # Two attributes of what is given may be one, where the file shows it.
        apart = self._given - found if attributes else self._given
        for attribute in attributes:
            found = points.attribute(heap.actual(found, apart), attribute)
        return heap.seen(found, apart) - self._numbers

    def _is_list(self, name: str) -> bool:
        """Whether the elements of a name may be arrays, and one of them twice."""
        if name not in self._chained:
            return False
        if name in self._tuples:
            return True
        found = self.flows.points.direct(name, self.space)
        return bool(self.flows.heap.held(filter(is_object, found)))

    def aliases(self, names: frozenset[str]) -> Pairs:
        """The pairs of names that may share memory.

        What may share it with one of some exchanged names may with all of them.
        """
        keys = {name: self.variables.key(name, self.space) for name in sorted(names)}
        seen = {key: (name, self.space) for name, key in keys.items()}
        for group in self.variables.exchanged.values():
            seen = {**group, **seen}
        places = {key: self.places(*where) for key, where in seen.items()}
        pairs = {
            frozenset((ours, theirs))
            for first in places
            for second in places
            if first < second and meet(places[first], places[second])
            for ours in self._variants(first)
            for theirs in self._variants(second)
        }
        lists = frozenset(frozenset((name,)) for name in filter(self._is_list, names))
        return lists.union(
            frozenset((first, second))
            for first, ours in keys.items()
            for second, theirs in keys.items()
            if first < second and frozenset((ours, theirs)) in pairs
        )

    def _variants(self, key: str) -> Iterator[str]:
        """What a variable or an attribute was called before an exchange."""
        yield key
        parts = key.split(".")
        for count in range(1, len(parts) + 1):
            for other in self.variables.exchanged.get(".".join(parts[:count]), ()):
                yield ".".join((other, *parts[count:]))


@once
def _chained(function: ast.AST) -> frozenset[str]:
    """The names with subscripts one behind the other: ``L[0][i]``."""
    return frozenset(
        dotted(node.value.value)
        for node in walked(function)
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Subscript)
    )
