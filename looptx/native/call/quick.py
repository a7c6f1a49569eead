"""The way of most calls: names mean what they meant, the last version takes the values.

What this asks stands in the function itself, where a name costs one load and no call
of Python's is made but that of the version. Everything else is left to ``Dispatcher``
and ``Kernel``.
"""

from __future__ import annotations

import ast
import textwrap
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from looptx.model.trees import walk
from looptx.native import runtime
from looptx.native.analysis.global_bindings import bound, in_scope
from looptx.native.call.dispatch import RENAMED
from looptx.native.call.rebuild import first_place
from looptx.native.call.told import Told, held, tests
from looptx.native.diagnostics.notices import RESUMED, WOVEN
from looptx.native.runtime import MISSING, RESULT, Site
from looptx.parsers.unwarned import parsed

if TYPE_CHECKING:
    from looptx.native.analysis.callees import Gathered
    from looptx.native.call.dispatch import Dispatcher

Cells: TypeAlias = dict[str, types.CellType]

_PARTS = ("__code__", "__defaults__", "__kwdefaults__")
"""What can be replaced of a function; the one that runs was made from them."""

_OWN, _STALE = f"{WOVEN}own", f"{WOVEN}stale"
_TUPLE, _NOTHING = f"{WOVEN}tuple", f"{WOVEN}nothing"
_STATE, _COUNT, _NOW = f"{WOVEN}state", f"{WOVEN}count", f"{WOVEN}now"

_TEST = f"try:\n    {_NOW} = {{tests}}\nexcept {MISSING}:\n    {_NOW} = False\n"
"""A name may be unbound, or comparing its value raise."""

_CURRENT = f"def {WOVEN}current():\n"
_CURRENT += """\
    try:
        return {tests}
    except Exception:
        return False
"""

_FITS = _CURRENT.replace(f"{WOVEN}current()", f"{WOVEN}fits({{given}})")

_BEGIN = f"{_TEST}if not {_NOW}:\n    return {_STALE}\n"

_OTHERS = f"""\
{_TEST}if not {_NOW}:
    {RESULT} = {{nest}}.settled({RENAMED!r}, {RESULT})
else:
"""
"""What the function is given leads to other functions: only it can say so."""

_DIRECT = f"""\
{_TEST}if {_NOW}:
    try:
        {_NOW} = {{nest}}.entry({{values}})
    except {MISSING}:
        {{nest}}.raised += 1
        raise
    if {_NOW}{{done}}:
        {{nest}}.calls += 1
        {RESULT} = {_NOW}
    else:
        {RESULT} = {{nest}}.settled({_NOW}, {RESULT})
else:
    {RESULT} = {{nest}}(*{RESULT})
"""

_DONE = f".__class__ is {_TUPLE}"
_DONE_ALONE = f" is {_NOTHING}"
"""What the answer of an entry is where it has run: of one without results ``()``, of
which there is one object, so that no class has to be looked up."""

_OPEN = f"if not {{nest}}.open:\n    {RESULT} = None\nelse:\n"
"""Loops round it run as one; if not, this is in front of it."""


