"""The functions of the user that a kernel calls, as their names mean them now.

They are functions of Python, found where the names lead: in the kernel's module, its
closure, other modules, or other kernels. What they mean is part of the kernel's key;
``tests`` tells what to look at for one that was replaced, or sees other names.
"""

from __future__ import annotations

import ast
import functools
import inspect
import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from looptx import forks
from looptx.errors import LooptxError, Place
from looptx.model.callees.callee import Callee
from looptx.model.trees import dotted
from looptx.native.analysis.function_text import (
    FunctionText,
    function_text,
    lambda_text,
)
from looptx.native.analysis.global_bindings import members, resolved_globals, visible

if TYPE_CHECKING:
    from looptx.source.callees.reading import Text

OWN = "."
"""Begins the full name of a function of the user, followed by how the kernel calls it:
its own full name may be that of several, which a function has made."""

_PARTS = ("__code__", "__defaults__", "__kwdefaults__")
_NUMBERS = (bool, int, float, complex)
_ELSEWHERE = ("numpy", "math", "builtins", "looptx")


@dataclass(frozen=True)
class Function:
    """A function that is called.

    Attributes:
        function: it. own: what tells its names from those of others.
        source: its text; None where there is none, ``missing`` says why.
        imports: what its names mean.
        calls: the functions of the user that it calls, by name; None for those that
            are running already.
        shared: the names that the kernel sees, too. numbers: other ones, with values.
        defaults, named: the values of arguments that need not be given.
    """

    function: types.FunctionType
    own: str
    source: FunctionText | None
    imports: Mapping[str, str] = field(default_factory=dict)
    calls: Mapping[str, Function | None] = field(default_factory=dict)
    shared: frozenset[str] = frozenset()
    numbers: Mapping[str, Any] = field(default_factory=dict)
    defaults: tuple[Any, ...] = ()
    named: Mapping[str, Any] = field(default_factory=dict)

    def texts(self) -> Iterator[str]:
        """All that its meaning depends on."""
        yield from (self.own, self.source.own if self.source else "")
        yield from (part for pair in self.imports.items() for part in pair)
        given = self.defaults, self.named, sorted(self.shared)
        yield from map(repr, given)
        yield from (f"{name}={value!r}" for name, value in self.numbers.items())
        for name, one in self.calls.items():
            yield name
            if one is not None:
                yield from one.texts()

    @functools.cached_property
    def read(self) -> Callee:
        """The function as the model has it."""
        with forks.IMPORTS:
            from looptx.source.callees.reading import HINT, callee_of

        code = self.function.__code__
        place = Place(code.co_filename, code.co_firstlineno)
        empty = Callee(self.function.__name__, place, hint=HINT)
        if self.source is None:
            return _refused(empty, "has no source that can be found")
        return callee_of(self._text(self.source))

    def _text(self, source: FunctionText) -> Text:
        with forks.IMPORTS:
            from looptx.source.callees.reading import Text

        node = next(
            one
            for one in ast.walk(ast.parse(source.text))
            if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)
        )
        imports = {
            name: x for name, x in self.imports.items() if name not in self.calls
        }
        defaults = dict(self._defaults(node))
        return Text(node, source.filename, self.own, imports, self, defaults)

    def _defaults(
        self, node: ast.FunctionDef | ast.AsyncFunctionDef
    ) -> Iterator[tuple[str, ast.expr]]:
        """The defaults that it has now and that are numbers."""
        names = [one.arg for one in (*node.args.posonlyargs, *node.args.args)]
        last = names[len(names) - len(self.defaults) :]
        pairs = zip(last, self.defaults, strict=True)
        for name, value in (*pairs, *self.named.items()):
            if type(value) in _NUMBERS:
                yield name, ast.Constant(value)

    def callee(self, name: str) -> Callee | None:
        """The function of the user that a (dotted) name is in it, if it is one."""
        if name not in self.calls:
            return None
        found = self.calls[name]
        if found is None:
            return _recursive(name)
        return found.read

    def number(self, name: str) -> ast.expr | None:
        """The number that a name is in it, if it is one."""
        if name in self.shared:
            return ast.Name(name, ast.Load())
        return ast.Constant(self.numbers[name]) if name in self.numbers else None


@dataclass(frozen=True)
class Gathered:
    """The functions of the user that a kernel calls.

    Attributes:
        calls: the functions, by name, as of a ``Function``.
        imports: their full names, by name.
        tests: expressions that the kernel can evaluate, and what they are now.
        texts: all that the meaning of the functions depends on.
    """

    calls: Mapping[str, Function | None]
    imports: Mapping[str, str]
    tests: Mapping[str, object]
    texts: tuple[str, ...]

    def callees(self) -> dict[str, Callee]:
        """The functions by their full names."""
        found = {}
        for name, one in self.calls.items():
            callee = _recursive(name) if one is None else one.read
            head = name.partition(".")[0]
            found[self.imports[head] + name.removeprefix(head)] = callee
        return found


def _recursive(name: str) -> Callee:
    """A function that is running when it is called."""
    with forks.IMPORTS:
        from looptx.source.callees.expressions import RECURSIVE

    return _refused(Callee(name.rpartition(".")[2], Place("", 1)), RECURSIVE)


def _refused(callee: Callee, why: str) -> Callee:
    return Callee(callee.name, callee.place, refused=why, hint=callee.hint)


