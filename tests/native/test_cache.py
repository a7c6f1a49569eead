"""The cache: private, verified, atomic, shared by processes, never too large."""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest.mock import Mock

import pytest

from looptx.errors import BuildFailed
from looptx.native.cache import eviction, places, scratch, store
from looptx.native.compile import compiler, keys

KEY = "ab" * 32
OTHER = "cd" * 32

posix = pytest.mark.skipif(os.name != "posix", reason="owners and modes are of posix")
as_root = pytest.mark.skipif(
    os.name != "posix" or os.geteuid() != 0, reason="only root gives files away"
)


@pytest.fixture(autouse=True)
def no_private_directory(monkeypatch):
    """What one test put into the private directory, the next shall not find."""
    monkeypatch.setattr(places, "_private", {})
    monkeypatch.setattr(places, "_copied", [])


def draft(content: bytes = b"library", key: str = KEY) -> store.Entry:
    """Publish a library."""
    with store.workspace() as directory:
        folder = directory / "entry"
        folder.mkdir()
        (folder / "module.so").write_bytes(content)
        (folder / store.TEXT).write_text("text")
        return store.publish(key, folder, "module.so", "name")


def test_publish_and_find(fresh_cache):
    assert store.find(KEY) is None
    entry = draft()
    assert entry == store.find(KEY)
    assert entry.library.read_bytes() == b"library"
    assert (entry.module, entry.text) == ("name", "text")
    assert entry.library.is_relative_to(fresh_cache)
    assert eviction.entries() == 1
    assert eviction.size() > 7


def test_the_first_to_publish_wins(fresh_cache):
    draft(b"first")
    assert draft(b"second").library.read_bytes() == b"first"


def swapped(library: Path) -> None:
    """The valid files of another key."""
    other = draft(b"another", OTHER).library.parent
    for path in other.iterdir():
        path.replace(library.with_name(path.name))


def linked(library: Path) -> None:
    """The right content, through a symbolic link."""
    library.rename(library.with_name("moved"))
    library.symlink_to("moved")


def linked_folder(library: Path) -> None:
    """The whole entry, through a symbolic link."""
    folder = library.parent
    folder.rename(folder.with_name("moved"))
    folder.symlink_to("moved")


def of_manifest(before: str, after: str):
    """A change in the manifest that leaves it JSON."""

    def change(library: Path) -> None:
        path = library.with_name(store.MANIFEST)
        text = path.read_text()
        assert before in text
        path.write_text(text.replace(before, after))

    return change


DAMAGE = {
    "longer": lambda library: library.write_bytes(b"library+"),
    "changed": lambda library: library.write_bytes(b"LIBRARY"),
    "emptied": lambda library: library.write_bytes(b""),
    "gone": Path.unlink,
    "text": lambda library: library.with_name(store.TEXT).write_text("test"),
    "manifest": lambda library: library.with_name(store.MANIFEST).write_text("{"),
    "deep": lambda library: library.with_name(store.MANIFEST).write_text("[" * 99_999),
    "list": lambda library: library.with_name(store.MANIFEST).write_text("[]"),
    "name": of_manifest('"module": "name"', '"module": "game"'),
    "key": of_manifest('"module"', '"MODULE"'),
    "outside": of_manifest('"module.so"', '"../module.so"'),
    "other": swapped,
    "link": linked,
    "link to folder": linked_folder,
    "writable": lambda library: library.chmod(0o666),
    "writable folder": lambda library: library.parent.chmod(0o770),
    "pipe": lambda library: (library.unlink(), os.mkfifo(library, 0o600)),
}


@posix
@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_entry_is_not_used_and_is_replaced(fresh_cache, damage):
    DAMAGE[damage](draft().library)
    assert store.find(KEY) is None
    assert draft().library.read_bytes() == b"library"
    assert store.find(KEY) is not None


@as_root
def test_what_another_user_wrote_is_not_used(fresh_cache):
    library = draft().library
    os.chown(library, 12345, 12345)
    assert store.find(KEY) is None
    assert draft().library.stat().st_uid == 0


def test_records(fresh_cache):
    assert store.load_record(KEY) is None
    store.save_record(KEY, {"a": [1, "ü"]})
    assert store.load_record(KEY) == {"a": [1, "ü"]}
    (path,) = fresh_cache.rglob("*.json")
    good = path.read_text()
    for text in ("{", "[]", "\0", good.replace("[1,", "[2,"), good.replace(" ", "  ")):
        path.write_text(text)
        assert store.load_record(KEY) is None
    store.save_record(OTHER, {"a": [1, "ü"]})
    (other,) = fresh_cache.rglob(f"{OTHER}.json")
    path.write_bytes(other.read_bytes())
    assert store.load_record(KEY) is None


