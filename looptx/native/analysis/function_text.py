"""The source text of a function, found only where it is the one the function is of."""

from __future__ import annotations

import ast
import functools
import inspect
import linecache
import tokenize
import types

from looptx.errors import Place, Unsupported
from looptx.model.records import dataclass
from looptx.parsers.unwarned import compiled, parsed

LAMBDA = "<lambda>"


@dataclass(frozen=True, slots=True)
class FunctionText:
    """The source of a function, readable on its own.

    Attributes:
        text: the function's lines as they are in the file, under as many empty lines as
            there are others above them: a line has the number that it has in the file.
            An indented function stands under ``class C:`` or ``if True:``, for the last
            of the empty lines, that keeps it valid.
        filename: the file.
    """

    text: str
    filename: str

    @property
    def own(self) -> str:
        """The text without the empty lines: the same wherever the function stands."""
        return self.text.lstrip("\n")

    @property
    def above(self) -> int:
        """How many empty lines there are."""
        return len(self.text) - len(self.own)


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
    if code.co_name == LAMBDA:
        raise Unsupported(
            "LX306",
            f"{function.__qualname__} has no loops, and is not compiled",
            Place(filename, code.co_firstlineno),
            hint="write it as a `def`: its statements on arrays are loops, too",
            source=lines[start].rstrip() if start < len(lines) else "",
        )
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
    if code not in _compiled("".join(lines), filename, future_flags(code)):
        raise _another(function)
    above = "\n" * (start - bool(indent))
    return FunctionText(above + header + "".join(block), filename)


def lambda_text(function: types.FunctionType) -> FunctionText:
    """The source of what ``lambda`` made, as that of a ``def`` in its line.

    Raises:
        Unsupported: LX306 where the file is not what it was made from, or does not tell
            which of its line it is.
    """
    code = function.__code__
    lines = linecache.getlines(code.co_filename, function.__globals__)
    whole = "".join(lines)
    if code not in _compiled(whole, code.co_filename, future_flags(code)):
        raise _another(function)
    found = [
        node
        for node in ast.walk(parsed(whole))
        if isinstance(node, ast.Lambda) and node.lineno == code.co_firstlineno
    ]
    if len(found) > 1:
        places = {*code.co_positions()}
        found = [node for node in found if _span(node.body) in places]
    if len(found) != 1:
        raise _another(function)
    (node,) = found
    given, value = ast.unparse(node.args), ast.unparse(node.body)
    text = f"def the_lambda({given}):\n    return {value}\n"
    return FunctionText("\n" * (node.lineno - 1) + text, code.co_filename)


def _span(node: ast.expr) -> tuple[int, int | None, int, int | None]:
    """Where an expression stands, as ``co_positions`` says it of what it does last."""
    return node.lineno, node.end_lineno, node.col_offset, node.end_col_offset


@functools.lru_cache(maxsize=8)
def _compiled(text: str, filename: str, flags: int) -> tuple[types.CodeType, ...]:
    """The code of all functions in a file; none when the file is not Python."""
    flags |= ast.PyCF_ALLOW_TOP_LEVEL_AWAIT  # notebooks have it
    try:
        whole = compiled(text, filename, flags)
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
    inner = [*outer, ""][1:]
    for name, following in reversed(list(zip(outer, inner, strict=True))):
        if name.isidentifier() and following != "<locals>":
            return f"class {name}:\n"
    return "if True:\n"


def future_flags(code: types.CodeType) -> int:
    """The flags of the ``__future__`` features that code was compiled with."""
    import __future__

    features = (getattr(__future__, name) for name in __future__.all_feature_names)
    known: int = sum({feature.compiler_flag for feature in features})
    return code.co_flags & known
