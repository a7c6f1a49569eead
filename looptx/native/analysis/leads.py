"""What (dotted) names of functions lead to: functions, methods, and what holds them.

A name may be of a function, a kernel, a static method, or of one that a module or class
has; of an object's own method, of an object that can be called, of a bound method, or
of a ``functools.partial``. Such a function is given something already: the object, or
what ``partial`` was told.
"""

from __future__ import annotations

import abc
import ast
import functools
import inspect
import linecache
import sys
import types
from collections.abc import Mapping
from typing import Any

from looptx.model.functions import lookup
from looptx.model.naming import mangled
from looptx.model.records import dataclass, field, replace
from looptx.native.analysis.global_bindings import full_name
from looptx.native.diagnostics.notices import WOVEN

NUMBERS = (bool, int, float, complex)
"""The types of values that are written where their names stand."""

TYPE = f"{WOVEN}type"
"""What tests call ``type``."""

_ELSEWHERE = ("numpy", "math", "builtins", "looptx")
_PLAIN = (type, abc.ABCMeta)


@dataclass(frozen=True)
class Lead:
    """A function that a name leads to.

    Attributes:
        function: it. path: an expression for it.
        tests: expressions, and the very objects that they are now.
        first, named: what it is given already, by position and by keyword: numbers, or
            texts that are (dotted) names.
        receiver: the object that it is a method of. where: an expression for that.
    """

    function: types.FunctionType
    path: str
    tests: Mapping[str, object] = field(default_factory=dict)
    first: tuple[Any, ...] = ()
    named: Mapping[str, Any] = field(default_factory=dict)
    receiver: object = None
    where: str = ""


@dataclass(frozen=True)
class Given:
    """A value that is an argument.

    Attributes:
        value: it. path: an expression for it.
    """

    value: object
    path: str


@dataclass
class Leads:
    """Finds functions by their names.

    Attributes:
        held: the classes that expressions name, by these names.
    """

    held: dict[str, object] = field(default_factory=dict)

    def of(
        self,
        name: str,
        found: Given,
        stable: bool,
        owner: str = "",
        call: ast.AST | None = None,
    ) -> Lead | None:
        """The function that a (dotted) name leads to; None for others.

        Args:
            name: it. found: what its first part is.
            stable: whether the name always is of the same object, as one of a module.
            owner: the class in which the name is used.
            call: one of it.
        """
        value, path = found.value, found.path
        head, *parts = name.split(".")
        chain = head
        for at, private in enumerate(parts):
            part = mangled(private, owner)
            home = getattr(value, "__module__", "")
            home = value.__name__ if isinstance(value, types.ModuleType) else home
            if str(home).partition(".")[0] in _ELSEWHERE:
                return None
            if isinstance(value, types.ModuleType):
                value = getattr(value, part, None)
            elif isinstance(value, type):
                value = _of_class(value, part)
            elif at == len(parts) - 1 and (method := _method(value, part)):
                return self._bound(Given(value, path), part, method, chain)
            else:
                stable = False
                value = _member(value, part)
            path, chain = f"{path}.{part}", f"{chain}.{private}"
        lead = self._called(Given(value, path), chain, stable)
        if lead is None and not (parts or stable) and isinstance(call, ast.Call):
            return self._standing(found, call)
        return lead

    def _standing(self, found: Given, call: ast.Call) -> Lead | None:
        """A function of Python that calls one of NumPy or Python that is given.

        Args:
            found: the one that is given. call: of it.
        """
        whole = not (
            call.keywords or any(isinstance(x, ast.Starred) for x in call.args)
        )
        full = full_name(found.value)
        row = lookup(full)
        known = row.pure and row.name and row.module in MODULES and whole
        if not known or _looked_up(full) is not found.value:
            return None
        function = _calling(full, len(call.args))
        return Lead(function, self._name(function), {found.path: found.value})

    def _called(self, found: Given, chain: str, stable: bool) -> Lead | None:
        """What runs where a value is called.

        Args:
            found: the value. chain: its name. stable: as of ``of``.
        """
        value, path = found.value, found.path
        kind = {f"{TYPE}({path})": type(value)}
        if type(value).__module__ == "looptx.decorator":
            function = getattr(value, "py_func", None)
            if not isinstance(function, types.FunctionType):
                return None
            inner = f"{path}.py_func"
            return Lead(function, inner, {path: value, inner: function})
        if isinstance(value, types.FunctionType):
            if str(value.__module__).partition(".")[0] in _ELSEWHERE:
                return None
            tests: dict[str, object] = {path: value}
            if not stable:
                # Another one of the same text, as `lambda` makes them, does the same.
                tests = {**kind, f"{path}.__code__": value.__code__}
                tests[f"{path}.__globals__"] = value.__globals__
            return Lead(value, path, tests)
        if isinstance(value, types.MethodType):
            return self._of_method(Given(value, path), chain, kind)
        if type(value) is functools.partial:
            return self._of_partial(Given(value, path), chain, kind)
        if type(value).__module__.partition(".")[0] in _ELSEWHERE or value is None:
            return None
        method = _method(value, "__call__", special=True)
        if method is None:
            return None
        return self._bound(found, "__call__", method, chain)

    def _of_method(
        self, found: Given, chain: str, kind: Mapping[str, object]
    ) -> Lead | None:
        """What a bound method calls.

        Args:
            found: the method. chain: its name. kind: tests its type.
        """
        assert isinstance(found.value, types.MethodType)
        function, path = found.value.__func__, f"{found.path}.__func__"
        lead = self._called(Given(function, path), chain, False)
        if lead is None or lead.first:
            return None
        where = f"{found.path}.__self__"
        tests = {**kind, f"{TYPE}({where})": type(found.value.__self__), **lead.tests}
        first = (f"{chain}.__self__",)
        receiver = found.value.__self__
        return replace(lead, tests=tests, first=first, receiver=receiver, where=where)

    def _of_partial(
        self, found: Given, chain: str, kind: Mapping[str, object]
    ) -> Lead | None:
        """What a ``functools.partial`` calls.

        Args:
            found: the object. chain: its name. kind: tests its type.
        """
        value, path = found.value, found.path
        assert isinstance(value, functools.partial)
        lead = self._called(Given(value.func, f"{path}.func"), f"{chain}.func", False)
        if lead is None:
            return None
        if any(type(x) not in NUMBERS for x in (*value.args, *value.keywords.values())):
            return None
        count = len(value.keywords)
        tests = {
            **kind,
            f"{path}.args": value.args,
            f"({path}.keywords.__len__() == {count})": True,
            **{f"{path}.keywords[{x!r}]": y for x, y in value.keywords.items()},
            **lead.tests,
        }
        first = (*lead.first, *value.args)
        named = {**lead.named, **value.keywords}
        return replace(lead, tests=tests, first=first, named=named)

    def _bound(
        self, found: Given, name: str, method: _Method, chain: str
    ) -> Lead | None:
        """A method of an object.

        Args:
            found: the object. name, method: of the method, and it.
            chain: the name of the object.
        """
        value, path = found.value, found.path
        own, owner = self._name(type(value)), self._name(method.owner)
        raw = method.raw
        tests: dict[str, object] = {
            f"{TYPE}({path})": type(value),
            f"{own}.__getattribute__": object.__getattribute__,
            f"{owner}.__dict__[{name!r}]": raw,
        }
        inner = f"{own}.{name}"
        if isinstance(raw, classmethod):
            inner = f"{inner}.__func__"
        if not method.special and type(value).__dictoffset__:
            tests[f"({name!r} in {path}.__dict__)"] = False
        function = raw if not isinstance(raw, _WRAPPED) else raw.__func__
        lead = self._called(Given(function, inner), chain, True)
        if lead is None or lead.first:
            return None
        tests |= lead.tests
        if isinstance(raw, staticmethod):
            return replace(lead, tests=tests)
        receiver: object = value
        where = path
        if isinstance(raw, classmethod):
            receiver, chain, where = type(value), f"{chain}.__class__", own
        return replace(
            lead, tests=tests, first=(chain,), receiver=receiver, where=where
        )

    def _name(self, kind: object) -> str:
        """What expressions call a class, or a function."""
        for name, value in self.held.items():
            if value is kind:
                return name
        name = f"{WOVEN}class{len(self.held)}"
        self.held[name] = kind
        return name


