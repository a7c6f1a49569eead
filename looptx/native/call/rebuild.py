"""A function rebuilt around its native nests: same signature, globals, closure, lines.

The function's code is compiled again from its source with the native calls woven in
(see ``runtime``); nothing of it is executed, no decorator, default or annotation is
evaluated twice. The dispatchers come in as closure cells, so that the user's module
gains no name.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from looptx.model.trees import walk
from looptx.native.analysis.function_text import FunctionText, future_flags
from looptx.native.data import alone, given
from looptx.native.runtime import ALONE, GIVEN, MISSING, Callee, Places, Site, weave
from looptx.parsers.unwarned import compiled, parsed

_FACTORY = "_looptx_factory"


def rebuild(
    function: types.FunctionType,
    source: FunctionText,
    sites: Sequence[Site],
    calls: Mapping[str, Callee],
    begin: str = "",
    more: Mapping[str, types.CellType] | None = None,
    change: Callable[[Any], None] | None = None,
) -> types.FunctionType:
    """The function with native calls in front of its nests.

    Args:
        function: the original.
        source: its text.
        sites: its nests.
        calls: what the ``call`` names of the sites mean.
        begin: Python that it begins with.
        more: what other names mean.
        change: is done to its tree before.
    """
    tree = parsed(source.text, source.filename)
    if change is not None:
        change(_named(tree, function.__code__.co_name))
    tree = weave(tree, source.text, sites)
    if begin:
        _begin(tree, function.__code__.co_name, ast.parse(begin))
    cells: dict[str, types.CellType] = {
        name: types.CellType(call) for name, call in calls.items()
    }
    known = {MISSING: Exception, GIVEN: given, ALONE: alone}
    cells |= {name: types.CellType(one) for name, one in known.items()}
    cells |= more or {}
    closure = function.__closure__ or ()
    cells.update(zip(function.__code__.co_freevars, closure, strict=True))
    code = _compile(function, tree, sorted(cells))
    code = code.replace(co_qualname=function.__code__.co_qualname)
    built = types.FunctionType(
        code,
        function.__globals__,
        function.__name__,
        function.__defaults__,
        tuple(cells[name] for name in code.co_freevars),
    )
    built.__kwdefaults__ = function.__kwdefaults__
    built.__qualname__ = function.__qualname__
    built.__module__ = function.__module__
    built.__doc__ = function.__doc__
    built.__dict__.update(function.__dict__)
    return built


def _begin(tree: ast.Module, name: str, begin: ast.Module) -> None:
    """Put statements in front of those of a function, in their line.

    Args:
        tree: the text. name: the function. begin: the statements.
    """
    own = _named(tree, name)
    at = int(ast.get_docstring(own, clean=False) is not None)
    line = own.body[min(at, len(own.body) - 1)].lineno
    for node in walk(begin):
        if isinstance(node, (ast.stmt, ast.expr, ast.excepthandler)):
            node.lineno = node.end_lineno = line
    own.body[at:at] = begin.body


def first_place(text: str, name: str) -> tuple[int, int]:
    """The line and column of the first statement that does more than to name numbers.

    Args:
        text: of a function. name: of the function.
    """
    simple = ast.Name | ast.Constant
    for stmt in _named(parsed(text), name).body:
        match stmt:
            case ast.Expr(ast.Constant()):
                continue
            case ast.Assign([ast.Name()], value) if isinstance(value, simple):
                continue
        return Places(text).of(stmt)
    return 0, 0


def _named(tree: ast.Module, name: str) -> ast.FunctionDef | ast.AsyncFunctionDef:
    """A function in a text."""
    functions = ast.FunctionDef | ast.AsyncFunctionDef
    return next(
        node for node in walk(tree) if isinstance(node, functions) and node.name == name
    )


def _compile(
    function: types.FunctionType, tree: ast.Module, free: Sequence[str]
) -> types.CodeType:
    """The code that a text gives the function, with ``free`` visible from around it."""
    wrapper = ast.parse(f"def {_FACTORY}({', '.join(free)}): pass")
    factory = wrapper.body[0]
    assert isinstance(factory, ast.FunctionDef)
    # What the text binds is global (or a cell) in the function's own scope.
    definitions = list(_definitions(tree.body))
    outside = {getattr(node, "name", "") for node in definitions} - {"", *free}
    factory.body = [
        *([ast.Global(sorted(outside))] if outside else []),
        *tree.body,
    ]
    ast.fix_missing_locations(wrapper)
    flags = future_flags(function.__code__)
    filename = function.__code__.co_filename
    whole = compiled(wrapper, filename, flags)
    classes = [node.name for node in definitions if isinstance(node, ast.ClassDef)]
    for name in (_FACTORY, *classes, function.__code__.co_name):
        whole = next(code for code in _inner(whole) if code.co_name == name)
    return whole


def _definitions(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a text's own level; an indented function is in an ``if``."""
    for node in body:
        yield from _definitions(node.body) if isinstance(node, ast.If) else (node,)


def _inner(code: types.CodeType) -> Iterator[types.CodeType]:
    """The code objects right inside of another; type parameters are no level."""
    for const in code.co_consts:
        if isinstance(const, types.CodeType):
            generic = const.co_name.startswith("<generic parameters")
            yield from _inner(const) if generic else (const,)
