"""Which reductions are exact in any order: those in integers.

Sums, products, minima, maxima and bit operations of fixed-width integers are
associative and commutative (modulo the width), Python's integers are exact. What counts
is what a reduction starts from and all its terms together: whatever is not seen to be
an integer may be a float, and terms of several widths overflow in one order only.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from looptx.model.callees.expansion import in_place
from looptx.model.dtypes import DTYPES, INTEGERS, promoted
from looptx.model.functions import When, lookup
from looptx.model.program import Nest, Statement
from looptx.model.trees import dotted
from looptx.model.types import ArrayType, Type
from looptx.source.ast_tools import walked
from looptx.source.names.calls import integral
from looptx.source.names.subscripts import subscripts
from looptx.source.nests.statements.holding import Names

Widths = frozenset[str]
"""The types of integers that an expression may have, ``""`` for Python's."""

_PYTHON = frozenset(("",))
"""Python's adopt the type of any of NumPy's."""

_WIDEST = frozenset(("int64",))

_BITS = ("&", "|", "^")
_OPERATORS = (
    ast.Add,
    ast.Sub,
    ast.Mult,
    ast.FloorDiv,
    ast.Mod,
    ast.BitAnd,
    ast.BitOr,
    ast.BitXor,
)


def integer_targets(nest: Nest, types: Mapping[str, Type]) -> frozenset[str]:
    """The arrays and scalars of a nest whose reductions are exact in any order.

    A scalar counts as an integer as long as it starts as one and everything assigned to
    it is one (the greatest fixed point), an array as its type says.

    Args:
        nest: the nest.
        types: what is known of the names it reads, where it starts.
    """
    nest = in_place(nest)
    integers = Integers(nest, types)
    targets: dict[str, dict[str, list[ast.expr]]] = {}
    for statement in nest.statements.values():
        if (found := statement.reduction) is not None:
            terms = targets.setdefault(found.target.array, {})
            terms.setdefault(found.op, []).append(found.operand)
    return frozenset(
        name
        for name, combined in targets.items()
        if all(integers.exact(name, op, terms) for op, terms in combined.items())
    )


def bit_targets(nest: Nest, types: Mapping[str, Type]) -> frozenset[str]:
    """The targets of which bits are combined, exactly in any order: no float has them.

    A cell has to be known to take each term alone; integers of several widths need not.
    What may be no number is none of them: dictionaries have an order. It is one where
    it starts as one, or where all that is combined with it is: nothing else takes that.

    Args:
        nest: the nest.
        types: what is known of the names it reads, where it starts.
    """
    nest = in_place(nest)
    combined = [
        x.reduction for x in nest.statements.values() if x.reduction is not None
    ]
    others = {found.target.array for found in combined if found.op not in _BITS}
    terms: dict[str, list[ast.expr]] = {}
    for found in combined:
        terms.setdefault(found.target.array, []).append(found.operand)
    return frozenset(
        name
        for name in terms.keys() - others
        if (
            _is_bool(types.get(name)) and all(_is_truth(x, types) for x in terms[name])
            if name in nest.arrays
            else _are_bits(terms[name], nest, types)
            or _starts_as_bits(nest, types, name)
        )
    )


def _starts_as_bits(nest: Nest, types: Mapping[str, Type], name: str) -> bool:
    """Whether a scalar is an integer, or true or false, before bits are combined.

    Args:
        nest: the nest. types: what is known of the names it reads. name: the scalar.
    """
    values = [
        value
        for one in nest.statements.values()
        if one.reduction is None
        for target, value in _assigned(one)
        if target == name
    ]
    before = Names(nest, types).outside(name) if name in nest.live_in else frozenset()
    known = before is not None and all(one.is_integer for one in before)
    return known and _are_bits(values, nest, types)


def _are_bits(
    values: Sequence[ast.expr | None], nest: Nest, types: Mapping[str, Type]
) -> bool:
    """Whether values are integers, or true or false.

    Args:
        values: the expressions. nest: theirs. types: what is known of its names.
    """
    integers = Integers(nest, types)
    return all(
        x is not None and (_is_truth(x, types) or integers.of(x) is not None)
        for x in values
    )


def _is_truth(node: ast.expr, types: Mapping[str, Type]) -> bool:
    """Whether an expression is known to be true or false, one of the two."""
    match node:
        case ast.Constant(value):
            return isinstance(value, bool)
        case ast.Compare() | ast.UnaryOp(ast.Not()):
            return True
        case ast.Name() | ast.Attribute():
            return _is_bool(types.get(dotted(node)))
        case ast.Subscript():
            return _is_truth(subscripts(node)[0], types)
        case ast.BinOp(left, ast.BitAnd() | ast.BitOr() | ast.BitXor(), right):
            return _is_truth(left, types) and _is_truth(right, types)
    return False


def _is_bool(kind: Type | None) -> bool:
    return kind is not None and kind.dtype == "bool"