def test_nothing_is_left_behind(fresh_cache):
    with pytest.raises(ZeroDivisionError), store.workspace() as directory:
        (directory / "x").write_text("x")
        raise ZeroDivisionError
    assert not directory.exists()


@posix
@pytest.mark.parametrize("mask", [0, 0o002, 0o022])
def test_only_its_user_can_write_it(tmp_path, monkeypatch, mask):
    before = os.umask(mask)
    try:
        place = tmp_path / "above" / "cache"
        monkeypatch.setenv("LOOPTX_CACHE_DIR", str(place))
        draft()
        store.save_record(KEY, {})
    finally:
        os.umask(before)
    assert store.find(KEY) is not None
    for path in (tmp_path / "above").rglob("*"):
        assert path.stat().st_mode & 0o077 == 0


def world(folder: Path) -> Path:
    folder.chmod(0o777)
    return folder


def group(folder: Path) -> Path:
    folder.chmod(0o770)
    return folder


def link(folder: Path) -> Path:
    (folder.parent / "link").symlink_to(folder)
    return folder.parent / "link"


def below(folder: Path) -> Path:
    folder.chmod(0o777)
    (folder / "cache").mkdir(mode=0o700)
    return folder / "cache"


def file(folder: Path) -> Path:
    (folder / "file").write_text("")
    return folder / "file"


def impossible(folder: Path) -> Path:
    return file(folder) / "cache"


def circle(folder: Path) -> Path:
    (folder / "circle").symlink_to(folder / "circle")
    return folder / "circle" / "cache"


def foreign(folder: Path) -> Path:
    os.chown(folder, 12345, 12345)
    return folder


def foreign_above(folder: Path) -> Path:
    (folder / "cache").mkdir(mode=0o700)
    os.chown(folder, 12345, 12345)
    return folder / "cache"


UNSAFE = {
    world: "written by other users",
    group: "written by other users",
    link: "symbolic link",
    below: "other users can write",
    file: "no directory",
    impossible: "cannot be used",
    circle: "cannot be used",
    foreign: "belongs to another user",
    foreign_above: "belongs to another user",
}


@posix
@pytest.mark.parametrize("make", UNSAFE, ids=lambda make: make.__name__)
def test_an_unsafe_directory_means_a_private_one_and_a_warning(
    tmp_path, monkeypatch, make
):
    if "foreign" in make.__name__ and os.geteuid() != 0:
        pytest.skip("only root gives directories away")
    folder = tmp_path / "folder"
    folder.mkdir(mode=0o700)
    place = make(folder)
    monkeypatch.setenv("LOOPTX_CACHE_DIR", str(place))
    before = sorted(tmp_path.rglob("*"))
    with pytest.warns(RuntimeWarning, match=UNSAFE[make]) as told:
        entry = draft()
        assert store.find(KEY) == entry
        store.save_record(KEY, {})
    assert len(told) == 1
    assert str(place) in str(told[0].message)
    assert entry.library.is_relative_to(places.private())
    assert places.private().stat().st_mode & 0o077 == 0
    assert sorted(tmp_path.rglob("*")) == before


def test_the_home_of_nobody_is_a_plain_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LOOPTX_CACHE_DIR", "~nobody of this name/cache")
    assert places.location() == tmp_path / "~nobody of this name" / "cache"


@posix
def test_what_an_unsafe_directory_holds_is_not_loaded(fresh_cache):
    draft()
    store.save_record(KEY, {})
    places._places.clear()
    fresh_cache.chmod(0o777)
    with pytest.warns(RuntimeWarning):
        assert store.find(KEY) is None
    assert store.load_record(KEY) is None


def test_a_cache_that_is_removed_is_made_again(fresh_cache):
    draft()
    shutil.rmtree(fresh_cache)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert store.find(KEY) is None
        with store.lock(KEY):
            assert draft(b"again").library.read_bytes() == b"again"
        shutil.rmtree(fresh_cache)
        store.save_record(KEY, {"kept": 1})
    assert store.load_record(KEY) == {"kept": 1}
    assert places.root() == fresh_cache
    assert fresh_cache.stat().st_mode & 0o077 == 0


def everybodys(place: Path) -> None:
    place.mkdir()
    place.chmod(0o777)


def linked(place: Path) -> None:
    place.with_name("elsewhere").mkdir()
    place.symlink_to("elsewhere")


