"""The cells an expression reads, and the elements that are written.

Whatever cannot be said exactly is said too broadly: a subscript that is not affine may
be any position.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from itertools import pairwise

from looptx.model.callees.callee import Callee
from looptx.model.elements import Access, Cell
from looptx.model.expr import (
    TRUE,
    Cond,
    conj,
    negate,
)
from looptx.model.naming import is_part
from looptx.model.program import ANYTHING, OUTPUT
from looptx.model.records import replace
from looptx.model.trees import children, dotted
from looptx.source.names.arrays import SIZES, VIEWS
from looptx.source.names.calls import is_constant, is_single
from looptx.source.names.properties import computing, doing
from looptx.source.names.subscripts import index_list, subscripts
from looptx.source.nests.context import Context
from looptx.source.nests.sizes.affine import Affine
from looptx.source.nests.sizes.happening import happening
from looptx.source.nests.sizes.places import places
from looptx.source.nests.statements import refusals
from looptx.source.nests.statements.effects import Effect, effect

_SHOWN = 60
_NUMBERS = ast.BinOp | ast.UnaryOp | ast.FormattedValue
_OF_PARTS = _NUMBERS | ast.Tuple | ast.List | ast.Slice | ast.Dict | ast.Set
_OF_INTEGERS = frozenset(("real", "imag", "numerator", "denominator"))


class Reads:
    """Collects the accesses of expressions.

    Args:
        context: the nest.
        affine: what expressions mean at this point.

    Attributes:
        accesses: those found so far.
        elements: accesses of arrays, with where they stand.
        passed: the arrays of which functions of the user read more elements.
        defined: the scalars that are definitely assigned in the same statement.
        made: the elements that are.
        where: what holds where the expression is evaluated that is being read.
        effects: what it may do besides, in words. leaves: whether that is to raise.
        whole: whether what is read now may be an array, of which all cells count.
    """

    def __init__(self, context: Context, affine: Affine) -> None:
        self.context = context
        self.affine = affine
        self.accesses: list[Access] = []
        self.elements: list[tuple[Access, ast.Subscript]] = []
        self.passed: frozenset[str] = frozenset()
        self.defined: frozenset[str] = frozenset()
        self.made: frozenset[Cell] = frozenset()
        self.where: Cond = TRUE
        self.effects, self.leaves = "", True
        self.whole = False

    def read(self, node: ast.expr, maybe: bool = False) -> None:
        """Everything an expression reads; ``maybe`` when it may not be evaluated."""
        match node:
            case ast.Constant():
                pass
            case ast.Name() | ast.Attribute():
                self._read_name(node, maybe)
            case ast.Subscript(call, ast.Constant(int())) if self._is_several(call):
                self.read(call, maybe)
            case ast.Subscript():
                self._element(node, maybe, write=False)
            case ast.Call():
                self._call(node, maybe)
            case ast.BoolOp(op, values):
                before = self.where
                self.read(values[0], maybe)
                for test, value in pairwise(values):
                    maybe = maybe or self.affine.cond(test) is None
                    self.where = self._after(
                        test, isinstance(op, ast.And), value, maybe
                    )
                self.where = before
            case ast.IfExp(test, value, other):
                self.read(test, maybe)
                self._after(test, True, value, maybe)
                self._after(test, False, other, maybe)
            case ast.Compare(left, _, others):
                self.read(left, maybe)
                self.read(others[0], maybe)
                for other in others[1:]:
                    self.read(other, True)
            case ast.JoinedStr():
                self._read_all(children(node), maybe, whole=True)
            case _ if isinstance(node, _OF_PARTS):
                self._read_all(children(node), maybe)
            case _:
                what, hint = refusals.expression(node)
                raise self.context.unsupported(node, what, hint)

    def _is_several(self, node: ast.expr) -> bool:
        """Whether a function of the user gives several numbers at once."""
        callee = self.context.kinds.scope.callee(node)
        return callee is not None and callee.results > 0

    def _read_all(
        self, nodes: Iterable[ast.AST], maybe: bool, *, whole: bool = False
    ) -> None:
        before, self.whole = self.whole, self.whole or whole
        for node in nodes:
            if isinstance(node, ast.expr):
                self.read(node.value if isinstance(node, ast.Starred) else node, maybe)
        self.whole = before

    def _after(self, test: ast.expr, holds: bool, node: ast.expr, maybe: bool) -> Cond:
        """An expression that is evaluated where a test comes out so.

        Returns:
            Where that is, as far as it does not depend on data.
        """
        cond = self.affine.cond(test)
        if cond is None:
            here = self.affine.implied(test, holds)
            self.context.untyped.update(self.affine.untyped(test))
        else:
            here = cond if holds else negate(cond)
            self.context.use_cond(cond, self.affine.loops)
        with self.narrowed(here):
            self.read(node, maybe or cond is None)
            return self.where

    @contextmanager
    def narrowed(self, where: Cond) -> Iterator[None]:
        """What is read meanwhile is read only where a condition holds, too."""
        before, self.where = self.where, conj(self.where, where)
        try:
            yield
        finally:
            self.where = before

    def _read_name(self, node: ast.Name | ast.Attribute, maybe: bool) -> None:
        context = self.context
        full = context.kinds.scope.resolve(node)
        if full and (is_constant(full) or full.startswith("builtins.")):
            return
        name = dotted(node)
        base = name.partition(".")[0]
        if isinstance(node, ast.Attribute):
            if node.attr in VIEWS and (
                not name
                or base in context.scalars
                or self._is_array(dotted(node.value))
            ):
                self.read(node.value, maybe)
                return
            if node.attr in SIZES and not name:
                self.read(node.value, maybe)
                return
            if node.attr in SIZES and self._is_array(dotted(node.value)):
                self._outside(node.value)
                return
            if not name:
                what = f"the attribute `{node.attr}` of an expression"
                hint = "store it in a variable before the nest"
                raise context.unsupported(node, what, hint)
        self._look_up(node, doing(context.parsed.tree))
        if name in context.scalars:
            self._scalar(name, False, maybe)
        elif base in context.loop_vars:
            self._loop_variable(node, base)
        elif base in context.scalars:
            what = f"an attribute of `{base}`, which the nest assigns"
            hint = "store it in a variable before the nest"
            raise context.unsupported(node, what, hint)
        elif self._is_array(name) or self._may_hold(node, full):
            self._outside(node)
            context.arrays[name] = None
            self._add(Access(name, (), False, not maybe))
        else:
            self._outside(node)

    def _look_up(self, node: ast.expr, doing: Collection[str]) -> None:
        """Note what looking an attribute up may do, where its name is one of some."""
        if isinstance(node, ast.Attribute) and node.attr in doing:
            self.anything(node, "may do anything, as its class says")

    def _may_hold(self, node: ast.Name | ast.Attribute, full: str) -> bool:
        """Whether what is read now may be an array that nothing else says is one."""
        kinds = self.context.kinds
        known = kinds.is_integer(node) or kinds.single.has(node)
        return self.whole and not known and not full.startswith(("numpy.", "math."))

    def _is_array(self, name: str) -> bool:
        return name in self.context.arrays or name in self.context.kinds.arrays

    def _outside(self, node: ast.expr) -> None:
        """Note a name that is read from outside of the nest."""
        name = dotted(node)
        base = name.partition(".")[0]
        if base in self.context.scalars:
            what = f"`{base}` is assigned in the nest and used as an array or object"
            hint = refusals.assigned_array(self.context.kinds.scope.imports.values())
            if is_part(base):
                what, hint = refusals.RAGGED
            raise self.context.unsupported(node, what, hint)
        self.context.live_in.setdefault(name)

    def _loop_variable(self, node: ast.Name | ast.Attribute, base: str) -> None:
        if isinstance(node, ast.Attribute) and node.attr not in _OF_INTEGERS:
            what = f"an attribute of the loop variable `{base}`"
            raise self.context.unsupported(node, what, "use the number itself")
        if base not in self.affine.loops:
            raise self.context.unsupported(
                node,
                f"the loop variable `{base}` is read outside of its loop",
                "store what you need in another variable inside of the loop",
            )

    def _call(self, node: ast.Call, maybe: bool) -> None:
        scope, kind = self.context.kinds.scope, effect(node, self.context.kinds)
        name = scope.resolve(node.func)
        if kind is Effect.OUTPUT:
            self.effects = self.effects or f"`{_shown(node)}` prints"
            self.leaves = False
            self._add(Access(OUTPUT, (), True, not maybe))
        elif kind is Effect.ANYTHING:
            known = scope.callees.get(dotted(node.func))
            why = f": `{known.name}` {known.refused}" if known and known.refused else ""
            refusals.check_list(node, self.context)
            self.anything(node, f"may read and write anything{why}")
        if name == "builtins.len" and len(node.args) == 1 and dotted(node.args[0]):
            self._outside(node.args[0])
            return
        callee = scope.callee(node)
        if isinstance(node.func, ast.Attribute) and not (name or callee):
            self._read_all([node.func.value], maybe, whole=True)
        elif not isinstance(node.func, ast.Name | ast.Attribute):
            self.read(node.func, maybe)
        elif dotted(node.func) in self.context.scalars:
            self._scalar(dotted(node.func), False, maybe)
        given = [*node.args, *(keyword.value for keyword in node.keywords)]
        if callee is not None:
            self._called(callee, node, maybe)
        else:
            self._read_all(given, maybe, whole=not is_single(name, len(given)))

    def _called(self, callee: Callee, call: ast.Call, maybe: bool) -> None:
        """What a function of the user reads.

        Args:
            callee: the function. call: of it. maybe: whether it may not happen.
        """
        for name in sorted(callee.reads):
            self._read_name(ast.Name(name, ast.Load()), maybe)
        for name, value in (callee.given(call) or {}).items():
            if name not in callee.arrays:
                self.read(value, maybe)
                continue
            self._known_array(value, call)
            self.passed |= {dotted(value)}
        for one in callee.read(call):
            where, told = happening(one.tests, self.affine)
            self.context.use_cond(where, self.affine.loops)
            with self.narrowed(where):
                found, _ = places(one.array, one.indices, self.context, self.affine)
                self._add(Access(one.array, found, False, told and not maybe))

    def anything(self, node: ast.expr | ast.stmt, what: str) -> None:
        """Note that what is read now may use anything, and how to say so."""
        if not any(access.array == ANYTHING for access in self.accesses):
            self.effects = f"`{_shown(node)}` {what}"
        self.leaves = False
        if isinstance(node, ast.Call):
            self.context.check_call(node)
        self._add(Access(ANYTHING, (), True, False))

    def _element(self, node: ast.Subscript, maybe: bool, *, write: bool) -> None:
        base, indices = subscripts(node)
        if isinstance(base, ast.Attribute) and base.attr == "shape":
            if write:
                raise self.context.unsupported(
                    node, "an assignment to a shape", "reshape before the nest"
                )
            self.read(base, maybe)
            self.read(node.slice, maybe)
            return
        for index in indices:
            self.read(index, maybe)
        base, known = self._array(base)
        name = dotted(base)
        if not name:
            raise self.context.unsupported(
                node,
                f"a subscript of `{ast.unparse(base)}`",
                "store the array in a variable before the nest",
            )
        if self.context.kinds.scope.resolve(base).startswith(("math.", "numpy.")):
            what = f"a subscript of `{name}`"
            raise self.context.unsupported(node, what, "use a local array")
        self._known_array(base, node)
        found, products = places(
            name, indices if known else [], self.context, self.affine
        )
        inner = index_list(node)
        if len(inner) < len(indices) and None in found[: len(indices) - len(inner)]:
            found, products = (), ()
        known = bool(found) and None not in found
        if write and known:
            self.made |= {(name, found)}
        certain = not maybe and (known or not write)
        reached = bool(products) and not maybe
        self._add(
            Access(name, found, write, certain, products=products, reached=reached)
        )
        if len(indices) >= self.context.kinds.rank(name):
            self.elements.append((self.accesses[-1], node))

    def _known_array(self, array: ast.expr, node: ast.expr) -> None:
        """Note an array that is subscripted somewhere."""
        name = dotted(array)
        self._outside(array)
        self._look_up(array, computing(self.context.parsed.tree))
        if name in self.context.loop_vars:
            raise self.context.unsupported(
                node, f"the loop variable `{name}` is subscripted", "rename the loop"
            )
        self.context.arrays.setdefault(name)

    def _array(self, base: ast.expr) -> tuple[ast.expr, bool]:
        """The array below views such as ``A.T``, and whether subscripts are its own."""
        known = True
        while True:
            if isinstance(base, ast.Attribute) and base.attr in VIEWS:
                base, known = base.value, False
            elif isinstance(base, ast.Subscript):
                for index in index_list(base):
                    self.read(index, True)
                base, known = base.value, False
            else:
                return base, known

    def _scalar(self, name: str, write: bool, maybe: bool) -> None:
        if write:
            self.defined |= {name}
        elif name in self.defined:
            return
        self._add(Access(name, (), write, not maybe))

    def _add(self, access: Access) -> None:
        self.accesses.append(replace(access, where=self.where))


def _shown(node: ast.expr | ast.stmt) -> str:
    """The text of an expression, or as much of it as a line holds."""
    text = ast.unparse(node).split("\n")[0]
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 4]} ..."
