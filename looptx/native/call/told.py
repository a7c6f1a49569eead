"""What a kernel makes of its arguments before it reads its loops: which are given.

``if w is None`` is decided by the call, and so is ``if kind == "fast"``: a kernel is
prepared for what its arguments are where its text asks that. Each such version begins
with the same question.
"""

from __future__ import annotations

import ast
import inspect
import sys
import types
from collections.abc import Iterator, Mapping, Sequence
from types import EllipsisType
from typing import Any, TypeAlias

from looptx.errors import LooptxError
from looptx.model.trees import walk
from looptx.native.analysis.arguments import signature_of
from looptx.native.analysis.function_names import looped
from looptx.native.analysis.function_text import function_text
from looptx.native.analysis.leads import TYPE
from looptx.parsers.unwarned import parsed

Fact: TypeAlias = bool | str | int | tuple[int] | EllipsisType | None
"""What an argument is: None, a truth, a text, an array of so many axes (a number of
Python's for 0, and none for -1), so many values, or anything but None."""

Told: TypeAlias = tuple[tuple[str, Fact], ...]

MOST = 8
"""Of more values than that nothing is told."""

LONGEST = 32
"""A longer text is no choice of a few."""

DIRECTIVE = "looptx:"
"""In a text that has it loops may be scheduled: these are as they are written."""

ARRAY = f"{TYPE}_array"
"""What tests call the class of arrays."""

_NONE, _TRUTH, _TEXT, _AXES, _COUNT = "none", "truth", "text", "axes", "count"
_NUMBER = "number"


def tests(facts: Told) -> dict[str, object]:
    """Expressions that tell whether arguments are so, and what they are then.

    Args:
        facts: what is told of them.
    """
    found: dict[str, object] = {}
    for name, value in facts:
        if value is None or value is ...:
            found[f"({name} is None)"] = value is None
        elif isinstance(value, bool):
            found[name] = value
        elif isinstance(value, tuple):
            found[f"({name}.__len__() == {value[0]})"] = True
        elif value in (0, -1) and type(value) is int:
            kinds = (f"{TYPE}({name}) is {TYPE}({one})" for one in ("0.0", "0"))
            found[f"({' or '.join(kinds)})"] = value == 0
        elif isinstance(value, str):
            text = f"({TYPE}({name}) is {TYPE}('') and {name} == {value!r})"
            found[text] = True
        else:
            found[f"({TYPE}({name}) is {ARRAY} and {name}.ndim)"] = value
    return found


def held() -> dict[str, object]:
    """What these expressions name."""
    return {TYPE: type, ARRAY: _array()}


def _array() -> object:
    """The class of arrays, where there is one."""
    return getattr(sys.modules.get("numpy"), "ndarray", None)


class Questions:
    """What the text of a function asks of its arguments."""

    def __init__(self) -> None:
        self._code: types.CodeType | None = None
        self._asked: tuple[tuple[str, str], ...] = ()

    def told(
        self,
        function: types.FunctionType,
        args: tuple[Any, ...],
        named: Mapping[str, Any],
    ) -> Told:
        """What is told of the arguments of a call.

        Args:
            function: what is called. args, named: what it is called with.
        """
        if function.__code__ is not self._code:
            self._code, self._asked = function.__code__, _asked(function)
        if not self._asked:
            return ()
        try:
            given = signature_of(function).bind(*args, **named)
        except TypeError:
            return ()
        given.apply_defaults()
        return tuple(_facts(self._asked, given.arguments).items())


def _facts(
    asked: Sequence[tuple[str, str]], given: Mapping[str, Any]
) -> dict[str, Fact]:
    """What is told of arguments.

    Args:
        asked: names, and what is asked of them. given: the arguments.
    """
    found: dict[str, Fact] = {}
    for name, kind in asked:
        value = given[name]
        if kind == _NONE:
            found.setdefault(name, None if value is None else ...)
        elif (kind == _TRUTH and type(value) is bool) or _is_choice(kind, value):
            found[name] = value
        elif kind == _AXES and type(value) is _array() and value.ndim:
            found[name] = int(value.ndim)
        elif kind == _NUMBER and type(value) in (float, int):
            found[name] = 0
        elif kind == _COUNT and len(value) <= MOST:
            found[name] = (len(value),)
    # Or a version that is told nothing would take the numbers of later calls, too.
    others = {name: -1 for name, kind in asked if kind == _NUMBER}
    return {**others, **found}


def _is_choice(kind: str, value: object) -> bool:
    """Whether a text that is asked for may be one of a few.

    Args:
        kind: what is asked. value: the argument.
    """
    return kind == _TEXT and type(value) is str and len(value) <= LONGEST


def _asked(function: types.FunctionType) -> tuple[tuple[str, str], ...]:
    """The arguments of which a function asks what they are, and what it asks.

    Args:
        function: it.
    """
    code = function.__code__
    count = code.co_argcount + code.co_kwonlyargcount
    rest = code.co_varnames[count] if code.co_flags & inspect.CO_VARARGS else ""
    names = code.co_varnames[:count]
    try:
        text = function_text(function).text
        tree = parsed(text)
    except (SyntaxError, RecursionError, LooptxError):
        return ()
    if DIRECTIVE in text:
        return ()
    given = signature_of(function).parameters.values()
    used = {one.id for one in looped(tree) if isinstance(one, ast.Name)}
    may_be = {one.name for one in given if one.default is None} & used
    found = (*((name, _NONE) for name in sorted(may_be)), *_questions(tree))
    own = dict.fromkeys(one for one in found if one[0] in names)
    return (*own, *([(rest, _COUNT)] if rest in used else []))


def _questions(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Names, and what is asked of them.

    Args:
        tree: the text of a function.
    """
    inside = looped(tree)
    for node in walk(tree):
        match node:
            case ast.Compare(ast.Name(name), [ast.Is() | ast.IsNot()], [right]):
                if isinstance(right, ast.Constant) and right.value is None:
                    yield name, _NONE
            case ast.Attribute(ast.Name(name), "ndim"):
                yield name, _AXES
            case ast.Call(ast.Attribute(_, "asarray"), [ast.Name(name)], []):
                yield name, _NUMBER
            case ast.If(test) | ast.IfExp(test) if node not in inside:
                if _names_none(node):
                    names = (x.id for x in walk(test) if isinstance(x, ast.Name))
                    yield from ((name, _TRUTH) for name in names)
            case ast.Compare(left, _, others) if node in inside:
                given = (left, *others)
                yield from ((x.id, _TEXT) for x in given if isinstance(x, ast.Name))
            case ast.Call(args=args) if node in inside:
                given = (*args, *(one.value for one in node.keywords))
                yield from ((x.id, _TEXT) for x in given if isinstance(x, ast.Name))


def _names_none(node: ast.AST) -> bool:
    """Whether a condition decides if a name gets None."""
    for one in walk(node):
        match one:
            case ast.Assign([ast.Name()], ast.Constant(None)):
                return True
            case ast.IfExp(_, ast.Constant(None), _) | ast.IfExp(
                _, _, ast.Constant(None)
            ):
                return True
    return False