def gathered(function: types.FunctionType, text: str) -> Gathered:
    """The functions of the user that a kernel calls.

    Args:
        function: of the kernel. text: its source.
    """
    search = _Search(function)
    calls = search.calls(function, text, "", (function,))
    known = resolved_globals(function, text)
    imports = {}
    for name in calls:
        head, dot, _ = name.partition(".")
        imports[head] = known.get(head, head) if dot else f"{OWN}{name}"
    texts = [name for name in calls]
    for one in filter(None, calls.values()):
        texts += one.texts()
    return Gathered(calls, imports, search.tests, tuple(texts))


class _Search:
    """Looks for functions, from a kernel's on.

    Attributes:
        tests: as in ``Gathered``.
    """

    def __init__(self, kernel: types.FunctionType) -> None:
        self.kernel = kernel
        self.tests: dict[str, object] = {}
        self._number = 0

    def calls(
        self,
        function: types.FunctionType,
        text: str,
        path: str,
        running: tuple[types.FunctionType, ...],
    ) -> dict[str, Function | None]:
        """The functions of the user that a function calls, by name.

        Args:
            function: the function. text: its source.
            path: an expression that leads the kernel to it; empty for its own.
            running: the functions that have called.
        """
        seen = dict(visible(function))
        found: dict[str, Function | None] = {}
        for node in ast.walk(ast.parse(text)):
            name = dotted(node.func) if isinstance(node, ast.Call) else ""
            if not name or name in found:
                continue
            value = _value(name, seen)
            if value is None:
                continue
            head, dot, tail = name.partition(".")
            where = (self._within(function, head, path) if path else head) + dot + tail
            if not isinstance(value, types.FunctionType):
                self.tests[where] = value
                value, where = value.py_func, f"{where}.py_func"
            self.tests[where] = value
            called = None
            if value not in running:
                called = self._function(value, where, (*running, value))
            found[name] = called
        return found

    def _function(
        self,
        function: types.FunctionType,
        path: str,
        running: tuple[types.FunctionType, ...],
    ) -> Function:
        """A function that is called.

        Args:
            function: it. path, running: as in ``calls``.
        """
        for part in _PARTS:
            self.tests[f"{path}.{part}"] = getattr(function, part)
        self._number += 1
        own = f"{function.__name__.strip('<>')} {self._number}"
        source = _text_of(function)
        if source is None:
            return Function(function, own, None)
        shared, numbers = set[str](), dict[str, Any]()
        for name, value in visible(function):
            where = self._within(function, name, path)
            free = name in function.__code__.co_freevars
            if not free and name not in function.__globals__:
                self.tests[where] = value if where == name else None
            elif free or not self._shares(function, name):
                self.tests[where] = value
                if type(value) in _NUMBERS:
                    numbers[name] = value
            elif callable(value) or isinstance(value, types.ModuleType):
                self.tests[where] = value
            else:
                shared.add(name)
        for name, value in members(function, source.text):
            head, dot, tail = name.partition(".")
            self.tests[self._within(function, head, path) + dot + tail] = value
        return Function(
            function,
            own,
            source,
            resolved_globals(function, source.text),
            self.calls(function, source.text, path, running),
            frozenset(shared),
            numbers,
            function.__defaults__ or (),
            dict(function.__kwdefaults__ or {}),
        )

    def _within(self, function: types.FunctionType, name: str, path: str) -> str:
        """An expression for what a name means in a function that a path leads to.

        Args:
            function: the function. name: in it. path: as in ``calls``.
        """
        free = function.__code__.co_freevars
        if name in free:
            return f"{path}.__closure__[{free.index(name)}].cell_contents"
        if self._shares(function, name):
            return name
        if name in function.__globals__:
            return f"{path}.__globals__[{name!r}]"
        return f"{path}.__globals__.get({name!r})"

    def _shares(self, function: types.FunctionType, name: str) -> bool:
        """Whether a name of a function's module is the same for the kernel."""
        code = self.kernel.__code__
        own = {*code.co_varnames, *code.co_cellvars, *code.co_freevars}
        same = function.__globals__ is self.kernel.__globals__
        # What begins so is another name in a class.
        return same and name not in own and not name.startswith("__")


def _text_of(function: types.FunctionType) -> FunctionText | None:
    """The source of a function; one that ``lambda`` makes is told as one of ``def``."""
    try:
        if function.__code__.co_name == "<lambda>":
            return lambda_text(function)
        return function_text(function)
    except LooptxError:
        return None


def _value(name: str, seen: Mapping[str, Any]) -> Any:
    """The function, or the kernel, that a (dotted) name leads to; None for others.

    It may be one of a module, or of a class: a static method, or a plain function.
    """
    head, *parts = name.split(".")
    value = seen.get(head)
    for part in parts:
        if not isinstance(value, types.ModuleType | type):
            return None
        home = (
            value.__name__ if isinstance(value, types.ModuleType) else value.__module__
        )
        if home.partition(".")[0] in _ELSEWHERE:
            return None
        if isinstance(value, type):
            value = _of_class(value, part)
        else:
            value = getattr(value, part, None)
    own = isinstance(value, types.FunctionType)
    home = str(getattr(value, "__module__", "")).partition(".")[0]
    if own and home not in _ELSEWHERE:
        return value
    kernel = type(value).__module__ == "looptx.decorator" and not own
    return value if kernel and hasattr(value, "py_func") else None


def _of_class(owner: type, name: str) -> Any:
    """The function that a class has by a name; None for what only its objects have."""
    if type(owner) is not type:
        return None
    try:
        found = inspect.getattr_static(owner, name)
    except AttributeError:
        return None
    if isinstance(found, staticmethod):
        return found.__func__
    return found if isinstance(found, types.FunctionType) else None
