"""Statements under conditions in vectors: only the lanes that run touch memory."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pytest
from kit.guarded import numbers, same
from kit.together import compiled

import looptx
from looptx.emit.cython.prelude import prelude
from looptx.lower.tree import Intrinsic
from looptx.native.compile import compiler as cc

SIZES = (0, 1, 2, 3, 7, 8, 13, 17, 37, 67)
TYPES = ("float64", "float32", "int64", "int32")
FEW = ("int8", "uint8", "int16", "uint16", "bool")


@looptx.kernel("vectorize i", strict=True)
def stores(c: Any, x: Any, y: Any, z: Any) -> None:
    for i in range(c.shape[0]):
        if c[i] > 0.5:
            y[i] = x[i] * 2
            z[i] += x[i]
        elif c[i] < -0.5:
            z[i] = y[i]
        else:
            y[i] -= z[i]


@looptx.kernel("vectorize i", strict=True)
def nested(c: Any, x: Any, y: Any) -> None:
    for i in range(c.shape[0]):
        t = x[i] + 1
        if c[i] > 0 and not x[i] > 30:
            if x[i] < 20 or c[i] > 30:
                t = x[i] - 7
                y[i] = t
            else:
                t = y[i]
        y[i] = y[i] + t


@looptx.kernel("vectorize i", strict=True)
def backwards(c: Any, x: Any, y: Any) -> None:
    n = c.shape[0]
    for i in range(n):
        if c[n - 1 - i] > 0:
            y[n - 1 - i] = x[i]


@looptx.kernel("vectorize i", strict=True)
def apart(c: Any, x: Any, y: Any) -> None:
    for i in range(c.shape[0]):
        if c[i] > 0:
            y[2 * i] = x[i]


@looptx.kernel("vectorize i", strict=True)
def of_few_bits(c: Any, d: Any, x: Any, y: Any, flag: Any) -> None:
    for i in range(c.shape[0]):
        flag[i] = d[i] > 0.25
        if c[i] > 0:
            t = x[i] * x[i] - y[i]
            y[i] = t
            if t > 3:
                flag[i] = d[i] < 0.75
        else:
            y[i] = x[i] & 3


@looptx.kernel("vectorize i", strict=True)
def ends(x: Any, y: Any) -> None:
    n = y.shape[0]
    for i in range(n):
        y[i] = x[i + 1] if i < n - 1 else y[i]


@looptx.kernel("vectorize j", strict=True)
def columns(A: Any, y: Any, z: Any) -> None:
    for j in range(A.shape[1]):
        s = 0.0
        for k in range(A.shape[0]):
            if A[k, j] > 0:
                s += A[k, j]
                for m in range(3):
                    z[m, j] = s - m
        if s > 2:
            y[j] = s


@looptx.kernel("vectorize i", strict=True)
def with_one(c: Any, one: Any, y: Any) -> None:
    for i in range(c.shape[0]):
        if c[i] > 0:
            y[i] = one[0] * 2
            if one[1] > 0:
                y[i] += np.exp(-c[i])


@looptx.kernel("reassociate s", "vectorize i", strict=True)
def counted(c: Any, x: Any, y: Any) -> float:
    s = 0.0
    for i in range(c.shape[0]):
        s += x[i]
        if c[i] > 3:
            y[i] = c[i]
    return s


Calls: TypeAlias = "Iterator[tuple[Any, ...]]"
"""Kernels, each with its arguments."""


@pytest.fixture(scope="module", autouse=True)
def together(tmp_path_factory: pytest.TempPathFactory) -> None:
    """All kernels, compiled together for what they are called with."""
    calls = [call for dtype in TYPES for call in conditional(3, dtype)]
    calls += [call for dtype in FEW for call in few_bits(3, dtype)]
    calls += [inside(3, 3), *of_one(3), summed(3)]
    compiled(calls, tmp_path_factory.mktemp("masks"))


def conditional(n: int, dtype: str) -> Calls:
    c = numbers(n, "float64")
    x, y, z = (numbers(n, dtype, seed) for seed in (1, 2, 3))
    yield stores, c, x, y, z
    yield nested, c, x, y
    yield backwards, c, x, y
    yield apart, c, x, numbers(2 * n, dtype, 4)
    yield ends, x, y


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("dtype", TYPES)
def test_statements_under_conditions(n: int, dtype: str) -> None:
    for call in conditional(n, dtype):
        same(*call)


def few_bits(n: int, dtype: str) -> Calls:
    c, d = numbers(n, "float32"), np.random.default_rng(n).random(n)
    x, y = (numbers(n, dtype, seed) for seed in (1, 2))
    if dtype != "bool":
        yield of_few_bits, c, d, x, y, numbers(n, "bool", 3)
    yield backwards, d - 0.5, x, y


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("dtype", FEW)
def test_integers_of_few_bits(n: int, dtype: str) -> None:
    for call in few_bits(n, dtype):
        same(*call)


def test_truth_that_is_no_truth_is_made_one() -> None:
    odd = np.full(37, 0xA5, np.uint8).view(bool)
    same(backwards, numbers(37, "float64"), odd, np.zeros(37, bool))


def inside(n: int, m: int) -> tuple[Any, ...]:
    A = numbers(n * m, "float64").reshape(m, n)
    A[np.isnan(A)] = 1.5
    z = numbers(3 * n, "float64").reshape(3, n)
    return columns, A, numbers(n, "float64", 1), z


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("m", [0, 1, 5])
def test_loops_inside(n: int, m: int) -> None:
    same(*inside(n, m))


def of_one(n: int) -> Calls:
    c, y = numbers(n, "float64"), numbers(n, "float64", 1)
    yield with_one, c, np.array([3.0, 1.0]), y
    yield with_one, c, np.array([3.0, -1.0]), y


@pytest.mark.parametrize("n", SIZES)
def test_what_no_lane_wants_is_not_read(n: int) -> None:
    for call in of_one(n):
        same(*call)


def summed(n: int) -> tuple[Any, ...]:
    c, x = numbers(n, "float64"), np.arange(n, dtype=float)
    return counted, c, x, numbers(n, "float64", 2)


@pytest.mark.parametrize("n", SIZES)
def test_sums_beside_stores(n: int) -> None:
    same(*summed(n))


@pytest.mark.parametrize("bytes_", ["16", "32"])
def test_vectors_of_other_widths(bytes_: str) -> None:
    """The same tests, of one size, where vectors are narrower than this machine's."""
    if os.environ.get("LOOPTX_VECTOR_BYTES"):
        pytest.skip("this is one of them")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    command += [__file__, "-k", "17 and not other", "-x"]
    environment = {**os.environ, "LOOPTX_VECTOR_BYTES": bytes_}
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-3000:]


