"""What ``looptx show`` draws of tasks: what plans of calls say, and what is counted."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cluster import kernels
from cluster.test_tasks import GIVEN, KERNEL
from looptx import cli
from looptx.cluster.runners.planning import Plan

SHOWN = ["jacobi", "heat", "product", "warshall", "lu"]
TEXTS = {
    "plain.py": "def f(A):\n    for i in range(4):\n        A[i] = i\n",
    "wrong.py": "def f(A, n):\n    # looptx: bind i worker\n"
    "    for i in range(1, n):\n        A[i] = A[i - 1]\n",
    "fine.py": "def f(A, n):\n    # looptx: split i 4 | bind i worker\n"
    "    for i in range(n):\n        A[i] = i\n",
}


def shown(folder: Path, *options: str, name: str = "jacobi") -> str:
    """The text that the command draws of a kernel."""
    made = folder / f"{name}.txt"
    target = f"{kernels.__file__}::{name}"
    assert cli.main(["show", target, "-o", str(made), "-q", *options]) == 0
    return made.read_text()


@pytest.mark.parametrize("name", SHOWN)
def test_it_is_the_plan_of_a_call(name: str, tmp_path: Path) -> None:
    text = shown(tmp_path, "--size", "workers=3", name=name)
    sizes = {
        x: int(n) for x, n in re.findall(r"([\w.\[\]]+)=(\d+)", text.split("\n")[0])
    }
    n = sizes["n"]
    given: list[Any] = {
        "jacobi": lambda: [*np.ones((2, n, sizes["m"])), sizes["steps"]],
        "heat": lambda: [np.ones((n, n, n)), sizes["steps"]],
        "product": lambda: [
            np.ones((n, sizes["p"])),
            np.ones((sizes["p"], sizes["m"])),
            np.ones((n, sizes["m"])),
        ],
        "warshall": lambda: [np.ones((n, n))],
        "lu": lambda: [np.ones((n, n))],
    }[name]()
    plan = KERNEL(getattr(kernels, name)).on(3).plan(*given)
    assert text.split("\n\n", 1)[1] == f"{plan.drawing()}\n"
    assert sum(one.traffic.moved for one in plan.steps) == plan.moved
    assert sum(one.traffic.sent for one in plan.steps) == plan.sent
    assert sum(one.traffic.tasks for one in plan.steps) == plan.tasks


def test_halos_are_those_that_are_counted(tmp_path: Path) -> None:
    """The owner of each cell is looked up in the table that is drawn."""
    n, m = 23, 31
    sizes = (f"--size={x}" for x in (f"n={n}", f"m={m}", "steps=3", "workers=4"))
    text = shown(tmp_path, *sizes)
    table = text.split("s1, t=1:")[1].split("\n\n")[1].split("\n")
    columns = [int(x) for x in re.findall(r"j=(\d+)", table[0])]
    owner = {}
    for line in table[1:]:
        row, *workers = re.findall(r"\d+", line)
        for column, worker in zip(columns, workers, strict=True):
            for i in range(int(row), min(int(row) + 7, n - 1)):
                for j in range(column, min(column + 9, m - 1)):
                    owner[i, j] = int(worker)
    assert len(owner) == (n - 2) * (m - 2) and len({*owner.values()}) == 4
    moved = Counter(
        (owner[cell], worker)
        for (i, j), worker in owner.items()
        for cell in ((i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1))
        if owner.get(cell, worker) != worker
    )
    assert f"s1  t=1 to t=2: {8 * moved.total()} in each of 2\n" in text
    # One block of those on the border.
    block = text.split("s1, t=1:")[1].split("s2, ")[0]
    (i, j, own) = map(int, re.findall(r"i=(\d+) j=(\d+) on worker (\d+)", block)[0])
    got = re.findall(r"gets from worker (\d+) .*: (\d+) cells?\n", block)
    cells = [(a, b) for a, b in owner if i <= a < i + 7 and j <= b < j + 9]
    near = {
        (a + x, b + y) for a, b in cells for x, y in ((0, 1), (1, 0), (0, -1), (-1, 0))
    }
    far = Counter(owner[one] for one in near if owner.get(one, own) != own)
    assert far and {int(worker): int(many) for worker, many in got} == far


def test_large_tables_are_cut_short() -> None:
    plan: Plan = KERNEL(kernels.jacobi).on(2).plan(*GIVEN["jacobi"](200))
    lines = plan.drawing().split("\n")
    assert max(map(len, lines)) < 160 and len(lines) < 100
    assert any(line.endswith("  ..") for line in lines)


@pytest.mark.parametrize(
    ("name", "more", "code"),
    [
        ("plain.py", [], "LX601"),
        ("wrong.py", [], "LX202"),
        ("fine.py", ["--size", "workers=0"], "LX103"),
        ("fine.py", ["--size", "workers=99999"], "LX103"),
        ("fine.py", ["--size", "k=3"], "LX104"),
    ],
)
def test_what_is_not_drawn(
    name: str, more: list[str], code: str, tmp_path: Path, capsys: Any
) -> None:
    file, made = tmp_path / name, tmp_path / "out.txt"
    file.write_text(TEXTS[name])
    assert cli.main(["show", str(file), "-o", str(made), *more]) in (1, 2)
    said = capsys.readouterr().err
    assert code in said and "hint: " in said and not made.exists()


def test_files_of_others_stay(tmp_path: Path, capsys: Any) -> None:
    file, made = tmp_path / "fine.py", tmp_path / "out.txt"
    file.write_text(TEXTS["fine.py"])
    made.write_text("mine")
    assert cli.main(["show", str(file), "-o", str(made)]) == 2
    assert made.read_text() == "mine" and "LX404" in capsys.readouterr().err
    made.unlink()
    for _ in range(2):
        assert cli.main(["show", str(file), "-o", str(made)]) == 0
    assert "writes A[0:4]: 4 cells" in made.read_text()
