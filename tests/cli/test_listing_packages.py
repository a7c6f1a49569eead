"""``looptx list`` in packages: imports among files, and decorators of Numba."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.test_commands import Run, run, write
from cli.test_listing import listed

__all__ = ["run"]

POINTS = """\
import numpy as np
from numba import njit

from . import enums
from .enums import RIGHT as FACTOR

EPS = 1e-9


@njit
def squared(x, y):
    s = 0.0
    for i in range(x.shape[0]):
        d = x[i] - y[i]
        s += d * d
    return s * FACTOR + EPS + enums.LEFT


def printed(x):
    print(x)
"""

ENUMS = """\
import numpy as np

LEFT = 0
RIGHT = 1
"""


def package(tmp_path: Path, user: str) -> Path:
    """A package of a few files, and the file in it that uses them."""
    inner = tmp_path / "pack" / "inner"
    inner.mkdir(parents=True)
    write(tmp_path / "pack", "__init__.py", "")
    write(inner, "__init__.py", "from ._points import squared as apart\n")
    write(inner, "_points.py", POINTS)
    write(inner, "enums.py", ENUMS)
    return write(tmp_path / "pack", "user.py", user)


PAIRS = """\
{how}


def pairs(X, out):
    for i in range(X.shape[0]):
        for j in range(i):
            out[i, j] = {call}(X[i], X[j])
"""


@pytest.mark.parametrize(
    "how, call",
    [
        ("from .inner._points import squared", "squared"),
        ("from pack.inner import apart as far", "far"),
        ("import pack.inner._points as points", "points.squared"),
        ("from pack.inner import _points", "_points.squared"),
    ],
)
def test_functions_of_other_files_are_read_where_they_are(
    run: Run, tmp_path: Path, how: str, call: str
) -> None:
    path = package(tmp_path, PAIRS.format(how=how, call=call))
    loops = listed(run, path)
    assert [(one["function"], one["runs"]) for one in loops] == [("pairs", "native")]
    assert loops[0]["types"] == {"X": "float64[:, ::1]", "out": "float64[:, ::1]"}


@pytest.mark.parametrize(
    "how, call",
    [
        ("from .inner._points import printed", "printed"),
        ("from .inner._points import missing", "missing"),
        ("from .other import squared", "squared"),
        ("from .user import other", "other"),
        (f"from {40 * '.'} import squared", "squared"),
        ("from elsewhere import squared", "squared"),
    ],
)
def test_what_is_not_there_may_do_anything(
    run: Run, tmp_path: Path, how: str, call: str
) -> None:
    path = package(tmp_path, PAIRS.format(how=how, call=call))
    assert [one["runs"] for one in listed(run, path)] == ["python"]


STARRED = """\
from .inner.enums import *


def turned(x):
    for i in range(x.shape[0]):
        if x[i] == LEFT:
            x[i] = RIGHT
"""


def test_a_star_brings_the_names_of_its_file(run: Run, tmp_path: Path) -> None:
    path = package(tmp_path, STARRED)
    assert [one["runs"] for one in listed(run, path)] == ["native"]
    write(tmp_path / "pack" / "inner", "enums.py", "def range(x): return [x]\n")
    assert [one["runs"] for one in listed(run, path)] == ["python"]


JITTED = """\
import numba as nb


@nb.njit(
    cache=True,
)
def one(x, i):
    return x[i] + 1.0


@other
def two(x, i):
    return x[i] + 1.0


@nb.jit
def all_(x):
    for i in nb.prange(x.shape[0]):
        x[i] = one(x, i)
    for i in range(x.shape[0]):
        x[i] = two(x, i)
"""


def test_numbas_decorators_are_taken_for_those_of_kernels(
    run: Run, tmp_path: Path
) -> None:
    path = write(tmp_path, "jitted.py", JITTED)
    loops = listed(run, path)
    assert [(x["line"], x["runs"]) for x in loops] == [(18, "native"), (20, "python")]


AXES = """\
import numpy as np


def halved(x):
    return x * 0.5


def rows(x, out):
    for i in range(x.shape[0]):
        out[i, :] = halved(x[i])


def blocks(x, out):
    for i in range(x.shape[0]):
        out[i, :, :] = halved(x[i])


def cells(x, out):
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            for k in range(x.shape[2]):
                out[i, j, k] = x[i, j, k]
"""


def test_the_axes_of_arrays_are_those_of_their_function(
    run: Run, tmp_path: Path
) -> None:
    path = write(tmp_path, "axes.py", AXES)
    assert {one["runs"] for one in listed(run, path)} == {"native"}


HANDED = """\
from .inner._points import squared


def root(x, y):
    return squared(x, y) ** 0.5


def framed(B, m):
    B[:m, 0] = 7.0
    B[0, 0] = root(B[1], B[2])


def all_(B, m):
    for i in range(B.shape[0]):
        framed(B[i], m)


def scaled(B):
    return B * 0.5


def rows(B, x):
    for i in range(B.shape[0]):
        B[i] = scaled(B[i]) + x
"""


def test_functions_are_read_with_the_axes_that_they_use(
    run: Run, tmp_path: Path
) -> None:
    loops = listed(run, package(tmp_path, HANDED))
    assert {one["function"]: one["runs"] for one in loops} == {
        "framed": "native",
        "all_": "native",
        "rows": "native",
    }
    (all_,) = (one for one in loops if one["function"] == "all_")
    assert all_["types"]["B"] == "float64[:, :, ::1]"


def test_files_may_import_one_another(run: Run, tmp_path: Path) -> None:
    path = package(tmp_path, "from .inner import *\nfrom .one import *\n" + STARRED)
    for name, other in (("one", "two"), ("two", "one")):
        text = (
            f"from .{other} import *\nfrom .user import *\nfrom .{other} import far\n"
        )
        write(
            tmp_path / "pack", f"{name}.py", text + "def own(x):\n    return far(x)\n"
        )
    text = path.read_text() + "\n\ndef called(x):\n    for i in range(len(x)):\n"
    path.write_text(text + "        x[i] = own(x[i])\n")
    loops = listed(run, path)
    assert [(one["function"], one["runs"]) for one in loops] == [
        ("turned", "native"),
        ("called", "python"),
    ]


def test_a_star_brings_what_its_file_says(run: Run, tmp_path: Path) -> None:
    path = package(tmp_path, STARRED)
    names = "__all__ = ['LEFT', 'RIGHT']\nLEFT = 0\nRIGHT = 1\n\n\ndef range(x): ...\n"
    write(tmp_path / "pack" / "inner", "enums.py", names)
    assert [one["runs"] for one in listed(run, path)] == ["native"]


def test_columns_and_lines_of_odd_texts(run: Run, tmp_path: Path) -> None:
    path = package(tmp_path, STARRED.replace("from", "é = 'ééééééééééé'; from", 1))
    assert [one["runs"] for one in listed(run, path)] == ["native"]
    path.write_text(JITTED.replace("@nb.njit", "@\\\nnb.njit"))
    assert [one["line"] for one in listed(run, path)] == [19, 21]
