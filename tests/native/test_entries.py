"""What runs once a call is marked, so that gcc compiles it with fewer passes."""

from __future__ import annotations

import re

import pytest

from looptx.native.compile import build, entries

TEXT = """
cdef {type} lx_run({type} x, int n) noexcept nogil:
    cdef int i
    cdef {type} s = x
    for i in range(n):
        s = s * x
    return s

def nest(x, n, /):
    cdef {type} r, y = x
    cdef int m = n
    with nogil:
        r = lx_run(y, m)
    return r
"""


def marked(text, tmp_path):
    """The C functions of a text, and whether they are between the pragmas."""
    quick, said = False, {}
    source = build.cythonize(text, "made", tmp_path).read_text("utf-8")
    for line in source.splitlines():
        if line.startswith("#pragma GCC p") and line.endswith("_options"):
            assert quick is line.endswith("pop_options")
            quick = not quick
        named = re.match(r"static [^=;]*?\b(\w+)\([^;]*$", line)
        if named:
            said[named[1].replace("_4made", "")] = quick
    assert not quick
    return said


@pytest.mark.parametrize("kind", ["double", "double complex"])
def test_entries_are_compiled_quickly_and_loops_are_not(kind, tmp_path):
    quick = marked(TEXT.format(type=kind), tmp_path)
    assert quick["__pyx_pw_1nest"] and quick["__pyx_pf_nest"]
    assert quick["__pyx_pymod_create"]
    assert not quick["__pyx_f_lx_run"]
    # What loops compute with of Cython's is theirs.
    assert quick["__Pyx_AddTraceback"] is (kind == "double")


def test_loops_behind_an_entry_are_not(tmp_path):
    text = TEXT.format(type="double")
    quick = marked(
        text + text.replace("lx_run", "lx_two").replace("nest", "two"), tmp_path
    )
    assert quick["__pyx_pf_2two"] and not quick["__pyx_f_lx_two"]


def test_what_no_entry_is_in_stays():
    assert entries.quickly("int a;\nint b;\n") == "int a;\nint b;\n"
