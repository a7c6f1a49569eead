"""``looptx build``: extension modules beside annotated files."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from looptx import cli

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")

SUMS = """\
def sums(A: "float64[:, :]", s: "float64[:]"):
    n, m = A.shape
    # looptx: parallel i
    for i in range(n):
        for j in range(m):
            s[i] += A[i, j]
"""

USE = """
import sys, numpy as np
sys.path.insert(0, sys.argv[1])
import sums
print(sums.__file__)
A, s = np.arange(12.0).reshape(3, 4), np.ones(3)
sums.sums(A, s)
assert (s == 1 + A.sum(axis=1)).all()
assert "looptx" not in sys.modules and "Cython" not in sys.modules
"""


def test_build(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "sums.py"
    source.write_text(SUMS, encoding="utf-8")
    (tmp_path / "plain.py").write_text("x = 1\n", encoding="utf-8")
    status = cli.main(["build", str(tmp_path)])
    out, err = capfd.readouterr()
    assert (status, out) == (0, ""), err
    assert err.startswith(f"[1/1] {source}: sums.")
    assert "1 nest" in err
    assert source.read_text(encoding="utf-8") == SUMS
    assert len(list(tmp_path.iterdir())) == 3
    done = subprocess.run(
        [sys.executable, "-I", "-c", USE, str(tmp_path)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert not done.stdout.strip().endswith(".py")


def test_build_reports(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "sums.py"
    text = SUMS.replace("s[i] +=", "s[0] +=")
    source.write_text(text, encoding="utf-8")
    status = cli.main(["build", "--output-format", "json", str(source)])
    out, err = capfd.readouterr()
    assert (status, err) == (1, "")
    document = json.loads(out)
    assert document["files"][0]["module"] is None
    assert [error["code"] for error in document["errors"]] == ["LX202"]
    assert [path.name for path in tmp_path.iterdir()] == ["sums.py"]


def test_nothing_to_build(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["build", str(tmp_path)]) == 0
    assert "nothing to build" in capfd.readouterr().err
    plain = tmp_path / "plain.py"
    plain.write_text("x = 1\n", encoding="utf-8")
    assert cli.main(["build", str(plain)]) == 2
    told = capfd.readouterr().err
    assert "LX107" in told
    assert "write `@looptx.kernel` above a function" in told


def test_no_compiler(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CC", "/nonexistent/cc")
    source = tmp_path / "sums.py"
    source.write_text(SUMS, encoding="utf-8")
    assert cli.main(["build", str(source)]) == 1
    err = capfd.readouterr().err
    assert "LX501" in err
    assert "hint" in err


def test_what_is_up_to_date_is_not_built_again(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "sums.py"
    source.write_text(SUMS, encoding="utf-8")

    def said(*options: str) -> str:
        assert cli.main(["build", *options, str(source)]) == 0
        return capfd.readouterr().err

    assert "up to date" not in said()
    (library,) = tmp_path.glob("*.so")
    assert "1 nest, up to date" in said()
    library.write_bytes(b"")
    assert "up to date" not in said("--native")
    assert library.read_bytes()
    source.write_text(SUMS.replace("+= A", "-= A"), encoding="utf-8")
    assert "up to date" not in said()


ROOTS = """\
import math


def roots(A: "float64[:]", s: "float65[:]"):
    # looptx: parallel i
    for i in range(A.shape[0]):
        A[i] = math.sqrt(A[i])
    # looptx: parallel i
    for i in range(s.shape[0]):
        s[i] = 1.0
"""


def test_build_says_what_is_not_carried_out(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "roots.py"
    source.write_text(ROOTS, encoding="utf-8")
    for _ in range(2):  # built, and up to date
        assert cli.main(["build", str(source)]) == 0
        err = capfd.readouterr().err
        assert f"{source}:6:1: LX505 roots.n0 ran in the order as written" in err
        assert "LX503 `float65[:]`, the annotation of `s`" in err