_CHECK = """
int CHECK(void) {
    for (int bits = 0; bits < 1 << LANES; bits++) {
        ELEMENT memory[3 * LANES], given[LANES];
        MASK mask; KIND x, found;
        memset(memory, 0x5A, sizeof memory);
        for (int k = 0; k < LANES; k++) {
            mask[k] = bits >> k & 1 ? -1 : 0;
            given[k] = (ELEMENT)(k + 1);
        }
        memcpy(&x, given, sizeof x);
        PUT(memory + LANES, mask, x);
        found = GET(memory + LANES, mask);
        ELEMENT empty; memset(&empty, 0x5A, sizeof empty);
        for (int k = 0; k < 3 * LANES; k++) {
            int on = k >= LANES && k < 2 * LANES && bits >> (k - LANES) & 1;
            if (memory[k] != (on ? given[k - LANES] : empty)) return 1;
        }
        for (int k = 0; k < LANES; k++)
            if (found[k] != (bits >> k & 1 ? given[k] : 0)) return 2;
        if (ANY(mask) != (bits != 0)) return 3;
    }
    return 0;
}
"""

_MASKED = (
    *(("float64", "int64", n) for n in (2, 4, 8)),
    *(("float32", "int32", n) for n in (2, 4, 8, 16)),
    *((dtype, "int64", n) for dtype in ("int32", "int16", "uint8") for n in (2, 8)),
    *((dtype, "int32", n) for dtype in ("int16", "uint8") for n in (4, 16)),
    ("float64", "int32", 8),
)
"""Elements, their masks, and how many of them are in a vector."""


