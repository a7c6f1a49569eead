"""What may happen to the cache of a running program; see ``stress.py`` for more of it.

Every case is a process of its own that calls a kernel. Its result must be Python's, and
where native code can be had, it must be native.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import stress

from looptx import cli

pytestmark = [
    pytest.mark.skipif(os.name != "posix", reason="signals and scripts are of posix"),
    pytest.mark.skipif(
        not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="needs a C compiler"
    ),
]

MOUNT = """\
mount -t tmpfs -o mode=700,{options} none "{place}" || exit 99
{before}
exec "$@"
"""


@pytest.fixture(scope="module", autouse=True)
def warm(tmp_path_factory):
    """A cache with a compiled kernel and the module that all kernels share."""
    folder = tmp_path_factory.mktemp("warm")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CC", stress.compiler(folder))
        assert stress.run(folder / "cache", "call", 2)["right"]
        yield folder / "cache"


@pytest.fixture
def cache(warm, tmp_path):
    """A copy of it."""
    shutil.copytree(warm, tmp_path / "cache")
    return tmp_path / "cache"


def script(path: Path, text: str) -> str:
    """What the compiler does before its work, for ``STRESS_CC``."""
    path.write_text(text)
    return str(path)


def mounted(place: Path, options: str, before: str = "") -> list[str]:
    """A command that runs another one with a file system of its own mounted."""
    place.mkdir(exist_ok=True)
    text = MOUNT.format(place=place, options=options, before=before)
    command = ["unshare", "--mount", "sh", "-c", text, "sh"]
    if os.geteuid() != 0:
        command[1:1] = ["--user", "--map-root-user"]
    try:
        done = subprocess.run([*command, "true"], capture_output=True)
    except OSError:
        pytest.skip("needs unshare")
    if done.returncode:
        pytest.skip("nothing can be mounted here")
    return command


def said(outcome) -> str:
    """The warnings of a child, one text."""
    return "\n".join(outcome["warnings"])


def test_processes_that_call_a_cold_kernel_at_once(cache):
    figures = stress.processes(cache, 4, 3)
    assert figures.passed, figures


def test_threads_that_call_a_cold_kernel_at_once(cache):
    figures = stress.threads(cache, 32, 4)
    assert figures.passed, figures


def test_kills_at_random_moments(cache):
    figures = stress.kills(cache, 1, 100, random.Random())
    assert figures.passed, figures


def test_kills_before_steps_of_publishing(tmp_path):
    figures = stress.killed_steps(tmp_path, stride=7)
    assert figures.passed, figures


def test_random_damage(cache):
    figures = stress.flips(cache, 100, 2, random.Random())
    assert figures.passed, figures


def test_a_damaged_kernel_is_built_again(cache):
    figures = stress.corruptions(cache, 2, ["zeroed"])
    assert figures.passed, figures


def test_a_full_disk(cache, tmp_path):
    place = tmp_path / "small"
    before = mounted(place, "size=400k", f'cp -a "{cache}/." "{place}"')
    outcome = stress.run(place, "call", 5, before=before)
    assert outcome["right"]
    assert outcome["origin"] == "compiled"
    assert "cannot be written (No space left on device)" in said(outcome)


def test_no_room_anywhere(cache, tmp_path):
    program = (
        "import resource, runpy, sys\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))\n"
        "sys.argv[1:2] = []\n"
        "sys.path.insert(0, sys.argv[1].rpartition('/')[0])\n"
        "sys.argv[0:1] = []\n"
        "runpy.run_path(sys.argv[0], run_name='__main__')\n"
    )
    outcome = stress.run(cache, "call", 6, before=[sys.executable, "-c", program])
    assert outcome["right"]
    assert outcome["origin"] is None
    assert "runs as plain Python" in said(outcome) or outcome["failures"]


def test_a_read_only_cache_is_read(cache, tmp_path):
    place = tmp_path / "mounted"
    copy = f'cp -a "{cache}/." "{place}" && mount -o remount,ro "{place}"'
    before = mounted(place, "size=9m", copy)
    outcome = stress.run(place, "call", 2, before=before)
    assert outcome["right"]
    assert outcome["origin"] == "cache"
    assert "cannot be written" in said(outcome)


def test_a_cache_without_execution(cache, tmp_path):
    place = tmp_path / "mounted"
    before = mounted(place, "size=9m,noexec", f'cp -a "{cache}/." "{place}"')
    outcome = stress.run(place, "call", 2, before=before)
    assert outcome["right"]
    assert outcome["origin"] == "cache"
    assert "cannot be loaded from" in said(outcome)


def test_a_compiler_that_vanishes_in_the_middle(cache, tmp_path):
    gone = tmp_path / "cc"
    shutil.copy(os.environ["CC"], gone)
    remove = script(tmp_path / "rm", 'case "$*" in *_looptx_*) rm "$0"; exit 1;; esac')
    outcome = stress.run(cache, "call", 7, CC=str(gone), STRESS_CC=remove)
    assert outcome["right"]
    assert outcome["origin"] is None
    assert any("LX501" in one for one in outcome["failures"])
    assert "runs as" in said(outcome) or "run as" in said(outcome)


def test_without_a_compiler_what_is_kept_still_runs(cache, tmp_path):
    away = Path(os.environ["CC"]).rename(tmp_path / "away")
    try:
        outcome = stress.run(cache, "call", 2)
    finally:
        away.rename(os.environ["CC"])
    assert outcome["right"] and outcome["origin"] == "cache"


def test_a_compiler_that_refuses(cache, tmp_path):
    refusing = script(
        tmp_path / "cc",
        'case "$*" in *_looptx_*) echo "x.c:1:2: error: no such luck" >&2;'
        " exit 1;; esac",
    )
    outcome = stress.run(cache, "call", 8, STRESS_CC=refusing)
    assert outcome["right"] and outcome["origin"] is None
    assert "no such luck" in said(outcome)
    (folder,) = (cache / "v2" / "failed").iterdir()
    assert str(folder) in said(outcome)
    names = {path.name.rpartition(".")[2]: path for path in folder.iterdir()}
    assert {"pyx", "c", "txt"} <= set(names)
    assert "-ffp-contract=off" in names["txt"].read_text()
    assert "no such luck" in names["txt"].read_text()
    again = stress.run(cache, "call", 8)
    assert again["right"] and again["origin"] == "compiled"


KERNEL = """\
def scale(A: "float64[:]", n: int):
    # looptx: split i 4
    for i in range(n):
        A[i] = 2.0 * A[i]
