"""What is known of sizes where a nest starts: their values over those of before.

``n, m = A.shape`` makes ``A.shape[0]`` another text for ``n`` until one of them
changes, and ``h = n // 2`` gives ``h`` a value over the same symbol. The statements
before the nest are followed with value numbers (Kildall 1973): every text has a value,
an expression over symbols, and a text that may have changed a new symbol.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache

from looptx.looptree.passes.bounds import Facts as Known
from looptx.model.expr import (
    TRUE,
    ZERO,
    Compare,
    Cond,
    IntExpr,
    Var,
    rewrite_cond,
    size,
    substitute,
    variables,
)
from looptx.model.functions import lookup
from looptx.model.shapes import extent, is_extent, owner
from looptx.model.trees import dotted
from looptx.source.ast_tools import walked
from looptx.source.kinds.integers import Kinds
from looptx.source.liveness import binds
from looptx.source.names.assignments import unpacked
from looptx.source.names.calls import is_known
from looptx.source.names.enclosing import enclosing
from looptx.source.names.must_execute import leaves
from looptx.source.nests.context import names_of
from looptx.source.nests.sizes.affine import Affine
from looptx.source.nests.sizes.extents import size_text
from looptx.source.nests.sizes.resized import resized
from looptx.source.nests.sizes.signs import never_negative, nonnegative

_MAX_RANK = 8

_LONG = 24
"""Names and literals of a value beyond which it becomes a new symbol."""

_PLAIN = re.compile(r"[\w.]+(\[\d+\])?")
"""A text that is a name or a size, and no product of them."""

_EARLIER = "value'"
"""What the names of symbols begin with, and no text of Python."""


class Facts:
    """The values of parameter texts at one point of a function.

    Attributes:
        values: by text, over symbols: names that are no texts.
        positive: the symbols that are never negative.
        conds: what holds of symbols.
    """

    def __init__(self, kinds: Kinds, root: ast.For | ast.While | ast.If) -> None:
        self.kinds = kinds
        self.root = root
        self.values: dict[str, IntExpr] = {}
        self.positive: set[str] = set()
        self.conds: list[Cond] = []
        self._symbols = 0

    @classmethod
    def before(cls, kinds: Kinds, nest: ast.For | ast.While | ast.If) -> Facts:
        """What holds where ``nest`` starts, of names the nest does not bind."""
        facts = cls(kinds, nest)
        facts._walk()
        facts._calls(nest, own=True)
        facts._forget(_attributes(nest))
        facts._forget(binds([nest]))
        return facts

    def canonical(self) -> dict[str, str]:
        """``{text: the text to use instead}``; plain names are preferred."""
        found: dict[str, str] = {}
        for members in self._classes():
            chosen = min(members, key=self._rank)
            found.update((text, chosen) for text in members if text != chosen)
        return found

    def equal(self, live_in: Iterable[str]) -> dict[str, str]:
        """The facts about names in ``live_in``; the text to use is one of those."""
        known = set(live_in)
        found: dict[str, str] = {}
        for members in self._classes():
            usable = [text for text in members if owner(text) in known]
            chosen = min(usable, key=self._rank, default="")
            found.update((text, chosen) for text in usable if text != chosen)
        return found

    def known(self, parameters: Iterable[str]) -> tuple[Cond, ...]:
        """What holds of the texts; a name that is no text is an earlier value.

        Args:
            parameters: those of the nest, which may be products of texts.
        """
        signs = [*self._signs(parameters)]
        found = [Compare("==", Var(text), value) for text, value in self.values.items()]
        signs += (Compare(">=", Var(name), ZERO) for name in sorted(self.positive))
        return (*found, *signs, *self.conds)

    def _signs(self, parameters: Iterable[str]) -> Iterator[Cond]:
        """The texts that are never negative, from those of products alone."""
        texts = (*self.values, *parameters, *self._never_negative)
        for text in sorted({*texts} - binds([self.root])):
            if not is_extent(text) and self._nonnegative(_parsed(text)):
                yield Compare(">=", Var(text), ZERO)

    def _classes(self) -> list[list[str]]:
        """The texts of each symbol that has several."""
        found: dict[IntExpr, list[str]] = {}
        for text, value in self.values.items():
            if isinstance(value, Var) and _PLAIN.fullmatch(text):
                found.setdefault(value, []).append(text)
        return [members for members in found.values() if len(members) > 1]

    def _rank(self, text: str) -> int:
        """Names first, then sizes of what the function is given, then all others."""
        if "[" not in text:
            return 0
        bindings = self.kinds.scope.bindings.get(owner(text), [])
        return 1 if all(one.kind == "arg" for one in bindings) else 2

    def _walk(self) -> None:
        """Follow the statements in front of the nest."""
        function = self.kinds.scope.function
        for step in enclosing(function, self.root):
            if step.around is not function:
                self._enter(step.around, step.block)
            for stmt in step.before:
                self._statement(stmt)

    def _enter(self, stmt: ast.stmt, block: Sequence[ast.stmt]) -> None:
        """Go on in the block of a statement that holds the nest."""
        changed = ast.Expr(stmt.test) if isinstance(stmt, ast.If) else stmt
        self._forget(binds([changed]))
        self._forget(_attributes(changed))
        self._calls(changed)
        if isinstance(stmt, ast.If):
            self.conds.append(self._implied(stmt.test, block is stmt.body))

    def _statement(self, stmt: ast.stmt) -> None:
        learnt: list[tuple[str, IntExpr]] = []
        conds: list[Cond] = []
        match stmt:
            case ast.Assign(targets, value):
                for target in targets:
                    learnt += self._learn(target, value)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                learnt += self._learn(target, value)
            case ast.AugAssign(ast.Name(name), op, value):
                whole = ast.BinOp(ast.Name(name, ast.Load()), op, value)
                learnt += self._learn(stmt.target, whole)
            case ast.If(test, body, orelse):
                conds += (self._implied(test, False),) if leaves(body) else ()
                conds += (self._implied(test, True),) if leaves(orelse) else ()
        self._calls(stmt)
        self._forget(binds([stmt]))
        self._forget(_attributes(stmt))
        self.values.update(learnt)
        self.conds += conds

    def _implied(self, test: ast.expr, holds: bool) -> Cond:
        """What is known of symbols where a test comes out so."""
        scope = self.kinds.scope
        for node in walked(test):
            if isinstance(node, ast.Call):
                if not is_known(scope.resolve(node.func)):
                    return TRUE
            elif isinstance(
                node, ast.NamedExpr | ast.Await | ast.Yield | ast.YieldFrom
            ):
                return TRUE
        cond = self._affine.implied(test, holds)
        if not all(map(self._is_settled, variables(cond))):
            return TRUE
        return rewrite_cond(
            cond, {Var(x): self._value(x) for x in sorted(variables(cond))}
        )

    def _learn(
        self, target: ast.expr, value: ast.expr
    ) -> Iterator[tuple[str, IntExpr]]:
        """(text over the target, its value) after an assignment."""
        if isinstance(target, ast.Tuple | ast.List):
            for element, part in unpacked(target, value):
                if part is not None and not isinstance(element, ast.Starred):
                    yield from self._learn(element, part)
            return
        name = dotted(target)
        if not name:
            return
        number = self._number(value)
        if number is not None:
            yield name, number
        other = self._same_shape(value)
        if other:
            rank = max(self.kinds.rank(name), self.kinds.rank(other))
            for axis in range(min(rank, _MAX_RANK)):
                yield extent(name, axis), self._value(extent(other, axis))
        for axis, part in enumerate(self._shape(value)):
            size = self._number(part)
            if size is not None:
                yield extent(name, axis), size

    def _number(self, node: ast.expr) -> IntExpr | None:
        """The value of an expression here, if anything is known of it."""
        text = size_text(node, self.kinds)
        if text:
            return self._value(text)
        found = self._affine.expr(node)
        if found is not None and all(map(self._is_settled, variables(found))):
            texts = {text: self._value(text) for text in sorted(variables(found))}
            found = substitute(found, texts)
            if size(found) <= _LONG:
                return found
        return self._symbol(positive=True) if self._nonnegative(node) else None

    def _value(self, text: str) -> IntExpr:
        """The value of a text here."""
        if text not in self.values:
            positive = (
                text in self._never_negative
                if text.isidentifier()
                else self._nonnegative(_parsed(text))
            )
            self.values[text] = self._symbol(positive=positive)
        return self.values[text]

    def _symbol(self, *, positive: bool) -> Var:
        """A new symbol."""
        self._symbols += 1
        name = f"{_EARLIER}{self._symbols}"
        if positive:
            self.positive.add(name)
        return Var(name)

    def _nonnegative(self, node: ast.expr) -> bool:
        """Whether a number is not negative here."""

        def name_is(name: str) -> bool:
            number = self._value(name)
            return Known(positive=tuple(map(Var, self.positive))).nonnegative(number)

        return nonnegative(node, self.kinds, name_is)

    def _is_settled(self, text: str) -> bool:
        """Whether a text is an integer whenever the function reads it.

        Where a name has several values, a use of one says nothing of the others.
        """
        if self.kinds.is_integer(_parsed(text), frozenset()):
            return True
        bindings = self.kinds.scope.bindings.get(text, [])
        once = len(bindings) <= 1 and text in self._definite
        return once or text in self.kinds.everywhere

    @cached_property
    def _affine(self) -> Affine:
        return Affine(self.kinds, {}, frozenset(), {}, {}, self._definite)

    @cached_property
    def _definite(self) -> frozenset[str]:
        return self.kinds.definite(self.root)

    @cached_property
    def _never_negative(self) -> frozenset[str]:
        return never_negative(self.kinds)

    def _same_shape(self, value: ast.expr) -> str:
        """The array whose shape a new value has."""
        if dotted(value) in self.kinds.arrays:
            return dotted(value)
        if isinstance(value, ast.Call):
            shape = any(keyword.arg in ("shape", None) for keyword in value.keywords)
            name = self.kinds.scope.resolve(value.func)
            row = lookup(name)
            if value.args and not shape and (row.like or name == "numpy.copy"):
                return dotted(value.args[0])
            if isinstance(value.func, ast.Attribute) and value.func.attr == "copy":
                return "" if name else dotted(value.func.value)
            if row.is_shaped and value.args:
                first = value.args[0]
                if isinstance(first, ast.Attribute) and first.attr == "shape":
                    return dotted(first.value)
        return ""

    def _shape(self, value: ast.expr) -> list[ast.expr]:
        """The extents of a new array, where they are written out."""
        if not isinstance(value, ast.Call) or not value.args:
            return []
        if not self.kinds.is_shaped(value):
            return []
        first = value.args[0]
        if isinstance(first, ast.Tuple | ast.List):
            starred = any(isinstance(part, ast.Starred) for part in first.elts)
            return [] if starred else first.elts
        return [first] if self.kinds.is_integer(first) else []

    def _forget(self, names: Iterable[str]) -> None:
        gone = frozenset(names)
        if gone:
            for text in [text for text in self.values if gone & _bases(text)]:
                del self.values[text]

    def _calls(self, stmt: ast.stmt, *, own: bool = False) -> None:
        """An unknown call may change attributes and globals, and any that of lists.

        Args:
            stmt: what is run. own: whether it is the nest, in which no call does.
        """
        scope = self.kinds.scope
        names = {owner(text) for text in self.values if is_extent(text)}
        self._forget(resized(stmt, names, scope, calls=not own))
        for node in walked(stmt):
            if scope.runs_other_code(node):
                bases = {base for text in self.values for base in _bases(text)}
                self._forget(
                    base
                    for base in bases
                    if "." in base or base not in scope.bindings or base in scope.shared
                )


@lru_cache(maxsize=1024)
def _parsed(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


@lru_cache(maxsize=1024)
def _bases(text: str) -> frozenset[str]:
    """The names a text is made of, and those of which they are attributes."""
    found: set[str] = set()
    for name in names_of(text):
        parts = name.split(".")
        found.update(".".join(parts[:count]) for count in range(1, len(parts) + 1))
    return frozenset(found)


def _attributes(stmt: ast.stmt) -> Iterator[str]:
    """The attributes a statement assigns."""
    for node in walked(stmt):
        if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
            yield dotted(node)
            if node.attr == "shape":
                yield dotted(node.value)
