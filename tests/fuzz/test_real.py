"""The tier that changes functions of people: alike each time, and it finds faults."""

from __future__ import annotations

import ast
import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from fuzz.real import child, tier
from fuzz.real.edits import edited
from fuzz.real.given import changed
from fuzz.real.scheduled import commented, schedule
from looptx.native.call.report import Report

TEXT = """\
def total(x, n):
    s = 0.0
    for i in range(n):
        if x[i] > 0.5:
            s += x[i] * 2
    return s
"""


def made(seed: int) -> str:
    tree = ast.parse(TEXT)
    (function,) = tree.body
    assert isinstance(function, ast.FunctionDef)
    random = Random(seed)
    edited(function, random)
    schedule(function, random)
    return commented(ast.unparse(tree))


def test_changes_are_python_and_the_same_each_time() -> None:
    texts = [made(seed) for seed in range(60)]

    assert texts == [made(seed) for seed in range(60)]
    assert len(set(texts)) > 50
    for text in texts:
        compile(text, "f.py", "exec")
        assert ("    # looptx: " in text) == ("for i in" in text)


def test_arguments_are_the_same_at_all_sizes() -> None:
    for seed in map(str, range(40)):
        small, large = (
            changed((np.linspace(0.1, 1, n), np.arange(n), 3), seed) for n in (4, 9)
        )
        assert [type(one) for one in small] == [type(one) for one in large]
        assert [one.dtype for one in small[:2]] == [one.dtype for one in large[:2]]


@pytest.mark.skipif(not shutil.which("cc"), reason="needs a C compiler")
def test_changed_functions_leave_behind_what_python_leaves() -> None:
    found = tier.part((3, 1))

    assert not found.failures
    assert found.notes["native functions"] >= 4


class Off:
    """A kernel that gives something else."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function

    def __call__(self, *arguments: Any) -> Any:
        return self.function(*arguments), 1

    def report(self) -> Report:
        return Report("f", ())


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_what_a_kernel_gets_wrong_is_found(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(child.looptx, "kernel", Off)
    monkeypatch.setattr(child, "PATIENCE", 0)

    assert len(child.run(14, tmp_path).wrong) > 4
