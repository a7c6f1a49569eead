"""Forks while other threads, or the forking one itself, are at work."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from looptx import forks
from looptx.native.compile.compiler import Compiler
from looptx.poly import budget

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
needs_compiler = pytest.mark.skipif(
    not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="needs a C compiler"
)


def in_child(check: Callable[[], bool]) -> bool:
    """Whether ``check`` is true in a forked child."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            signal.alarm(30)
            status = 0 if check() else 2
        finally:
            os._exit(status)
    return os.waitpid(child, 0)[1] == 0


class Holder:
    """A thread that holds a lock until it is told to give it back."""

    def __init__(self, lock: forks.Lock) -> None:
        self._lock = lock
        self._held, self._enough = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._hold)

    def _hold(self) -> None:
        with self._lock:
            self._held.set()
            self._enough.wait(60)

    def release(self) -> None:
        """Let the thread go on."""
        self._enough.set()

    def __enter__(self) -> Holder:
        self._thread.start()
        assert self._held.wait(60)
        return self

    def __exit__(self, *_: object) -> None:
        self.release()
        self._thread.join()


def test_a_lock_that_another_thread_held_is_free_and_what_it_protects_new() -> None:
    renewed: list[int] = []
    lock = forks.Lock(lambda: renewed.append(1))
    with Holder(lock):
        assert in_child(lambda: lock.acquire(0) and renewed == [1])
        assert not lock.acquire(0)
    assert in_child(lambda: lock.acquire(0) and not renewed)
    assert not renewed


def test_a_lock_that_the_forking_thread_holds_stays_its_own() -> None:
    renewed: list[int] = []
    lock = forks.Lock(lambda: renewed.append(1))

    def held_twice() -> bool:
        with lock:
            pass
        lock.release()
        lock.release()
        try:
            lock.release()
        except RuntimeError:
            return not renewed
        return False

    with lock, lock:
        assert in_child(held_twice)


@pytest.fixture
def awaited(monkeypatch: pytest.MonkeyPatch) -> forks.Lock:
    """A lock that forks wait for."""
    monkeypatch.setattr(forks, "_awaited", [*forks._awaited])
    return forks.Lock(awaited=True)


def test_a_fork_waits_for_the_end_of_a_step(awaited: forks.Lock) -> None:
    renewed: list[int] = []
    awaited._renew = lambda: renewed.append(1)
    with Holder(awaited) as holder:
        threading.Timer(0.3, holder.release).start()
        start = time.monotonic()
        assert in_child(lambda: awaited.acquire(0) and not renewed)
        assert time.monotonic() - start > 0.2
    assert awaited.acquire(0)
    awaited.release()


def test_a_fork_does_not_wait_for_ever(
    awaited: forks.Lock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forks, "PATIENCE", 0.2)
    with Holder(awaited):
        assert in_child(lambda: awaited.acquire(0))
        assert not awaited.acquire(0)
    with awaited:
        assert in_child(lambda: awaited.acquire(0))


def test_an_isl_context_in_use_is_left_to_the_parent() -> None:
    before = budget._context

    def new() -> bool:
        with budget.budget():
            return budget._context is not before

    with Holder(budget._lock):
        assert in_child(new)
    assert not in_child(new)
    with budget.budget():
        assert not in_child(new)
    assert budget._context is before


@pytest.mark.parametrize("raised", [False, True], ids=["goes on", "raises"])
def test_the_compiler_of_the_parent_is_not_the_childs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, raised: bool
) -> None:
    children: list[int] = []
    communicate = subprocess.Popen.communicate

    def handler(process: subprocess.Popen[bytes], timeout: float) -> object:
        children.append(os.fork())
        if raised and children == [0]:
            raise KeyboardInterrupt
        return communicate(process, timeout=timeout)

    monkeypatch.setattr(subprocess.Popen, "communicate", handler)
    fails = "import time; time.sleep(0.5); raise SystemExit(3)"
    compiler = Compiler((sys.executable, "-c", fails))
    status, right = 0, False
    try:
        status, _ = compiler.run((), tmp_path)
    except (KeyboardInterrupt, ChildProcessError) as error:
        right = isinstance(error, KeyboardInterrupt) == raised
    finally:
        if children == [0]:
            os._exit(0 if right else 1)
    assert status == 3
    assert os.waitpid(children[0], 0)[1] == 0


# Kernels. Two threads of a program meet in the middle of a step of the first call.