@posix
@pytest.mark.parametrize(
    ("put", "reason"),
    [
        (everybodys, "can be written by other users"),
        (linked, "is a symbolic link"),
        (Path.touch, "is no directory"),
    ],
)
def test_something_unsafe_in_place_of_a_removed_cache_is_not_used(
    fresh_cache, put, reason
):
    draft()
    shutil.rmtree(fresh_cache)
    put(fresh_cache)
    before = sorted(fresh_cache.parent.rglob("*"))
    with pytest.warns(RuntimeWarning, match=reason) as told:
        assert store.find(KEY) is None
        assert draft().library.is_relative_to(places.private())
    assert len(told) == 1
    assert sorted(fresh_cache.parent.rglob("*")) == before


@posix
def test_a_sticky_directory_above_is_safe(tmp_path, monkeypatch):
    (tmp_path / "all").mkdir()
    (tmp_path / "all").chmod(0o1777)
    monkeypatch.setenv("LOOPTX_CACHE_DIR", str(tmp_path / "all" / "mine"))
    assert draft().library.is_relative_to(tmp_path)


@posix
def test_a_link_above_is_followed_once(tmp_path, monkeypatch):
    (tmp_path / "disk").mkdir(mode=0o755)
    (tmp_path / "home").symlink_to("disk")
    monkeypatch.setenv("LOOPTX_CACHE_DIR", str(tmp_path / "home" / "cache"))
    assert draft().library.is_relative_to(tmp_path / "disk" / "cache")


@posix
@pytest.mark.parametrize("part", ["", "nests", "work", "locks"])
def test_a_link_in_place_of_an_own_folder(fresh_cache, tmp_path, part):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir(mode=0o700)
    own = fresh_cache / places.FORMAT / part
    own.parent.mkdir(mode=0o700, exist_ok=True)
    (fresh_cache / places.FORMAT / part).symlink_to(elsewhere)

    def make() -> store.Entry:
        with store.lock(KEY):
            return draft()

    with pytest.warns(RuntimeWarning, match="symbolic link"):
        entry = store.carry_out(make)
    assert entry.library.is_relative_to(places.private())
    assert not any(elsewhere.iterdir())


def test_a_full_disk_is_still_read(fresh_cache):
    kept = draft()
    with pytest.warns(RuntimeWarning, match="No space left") as told:
        places.retreat(OSError(28, "No space left on device"))
        places.retreat(OSError(28, "No space left on device"))
    assert len(told) == 1
    assert draft(key=OTHER).library.is_relative_to(places.private())
    assert store.find(KEY) == kept
    assert store.find(OTHER) is not None


def failing(times: int, error: BaseException):
    """Work that fails some times and then succeeds."""
    errors = [error] * times

    def work() -> str:
        if errors:
            raise errors.pop()
        return "done"

    return work


def test_work_is_done_again_where_there_is_room(fresh_cache):
    gone = FileNotFoundError(2, "No such file or directory")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert store.carry_out(failing(1, gone)) == "done"
        assert places.root() == fresh_cache
    with pytest.warns(RuntimeWarning, match="No such file"):
        assert store.carry_out(failing(2, gone)) == "done"
    assert places.root() == places.private()


def test_a_build_that_failed_for_want_of_room_is_done_elsewhere(
    fresh_cache, monkeypatch
):
    refused = BuildFailed("LX502", "gcc refused the generated code")
    with pytest.raises(BuildFailed, match="gcc refused"):
        store.carry_out(failing(1, refused))
    full = OSError(28, "No space left on device")
    monkeypatch.setattr(places, "lacks_room", lambda: full)
    with pytest.warns(RuntimeWarning, match="No space left"):
        assert store.carry_out(failing(1, refused)) == "done"
    with pytest.raises(BuildFailed, match="nowhere") as caught:
        store.carry_out(failing(9, full))
    assert caught.value.hint


def test_other_errors_are_not_tried_again(fresh_cache):
    with pytest.raises(KeyboardInterrupt):
        store.carry_out(failing(1, KeyboardInterrupt()))


@posix
def test_a_forked_child_leaves_the_private_directory_alone(tmp_path):
    program = (
        "import os, sys, pathlib\n"
        "from looptx.native.cache import places\n"
        "mine = places.private()\n"
        "if os.fork() == 0:\n"
        "    assert places.private() != mine\n"
        "    sys.exit(0)\n"
        "assert os.wait()[1] == 0 and mine.is_dir()\n"
    )
    subprocess.run([sys.executable, "-c", program], env=child(tmp_path), check=True)
    assert not list(tmp_path.glob("looptx-*"))


