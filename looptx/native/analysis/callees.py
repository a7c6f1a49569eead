"""The functions of the user that a kernel calls, as their names mean them now.

They are functions of Python, found where the names lead: in the kernel's module, its
closure, other modules, or other kernels. What they mean is part of the kernel's key;
``tests`` tells what to look at for one that was replaced, or sees other names.
"""

from __future__ import annotations

import ast
import functools
import types
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from looptx import forks
from looptx.errors import LooptxError, Place
from looptx.model.callees.callee import Callee
from looptx.model.records import dataclass, field, replace
from looptx.model.trees import dotted, walk
from looptx.native.analysis.function_names import is_meant, looped, rebound
from looptx.native.analysis.function_text import (
    LAMBDA,
    FunctionText,
    function_text,
    lambda_text,
)
from looptx.native.analysis.global_bindings import (
    members,
    resolved_globals,
    settings,
    visible,
)
from looptx.native.analysis.leads import (
    NUMBERS,
    TYPE,
    Given,
    Lead,
    Leads,
)
from looptx.parsers.unwarned import parsed

if TYPE_CHECKING:
    from looptx.source.callees.reading import Text

OWN, GIVEN = ".", ".."
"""Begin the full name of a function of the user, followed by how the kernel calls it:
its own full name may be that of several, which a function has made. The second is for
those that arguments lead to."""

