"""One run tells all that can be said to be wrong, in the order of the file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from looptx.cli import main
from looptx.cli.text import transform_text
from looptx.errors import LooptxError
from looptx.plan import plan_kernel
from looptx.source import read

TEXT = """\
def waits(A, n):
    # looptx: tile i 8
    while n:
        n -= 1


def misspelt(A, n):
    # looptx: vectorise i | split i 8 | paralell i
    # looptx: tile i=0
    for i in range(n):
        A[i] = i
    # looptx: splitt j 8 | unroll =
    for j in range(n):
        A[j] = j


def refused(A, B, n):
    # looptx: parallel i
    for i in range(1, n):
        A[i] = A[i - 1]
    # looptx: parallel j
    for j in range(1, n):
        B[j] = B[j - 1]


def unreadable(A, n):
    # looptx: parallel i
    for i in range(n):
        A[i] = yield  # looptx: behind code
"""

WRONG = [
    (2, "LX305"),
    (8, "LX101"),
    (8, "LX101"),
    (9, "LX103"),
    (12, "LX102"),
    (18, "LX202"),
    (21, "LX202"),
    (29, "LX301"),
    (29, "LX107"),
]


def test_a_run_tells_everything() -> None:
    result = transform_text(TEXT, "f.py")
    assert result.text == TEXT
    told = [(e.place and e.place.line, e.code) for e in result.errors]
    assert sorted(told, key=str) == sorted(WRONG, key=str)
    assert told == sorted(told, key=lambda each: each[0] or 0)
    assert len({str(error) for error in result.errors}) == len(WRONG)


@pytest.mark.parametrize("command", ["transform", "build"])
def test_commands_show_everything(
    command: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "f.py"
    file.write_text(TEXT)
    assert main([command, str(file), "--output-format", "json"]) == 2
    errors = json.loads(capfd.readouterr().out)["errors"]
    assert {2, 29} <= {error["line"] for error in errors}


def test_an_exception_has_the_others_with_it() -> None:
    text = TEXT[TEXT.index("def refused") : TEXT.index("def unr")]
    (kernel,) = read(text, "f.py").kernels
    with pytest.raises(LooptxError) as caught:
        plan_kernel(kernel)
    assert [error.code for error in caught.value.together] == ["LX202", "LX202"]
