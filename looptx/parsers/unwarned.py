"""Trees and code of texts that Python has read before.

It has warned of them then, if at all: from Python 3.12 on of ``"\\d"``, and of
``x is 1``. Who reads them once more has nothing to say, nor to raise where warnings are
errors.
"""

from __future__ import annotations

import ast
import types
import warnings


def parsed(text: str | bytes, filename: str = "<unknown>") -> ast.Module:
    """The tree of a module's text.

    Args:
        text: the module. filename: of errors.

    Raises:
        SyntaxError, ValueError, RecursionError, MemoryError: as ``ast.parse``.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text, filename)


def compiled(source: str | ast.Module, filename: str, flags: int = 0) -> types.CodeType:
    """The code of a module.

    Args:
        source: its text or tree. filename: of errors.
        flags: those of ``compile``; none are inherited.

    Raises:
        SyntaxError, ValueError, RecursionError, MemoryError: as ``compile``.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found: types.CodeType = compile(
            source, filename, "exec", flags, dont_inherit=True
        )
    return found
