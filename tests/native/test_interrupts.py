"""Signals whose handlers raise: they wait where looptx would be left half changed."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import threading
import warnings
from typing import Any

import numpy as np
import pytest
from kit.calls import same

import looptx
from looptx import interrupts, plan

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs signals")

SIGNALS = (signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM)


class Late(Exception):
    """A time limit that some program has set."""


@pytest.fixture
def handled():
    """Handlers that raise, for all of them; gives which came."""
    came: list[int] = []

    def handler(number: int, _: Any) -> None:
        came.append(number)
        raise Late(number)

    before = {one: signal.signal(one, handler) for one in SIGNALS}
    yield came, handler
    for one, old in before.items():
        signal.signal(one, old)


def test_all_signals_wait_and_none_is_lost(handled):
    came, handler = handled
    steps = []
    with pytest.raises(Late), interrupts.held():
        for one in SIGNALS:
            signal.raise_signal(one)
        steps.append(len(came))
    assert steps == [0]
    assert sorted(came) == sorted(SIGNALS)
    assert all(signal.getsignal(one) is handler for one in SIGNALS)


def test_one_that_comes_often_comes_once(handled):
    came, _ = handled
    with pytest.raises(Late), interrupts.held():
        for _ in range(2000):
            signal.raise_signal(signal.SIGUSR1)
    assert came == [signal.SIGUSR1]


def test_others_are_told_of_each_once(handled):
    """As asyncio is, by what is written as signals come."""
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    before = signal.set_wakeup_fd(ours.fileno())
    try:
        with pytest.raises(Late), interrupts.held():
            signal.raise_signal(signal.SIGUSR1)
    finally:
        signal.set_wakeup_fd(before)
    assert theirs.recv(16) == bytes([signal.SIGUSR1])
    ours.close()
    theirs.close()


def test_a_handler_that_raises_meanwhile_leaves_all_as_they_were(handled, monkeypatch):
    """One that is not replaced yet may be called, at each step."""
    real, steps = signal.signal, [0]
    for at in range(2 * len(signal.valid_signals())):
        steps[0] = at

        def replaced(number: int, handler: Any) -> Any:
            old = real(number, handler)
            steps[0] -= 1
            if not steps[0]:
                raise Late(number)
            return old

        known = {one: signal.getsignal(one) for one in signal.valid_signals()}
        monkeypatch.setattr(signal, "signal", replaced)
        with contextlib.suppress(Late), interrupts.held():
            pass
        monkeypatch.setattr(signal, "signal", real)
        assert known == {one: signal.getsignal(one) for one in signal.valid_signals()}


def test_they_wait_no_longer_than_they_have_to(handled):
    came, handler = handled
    with interrupts.held() as release:
        signal.raise_signal(signal.SIGALRM)
        with pytest.raises(Late):
            release()
        with pytest.raises(Late):
            signal.raise_signal(signal.SIGUSR1)
    assert came == [signal.SIGALRM, signal.SIGUSR1]
    assert signal.getsignal(signal.SIGALRM) is handler


def test_what_python_does_not_handle_stays_as_it_is(handled):
    before = {one: signal.getsignal(one) for one in signal.valid_signals()}
    with interrupts.held():
        changed = {one for one, old in before.items() if signal.getsignal(one) != old}
    assert changed == {one for one, old in before.items() if callable(old)}
    assert before == {one: signal.getsignal(one) for one in signal.valid_signals()}


def test_other_threads_have_nothing_to_keep_back(handled):
    _, handler = handled
    found = []

    def look() -> None:
        with interrupts.held():
            found.append(signal.getsignal(signal.SIGALRM))

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert found == [handler]


def test_a_child_that_another_thread_forks_has_the_handlers(handled):
    _, handler = handled
    found = []

    def fork() -> None:
        child = os.fork()
        if not child:
            os._exit(signal.getsignal(signal.SIGALRM) is not handler)
        found.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))

    with interrupts.held(), warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        thread = threading.Thread(target=fork)
        thread.start()
        thread.join()
    assert found == [0]
    assert signal.getsignal(signal.SIGALRM) is handler


@pytest.mark.skipif(
    not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="needs a C compiler"
)
def test_an_analysis_ends_before_a_handler_runs(fresh_cache, handled, monkeypatch):
    def scaled(x, s):
        for i in range(len(x)):
            x[i] = x[i] * s

    ended = []
    real = plan.plan_nest

    def planned(*given: Any, **more: Any) -> Any:
        signal.raise_signal(signal.SIGALRM)
        made = real(*given, **more)
        ended.append(True)
        return made

    monkeypatch.setattr(plan, "plan_nest", planned)
    kernel = looptx.kernel(scaled)
    with pytest.raises(Late):
        kernel(np.ones(5), 2.0)
    assert ended == [True]
    monkeypatch.setattr(plan, "plan_nest", real)
    same(kernel, np.ones(5), 2.0, native=1)
