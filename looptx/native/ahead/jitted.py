"""Functions that Numba compiles, as they are without it."""

from __future__ import annotations

import ast

from looptx.model.lines import NEWLINE
from looptx.source.ast_tools import walked
from looptx.source.names.imports import FUNCTIONS, resolve, scope_imports

_DECORATORS = ("njit", "jit")


def without_numba(text: str, tree: ast.Module) -> str:
    """The text of a module without Numba's decorators, every line in its place.

    Args:
        text: it. tree: of the text.
    """
    names = scope_imports(tree, {})
    lines = NEWLINE.split(text)
    for node in walked(tree):
        for one in node.decorator_list if isinstance(node, FUNCTIONS) else ():
            top, *_, last = (resolve(_called(one), names) or ".").split(".")
            # The sign may stand in a line before that.
            before, sign, _ = lines[one.lineno - 1].partition("@")
            whole = sign and not before.strip()
            if top == "numba" and last in _DECORATORS and whole:
                end = one.end_lineno or one.lineno
                lines[one.lineno - 1 : end] = [""] * (end - one.lineno + 1)
    return "\n".join(lines)


def _called(node: ast.expr) -> ast.expr:
    return node.func if isinstance(node, ast.Call) else node
