"""The text that tasks run, as a function; each process makes it once.

Nothing compiled travels: a process gets the text, and the kernel in it takes its native
version from the cache of that host, or compiles it there.
"""

from __future__ import annotations

import functools
import hashlib
import linecache
import threading
import weakref
from collections.abc import Callable, Collection, Mapping
from typing import Any

from looptx.errors import LooptxError
from looptx.parsers.unwarned import compiled


class Code:
    """The function of a task.

    Args:
        name: of the function.
        text: the module that defines it. plain: the same without directives.
        outside: what the module's other names mean.
    """

    def __init__(
        self, name: str, text: str, plain: str, outside: Mapping[str, Any]
    ) -> None:
        self.name = name
        self.text = text
        self.plain = plain
        self.outside = outside
        self._lock = threading.Lock()
        self._function: Callable[..., Any] | None = None
        self._packed: bytes | None = None
        _MADE.add(self)

    @property
    def digest(self) -> str:
        """What tells its text from others."""
        return _digest(self.text)

    @property
    def function(self) -> Callable[..., Any]:
        """The function; a directive that is refused where it runs is left out."""
        if self._function is None:
            with self._lock:
                if self._function is None:
                    self._function = self._made()
        return self._function

    def _made(self) -> Callable[..., Any]:
        function = _defined(self.text, self.name, self.outside)
        if self.text != self.plain:
            try:
                getattr(function, "schedule", ())
            except LooptxError:
                function = _defined(self.plain, self.name, self.outside)
        return function

    def plainly(self) -> str:
        """Why it ran as Python in this process; "" where it did not."""
        function = self._function
        if function is None or not self.text.startswith("import looptx"):
            return ""
        report = getattr(function, "report", None)
        if report is None:
            return "LOOPTX_DISABLE is set"
        nests = report().nests
        reasons = [why for one in nests if not one.calls for why in one.fallbacks]
        return reasons[0] if reasons else ""

    def __reduce__(self) -> tuple[Any, ...]:
        import cloudpickle

        if self._packed is None:
            self._packed = cloudpickle.dumps(dict(self.outside))
        return _received, (self.name, self.text, self.plain, self._packed)


_MADE: weakref.WeakSet[Code] = weakref.WeakSet()


def plainly(digests: Collection[str]) -> dict[str, str]:
    """Which functions ran as Python in this process, with the reason.

    Args:
        digests: of the functions that are asked for.
    """
    found = {one.name: one.plainly() for one in [*_MADE] if one.digest in digests}
    return {name: why for name, why in found.items() if why}


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@functools.lru_cache(maxsize=4096)
def _received(name: str, text: str, plain: str, packed: bytes) -> Code:
    """The code that came from another process."""
    import cloudpickle

    return Code(name, text, plain, cloudpickle.loads(packed))


def _defined(text: str, name: str, outside: Mapping[str, Any]) -> Callable[..., Any]:
    """The function of a text, whose lines are found as those of a file."""
    filename = f"<looptx task {name} {_digest(text)}>"
    lines = text.splitlines(keepends=True)
    linecache.cache[filename] = len(text), None, lines, filename
    space: dict[str, Any] = {"__name__": "looptx_task", **outside}
    exec(compiled(text, filename), space)
    made: Callable[..., Any] = space[name]
    return made
