"""Versions for several processors: each that runs here gives CPython's bits."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from looptx.native import runtime
from looptx.native.ahead import extension
from looptx.native.ahead.inplace import build_file
from looptx.native.compile import build, compiler, link
from looptx.native.compile.tuned import tuned

pytestmark = pytest.mark.skipif(
    not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="needs a C compiler"
)

KERNELS = """
import numpy as np

def product(A: "float64[:, ::1]", B: "float64[:, ::1]", C: "float64[:, ::1]"):
    # looptx: tile i=2 j=12 | reorder j i k ii jj | vectorize jj
    for i in range(C.shape[0]):
        for j in range(C.shape[1]):
            for k in range(A.shape[1]):
                C[i, j] += A[i, k] * B[k, j]

def masks(x: "float64[:]", y: "float64[:]", n: int):
    # looptx: vectorize i
    for i in range(n):
        y[i] = max(x[i], y[i]) if x[i] * y[i] < 0.25 else np.sqrt(np.abs(x[i])) - y[i]

def backwards(x: "float32[::1]", y: "float32[::1]", n: int):
    # looptx: vectorize i
    for i in range(n):
        y[i] = x[n - 1 - i] + y[i] * x[i]

def widths(x: "int32[::1]", y: "float64[::1]", z: "int64[::1]", n: int):
    # looptx: vectorize i
    for i in range(n):
        z[i] = z[i] + x[i]
        y[i] = y[i] * x[i] + i

