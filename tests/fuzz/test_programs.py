"""Texts of random programs that looptx rewrites stay clean, and their numbers equal.

What the oracles do not look at: rules of a linter, and real arrays of NumPy's.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import black
import pytest
from kit.samples import some

from fuzz.generate.program import SCHEDULES, program
from fuzz.generate.unusual import KINDS, unusual
from fuzz.oracles.arrays import difference
from fuzz.programs.model import Program
from fuzz.tiers.case import transformed

CASES = some(30)
PARTS = 2
"""The cases are shared between so many tests, for parallel test runs."""


def drawn(seed: int) -> Program:
    """A program of the tier, with ways to write that are seldom seen among them."""
    return unusual(program(seed), seed // SCHEDULES)


@pytest.mark.parametrize("part", range(PARTS))
def test_rewritten_programs_leave_the_same_bits(part: int) -> None:
    accepted = 0
    for seed in range(part * 100_000, part * 100_000 + CASES // PARTS):
        made = drawn(seed)
        found = transformed(made.text())
        if not found.code:
            accepted += 1
            assert not difference(made, found.text, seed), made.text()
    assert accepted >= 0.3 * CASES // PARTS


def test_every_way_is_drawn() -> None:
    changed = sum(program(4 * x) != drawn(4 * x) for x in range(400))
    assert 20 < changed < 80
    assert len(set(KINDS)) == 8


def test_rewritten_files_stay_clean(tmp_path: Path) -> None:
    pytest.importorskip("ruff")
    folders = tmp_path / "before", tmp_path / "after"
    for folder in folders:
        folder.mkdir()
    for seed in range(max(CASES // 5, 3)):
        text = black.format_str(drawn(7 * seed).text(), mode=black.Mode())
        found = transformed(text)
        if found.code:
            continue
        assert black.format_str(found.text, mode=black.Mode()) == found.text, text
        again = transformed(found.text)
        assert (again.code, again.text) == ("", found.text)
        for folder, content in zip(folders, (text, found.text), strict=True):
            (folder / f"p{seed}.py").write_text(content)
    complaints = [_complaints(folder) for folder in folders]
    # A temporary that the source never reads becomes a variable that nobody reads.
    unread = {
        (path.name, f"F841 Local variable `{name}` is assigned to but never used")
        for path in folders[0].iterdir()
        for name in _unread(path.read_text())
    }
    assert set(complaints[1]) <= set(complaints[0]) | unread


def _unread(text: str) -> Iterator[str]:
    """The variables of every function that only their own statements read.

    Elements may be assigned and combined with something: that reads what it writes.
    And numbers that are set around the nests, where nothing changes, may be read in
    loops alone that never run.
    """
    for function in ast.parse(text).body:
        if isinstance(function, ast.FunctionDef):
            for line in function.body:
                match line:
                    case ast.Assign([ast.Name(name)], ast.Constant()):
                        yield name
            nodes = list(ast.walk(function))
            written = {
                id(node.value)
                for node in nodes
                if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store)
            }
            names = [node for node in nodes if isinstance(node, ast.Name)]
            read = {
                node.id
                for node in names
                if isinstance(node.ctx, ast.Load) and id(node) not in written
            }
            yield from {node.id for node in names} - read


def _complaints(folder: Path) -> list[tuple[str, str]]:
    """(file, rule) of everything that ruff dislikes; an F841 with what it says."""
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache"]
    options = ["--select", "E4,E7,E9,F,ERA", "--output-format", "concise", str(folder)]
    run = subprocess.run([*command, *options], capture_output=True, text=True)
    assert run.returncode in (0, 1), run.stderr
    return [
        (match[1], match[2])
        for line in run.stdout.splitlines()
        if (match := re.search(r"(p\d+\.py):\d+:\d+: (F841 .+|\w+)", line))
    ]
