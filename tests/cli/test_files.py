"""Which files are worked on, and how they are replaced."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from looptx.cli import files
from looptx.errors import LooptxError


def make(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x = 1\n", encoding="utf-8")


def found(folder: Path, *exclude: str) -> list[str]:
    targets, errors = files.collect([str(folder)], exclude)
    assert not errors
    return [target.relative.as_posix() for target in targets]


def test_a_folder_is_walked(tmp_path: Path) -> None:
    make(tmp_path, "b.py", "a.py", "text.txt", "p/c.py", "p/q/d.py")
    assert found(tmp_path) == ["a.py", "b.py", "p/c.py", "p/q/d.py"]


def test_foreign_folders_are_skipped(tmp_path: Path) -> None:
    make(tmp_path, "a.py", ".venv/b.py", ".git/c.py", "build/d.py", "x.egg-info/e.py")
    make(tmp_path, "env/lib/f.py", "env/pyvenv.cfg", "__pycache__/g.py")
    assert found(tmp_path) == ["a.py"]


def test_a_named_file_is_never_skipped(tmp_path: Path) -> None:
    make(tmp_path, "build/d.txt")
    targets, errors = files.collect([str(tmp_path / "build" / "d.txt")])
    assert [target.named for target in targets] == [True]
    assert not errors


def test_exclude(tmp_path: Path) -> None:
    make(tmp_path, "a.py", "gen_a.py", "old/b.py", "old/deep/c.py", "new/d.py")
    assert found(tmp_path, "gen_*") == ["a.py", "new/d.py", "old/b.py", "old/deep/c.py"]
    assert found(tmp_path, "old/") == ["a.py", "gen_a.py", "new/d.py"]
    assert found(tmp_path, "*/deep/*.py", "a.py") == [
        "gen_a.py",
        "new/d.py",
        "old/b.py",
    ]


def test_exclude_relative(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path, "p/a.py", "q/a.py")
    monkeypatch.chdir(tmp_path)
    targets, _ = files.collect(["."], ["./p/*.py"])
    assert [target.path.as_posix() for target in targets] == ["q/a.py"]


def test_a_file_is_found_once(tmp_path: Path) -> None:
    make(tmp_path, "a.py")
    (tmp_path / "link.py").symlink_to("a.py")
    targets, _ = files.collect([str(tmp_path / "a.py"), str(tmp_path)])
    assert [target.path.name for target in targets] == ["a.py"]


def test_links_out_of_the_folder_are_not_followed(tmp_path: Path) -> None:
    make(tmp_path, "inside/a.py", "outside/b.py")
    (tmp_path / "inside" / "b.py").symlink_to(tmp_path / "outside" / "b.py")
    (tmp_path / "inside" / "lost.py").symlink_to("nowhere")
    (tmp_path / "inside" / "more").symlink_to(tmp_path / "outside")
    assert found(tmp_path / "inside") == ["a.py"]


def test_a_missing_file_does_not_stop_the_others(tmp_path: Path) -> None:
    make(tmp_path, "a.py")
    missing = str(tmp_path / "missing.py")
    targets, errors = files.collect([missing, str(tmp_path / "a.py")])
    assert len(targets) == 1
    assert [error.concise() for error in errors] == [
        f"{missing}:1:1: LX401 no such file or directory"
    ]


def test_replace_keeps_mode_and_leaves_nothing_behind(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"old")
    path.chmod(0o741)
    files.replace(path, b"new", b"old")
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o741
    assert os.listdir(tmp_path) == ["a.py"]


def test_replace_keeps_links(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    real = tmp_path / "deep" / "real.py"
    real.write_bytes(b"old")
    link = tmp_path / "link.py"
    link.symlink_to(Path("deep", "real.py"))
    files.replace(link, b"new", b"old")
    assert link.is_symlink()
    assert os.readlink(link) == os.path.join("deep", "real.py")
    assert real.read_bytes() == b"new"


def refused(path: Path) -> str:
    with pytest.raises(LooptxError) as caught:
        files.replace(path, b"new", b"old")
    assert caught.value.code == "LX404"
    assert caught.value.place is not None
    return caught.value.message


def test_replace_refuses_read_only(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"old")
    path.chmod(0o444)
    assert "read-only" in refused(path)
    assert path.read_bytes() == b"old"


def test_replace_refuses_a_file_that_changed(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"edited")
    assert "changed" in refused(path)
    assert path.read_bytes() == b"edited"


def test_replace_refuses_what_is_no_file(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    assert "regular" in refused(path)


def test_a_failed_write_leaves_the_file_and_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    assert "no space" in refused(path)
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a.py"]


def test_create_makes_folders_and_replaces(tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / "a.py"
    files.create(path, b"one")
    files.create(path, b"two")
    assert path.read_bytes() == b"two"
    assert os.listdir(path.parent) == ["a.py"]
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~mask


def test_create_refuses_a_folder(tmp_path: Path) -> None:
    with pytest.raises(LooptxError) as caught:
        files.create(tmp_path, b"text")
    assert caught.value.code == "LX404"


def test_huge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "LIMIT", 4)
    path = tmp_path / "a.py"
    path.write_bytes(b"1234")
    assert files.read(path) == b"1234"
    path.write_bytes(b"12345")
    with pytest.raises(LooptxError) as caught:
        files.read(path)
    assert caught.value.code == "LX304"
