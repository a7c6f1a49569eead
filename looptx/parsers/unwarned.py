"""Trees and code of texts that Python has read before.

It has warned of them then, if at all: from Python 3.12 on of ``"\\d"``, and of
``x is 1``. Who reads them once more has nothing to say, nor to raise where warnings are
errors.

``warnings.catch_warnings`` is not for threads: it puts back the filters that it found,
which are those of another thread that came first and has left since, and these stay. A
filter that is put into a list and taken out of the same list leaves nothing behind,
whoever else comes and goes.
"""

from __future__ import annotations

import ast
import re
import types
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress


@contextmanager
def ignored(module: str = "") -> Iterator[None]:
    """Warnings of modules whose names start so are not given, in any thread."""
    # Compiled, as in all filters: its match runs no Python, so that no other thread
    # changes the list while Python looks through it.
    one = ("ignore", None, Warning, re.compile(re.escape(module)), 0)
    filters: list[object] = warnings.filters  # type: ignore[assignment]
    filters.insert(0, one)
    try:
        yield
    finally:
        with suppress(ValueError):  # ``warnings.resetwarnings`` has done it
            filters.remove(one)


def parsed(text: str | bytes, filename: str = "<unknown>") -> ast.Module:
    """The tree of a module's text.

    Args:
        text: the module. filename: of errors.

    Raises:
        SyntaxError, ValueError, RecursionError, MemoryError: as ``ast.parse``.
    """
    with ignored(filename.removesuffix(".py")):
        return ast.parse(text, filename)


def compiled(source: str | ast.Module, filename: str, flags: int = 0) -> types.CodeType:
    """The code of a module.

    Args:
        source: its text or tree. filename: of errors.
        flags: those of ``compile``; none are inherited.

    Raises:
        SyntaxError, ValueError, RecursionError, MemoryError: as ``compile``.
    """
    with ignored(filename.removesuffix(".py")):
        found: types.CodeType = compile(
            source, filename, "exec", flags, dont_inherit=True
        )
    return found