_PARTS = ("__code__", "__defaults__", "__kwdefaults__")


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
        first, bound: what it is given already, as of a ``Lead``.
        receiver: whether it is a method of an object, its first argument.
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
    first: tuple[Any, ...] = ()
    bound: Mapping[str, Any] = field(default_factory=dict)
    receiver: bool = False

    def texts(self) -> Iterator[str]:
        """All that its meaning depends on."""
        yield from (self.own, self.source.own if self.source else "")
        yield from (part for pair in self.imports.items() for part in pair)
        given = self.defaults, self.named, sorted(self.shared), self.first, self.bound
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
        first = [_expression(one) for one in self.first]
        named = {name: _expression(one) for name, one in self.bound.items()}
        return callee_of(self._text(self.source)).bound(first, named)

    def _text(self, source: FunctionText) -> Text:
        with forks.IMPORTS:
            from looptx.source.callees.reading import Text
            from looptx.source.names.imports import arguments
            from looptx.source.spelling.headers import with_indices, with_ranges

        imports = {
            name: x for name, x in self.imports.items() if name not in self.calls
        }
        tree = with_ranges(parsed(source.text), imports)
        # What a loop goes over is an array, or native code leaves the call to Python.
        arrays = [one.arg for one in arguments(_first(tree))]
        node = _first(with_indices(tree, imports, arrays))
        defaults = dict(self._defaults(node))
        text = Text(node, source.filename, self.own, imports, self, defaults)
        return replace(text, receiver=self.receiver)

    def _defaults(
        self, node: ast.FunctionDef | ast.AsyncFunctionDef
    ) -> Iterator[tuple[str, ast.expr]]:
        """The defaults that it has now and that are numbers, texts or None."""
        names = [one.arg for one in (*node.args.posonlyargs, *node.args.args)]
        last = names[len(names) - len(self.defaults) :]
        pairs = zip(last, self.defaults, strict=True)
        for name, value in (*pairs, *self.named.items()):
            if type(value) in NUMBERS or isinstance(value, str | None):
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
        own: those that only it can, with what it is given. held: what they name.
        texts: all that the meaning of the functions depends on.
    """

    calls: Mapping[str, Function | None]
    imports: Mapping[str, str]
    tests: Mapping[str, object]
    texts: tuple[str, ...]
    own: Mapping[str, object]
    held: Mapping[str, object]

    def callees(self) -> dict[str, Callee]:
        """The functions by their full names."""
        found = {}
        for name, one in self.calls.items():
            callee = _recursive(name) if one is None else one.read
            head = name.partition(".")[0]
            full = self.imports.get(head, f"{GIVEN}{head}")
            found[full + name.removeprefix(head)] = callee
        return found


def _recursive(name: str) -> Callee:
    """A function that is running when it is called."""
    with forks.IMPORTS:
        from looptx.source.callees.expressions import RECURSIVE

    return _refused(Callee(name.rpartition(".")[2], Place("", 1)), RECURSIVE)


def _refused(callee: Callee, why: str) -> Callee:
    return Callee(callee.name, callee.place, refused=why, hint=callee.hint)


def _expression(value: Any) -> ast.expr:
    """What is given already, see ``Lead``."""
    if isinstance(value, str):
        return ast.parse(value, mode="eval").body
    return ast.Constant(value)


def gathered(
    function: types.FunctionType, text: str, values: Mapping[str, object] | None = None
) -> Gathered:
    """The functions of the user that a kernel calls.

    Args:
        function: of the kernel. text: its source.
        values: the arguments of a call: methods of these are found, too.
    """
    search = _Search(function)
    given = {name: Given(value, name) for name, value in (values or {}).items()}
    calls = search.calls(function, text, "", (), given)
    known = resolved_globals(function, text)
    imports = {}
    for name in calls:
        head, dot, _ = name.partition(".")
        if head not in given:
            imports[head] = known.get(head, head) if dot else f"{OWN}{name}"
    texts = [name for name in calls]
    for one in filter(None, calls.values()):
        texts += one.texts()
    held = {TYPE: type, **search.leads.held}
    tests = search.tests, search.own
    return Gathered(calls, imports, tests[0], tuple(texts), tests[1], held)


class _Search:
    """Looks for functions, from a kernel's on.

    Attributes:
        tests, own: as in ``Gathered``. leads: tells what names lead to.
    """

    def __init__(self, kernel: types.FunctionType) -> None:
        self.kernel = kernel
        self.tests: dict[str, object] = {}
        self.own: dict[str, object] = {}
        self.leads = Leads()
        self._number = 0

    def calls(
        self,
        function: types.FunctionType,
        text: str,
        path: str,
        running: tuple[types.FunctionType, ...],
        given: Mapping[str, Given],
    ) -> dict[str, Function | None]:
        """The functions of the user that a function calls, by name.

        Args:
            function: the function. text: its source.
            path: an expression that leads the kernel to it; empty for its own.
            running: the functions that have called.
            given: what its arguments are.
        """
        tree = parsed(text)
        seen = dict(visible(function))
        fixed = given.keys() - rebound(tree, function.__name__)
        inner = {*walk(tree)} if path else looped(tree)
        found: dict[str, Function | None] = {}
        # An indented function stands in its class alone.
        owner = tree.body[0].name if isinstance(tree.body[0], ast.ClassDef) else ""
        for node in walk(tree):
            name = dotted(node.func) if isinstance(node, ast.Call) else ""
            head = name.partition(".")[0]
            if not name or name in found:
                continue
            if head in fixed and node in inner:
                one, own = given[head], True
            elif head in seen and head not in given:
                where = self._within(function, head, path) if path else head
                one, own = Given(seen[head], where), False
            else:
                continue
            lead = self.leads.of(name, one, not own, owner, node)
            tests = self.own if own else self.tests
            if lead is None:
                if own:
                    tests[f"{TYPE}({one.path})"] = type(one.value)
                continue
            tests.update(lead.tests)
            called = None
            if lead.function not in running:
                called = self._function(lead, (*running, lead.function), own)
            found[name] = called
        return found

    def _function(
        self, lead: Lead, running: tuple[types.FunctionType, ...], own: bool
    ) -> Function:
        """A function that is called.

        Args:
            lead: leads to it. running: as in ``calls``.
            own: whether what the kernel is given leads there.
        """
        function, path = lead.function, lead.path
        tests = self.own if own else self.tests
        for part in _PARTS:
            tests[f"{path}.{part}"] = getattr(function, part)
        self._number += 1
        name = f"{function.__name__.strip('<>')} {self._number}"
        source = _text_of(function)
        receiver = lead.where != ""
        if source is None:
            return Function(function, name, None)
        shared, numbers = set[str](), dict[str, Any]()
        for one, value in visible(function):
            where = self._within(function, one, path)
            if own and not is_meant(value):
                continue
            free = one in function.__code__.co_freevars
            if not free and one not in function.__globals__:
                tests[where] = value if where == one else None
            elif free or not self._shares(function, one):
                tests[where] = value
                if type(value) in NUMBERS:
                    numbers[one] = value
            elif callable(value) or isinstance(value, types.ModuleType):
                tests[where] = value
            else:
                shared.add(one)
        for one, value in members(function, source.text):
            head, dot, tail = one.partition(".")
            tests[self._within(function, head, path) + dot + tail] = value
        for one, value in settings(function, source.text):
            if type(value) in NUMBERS:
                head, dot, tail = one.partition(".")
                tests[self._within(function, head, path) + dot + tail] = value
                numbers[one] = value
        return Function(
            function,
            name,
            source,
            resolved_globals(function, source.text),
            self.calls(function, source.text, path, running, _receiver(lead)),
            frozenset(shared),
            numbers,
            function.__defaults__ or (),
            dict(function.__kwdefaults__ or {}),
            lead.first,
            lead.named,
            receiver,
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
        # What begins so is another name in a class, and what names `super` there asks
        # for the class, too.
        told = name.startswith("__") or name == "super"
        return same and name not in own and not told


def _receiver(lead: Lead) -> dict[str, Given]:
    """The object that a method is of, by the name that it has there."""
    names = lead.function.__code__.co_varnames[: lead.function.__code__.co_argcount]
    if not lead.where or not names:
        return {}
    return {names[0]: Given(lead.receiver, lead.where)}


def _text_of(function: types.FunctionType) -> FunctionText | None:
    """The source of a function; one that ``lambda`` makes is told as one of ``def``."""
    try:
        if function.__code__.co_name == LAMBDA:
            return lambda_text(function)
        return function_text(function)
    except LooptxError:
        return None


def _first(tree: ast.Module) -> ast.FunctionDef | ast.AsyncFunctionDef:
    """The function that a text is of."""
    kinds = ast.FunctionDef | ast.AsyncFunctionDef
    return next(one for one in walk(tree) if isinstance(one, kinds))
