"""What a text without loops calls that no native code computes, for who asks why."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from looptx.errors import LooptxError, Unsupported
from looptx.model.functions import UNKNOWN, lookup
from looptx.source.ast_tools import walked
from looptx.source.names.imports import resolve, scope_imports
from looptx.source.text.parse import Parsed


def unknown(parsed: Parsed, imports: Mapping[str, str]) -> Iterator[LooptxError]:
    """The calls of NumPy's functions that statements on arrays are not made of.

    Args:
        parsed: the text, of a function.
        imports: what names of its module mean.
    """
    for function in parsed.tree.body:
        if not isinstance(function, ast.FunctionDef):
            continue
        names = scope_imports(function, imports)
        for node in walked(function):
            if isinstance(node, ast.Call) and _is_unknown(resolve(node.func, names)):
                yield Unsupported(
                    "LX305",
                    f"`{ast.unparse(node.func)}` is none of the functions that "
                    "statements on arrays may call natively",
                    parsed.place(node),
                    hint="write it as loops, or put what is around it in a function",
                    source=parsed.line(node.lineno),
                )


def _is_unknown(full: str) -> bool:
    """Whether a function of NumPy is not known."""
    return full.startswith("numpy.") and lookup(full) is UNKNOWN
