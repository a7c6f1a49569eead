"""Integer expressions and conditions: one small language for three uses.

Loop bounds and subscripts of the source, positions of a schedule, and bounds of the
generated loops are all values of ``IntExpr``; the conditions over them are ``Cond``.
Division and remainder are Python's (floor, sign of the divisor). The nodes are in
``terms``; the smart constructors (``add``, ``floordiv``, ``compare``), which fold
constants and collect terms, in ``algebra`` and ``conditions``. All are imported from
here.
"""

from __future__ import annotations

from looptx.model.expr.algebra import (
    add,
    distance,
    floordiv,
    linear,
    maximum,
    minimum,
    mod,
    mul,
    neg,
    sub,
    total,
)
from looptx.model.expr.conditions import (
    MIRRORED,
    compare,
    conj,
    disj,
    negate,
    select,
)
from looptx.model.expr.measure import interval, largest, size
from looptx.model.expr.rewriting import (
    changed,
    changed_cond,
    divisors,
    rewrite,
    rewrite_cond,
    substitute,
    variables,
)
from looptx.model.expr.terms import (
    FALSE,
    ONE,
    TRUE,
    ZERO,
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
    walk,
    with_exprs,
    with_parts,
)

__all__ = [
    "FALSE",
    "MIRRORED",
    "ONE",
    "TRUE",
    "ZERO",
    "Add",
    "And",
    "Compare",
    "Cond",
    "Const",
    "FloorDiv",
    "IntExpr",
    "Max",
    "Min",
    "Mod",
    "Mul",
    "Not",
    "Or",
    "Select",
    "Start",
    "Var",
    "add",
    "changed",
    "changed_cond",
    "compare",
    "conj",
    "disj",
    "distance",
    "divisors",
    "floordiv",
    "interval",
    "largest",
    "linear",
    "maximum",
    "minimum",
    "mod",
    "mul",
    "neg",
    "negate",
    "rewrite",
    "rewrite_cond",
    "select",
    "size",
    "sub",
    "substitute",
    "total",
    "variables",
    "walk",
    "with_exprs",
    "with_parts",
]
