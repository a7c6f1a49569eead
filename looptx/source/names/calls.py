"""The functions a nest may call: pure, and known to be."""

from __future__ import annotations

import ast
from typing import Protocol

from looptx.model.functions import (
    CONSTANTS,
    Function,
    Kind,
    Reach,
    When,
    lookup,
    lookup_method,
)


class Names(Protocol):
    """What the names of some part of a module mean."""

    def resolve(self, node: ast.AST) -> str:
        """The full name an expression stands for, empty when unknown."""


def called(call: ast.Call, names: Names) -> Function:
    """What is known of the function, or the method, that is called."""
    name = names.resolve(call.func)
    if name or not isinstance(call.func, ast.Attribute):
        return lookup(name)
    return lookup_method(call.func.attr)


def conjugated(node: ast.expr, names: Names) -> ast.expr | None:
    """What a call of a method gives the complex conjugate of, if it is such a call."""
    match node:
        case ast.Call(ast.Attribute(of, "conj" | "conjugate"), [], []):
            return None if names.resolve(node.func) else of
    return None


def is_known(name: str) -> bool:
    """Whether a full name is a function that a nest may call (a pure one)."""
    row = lookup(name)
    return row.pure and (row.module != "numpy" or row.kind is Kind.ELEMENTWISE)


def is_single(name: str, given: int) -> bool:
    """Whether a full name is a known function that is given single numbers.

    ``max`` of one argument looks through an array.
    """
    row = lookup(name)
    single = row.kind in (Kind.SCALAR, Kind.ELEMENTWISE)
    return is_known(name) and single and given >= row.least


def sees_variables(name: str) -> bool:
    """Whether a function sees those of its caller by name."""
    return Reach.VARIABLES in lookup(name).reach


def integral(name: str) -> When:
    """When a function gives an integer of Python, or one that it is given."""
    row = lookup(name)
    return When.NEVER if row.module == "numpy" else row.integer


def is_constant(name: str) -> bool:
    """Whether a full name is a constant of ``math`` or ``numpy``."""
    return name in CONSTANTS
