"""Expressions of the source as typed C: one statement instance at a time."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from looptx.lower import advice
from looptx.lower.checks import OUTSIDE, SATURATED, there
from looptx.lower.kinds import INT, Kind, fail, of
from looptx.lower.limits import WORD
from looptx.lower.scope import Scope, Unknown
from looptx.lower.tree import (
    Expr,
    Stmt,
    both,
    either,
    index,
    infix,
    intrinsic,
    number,
    variable,
)
from looptx.lower.values import calls, operators
from looptx.lower.values.affine import Affine
from looptx.lower.values.alternatives import choice, told
from looptx.lower.values.arrays.alike import note_alike
from looptx.lower.values.arrays.drawn import drawn
from looptx.lower.values.arrays.elements import Elements
from looptx.lower.values.arrays.fitting import fitted
from looptx.lower.values.arrays.lists import element_of, listed
from looptx.lower.values.arrays.numbers import reduction_of
from looptx.lower.values.arrays.turns import as_index, in_turn
from looptx.lower.values.comparing import chain, with_none
from looptx.lower.values.conversions import conjugated, part_of, signed
from looptx.lower.values.extents import numbered, outside, said
from looptx.lower.values.integers.folding import evaluated
from looptx.lower.values.integers.modular import Modular, looked_at
from looptx.lower.values.integers.unsigned import quotient, without
from looptx.lower.values.literals import literal, loaded, truth
from looptx.lower.values.reducing import OF_ROWS
from looptx.lower.values.views import check_own, element
from looptx.model.dtypes import INTEGERS
from looptx.model.expr import Const, IntExpr, Var, substitute
from looptx.model.functions import DRAWING
from looptx.model.program import Statement
from looptx.model.records import replace
from looptx.model.trees import brackets, dotted, form
from looptx.model.types import ScalarType


class Expressions:
    """The expressions of one instance of a statement.

    Args:
        scope: the nest.
        statement: the statement.
        index: the value of each enclosing loop, by loop id.

    Attributes:
        before: what runs in front of what is being lowered; None where nothing may.
        declared: the variables of that: their types in C, by name.
        whole: whether it is of elements of arrays that one statement computes.
    """

    def __init__(
        self, scope: Scope, statement: Statement, index: Mapping[str, IntExpr]
    ) -> None:
        self.scope = scope
        self.statement = statement
        loops = scope.planned.nest.loops
        self.ids = {loops[loop].var: loop for loop in statement.loops}
        self.ids |= {place: place for place in statement.places}
        self.affine = Affine(scope, statement, self.ids)
        self.index = index
        self.before: list[Stmt] | None = []
        self.declared: dict[str, str] = {}
        self.whole = statement.elementwise
        self._exact: set[ast.expr] = set()

    def value(self, node: ast.expr) -> Expr:
        """An expression, with what the entry has made sure of.

        Raises:
            Unsupported: LX504 for what cannot be compiled.
            Unknown: a scalar in it has no known type yet.
        """
        return without(self.wide(node), node)

    def wide(self, node: ast.expr) -> Expr:
        """An expression, which may be an integer of Python beyond 63 bits, too."""
        value = self._value(node)
        return self.scope.checks.refined(self.statement.name, node, value)

    def _value(self, node: ast.expr) -> Expr:
        match node:
            case ast.Constant(value=bool() | int() | float() | complex() as number):
                return literal(number)
            case ast.Name(id=name):
                return self._name(name)
            case ast.Attribute():
                return self._attribute(node)
            case ast.Subscript():
                cell = self._subscript(node)
                return loaded(cell, self.scope.bits.get(cell.name))
            case ast.BinOp(left, ast.MatMult(), right):
                return self._made().product(left, right)
            case ast.BinOp(left, op, right):
                known = self._large(node)
                if known is not None or (known := self._modular(node)) is not None:
                    return known
                sign = operators.SIGNS[type(op)]
                one, two = self.wide(left), self.wide(right)
                value = fitted(sign, one, two, again=self.scope.again).value
                if value.kind.members == {INT} and self.starts_again(node):
                    return looked_at(op, one, two)
                return value
            case ast.UnaryOp(op, operand):
                return operators.unary(op, self.wide(operand))
            case ast.BoolOp():
                return self._bool_op(node)
            case ast.Compare(left, [op], [ast.Constant(None)]):
                return with_none(self.value(left), op)
            case ast.Compare():
                parts = (node.left, *node.comparators)
                return chain(node, [self.wide(part) for part in parts])
            case ast.IfExp(test, body, orelse):
                cond, one = self.condition(test), self.wide(body)
                return choice(cond, one, self.wide(orelse))
            case ast.Call():
                return self._call(node)
        hints = {ast.Tuple: advice.NAMED, ast.Slice: advice.ELEMENTS}
        hint = hints.get(type(node), advice.NUMBERS)
        text = f"`{ast.unparse(node)}`"
        if isinstance(node, ast.Slice):
            fail(f"the slice {text}, which is several elements", hint=hint)
        fail(f"the expression {text}", hint=hint)

    def _large(self, node: ast.BinOp) -> Expr | None:
        """A number of more than 63 bits, or a quotient by one."""
        number = evaluated(node)
        if number is not None:
            return literal(number) if number > WORD else None
        divisor = evaluated(node.right) if isinstance(node.op, ast.Div) else None
        if divisor is None or divisor <= WORD:
            return None
        self.tell(node.right, divisor)
        return quotient(self.wide(node.left), divisor)

    def _modular(self, node: ast.BinOp) -> Expr | None:
        """An operation on what may be large, of which only the lowest bits count."""
        if node in self._exact:
            return None
        low, made = Modular(self.wide, self.tell), len(self.before or ())
        value = low.masked(node)
        if value is not None:
            self.pass_by(low.passed)
            return value
        # What it is of is lowered again, and what that is of: none is asked twice.
        self._exact.add(node)
        del (self.before or [])[made:]
        return None

    def integer(self, node: ast.expr) -> IntExpr | None:
        """A quasi-affine expression over loop ids and parameters, None for another."""
        return self.affine.integer(node)

    def starts_again(self, node: ast.expr) -> bool:
        """Whether the loops as written start again where a result is too large."""
        again = self.scope.checks.again
        return bool(again) and (self.statement.name, form(node)) in again

    def condition(self, node: ast.expr) -> Expr:
        """An expression of which only the truth counts."""
        if isinstance(node, ast.BoolOp):
            joined = both if isinstance(node.op, ast.And) else either
            return joined(*map(self.condition, node.values))
        return truth(self.wide(node))

    def target(self, node: ast.expr) -> Expr:
        """What an assignment writes: a cell or a scalar."""
        if isinstance(node, ast.Name):
            return self._only_cell(node.id) or self._scalar(node.id)
        if isinstance(node, ast.Subscript):
            check_own(self.scope, dotted(brackets(node)[0]))
            return self._subscript(node, stored=True)
        fail(f"an assignment to `{ast.unparse(node)}`")

    def _name(self, text: str) -> Expr:
        if text in self.ids:
            place = self.index[self.ids[text]]
            if isinstance(place, Const):
                return literal(place.value)
            return self.scope.integer(place)
        if text in self.scope.planned.nest.scalars:
            value = self._scalar(text)
            held = text in self.scope.buffers and value.kind.dtype != "bool"
            return loaded(value) if held else value
        cell = self._only_cell(text)
        return self._outside(text) if cell is None else loaded(cell)

    def _only_cell(self, text: str) -> Expr | None:
        """The cell of a buffer of an array that has no axes; None for other names."""
        scalar = text in self.scope.planned.nest.scalars
        if scalar or text not in self.scope.buffers:
            return None
        cell = ast.Subscript(ast.Name(text), ast.Tuple([], ast.Load()))
        return self._subscript(cell)

    def _outside(self, text: str) -> Expr:
        """A name that the nest only reads."""
        kind = self.scope.type_of(text)
        if isinstance(kind, ScalarType):
            return variable(self.scope.names(text), of(kind))
        value = calls.constant(self.scope.full(text))
        if value is None:
            hint = advice.ELEMENTS if kind else advice.NUMBERS
            what = kind or "not a number known before the nest"
            fail(f"`{text}` is {what}", hint=hint)
        return value

    def _scalar(self, text: str) -> Expr:
        kind = self.scope.kinds.get(text)
        if kind is None:
            raise Unknown(text)
        entry = self.scope.types.get(text)
        if isinstance(entry, ScalarType) and entry.weak:
            kind = Kind(kind.dtype, kind.members)
        held = self.scope.buffers.get(text)
        if held is None:
            return told(replace(self.scope.scalar(text), kind=kind), self._tag(text))
        places = held.buffer.names(self.statement.name)[()]
        at = (self.scope.integer(self.index[place]) for place in places)
        return self.scope.cell(text, at, kind)

    def _tag(self, text: str) -> Expr | None:
        """What tells which of several types a scalar has."""
        single = len(self.scope.kinds[text].members) == 1
        return None if single else self.scope.tag(text)

    def _attribute(self, node: ast.Attribute) -> Expr:
        name = dotted(node)
        if name and (
            name in self.scope.types or dotted(node.value) in self.scope.imports
        ):
            return self._outside(name)
        if node.attr == "size" and isinstance(node.value, ast.Subscript):
            return self._made().counted(node.value)
        if node.attr in ("real", "imag"):
            value = self.value(node.value)
            if value.kind.is_complex or node.attr == "real":
                return part_of(value, node.attr)
        return said(node, self.scope) or self._outside(name or ast.unparse(node))

    def _subscript(self, node: ast.Subscript, stored: bool = False) -> Expr:
        base, groups = brackets(node)
        # Python counts the axes of a row from 0 again.
        parts = [(part, at) for group in groups for at, part in enumerate(group)]
        name = dotted(base)
        if isinstance(base, ast.Attribute) and base.attr == "shape":
            size = self.integer(node)
            if size is None:
                fail(f"`{ast.unparse(node)}` is not a size known before the nest")
            return self.scope.integer(size)
        if self.scope.is_made(name):
            return listed(self.scope, name, parts, self.value)
        kind = self.scope.array(name or ast.unparse(base))
        places = element(node, self.scope, self.value, self.place)
        if places is None and len(parts) != kind.ndim:
            what = f"is not one element of the {kind.ndim}-d array"
            fail(f"`{ast.unparse(node)}` {what}", hint=advice.ROW)
        if places is None:
            made = [
                self.place(name, at, *part, stored and at == kind.ndim - 1)
                for at, part in enumerate(parts)
            ]
            places = in_turn(made, groups)
        cell = element_of(self.scope, name, places)
        return replace(cell, facts=cell.facts | there(self.statement, name))

    def places(self, node: ast.Subscript) -> list[Expr]:
        """The subscripts of a row of an array that have to be checked here."""
        base, groups = brackets(node)
        parts = [(part, at) for group in groups for at, part in enumerate(group)]
        name = dotted(base)
        kind = self.scope.array(name or ast.unparse(base))
        if len(parts) > kind.ndim:
            what = f"is no part of the {kind.ndim}-d array"
            fail(f"`{ast.unparse(node)}` {what}", hint=advice.ELEMENTS)
        found = (
            self.place(name, at, *part)
            for at, part in enumerate(parts)
            if not isinstance(part[0], ast.Slice)
        )
        return [place for place in found if place.intrinsic is not None]

    def place(
        self, array: str, axis: int, node: ast.expr, told: int, stored: bool = False
    ) -> Expr:
        """A subscript, proven inside or checked here.

        Args:
            array: of which. axis: of it. node: the subscript.
            told: the axis that an error names. stored: whether it is of what is stored.
        """
        planned = self.scope.planned
        extent = index(Var(self.scope.extent(array, axis)))
        if holders := self.scope.holders(array):
            told = outside(holders[axis], stored)
        axis_told, expr = numbered(array, axis, told), self.integer(node)
        if expr is None:
            value = self.value(node)
            # A bool among the values would be a mask, and no position.
            if any(member.dtype not in INTEGERS for member in value.kind.members):
                what = f"the subscript `{ast.unparse(node)}` is no integer"
                fail(what, hint=advice.INTEGER)
            checks, at = self.scope.checks, (self.statement.name, array, axis, node)
            if (known := self.affine.product(array, axis, node)) is not None:
                return self._placed(known)
            covered = self.affine.covered(array, axis)
            forward = covered and array not in planned.wraps
            if forward or checks.never_negative(*at):
                return value
            if covered or checks.inside(*at):
                return intrinsic("wrap", of(INT), value, extent)
            if value.kind.dtype == "uint64" and told < -1:
                what = f"the subscript `{ast.unparse(node)}` of a {holders[axis]}"
                fail(f"{what} may be beyond 64 bits")
            if value.kind.dtype == "uint64":
                value = signed(value)
            value = as_index(value, node, self.scope)
            name = "at_near" if SATURATED in value.facts else "at"
            return intrinsic(name, of(INT), value, extent, axis_told, raises=OUTSIDE)
        place = self._placed(expr)
        if array in planned.unchecked and not self.affine.proven(array, axis, expr):
            return intrinsic("at", of(INT), place, extent, axis_told, raises=OUTSIDE)
        if isinstance(expr, Const) and expr.value < 0:
            return infix("-", extent, number(-expr.value))
        if isinstance(expr, Const) or array not in planned.wraps:
            return place
        return intrinsic("wrap", of(INT), place, extent)

    def _placed(self, expr: IntExpr) -> Expr:
        """A subscript over the loops of the source, in those that run."""
        return self.scope.integer(substitute(expr, self.index))

    def _bool_op(self, node: ast.BoolOp) -> Expr:
        """``a and b`` as a value: one of its operands."""
        result, *others = reversed([self.value(part) for part in node.values])
        truths = all(value.kind.dtype == "bool" for value in (result, *others))
        for value in others:
            pair = (result, value) if isinstance(node.op, ast.And) else (value, result)
            result = choice(truth(value), *pair)
        if truths:
            return told(replace(self.condition(node), kind=result.kind), result.tag)
        return result

    def _call(self, node: ast.Call) -> Expr:
        name = dotted(node.func)
        given = self.scope, self.value, self.place, self._made
        if (made := reduction_of(node, *given)) is not None:
            return made
        match node:
            case ast.Call(ast.Attribute(of, "conj" | "conjugate" as method), [], []):
                return conjugated(self.value(of), method)
        full = self.scope.full(name)
        if full in OF_ROWS and (row := self._made().of_rows(full, node)) is not None:
            return row
        if full in DRAWING:
            return drawn(full, node, self.scope, self.value)
        if node.keywords or not name:
            hint = advice.BEFORE if name else advice.ELEMENTS
            fail(f"the call `{ast.unparse(node)}`", hint=hint)
        if full == "len" and len(node.args) == 1:
            if (size := self.integer(node)) is not None:
                return self.scope.integer(size)
            if isinstance(node.args[0], ast.Subscript):
                return self._made().counted(node.args[0], first=True)
        args = [self.wide(arg) for arg in node.args]
        inexact = self.scope.planned.nest.asked.inexact
        again, looks = self.scope.again, self.scope.looks
        value = calls.apply(full, args, again=again, inexact=inexact, looks=looks)
        if self.whole:
            note_alike(self.scope, full, node.args, value)
        return value

    def _made(self) -> Elements:
        """What computes arrays in front of the statement."""
        makers = self.value, self.place, self.note
        return Elements(self.scope, *makers, self.before, self.declared)

    def pass_by(self, nodes: Sequence[ast.expr]) -> None:
        """Told of operations of which only the lowest bits count."""

    def tell(self, node: ast.expr, number: int) -> None:
        """Told of a number that has no value in C."""

    def note(self, node: ast.expr, value: Expr) -> None:
        """Told of what an expression is that stands for an element of an array."""
