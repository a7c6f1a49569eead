"""Odd imports around annotated functions: a rewritten file loses none that is used."""

from __future__ import annotations

import ast
import random
from collections import Counter
from collections.abc import Iterator

HEADS = (
    "from math import *", "from os.path import *", "from looptx import *",
    "from looptx import kernel", "from looptx import kernel as fast, LooptxError",
    "import looptx", "import looptx as lx", "import looptx, os",
    "import looptx; import os", "import looptx.errors",
    "from looptx import (\n    LooptxError,  # raised\n    kernel,\n)",
    "try:\n    import looptx\nexcept ImportError:\n    looptx = None",
    "try:\n    from looptx import kernel\nexcept ImportError:\n    kernel = print",
    "if TYPE_CHECKING:\n    from looptx import Kernel", "if True:\n    import looptx",
    "from typing import TYPE_CHECKING", "import numpy as np", "from numpy import *",
    '__all__ = ["f", "kernel"]', "__all__ = [name for name in dir() if name != 'os']",
    "import os as kernel_os",
)  # fmt: skip
"""What stands above; some only with others, which nothing checks but Python."""

MARKS = (
    "", "", "@kernel\n", "@looptx.kernel\n", "@lx.kernel\n", "@fast\n", "@kernel()\n",
)  # fmt: skip

BODIES = (
    "    for i in range(n):\n        A[i] = pi * i\n",
    "    for i in range(n):\n        A[i] = i\n    return looptx\n",
    "    from math import *\n    import looptx\n",
    "    import looptx as inner\n    for i in range(n):\n        A[i] = i\n",
)

USED = (
    ("from looptx import kernel", "@kernel\n", "kernel"),
    ("import looptx", "@looptx.kernel\n", "looptx"),
    ("import looptx as lx", "@lx.kernel\n", "lx.LooptxError"),
    ("from looptx import kernel as fast, LooptxError", "@fast\n", "fast"),
)
"""An import, a decorator by it, and another use: the import stays for that."""

TWICE = 0.3
"""The share of programs with such an import."""

NEST = "    # looptx: split i 4\n    for i in range(n):\n        A[i] = 2 * i\n"


def odd(rng: random.Random) -> bytes:
    """A program with odd imports."""
    if rng.random() < TWICE:
        return _used_twice(rng)
    heads = rng.sample(HEADS, rng.choice((1, 1, 2, 2, 3, 4)))
    if rng.random() < 0.3:
        heads.insert(0, "from __future__ import annotations")
    parts = ["\n".join(heads) + "\n"]
    for name in ("f", "g")[: rng.choice((1, 2, 2))]:
        body = rng.choice((NEST, NEST, *BODIES[:1]))
        inside = "    import looptx\n" if rng.random() < 0.1 else ""
        parts.append(f"{rng.choice(MARKS)}def {name}(A, n):\n{inside}{body}")
    parts.insert(
        rng.randrange(1, len(parts) + 1), "def h(A, n):\n" + rng.choice(BODIES[:2])
    )
    return "\n\n".join(parts).encode()


def _used_twice(rng: random.Random) -> bytes:
    """A program that needs an import without its decorator, too."""
    head, mark, use = rng.choice(USED)
    other = rng.choice(
        (
            f"print({use})\n",
            f"def h(A, n):\n    return {use}\n",
            f"__all__ = [{use!r}]\n",
        )
    )
    parts = [f"{head}\n", f"{mark}def f(A, n):\n{NEST}", other]
    if rng.random() < 0.4:
        parts.insert(0, rng.choice(HEADS) + "\n")
    return "\n\n".join(parts).encode()


def lost(before: bytes, after: bytes) -> Iterator[tuple[str, str]]:
    """What imports a rewritten file lost that something uses."""
    try:
        old, new = ast.parse(before), ast.parse(after)
    except (SyntaxError, ValueError):
        return
    left = Counter(_imported(new))
    used = {node.id for node in ast.walk(new) if isinstance(node, ast.Name)}
    strings = {x.value for x in ast.walk(new) if isinstance(x, ast.Constant)}
    for (module, name, bound), count in Counter(_imported(old)).items():
        if left[module, name, bound] >= count:
            continue
        if module.partition(".")[0] != "looptx":
            yield "loses an import", f"{module} {name}"
        elif (bound if bound != "*" else "kernel") in used | strings:
            yield "loses an import that is used", f"{module} {name}"


def _imported(tree: ast.AST) -> Iterator[tuple[str, str, str]]:
    """(module, name in it, name here) of all that is imported."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for one in node.names:
                yield one.name, "", one.asname or one.name.partition(".")[0]
        elif isinstance(node, ast.ImportFrom):
            for one in node.names:
                yield node.module or ".", one.name, one.asname or one.name