PROGRAM = """
    import multiprocessing
    import os
    import signal
    import sys
    import threading
    import importlib

    import numpy as np

    import looptx
    from looptx import forks

    @looptx.kernel("split i 4")
    def one_UNIQUE(A):
        for i in range(A.shape[0]):  # here
            A[i] = A[i] / 3 + i

    @looptx.kernel
    def two_UNIQUE(A):
        for i in range(A.shape[0]):
            A[i] = A[i] / 7 - i

    def right(kernel):
        ours, theirs = np.arange(7.0), np.arange(7.0)
        kernel(ours)
        kernel.py_func(theirs)
        (nest,) = kernel.report().nests
        assert (nest.calls, dict(nest.fallbacks)) == (1, {}), nest
        return ours.tobytes() == theirs.tobytes()

    def both():
        signal.alarm(120)
        assert right(one_UNIQUE) and right(two_UNIQUE)

    def at_first(steps, action):
        \"\"\"Do something when a thread first comes to the last of steps.\"\"\"
        step, *later = steps.split(" > ")
        module, name = step.split(":")
        owner = importlib.import_module(module)
        for part in name.split(".")[:-1]:
            owner = getattr(owner, part)
        name = name.split(".")[-1]
        original = getattr(owner, name)
        def patched(*args, **options):
            if getattr(owner, name) is patched:
                setattr(owner, name, original)
                if later:
                    at_first(*later, action)
                else:
                    action()
            return original(*args, **options)
        setattr(owner, name, patched)

    forks.PATIENCE = 1.0
    reached, forked = threading.Event(), threading.Event()
    results = []

    def meet():
        reached.set()
        assert forked.wait(120)

    def start(step):
        at_first(step, meet)
        thread = threading.Thread(target=lambda: results.append(right(one_UNIQUE)))
        thread.start()
        assert reached.wait(120)
        return thread
"""

TOGETHER = """
    thread = start(sys.argv[1])
    if sys.argv[2] == "os":
        child = os.fork()
        if child == 0:
            both()
            print("child", flush=True)
            os._exit(0)
        forked.set()
        assert os.waitpid(child, 0)[1] == 0
    else:
        child = multiprocessing.get_context("fork").Process(target=both)
        child.start()
        forked.set()
        child.join()
        assert child.exitcode == 0
        print("child")
    thread.join()
    assert results == [True]
    print("parent")
"""

ORPHAN = """
    thread = start(sys.argv[1])
    parent = os.getpid()
    child = os.fork()
    if child == 0:
        while os.getppid() == parent:
            pass
        both()
        print("child", flush=True)
        os._exit(0)
    os.kill(parent, signal.SIGKILL)
"""

HANDLER = """
    def fork():
        children.append(os.fork())

    children = []
    at_first(sys.argv[1], fork)
    both()
    if children == [0]:
        print("child", flush=True)
        os._exit(0)
    assert len(children) == 1 and os.waitpid(children[0], 0)[1] == 0
    print("parent")
"""

STEPS = {
    "the kernel's lock": "looptx.native.call.rebuild:rebuild",
    "reading": "looptx.source.text.parse:tokenize.generate_tokens",
    "isl": "looptx.poly.analysis:Analysis.fault",
    "Cython": "Cython.Compiler.Main:compile_single",
    "the compiler": "looptx.native.compile.link:link > subprocess:Popen.communicate",
    "publishing": "looptx.native.cache.store:publish",
}


def run(folder: Path, text: str, *arguments: str) -> str:
    """What a program prints that starts with an empty cache of compiled nests."""
    path = folder / "program.py"
    unique = str(time.time_ns())
    path.write_text(textwrap.dedent(PROGRAM + text).replace("UNIQUE", unique))
    done = subprocess.run(
        [sys.executable, str(path), *arguments],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done.stdout


@needs_compiler
@pytest.mark.parametrize("step", STEPS.values(), ids=STEPS)
def test_the_child_of_a_process_that_compiles(step: str, tmp_path: Path) -> None:
    assert run(tmp_path, TOGETHER, step, "os") == "child\nparent\n"


@needs_compiler
def test_multiprocessing_forks_while_a_thread_compiles(tmp_path: Path) -> None:
    said = run(tmp_path, TOGETHER, STEPS["isl"], "multiprocessing")
    assert said == "child\nparent\n"


@needs_compiler
def test_the_child_of_a_process_that_was_killed(tmp_path: Path) -> None:
    assert run(tmp_path, ORPHAN, STEPS["publishing"]) == "child\n"


@needs_compiler
@pytest.mark.parametrize("step", ["isl", "the compiler"])
def test_a_thread_that_forks_while_it_compiles(step: str, tmp_path: Path) -> None:
    said = run(tmp_path, HANDLER, STEPS[step])
    assert sorted(said.split()) == ["child", "parent"]
