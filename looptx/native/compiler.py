"""The C compiler: find it, run it, ask it what it can do.

Every run takes an argument list, never a shell. Flags that not every compiler knows
are *optional*: they are assumed to work, and tried one by one only after a build
failed, so that the usual build costs one run of the compiler.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from looptx.errors import BuildFailed

REQUIRED = ("-O3", "-ffp-contract=off", "-fwrapv")
"""Without ``-ffp-contract=off`` a*b+c is fused and results differ from Python's."""

OPTIONAL = ("-fno-math-errno", "-fno-trapping-math", "-fno-tree-vrp")
"""With value-range propagation gcc 12 miscompiles a vectorised integer minimum whose
result is stored in an outer loop of constant count."""

TIMEOUT = 600


@dataclass(frozen=True, slots=True)
class Compiler:
    """A C compiler as an argument list: ``("ccache", "gcc")``."""

    argv: tuple[str, ...]

    def run(self, arguments: Iterable[str], directory: Path) -> tuple[int, str]:
        """Run it in ``directory``; returns the exit status and everything it printed.

        Raises:
            BuildFailed: LX501 when it cannot be started, LX502 when it does not end.
        """
        environment = {**os.environ, "LC_ALL": "C"}
        try:
            done = subprocess.run(
                [*self.argv, *arguments],
                cwd=directory,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=TIMEOUT,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise BuildFailed(
                "LX502", f"{self.argv[0]} did not finish in {TIMEOUT} s"
            ) from None
        except OSError as error:
            raise _missing(
                f"{self.argv[0]} cannot be started: {error.strerror}"
            ) from None
        return done.returncode, done.stdout.decode("utf-8", "replace")


def find() -> Compiler:
    """The compiler to use: ``$CC``, the one Python was built with, cc, gcc or clang.

    Raises:
        BuildFailed: LX501 when there is none.
    """
    return _find(os.environ.get("CC", ""), os.environ.get("PATH", ""))


@cache
def _find(variable: str, path: str) -> Compiler:
    if variable.strip():
        argv = shlex.split(variable)
        found = shutil.which(argv[0])
        if found is None:
            raise _missing(f"CC={variable} is not a program that can be run")
        return Compiler((found, *argv[1:]))
    built_with = shlex.split(str(sysconfig.get_config_var("CC") or ""))
    for name in (*built_with[:1], "cc", "gcc", "clang"):
        found = shutil.which(name)
        if found is not None:
            return Compiler((found,))
    raise _missing("there is no C compiler")


def _missing(message: str) -> BuildFailed:
    return BuildFailed("LX501", message, hint=how_to_install())


def how_to_install() -> str:
    """What to type to get a compiler on this system."""
    if sys.platform == "darwin":
        return "install one with `xcode-select --install`"
    if sys.platform == "win32":
        return "put gcc (MinGW-w64) or clang on PATH, or set CC"
    return (
        "install one with `apt install gcc` or `dnf install gcc` "
        "(or your system's equivalent), or set CC"
    )


def native_flag() -> str:
    """The flag that tunes for this machine; only code that stays on it may use it."""
    return (
        "-mcpu=native"
        if sysconfig.get_platform().endswith("arm64")
        else "-march=native"
    )


def openmp_flags() -> tuple[tuple[str, ...], ...]:
    """Ways to switch OpenMP on, the likely one first."""
    if sys.platform == "darwin":
        return (("-Xpreprocessor", "-fopenmp", "-lomp"), ("-fopenmp",))
    return (("-fopenmp",),)


def link_flags() -> tuple[str, ...]:
    """How an extension module is linked."""
    if sys.platform == "darwin":
        return ("-bundle", "-undefined", "dynamic_lookup")
    return ("-shared", "-fPIC")


_PLAIN = "int main(void) { return 0; }\n"
_PYTHON = "#include <Python.h>\nint looptx_probe(void) { return 0; }\n"
_OPENMP = """\
#include <omp.h>
int main(void) {
    int total = 0;
    #pragma omp parallel for reduction(+: total)
    for (int i = 0; i < 4; i++) total += omp_get_num_threads() > 0;
    return total != 4;
}
"""


@cache
def accepts(compiler: Compiler, flags: tuple[str, ...], source: str = _PLAIN) -> bool:
    """Whether a small program compiles and links with ``flags``, uncomplained."""
    with tempfile.TemporaryDirectory(prefix="looptx-") as name:
        directory = Path(name)
        (directory / "probe.c").write_text(source)
        status, output = compiler.run(("probe.c", "-o", "probe", *flags), directory)
    return status == 0 and "unrecognized" not in output and "unknown" not in output


@cache
def openmp(compiler: Compiler) -> tuple[str, ...]:
    """The flags that make ``prange`` parallel, or none when OpenMP does not work."""
    for flags in openmp_flags():
        if accepts(compiler, flags, _OPENMP):
            return flags
    return ()


@cache
def has_headers(compiler: Compiler) -> bool:
    """Whether ``Python.h`` is there."""
    flags = ("-c", f"-I{sysconfig.get_paths()['include']}")
    return accepts(compiler, flags, _PYTHON)


def no_headers() -> BuildFailed:
    """The error for a compiler without Python's headers."""
    return BuildFailed(
        "LX501",
        "Python.h is missing: nothing can be compiled for this Python",
        hint="install Python's headers, e.g. `apt install python3-dev`",
    )


@cache
def version(compiler: Compiler) -> str:
    """The first line the compiler says about itself."""
    _, output = compiler.run(("--version",), Path(tempfile.gettempdir()))
    lines = output.splitlines()
    return lines[0].strip() if lines else "unknown"
