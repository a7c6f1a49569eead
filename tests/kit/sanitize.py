"""Native code under sanitizers: gcc's for addresses and undefined behaviour, or others.

The cases of the native tier are compiled many to a module and run in a Python of their
own, with the sanitizer's runtime loaded first and every object in a block of malloc's.
"""

from __future__ import annotations

import functools
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from fuzz.native.batch import child
from fuzz.native.case import Case
from fuzz.native.child import Found
from fuzz.values.memory import TIGHT, Memory

from looptx.emit.cython import module_text
from looptx.native.compile import build, link

FLAGS = (
    "-fsanitize=address,undefined,float-cast-overflow",
    # looptx compiles with -fwrapv: signed overflow is defined.
    "-fno-sanitize=signed-integer-overflow",
    "-fno-sanitize-recover=all",
)
"""``undefined`` is, in C: shift, integer-divide-by-zero, bounds, object-size (from
``-O1``), alignment, null, pointer-overflow, vla-bound, unreachable, return, bool, enum,
builtin, nonnull-attribute and returns-nonnull-attribute."""

MEANING = ("-fwrapv", "-ffp-contract=off", "-fopenmp")
MODULE = "sanitized"


@dataclass(frozen=True)
class Tool:
    """A sanitizer.

    Attributes:
        compiler: the compiler and its flags.
        python: an interpreter to run cases in.
        environment: what it needs.
    """

    compiler: Sequence[str]
    python: str
    environment: Mapping[str, str]


ANY_CAST = "-fno-sanitize=float-cast-overflow"
"""Where NumPy, too, leaves to C what a float is as an integer that has no room for it:
native code must do the same."""


def address(level: str = "-O1", *more: str) -> Tool:
    """AddressSanitizer and UBSan of gcc, with more flags."""
    environment = {
        "LD_PRELOAD": str(_runtime()),
        "ASAN_OPTIONS": "detect_leaks=0",
        "UBSAN_OPTIONS": "print_stacktrace=1",
    }
    return Tool(("gcc", level, *FLAGS, *more), sys.executable, environment)


@dataclass(frozen=True)
class Given:
    """A call with arguments as they are, on four threads; as ``native_calls.Call``."""

    values: Mapping[str, Any]
    number: int = 0
    threads: tuple[int, ...] = (4,)
    exact: bool = True
    unseen: frozenset[str] = frozenset()

    def memory(self) -> Memory:
        """The arrays, made anew."""
        found = Memory((), 0)
        arrays = {k: v.copy() for k, v in self.values.items() if hasattr(v, "dtype")}
        found.arrays = {k: v for k, v in arrays.items() if isinstance(v, np.ndarray)}
        found.buffers = [v.reshape(-1).view(np.uint8) for v in found.arrays.values()]
        return found

    def forget(self, memory: Memory) -> None:
        """Make what nobody looks at the same after all runs."""
        for name in self.unseen:
            memory.arrays[name][...] = 0

    def arguments(self, memory: Memory) -> dict[str, Any]:
        """What the function is called with."""
        return {**self.values, **memory.arrays}


@dataclass
class Outcome:
    """What a run of some cases gave.

    Attributes:
        counts: calls of functions, native runs of nests, and fallbacks by reason.
        different: results that are not CPython's, one for each such case.
        report: of a sanitizer, or of a signal; empty when there is none.
    """

    counts: Counter[str]
    different: list[str]
    report: str


@functools.cache
def unavailable() -> str:
    """Why nothing can be sanitized on this machine; empty when it can."""
    try:
        preloaded = _runtime()
        done = subprocess.run(
            ["gcc", *FLAGS, "-x", "c", "-", "-o", os.devnull],
            input="int main(void) { return 0; }",
            capture_output=True,
            text=True,
        )
    except OSError:
        return "there is no gcc"
    if not preloaded.is_absolute() or done.returncode:
        return "gcc has no libasan and libubsan here"
    return ""


def _runtime() -> Path:
    """Where libasan is; a bare name when gcc does not have it."""
    command = ["gcc", "-print-file-name=libasan.so"]
    return Path(subprocess.run(command, capture_output=True, text=True).stdout.strip())


def compile_module(text: str, folder: Path, tool: Tool) -> None:
    """Compile Cython text into the sanitized module of a folder.

    Raises:
        AssertionError: the compiler refuses it.
    """
    source = build.cythonize(text, MODULE, folder)
    command = [*tool.compiler, "-shared", "-fPIC", "-w", "-g1", *MEANING]
    command += [*link.includes(), str(source), "-o", str(folder / f"{MODULE}.so")]
    done = subprocess.run([*command, "-lm"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def run(cases: Sequence[Case], folder: Path, tool: Tool) -> Outcome:
    """Run cases in a process of their own, with the module of a folder."""
    built = build.Built(folder / f"{MODULE}.so", MODULE, parallel=True)
    own = {**tool.environment, "PYTHONMALLOC": "malloc", TIGHT: "1"}
    found = child(cases, built, folder, tool.python, own)
    if isinstance(found, Found):
        different = [
            f"{cases[number].text}\n{wrong.detail}"
            for number, wrong in found.wrong.items()
        ]
        return Outcome(found.counts, different, "")
    number, call, said = found
    case = cases[number]
    return Outcome(Counter(), [], f"case {case.seed}, {call}\n{case.text}\n{said}")


def sanitized(cases: Sequence[Case], folder: Path, tool: Tool) -> Outcome:
    """Compile cases and run them."""
    functions = [text for case in cases for text in case.functions.values()]
    compile_module(module_text(functions), folder, tool)
    return run(cases, folder, tool)
