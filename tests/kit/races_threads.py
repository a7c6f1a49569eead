"""ThreadSanitizer for the threads of OpenMP: clang's, with libomp and its tool Archer.

gcc's libgomp is not instrumented, so that gcc's own sanitizer takes every barrier for a
race. Where the runtime cannot be preloaded into a finished interpreter, it can still be
linked into one: ``int main`` that calls ``Py_BytesMain``.
"""

from __future__ import annotations

import functools
import subprocess
import sysconfig
import tempfile
from pathlib import Path

from kit.sanitize import Tool

MAIN = """\
#include <Python.h>
int main(int count, char **words) { return Py_BytesMain(count, words); }
"""
OPTIONS = "ignore_noninstrumented_modules=1:report_signal_unsafe=0"
"""What Archer asks for: Python, NumPy and libomp are compiled without the sanitizer."""

PROBE = """\
int cells[3];
int main(int count, char **words) {
    #pragma omp parallel for num_threads(4)
    for (int i = 0; i < 4000; i++) if (RACE) cells[i % 3]++;
    int sum = 0;
    #pragma omp parallel for num_threads(4) reduction(+: sum)
    for (int i = 0; i < 4000; i++) sum += i;
    return 0;
}
"""


def interpreter(folder: Path) -> Tool:
    """A Python with the sanitizer, made in a folder.

    Raises:
        AssertionError: it cannot be linked.
    """
    paths, settings = sysconfig.get_paths(), sysconfig.get_config_vars()
    library = settings["LIBDIR"]
    version = settings["LDVERSION"]
    target = folder / "python"
    (folder / "main.c").write_text(MAIN)
    command = ["clang", "-fsanitize=thread", "-fopenmp", "-rdynamic", "main.c"]
    command += [f"-I{paths['include']}", f"-L{library}", f"-Wl,-rpath,{library}"]
    command += [f"-lpython{version}", "-lm", "-ldl", "-lutil", "-o", str(target)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    compiler = ("clang", "-O1", "-fsanitize=thread")
    return Tool(compiler, str(target), {"TSAN_OPTIONS": OPTIONS})


@functools.cache
def unavailable() -> str:
    """Why races cannot be found on this machine; empty when they can."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "probe.c").write_text(PROBE)
        try:
            found = [_probe(folder, race) for race in (0, 1)]
            tool = interpreter(folder)
            started = subprocess.run([tool.python, "-c", "import sys"]).returncode
        except OSError:
            return "there is no clang"
        except AssertionError:
            return "clang has no ThreadSanitizer, libomp or shared Python here"
    if found != [0, 1] or started:
        return "ThreadSanitizer does not work with libomp here (is Archer missing?)"
    return ""


def _probe(folder: Path, race: int) -> int:
    """Whether a small program, with or without a race, is reported."""
    command = ["clang", "-g", "-fopenmp", "-fsanitize=thread", f"-DRACE={race}"]
    done = subprocess.run(
        [*command, "probe.c", "-o", "probe"], cwd=folder, text=True, capture_output=True
    )
    assert done.returncode == 0, done.stderr
    environment = {"TSAN_OPTIONS": OPTIONS}
    ran = subprocess.run(["./probe"], cwd=folder, env=environment, capture_output=True)
    return int(b"data race" in ran.stderr)
