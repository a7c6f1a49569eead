"""Helpers of vectors in C, as instructions."""

from __future__ import annotations

import platform
import shutil
from pathlib import Path

import pytest

from looptx.emit.cython.vectors import operation, vector
from looptx.emit.intrinsics import c_function
from looptx.lower.tree import Intrinsic
from looptx.native.compile import compiler

PRODUCT = """\
#include <stdint.h>
#include <string.h>
{helpers}
void product({kind} *y, const {kind} *x, const {element} *a, long n) {{
    for (long k = 0; k < n; k++) *y += {splat}(a[k]) * x[k];
}}
"""


@pytest.mark.usefixtures("optimised")
@pytest.mark.skipif(
    platform.machine() != "x86_64" or shutil.which("gcc") is None,
    reason="needs gcc for x86-64",
)
@pytest.mark.parametrize(("dtype", "word"), [("float64", "q"), ("float32", "d")])
def test_a_number_is_loaded_into_wide_vectors_as_an_integer(
    dtype: str, word: str, tmp_path: Path
) -> None:
    lanes = 64 // (int(dtype[-2:]) // 8)
    one = Intrinsic("splat", dtype, lanes=lanes)
    helper = operation(c_function(one), one)
    helpers = [vector(name) for name in helper.needs]
    text = PRODUCT.format(
        helpers="\n".join(each.c for each in (*helpers, helper) if each),
        kind=helper.needs[0],
        element={"float64": "double", "float32": "float"}[dtype],
        splat=c_function(one),
    )
    (tmp_path / "x.c").write_text(text)
    given = ("-S", "x.c", "-o", "x.s", *compiler.REQUIRED, "-mavx512f", "-w")
    gcc = compiler.Compiler((str(shutil.which("gcc")),))
    status, output = gcc.run(given, tmp_path)
    assert status == 0, output
    words = (tmp_path / "x.s").read_text().split()
    assert f"vpbroadcast{word}" in words or any("{1to" in each for each in words)
    assert not {"vbroadcastsd", "vbroadcastss"} & set(words)
