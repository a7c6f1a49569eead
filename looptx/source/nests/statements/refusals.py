"""Python that a nest cannot contain: what to call it, and what to do instead."""

from __future__ import annotations

import ast
from collections.abc import Collection

from looptx.errors import LooptxError, Unsupported
from looptx.model.program import Directive
from looptx.source.ast_tools import walked
from looptx.source.nests.context import Context
from looptx.source.spelling.lists.noted import unlisted
from looptx.source.spelling.lists.operations import METHODS
from looptx.source.text.parse import Parsed

_EXPRESSIONS: dict[type[ast.expr], tuple[str, str]] = {
    ast.Lambda: ("a lambda", "write its expression where it is called"),
    ast.ListComp: ("a list comprehension", "write it as a loop"),
    ast.SetComp: ("a set comprehension", "write it as a loop"),
    ast.DictComp: ("a dict comprehension", "write it as a loop"),
    ast.GeneratorExp: ("a generator expression", "write it as a loop"),
    ast.NamedExpr: ("an assignment expression", "assign in a statement of its own"),
    ast.Starred: ("a starred expression", "write its elements out"),
    ast.Await: ("`await`", "move it out of the nest"),
    ast.Yield: ("`yield`", "move it out of the nest"),
    ast.YieldFrom: ("`yield from`", "move it out of the nest"),
}


_LISTS = "in loops without directives, append numbers or tuples of them, and pop them"

_OUT = "move it out of the nest"
_FLAG = "set a flag here, put the body of the loop under `if not` of that flag"
_STATEMENTS = {
    "Break": ("`break`", _FLAG),
    "Continue": ("`continue`", "turn it into an `if` around the rest of the body"),
    "Return": (
        "`return`",
        f"keep the result and {_FLAG}, then return it after the nest",
    ),
    "Try": ("`try`", "put the `try` around the nest"),
    "TryStar": ("`try`", "put the `try` around the nest"),
    "With": ("`with`", "put the `with` around the nest"),
    "AsyncWith": ("`async with`", "put it around the nest"),
    "AsyncFor": ("`async for`", "loop over `range`"),
    "Delete": ("`del`", _OUT),
    "Global": ("`global`", "declare it at the start of the function"),
    "Nonlocal": ("`nonlocal`", "declare it at the start of the function"),
    "Import": ("`import`", _OUT),
    "ImportFrom": ("`import`", _OUT),
    "FunctionDef": ("a function definition", _OUT),
    "AsyncFunctionDef": ("a function definition", _OUT),
    "ClassDef": ("a class definition", _OUT),
    "Match": ("`match`", "use `if` and `elif`"),
    "AnnAssign": ("an annotation without a value", _OUT),
}


def expression(node: ast.expr) -> tuple[str, str]:
    """(what it is, what to do) for an expression that is not allowed."""
    plain = f"`{ast.unparse(node)}`", "write it in another way"
    return _EXPRESSIONS.get(type(node), plain)


def statement(stmt: ast.stmt) -> tuple[str, str]:
    """(what it is, what to do) for a statement that is not allowed."""
    plain = "this statement", "move it out of the nest"
    return _STATEMENTS.get(type(stmt).__name__, plain)


def is_over_range(node: ast.For) -> bool:
    """Whether a loop is written as one over ``range``, whatever that means."""
    match node:
        case ast.For(ast.Name(), ast.Call(ast.Name("range"))):
            return True
    return False


def loop(
    node: ast.For, parsed: Parsed, directive: Directive | None = None
) -> LooptxError:
    """The error for a directive on a loop that is not over Python's ``range``.

    Args:
        node: the loop. parsed: the module.
        directive: where the error is; at the loop without one.

    Returns:
        LX305.
    """
    what, hint = (
        "that is not `for` over `range`",
        "loop over indices: `for i in range(len(A))`",
    )
    if is_over_range(node):
        what = "over what may not be Python's `range`"
        hint = "give the other `range` another name"
        for stmt in walked(parsed.tree):
            if isinstance(stmt, ast.ImportFrom) and stmt.names[0].name == "*":
                star = ast.unparse(stmt)
                hint = f"write `from builtins import range` behind `{star}`"
    if directive is None:
        line = parsed.line(node.lineno)
        place = parsed.place(node)
        return Unsupported("LX305", f"a loop {what}", place, hint=hint, source=line)
    message = f"the directive stands on a loop {what}"
    return Unsupported(
        "LX305", message, directive.place, hint=hint, source=directive.source
    )


RAGGED = (
    "a loop goes through a part of what nothing says is an array",
    "have all parts one behind the other in an array, and in another one where each"
    " begins: `for k in range(begin[v], begin[v + 1])`",
)
"""What is said of lists in lists whose lengths differ, and what helps."""


def assigned_array(imports: Collection[str]) -> str:
    """What helps where a nest names an array in each round.

    Args:
        imports: what names of the function mean.
    """
    if "numpy" not in imports:
        return "import NumPy in the file of the function: it makes such arrays"
    hint = "make it before the nest and fill it here (`d[:] = 0.0`), or write what it "
    return f"{hint}stands for in its place, all subscripts in one"


def check_list(call: ast.Call, context: Context) -> None:
    """A call is of no method of a list that native code leaves to Python.

    Args:
        call: it. context: the nest.

    Raises:
        Unsupported: LX302.
    """
    match call.func:
        case ast.Attribute(ast.Name(name), attr) if attr in METHODS:
            why = unlisted(context.kinds.scope.function, name)
            if why:
                what = f"`{name}.{attr}(...)`, which is Python's: {why}"
                raise context.unsupported(call, what, _LISTS, "LX302")