class Integers:
    """The names of a nest that hold integers, and of what kinds."""

    def __init__(self, nest: Nest, types: Mapping[str, Type]) -> None:
        self.functions = nest.names.functions
        self.types = types
        self.arrays = {n for n, kind in types.items() if isinstance(kind, ArrayType)}
        known = {
            name: _PYTHON if getattr(kind, "weak", False) else frozenset((kind.dtype,))
            for name, kind in types.items()
            if kind.dtype in INTEGERS
        }
        said = {
            name: _PYTHON
            for name, arrays in nest.entry.starts.items()
            if name not in types and arrays <= known.keys()
        }
        loops = dict.fromkeys((loop.var for loop in nest.loops.values()), _PYTHON)
        self.widths: dict[str, Widths] = {**known, **said, **loops}
        inside = set(nest.scalars) - set(nest.live_in)
        self.widths |= dict.fromkeys(inside, frozenset[str]())
        self._settle([p for one in nest.statements.values() for p in _assigned(one)])

    def _settle(self, assigned: Sequence[tuple[str, ast.expr | None]]) -> None:
        """Drop the scalars that are given something else, until nothing changes."""
        before: Mapping[str, Widths] = {}
        while before != self.widths:
            before = dict(self.widths)
            for name, value in assigned:
                found = None if value is None else self.of(value)
                if found is None:
                    self.widths.pop(name, None)
                elif name in self.widths:
                    self.widths[name] |= found

    def exact(self, target: str, op: str, operands: Sequence[ast.expr]) -> bool:
        """Whether combining operands with a target by one operation is exact.

        Args:
            target: an array or a scalar.
            op: the operation: ``+``, ``min``.
            operands: what is combined with it.
        """
        own = self.widths.get(target)
        found = [self._added(operand, op) for operand in operands]
        terms = frozenset[str]().union(*(one or () for one in found))
        if own is None or None in found:
            return False
        ordered = op in ("min", "max")
        if target in self.arrays:
            # One without a sign takes a number modulo its width, which keeps no order;
            # others refuse what they do not hold.
            modulo = not ordered and all(DTYPES[width].kind == "u" for width in own)
            return _integer(*own, *terms) and (modulo or holds(own, terms))
        if len(terms) <= 1:
            return True
        if ordered or op == "*":
            return False
        # Sums of Python's integers do not come to where 64 bits end.
        return terms <= _PYTHON | _WIDEST or (len(own) == 1 and holds(own, terms))

    def _added(self, node: ast.expr, op: str) -> Widths | None:
        """The kinds of integers an operand counts as; True counts as 1 in a sum."""
        match node:
            case ast.UnaryOp(ast.USub(), term):
                pass
            case term:
                pass
        return _PYTHON if op == "+" and _is_truth(term, self.types) else self.of(node)

    def of(self, node: ast.expr) -> Widths | None:
        """The kinds of integers an expression has; None when it may be none."""
        match node:
            case ast.Constant(value):
                return _PYTHON if type(value) is int else None
            case ast.Name() | ast.Attribute():
                return self.widths.get(dotted(node))
            case ast.Subscript(ast.Attribute(attr="shape"), ast.Constant(int())):
                return _PYTHON
            case ast.Subscript():
                return self.of(subscripts(node)[0])
            case ast.UnaryOp(ast.UAdd() | ast.USub() | ast.Invert(), value):
                return self.of(value)
            case ast.BinOp(left, op, right) if isinstance(op, _OPERATORS):
                ours, theirs = self.of(left), self.of(right)
                if ours is not None and _is_truth(right, self.types):
                    return _with_truth(ours)
                if theirs is not None and _is_truth(left, self.types):
                    return _with_truth(theirs)
                if ours is None or theirs is None:
                    return None
                if not all(_integer(one, other) for one in ours for other in theirs):
                    return None
                return frozenset(_met(one, other) for one in ours for other in theirs)
            case ast.IfExp(_, then, other):
                return self._any((then, other))
            case ast.Call(function, [_, *_] as args, []):
                name = self.functions.get(dotted(function), "")
                if lookup(name).converts in INTEGERS and len(args) == 1:
                    return frozenset((lookup(name).converts,))
                when = integral(name)
                if when is When.ALL:
                    return self._any(args)
                return _PYTHON if when is When.ALWAYS else None
        return None

    def _any(self, nodes: Iterable[ast.expr]) -> Widths | None:
        """The kinds of several expressions, one of which is the value."""
        found = [self.of(node) for node in nodes]
        known = [one for one in found if one is not None]
        return frozenset[str]().union(*known) if len(known) == len(found) else None


def _with_truth(widths: Widths) -> Widths:
    """The kinds of what integers and one that is true or false make.

    NumPy's adopts the type of its integers, and makes one of theirs of Python's.
    """
    return widths | _WIDEST if widths & _PYTHON else widths


def _met(*widths: str) -> str:
    """The type of what is made of several."""
    numpys = [width for width in widths if width]
    return promoted(*numpys) if numpys else ""


def _integer(*widths: str) -> bool:
    """Whether what is made of several is an integer: NumPy has none for some."""
    return _met(*widths) in ("", *INTEGERS)


def holds(own: Collection[str], terms: Widths) -> bool:
    """Whether what collects has all values of the terms; any have Python's."""
    wide = [DTYPES[width] for width in own if width]
    needed = [DTYPES[width] for width in terms if width]
    return all(any(one.holds(term) for one in wide) for term in needed)


def _assigned(statement: Statement) -> Iterator[tuple[str, ast.expr | None]]:
    """(scalar, value) for every binding in a statement; None where it is not plain."""
    for node in (inner for code in statement.code for inner in walked(code)):
        match node:
            case ast.Assign(targets, value):
                for target in targets:
                    if isinstance(target, ast.Name):
                        yield target.id, value
                    else:
                        names = (n for n in walked(target) if isinstance(n, ast.Name))
                        yield from (
                            (n.id, None) for n in names if isinstance(n.ctx, ast.Store)
                        )
            case ast.AugAssign(ast.Name(name), op, value):
                whole = ast.BinOp(ast.Name(name, ast.Load()), op, value)
                yield name, whole
            case ast.AnnAssign(ast.Name(name), _, value):
                yield name, value
            case ast.For(ast.Name(name)):
                yield name, ast.Constant(0)
