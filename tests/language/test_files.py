"""Directives kept in files of their own and in pyproject.toml."""

from __future__ import annotations

from pathlib import Path

import pytest

from looptx.errors import LooptxError
from looptx.language.files import load

LINES = """\
# for the vendor's code
[src/mm.py::matmul]
tile i=32 j=32
  parallel i

[Solver.sweep]
skew i t
"""
TOML = """\
[project]
name = "x"

[tool.looptx.schedules]
"src/mm.py::matmul" = ["tile i=32 j=32", "parallel i"]
"Solver.sweep" = "skew i t"
"""


def write(folder: Path, name: str, text: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize(
    ("name", "text", "lines"),
    [("mm.looptx", LINES, (3, 4, 7)), ("pyproject.toml", TOML, (5, 5, 6))],
)
def test_both_forms_say_the_same(
    tmp_path: Path, name: str, text: str, lines: tuple[int, ...]
) -> None:
    schedules = load(write(tmp_path, name, text))
    found = schedules.of("/some/where/src/mm.py")
    assert list(found) == ["matmul", "Solver.sweep"]
    assert [one.text for one in found["matmul"]] == ["tile i=32 j=32", "parallel i"]
    places = [one.place.line for group in found.values() for one in group]
    assert tuple(places) == lines
    assert set(schedules.of("other/mm.py")) == {"Solver.sweep"}
    assert found["matmul"][0].source.strip()


def test_an_entry_that_names_no_function_is_an_error(tmp_path: Path) -> None:
    schedules = load(write(tmp_path, "mm.looptx", LINES))
    known = {"src/mm.py": ["matmul"], "a.py": ["Solver.sweep"]}
    schedules.check_used(known, all_files=True)
    schedules.check_used({"src/mm.py": None}, all_files=True)
    with pytest.raises(LooptxError) as caught:
        schedules.check_used({"src/mm.py": ["matmul"]}, all_files=True)
    assert caught.value.code == "LX104"
    assert caught.value.place is not None and caught.value.place.line == 6


def test_an_entry_of_a_project_may_mean_a_file_that_was_not_read(
    tmp_path: Path,
) -> None:
    schedules = load(write(tmp_path, "pyproject.toml", TOML))
    schedules.check_used({"a.py": ["f"]}, all_files=False)
    with pytest.raises(LooptxError) as caught:
        schedules.check_used({"src/mm.py": ["matmull"]}, all_files=False)
    assert caught.value.code == "LX104"
    assert caught.value.place is not None and caught.value.place.line == 5


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        ("a.looptx", b"\xff\xfe", "LX402"),
        ("a.looptx", "tile i=32\n", "LX102"),
        ("a.looptx", "[mm.py::]\n", "LX102"),
        ("a.looptx", "[::f]\n", "LX102"),
        ("a.looptx", "[f\n", "LX102"),
        ("a.looptx", "[f g]\n", "LX102"),
        ("a.looptx", b"#" * 1_000_001, "LX401"),
        ("a.toml", "[tool", "LX401"),
        ("a.toml", "a = " + "[" * 20_000, "LX401"),
        ("a.toml", "a = 1" + "0" * 5000, "LX401"),
        ("a.toml", "[tool]\nlooptx = 3\n", "LX102"),
        ("a.toml", "[tool.looptx]\nschedules = 3\n", "LX102"),
        ("a.toml", "[tool.looptx.schedules]\nf = 3\n", "LX102"),
        ("a.toml", "[tool.looptx.schedules]\nf = [3]\n", "LX102"),
        ("a.toml", "[tool.looptx.schedules]\n'f g' = []\n", "LX102"),
    ],
)
def test_bad_files_have_codes(
    tmp_path: Path, name: str, text: str | bytes, code: str
) -> None:
    with pytest.raises(LooptxError) as caught:
        load(write(tmp_path, name, text))
    assert caught.value.code == code
    assert caught.value.place is not None and caught.value.hint


def test_missing_files_and_folders(tmp_path: Path) -> None:
    for path in (tmp_path / "none.toml", tmp_path):
        with pytest.raises(LooptxError) as caught:
            load(path)
        assert caught.value.code == "LX401"


def test_a_file_without_schedules_has_none(tmp_path: Path) -> None:
    assert load(write(tmp_path, "pyproject.toml", "[project]\n")).entries == ()
    assert load(write(tmp_path, "a.looptx", "")).entries == ()


@pytest.mark.parametrize("odd", ["\x0c", "\x0b", "\x1c", "\x85", "\u2028"])
def test_lines_end_where_an_editor_ends_them(tmp_path: Path, odd: str) -> None:
    path = write(tmp_path, "a.looptx", f"# a{odd}b\r\n# c\r[f\n")
    with pytest.raises(LooptxError) as caught:
        load(path)
    assert caught.value.place is not None and caught.value.place.line == 3
