"""``looptx transform`` as a codemod, run by libcst's own tool."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import libcst as cst
import pytest
from libcst.codemod import CodemodContext

from looptx.cli.text import transform_text
from looptx.codemod import Transform
from looptx.errors import LooptxError

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "conv1d" / "conv1d_decorated.py"

REFUSED = """\
def smear(A):
    n = A.shape[0]
    # looptx: reorder j i
    for i in range(1, n):
        for j in range(n - 1):
            A[i, j] = A[i - 1, j + 1] + 1
"""


def codemod(folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the tool on a folder."""
    command = ["codemod", "-x", "--no-format", "looptx.codemod.Transform", str(folder)]
    return subprocess.run(
        [sys.executable, "-m", "libcst.tool", *command],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


def test_libcsts_tool_rewrites_files(tmp_path: Path) -> None:
    text = EXAMPLE.read_text(encoding="utf-8")
    (tmp_path / "kernel.py").write_text(text, encoding="utf-8")
    (tmp_path / "other.py").write_text("x = 1\n", encoding="utf-8")
    done = codemod(tmp_path)
    assert done.returncode == 0, done.stderr
    wanted = transform_text(text, "kernel.py").text
    assert (tmp_path / "kernel.py").read_text(encoding="utf-8") == wanted != text
    assert (tmp_path / "other.py").read_text(encoding="utf-8") == "x = 1\n"


def test_libcsts_tool_says_what_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "smear.py"
    path.write_text(REFUSED, encoding="utf-8")
    done = codemod(tmp_path)
    assert done.returncode == 1
    assert "smear.py:3:15: LX201 refused: reorder j i" in done.stderr
    assert path.read_text(encoding="utf-8") == REFUSED


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_the_module_is_the_rewritten_text(ending: str) -> None:
    text = EXAMPLE.read_text(encoding="utf-8").replace("\n", ending)
    command = Transform(CodemodContext(filename="k.py"), validate=True)
    new = command.transform_module(cst.parse_module(text))
    assert new.code == transform_text(text, "k.py").text != text


def test_all_that_is_wrong_is_said() -> None:
    text = REFUSED + REFUSED.replace("smear", "again")
    command = Transform(CodemodContext(filename="k.py"))
    with pytest.raises(LooptxError, match=r"k\.py:3"):
        command.transform_module(cst.parse_module(text))
    (other,) = command.context.warnings
    assert other.startswith("k.py:9")
