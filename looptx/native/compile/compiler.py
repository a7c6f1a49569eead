"""The C compiler: find it, run it, ask it what it can do.

Every run takes an argument list, never a shell. Flags come from this module and from
``CC`` alone: ``CFLAGS``, ``CPPFLAGS`` and ``LDFLAGS`` are meant for C that people wrote
and may hold what changes results (``-ffast-math``), so they are not read. What a
compiler reads by itself, such as where to look for headers, reaches it.

Flags that not every compiler knows are *optional*: they are assumed to work, and tried
one by one only after a build failed, so that the usual build costs one run of the
compiler.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shlex
import shutil
import signal
import stat
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from looptx import forks, interrupts
from looptx.errors import BuildFailed
from looptx.model.records import dataclass
from looptx.native.cache import scratch

sysconfig.get_config_vars()
# The first call fills a table that other threads see half empty before CPython 3.12;
# here the import lock keeps them out.

REQUIRED = ("-O3", "-ffp-contract=off", "-fwrapv")
"""Where a*b+c is fused, results differ from Python's (and see ``rounding``)."""

OPTIONAL = (
    "-fno-math-errno",
    "-fno-trapping-math",
    "-fno-lto",
    "-falign-loops=64",
)
"""With link-time optimisation there would be no assembly to read. Loops begin with a
line of the cache: a loop of few instructions takes up to 1.8 times as long where it
happens to lie across two of them."""

GNU = ("-fno-split-paths",)
"""What clang refuses at once. With paths split gcc decides by a jump what it could
select: where data decide (``run = run + 1 if x[t] > x[t - 1] else 0``), and processors
cannot foresee it, a loop took 3 times as long."""

ALIGNED = (
    ("-mincoming-stack-boundary=3",)
    if sysconfig.get_platform() == "linux-x86_64"
    else ()
)
"""For code with vectors or arrays on its stack. Where a function has wide vectors and
calls none, gcc 12 looks for what it has on the stack where this is addressed by the
stack's pointer alone, and leaves it at 8 bytes (``ix86_find_max_used_stack_alignment``)
though other registers load vectors from there, aligned; not if it has to align it by
itself. All else goes without: with it gcc takes no minimum of integers in the registers
of vectors (``-mstv``), where a loop that stays scalar is up to 1.3 times as fast."""

TILES = ("--param=max-completely-peel-times=7", *ALIGNED)
"""For blocks of loops. What gcc unrolls completely, by itself loops of up to 16
iterations, it does not vectorise: the rows of a tile of registers are to be unrolled,
its columns are not."""

VECTORS = (
    "-fno-predictive-commoning",
    "-fno-tree-loop-distribution",
    "-fno-loop-interchange",
    "-fno-loop-unroll-and-jam",
    *ALIGNED,
)
"""For code with vectors of its own. Two that overlap, but whose starts differ by
no multiple of a loop's step, share no cell to gcc 12 (``tree-data-ref.cc`` looks where
accesses begin), and these passes would change their order."""

TIMEOUT = 600

VARIABLES = (
    "CC",
    "CPATH",
    "C_INCLUDE_PATH",
    "LIBRARY_PATH",
    "COMPILER_PATH",
    "GCC_EXEC_PREFIX",
    "CCC_OVERRIDE_OPTIONS",
    "NIX_CFLAGS_COMPILE",
    "NIX_LDFLAGS",
    "SDKROOT",
    "MACOSX_DEPLOYMENT_TARGET",
)
"""What compilers and their wrappers read from the environment; part of every key."""


_STARTING = forks.Lock(awaited=True)
"""A child forked while pipes are laid would keep their other ends open."""


