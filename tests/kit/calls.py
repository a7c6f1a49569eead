"""Kernels called beside the functions they were made from, and programs run apart."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import textwrap
import types
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parents[2]


def copied(array: np.ndarray) -> np.ndarray:
    """A copy that lies in memory as the array does."""
    if type(array) is not np.ndarray or not array.size:
        return array.copy()
    first, end = np.lib.array_utils.byte_bounds(array)
    # Tests take ``np.empty`` away.
    held, at = np.ndarray(end - first, np.uint8), array.ctypes.data - first
    made: np.ndarray = np.ndarray(array.shape, array.dtype, held, at, array.strides)
    made[...] = array
    return made


def held(array: np.ndarray) -> bytes | str:
    """Every byte of an array that means something: some of a longdouble do not."""
    return repr(array.tolist()) if array.dtype.char in "gG" else array.tobytes()


def outcome(function: Callable[..., Any], *given: Any) -> tuple[Any, ...]:
    """What a function returns or raises, and what it leaves in its arrays."""
    args = [copied(a) if isinstance(a, np.ndarray) else a for a in given]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            value = function(*args)
            is_array = isinstance(value, np.ndarray)
            result = value.tobytes().hex() if is_array else repr(value)
        except Exception as error:
            result = f"{type(error).__name__}: {error}"
    return result, *(held(a) for a in args if isinstance(a, np.ndarray))


def same(kernel: Any, *given: Any, native: int | None = None) -> str:
    """Check that a kernel does what its function does.

    Args:
        kernel: the kernel.
        given: what both are called with.
        native: how many of its nests run natively to their end; ``None`` if any may.

    Returns:
        What both return or raise.
    """
    before = calls(kernel)
    ours = outcome(kernel, *given)
    assert ours == outcome(kernel.py_func, *given)
    assert native is None or calls(kernel) == before + native
    said: str = ours[0]
    return said


def calls(kernel: Any) -> int:
    """How often the nests of a kernel ran natively to their end."""
    return sum(nest.calls for nest in kernel.report().nests)


def output(program: str, folder: Path, *, status: int = 0, **variables: str) -> str:
    """What a program prints, run in a process of its own with more environment."""
    path = folder / "program.py"
    path.write_text(textwrap.dedent(program), "utf-8")
    done = subprocess.run(
        [sys.executable, str(path)],
        env={**os.environ, "PYTHONPATH": str(ROOT), **variables},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == status, done.stderr
    return done.stdout


def imported(path: Path, text: str) -> types.ModuleType:
    """The module of a text, written to ``path``."""
    path.write_text(textwrap.dedent(text), "utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
