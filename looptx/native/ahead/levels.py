"""What ``fastmath=`` of a decorator asks for is, in a file that is made ahead of time.

Functions are chosen nest by nest, so each kernel of a file that is built has its own.
Other levels are flags of the C compiler: there is one file for all kernels, and it is
exact. So is rewritten Python, which has no levels.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from looptx.errors import BuildFailed, LooptxError
from looptx.model.program import Kernel
from looptx.native.compile import fastmath
from looptx.native.compile.fastmath import FUNCTIONS
from looptx.source import Module, decorator_option

CODE = "LX507"
_HINT = f"of the levels, `{FUNCTIONS}` alone is for built files, written out"
_REWRITTEN = "rewritten loops are exact; the decorator compiles them with its levels"


def asked(module: Module, kernel: Kernel) -> tuple[bool, Sequence[LooptxError]]:
    """Whether a kernel asks for other functions, and what else it asks for in vain.

    Args:
        module: the file, which is built. kernel: of it.

    Raises:
        Malformed: LX102, what is asked for is no level.
    """
    node = decorator_option(module, kernel, "fastmath")
    if node is None:
        return False, ()
    found = _written(module, node)
    if found is None:
        text = f"`{ast.unparse(node)}` cannot be read without running the file"
        return False, (_told(module, node, text, _HINT),)
    others = ", ".join(level for level in found if level != FUNCTIONS)
    text = f'{kernel.qualname} is built without fastmath="{others}"'
    left = [_told(module, node, text, _HINT)] if others else []
    return FUNCTIONS in found, left


def lost(module: Module, kernel: Kernel) -> Iterator[LooptxError]:
    """What a kernel asks for in vain where its loops are rewritten.

    Args:
        module: the file. kernel: of it, whose decorator goes.

    Raises:
        Malformed: LX102, what is asked for is no level.
    """
    node = decorator_option(module, kernel, "fastmath")
    if node is not None and _written(module, node) != ():
        text = f"{kernel.qualname} is rewritten without fastmath={ast.unparse(node)}"
        yield _told(module, node, text, _REWRITTEN)


def _written(module: Module, node: ast.expr) -> tuple[str, ...] | None:
    """The levels that are written out; None where they cannot be read.

    Raises:
        Malformed: LX102, what is asked for is no level.
    """
    try:
        return fastmath.levels(ast.literal_eval(node))
    except (ValueError, TypeError):
        return None
    except LooptxError as error:
        place, line = module.parsed.place(node), module.parsed.line(node.lineno)
        raise error.at(place, line) from None


def _told(module: Module, node: ast.expr, text: str, hint: str) -> LooptxError:
    """What is said of a level that is not carried out.

    Args:
        module: the file. node: what asks for it. text: what is said. hint: what helps.
    """
    place, line = module.parsed.place(node), module.parsed.line(node.lineno)
    return BuildFailed(CODE, text, place, hint=hint, source=line)