class Names:
    """The names of a function that native code has built in, and what they meant.

    Args:
        function: of the kernel.
        text: its source.
        more: the functions that it calls: what to ask for them.
        stale: what the function is to give where they mean something else by now.
        told: what its arguments are.
    """

    def __init__(
        self,
        function: types.FunctionType,
        text: str,
        more: Gathered,
        stale: object,
        told: Told = (),
    ) -> None:
        self._function = function
        self._text = text
        self._more = more
        self._given = {
            _OWN: types.CellType(function),
            _STALE: types.CellType(stale),
            _TUPLE: types.CellType(tuple),
            _NOTHING: types.CellType(()),
            _STATE: types.CellType(runtime._threads),
            _COUNT: types.CellType(runtime.threads),
        }
        self._held = {name: types.CellType(x) for name, x in more.held.items()}
        self._parts = {
            f"{_OWN}.{part}": types.CellType(getattr(function, part)) for part in _PARTS
        }
        self._cells = {name: types.CellType(value) for name, value in self._now()}
        self._own = {name: types.CellType(x) for name, x in more.own.items()}
        self._told = {x: types.CellType(y) for x, y in tests(told).items()}
        if told:
            self._held |= {x: types.CellType(y) for x, y in held().items()}
        self._first = first_place(text, function.__code__.co_name)

    def _now(self) -> list[tuple[str, object]]:
        return [*bound(self._function, self._text).items(), *self._more.tests.items()]

    def renew(self, more: Gathered) -> bool:
        """Take what the names mean now as what they meant.

        Args:
            more: as of the class, now.

        Returns:
            Whether these are the same names, of a function of the same parts.
        """
        for part, cell in zip(_PARTS, self._parts.values(), strict=True):
            if getattr(self._function, part) is not cell.cell_contents:
                return False
        self._more = more
        now = dict(self._now())
        if now.keys() != self._cells.keys() or more.own.keys() != self._own.keys():
            return False
        for name, value in more.own.items():
            self._own[name].cell_contents = value
        for name, value in more.held.items():
            self._held[name].cell_contents = value
        for name, value in now.items():
            self._cells[name].cell_contents = value
        return True

    @property
    def cells(self) -> Cells:
        """What the texts below name."""
        meant = {**self._cells, **self._parts, **self._own, **self._told}
        names = self._meant()
        cells = {names[one]: cell for one, cell in meant.items()}
        return {**self._given, **self._held, **cells}

    def _meant(self) -> dict[str, str]:
        """The names of what expressions are to be."""
        asked = (*self._cells, *self._parts, *self._own, *self._told)
        return {one: f"{WOVEN}meant{number}" for number, one in enumerate(asked)}

    def _tests(self, *expressions: str) -> str:
        """Python that asks whether expressions are what they were."""
        names = self._meant()
        return " and ".join(f"{one} is {names[one]}" for one in expressions) or "True"

    def current(self) -> Callable[[], bool]:
        """A check that they mean it still, and that the function is the same."""
        text = _CURRENT.format(tests=self._tests(*self._cells, *self._parts))
        check: Callable[[], bool] = in_scope(text, self._function, self.cells)
        return check

    def fits(self) -> Callable[..., bool]:
        """A check that arguments, given by name, lead to what others led to."""
        own = {*self._function.__code__.co_varnames}
        names = sorted(own & {name for one in self._own for name in _named(one)})
        given = ", ".join((*names, f"**{WOVEN}rest"))
        text = _FITS.format(tests=self._tests(*self._own), given=given)
        check = in_scope(text, self._function, self.cells)
        # Of arguments that lead to no functions nothing is said.
        check.__defaults__ = (None,) * len(names)
        return check

    def inside(self) -> bool:
        """Whether the function may ask so itself.

        It may where it runs when it is called, and where no name is one of its own.
        """
        code = self._function.__code__
        own = _variables(code)
        first = {name for one in self._cells for name in _named(one)}
        tree = walk(parsed(self._text))
        declared = any(isinstance(node, ast.Global | ast.Nonlocal) for node in tree)
        resumed = code.co_flags & RESUMED
        return not (resumed or declared or any(name in own for name in first))

    def begin(self) -> str:
        """What the function begins with: it is given up where a name has changed.

        Defaults that it had not only let calls of fewer arguments begin: these fail.
        """
        parts = [one for one, cell in self._parts.items() if cell.cell_contents]
        asked = *self._cells, *parts, *self._own, *self._told
        return _BEGIN.format(tests=self._tests(*asked))

    def beginning(self) -> str:
        """What it begins with where its nests ask what names mean.

        They cannot ask what its arguments were.
        """
        asked = self._tests(*self._told)
        return _BEGIN.format(tests=asked) if self._told else ""

    def direct(self, nest: Dispatcher, site: Site, asked: bool) -> str:
        """What stands in place of the call of a nest, see ``Site``.

        Args:
            nest: it. site: where it is.
            asked: whether the function begins with ``begin``; in front of a nest that
                is its first statement nothing can have changed since.
        """
        plain = all(name.isidentifier() for name in site.live_in)
        at_once = plain and not site.hoisted and not site.sunk and not site.late
        asked = asked and at_once and (site.line, site.column) == self._first
        tests, threads = self._tests(*(() if asked else self._cells)), "1"
        if nest.info.parallel:
            # In a forked process the dispatcher has something to say.
            tests += f" and not {_STATE}.forked"
            threads = f"{_STATE}.limit or {_COUNT}()"
        values = site.live_in if plain else (f"*{RESULT}",)
        given = ", ".join([*values, threads])
        done = _DONE if site.live_out else _DONE_ALONE
        text = _DIRECT.format(tests=tests, nest=site.call, values=given, done=done)
        if self._own and not asked:
            others = _OTHERS.format(tests=self._tests(*self._own), nest=site.call)
            text = others + textwrap.indent(text, "    ")
        if nest.info.around < 0:
            return text
        return _OPEN.format(nest=site.call) + textwrap.indent(text, "    ")


def _named(expression: str) -> frozenset[str]:
    """The names in an expression."""
    nodes = walk(ast.parse(expression, mode="eval"))
    return frozenset(node.id for node in nodes if isinstance(node, ast.Name))


def _variables(code: types.CodeType) -> set[str]:
    """The variables of a function and of those in it."""
    inner = (one for one in code.co_consts if isinstance(one, types.CodeType))
    return {*code.co_varnames, *code.co_cellvars}.union(*map(_variables, inner))
