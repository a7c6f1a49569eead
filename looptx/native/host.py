"""A function rebuilt around its native nests: same signature, globals, closure, lines.

The function's code is compiled again from its source with the native calls woven in
(see ``runtime``); nothing of it is executed, no decorator, default or annotation is
evaluated twice. The dispatchers come in as closure cells, so that the user's module
gains no name.
"""

from __future__ import annotations

import ast
import inspect
import linecache
import sys
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

    Raises:
        Unsupported: LX306 when there is none (typed at a prompt, made by ``exec``, a
            lambda, or a file that is not there).
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
    block = inspect.getblock(lines[start:])
    indent = lines[start][: len(lines[start]) - len(head)]
    while start and _is_comment(lines[start - 1], indent):
        start -= 1
        block.insert(0, lines[start])
    if not indent:
        return FunctionText("".join(block), filename, start)
    header = _header(function.__qualname__)
    return FunctionText(header + "".join(block), filename, start - 1)


def _is_comment(line: str, indent: str) -> bool:
    return line.startswith(indent + "#")


def _header(qualname: str) -> str:
    """``class C:`` keeps the name mangling and ``super()`` of a method."""
    outer = qualname.split(".")[:-1]
    if outer and outer[-1].isidentifier():
        return f"class {outer[-1]}:\n"
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
        source: its text, or a rewritten text of it.
        sites: its nests, lines counted in ``source.text``.
        calls: what the ``call`` names of the sites mean.

    Raises:
        Unsupported: LX306 when the text is not that of the function.
    """
    tree = weave(ast.parse(source.text, source.filename), sites)
    ast.increment_lineno(tree, source.shift)
    cells: dict[str, types.CellType] = {
        name: types.CellType(call) for name, call in calls.items()
    }
    cells[MISSING] = types.CellType(Exception)
    closure = function.__closure__ or ()
    cells.update(zip(function.__code__.co_freevars, closure, strict=True))
    code = _compile(function, source, tree, sorted(cells))
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
    function: types.FunctionType,
    source: FunctionText,
    tree: ast.Module,
    free: list[str],
) -> types.CodeType:
    """The code object of the function, with ``free`` visible from around it."""
    wrapper = ast.parse(f"def {_FACTORY}({', '.join(free)}): pass")
    factory = wrapper.body[0]
    assert isinstance(factory, ast.FunctionDef)
    # What the text binds is global (or a cell) in the function's own scope.
    bound = (getattr(node, "name", "") for node in _definitions(tree.body))
    outside = sorted({name for name in bound if name} - set(free))
    factory.body = [*([ast.Global(outside)] if outside else []), *tree.body]
    ast.fix_missing_locations(wrapper)
    flags = function.__code__.co_flags & _future_mask()
    whole = compile(wrapper, source.filename, "exec", flags, dont_inherit=True)
    name = function.__code__.co_name
    code = _find(whole, name)
    if code is None or not _same_head(code, function.__code__):
        raise Unsupported(
            "LX306",
            f"the source of {function.__qualname__} is not the one it was made from",
            Place(source.filename, source.shift + 1),
            hint="the file changed after it was imported; import it again",
        )
    if sys.version_info >= (3, 11):
        code = code.replace(co_qualname=function.__code__.co_qualname)
    return code


def _definitions(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a text's own level; an indented function is in an ``if``."""
    for node in body:
        yield from _definitions(node.body) if isinstance(node, ast.If) else (node,)


def _same_head(left: types.CodeType, right: types.CodeType) -> bool:
    """Whether two code objects take the same arguments."""
    count = right.co_argcount + right.co_kwonlyargcount
    return (
        left.co_argcount == right.co_argcount
        and left.co_kwonlyargcount == right.co_kwonlyargcount
        and left.co_varnames[:count] == right.co_varnames[:count]
    )


def _future_mask() -> int:
    import __future__

    features = (getattr(__future__, name) for name in __future__.all_feature_names)
    return sum({feature.compiler_flag for feature in features})


def _find(code: types.CodeType, name: str) -> types.CodeType | None:
    """The outermost code object called ``name``."""
    inner = [const for const in code.co_consts if isinstance(const, types.CodeType)]
    for const in inner:
        if const.co_name == name:
            return const
    for const in inner:
        found = _find(const, name)
        if found is not None:
            return found
    return None
