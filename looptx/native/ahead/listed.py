"""Parameters whose annotations say that they are lists, or tuples, of numbers."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from looptx.model.trees import dotted
from looptx.model.types import ArrayType
from looptx.native.analysis.nest_info import nest_info
from looptx.parsers.unwarned import parsed

if TYPE_CHECKING:
    from looptx.directives.base import Verb
    from looptx.model.program import Kernel, Nest
    from looptx.source import Module

_HOLDERS = {
    **dict.fromkeys(("list", "List", "Sequence", "MutableSequence"), "list"),
    **dict.fromkeys(("tuple", "Tuple"), "tuple"),
}
_NUMBERS = {"bool": "bool", "int": "int64", "float": "float64"}


def holding(
    module: Module, kernel: Kernel, nest: Nest, verbs: Sequence[Verb]
) -> Mapping[str, int]:
    """The names that may be those of lists in a nest: how deep the numbers are in them.

    Args:
        module: that has the function. kernel: it. nest: of it.
        verbs: what schedules the nest.
    """
    return nest_info(kernel, nest, verbs, -1, parsed(module.text)).held


def lists(kernel: Kernel, held: Mapping[str, int]) -> dict[str, ArrayType]:
    """The types of parameters that are said to be lists, where native code takes such.

    Numbers of which an annotation says nothing are taken to be floats.

    Args:
        kernel: the function. held: as of ``holding``.
    """
    return {
        name: _type(text, held[name])
        for name, text in kernel.parameters
        if name in held and is_list(text) and name not in kernel.types
    }


def is_list(text: str | None) -> bool:
    """Whether an annotation says of a parameter that it is a list, or a tuple."""
    return any(_parts(text or "", 1))


def numbers(text: str) -> tuple[str, ...]:
    """The types of the numbers that an annotation names."""
    names = (dotted(x) for x in ast.walk(_tree(text)) if isinstance(x, ast.Name))
    return (*sorted({_NUMBERS[x] for x in names if x in _NUMBERS}),)


def _type(text: str, depth: int) -> ArrayType:
    """The type that an annotation says.

    Args:
        text: the annotation. depth: how deep the numbers are.
    """
    holders = [*_parts(text, depth)]
    holders += ["list"] * (depth - len(holders))
    dtypes = numbers(text) or ("float64",)
    return ArrayType(dtypes[-1], depth, "C", (*holders,), dtypes)


def _parts(text: str, depth: int) -> Iterator[str]:
    """What an annotation says of so many levels, ``list`` or ``tuple``, if it does.

    Args:
        text: the annotation. depth: how many levels.
    """
    node = _tree(text)
    for _ in range(depth):
        outer = node.value if isinstance(node, ast.Subscript) else node
        word = _HOLDERS.get(dotted(outer).rpartition(".")[2])
        if word is None:
            return
        yield word
        if not isinstance(node, ast.Subscript):
            return
        inner = node.slice
        node = inner.elts[0] if isinstance(inner, ast.Tuple) and inner.elts else inner


def _tree(text: str) -> ast.expr:
    """An annotation as an expression; what is none is ``None``."""
    try:
        node = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ast.Constant(None)
    match node:
        case ast.Constant(str(inner)) if inner != text:
            return _tree(inner)
    return node
