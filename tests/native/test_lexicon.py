"""Cython reads looptx's text by a small lexicon, and everybody else's by its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

START = """
import gc, sys
from pathlib import Path
from looptx.native.compile import build, lexicon

def whole():
    made = [one for one in gc.get_objects() if type(one) is lexicon.Lexicon]
    return sum(one.whole.cache_info().currsize for one in made) if made else None

here = Path(sys.argv[1])
def compiled(text, name):
    return build.cythonize(text, name, here).read_text("utf-8")
"""


def child(tmp_path: Path, *lines: str) -> None:
    """Run lines in a process of their own."""
    program = "\n".join((START, *lines))
    subprocess.run([sys.executable, "-c", program, tmp_path], check=True, timeout=120)


def test_ascii_never_asks_for_the_letters_of_other_scripts(tmp_path):
    child(
        tmp_path,
        "assert whole() is None",
        "assert 'ab_1' in compiled('ab_1 = f\"{1}\" + u\"x\"', 'one')",
        "assert whole() == 0",
    )


def test_names_of_other_scripts_are_known_then(tmp_path):
    child(
        tmp_path,
        "compiled('a = 1', 'one')",
        "compiled('\u00e4 = 1\\ndef \u0394(\u03b1): return \u03b1 + \u00e4', 'two')",
        "assert whole() == 1",
        "compiled('b = 1', 'three')",
    )


def test_others_that_use_cython_have_the_whole_lexicon(tmp_path):
    child(
        tmp_path,
        "compiled('a = 1', 'one')",
        "from Cython.Compiler.Main import CompilationOptions, compile_single",
        "(here / 'two.pyx').write_text('\u00e4 = 1\\n', 'utf-8')",
        "options = CompilationOptions(language_level=3, errors_to_stderr=0)",
        "assert compile_single(str(here / 'two.pyx'), options, 'two').num_errors == 0",
        "assert whole() == 1",
    )


def test_a_cython_that_others_imported_stays_as_it_is(tmp_path):
    child(
        tmp_path,
        "import Cython.Compiler.Main",
        "import Cython.Compiler.Scanning",
        "compiled('\u00e4 = 1', 'one')",
        "assert whole() is None",
    )


def test_a_cython_of_other_tables_stays_as_it_is(tmp_path):
    child(
        tmp_path,
        "lexicon.ASCII['letters_of_another_version'] = ''",
        "compiled('\u00e4 = 1', 'one')",
        "assert whole() is None",
    )
