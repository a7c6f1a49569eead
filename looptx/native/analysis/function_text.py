"""A function rebuilt around its native nests: same signature, globals, closure, lines.

The function's code is compiled again from its source with the native calls woven in
(see ``runtime``); nothing of it is executed, no decorator, default or annotation is
evaluated twice. The dispatchers come in as closure cells, so that the user's module
gains no name.
"""

from __future__ import annotations

import ast
import functools
import inspect
import linecache
import sys
import tokenize
import types
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from looptx.errors import Place, Unsupported
from looptx.native.runtime import MISSING, Callee, Site, weave

_FACTORY = "_looptx_factory"


@dataclass(frozen=True, slots=True)
class FunctionText:
    """The source of a function, readable on its own.

    Attributes:
        text: the function's lines as they are in the file; an indented function stands
            under one extra line (``class C:`` or ``if True:``) that keeps them valid.
        filename: the file.
        shift: what to add to a line number in ``text`` to get the line in the file.
    """

    text: str
    filename: str
    shift: int


def function_text(function: types.FunctionType) -> FunctionText:
    """Find the source of ``function``, the comment lines right above it included.

    The file may have been edited since it was imported, or rewritten on import (as
    pytest rewrites ``assert``): the text is taken only where it compiles to the code
    that the function has.

    Raises:
        Unsupported: LX306 when there is none (typed at a prompt, made by ``exec``, a
            lambda, a file that is not there), or it is not that of the function.
    """
    code = function.__code__
    filename = code.co_filename
    lines = linecache.getlines(filename, function.__globals__)
    start = code.co_firstlineno - 1
    head = lines[start].lstrip() if start < len(lines) else ""
    if not head.startswith(("def ", "async ", "@")):
        raise Unsupported(
            "LX306",
            f"the source of {function.__qualname__} cannot be found",
            Place(filename, code.co_firstlineno),
            hint="a kernel must be a `def` in a file (or in a notebook cell)",
        )
    try:
        block = inspect.getblock(lines[start:])
    except (SyntaxError, tokenize.TokenError):
        raise _another(function) from None
    indent = lines[start][: len(lines[start]) - len(head)]
    while start and _is_comment(lines[start - 1], indent):
        start -= 1
        block.insert(0, lines[start])
    header = _header(function.__qualname__) if indent else ""
    if code not in _compiled("".join(lines), filename, code.co_flags & _future_mask()):
        raise _another(function)
    return FunctionText(header + "".join(block), filename, start - bool(indent))


@functools.lru_cache(maxsize=8)
def _compiled(text: str, filename: str, flags: int) -> tuple[types.CodeType, ...]:
    """The code of all functions in a file; none when the file is not Python."""
    flags |= ast.PyCF_ALLOW_TOP_LEVEL_AWAIT  # notebooks have it
    try:
        whole = compile(text, filename, "exec", flags, dont_inherit=True)
    except (SyntaxError, ValueError):
        return ()
    found = [whole]
    for code in found:
        found += (one for one in code.co_consts if isinstance(one, types.CodeType))
    return tuple(found)


def _another(function: types.FunctionType) -> Unsupported:
    code = function.__code__
    return Unsupported(
        "LX306",
        f"the source of {function.__qualname__} is not the one it was made from",
        Place(code.co_filename, code.co_firstlineno),
        hint="the file was edited after its import, or the import rewrote the function",
    )


def _is_comment(line: str, indent: str) -> bool:
    return line.startswith(indent + "#")


def _header(qualname: str) -> str:
    """``class C:`` keeps the name mangling and ``super()`` of a method.

    Functions inside of it have them, too; behind one, its name is ``m.<locals>``.
    """
    outer = qualname.split(".")[:-1]
    inner = [*outer[1:], ""]
    for name, following in reversed(list(zip(outer, inner, strict=True))):
        if name.isidentifier() and following != "<locals>":
            return f"class {name}:\n"
    return "if True:\n"


def rebuild(
    function: types.FunctionType,
    source: FunctionText,
    sites: Sequence[Site],
    calls: Mapping[str, Callee],
) -> types.FunctionType:
    """The function with native calls in front of its nests.

    Args:
        function: the original.
        source: its text.
        sites: its nests, lines counted in ``source.text``.
        calls: what the ``call`` names of the sites mean.
    """
    tree = weave(ast.parse(source.text, source.filename), sites)
    ast.increment_lineno(tree, source.shift)
    cells: dict[str, types.CellType] = {
        name: types.CellType(call) for name, call in calls.items()
    }
    cells[MISSING] = types.CellType(Exception)
    closure = function.__closure__ or ()
    cells.update(zip(function.__code__.co_freevars, closure, strict=True))
    code = _compile(function, tree, sorted(cells))
    if sys.version_info >= (3, 11):
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
    flags = function.__code__.co_flags & _future_mask()
    filename = function.__code__.co_filename
    whole: types.CodeType = compile(wrapper, filename, "exec", flags, dont_inherit=True)
    classes = [node.name for node in definitions if isinstance(node, ast.ClassDef)]
    for name in (_FACTORY, *classes, function.__code__.co_name):
        whole = next(code for code in _inner(whole) if code.co_name == name)
    return whole


def _definitions(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a text's own level; an indented function is in an ``if``."""
    for node in body:
        yield from _definitions(node.body) if isinstance(node, ast.If) else (node,)


def _future_mask() -> int:
    import __future__

    features = (getattr(__future__, name) for name in __future__.all_feature_names)
    return sum({feature.compiler_flag for feature in features})


def _inner(code: types.CodeType) -> Iterator[types.CodeType]:
    """The code objects right inside of another; type parameters are no level."""
    for const in code.co_consts:
        if isinstance(const, types.CodeType):
            generic = const.co_name.startswith("<generic parameters")
            yield from _inner(const) if generic else (const,)
