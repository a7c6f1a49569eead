"""Reductions of what is computed of rows and slices: ``np.sum(A[i, :] * x)``.

NumPy computes an array for each operation; here all operations of an element are done
at once, into one array, which is reduced as NumPy reduces its last one.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from looptx.lower import tree
from looptx.lower.kinds import BOOL, INT, fail, of
from looptx.lower.tree import (
    Assign,
    Expr,
    For,
    If,
    Run,
    dangers,
    infix,
    intrinsic,
    number,
)
from looptx.lower.values import calls, operators
from looptx.lower.values.arrays import powers, quantiles
from looptx.lower.values.arrays.cells import BY_LOOP, Cells, Make
from looptx.lower.values.arrays.masks import Mask, neighbours
from looptx.lower.values.comparing import COMPARISONS, compare
from looptx.lower.values.conversions import check_rounded, conjugated, part_of, stored
from looptx.lower.values.literals import loaded
from looptx.lower.values.reducing import (
    PRODUCTS,
    SEARCHED,
    Reduction,
    product,
    reduced,
    reduction,
    searched,
    side_of,
)
from looptx.lower.values.views import (
    Strip,
    counts,
    has_arrays,
    is_array,
    stands,
)
from looptx.model.dtypes import INTEGERS
from looptx.model.expr import Var
from looptx.model.noted.quantiles import together
from looptx.model.records import dataclass, replace
from looptx.model.trees import brackets, dotted
from looptx.model.types import ArrayType, ScalarType

_OPERATIONS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.BitAnd, ast.BitOr, ast.BitXor)
"""What NumPy computes of arrays as it does of their elements, to the last bit."""

_OUTSIDE = "an index in an array out of bounds"
"""What is said of a place that an array tells."""

_FUNCTIONS = frozenset(
    ("numpy.sqrt", "numpy.abs", "numpy.absolute", "numpy.fabs", "numpy.square", "abs")
) | {"numpy.isnan", "numpy.isinf", "numpy.isfinite"}
_FUNCTIONS |= {f"numpy.{name}" for name in ("conj", "conjugate", "real", "imag")}


@dataclass(slots=True)
class Elements(Cells):
    """Computes a reduction in front of the statement that needs it."""

    def reduced(self, one: Reduction) -> Expr:
        """The number that a reduction makes of an array that is computed.

        Args:
            one: the reduction.

        Raises:
            Unsupported: LX504 where an element is not known to be what NumPy computes.
        """
        return self._used(reduced(self.scope, one, self._array(one.of, single=True)))

    def of_rows(self, full: str, node: ast.Call) -> Expr | None:
        """What a function makes of a row and something else; None where it is unknown.

        Args:
            full: of ``reducing.OF_ROWS``. node: the call.

        Raises:
            Unsupported: as of ``reduced``.
        """
        if full in quantiles.QUANTILES and node.args:
            return self._quantile(full, node)
        if len(node.args) < 2:
            return None
        if full == SEARCHED:
            return self._searched(node, side) if (side := side_of(node)) else None
        if len(node.args) > 2 or node.keywords:
            return None
        return self._product(PRODUCTS[full], *node.args)

    def product(self, left: ast.expr, right: ast.expr) -> Expr:
        """``left @ right``.

        Args:
            left, right: the rows, which may be computed.

        Raises:
            Unsupported: as of ``reduced``.
        """
        return self._product("matmul", left, right)

    def _product(self, operation: str, left: ast.expr, right: ast.expr) -> Expr:
        """The product of two rows, which may be computed.

        Args:
            operation: of ``reducing.PRODUCTS``. left, right: the rows.

        Raises:
            Unsupported: as of ``reduced``.
        """
        rows, own = list[Strip](), 0
        for node in (left, right):
            if is_array(node, self.scope):
                rows.append(self._strip(node))
                if rows[-1].axis is None:
                    fail(f"numpy.{operation} of whole arrays of several axes")
            elif has_arrays(node, self.scope):
                rows.append(self._array(node))
                own += 1
            else:
                fail(f"numpy.{operation} of `{ast.unparse(node)}`")
        found = product(operation, *rows)
        return self._used(found) if own else found

    def _quantile(self, full: str, node: ast.Call) -> Expr | None:
        """The number behind a part of a row, which may be computed.

        Args:
            full: of ``quantiles.QUANTILES``. node: the call.

        Raises:
            Unsupported: as of ``reduced``.
        """
        of, told = node.args[0], quantiles.part_of(node)
        if told is None or not has_arrays(of, self.scope):
            return None
        quantiles.check_laid(of, self.scope)
        part, own = self.value(told), not is_array(of, self.scope)
        given = self._array(of, single=True) if own else self._strip(of)
        found = quantiles.quantile(full, given, part, together(node))
        return self._used(found) if own else found

    def _searched(self, node: ast.Call, side: str) -> Expr:
        """Where a number would stand in a row.

        Args:
            node: the call. side: of ``reducing.SIDES``.

        Raises:
            Unsupported: as of ``reduced``.
        """
        of, value = node.args[:2]
        if not is_array(of, self.scope):
            fail(f"{SEARCHED} of `{ast.unparse(of)}`")
        row = self._strip(of)
        if row.axis is None:
            fail(f"{SEARCHED} of a whole array of several axes")
        return searched(row, self.value(value), side)

    def counted(self, node: ast.expr, *, first: bool = False) -> Expr:
        """How many elements a part of an array has, or a mask tells of one.

        Args:
            node: these elements. first: whether they are counted along its first axis.

        Raises:
            Unsupported: LX504 where it is neither.
        """
        if is_array(node, self.scope):
            several = counts(node, self.scope, self.value, self.place)
            found, *others = several[:1] if first else several
            for more in others:
                found = infix("*", found, more)
            return replace(found, kind=of(INT))
        if self.before is None:
            fail(f"the array `{ast.unparse(node)}` where it stands")
        self._at = self._fresh("at", "Py_ssize_t")
        self._mask, self._beside = None, False
        _, count = self._element(node)
        if self._mask is None or count is None or self._beside or self._looked:
            fail(f"the size of `{ast.unparse(node)}`")
        if dangers([self._mask.test]):
            fail(f"`{ast.unparse(node)}`, of which an element may raise")
        kept = self._fresh("kept", "Py_ssize_t")
        loop = self._mask.loop(
            self._at, count, (self._mask.counted(kept),), self._fresh
        )
        self.lines.extend([Assign(kept, number(0)), loop])
        return tree.variable(kept.name, of(INT))

    def _array(self, node: ast.expr, *, single: bool = False) -> Strip:
        """An array that is computed, in memory of its own.

        Args:
            node: the array. single: whether a number stands for an array of one.

        Raises:
            Unsupported: as of ``reduced``.
        """
        if self.before is None:
            fail(f"the array `{ast.unparse(node)}` where it stands")
        at = self._at = self._fresh("at", "Py_ssize_t")
        self._mask, self._beside = None, False
        make, count = self._element(node)
        near, anyhow = make(False), make(True)
        weak = any(member.weak for member in near.kind.members)
        if count is None and (weak or not single):
            fail(f"the number `{ast.unparse(node)}` where an array has to be")
        count = count or number(1)
        check_rounded(near)
        if dangers([near]):
            fail(f"`{ast.unparse(node)}`, of which an element may raise")
        dtype = near.kind.dtype
        for one in self._looked:
            self.lines.append(For(at.name, number(0), count, (Run(one),)))
        self._looked.clear()
        cells, allocates = self._rows.allocated(count, dtype)
        self.lines.extend([*self._rows.lines, *allocates])
        self._rows.lines.clear()
        cell = Expr("local cell", of(ScalarType(dtype)), (at,), cells.name)
        values = [stored(value, dtype) for value in (near, anyhow)]
        if self._mask is not None:
            count = self._kept(self._mask, values[0], cell, count)
            return Strip(cells, dtype, number(0), count, number(1), (), None, number(1))
        loops = [
            For(at.name, number(0), count, (Assign(cell, value),)) for value in values
        ]
        alike = [infix("==", one, count, of(BOOL)) for one in self._counts]
        others = [test for test in alike if test.parts[0] != count]
        if others:
            self.lines.append(If(tree.both(*others), (loops[0],), (loops[1],)))
        else:
            self.lines.append(loops[0])
        return Strip(cells, dtype, number(0), count, number(1), (), None, number(1))

    def _kept(self, mask: Mask, value: Expr, cell: Expr, count: Expr) -> Expr:
        """How many elements a mask leaves, which are stored.

        Args:
            mask: it. value: an element. cell: where it would go without a mask.
            count: how many elements there are.
        """
        if self._beside:
            fail("an array beside elements of others that a mask tells")
        kept = self._fresh("kept", "Py_ssize_t")
        body = mask.stored(replace(cell, parts=(kept,)), value)
        loop = mask.loop(self._at, count, body, self._fresh)
        self.lines.extend([Assign(kept, number(0)), loop])
        return kept

    def _element(self, node: ast.expr) -> tuple[Make, Expr | None]:
        """What makes an element, and how many there are; None for a single number."""
        make, count = self._made(node)
        self.note(node, make(False))
        return make, count

    def _made(self, node: ast.expr) -> tuple[Make, Expr | None]:
        if stands(node) and is_array(node, self.scope):
            return self._cell(node)
        if not has_arrays(node, self.scope) or self._is_number(node):
            value = self._held(self.value(node), "given")
            return (lambda _: value), None
        match node:
            case ast.Subscript(array, places) if not isinstance(places, ast.Tuple):
                return self._taken(array, places)
            case ast.BinOp(left, ast.Pow(), ast.Constant(int() | float() as exponent)):
                base, count = self._element(left)
                kind = base(False).kind
                if count is not None and kind.is_complex and exponent == 2:
                    one = left, base, count
                    return self._rounded("square", kind.dtype, count, [one])
                if powers.is_known(exponent, base(False)):
                    return (lambda far: powers.taken(exponent, base(far), node)), count
            case ast.BinOp(left, op, right) if isinstance(op, _OPERATIONS):
                return self._both(
                    operators.binary, operators.SIGNS[type(op)], left, right
                )
            case ast.Compare(left, [op], [right]):
                sign = COMPARISONS.get(type(op))
                if sign is not None:
                    return self._both(compare, sign, left, right)
            case ast.UnaryOp(ast.USub() | ast.Invert() as op, operand):
                inner, count = self._element(operand)
                return (lambda far: operators.unary(op, inner(far))), count
            case ast.Call(function, [given], []):
                name = self.scope.full(dotted(function))
                if name in _FUNCTIONS:
                    inner, count = self._element(given)
                    kind, word = inner(False).kind, BY_LOOP.get(name)
                    if count is not None and kind.is_complex and word:
                        one = given, inner, count
                        return self._rounded(word, kind.dtype, count, [one])
                    return (lambda far: calls.apply(name, [inner(far)])), count
            case ast.Call(ast.Attribute(given, "conj" | "conjugate" as method), [], []):
                inner, count = self._element(given)
                return (lambda far: conjugated(inner(far), method)), count
            case ast.Attribute(given, "real" | "imag" as part):
                inner, count = self._element(given)
                if inner(False).kind.is_complex:
                    return (lambda far: part_of(inner(far), part)), count
        fail(f"the array `{ast.unparse(node)}`")

    def _is_number(self, node: ast.expr) -> bool:
        """Whether an expression is one element of an array, or made of all of them."""
        if isinstance(node, ast.Call) and self._reduces(node):
            return True
        _, groups = brackets(node)
        parts = [part for group in groups for part in group]
        return bool(parts) and not any(has_arrays(x, self.scope) for x in parts)

    def _reduces(self, node: ast.Call) -> bool:
        """Whether a call reduces an array to a number."""
        return reduction(node, self.scope.full(dotted(node.func))) is not None

    def _taken(self, base: ast.expr, places: ast.expr) -> tuple[Make, Expr | None]:
        """An element of an array at a place that another array says.

        Args:
            base: the array. places: the other one.
        """
        beside = self._beside
        inner, count = self._element(places)
        if inner(False).kind.dtype == "bool" and count is not None:
            masked = self._masked(base, places, inner(False), count)
            self._beside = beside
            return masked
        self._beside = True
        name, kind = dotted(base), self.scope.type_of(dotted(base))
        if not isinstance(kind, ArrayType) or kind.ndim != 1 or kind.holders:
            fail(f"elements of `{ast.unparse(base)}` that an array tells")
        if {x.dtype for x in inner(False).kind.members} - ({*INTEGERS} - {"uint64"}):
            fail(f"elements of `{name}` that `{ast.unparse(places)}` tells")
        extent = tree.index(Var(self.scope.extent(name, 0)))
        at = of(INT)
        self._looked.append(
            intrinsic("at", at, inner(True), extent, number(0), raises=_OUTSIDE)
        )

        def make(far: bool) -> Expr:
            place = intrinsic("wrap", at, inner(far), extent)
            return loaded(self.scope.cell(name, [place], of(ScalarType(kind.dtype))))

        return make, count

    def _masked(
        self, base: ast.expr, places: ast.expr, test: Expr, count: Expr
    ) -> tuple[Make, Expr]:
        """An element of an array, of which a mask tells whether it is one at all.

        Args:
            base: the array. places: the mask.
            test: an element of it. count: how many it has.
        """
        inner, own = self._element(base)
        text = ast.dump(places)
        other = self._mask is not None and self._mask.text != text
        if own is None or other or self.scope.holders(dotted(base)):
            fail(f"elements of `{ast.unparse(base)}` that several masks tell")
        if own != count:
            why = "a mask of another length"
            self.lines.append(Run(intrinsic("masked", of(INT), own, count, raises=why)))
        found = neighbours(places, self.scope, lambda: self._strip(places))
        self._mask = Mask(text, test, found)
        return inner, own

    def _both(
        self,
        operation: Callable[[str, Expr, Expr], Expr],
        sign: str,
        left: ast.expr,
        right: ast.expr,
    ) -> tuple[Make, Expr | None]:
        """What makes an element of two.

        Args:
            operation: makes a value of two. sign: which. left, right: the two.
        """
        one, ours = self._element(left)
        two, theirs = self._element(right)
        count = ours or theirs
        if ours is not None and theirs is not None and ours != theirs:
            raises = "operands of different lengths"
            agreed = intrinsic("agree", of(INT), ours, theirs, raises=raises)
            count = self._held(agreed, "count")
        kind = operation(sign, one(False), two(False)).kind
        if kind.is_complex and count is not None and sign in BY_LOOP:
            operands = [(left, one, ours), (right, two, theirs)]
            return self._rounded(BY_LOOP[sign], kind.dtype, count, operands)
        return (lambda far: operation(sign, one(far), two(far))), count