def lanes(x: "float64[::1]", y: "float64[::1]", n: int):
    # looptx: vectorize i
    for i in range(n):
        y[i] = x[i // 2] + x[n - 1 - i] * 0.5

def threads(x: "float64[:, ::1]", y: "float64[:, ::1]"):
    # looptx: parallel i | vectorize j
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            y[i, j] = (x[i, j] + y[i, j]) * 0.5

def plain(x: "float64[::1]", s: "float32", c: "complex128", n: int):
    t = 0.0
    # looptx: split i 8
    for i in range(n):
        x[i] = x[i] * s + c.real
        t += x[i]
    return t

def raising(x: "float64[::1]", y: "int64[::1]", n: int):
    # looptx: split i 8
    for i in range(n):
        x[i] = x[i] + 10 // y[i]

def squares(x: "float64[::1]", y: "float64[::1]", n: int):
    # looptx: vectorize i
    for i in range(n):
        y[i] = (x[i] - y[i]) ** 2
"""
"""A register tile, masks, vectors turned around and of several types, threads, plain
loops, one that raises, and squares."""

RUN = '''
import hashlib, json, sys
import numpy as np

def outcomes(module):
    """What each function leaves, for several sizes, as digests."""
    found = {}
    for n in (0, 1, 2, 3, 7, 8, 13, 17, 31, 64, 67):
        rng = np.random.default_rng(n)
        def floats(*shape, dtype="float64"):
            x = (rng.random(shape) * 4 - 2).astype(dtype)
            x.reshape(-1)[::11] = -0.0
            x.reshape(-1)[5::13] = np.inf
            return x
        def whole(dtype, *shape):
            return rng.integers(1, 2**30, shape).astype(dtype)
        m = n % 7
        calls = {
            "product": (floats(m, 5), floats(5, n), floats(m, n)),
            "masks": (floats(n), floats(2 * n)[::2], n),
            "backwards": (floats(n, dtype="float32"), floats(n, dtype="float32"), n),
            "widths": (whole("int32", n), floats(n), whole("int64", n), n),
            "lanes": (floats(n), floats(n), n),
            "squares": (floats(n), floats(n), n),
            "threads": (floats(m, n), floats(m, n)),
            "plain": (floats(n), np.float32(0.3), 0.7 + 2j, n),
            "raising": (floats(n), np.arange(n, 0, -1) - n // 3, n),
        }
        for name, given in calls.items():
            with np.errstate(all="ignore"):
                try:
                    result = repr(getattr(module, name)(*given))
                except ZeroDivisionError as error:
                    result = repr(error)
            whole_bytes = [x.tobytes() for x in given if isinstance(x, np.ndarray)]
            digest = hashlib.sha256(b"/".join([*whole_bytes, result.encode()]))
            found[f"{name} {n}"] = digest.hexdigest()
    return found
'''

CHILD = f"""{RUN}
sys.path.insert(0, sys.argv[1])
import loops
found = outcomes(loops)
reports = [f.report() for f in vars(loops).values() if hasattr(f, "report")]
print(json.dumps([
    found,
    getattr(loops, "__looptx_vector_bytes__", 0),
    loops.__file__,
    [str(r) for r in reports],
]))
"""


def expected(folder: Path) -> dict[str, str]:
    """What the functions leave as Python."""
    names: dict[str, Any] = {}
    exec(RUN, names)
    path = folder / "source.py"
    path.write_text(KERNELS)
    spec = importlib.util.spec_from_file_location("source", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return dict(names["outcomes"](module))


def child(folder: Path, most: str) -> Any:
    """What they leave in a process in which vectors have so many bytes at most."""
    variables = {**os.environ, "LOOPTX_NUM_THREADS": "2"}
    variables.pop("LOOPTX_VECTOR_BYTES", None)
    if most:
        variables["LOOPTX_VECTOR_BYTES"] = most
    words = [sys.executable, "-c", CHILD, str(folder)]
    done = subprocess.run(words, capture_output=True, text=True, env=variables)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a module that was built."""
    folder = tmp_path_factory.mktemp("built")
    (folder / "loops.py").write_text(KERNELS)
    made = build_file(folder / "loops.py", KERNELS)
    assert len(made.nests) == 9 and not made.left, made.left
    return folder


def test_each_version_of_a_built_module(built: Path, tmp_path: Path) -> None:
    right = expected(tmp_path)
    _, widest, *_ = child(built, "")
    assert widest >= 16
    for most in ("", "16", "32", "64", "48", "1", "wide"):
        found, used, file, _ = child(built, most)
        assert found == right, most
        assert file.endswith(".so")
        asked = int(most) if most.isdecimal() else 64
        assert used == min(widest, max(16, 1 << asked.bit_length() - 1))


def test_each_width_of_kernels(tmp_path: Path) -> None:
    right = expected(tmp_path)
    decorated = KERNELS.replace("def ", "@looptx.kernel\ndef ")
    (tmp_path / "loops.py").write_text(f"import looptx\n{decorated}")
    for most in (16, 64):
        found, _, file, reports = child(tmp_path, str(most))
        assert found == right, most
        assert file.endswith(".py")
        width = min(most, tuned().vector)
        said = [f"in vectors of {width} bytes" in report for report in reports]
        assert said == [*6 * [True], False, False, True], reports


def test_the_environment_says_how_wide(monkeypatch: pytest.MonkeyPatch) -> None:
    for text, most in (("", 0), ("32", 32), ("8", 16), ("-32", 0), ("9" * 20, 0)):
        monkeypatch.setenv("LOOPTX_VECTOR_BYTES", text)
        assert runtime.vector_bytes() == most
    monkeypatch.setenv("LOOPTX_VECTOR_BYTES", "16")
    assert tuned().vector == 16


@pytest.mark.skipif(
    sysconfig.get_platform() != "linux-x86_64", reason="has no versions"
)
def test_the_version_that_is_chosen_runs(tmp_path: Path, built: Path) -> None:
    """Each version of ``threads`` gets another factor: results tell them apart."""
    _, widest, *_ = child(built, "")
    text = extension.extension_text(KERNELS, "loops.py").text
    factors = {"": "16.0", "_avx2": "32.0", "_avx512": "64.0"}
    start = text.index("lx__looptx_5_")
    parts = re.split(r"(?m)^(?=cdef )", text[start:])
    for number, part in enumerate(parts):
        found = re.match(r"cdef \w+ lx__looptx_5_\d(_avx\d+)?_", part)
        if found:
            parts[number] = part.replace("0.5", factors[found[1] or ""])
    source = build.cythonize(text[:start] + "".join(parts), "loops", tmp_path)
    suffix = str(sysconfig.get_config_var("EXT_SUFFIX"))
    library = tmp_path / f"loops{suffix}"
    link.link(source, library, compiler.REQUIRED, compiler.OPTIONAL, openmp=True)
    ask = "import sys; sys.path.insert(0, sys.argv[1]); import loops, numpy as np;"
    ask += "x = np.ones((3, 40)); loops.threads(x, x.copy()); y = np.zeros((3, 40));"
    ask += "loops.threads(x, y); print(set(y.reshape(-1).tolist()))"
    for most in (16, 32, 64):
        done = subprocess.run(
            [sys.executable, "-c", ask, str(tmp_path)],
            capture_output=True,
            text=True,
            env={**os.environ, "LOOPTX_VECTOR_BYTES": str(most)},
        )
        assert done.stdout.strip() == str({float(min(most, widest))}), done.stderr


def test_a_module_for_this_machine_has_one_version() -> None:
    made = extension.extension_text(KERNELS, "loops.py", native=True)
    assert f"lx_f64x{tuned().vector // 8}" in made.text
    assert "lx_choose(" not in made.text and "LX_avx" not in made.text


def test_what_is_fused_is_compiled_without_the_instructions(tmp_path: Path) -> None:
    """Complex products, which gcc 12 fuses with AVX-512 whatever it is told."""
    (tmp_path / "loops.py").write_text(COMPLEX)
    build_file(tmp_path / "loops.py", COMPLEX)
    ask = "import sys; sys.path.insert(0, sys.argv[1]); import loops, numpy as np;"
    ask += "x = (np.arange(2000) % 97 / 7).view(complex); y = x[::-1] * 1.1;"
    ask += (
        "z = np.zeros(1000, complex); loops.product(x, y, z); print(z.tobytes().hex())"
    )
    said = set()
    for most in (16, 32, 64):
        done = subprocess.run(
            [sys.executable, "-c", ask, str(tmp_path)],
            capture_output=True,
            text=True,
            env={**os.environ, "LOOPTX_VECTOR_BYTES": str(most)},
        )
        assert done.returncode == 0, done.stderr
        said.add(done.stdout.strip())
    x = (np.arange(2000) % 97 / 7).view(complex)
    y = x[::-1] * 1.1
    right = np.array([complex(a) * complex(b) for a, b in zip(x, y, strict=True)])
    assert said == {right.tobytes().hex()}


COMPLEX = """
def product(x: "complex128[::1]", y: "complex128[::1]", z: "complex128[::1]"):
    # looptx: split i 64
    for i in range(z.shape[0]):
        z[i] = x[i] * y[i]
"""
