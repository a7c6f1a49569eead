"""Files that end the process which works on them, or on which looptx itself fails."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from unittest import mock

import pytest

from looptx.cli import batch, build
from looptx.cli.files import Target
from looptx.errors import Place

ROOT = Path(__file__).parents[2]
TEXT = """\
def scale(A: "float64[:]", n: int):
    # looptx: split i 32
    for i in range(n):
        A[i] = A[i] * 2
"""


def failing(folder: Path, command: str, how: str) -> subprocess.CompletedProcess[str]:
    """Run a command on three files, while looptx has a fault that the second one meets.

    Args:
        folder: an empty one.
        command: of looptx.
        how: what happens there, in Python.
    """
    (folder / "sitecustomize.py").write_text(
        "import os\n"
        "from looptx.cli import batch, listing\n"
        "def faulty(sound):\n"
        "    def work(job):\n"
        f"        if job.target.path.name == 'two.py': {how}\n"
        "        return sound(job)\n"
        "    return work\n"
        "batch._work, listing._work = faulty(batch._work), faulty(listing._work)\n"
    )
    for name in ("one.py", "two.py", "three.py"):
        (folder / name).write_text(TEXT)
    words = [sys.executable, "-m", "looptx", command, "one.py", "two.py", "three.py"]
    own = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (folder, ROOT)))}
    return subprocess.run(words, cwd=folder, env=own, capture_output=True, text=True)


@pytest.mark.parametrize(
    ("command", "shown"), [("transform", "# ==> {} <=="), ("list", "{}\n")]
)
@pytest.mark.parametrize(
    ("how", "why"),
    [
        ("os._exit(9)", "the process that worked on this file died"),
        ("raise RuntimeError('a fault')", "a fault"),
    ],
)
def test_the_others_are_worked_on(
    command: str, shown: str, how: str, why: str, tmp_path: Path
) -> None:
    done = failing(tmp_path, command, how)
    assert done.returncode == 2
    assert f"two.py:1:1: LX901 internal error: RuntimeError: {why}" in done.stderr
    assert done.stderr.count("LX901") == 1
    for name in ("one.py", "three.py"):
        assert shown.format(name) in done.stdout
    assert shown.format("two.py") not in done.stdout


def test_a_build_names_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "one.py"
    order = build.Order(batch.Job(Target(path, path, named=True)), (), native=False)
    monkeypatch.setattr(build, "_work", mock.Mock(side_effect=RuntimeError("a fault")))
    for made, why in (
        (build.work(order), "a fault"),
        (build.lost(order), "the process that worked on this file died"),
    ):
        (error,) = made.errors
        assert (error.code, error.place) == ("LX901", Place(str(path), 1, 1))
        assert why in error.message
