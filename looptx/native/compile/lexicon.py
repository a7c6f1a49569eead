"""Cython's tables of words, without those letters that generated code does not have.

Before it reads its first word Cython makes a machine that knows each letter of each
script: a quarter of a second, and 150 MB. Generated code is ASCII unless its user's
names are not. So looptx has Cython imported with a lexicon of two machines. In a thread
that compiles ASCII the small one answers, anywhere else the one that Cython would have
made, which is made when it is asked first. Where Cython was imported by others, or is
built otherwise than it was, it stays as it is.
"""

from __future__ import annotations

import contextlib
import functools
import sys
import threading
import types
from collections.abc import Callable, Iterator
from typing import Any

ASCII = {
    "unicode_start_ch_any": "_",
    "unicode_start_ch_range": "AZaz",
    "unicode_continuation_ch_any": "0",
    "unicode_continuation_ch_range": "09",
}
"""What Cython's tables of letters, by their names in its module, are in ASCII."""

_here = threading.local()


class Lexicon:
    """A lexicon of two machines.

    Args:
        make: gives the whole lexicon.
        small: the lexicon for ASCII.
    """

    def __init__(self, make: Callable[[], Any], small: Any) -> None:
        self.whole = functools.cache(make)
        self._small = small

    def get_initial_state(self, name: str) -> Any:
        """What the scanner begins with, by the name of its mode."""
        chosen = self._small if getattr(_here, "ascii", False) else self.whole()
        return chosen.get_initial_state(name)


def install() -> None:
    """Have Cython's scanner imported with a lexicon of two machines, if it can be."""
    from Cython.Compiler import Lexicon as cython

    make, scanner = cython.make_lexicon, "Cython.Compiler.Scanning"
    tables = vars(cython)
    plain = isinstance(make, types.FunctionType) and tables.keys() >= ASCII.keys()
    if scanner in sys.modules or not plain:
        return
    small = types.FunctionType(make.__code__, {**tables, **ASCII})()
    cython.make_lexicon = lambda: Lexicon(make, small)
    try:
        import Cython.Compiler.Scanning  # noqa: F401
    finally:
        cython.make_lexicon = make


@contextlib.contextmanager
def reading(text: str) -> Iterator[None]:
    """Where Cython is imported, or reads ``text`` and what belongs to Cython."""
    _here.ascii = text.isascii()
    try:
        yield
    finally:
        _here.ascii = False
