"""What the text of a function says of its names, to those who look for functions."""

from __future__ import annotations

import ast
import types

from looptx.model.trees import walk
from looptx.native.analysis.leads import NUMBERS


def is_meant(value: object) -> bool:
    """Whether what a function means depends on a value, not on its type alone."""
    return type(value) in NUMBERS or callable(value) or type(value) is types.ModuleType


def looped(tree: ast.AST) -> set[ast.AST]:
    """What stands in loops: elsewhere nobody needs to know what is called."""
    loops = [x for x in walk(tree) if isinstance(x, ast.For | ast.While)]
    return {part for loop in loops for part in walk(loop)}


def rebound(tree: ast.AST, own: str) -> frozenset[str]:
    """The names that the text of a function may give other values.

    Args:
        tree: the text. own: the name of the function.
    """
    found = set()
    for node in walk(tree):
        match node:
            case ast.Name(name, ast.Store() | ast.Del()):
                found.add(name)
            case ast.alias(name, other):
                found.add(other or name.partition(".")[0])
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)):
                found.add(name)
            case ast.MatchStar(str(name)) | ast.MatchMapping(rest=str(name)):
                found.add(name)
            case ast.FunctionDef(name) | ast.ClassDef(name) if name != own:
                found.add(name)
    return frozenset(found)
