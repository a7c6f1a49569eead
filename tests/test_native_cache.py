"""The cache: private, verified, atomic, shared by processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from looptx.errors import Malformed
from looptx.native import cache

KEY = "ab" * 32


def draft(content: bytes = b"library") -> cache.Entry:
    """Publish a library under KEY."""
    with cache.workspace() as directory:
        folder = directory / "entry"
        folder.mkdir()
        (folder / "module.so").write_bytes(content)
        (folder / cache.TEXT).write_text("text")
        return cache.publish(KEY, folder, "module.so", "name", "needs")


def test_digest_separates_its_parts():
    assert cache.digest("ab", "c") != cache.digest("a", "bc") != cache.digest("abc")
    assert set(cache.digest("\ud800", "/../")) <= set("0123456789abcdef")


def test_publish_and_find(fresh_cache):
    assert cache.find(KEY) is None
    entry = draft()
    assert entry == cache.find(KEY)
    assert entry.library.read_bytes() == b"library"
    assert (entry.module, entry.needs) == ("name", "needs")
    assert entry.library.is_relative_to(fresh_cache)
    assert cache.entries() == 1
    assert cache.size() > 7


def test_the_first_to_publish_wins(fresh_cache):
    draft(b"first")
    assert draft(b"second").library.read_bytes() == b"first"


@pytest.mark.parametrize("damage", ["longer", "changed", "gone", "manifest", "list"])
def test_a_damaged_entry_is_not_used_and_is_replaced(fresh_cache, damage):
    entry = draft()
    manifest = entry.library.parent / cache.MANIFEST
    if damage == "longer":
        entry.library.write_bytes(b"library+")
    elif damage == "changed":
        entry.library.write_bytes(b"LIBRARY")
    elif damage == "gone":
        entry.library.unlink()
    elif damage == "manifest":
        manifest.write_text("{")
    else:
        manifest.write_text("[]")
    assert cache.find(KEY) is None
    assert draft().library.read_bytes() == b"library"


def test_records(fresh_cache):
    assert cache.load_record(KEY) is None
    cache.save_record(KEY, {"a": [1, "ü"]})
    assert cache.load_record(KEY) == {"a": [1, "ü"]}
    (path,) = fresh_cache.rglob("*.json")
    for text in ("{", "[]", "\0"):
        path.write_text(text)
        assert cache.load_record(KEY) is None


def test_nothing_is_left_behind(fresh_cache):
    with pytest.raises(ZeroDivisionError), cache.workspace() as directory:
        (directory / "x").write_text("x")
        raise ZeroDivisionError
    assert not directory.exists()


@pytest.mark.skipif(os.name != "posix", reason="modes are of posix")
def test_only_its_user_can_write_it(fresh_cache):
    draft()
    for folder, _, _ in os.walk(fresh_cache / cache.FORMAT):
        assert os.stat(folder).st_mode & 0o022 == 0


@pytest.mark.skipif(os.name != "posix", reason="modes are of posix")
def test_a_directory_others_can_write_is_refused(tmp_path, monkeypatch):
    folder = tmp_path / "open"
    folder.mkdir()
    folder.chmod(0o777)
    monkeypatch.setenv("LOOPTX_CACHE_DIR", str(folder))
    with pytest.raises(Malformed) as caught:
        cache.root()
    assert caught.value.code == "LX404"
    assert "chmod" in caught.value.hint


def test_a_directory_that_cannot_be_made_is_replaced_by_a_private_one(
    tmp_path, monkeypatch
):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("LOOPTX_CACHE_DIR", str(tmp_path / "file" / "cache"))
    assert cache.root() != cache.location()
    assert draft().library.exists()


def test_clear_removes_only_its_own(fresh_cache):
    draft()
    (fresh_cache / "mine.txt").write_text("")
    assert cache.clear() == 1
    assert cache.entries() == 0
    assert (fresh_cache / "mine.txt").exists()


def test_locks_take_turns(fresh_cache):
    inside: list[int] = []

    def work(_: int) -> None:
        with cache.lock(KEY):
            inside.append(1)
            assert len(inside) == 1
            inside.pop()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(12)))


def test_processes_that_publish_at_once_all_succeed(fresh_cache, tmp_path):
    script = tmp_path / "publish.py"
    script.write_text(
        "import os\n"
        "from looptx.native import cache\n"
        "with cache.workspace() as d:\n"
        "    f = d / 'entry'\n"
        "    f.mkdir()\n"
        "    (f / 'm.so').write_bytes(os.urandom(1000))\n"
        f"    e = cache.publish('{KEY}', f, 'm.so', 'm')\n"
        "print(e.library.read_bytes().hex())\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    running = [
        subprocess.Popen(
            [sys.executable, str(script)],
            env=environment,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(4)
    ]
    printed = {process.communicate()[0] for process in running}
    assert all(process.returncode == 0 for process in running)
    assert len(printed) == 1


def test_the_machine_and_the_source_have_digests():
    assert len(cache.machine()) == len(cache.fingerprint()) == 64


def test_a_manifest_says_what_it_holds(fresh_cache):
    entry = draft()
    manifest = json.loads((entry.library.parent / cache.MANIFEST).read_text())
    assert manifest["size"] == 7
    assert len(manifest["sha256"]) == 64
