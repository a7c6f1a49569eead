"""Which names are integers, arrays, or neither: evidence collected from a function.

A comparison only becomes part of an iteration space when both sides are known to be
integers, so the evidence asked for is strong: an annotation, every assignment, or a use
that would fail with anything else (an argument of ``range``).
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from looptx.model.callees.cells import sure_places
from looptx.model.functions import Kind, lookup, lookup_method
from looptx.model.trees import dotted
from looptx.source.ast_tools import walked
from looptx.source.kinds.numbers import Numbers
from looptx.source.kinds.rows import with_rows
from looptx.source.kinds.stated import INTEGRAL, is_of_another
from looptx.source.names.arrays import COUNTS, TELLING, VIEWS
from looptx.source.names.calls import integral
from looptx.source.names.must_execute import must_execute, rebound, within
from looptx.source.names.scope import Binding, Scope, is_continued
from looptx.source.names.subscripts import (
    continued,
    elements,
    index_list,
    may_be_number,
    sliced,
    subscripts,
)

_ARITHMETIC = (
    ast.Add,
    ast.Sub,
    ast.Mult,
    ast.FloorDiv,
    ast.Mod,
    ast.LShift,
    ast.RShift,
)
_BITS = (ast.BitAnd, ast.BitOr, ast.BitXor)


class Kinds:
    """Integers, arrays and ranks of a function's names (dotted ones included).

    A name is an integer as its bindings tell, or uses that would fail with anything
    else. The answers differ in the uses that count, and in what they hold for; what a
    name holds at one point of the function is told by ``flow.held``.

    Attributes:
        integers: the names that are, if all uses of the function are reached. Whoever
            believes them must not change what happens where some are not.
        everywhere: those that are whenever they have a value, as their bindings tell:
            no use counts.
        arrays: the names that are used as arrays, or are given such.
        numbers: the single numbers.
        ranks: the most subscripts an array is seen with, or is seen to have.
    """

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.ranks: dict[str, int] = {}
        self._in_ranges: dict[ast.AST, frozenset[str]] = {}
        self._in_subscripts: dict[ast.AST, frozenset[str]] = {}
        self._whole: set[str] = set()
        nodes = walked(scope.function)
        longer = continued(nodes)
        for node in nodes:
            if node not in longer:
                self._look(node)
        self._annotations()
        with_rows(self.ranks, scope)
        self.numbers = self._numbers(self.may_be_view)
        self._bindings()
        self.arrays = frozenset(self.ranks) | frozenset(self._whole)
        self._uses = self._in_ranges.keys() | self._in_subscripts.keys()
        self.integers = self._integers(self._loose(), self._uses)
        self.everywhere = self._integers(self.integers, ())

    def definite(self, root: ast.For | ast.While | ast.If) -> frozenset[str]:
        """The names that are integers where a nest runs: uses count that must be
        executed whenever the nest is, before, in or behind it.

        What an argument was does not count where it surely has another value.
        """
        known = must_execute(self.scope.function, root) & self._uses
        if len(known) == len(self._uses):
            return self.integers
        gone = rebound(self.scope.function, root)
        return self._integers(self.integers, known, gone)

    def is_declared(self, binding: Binding) -> bool:
        """Whether an annotation says *integer*, and no value says something else."""
        declared = binding.annotation in INTEGRAL
        return declared and not self.is_contradicted(binding)

    def is_contradicted(self, binding: Binding) -> bool:
        """Whether an annotation says *integer*, but a value something else."""
        declared = binding.annotation in INTEGRAL
        return declared and binding.value is not None and _is_other(binding.value)

    def within(self, body: Sequence[ast.stmt]) -> frozenset[str]:
        """The names that uses in a block show to be integers, once it has run."""
        known = within(body)
        names = (
            uses[at]
            for uses in (self._in_ranges, self._in_subscripts)
            for at in known & uses.keys()
        )
        return frozenset[str]().union(*names) & self.integers

    def ranged(self, source: ast.expr) -> frozenset[str]:
        """The names that a ``range(...)`` shows to be integers: it has not failed."""
        return self._in_ranges.get(source, frozenset()) & self.integers

    def rank(self, array: str) -> int:
        """The most subscripts an array is seen with; 0 when it never is."""
        return self.ranks.get(array, 0)

    def is_integer(
        self, node: ast.expr, integers: frozenset[str] | None = None
    ) -> bool:
        """Whether an expression is known to be an integer (a ``bool`` is not)."""
        known = self.integers if integers is None else integers
        match node:
            case ast.Constant(value):
                return type(value) is int
            case ast.Name(name):
                return name in known
            case ast.Attribute(ast.Call() as call, "start" | "stop" | "step"):
                return self.scope.is_range(call)
            case ast.Attribute(attr=attr):
                counts = attr in COUNTS and dotted(node.value) in self.arrays
                return counts or dotted(node) in known
            case ast.Subscript(value=ast.Attribute(attr="shape"), slice=index):
                return self.is_integer(index, known) and bool(dotted(node.value))
            case ast.Subscript():
                return elements(dotted(sliced(node)[0])) in known
            case ast.BinOp(left, op, right) if isinstance(op, _ARITHMETIC + _BITS):
                return self.is_integer(left, known) and self.is_integer(right, known)
            case ast.BinOp(left, ast.Pow(), ast.Constant(int(power))):
                return power >= 0 and self.is_integer(left, known)
            case ast.UnaryOp(op, value) if not isinstance(op, ast.Not):
                return self.is_integer(value, known)
            case ast.IfExp(_, value, other):
                return self.is_integer(value, known) and self.is_integer(other, known)
            case ast.Call(func, [_, *_] as args, []):
                when = integral(self.scope.resolve(func))
                return when.holds(self.is_integer(arg, known) for arg in args)
        return False

    def is_untyped(self, name: str) -> bool:
        """Whether a name is an argument, no array, and has no type."""
        bindings = self.scope.bindings.get(name, [])
        plain = bool(bindings) and name not in self.arrays
        return plain and all(x.kind == "arg" and not x.annotation for x in bindings)

    def may_be_view(self, node: ast.expr) -> bool:
        """Whether an expression may give an array that shares cells with another."""
        match node:
            case ast.Name() | ast.Attribute():
                text = dotted(node)
                if isinstance(node, ast.Attribute) and node.attr in VIEWS:
                    return self.may_be_view(node.value)
                return text in self.arrays
            case ast.Subscript():
                base, taken = sliced(node)
                if isinstance(base, ast.Attribute) and base.attr == "shape":
                    return False
                while isinstance(base, ast.Attribute) and base.attr in VIEWS:
                    base = base.value
                whole = all(map(may_be_number, index_list(node)))
                return not whole or taken < self.rank(dotted(base))
            case ast.IfExp(_, value, other):
                return self.may_be_view(value) or self.may_be_view(other)
            case ast.BoolOp(_, values) | ast.Tuple(values) | ast.List(values):
                return any(map(self.may_be_view, values))
        return False

    def _look(self, node: ast.AST) -> None:
        if isinstance(node, ast.Call) and self.scope.is_range(node):
            self._in_ranges[node] = self._names(node.args)
        elif isinstance(node, ast.Call) and self.is_shaped(node):
            self._in_ranges[node] = self._names(_elements(node.args[0]))
        elif isinstance(node, ast.Subscript):
            base, indices = subscripts(node)
            below, taken = sliced(node)
            name = dotted(below)
            if name and not name.endswith(".shape"):
                axes = len(indices) if below is base else taken
                self.ranks[name] = max(self.ranks.get(name, 1), axes)
                self._in_subscripts[node] = self._names(indices)
        elif read := self.scope.read(node):
            for one in read:
                axes = len(one.indices)
                self.ranks[one.array] = max(self.ranks.get(one.array, 1), axes)
            self._in_subscripts[node] = self._names(sure_places(read))
        elif isinstance(node, ast.Attribute) and node.attr in TELLING:
            if dotted(node.value):
                self._whole.add(dotted(node.value))
        elif (
            isinstance(node, ast.Call)
            and self.scope.resolve(node.func) == "builtins.len"
        ):
            self._whole.update(filter(None, map(dotted, node.args)))

    def _names(self, found: Iterable[ast.expr]) -> frozenset[str]:
        return frozenset(name for node in found for name in self._terms(node))

    def _terms(self, node: ast.expr) -> Iterator[str]:
        """The names that must be integers for an index expression to be one."""
        match node:
            case ast.BinOp(left, op, right) if isinstance(op, _ARITHMETIC):
                yield from self._terms(left)
                yield from self._terms(right)
            case ast.UnaryOp(ast.USub() | ast.UAdd(), value):
                yield from self._terms(value)
            case ast.Call(function, args, []):
                if self.scope.resolve(function) in ("builtins.min", "builtins.max"):
                    for arg in args:
                        yield from self._terms(arg)
            case ast.Name() | ast.Attribute():
                text = dotted(node)
                if text:
                    yield text

    def is_shaped(self, node: ast.Call) -> bool:
        """Whether the first argument of a call is the shape of a new array."""
        return bool(node.args) and lookup(self.scope.resolve(node.func)).is_shaped

    def _annotations(self) -> None:
        for name, bindings in self.scope.bindings.items():
            for binding in bindings:
                text = binding.annotation or self.scope.annotations.get(name, "")
                if "[:" in text:
                    axes = text[text.index("[") :].count(",") + 1
                    self.ranks[name] = max(self.rank(name), axes)
                if "rray" in text:
                    self._whole.add(name)
            axes = min(map(self._axes, bindings), default=0)
            if axes:
                self.ranks[name] = max(self.rank(name), axes)

    def _axes(self, binding: Binding) -> int:
        """How many axes an array surely has that a binding makes: ``np.empty((n, m))``;
        0 where that is not plain."""
        match binding.value:
            case ast.Call(args=[ast.Tuple(sizes) | ast.List(sizes), *_]) as call:
                plain = not any(isinstance(one, ast.Starred) for one in sizes)
                made = binding.kind == "value" and self.is_shaped(call)
                return len(sizes) if plain and made else 0
        return 0

    def _numbers(self, is_view: Callable[[ast.expr], bool]) -> Numbers:
        """The single numbers; a name in a ``range`` is one."""
        ranged = frozenset[str]().union(*self._in_ranges.values())
        arrays = self.ranks.keys() | self._whole
        return Numbers(self.scope, arrays, ranged - arrays, is_view)

    @functools.cached_property
    def single(self) -> Numbers:
        """The single numbers where an element may be a row: ``v = A[0]`` is none."""
        return self._numbers(lambda _: True)

    def _bindings(self) -> None:
        """The names that are given arrays: made by NumPy, views, or other names."""
        while True:
            self.arrays = frozenset(self.ranks) | frozenset(self._whole)
            found = {
                name
                for name, bindings in self.scope.bindings.items()
                for one in bindings
                if self._makes_array(one)
            }
            if found <= self.arrays:
                return
            self._whole |= found

    def _makes_array(self, binding: Binding) -> bool:
        """Whether a binding gives a name an array, as far as that is plain."""
        node = binding.value
        if isinstance(node, ast.Call):
            name = self.scope.resolve(node.func)
            if name.startswith("numpy.") and not lookup(name).is_type:
                return not self.numbers.has(node)
            method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
            return lookup_method(method).kind is Kind.ARRAY
        if isinstance(node, ast.Attribute):
            return node.attr in VIEWS and not self.numbers.has(node)
        if isinstance(node, ast.List | ast.ListComp):
            return True
        return (
            node is not None
            and (binding.kind != "other" or isinstance(node, ast.Subscript))
            and self.may_be_view(node)
        )

    def _loose(self) -> frozenset[str]:
        """The names that may be integers."""
        found = frozenset(self.scope.bindings).union(
            *self._in_ranges.values(), *self._in_subscripts.values()
        )
        return frozenset(
            n for n in found if n not in self.arrays and not self._float(n)
        )

    def _integers(
        self,
        found: frozenset[str],
        uses: Collection[ast.AST],
        gone: frozenset[str] = frozenset(),
    ) -> frozenset[str]:
        """The greatest set of names whose bindings are integers, given the set.

        Args:
            found: names that may belong to it.
            uses: the uses that count.
            gone: the arguments that have another value since.
        """
        ranges, subscripts = (
            frozenset[str]().union(*(known[at] for at in known.keys() & uses))
            for known in (self._in_ranges, self._in_subscripts)
        )
        while True:
            kept = frozenset(
                name
                for name in found
                if self._stays(
                    name, found, name in ranges, name in subscripts, name in gone
                )
            )
            if kept == found:
                return found
            found = kept

    def _stays(
        self,
        name: str,
        known: frozenset[str],
        ranged: bool,
        subscript: bool,
        gone: bool,
    ) -> bool:
        bindings = [
            one
            for one in self.scope.bindings.get(name, [])
            if not (gone and one.kind == "arg")
        ]
        unknown = [one for one in bindings if not self._gives_integer(one, known)]
        if name in self.scope.foreign or is_continued(name, bindings):
            unknown.append(Binding("other"))
        if not bindings or unknown:
            weak = (
                subscript
                and name not in self.scope.imports
                and all(
                    one.kind == "arg" and not is_of_another(one.annotation)
                    for one in unknown
                )
            )
            if len(unknown) > 1 or not (ranged or weak):
                return False
            return not any(self._not_integer(one) for one in unknown)
        return True

    def _gives_integer(self, binding: Binding, known: frozenset[str]) -> bool:
        if binding.kind == "range" or self.is_declared(binding):
            return True
        if binding.kind not in ("value", "swap") or binding.value is None:
            return False
        return self.is_integer(binding.value, known)

    def _not_integer(self, binding: Binding) -> bool:
        if is_of_another(binding.annotation):
            return True
        return binding.value is not None and _is_other(binding.value)

    def _float(self, name: str) -> bool:
        text = self.scope.annotations.get(name, "")
        return bool(text) and text not in INTEGRAL


def _is_other(value: ast.expr) -> bool:
    """Whether a value is made of numbers that are no integers."""
    return any(
        (isinstance(node, ast.Constant) and not isinstance(node.value, int))
        or isinstance(node, ast.Div)
        for node in walked(value)
    )


def _elements(node: ast.expr) -> list[ast.expr]:
    return node.elts if isinstance(node, ast.Tuple | ast.List) else []
