"""The collector waits, in whatever thread, and is as it was afterwards."""

from __future__ import annotations

import gc
import os
import threading

import pytest
from kit.calls import output

from looptx.native.compile import collector


@pytest.fixture(autouse=True)
def enabled():
    """The collector runs before each test, and after it."""
    gc.enable()
    yield
    gc.enable()


def test_it_waits_until_the_last_one_is_ready():
    with collector.paused():
        with collector.paused():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_it_runs_again_after_an_exception():
    with pytest.raises(KeyError), collector.paused():
        raise KeyError
    assert gc.isenabled()


def test_what_did_not_run_does_not_run_afterwards():
    gc.disable()
    with collector.paused():
        pass
    assert not gc.isenabled()


def test_threads_wait_for_each_other():
    inside, enough = threading.Event(), threading.Event()

    def hold() -> None:
        with collector.paused():
            inside.set()
            enough.wait(60)

    thread = threading.Thread(target=hold)
    thread.start()
    assert inside.wait(60)
    with collector.paused():
        pass
    assert not gc.isenabled()
    enough.set()
    thread.join()
    assert gc.isenabled()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("own", [False, True])
def test_a_forked_child_collects(own):
    inside, enough = threading.Event(), threading.Event()

    def hold() -> None:
        with collector.paused():
            inside.set()
            if own:
                fork()
            enough.wait(60)

    ended: list[int] = []

    def fork() -> None:
        child = os.fork()
        if not child:
            runs = gc.isenabled()
            with collector.paused():
                waits = not gc.isenabled()
            os._exit(0 if runs and waits and gc.isenabled() else 1)
        ended.append(os.waitpid(child, 0)[1])

    thread = threading.Thread(target=hold)
    thread.start()
    assert inside.wait(60)
    if not own:
        fork()
    enough.set()
    thread.join()
    assert ended == [0]
    assert gc.isenabled()


@pytest.fixture
def unknown(monkeypatch):
    """Nothing is known of objects that somebody froze."""
    monkeypatch.setattr(collector._Waiting, "frozen", False)


def test_what_was_made_meanwhile_is_old_and_still_collected(tmp_path):
    """In a process of its own: to collect is seconds where there are many objects."""
    program = """
        import gc

        from looptx.native.compile import collector

        with collector.paused():
            made = [[] for _ in range(10)]
        made[0] = made
        young = {id(one) for n in (0, 1) for one in gc.get_objects(generation=n)}
        assert id(made) not in young
        assert not gc.get_freeze_count()
        del made
        print(gc.collect() >= 1)
    """
    assert output(program, tmp_path) == "True\n"


def test_what_somebody_froze_stays_frozen(unknown):
    gc.freeze()
    try:
        before = gc.get_freeze_count()
        for _ in range(2):
            with collector.paused():
                pass
        assert gc.get_freeze_count() >= before - 5
    finally:
        gc.unfreeze()


def test_what_somebody_froze_is_counted_once(unknown, monkeypatch):
    asked = []
    monkeypatch.setattr(gc, "get_freeze_count", lambda: asked.append(7) or 7000)
    for _ in range(3):
        with collector.paused():
            pass
    assert len(asked) == 1
