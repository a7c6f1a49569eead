"""Native code under sanitizers: gcc's for addresses and undefined behaviour, or others.

Cases (``sanitize_cases``) are compiled many to a module and run in a Python of their
own, with the sanitizer's runtime loaded first and every object in a block of malloc's.
"""

from __future__ import annotations

import functools
import os
import pickle
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sanitize_cases import Case

from looptx.emit.cython import module_text
from looptx.native.compile import build

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
CHILD = Path(__file__).with_name("sanitize_child.py")
TIMEOUT = 1200
SHOWN = 4000
"""Of what a process prints, so many characters of each end."""


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


def address(level: str = "-O1") -> Tool:
    """AddressSanitizer and UBSan of gcc."""
    environment = {
        "LD_PRELOAD": str(_runtime()),
        "ASAN_OPTIONS": "detect_leaks=0",
        "UBSAN_OPTIONS": "print_stacktrace=1",
    }
    return Tool(("gcc", level, *FLAGS), sys.executable, environment)


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
    command += [*build.includes(), str(source), "-o", str(folder / f"{MODULE}.so")]
    done = subprocess.run([*command, "-lm"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def run(cases: Sequence[Case], folder: Path, tool: Tool) -> Outcome:
    """Run cases in a process of their own, with the module of a folder."""
    (folder / "cases").write_bytes(pickle.dumps(cases))
    environment = {**os.environ, **tool.environment, "PYTHONMALLOC": "malloc"}
    environment["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
    done = subprocess.run(
        [tool.python, str(CHILD), str(folder)],
        capture_output=True,
        text=True,
        errors="replace",
        env=environment,
        timeout=TIMEOUT,
    )
    if done.returncode == 0:
        counts, different = pickle.loads((folder / "found").read_bytes())
        return Outcome(counts, different, "")
    at = folder / "at"
    place = at.read_text("utf-8") if at.exists() else "before the first call"
    said = done.stderr
    if len(said) > 2 * SHOWN:
        said = f"{said[:SHOWN]}\n...\n{said[-SHOWN:]}"
    return Outcome(Counter(), [], f"{place}\nexit status {done.returncode}\n{said}")


def sanitized(cases: Sequence[Case], folder: Path, tool: Tool) -> Outcome:
    """Compile cases and run them."""
    functions = [text for case in cases for text in case.functions]
    compile_module(module_text(functions), folder, tool)
    return run(cases, folder, tool)