"""


@pytest.mark.parametrize("verbose", [False, True])
def test_the_command_says_more_when_asked(
    fresh_cache, tmp_path, monkeypatch, capsys, verbose
):
    refusing = script(
        tmp_path / "cc",
        'case "$*" in *mm.c*) echo "mm.c:1:2: error: no such luck" >&2; exit 1;; esac',
    )
    monkeypatch.setenv("STRESS_CC", refusing)
    source = tmp_path / "mm.py"
    source.write_text(KERNEL)
    status = cli.main(["build", str(source), *(["--verbose"] if verbose else [])])
    told = capsys.readouterr().err
    (folder,) = (fresh_cache / "v2" / "failed").iterdir()
    assert status == 1
    assert "LX502" in told and str(folder) in told
    assert ("no such luck" in told) == verbose
    assert ("--verbose" in told) != verbose
    assert (folder / "mm.c").exists()


def _runs(process: int) -> bool:
    """Whether a process runs; one that died may wait for its parent to notice."""
    stat = Path(f"/proc/{process}/stat")
    return stat.exists() and stat.read_text().rpartition(")")[2].split()[0] != "Z"


def test_an_interrupt_while_the_compiler_runs(cache, tmp_path):
    slow = tmp_path / "slow"
    slow.write_text("")
    started = tmp_path / "started"
    waiting = script(
        tmp_path / "cc",
        f'case "$*" in *_looptx_*) if [ -e "{slow}" ]; then\n'
        f'sleep 600 & echo $! >"{started}"; wait; fi;; esac',
    )
    more = {"STRESS_CC": waiting, "STRESS_SLOW": str(slow)}
    child = stress.start(cache, "interrupt", 9, **more)
    until = time.monotonic() + 60
    while not (started.exists() and started.read_text()):
        assert time.monotonic() < until
        time.sleep(0.05)
    child.send_signal(signal.SIGINT)
    outcome = stress.result(child)
    assert outcome["interrupted"]
    assert outcome["left"] == 0
    assert outcome["right"] and outcome["origin"] == "compiled"
    assert not _runs(int(started.read_text()))
