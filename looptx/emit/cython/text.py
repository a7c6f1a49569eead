"""The typed tree as Cython: expressions, statements and functions."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from looptx.looptree import text as indices
from looptx.looptree.text import indent
from looptx.lower.kinds import Number
from looptx.lower.limits import WORD
from looptx.lower.tree import (
    Assign,
    Expr,
    For,
    Function,
    If,
    ParallelFor,
    Stmt,
    View,
)
from looptx.lower.types import c_element
from looptx.model.expr import (
    Cond,
    IntExpr,
)
from looptx.model.types import ScalarType

HEADER = (
    "@lx_cython.boundscheck(False)",
    "@lx_cython.wraparound(False)",
    "@lx_cython.cdivision(True)",
)

CHOICE, OR, AND, NOT, COMPARE, BITOR, XOR, BITAND, SHIFT, SUM, PRODUCT, UNARY, ATOM = (
    range(13)
)
_BINDS = {"|": BITOR, "^": XOR, "&": BITAND, "<<": SHIFT, ">>": SHIFT, "+": SUM}
_BINDS |= {"-": SUM, "*": PRODUCT, "/": PRODUCT, "or": OR, "and": AND, "not": NOT}
_BINDS |= dict.fromkeys(("==", "!=", "<", "<=", ">", ">="), COMPARE)
_BINDS |= {"choice": CHOICE, "cast": UNARY, "neg": UNARY, "~": UNARY}
_INDICES = {
    indices.CHOICE: CHOICE,
    indices.OR: OR,
    indices.AND: AND,
    indices.NOT: NOT,
    indices.COMPARE: COMPARE,
    indices.SUM: SUM,
    indices.PRODUCT: PRODUCT,
    indices.UNARY: UNARY,
    indices.ATOM: ATOM,
}
"""How tightly a text of ``looptree.text`` binds."""


def expression(expr: Expr) -> str:
    """An expression."""
    return _written(expr)[0]


def _at(expr: Expr, least: int) -> str:
    """An expression, in parentheses where it must bind at least so tightly."""
    text, binds = _written(expr)
    return text if binds >= least else f"({text})"


def _written(expr: Expr) -> tuple[str, int]:
    """The text of an expression, and how tightly it binds."""
    binds = _BINDS.get(expr.op, ATOM)
    match expr:
        case Expr("name", name=name):
            return name, ATOM
        case Expr("number", number=number) if number is not None:
            return _number(number)
        case Expr("index" | "test"):
            return _index(expr.index)
        case Expr("cell", parts=parts, name=name):
            return f"{name}[{', '.join(map(expression, parts))}]", ATOM
        case Expr("local cell", parts=parts, name=name):
            return name + "".join(f"[{expression(part)}]" for part in parts), ATOM
        case Expr("call", parts=parts, name=name):
            return f"{name}({', '.join(map(expression, parts))})", ATOM
        case Expr("cast", parts=(part,), name=name):
            return f"<{name}>{_at(part, UNARY)}", binds
        case Expr("choice", parts=(cond, value, other)):
            return f"{_at(value, OR)} if {_at(cond, OR)} else {_at(other, OR)}", binds
        case Expr("not", parts=(part,)):
            return f"not {_at(part, NOT)}", binds
        case Expr("neg" | "~" as op, parts=(part,)):
            return f"{'-' if op == 'neg' else op}{_at(part, UNARY)}", binds
        case Expr("and" | "or" as op, parts=parts):
            return f" {op} ".join(_at(part, binds + 1) for part in parts), binds
    left, right = expr.parts
    first = _at(left, binds + (binds == COMPARE))  # which would be chained
    return f"{first} {expr.op} {_at(right, binds + 1)}", binds


def _number(number: Number) -> tuple[str, int]:
    if isinstance(number, bool):
        return str(number), ATOM
    if isinstance(number, int):
        return _integer(number), ATOM if number >= 0 or number < -WORD else UNARY
    assert isinstance(number, float)
    if math.isnan(number):
        return "lx_nan", ATOM
    sign = math.copysign(1.0, number)
    text = "lx_inf" if math.isinf(number) else repr(abs(number))
    return (text, ATOM) if sign > 0 else (f"-{text}", UNARY)


def _integer(number: int) -> str:
    """Without the suffix Cython makes a Python object of a large integer."""
    if number < -WORD:
        return f"(-{WORD}LL - 1)"
    return f"{number}LL" if abs(number) >= 1 << 31 else str(number)


class _Cython(indices.Dialect):
    """Integers in Cython; Python's division by helpers, for C rounds towards zero."""

    def integer(self, value: int) -> str:
        return _integer(value)

    def quotient(self, op: str, left: IntExpr, right: IntExpr) -> tuple[str, int]:
        word = "floordiv" if op == "//" else "mod"
        parts = ", ".join(indices.with_binding(one, self)[0] for one in (left, right))
        return f"lx_{word}({parts})", indices.ATOM


