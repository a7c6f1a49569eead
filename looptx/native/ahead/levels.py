"""What ``fastmath=`` of a decorator asks for is, in a file that is built.

Functions are chosen nest by nest, so each kernel has its own. Other levels are flags of
the C compiler: there is one file for all kernels, and it is exact.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from looptx.errors import BuildFailed, LooptxError
from looptx.model.program import Kernel
from looptx.native.compile import fastmath
from looptx.native.compile.fastmath import FUNCTIONS
from looptx.source import Module, decorator_option

CODE = "LX507"
_HINT = f"of the levels, `{FUNCTIONS}` alone is for built files, written out"


def asked(module: Module, kernel: Kernel) -> tuple[bool, Sequence[LooptxError]]:
    """Whether a kernel asks for other functions, and what else it asks for in vain.

    Args:
        module: the file. kernel: of it.

    Raises:
        Malformed: LX102, what is asked for is no level.
    """
    node = decorator_option(module, kernel, "fastmath")
    if node is None:
        return False, ()
    place, line = module.parsed.place(node), module.parsed.line(node.lineno)
    try:
        found = fastmath.levels(ast.literal_eval(node))
    except (ValueError, TypeError):
        text = f"`{ast.unparse(node)}` cannot be read without running the file"
        return False, (BuildFailed(CODE, text, place, hint=_HINT, source=line),)
    except LooptxError as error:
        raise error.at(place, line) from None
    others = ", ".join(level for level in found if level != FUNCTIONS)
    text = f'{kernel.qualname} is built without fastmath="{others}"'
    left = [BuildFailed(CODE, text, place, hint=_HINT, source=line)] if others else []
    return FUNCTIONS in found, left
