"""The comparison on NPBench: a small tree of the same layout, made up here."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from examples.npbench import __main__ as command
from examples.npbench.problems import Buffers, near, problems, same
from examples.npbench.report import Row, summary, table

SMOOTH = """
import numpy as np


def half(x):
    return 0.5 * x


def smooth(A, steps):
    for t in range(steps):
        A[1:-1] = half(A[:-2] + A[2:])
    for i in range(A.shape[0]):
        A[i] += 1.0
    return A.sum()
"""

MAKES = """
import numpy as np


def initialize(N, datatype=np.float64):
    return np.arange(N * 1.0) ** 0.5
"""

OTHER = "def smooth(A, steps):\n    A += 1.0\n    return A.sum()\n"
"""A form whose results are others."""

SLOW = SMOOTH.replace("A[i] += 1.0", "A[i] += 1.0 + 1e-12")
"""A form whose results are near."""


def tree(root: Path) -> Path:
    """A clone of one program."""
    folder = root / "npbench" / "benchmarks" / "made" / "smooth"
    folder.mkdir(parents=True)
    info = {
        "relative_path": "made/smooth",
        "module_name": "smooth",
        "func_name": "smooth",
        "parameters": {"S": {"N": 50, "steps": 3}, "M": {"N": 99, "steps": 3}},
        "init": {
            "func_name": "initialize",
            "input_args": ["N"],
            "output_args": ["A"],
        },
        "input_args": ["A", "steps"],
    }
    (root / "bench_info").mkdir()
    described = json.dumps({"benchmark": info})
    (root / "bench_info" / "smooth.json").write_text(described, "utf-8")
    (folder / "smooth.py").write_text(MAKES, "utf-8")
    for form, text in {"numpy": SMOOTH, "numba_n": OTHER, "numba_np": SLOW}.items():
        (folder / f"smooth_{form}.py").write_text(text, "utf-8")
    return root


def test_runs_compares_and_writes(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: name != "rich" or None)
    written = tmp_path / "table.md"
    words = [str(tree(tmp_path / "clone")), "--repeat", "1", "--against", "numba"]
    assert command.main([*words, "--write", str(written)]) == 0
    text = written.read_text("utf-8")
    row = next(line for line in text.splitlines() if line.startswith("| smooth |"))
    _, name, nests, bits, *times, _ = map(str.strip, row.split("|"))
    assert (name, bits) == ("smooth", "equal") and nests.startswith("1 of")
    assert len(times) == 7 and all(float(time) > 0 for time in times[:6])
    assert "numba_n: other values" in text and "numba_np" not in text
    assert "geometric mean" in text and row in capfd.readouterr().out


def test_what_is_kept_is_not_measured_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = tmp_path / "kept.json"
    kept.write_text(json.dumps({"smooth": {"name": "smooth", "times": {"numpy": 7}}}))
    words = [str(tree(tmp_path / "clone")), "--clock", "cpu", "--keep", str(kept)]
    assert command.main(words) == 0
    assert "| smooth | none | equal | 7e+03 |" in capsys.readouterr().out
    kept.unlink()
    assert command.main([*words, "--repeat", "1"]) == 0
    row = json.loads(kept.read_text())["smooth"]
    assert row["times"]["looptx"] > 0 and row["first"]["looptx"] > 0.1


def test_a_path_that_is_no_clone_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command.main([str(tmp_path)]) == 1
    assert "is it a clone of NPBench" in capsys.readouterr().out
    assert command.main([str(tree(tmp_path / "clone")), "--only", "smoth"]) == 1
    assert "no such program: smoth" in capsys.readouterr().out


def test_arguments_are_those_of_the_file_and_come_back(tmp_path: Path) -> None:
    one = problems(tree(tmp_path))["smooth"]
    buffers = Buffers(one.arguments("M"))
    array, steps = buffers.restored()
    assert array.shape == (99,) and steps == 3
    array[:] = 0
    assert buffers.left((1.0, array))[0] == 1.0
    assert buffers.restored()[0] is array and array[4] == 2.0


NAN = np.array([np.nan, 1.0])


@pytest.mark.parametrize(
    "a, b, equal",
    [
        (1, 1, True),
        (1, 1.0, False),
        (np.float64(1), np.float64(1), True),
        (np.float64(0.0), np.float64(-0.0), False),
        (NAN, -NAN * [1, -1], True),
        (NAN, NAN[::-1], False),
        (NAN, NAN.astype("f4"), False),
        (NAN, NAN[:1], False),
        (NAN * 1j, -(NAN * 1j) * [1, -1], True),
        (None, None, True),
    ],
)
def test_bits_are_compared(a: object, b: object, equal: bool) -> None:
    assert same(a, b) is equal


def test_values_are_near() -> None:
    one = np.arange(1.0, 4.0)
    assert near(one, one * (1 + 1e-9)) and not near(one, one * 1.1)
    assert near(one.astype("f4"), one * (1 + 1e-5)) and not near(one, one[:2])
    assert near(None, None) and not near(None, one)


def test_the_table_says_who_is_faster() -> None:
    fast = Row("fast", {"numpy": 4.0, "looptx": 1.0, "numba_n": 3.0, "numba_np": 2.0})
    fast.native = 2
    slow = Row("slow", {"numpy": 1.0, "looptx": 2.0}, errors={"pythran": "no"})
    slow.native, slow.other, slow.why = 1, 2, ["a | b"]
    rows = [fast, slow]
    lines = list(table(rows, ["numba"]))
    assert lines[2].startswith("| fast | all | equal | 4e+03 | 1e+03 | 4.00 | 2e+03 |")
    assert lines[3].startswith("| slow | 1 of 3 | equal | 1e+03 | 2e+03 | 0.50 |  |")
    said = " ".join(summary(rows, ["numba"]))
    assert "geometric mean 1.41 over 2 programs, looptx is slower on 1" in said
    assert "geometric mean 2.00 over 1 programs, looptx is slower on 0" in said
    assert "1 programs run natively, 1 in part, 0 as Python; 0 are wrong" in said
