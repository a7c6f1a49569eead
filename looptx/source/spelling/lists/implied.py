"""Folds of a list, and the search for a number in one, as folds of a generator.

``sum(a)`` is ``sum(x for x in a)``, and ``v in a`` is ``any(x == v for x in a)`` where
v is no NaN: Python takes an object for itself before it compares.
"""

from __future__ import annotations

import ast
from collections.abc import Collection

from looptx.model.naming import COUNTED
from looptx.model.records import dataclass
from looptx.model.trees import dotted
from looptx.source.ast_tools import walked
from looptx.source.names.scope import Scope

EACH, SOUGHT = "each", "sought"
"""The names of an element, and of what is looked for."""

_FOLDS = ("sum", "min", "max")

_LISTS = ("list", "sorted")
"""The builtins that give lists."""

_PARTS = (
    *(ast.Name, ast.Attribute, ast.Constant, ast.Subscript, ast.Slice),
    *(ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop, ast.expr_context),
)
"""What names lists, those in lists, and parts of lists."""

_OTHER = (
    *(ast.Tuple, ast.Dict, ast.Set, ast.DictComp, ast.SetComp, ast.GeneratorExp),
    *(ast.Constant, ast.JoinedStr, ast.Lambda, ast.Compare),
)
"""What is surely no list."""


@dataclass(frozen=True)
class Implied:
    """A fold.

    Attributes:
        call: as that of a generator. sought: what is looked for, if something is.
        whole: the list that is gone through, if it is all of one.
    """

    call: ast.Call
    sought: ast.expr | None = None
    whole: ast.expr | None = None


def may_be(node: ast.AST) -> bool:
    """Whether a node may be such a fold."""
    match node:
        case ast.Call(ast.Name(word), [_], []):
            return word in _FOLDS
        case ast.Compare(_, [ast.In() | ast.NotIn()]):
            return True
    return False


def implied(node: ast.AST, scope: Scope, grown: Collection[str]) -> Implied | None:
    """The fold that an expression is of what may be a list.

    Args:
        node: the expression. scope: of its function. grown: names of other lists.
    """
    match node:
        case ast.Call(ast.Name(word), [of], []) if word in _FOLDS:
            if _may_be_list(of, scope, grown):
                whole = None if _is_part(of) else of
                return Implied(_call(word, "{}", of), None, whole)
        case ast.Compare(left, [ast.In() | ast.NotIn() as op], [of]):
            if _may_be_list(of, scope, grown):
                word, sign = ("any", "==") if isinstance(op, ast.In) else ("all", "!=")
                return Implied(_call(word, f"{{}} {sign} {SOUGHT}", of), left)
    return None


def _call(word: str, value: str, of: ast.expr) -> ast.Call:
    """A fold of a generator.

    Args:
        word: the function. value: what it makes of an element. of: the list.
    """
    text = ast.unparse(of)
    loop = f"{EACH} in {text}" if _is_part(of) else f"{EACH} in range(len({text}))"
    one = value.format(EACH if _is_part(of) else f"{text}[{EACH}]")
    made = ast.parse(f"{word}({one} for {loop})", mode="eval")
    assert isinstance(made.body, ast.Call)
    return made.body


def _may_be_list(node: ast.expr, scope: Scope, grown: Collection[str]) -> bool:
    """Whether an expression may be a list, or a part of one.

    Args:
        node: the expression. scope, grown: as of ``implied``.
    """
    base = node
    while isinstance(base, ast.Subscript):
        base = base.value
    if not dotted(base) or dotted(base) in grown:
        return False
    if not all(isinstance(x, _PARTS) for x in walked(node)):
        return False
    values = [one.value for one in scope.bindings.get(dotted(base), ())]
    hidden = any(map(scope.hides, COUNTED))
    return not (hidden or any(_is_other(value, scope) for value in values))


def _is_other(value: ast.expr | None, scope: Scope) -> bool:
    """Whether a value is surely no list.

    Args:
        value: it. scope: of the function.
    """
    if isinstance(value, ast.Call):
        module, _, name = scope.resolve(value.func).rpartition(".")
        return module in ("builtins", "collections") and name not in _LISTS
    return isinstance(value, _OTHER)


def _is_part(node: ast.expr) -> bool:
    """Whether an expression is a part of a list, by a slice."""
    return isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice)