KILLED = """
import os, sys
from looptx.native.cache import places, scratch
mine = places.private()
(mine / "library.so").touch()
print(mine, flush=True)
if sys.argv[1:] == ["stay"]:
    sys.stdin.read()
os.kill(os.getpid(), 9)
"""


@posix
def test_the_private_directories_of_killed_processes_are_removed(tmp_path, monkeypatch):
    start = {"env": child(tmp_path), "stdout": subprocess.PIPE, "text": True}
    command = [sys.executable, "-c", KILLED]
    killed = Path(subprocess.run(command, **start, check=False).stdout.strip())
    fresh = Path(subprocess.run(command, **start, check=False).stdout.strip())
    foreign, link = tmp_path / "looptx-foreign", tmp_path / "looptx-link"
    foreign.mkdir()
    aim = tmp_path / "elsewhere"
    aim.mkdir()
    link.symlink_to(aim)
    (aim / scratch.MARK).touch()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with subprocess.Popen([*command, "stay"], stdin=subprocess.PIPE, **start) as other:
        alive = Path(other.stdout.readline().strip())
        for directory in (killed, alive, aim):
            aged(directory / scratch.MARK, 1)
        places.private()
        assert not killed.exists()
        for left in (fresh, alive, foreign, link, aim / scratch.MARK):
            assert left.exists()
        other.stdin.close()


def child(temporary: Path) -> dict[str, str]:
    """An environment with another directory for temporary files."""
    root = str(Path(__file__).parents[2])
    return {**os.environ, "PYTHONPATH": root, "TMPDIR": str(temporary)}


def test_locks_take_turns(fresh_cache):
    inside: list[int] = []

    def work(_: int) -> None:
        with store.lock(KEY):
            inside.append(1)
            assert len(inside) == 1
            inside.pop()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(12)))


def aged(path: Path, days: float) -> None:
    """Let a file look as if it had been used days ago."""
    then = time.time() - days * eviction.DAY
    os.utime(path, (then, then))


def test_what_was_killed_is_swept_after_a_day(fresh_cache):
    old = places.folder("work") / "old"
    old.mkdir()
    (old / "nest.c").write_text("x")
    new = places.folder("work") / "new"
    new.mkdir()
    lock = places.folder("locks") / f"{KEY}.lock"
    lock.write_text("")
    aged(old, 1.1)
    aged(new, 0.9)
    aged(lock, 2)
    eviction.trim()
    assert not old.exists()
    assert new.exists()
    assert not lock.exists()


def test_the_least_recently_used_make_room(fresh_cache, monkeypatch):
    names = ["1" * 64, "2" * 64, "3" * 64]
    for days, key in enumerate(names):
        entry = draft(bytes(10_000), key)
        aged(entry.library.with_name(store.MANIFEST), 9 - days)
    monkeypatch.setenv("LOOPTX_CACHE_SIZE", "25K")
    assert store.find(names[0]) is not None  # now it is the youngest
    eviction.trim()
    assert [store.find(key) is not None for key in names] == [True, False, True]
    monkeypatch.setenv("LOOPTX_CACHE_SIZE", "0")
    eviction.trim()
    assert eviction.entries() == 1, "what was made last stays, whatever its size"


def test_it_is_looked_for_room_before_there_is_none(fresh_cache, monkeypatch):
    looks = []
    trim = eviction.trim
    monkeypatch.setattr(eviction, "trim", lambda: (looks.append(at), trim()))
    monkeypatch.setenv("LOOPTX_CACHE_SIZE", "200K")
    for at in range(30):
        eviction.make_room(draft(bytes(10_000), f"{at:064x}"))
        assert eviction.size() <= 200 << 10
    # At first, and when a fourth of what was left is full; each time when all is.
    assert looks == [0, 5, 9, 12, 14, 16, *range(17, 30)]
    monkeypatch.setenv("LOOPTX_CACHE_SIZE", "150K")
    eviction.make_room(draft(bytes(10_000), "f" * 64))
    assert eviction.size() <= 150 << 10


@pytest.mark.parametrize(
    ("said", "bytes_"),
    [
        ("", eviction.LIMIT),
        ("1000", 1000),
        ("2K", 2048),
        ("3 MiB", 3 << 20),
        ("1g", 1 << 30),
        ("much", eviction.LIMIT),
        ("-1", eviction.LIMIT),
        ("٣", eviction.LIMIT),
        ("9" * 5000, eviction.LIMIT),
    ],
)
def test_the_size_of_the_cache(monkeypatch, said, bytes_):
    monkeypatch.setenv("LOOPTX_CACHE_SIZE", said)
    assert eviction.limit() == bytes_


