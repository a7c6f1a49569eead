"""``looptx list``: what is said of the loops of files, without running them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from corpus.table import kind, recorded

from cli.test_commands import REFUSED, UNKNOWN_VERB, Run, run, write
from looptx.native.ahead.foreseen import NATIVE, foreseen

__all__ = ["run"]

SEVERAL = """\
import numpy as np
import looptx


def fill(A: "float32[:, :]", n: int):
    for i in range(n):
        A[i, 0] = 1.0


@looptx.kernel
def histogram(image, bins):
    for i in range(image.shape[0]):
        bins[image[i]] += 1


def waits(n):
    while n:
        n = n.next


@looptx.kernel
def norms(A, out):
    for i in range(A.shape[0]):
        out[i] = np.linalg.norm(A, 1)


class Box:
    def sweep(self, x):
        def inner(y):
            for i in range(len(y)):
                y[i] = open("f")
        for i in range(len(x)):
            self.y[i] = x[i]
"""


def listed(run: Run, path: Path, *words: str) -> list[dict[str, object]]:
    """The loops of a file, as JSON."""
    (file,) = json.loads(run("list", path, "--json", *words).out)["files"]
    assert file["file"] == str(path)
    return file["loops"]


def test_every_loop_has_a_line_and_what_is_no_loop_a_reason(
    run: Run, tmp_path: Path
) -> None:
    path = write(tmp_path, "several.py", SEVERAL)
    done = run("list", path)
    assert done.status == 0
    lines = done.out.splitlines()
    assert [" ".join(line.split()) for line in lines if line[:8].strip()] == [
        str(path),
        "6:5 fill.n0 natively",
        "12:5 histogram.n0 natively, if the call gives "
        "image: int64[::1], bins: float64[::1]",
        "18:13 waits as Python",
        "23:5 norms.n0 as Python, if the call gives A: float64[::1], out: float64[::1]",
        "31:17 Box.sweep.<locals>.inner as Python",
        "32:9 Box.sweep.n0 natively, if the call gives x: float64[::1]",
    ]
    reasons = [line.strip() for line in lines if not line[:8].strip()]
    assert reasons[0].startswith(f"{path}:18:13: LX301 ")
    assert reasons[1] == "18 |         n = n.next"
    assert sum(text.startswith("hint: ") for text in reasons) == 3
    assert done.err == "6 loop nests: 3 natively, 3 as Python\n"


def test_strict_is_for_what_is_listed(run: Run, tmp_path: Path) -> None:
    path = write(tmp_path, "several.py", SEVERAL)
    assert run("list", path, "--strict").status == 1
    good = write(tmp_path, "good.py", SEVERAL.partition("def waits")[0])
    assert run("list", good, "--strict").status == 0
    kernels = SEVERAL.replace("np.linalg.norm(A, 1)", "A[i]")
    assert run("list", write(tmp_path, "ours.py", kernels), "--strict").status == 1
    assert run("list", tmp_path / "ours.py", "--strict", "--kernels").status == 0


def test_types_of_annotations_are_not_assumed(run: Run, tmp_path: Path) -> None:
    first, second, *_ = listed(run, write(tmp_path, "several.py", SEVERAL))
    assert first["types"] == {"n": "python int64", "A": "float32[:, ::1]"}
    assert first["assumed"] == [] and not first["wanted"]
    assert second["assumed"] == ["image", "bins"] and second["wanted"]


def test_reasons_have_places_and_hints(run: Run, tmp_path: Path) -> None:
    loops = listed(run, write(tmp_path, "several.py", SEVERAL), "--kernels")
    assert [(one["function"], one["runs"]) for one in loops] == [
        ("histogram", "native"),
        ("norms", "python"),
    ]
    reason = loops[1]["reason"]
    assert (reason["code"], reason["line"], reason["column"]) == ("LX504", 24, 9)
    assert reason["hint"]


def test_a_refused_schedule_is_an_error_of_the_loops(run: Run, tmp_path: Path) -> None:
    path = write(tmp_path, "refused.py", REFUSED)
    done = run("list", path)
    assert done.status == 1
    assert "not at all: a call raises" in done.out
    assert f"{path}:2:15: LX202 refused: parallel i" in done.out


def test_directives_are_those_of_their_function_alone(run: Run, tmp_path: Path) -> None:
    """Beside functions with directives, statements on slices are loops as ever."""
    smooth = """
