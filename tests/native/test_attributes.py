"""Cython's tables are lazy where looptx imports them, and give others the same text."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

TEXT = """
def which(e: StopIteration, other: NameError):
    other.name = e.value
    return e.value, other.args
"""

OWN = """
import sys
from pathlib import Path
from looptx.native.compile import build
made = build.cythonize("a = 1", "one", Path(sys.argv[1]))
"""

COMPILED = """
import sys
from pathlib import Path
from Cython.Compiler.Main import CompilationOptions, compile_single
from Cython.Compiler import Builtin, Code
assert "load" not in vars(Code.TempitaUtilityCode)
source = Path(sys.argv[1], "two.pyx")
source.write_text(sys.argv[2])
options = CompilationOptions(language_level=3, errors_to_stderr=0)
assert compile_single(str(source), options, "two").num_errors == 0
"""


def compiled(folder: Path, *lines: str) -> str:
    """C for a text, in a process of its own."""
    program = "\n".join((*lines, COMPILED))
    words = [sys.executable, "-c", program, str(folder), TEXT]
    subprocess.run(words, check=True, timeout=120)
    return (folder / "two.c").read_text("utf-8")


def test_others_get_what_cython_makes(tmp_path: Path) -> None:
    ours = compiled(tmp_path, OWN)
    assert "__Pyx_PyStopIteration_get_value" in ours
    assert "__Pyx_PyNameError_get_args" in ours
    assert "__Pyx_PyNameError_set_name" in ours
    assert ours == compiled(tmp_path)


def test_a_cython_that_others_imported_stays_as_it_is(tmp_path: Path) -> None:
    imported = "import Cython.Compiler.Builtin"
    assert compiled(tmp_path, imported, OWN) == compiled(tmp_path)


def test_generated_code_makes_none(tmp_path: Path) -> None:
    count = (
        "from Cython.Compiler import Code",
        "load, names = Code.TempitaUtilityCode.load, []",
        "Code.TempitaUtilityCode.load = lambda name, *a, **m: (",
        "    names.append(name), load(name, *a, **m))[1]",
    )
    check = "assert names and not any('Property' in name for name in names)"
    program = "\n".join((*count, OWN, check))
    subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], check=True, timeout=120
    )