def test_clear_removes_only_its_own(fresh_cache):
    draft()
    (fresh_cache / "mine.txt").write_text("")
    assert eviction.clear() == 1
    assert eviction.entries() == 0
    assert (fresh_cache / "mine.txt").exists()


def test_digest_separates_its_parts():
    assert keys.digest("ab", "c") != keys.digest("a", "bc") != keys.digest("abc")
    assert set(keys.digest("\ud800", "/../")) <= set("0123456789abcdef")


def test_what_a_key_covers(fresh_cache, monkeypatch, tmp_path):
    script = tmp_path / "cc"
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    monkeypatch.setenv("CC", str(script))
    seen = [keys.nest_key("k", "nest", ())]

    def changed() -> None:
        compiler.identity.cache_clear()
        seen.append(keys.nest_key("k", "nest", ()))

    script.write_text("#!/bin/sh\n#\n")
    changed()
    os.utime(script, (1, 1))
    changed()
    monkeypatch.setenv("CC", f"{script} -O1")
    changed()
    monkeypatch.setenv("CPATH", "include")
    changed()
    monkeypatch.setattr(keys, "machine", lambda: "another")
    changed()
    monkeypatch.setattr("numpy.__version__", "2.99")
    changed()
    monkeypatch.setattr(compiler, "REQUIRED", ("-O3",))
    changed()
    assert len(set(seen)) == len(seen) == 8
    changed()
    assert seen[-1] == seen[-2]
    assert all(re.fullmatch("[0-9a-f]{64}", key) for key in seen)


def test_another_build_of_a_package_is_another_one(monkeypatch, tmp_path):
    with contextlib.suppress(ImportError):
        # What dask imports answers for packages, too, and in another way.
        importlib.import_module("importlib_metadata")
    (tmp_path / "lxfake").mkdir()
    (tmp_path / "lxfake" / "__init__.py").write_text("")
    record = tmp_path / "LxFake-1.0.dist-info" / "RECORD"
    record.parent.mkdir()
    record.write_text("one")
    monkeypatch.syspath_prepend(str(tmp_path))
    first = keys.package.__wrapped__("lxfake")
    record.write_text("two")
    second = keys.package.__wrapped__("lxfake")
    record.unlink()
    assert len({first, second, keys.package.__wrapped__("lxfake")}) == 3
    assert keys.package.__wrapped__("lxfake_not_there") == "none"


@pytest.mark.parametrize("error", [KeyError, FileNotFoundError, TypeError])
def test_a_package_without_metadata_is_unknown(error, monkeypatch, tmp_path):
    (tmp_path / "lxbare").mkdir()
    (tmp_path / "lxbare" / "__init__.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr("importlib.metadata.version", Mock(side_effect=error))
    assert keys.package.__wrapped__("lxbare") == "unknown"


def test_without_a_compiler_what_the_last_one_made_is_found(
    fresh_cache, monkeypatch, tmp_path
):
    script = tmp_path / "cc"
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    monkeypatch.setenv("CC", str(script))
    with_one = keys.compiler()
    keys.remember_compiler()
    script.unlink()
    compiler._find.cache_clear()
    assert keys.compiler() == with_one


def test_threads_agree_on_the_key(tmp_path):
    program = (
        "import sys, threading\n"
        "sys.setswitchinterval(1e-6)\n"
        "found = set()\n"
        "def ask():\n"
        "    from looptx.native.compile import compiler, keys\n"
        "    found.add((keys.machine.__wrapped__(), *compiler.find().argv))\n"
        "threads = [threading.Thread(target=ask) for _ in range(16)]\n"
        "for one in threads: one.start()\n"
        "for one in threads: one.join()\n"
        "assert len(found) == 1, found\n"
    )
    for _ in range(4):
        subprocess.run([sys.executable, "-c", program], env=child(tmp_path), check=True)


def test_the_machine_and_the_source_have_digests():
    assert len(keys.machine()) == len(keys.fingerprint()) == 64


def test_a_manifest_says_what_it_holds(fresh_cache):
    entry = draft()
    manifest = json.loads(entry.library.with_name(store.MANIFEST).read_text())
    files = manifest["content"]["files"]
    assert {name: one["size"] for name, one in files.items()} == {
        "module.so": 7,
        store.TEXT: 4,
    }
    assert all(len(one["sha256"]) == 64 for one in files.values())


def test_nothing_is_unpickled():
    for path in Path(store.__file__).parent.glob("*.py"):
        assert not re.search(r"\b(pickle|marshal|shelve)\b", path.read_text("utf-8"))