MODULES = ("builtins", "math", "numpy")
"""The modules of functions that may be given: what these do is known by their names."""


def _looked_up(full: str) -> object:
    """What a full name is of now; None where it is of nothing."""
    module, *parts = full.split(".")
    value: object = sys.modules.get(module)
    for part in parts:
        value = getattr(value, part, None)
    return value


@functools.cache
def _calling(full: str, count: int) -> types.FunctionType:
    """A function that calls one of another module, with a text that can be read.

    Args:
        full: the full name of that. count: of its arguments.
    """
    module, _, name = full.rpartition(".")
    given = ", ".join(f"x{at}" for at in range(count))
    called = name if module == "builtins" else full
    text = f"def {name}({given}):\n    return {called}({given})\n"
    filename = f"<{full} of {count}>"
    linecache.cache[filename] = len(text), None, text.splitlines(True), filename
    head = module.partition(".")[0]
    made: dict[str, Any] = {}
    exec(compile(text, filename, "exec"), {head: sys.modules[head]}, made)
    function: types.FunctionType = made[name]
    return function


_WRAPPED = (staticmethod, classmethod)


@dataclass(frozen=True)
class _Method:
    """What a class has for the name of a method.

    Attributes:
        raw: as it is in the class. owner: the class, or one that it is of.
        special: whether Python looks for it in the class alone.
    """

    raw: Any
    owner: type
    special: bool


def _method(value: object, name: str, *, special: bool = False) -> _Method | None:
    """The method that a name is of an object; None where it is anything else."""
    kind = type(value)
    if type(kind) not in _PLAIN or kind.__getattribute__ is not object.__getattribute__:
        return None
    for owner in kind.__mro__:
        if name in vars(owner):
            raw = vars(owner)[name]
            break
    else:
        return None
    inner = raw.__func__ if isinstance(raw, _WRAPPED) else raw
    kernel = type(inner).__module__ == "looptx.decorator"
    if not (kernel or isinstance(inner, types.FunctionType)):
        return None
    if not special and kind.__dictoffset__ and name in vars(value):
        return None
    return _Method(raw, owner, special)


def _member(value: object, name: str) -> object:
    """What an object holds by a name; None where code of the user would tell."""
    kind = type(value)
    if kind.__getattribute__ is not object.__getattribute__:
        return None
    raw = next((vars(one)[name] for one in kind.__mro__ if name in vars(one)), None)
    if isinstance(raw, types.MemberDescriptorType):
        return getattr(value, name, None)
    if hasattr(type(raw), "__set__") or hasattr(type(raw), "__delete__"):
        return None
    if kind.__dictoffset__ and name in vars(value):
        return vars(value)[name]
    return None if hasattr(type(raw), "__get__") else raw


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
