"""Decorated functions as users call them: what is refused raises, at the call.

Of two nests one may be none that looptx reads, one may have a schedule that is refused,
one may stand under an ``except Exception``; NumPy may be told to raise. Whatever runs
as written does what the function does, and ``strict`` says that it does.
"""

from __future__ import annotations

import importlib.util
import itertools
import os
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest import mock

import numpy as np

import looptx
from fuzz.native.judge import Wrong, fault
from fuzz.programs.dice import Dice
from looptx.errors import LooptxError

NATIVE = (
    "A[i] = A[i] * 2.0",
    "A[i] += B[i]",
    "A[i] = 1.0 / B[i]",
    "A[i] = B[i] // 2.0",
    "while A[i] > 1e9:\n    A[i] = 0.0",
    "A[i] = other(A[i])",
    "A[i] = looped(A[i])",
    "A[i] = partly(A[i])",
    "A[i] = held(A[i]) - held.kept(B[i])",
    "A[i] += held.by",
)
_OBJECTS = """\
import functools


class Held:
    by = 0.5

    def __call__(self, x, y=2):
        return self.kept(x) * y

    def kept(self, x):
        return x - self.by if x > self.by else self.turned(x)

    @staticmethod
    def turned(x):
        return -x


def _partly(by, x, *, y=1):
    return by * x + y


held, partly = Held(), functools.partial(_partly, 0.75, y=3)
""".splitlines()

UNREADABLE = (
    "try:\n    A[i] += 0.0\nexcept ValueError:\n    pass",
    "with open('x') as A[i]:\n    pass",
    "A[i] = caught(A[i])",
    "del A[i:i]",
    "yielded = [A[i] for _ in B]",
)
REFUSED = "A[i] = A[i - 1] + 1.0"
"""Iterations that must not run together."""

FOREIGN = "longdouble"
"""Elements that looptx has no native code for."""

_NUMBERS = itertools.count()


@dataclass(frozen=True)
class Decorated:
    """A function of two arrays and a size, with a nest or two.

    Attributes:
        bodies: of its nests. refused: which of them asks for what is refused, or -1.
        caught: which stands under ``except Exception``, or -1.
        strict: whether all nests are to run natively. state: of NumPy at the call.
        kind: of the elements; for ``FOREIGN`` there is no native code, which shows only
            when the nest is reached.
    """

    bodies: tuple[str, ...]
    refused: int
    caught: int
    strict: bool
    state: str
    kind: str = "float64"

    @property
    def readable(self) -> bool:
        """Whether all nests can run natively."""
        known = self.kind != FOREIGN
        return known and not any(body in UNREADABLE for body in self.bodies)

    def text(self) -> str:
        """The module."""
        lines = [*_OBJECTS, "", "", "def other(x):", "    return x + 1", "", ""]
        lines += ["def looped(x):", "    for _ in range(2):", "        x = x + 1"]
        lines += ["    return x", "", "", "def caught(x):", "    try:"]
        lines += ["        return x + 1", "    finally:", "        x = 0", "", ""]
        lines += ["def f(A, B, n: int):"]
        for at, body in enumerate(self.bodies):
            verb = "parallel i" if at == self.refused else "split i 4"
            nest = [f"# looptx: {verb}"] if body not in UNREADABLE else []
            nest += ["for i in range(n):", *(f"    {x}" for x in body.split("\n"))]
            if at == self.caught:
                inside = [f"    {line}" for line in nest]
                nest = ["try:", *inside, "except Exception:", "    A[0] = 7.0"]
            lines += [f"    {line}" for line in nest]
        return "\n".join([*lines, ""])


def foreign(seed: int) -> Decorated:
    """A function for elements that only its calls show to have no native code."""
    dice = Dice(f"foreign {seed}")
    bodies = tuple(dice.pick(*NATIVE) for _ in range(dice.pick(1, 2)))
    caught = dice.pick(-1, 0, 0, len(bodies) - 1)
    state = dice.pick("ignore", "raise", "warn")
    return Decorated(bodies, -1, caught, dice.chance(60), state, FOREIGN)


def drawn(seed: int) -> Decorated:
    """The function of a number."""
    dice = Dice(f"decorated {seed}")
    count = dice.pick(1, 2, 2, 2)
    bodies = [dice.pick(*NATIVE) for _ in range(count)]
    if dice.chance(45):
        bodies[dice.random.randrange(count)] = dice.pick(*UNREADABLE)
    refused = -1
    known = [at for at, body in enumerate(bodies) if body not in UNREADABLE]
    if known and dice.chance(25):
        refused = dice.pick(*known)
        bodies[refused] = REFUSED
    caught = dice.random.randrange(count) if dice.chance(40) else -1
    state = dice.pick("ignore", "ignore", "raise", "warn")
    return Decorated(tuple(bodies), refused, caught, dice.chance(50), state)


def tried(made: Decorated) -> tuple[Wrong | None, str]:
    """What is wrong with a decorated function, and its text."""
    with tempfile.TemporaryDirectory(prefix="looptx-decorated-") as folder:
        module = imported(made.text(), Path(folder))
        own = mock.patch.dict(os.environ, {"LOOPTX_CACHE_DIR": folder})
        try:
            with own:
                return judged(made, module), made.text()
        except Exception as error:
            return fault(error), made.text()


def judged(made: Decorated, module: ModuleType) -> Wrong | None:
    """What is wrong with how the kernel of a function behaves."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        original = _left(module.f, made)
        try:
            kernel = looptx.kernel(strict=made.strict)(module.f)
            found = _left(kernel, made)
        except LooptxError as error:
            found = error
    given = found if isinstance(found, LooptxError) else None
    if given is not None and fault(given) is not None:
        return fault(given)
    wanted = made.refused >= 0 or (made.strict and not made.readable)
    if wanted and given is None:
        why = "a refused schedule" if made.refused >= 0 else "strict"
        return Wrong("raises nothing", None, f"{why}: {found}")
    if given is not None and not wanted:
        raises = isinstance(original, tuple) and original[0]
        python = raises or made.state == "raise"
        return None if made.strict and python else Wrong("raises", None, str(given))
    if given is None and found != original:
        return Wrong("computes something else", None, f"{found}, not {original}")
    return None


def _left(called: Callable[..., Any], made: Decorated) -> object:
    """The exception of a call, and all bytes that it leaves."""
    A, B = np.arange(9.0), np.array([2.0, 0.0, -1.0, 3.0, 0.5, 0.0, 1.0, 4.0, 2.0])
    A, B = A.astype(made.kind), B.astype(made.kind)
    state: Any = made.state
    raised = ""
    with np.errstate(all=state):
        try:
            called(A, B, 9)
        except LooptxError as error:
            return error
        except Exception as error:
            raised = type(error).__name__
    # Some bytes of a longdouble mean nothing.
    return raised, repr(A.tolist()) if made.kind == FOREIGN else A.tobytes()


def imported(text: str, folder: Path) -> ModuleType:
    """The module of a text."""
    path = folder / f"decorated_{next(_NUMBERS)}.py"
    path.write_text(text, "utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
