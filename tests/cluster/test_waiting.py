"""Calls on a cluster end, with a result or an error, also when all workers are lost."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from cluster import kernels
from cluster.test_tasks import GIVEN, KERNEL, compared, same
from looptx.errors import LooptxError

dasked = pytest.importorskip("cluster.dasked")
waiting = pytest.importorskip("looptx.cluster.runners.waiting")
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(autouse=True)
def looks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "LOOK", 0.1)


def _disturbed(client: Any, name: str, disturb: Any) -> tuple[Any, Any]:
    """A kernel that is disturbed when two of its tasks have been handed over."""
    remote = KERNEL(getattr(kernels, name)).on()
    runner = dasked.Disturbing(client, lambda: disturb(client), 1)
    remote._runner = lambda: runner
    return remote, runner


@pytest.mark.parametrize("processes", [1, 2])
def test_all_workers_are_lost_and_others_join(processes: int) -> None:
    with dasked.cluster(processes, **dasked.PLAIN) as client:
        for name in ("heat", "jacobi"):
            dasked.settle(client, processes)
            remote, runner = _disturbed(client, name, dasked.deserted)
            compared(remote, getattr(kernels, name), GIVEN[name](21))
            assert runner.times > 2
        assert not dasked.tasks_left(client)


def test_all_workers_leave(monkeypatch: pytest.MonkeyPatch) -> None:
    def left(client: Any) -> None:
        client.cluster.scale(0)
        dasked.until(lambda: not client.nthreads())

    monkeypatch.setattr(waiting, "PATIENCE", 0.3)
    with dasked.cluster(1, **dasked.PLAIN) as client:
        remote, _ = _disturbed(client, "heat", left)
        given = GIVEN["heat"](21)
        before = copy.deepcopy(given)
        with pytest.raises(LooptxError, match=r"LX602 .*none joined"):
            remote(*given)
        assert same(tuple(given), tuple(before))
        assert not dasked.tasks_left(client)


def test_a_client_that_is_not_the_default() -> None:
    options = {"n_workers": 1, "processes": False, "dashboard_address": None}
    with (
        dasked.distributed.LocalCluster(**options) as made,
        dasked.distributed.Client(made, set_as_default=False) as client,
    ):
        remote, runner = _disturbed(client, "heat", lambda _: None)
        compared(remote, kernels.heat, GIVEN["heat"](21))
        assert runner.times > 9
