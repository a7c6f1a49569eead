"""Expressions with calls in them, as values of lines that run before them.

What is evaluated in any case runs in the order of Python. What is evaluated under a
condition stays where it is, or the whole becomes an ``if``.
"""

from __future__ import annotations

import ast
import copy
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

from looptx.model.callees.callee import Callee
from looptx.model.callees.quietness import counts, is_atomic, is_silent, uses
from looptx.model.callees.trees import (
    assign,
    chosen,
    count,
    is_nothing,
    selects,
    stores,
    substituted,
)
from looptx.model.records import dataclass, field
from looptx.model.trees import dotted, walk

_FEW = 60
"""Nodes of a value that is written again wherever it is read under a condition."""


_COMPUTED = (ast.BinOp, ast.UnaryOp)
"""What may raise for the types of its operands."""


@dataclass
class Side:
    """One way to some values: the lines that run before them."""

    values: list[ast.expr]
    lines: list[ast.stmt]


@dataclass
class Values(ABC):
    """Takes calls out of expressions.

    Attributes:
        callees: the functions, by the names that calls have for them.
        functions: full names of other functions.
        names: the variables that were made.
        meanings: full names of what the functions use, by the names they have for it.
        known: all functions, those that others call included.
        cells: whether the elements that are read are known to be inside of arrays.
    """

    callees: Mapping[str, Callee]
    functions: Mapping[str, str]
    names: list[str] = field(default_factory=list)
    meanings: dict[str, str] = field(default_factory=dict)
    known: dict[str, Callee] = field(default_factory=dict)
    cells: bool = False
    _made: int = 0

    def __post_init__(self) -> None:
        self.known.update(self.callees)
        for one in (x for callee in self.callees.values() for x in callee.all()):
            self.meanings.update(one.meanings)
            self.known.update(one.callees)

    @abstractmethod
    def call(self, callee: Callee, call: ast.Call, lines: list[ast.stmt]) -> ast.expr:
        """The value of a call.

        Args:
            callee: the function. call: the call.
            lines: what has to run before is added to them.
        """

    def full(self, function: ast.expr) -> str:
        """What the name of a function means."""
        head, dot, tail = dotted(function).partition(".")
        if head in self.meanings:
            return self.meanings[head] + dot + tail
        return self.functions.get(head + dot + tail, "")

    def callee_of(self, call: ast.expr) -> Callee | None:
        """The function of the user that an expression calls, if it is one."""
        found = (
            self.known.get(dotted(call.func)) if isinstance(call, ast.Call) else None
        )
        return None if found is None or found.refused else found

    def has_calls(self, node: ast.AST) -> bool:
        """Whether a tree calls a function of the user."""
        return any(
            isinstance(part, ast.Call) and self.callee_of(part) is not None
            for part in walk(node)
        )

    def value(self, node: ast.expr, lines: list[ast.stmt]) -> ast.expr:
        """An expression; what has to run before it is added to ``lines``."""
        if not self.has_calls(node):
            return node
        callee = self.callee_of(node)
        if callee is not None:
            assert isinstance(node, ast.Call)
            return self.call(callee, node, lines)
        match node:
            case ast.IfExp(test, body, orelse):
                return self._choice(self.value(test, lines), body, orelse, lines)
            case ast.BoolOp(op, [first, *others]):
                rest = others[0] if len(others) == 1 else ast.BoolOp(op, others)
                return self._either(op, self.value(first, lines), rest, lines)
            case ast.Compare(left, [op, *ops], [right, *others]) if others:
                if not any(map(self.has_calls, others)):
                    left, right = self.parts([left, right], lines)
                    return ast.Compare(left, node.ops, [right, *others])
                left, right = self.parts([left, right], lines)
                right = right if is_atomic(right) else self.held(right, lines)
                rest = ast.Compare(right, ops, others)
                return self._either(
                    ast.And(), ast.Compare(left, [op], [right]), rest, lines
                )
            case ast.Subscript(value, ast.Constant(int(at))):
                (value,) = self.parts([value], lines)
                if isinstance(value, ast.Tuple) and -len(value.elts) <= at < len(
                    value.elts
                ):
                    return self._each(value, lines)[at]
                return ast.Subscript(value, node.slice, node.ctx)
        return self._with_parts(node, lines)

    def _with_parts(self, node: ast.expr, lines: list[ast.stmt]) -> ast.expr:
        """An expression that evaluates all its operands, in order."""
        parts = [x for x in ast.iter_child_nodes(node) if isinstance(x, ast.expr)]
        found = dict(zip(parts, self.parts(parts, lines), strict=True))
        made = copy.copy(node)
        for name, value in ast.iter_fields(node):
            if isinstance(value, ast.expr):
                setattr(made, name, found[value])
            elif isinstance(value, list):
                setattr(made, name, [found.get(part, part) for part in value])
        return made

    def parts(self, nodes: Sequence[ast.expr], lines: list[ast.stmt]) -> list[ast.expr]:
        """Expressions that are evaluated in order.

        What may raise before something that has to run earlier has to do so, too.
        """
        found: list[ast.expr] = []
        for node in nodes:
            begin = len(lines)
            value = self.value(node, lines)
            if not all(map(self.is_silent_line, lines[begin:])):
                writes = stores(lines[begin:])
                for at, before in enumerate(found):
                    stored = isinstance(getattr(before, "ctx", None), ast.Store)
                    kept = self.is_silent(before) and not (writes and selects(before))
                    if not stored and not kept:
                        held: list[ast.stmt] = []
                        found[at] = self.held(before, held)
                        lines[begin:begin] = held
                        begin += len(held)
            found.append(value)
        return found

    def is_silent_line(self, line: ast.stmt) -> bool:
        """Whether a statement assigns what raises nothing."""
        if not isinstance(line, ast.Assign) or stores([line]):
            return False
        return self.is_silent(line.value)

    def is_silent(self, node: ast.expr) -> bool:
        """Whether an expression raises nothing where it is evaluated."""
        return is_silent(node, self.full, self.cells)

    def _each(self, value: ast.Tuple, lines: list[ast.stmt]) -> list[ast.expr]:
        """The values of a tuple, all evaluated."""
        quiet = all(map(self.is_silent, value.elts))
        return [
            one if quiet or is_atomic(one) else self.held(one, lines)
            for one in value.elts
        ]

    def _either(
        self, op: ast.boolop, first: ast.expr, rest: ast.expr, lines: list[ast.stmt]
    ) -> ast.expr:
        """``first and rest``, or ``or``.

        Args:
            op: which. first: the value that is evaluated in any case.
            rest: what is evaluated where it depends on that.
            lines: as in ``_value``.
        """
        inner: list[ast.stmt] = []
        side = Side([self.value(rest, inner)], inner)
        if self._shorten(side):
            return ast.BoolOp(op, [first, *side.values])
        (value,) = side.values
        result = self.held(first, lines)
        test = result if isinstance(op, ast.And) else ast.UnaryOp(ast.Not(), result)
        inner.append(assign(result, value))
        lines.append(ast.If(test, inner, []))
        return result

    def _choice(
        self,
        test: ast.expr,
        body: ast.expr,
        orelse: ast.expr,
        lines: list[ast.stmt],
    ) -> ast.expr:
        """``body if test else orelse``.

        Args:
            test, body, orelse: its parts. lines: as in ``_value``.
        """
        inner: tuple[list[ast.stmt], list[ast.stmt]] = [], []
        sides = [
            Side([self.value(one, own)], own)
            for one, own in zip((body, orelse), inner, strict=True)
        ]
        (value,) = self.joined(test, sides[0], sides[1], lines)
        return value

    def joined(
        self, test: ast.expr, then: Side, other: Side, lines: list[ast.stmt]
    ) -> list[ast.expr]:
        """The values of one of two ways.

        Args:
            test: which. then, other: the ways. lines: as in ``_value``.
        """
        if self._shorten(then) and self._shorten(other):
            several = sum(map(count, then.values)) > 1
            if several and not (self.is_silent(test) and _is_short([test])):
                test = self.held(test, lines)
            pairs = zip(then.values, other.values, strict=True)
            return [chosen(test, x, y) for x, y in pairs]
        results = [self._alike(value) for value in then.values]
        for side in (then, other):
            pairs = zip(results, side.values, strict=True)
            side.lines += [assign(x, y) for x, y in pairs if not is_nothing(x)]
        lines.append(ast.If(test, then.lines or [ast.Pass()], other.lines))
        return results

    def _shorten(self, side: Side) -> bool:
        """Write a way without the lines that run before its values, if it is short."""
        if not side.lines:
            return True
        if not all(map(self.is_silent_line, side.lines)) or _loses(side):
            return False
        found = [substituted(value, side.lines) for value in side.values]
        if not _is_short(found):
            return False
        side.values, side.lines = found, []
        return True

    def _alike(self, value: ast.expr) -> ast.expr:
        """New variables for a value, as many as it has parts."""
        if isinstance(value, ast.Tuple):
            return ast.Tuple([self._alike(one) for one in value.elts], ast.Load())
        return value if is_nothing(value) else self.fresh("value")

    def named(self, value: ast.expr, lines: list[ast.stmt], name: str) -> ast.expr:
        """A value to be read often: a new variable, where it costs anything.

        Args:
            value: the value. lines: where it is assigned. name: begins the variable's.
        """
        if isinstance(value, ast.Tuple):
            parts = [self.named(one, lines, name) for one in value.elts]
            return ast.Tuple(parts, ast.Load())
        if not is_atomic(value):
            return self.held(value, lines, name)
        if not counts(value):
            # It may raise for the types of its parts, and nobody may read it.
            self.held(value, lines, name)
        return value

    def held(
        self, value: ast.expr, lines: list[ast.stmt], stem: str = "value"
    ) -> ast.expr:
        """A new variable that holds a value; several for several.

        Args:
            value: the value. lines: where it is assigned. stem: begins the name.
        """
        if isinstance(value, ast.Tuple):
            parts = [self.held(one, lines, stem) for one in value.elts]
            return ast.Tuple(parts, ast.Load())
        name = self.fresh(stem)
        lines.append(assign(name, value))
        return name

    def fresh(self, stem: str) -> ast.Name:
        """A new variable: its name has a blank, as no other has."""
        self._made += 1
        name = f"{stem} {self._made}"
        self.names.append(name)
        return ast.Name(name, ast.Load())


def _loses(side: Side) -> bool:
    """Whether a line computes what may raise and is not surely a part of a value."""
    read = {name for one in side.values for name, sure in uses(one) if sure}
    for line in reversed(side.lines):
        assert isinstance(line, ast.Assign)
        parts = [x for x in walk(line.value) if isinstance(x, _COMPUTED)]
        if read.isdisjoint(x.id for x in line.targets if isinstance(x, ast.Name)):
            if not all(map(counts, parts)):
                return True
        else:
            read |= {name for name, sure in uses(line.value) if sure}
    return False


def _is_short(values: Sequence[ast.expr]) -> bool:
    """Whether values may be written again."""
    return sum(1 for value in values for _ in ast.walk(value)) <= _FEW
