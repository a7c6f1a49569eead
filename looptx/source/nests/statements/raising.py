"""Which statements may raise for the values they compute with: all but a known few.

What is not known to be quiet may raise. Known are assignments to names and cells,
``if``, ``while`` and inner loops over ``range``, of expressions that are made of what
``quiet`` lists, for operands of known kinds. That is by these rights:

- what is subscripted in a nest is an array of numbers, and what else it reads is a
  number, unless the text tells otherwise (``told``): by defaults, annotations, and what
  the function, its module or a function around it assigns;
- their types are those that arguments, annotations and expressions say. A number
  without a type counts as a float, which may be NumPy's or Python's;
- a variable that the nest assigns may be all that is assigned to it, wherever;
- an attribute that a nest reads is there, as it keeps its value.

Subscripts outside of an array do not count where they are affine: that depends on sizes
alone. Warnings are not exceptions.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from looptx.model.callees.expansion import in_place
from looptx.model.functions import lookup
from looptx.model.program import Nest, Statement
from looptx.model.records import replace
from looptx.model.trees import dotted, forwards
from looptx.model.types import Type
from looptx.source.names.arrays import COUNTS
from looptx.source.names.subscripts import may_be_number, subscripts
from looptx.source.nests.statements import quiet
from looptx.source.nests.statements.holding import Names
from looptx.source.nests.statements.quiet import Number, Numbers, each
from looptx.source.nests.statements.quiet_functions import call

_ROUNDS = 16
"""How often the values of variables are looked at; integers that grow have no end."""


def with_raises(nest: Nest, types: Mapping[str, Type]) -> Nest:
    """The nest with its statements knowing whether they may raise.

    Args:
        nest: the nest.
        types: what is known of the names it reads, where it starts.
    """
    whole = in_place(nest)
    names = Names(whole, types)
    _settle(names)
    statements = {
        name: replace(one, raises=_may_raise(names, whole.statements[name]))
        for name, one in nest.statements.items()
    }
    return replace(nest, statements=statements)


def _settle(names: Names) -> None:
    """Add what is assigned in the nest, until nothing changes."""
    for count in range(_ROUNDS):
        before = dict(names.values)
        for statement in names.nest.statements.values():
            _Reader(names).statements(statement.code)
        if before == names.values:
            return
        if count > _ROUNDS // 2:
            for name, value in names.values.items():
                if value != before[name]:
                    names.values[name] = value and quiet.endless(value)
    names.values = dict.fromkeys(names.values)


def _may_raise(names: Names, statement: Statement) -> bool:
    """Whether a statement may raise, whatever the sizes."""
    if statement.effects or any(None in x.subscripts for x in statement.accesses):
        return True
    reader = _Reader(names)
    reader.statements(statement.code)
    return reader.loud


class _Reader:
    """Looks through code for what may raise, and what names are given.

    Attributes:
        loud: whether something may raise.
    """

    def __init__(self, names: Names) -> None:
        self.names = names
        self.loud = False

    def statements(self, code: Sequence[ast.stmt]) -> None:
        """Look through statements."""
        for one in code:
            self._statement(one)

    def _statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Pass():
                pass
            case ast.Expr(value):
                self.value(value)
            case ast.Assign(targets, value):
                self._assign(targets, value)
            case ast.AnnAssign(target, _, value, simple):
                self.loud |= not simple
                if value is not None:
                    self._assign([target], value)
            case ast.AugAssign(target, op, value):
                found = self._operation(op, self.value(target), self.value(value))
                self._bind(target, found)
            case ast.If(test, body, other):
                self._number(test)
                self.statements([*body, *other])
            case ast.For(ast.Name(name), ast.Call() as over, body, other):
                self._range(forwards(over))
                self.names.bind(name, quiet.COUNT)
                self.statements([*body, *other])
            case ast.While(test, body, other):
                self._number(test)
                self.statements([*body, *other])
            case ast.Break() | ast.Continue():
                pass
            case _:
                self.loud = True

    def _assign(self, targets: Sequence[ast.expr], value: ast.expr) -> None:
        """Look at an assignment; several at once take a display of as many values."""
        for target in targets:
            if isinstance(target, ast.Tuple | ast.List):
                pairs = [*_pairs(target, value)]
                self.loud |= not pairs
                for one, part in pairs:
                    self._assign([one], part)
                for name in (x for x in ast.walk(target) if not pairs):
                    if isinstance(name, ast.Name):
                        self.names.bind(name.id, None)
            else:
                self._bind(target, self.value(value))

    def _bind(self, target: ast.expr, value: Numbers | None) -> None:
        """Look at where a value goes: a cell may not take it."""
        if isinstance(target, ast.Name):
            self.names.bind(target.id, value)
            return
        found = self._element(target) if isinstance(target, ast.Subscript) else None
        if found is not None:
            kinds = {one.dtype for one in found}
            stored = [each(partial(quiet.stored, kind), value) for kind in kinds]
            found = None if None in stored else found
        self._known(found)

    def _range(self, over: ast.expr) -> None:
        """Look at a range: of integers, with a step that is not zero."""
        assert isinstance(over, ast.Call)
        full = self.names.nest.names.functions.get(dotted(over.func))
        given = [self._number(one) for one in over.args]
        plain = full == "builtins.range" and 0 < len(given) < 4 and not over.keywords
        whole = all(one is not None and all(map(_counts, one)) for one in given)
        steps = given[2] if len(given) == 3 else quiet.constant(1)
        self.loud |= not (plain and whole and all(x.value for x in steps or ()))

    def value(self, node: ast.expr) -> Numbers | None:
        """What an expression is; None where it may be no number."""
        match node:
            case ast.Constant(value):
                return quiet.constant(value)
            case ast.Name(name):
                return self.names.of(name)
            case ast.Attribute():
                return self._attribute(node)
            case ast.Subscript():
                return self._known(self._element(node))
            case ast.BinOp(left, op, right):
                return self._operation(op, self.value(left), self.value(right))
            case ast.UnaryOp(ast.Not(), value):
                return self._number(value) and quiet.TRUTH
            case ast.UnaryOp(op, value):
                rule = partial(quiet.negation, op)
                return self._known(each(rule, self.value(value)))
            case ast.BoolOp(_, values):
                return _one_of([self._number(one) for one in values])
            case ast.IfExp(test, then, other):
                self._number(test)
                return _one_of([self.value(then), self.value(other)])
            case ast.Compare(left, ops, others):
                return self._compared([left, *others], ops)
            case ast.Call():
                return self._call(node)
        return self._known(None)

    def _known(self, value: Numbers | None) -> Numbers | None:
        """A value that nothing raises for, if it is known."""
        self.loud |= value is None
        return value

    def _number(self, node: ast.expr) -> Numbers | None:
        """An expression that has to be a number, as where it is true or false."""
        return self._known(self.value(node))

    def _operation(
        self, op: ast.operator, left: Numbers | None, right: Numbers | None
    ) -> Numbers | None:
        return self._known(each(partial(quiet.operation, op), left, right))

    def _compared(
        self, nodes: Sequence[ast.expr], ops: Sequence[ast.cmpop]
    ) -> Numbers | None:
        """A chain of comparisons; ``is`` takes anything."""
        values = [self.value(node) for node in nodes]
        found: list[Numbers | None] = []
        for op, left, right in zip(ops, values, values[1:], strict=False):
            if isinstance(op, ast.Is | ast.IsNot):
                found.append(quiet.TRUTH)
            else:
                rule = partial(quiet.comparison, op)
                found.append(self._known(each(rule, left, right)))
        return _one_of(found)

    def _call(self, node: ast.Call) -> Numbers | None:
        """A call of a known function, with arguments in order."""
        nest = self.names.nest
        row = lookup(nest.names.functions.get(dotted(node.func), ""))
        if row.name == "builtins.len" and len(node.args) == 1 and not node.keywords:
            known = self.names.rank(dotted(node.args[0]))
            return self._known(quiet.COUNT if known else None)
        args = [self.value(one) for one in node.args]
        return self._known(None if node.keywords else call(row, args))

    def _attribute(self, node: ast.Attribute) -> Numbers | None:
        """An attribute that the nest reads from outside, or of an array or a number."""
        name = dotted(node)
        nest = self.names.nest
        if name in nest.live_in or name in nest.names.functions:
            return self.names.of(name)
        if dotted(node.value) in nest.live_in:
            # Arrays have it; there is no row of them with these.
            return quiet.COUNT if node.attr in COUNTS else self.names.of(name)
        found = self._number(node.value)
        return self._known(found and quiet.parts(found, node.attr))

    def _element(self, node: ast.Subscript) -> Numbers | None:
        """An element; a subscript that is affine is inside of the array."""
        base, indices = subscripts(node)
        if not all(map(may_be_number, indices)):
            return None
        whole = [self._number(one) for one in indices]
        if not all(one is not None and all(map(_counts, one)) for one in whole):
            return None
        if isinstance(base, ast.Attribute) and base.attr == "shape":
            (axis,) = indices if len(indices) == 1 else (None,)
            known = self.names.rank(dotted(base.value))
            there = isinstance(axis, ast.Constant) and axis.value in range(known)
            return quiet.COUNT if there else None
        name = dotted(base)
        return self.names.element(name, len(indices)) if name else None


def _counts(one: Number) -> bool:
    """Whether a number can count, or tell an element."""
    return one.is_integer and not one.is_truth


def _one_of(values: Sequence[Numbers | None]) -> Numbers | None:
    """One of several values."""
    known = [one for one in values if one is not None]
    return quiet.joined(known) if len(known) == len(values) else None


def _pairs(
    target: ast.Tuple | ast.List, value: ast.expr
) -> Iterator[tuple[ast.expr, ast.expr]]:
    """What each target gets of a display of as many values."""
    if isinstance(value, ast.Tuple | ast.List):
        plain = not any(isinstance(x, ast.Starred) for x in (*target.elts, *value.elts))
        if plain and len(target.elts) == len(value.elts):
            yield from zip(target.elts, value.elts, strict=True)
