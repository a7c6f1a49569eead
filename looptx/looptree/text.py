"""Integer expressions and conditions as text that Python and Cython both read.

Parentheses are printed where precedence needs them and nowhere else.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from functools import lru_cache

from looptx.model.expr import (
    Add,
    And,
    Compare,
    Cond,
    Const,
    FloorDiv,
    IntExpr,
    Max,
    Min,
    Mod,
    Mul,
    Not,
    Or,
    Select,
    Start,
    Var,
)
from looptx.model.records import dataclass, field

# How tightly a text binds, loosest first.
CHOICE, OR, AND, NOT, COMPARE, SUM, PRODUCT, UNARY, ATOM = range(9)
_MIRRORED = {">": "<", ">=": "<="}
_NONE: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True)
class Dialect:
    """What languages write in ways of their own; Python as it is.

    Attributes:
        names: what variables and parameters are called that have other names.
    """

    names: Mapping[str, str] = field(default_factory=dict)

    def integer(self, value: int) -> str:
        """A number that is not negative."""
        return str(value)

    def quotient(self, op: str, left: IntExpr, right: IntExpr) -> tuple[str, int]:
        """Python's ``left // right`` or ``left % right``, and how tightly it binds."""
        first = _wrap(_expr(left, self), PRODUCT)
        return f"{first} {op} {_wrap(_expr(right, self), UNARY)}", PRODUCT


def format_expr(expr: IntExpr, names: Mapping[str, str] = _NONE) -> str:
    """An integer expression as text; ``names`` renames variables and parameters.

    Raises:
        ValueError: for a ``Start``, which has no value outside the analysis.
    """
    return _expr(expr, Dialect(names))[0]


def format_cond(cond: Cond, names: Mapping[str, str] = _NONE) -> str:
    """A condition as text; bounds on both sides are chained (``0 <= i < n``)."""
    return _cond(cond, Dialect(names))[0]


def with_binding(part: IntExpr | Cond, words: Dialect) -> tuple[str, int]:
    """An expression or a condition as text, and how tightly that binds."""
    if isinstance(part, Compare | And | Or | Not):
        return _cond(part, words)
    return _expr(part, words)


@lru_cache(maxsize=1024)
def _binding(text: str) -> int:
    """How tightly the text of a parameter binds."""
    node = ast.parse(text.strip(), mode="eval").body
    match node:
        case ast.BinOp(op=ast.Add() | ast.Sub()):
            return SUM
        case ast.BinOp(op=ast.Mult() | ast.FloorDiv() | ast.Mod() | ast.Div()):
            return PRODUCT
        case (
            ast.Name() | ast.Attribute() | ast.Subscript() | ast.Call() | ast.Constant()
        ):
            return ATOM
    return CHOICE


def wrapped(expr: IntExpr, names: Mapping[str, str], least: int) -> str:
    """An expression, in parentheses if it binds less tightly than ``least``."""
    return _wrap(_expr(expr, Dialect(names)), least)


def _wrap(part: tuple[str, int], least: int) -> str:
    text, binding = part
    return text if binding >= least else f"({text})"


def _expr(expr: IntExpr, words: Dialect) -> tuple[str, int]:
    match expr:
        case Const(value):
            sign = "" if value >= 0 else "-"
            return sign + words.integer(abs(value)), UNARY if sign else ATOM
        case Var(name):
            text = words.names.get(name, name)
            return text, _binding(text)
        case Add(terms):
            return _sum(terms, words), SUM
        case Mul((Const(-1), factor)):
            return "-" + _wrap(_expr(factor, words), UNARY), UNARY
        case Mul((Const(-1), *factors)):
            return "-" + _product(tuple(factors), words), PRODUCT
        case Mul(factors):
            return _product(factors, words), PRODUCT
        case FloorDiv(left, right) | Mod(left, right):
            op = "//" if isinstance(expr, FloorDiv) else "%"
            return words.quotient(op, left, right)
        case Min(args) | Max(args):
            inside = ", ".join(_expr(arg, words)[0] for arg in args)
            return f"{'min' if isinstance(expr, Min) else 'max'}({inside})", ATOM
        case Select(cond, then, other):
            chosen = _wrap(_expr(then, words), OR)
            test = _wrap(_cond(cond, words), OR)
            return f"{chosen} if {test} else {_expr(other, words)[0]}", CHOICE
        case Start(loop):
            raise ValueError(f"the start of loop {loop} is not resolved")


def _sum(terms: tuple[IntExpr, ...], words: Dialect) -> str:
    text = _wrap(_expr(terms[0], words), SUM)
    for term in terms[1:]:
        match term:
            case Const(value) if value < 0:
                text += f" - {words.integer(-value)}"
            case Mul((Const(value), *rest)) if value < 0:
                factors = (Const(-value), *rest) if value != -1 else tuple(rest)
                part: IntExpr = factors[0] if len(factors) == 1 else Mul(factors)
                text += f" - {_wrap(_expr(part, words), PRODUCT)}"
            case _:
                text += f" + {_wrap(_expr(term, words), PRODUCT)}"
    return text


def _product(factors: tuple[IntExpr, ...], words: Dialect) -> str:
    first, *rest = (_expr(factor, words) for factor in factors)
    return " * ".join([_wrap(first, PRODUCT), *(_wrap(part, UNARY) for part in rest)])


def _cond(cond: Cond, words: Dialect) -> tuple[str, int]:
    match cond:
        case Compare(op, left, right):
            first = _wrap(_expr(left, words), SUM)
            return f"{first} {op} {_wrap(_expr(right, words), SUM)}", COMPARE
        case And(()):
            return "True", ATOM
        case Or(()):
            return "False", ATOM
        case And(args):
            parts = _chained(args, words)
            if len(parts) == 1:
                return parts[0]
            return " and ".join(_wrap(part, NOT) for part in parts), AND
        case Or(args):
            parts = [_cond(arg, words) for arg in args]
            return " or ".join(_wrap(part, AND) for part in parts), OR
        case Not(arg):
            return "not " + _wrap(_cond(arg, words), NOT), NOT


def _chained(args: tuple[Cond, ...], words: Dialect) -> list[tuple[str, int]]:
    """The parts of a conjunction; adjacent ``a <= x`` and ``x < b`` are joined."""
    parts: list[tuple[str, int]] = []
    before: Compare | None = None
    for arg in args:
        rising = _rising(arg)
        for low, high in ((before, rising), (rising, before)):
            if low is not None and high is not None and low.right == high.left:
                ends = (low.left, low.right, high.right)
                texts = [_wrap(_expr(end, words), SUM) for end in ends]
                parts[-1] = (
                    f"{texts[0]} {low.op} {texts[1]} {high.op} {texts[2]}",
                    COMPARE,
                )
                before = None
                break
        else:
            parts.append(_cond(arg, words))
            before = rising
    return parts


def _rising(cond: Cond) -> Compare | None:
    """A comparison as ``left < right`` or ``left <= right``, if it is one."""
    match cond:
        case Compare("<" | "<="):
            return cond
        case Compare(">" | ">=" as op, left, right):
            return Compare(_MIRRORED[op], right, left)
    return None


def indent(lines: Sequence[str]) -> list[str]:
    """The lines of a block, one level deeper."""
    return [f"    {line}" for line in lines or ["pass"]]