def smooth(A, B, n: int):
    for t in range(n):
        B[1:-1] = A[1:-1] + B[2:]
"""
    alone = write(tmp_path, "alone.py", smooth)
    ours = "def f(A):\n    # looptx: split i 4\n    for i in range(len(A)):\n"
    ours += "        A[i] = 0.5\n"
    both = write(tmp_path, "both.py", ours + smooth)
    (one,) = listed(run, alone)
    first, second = listed(run, both)
    assert (first["function"], first["wanted"], first["runs"]) == ("f", True, "native")
    assert second["line"] == one["line"] + 4
    assert second["runs"] == one["runs"] == "native"


ROWS = """
import numpy as np

def distance(a, b):
    s = 0.0
    for k in range(a.shape[0]):
        s += (a[k] - b[k]) ** 2
    return s

def near(X, Y, D):
    for i in range(X.shape[0]):
        for j in range(Y.shape[0]):
            D[i, j] = distance(X[i], b=Y[j])

def norms(X, Y, out):
    for i in range(X.shape[0]):
        out[i] = np.sqrt(np.sum(np.abs(Y[i]) ** 2)) + X[i].sum()

def taken(X, out):
    for i in range(X.shape[0]):
        x = X[i]
        for j in range(len(x)):
            out[i] += x[j] * X[0][j]
"""


def test_what_is_done_with_rows_tells_the_axes_of_arrays(
    run: Run, tmp_path: Path
) -> None:
    _, near, norms, taken = listed(run, write(tmp_path, "rows.py", ROWS))
    two, one = "float64[:, ::1]", "float64[::1]"
    assert near["types"] == {"X": two, "Y": two, "D": two}
    assert norms["types"] == {"X": two, "Y": two, "out": one}
    assert taken["types"] == {"X": two, "out": one}
    assert {each["runs"] for each in (near, norms, taken)} == {"native"}


def test_directives_from_outside(run: Run, tmp_path: Path) -> None:
    path = write(tmp_path, "f.py", REFUSED.replace("    # looptx: parallel i\n", ""))
    assert run("list", path).status == 0
    beside = write(tmp_path, "plan.looptx", "[prefix]\nparallel i\n")
    assert run("list", path, "--directives", beside).status == 1


def test_what_cannot_be_read(run: Run, tmp_path: Path) -> None:
    write(tmp_path, "verb.py", UNKNOWN_VERB)
    write(tmp_path, "odd.py", "def f(:\n")
    write(tmp_path, "none.py", "x = 1\n")
    done = run("list", tmp_path, tmp_path / "absent.py")
    assert done.status == 2
    for code in ("LX101", "LX303", "LX401"):
        assert code in done.out + done.err
    assert "none.py" not in done.out


@pytest.mark.parametrize("field", ["graphs", "labels", "strings"])
def test_what_is_foreseen_comes_true(field: str) -> None:
    """Only what values decide at the call is not known before."""
    path = Path(__file__).parents[1] / "corpus" / f"{field}.py"
    runs: dict[str, set[str]] = {}
    for one in foreseen(path.read_text("utf-8"), str(path), {}):
        runs.setdefault(one.function, set()).add(one.runs)

    table = {x: y for x, y in recorded()[field].items() if not y.startswith("an index")}
    mixed = {True: "part", False: "python"}
    shares = {
        name: NATIVE if runs[name] == {NATIVE} else mixed[NATIVE in runs[name]]
        for name in table
    }
    assert shares == {name: kind(ran) for name, ran in table.items()}


METHODS = """\
import looptx


class Grid:
    def cost(self, i):
        return self.u[i] * self.rate(2)

    @classmethod
    def rate(cls, by):
        return cls.base * by

    def endless(self, i):
        return self.endless(i - 1)

    def sweep(self):
        for i in range(9):
            self.v[i] = self.cost(i)
            self.t += self.u[i]

    def falls(self):
        for i in range(9):
            self.v[i] = self.endless(i)