def _program() -> str:
    """C that tries what is masked and exits with the number of the first that fails."""
    calls, checks = set[Intrinsic](), ""
    for number, (dtype, mask, lanes) in enumerate(_MASKED):
        short = {"int64": "i64", "int32": "i32"}[mask]
        own = {"float64": "f64", "float32": "f32", "int32": "i32", "int16": "i16"}
        kind = own.get(dtype, "u8")
        calls |= {
            Intrinsic(f"put_{short}", dtype, lanes=lanes),
            Intrinsic(f"get_{short}", dtype, lanes=lanes),
            Intrinsic("any", mask, lanes=lanes),
        }
        defined = {
            "CHECK": f"check_{number}",
            "LANES": lanes,
            "ELEMENT": {"float64": "double", "float32": "float"}.get(
                dtype, f"{dtype}_t"
            ),
            "KIND": f"lx_{kind}x{lanes}",
            "MASK": f"lx_{short}x{lanes}",
            "PUT": f"lx_put_{short}_{kind}x{lanes}",
            "GET": f"lx_get_{short}_{kind}x{lanes}",
            "ANY": f"lx_any_{short}x{lanes}",
        }
        checks += "".join(f"#define {a} {b}\n" for a, b in defined.items())
        checks += _CHECK + "".join(f"#undef {name}\n" for name in defined)
    written = prelude(calls).partition('"""')[2].partition('"""')[0].splitlines()
    lines = [x.strip() for x in written if "numpy" not in x.lower() and "NPY" not in x]
    tried = [f"if (check_{at}()) return {at + 1};" for at in range(len(_MASKED))]
    includes = ["#include <string.h>", "#include <stdint.h>"]
    main = ["int main(void) {", *tried, "return 0;", "}"]
    return "\n".join([*includes, *lines, checks, *main, ""])


_FLAGS = {
    "sse2": ["-march=x86-64"],
    "avx2": ["-march=x86-64", "-mavx2"],
    "avx512": ["-march=x86-64", *(f"-mavx512{x}" for x in ("f", "bw", "dq", "vl"))],
}


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("machine", _FLAGS)
@pytest.mark.skipif(os.uname().machine != "x86_64", reason="these are its instructions")
def test_masks_of_each_machine(compiler: str, machine: str, tmp_path: Path) -> None:
    """All masks of all kinds: what is stored, loaded, and left alone.

    The memory is on the stack, which gcc leaves unaligned without a flag of looptx's.
    """
    features = Path("/proc/cpuinfo")
    known = features.read_text("utf-8").split() if features.exists() else []
    wanted = {"avx512": "avx512bw"}.get(machine, machine)
    if not shutil.which(compiler) or wanted not in known:
        pytest.skip("it is not there")
    source = tmp_path / "masks.c"
    source.write_text(_program(), "utf-8")
    used = cc.Compiler((compiler,))
    known = [flag for flag in cc.VECTORS if cc.accepts(used, (flag,))]
    for level in ("-O0", "-O3"):
        command = [compiler, level, *known, *_FLAGS[machine], "-w", str(source)]
        subprocess.run([*command, "-o", tmp_path / "masks"], check=True)
        done = subprocess.run([tmp_path / "masks"], check=False)
        assert done.returncode == 0, (*_MASKED[done.returncode - 1], level)
