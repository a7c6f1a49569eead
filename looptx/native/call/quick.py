"""The way of most calls: names mean what they meant, the last version takes the values.

Functions for this are written in the scope of the kernel's own, where a name costs one
load. Everything else is left to ``Dispatcher`` and ``Kernel``.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from looptx.native import runtime
from looptx.native.analysis.global_bindings import bound, in_scope
from looptx.native.diagnostics.notices import WOVEN

if TYPE_CHECKING:
    from looptx.native.call.dispatch import Dispatcher
    from looptx.native.runtime import Callee

Cells: TypeAlias = dict[str, types.CellType]

_PARTS = ("__code__", "__defaults__", "__kwdefaults__")
"""What can be replaced of a function; the one that runs was made from them."""

_CURRENT = f"def {WOVEN}current():\n"
_CURRENT += """\
    try:
        return {tests}
    except Exception:  # a name is unbound, or comparing its value raises
        return False
"""

_CALL = f"def {WOVEN}call" + "({values}):\n"
_CALL += """\
    {unless}try:
        same = {tests}
    except Exception:
        same = False
    if not same:
        return {nest}({values})
    result = {nest}.entry({values}{threads})
    if result.__class__ is {tuple}:
        {nest}.calls += 1
        return result
    return {nest}.settled(result, ({values}))
"""


_UNLESS = "if not {nest}.open: return None\n    "


class Names:
    """The names of a function that native code has built in, and what they meant.

    Args:
        function: of the kernel.
        text: its source.
        more: other expressions, and the very objects that they are.
    """

    def __init__(
        self, function: types.FunctionType, text: str, more: Mapping[str, object]
    ) -> None:
        self._function = function
        self._text = text
        self._more = more
        self._parts = {
            f"{{own}}.{part}": types.CellType(getattr(function, part))
            for part in _PARTS
        }
        self._cells = {name: types.CellType(value) for name, value in self._now()}

    def _now(self) -> list[tuple[str, object]]:
        return [*bound(self._function, self._text).items(), *self._more.items()]

    def renew(self, more: Mapping[str, object]) -> bool:
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
        if now.keys() != self._cells.keys():
            return False
        for name, value in now.items():
            self._cells[name].cell_contents = value
        return True

    def current(self) -> Callable[[], bool]:
        """A check that they mean it still, and that the function is the same."""
        own = {"own": self._function}
        check: Callable[[], bool] = self._written(
            _CURRENT, {**self._parts, **self._cells}, own
        )
        return check

    def callee(self, nest: Dispatcher) -> Callee:
        """What the function calls in front of a nest.

        Args:
            nest: what is asked where this does not suffice.
        """
        tests, given = dict(self._cells), {"nest": nest, "tuple": tuple}
        values = (f"{WOVEN}value{k}, " for k in range(len(nest.info.live_in)))
        unless = _UNLESS if nest.info.around >= 0 else ""
        words = {"values": "".join(values), "threads": "1", "unless": unless}
        if nest.info.parallel:
            # In a forked process the dispatcher has something to say.
            tests["{state}.forked"] = types.CellType(False)
            given |= {"state": runtime._threads, "count": runtime.threads}
            words["threads"] = "{state}.limit or {count}()"
        call = self._written(_CALL, tests, given, words)
        call.unready = nest.unready
        return cast("Callee", call)

    def _written(
        self,
        text: str,
        tests: Cells,
        given: Mapping[str, object],
        words: Mapping[str, str] | None = None,
    ) -> Any:
        """A function in the scope of the kernel's.

        Args:
            text: its source, with the names of ``given``, ``tests`` and ``words``.
            tests: expressions, and the very objects that they are to be.
            given: objects.
            words: pieces of source.
        """
        names = {name: f"{WOVEN}{name}" for name in given}
        meant = {f"{WOVEN}{number}": cell for number, cell in enumerate(tests.values())}
        pieces = (f"{one} is {name}" for one, name in zip(tests, meant, strict=True))
        words = {"tests": " and ".join(pieces) or "True", **(words or {})}
        filled = {word: piece.format(**names) for word, piece in words.items()}
        cells = {names[one]: types.CellType(value) for one, value in given.items()}
        whole = text.format(**filled, **names)
        return in_scope(whole, self._function, {**cells, **meant})