def lengths(x, words: list):
    for i in range(9):
        x[i] = len(words * i)


def products(A, x):
    for i in range(3):
        A[i] = A[i] @ x


def doubled(A, x):
    for i in range(3):
        made = 2.0 * A[i]
        x[i] = made[0]


def cleared(A, n: int):
    # looptx: split i 4
    for i in range(n):
        A[i] = 0.0
"""


def test_methods_and_what_no_call_makes_native(run: Run, tmp_path: Path) -> None:
    path = write(tmp_path, "methods.py", METHODS)
    found = {one["function"]: one for one in listed(run, path)}
    assert found["Grid.sweep"]["runs"] == "native"
    reasons = {name: one["reason"] for name, one in found.items()}
    assert reasons["Grid.falls"]["message"] == (
        "not compiled natively: `endless` calls itself"
    )
    assert "`words` is a value of type list" in reasons["lengths"]["message"]
    assert "`np.array(...)`" in reasons["lengths"]["hint"]
    assert found["products"]["runs"] == "python" and not found["products"]["types"]
    assert "import NumPy" in reasons["doubled"]["hint"]


def test_nests_that_hold_their_schedule_are_listed(run: Run, tmp_path: Path) -> None:
    path = write(tmp_path, "cleared.py", METHODS)
    assert run("transform", "--write", path).status == 0
    found = [one for one in listed(run, path) if one["function"] == "cleared"]
    assert [one["runs"] for one in found][:1] == ["python"]
    assert found[0]["reason"]["code"] == "LX111"


LISTED = """
def total(x: list[float]):
    s = 0.0
    for a in x:
        s += a
    return s


def named(rows: "Sequence[list[int]]", n: int):
    for i in range(n):
        for j in range(n):
            rows[i][j] += 1


def first(points: list[tuple[float, float]]):
    t = 0.0
    for x, y in points:
        t += x * y
    return t
"""


def test_annotations_of_lists_are_types(run: Run, tmp_path: Path) -> None:
    path = write(tmp_path, "lists.py", LISTED)
    found = {one["function"]: one for one in listed(run, path)}
    assert [one["runs"] for one in found.values()] == ["native"] * 3
    assert found["total"]["types"]["x"] == "list of python float64"
    assert found["named"]["types"]["rows"] == "list of lists of python int64"
    assert found["first"]["types"]["points"] == "list of tuples of python float64"


FLOOD = """\
import numpy as np


def flood(grid, start, steps):
    seen = np.zeros(grid.size, dtype=np.bool_)
    width = grid.shape[1]
    i, j = start
    queue = [i * width + j]
    around = np.array([-width, -1, 1, width])
    while queue:
        here = queue.pop()
        seen[here] = True
        near = around + here
        for k in range(4):
            next_ = near[k]
            if not seen[next_] and grid.flat[next_] == steps[k]:
                queue.append(next_)
    return seen
"""


def test_positions_go_through_lists_arrays_and_tuples(run: Run, tmp_path: Path) -> None:
    (loop,) = listed(run, write(tmp_path, "flood.py", FLOOD))
    assert loop["runs"] == "native"


WRONG = """\
def right(a, n):
    # looptx: split i 4
    for i in range(n):
        a[i] = 2.0


def wrong(a, n):
    # looptx: split i 4
    for i in range(n or len(a)):
        a[i] = 2.0


def bare(a, n):
    for i in range(n):
        a[i] = 2.0
"""


def test_other_loops_are_listed_beside_what_is_wrong(run: Run, tmp_path: Path) -> None:
    path = write(tmp_path, "wrong.py", WRONG)
    done = run("list", path, "--json")
    assert done.status == 1
    found = json.loads(done.out)
    (file,) = found["files"]
    names = [(one["function"], one["runs"]) for one in file["loops"]]
    assert names == [("right", "native"), ("bare", "native")]
    (error,) = found["errors"]
    assert (error["code"], error["line"]) == ("LX305", 9)