@dataclass(frozen=True, slots=True)
class Compiler:
    """A C compiler as an argument list: ``("ccache", "gcc")``."""

    argv: tuple[str, ...]

    def run(self, arguments: Iterable[str], directory: Path) -> tuple[int, str]:
        """Run it in ``directory``; returns the exit status and everything it printed.

        Raises:
            BuildFailed: LX501 when it cannot be started, LX502 when it does not end.
            ChildProcessError: a signal handler forked, and this is the child.
        """
        owner = os.getpid()
        temporary = dict.fromkeys(("TMPDIR", "TMP", "TEMP"), str(directory))
        with interrupts.held() as release:
            try:
                with _STARTING:
                    process = subprocess.Popen(
                        [*self.argv, *arguments],
                        cwd=directory,
                        env={**os.environ, "LC_ALL": "C", **temporary},
                        stdin=subprocess.DEVNULL,
                        stdout=subprocess.PIPE,
                        stderr=subprocess.STDOUT,
                        start_new_session=True,
                    )
            except OSError as error:
                _find.cache_clear()
                raise _missing(
                    f"{self.argv[0]} cannot be started: {error.strerror}"
                ) from None
            with process:
                try:
                    release()
                    output, _ = process.communicate(timeout=TIMEOUT)
                except BaseException as error:
                    if os.getpid() == owner:
                        _kill(process)
                    if isinstance(error, subprocess.TimeoutExpired):
                        raise BuildFailed(
                            "LX502", f"{self.argv[0]} did not finish in {TIMEOUT} s"
                        ) from None
                    raise
        if os.getpid() != owner:
            raise ChildProcessError(errno.ECHILD, "the compiler is the parent's")
        return process.returncode, output.decode("utf-8", "replace")


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End a compiler and the programs it started, which would go on without it."""
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()


def find() -> Compiler:
    """The compiler to use: ``$CC``, the one Python was built with, cc, gcc or clang.

    Raises:
        BuildFailed: LX501 when there is none.
    """
    return _find(os.environ.get("CC", ""), os.environ.get("PATH", ""))


@cache
def _find(variable: str, path: str) -> Compiler:
    if variable.strip():
        try:
            argv = [variable] if shutil.which(variable) else shlex.split(variable)
        except ValueError as error:
            raise _missing(f"CC={variable} cannot be read: {error}") from None
        found = shutil.which(argv[0])
        if found is None:
            raise _missing(f"CC={variable} is not a program that can be run")
        return Compiler((os.path.abspath(found), *argv[1:]))
    built_with = shlex.split(str(sysconfig.get_config_var("CC") or ""))
    for name in (*built_with[:1], "cc", "gcc", "clang"):
        found = shutil.which(name)
        if found is not None:
            return Compiler((os.path.abspath(found),))
    raise _missing("there is no C compiler")


def _missing(message: str) -> BuildFailed:
    return BuildFailed("LX501", message, hint=how_to_install())


def how_to_install() -> str:
    """The command that installs a compiler on this system."""
    if sys.platform == "darwin":
        return "install one with `xcode-select --install`"
    if sys.platform == "win32":
        return "put gcc (MinGW-w64) or clang on PATH, or set CC"
    return (
        "install one with `apt install gcc` or `dnf install gcc` "
        "(or your system's equivalent), or set CC"
    )


def environment() -> tuple[str, ...]:
    """The environment variables that a compiler reads, as ``NAME=value``."""
    return tuple(
        f"{name}={os.environ[name]}" for name in VARIABLES if name in os.environ
    )


@cache
def identity(compiler: Compiler) -> tuple[str, ...]:
    """A fingerprint of the compiler, without the cost of running it.

    That is its arguments, and path, size and time of change of the programs among
    them. What a wrapper such as ccache starts is a program of the same name further
    down ``PATH``: all of that name count.
    """
    parts = list(compiler.argv)
    folders = os.environ.get("PATH", "").split(os.pathsep)
    for word in compiler.argv:
        name = os.path.basename(word)
        for file in (word, *(os.path.join(folder, name) for folder in folders)):
            with contextlib.suppress(OSError):
                status = os.stat(file)
                if stat.S_ISREG(status.st_mode):
                    real = os.path.realpath(file)
                    parts.append(f"{real} {status.st_size} {status.st_mtime_ns}")
    return tuple(parts)


def native_flag() -> str:
    """The flag that tunes for this machine; only code that stays on it may use it."""
    return (
        "-mcpu=native"
        if sysconfig.get_platform().endswith("arm64")
        else "-march=native"
    )


def optional(*, vectors: bool, native: bool) -> tuple[str, ...]:
    """The flags that not every compiler knows.

    Args:
        vectors: whether the code has vectors of its own.
        native: tune for this machine's processor.
    """
    tuning = (native_flag(),) if native else ()
    named = os.environ.get("CC") or str(sysconfig.get_config_var("CC"))
    clang = sys.platform == "darwin" or "clang" in named
    own = OPTIONAL if clang else (*OPTIONAL, *GNU)
    return (*own, *(VECTORS if vectors else ()), "-w", *tuning)


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
    """Whether a small program compiles and links with ``flags``, without complaint.

    Args:
        compiler: which.
        flags: to try.
        source: the C text of the program.

    Raises:
        BuildFailed: as ``Compiler.run``.
    """
    with scratch.passing() as directory:
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