def _index(part: IntExpr | Cond | None) -> tuple[str, int]:
    """An expression or a condition over sizes and loops."""
    assert part is not None
    text, binds = indices.with_binding(part, _Cython())
    return text, _INDICES[binds]


def statements(block: Sequence[Stmt]) -> list[str]:
    """The lines of statements."""
    return [line for node in block for line in _statement(node)]


def _statement(node: Stmt) -> list[str]:
    match node:
        case Assign(target, value, op):
            return [f"{expression(target)} {op}= {expression(value)}"]
        case If():
            return _if(node)
        case For(var, start, stop, body, step):
            bounds = _range(start, stop, step)
            return [f"for {var} in range({bounds}):", *indent(statements(body))]
        case ParallelFor(var, start, stop, call, step):
            bounds = ", ".join([_range(start, stop, step), *_settings(node)])
            return [f"for {var} in lx_prange({bounds}):", f"    {expression(call)}"]


def _if(node: If) -> list[str]:
    lines = [f"if {expression(node.cond)}:", *indent(statements(node.body))]
    match node.orelse:
        case ():
            return lines
        case (If() as inner,):
            first, *rest = _if(inner)
            return [*lines, f"el{first}", *rest]
    return [*lines, "else:", *indent(statements(node.orelse))]


def _range(start: Expr, stop: Expr, step: Expr | None) -> str:
    if step is not None:
        return ", ".join(map(expression, (start, stop, step)))
    ends = expression(start), expression(stop)
    return ends[1] if ends[0] == "0" else ", ".join(ends)


def _settings(node: ParallelFor) -> list[str]:
    settings = [f"num_threads=lx_threads(threads, {node.threads})"]
    if node.schedule:
        settings.append(f'schedule="{node.schedule}"')
    if node.chunk:
        settings.append(f"chunksize={node.chunk}")
    return settings


def function(one: Function) -> str:
    """A C function without the GIL, never inlined into the entry unless it is small.

    In one that is, memoryviews are plain by-value structs, and C keeps their pointers
    and strides in registers.
    """
    result = f"inline {'int' if one.raises else 'void'}" if one.inline else "lx_work"
    ending = "except -1 nogil" if one.raises else "noexcept nogil"
    given = ", ".join(f"{c_type(k)} {name}" for name, k in one.arguments.items())
    lines = [
        *(f"# looptx: {line}" for line in one.comments),
        *HEADER,
        f"cdef {result} {one.name}({given}) {ending}:",
        *indent(declare(one.variables) + statements(one.body)),
    ]
    return "\n".join(lines)


def declare(variables: Mapping[str, str | View]) -> list[str]:
    """``cdef`` lines, by C type; arrays (``double[8]``) on lines of their own."""
    by_type: dict[str, list[str]] = {}
    for name, given in variables.items():
        by_type.setdefault(c_type(given), []).append(name)
    lines = []
    for kind, names in by_type.items():
        width = 1 if kind[-2:-1].isdigit() and kind.endswith("]") else 8
        for first in range(0, len(names), width):
            lines.append(f"cdef {kind} {', '.join(names[first : first + width])}")
    return lines


def c_type(kind: str | View) -> str:
    """The type of a variable: C's, or a memoryview."""
    if isinstance(kind, str):
        return kind
    array = kind.kind
    axes = str(replace(array, dtype="")).strip("[]") if array.ndim > 1 else "::1"
    if array.ndim == 1 and array.layout == "A":
        axes = ":"
    return f"{'' if kind.written else 'const '}{c_element(array.dtype)}[{axes}]"


def returned(kind: ScalarType, text: str, numpy: str = "lx_numpy") -> str:
    """A C value as the Python number of a type."""
    if kind.weak:
        if kind.dtype == "bool":
            return f"bool({text})"
        return text
    name = "bool_" if kind.dtype == "bool" else kind.dtype
    return f"{numpy}.{name}({text})"
