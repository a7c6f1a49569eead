"""What ``examples/cluster/measure.py`` does, with few rounds."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from cluster import kernels
from cluster.test_tasks import KERNEL, random

dasked = pytest.importorskip("cluster.dasked")
measure = pytest.importorskip("examples.cluster.measure")
pytestmark = pytest.mark.filterwarnings("ignore")


def test_what_a_task_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Dask's own tasks are as many as the kernel's, once in each round."""
    graphs = []
    plain = measure.plain

    def counted(client: Any, plan: Any) -> None:
        before = sum(dasked.executed(client).values())
        plain(client, plan)
        graphs.append(sum(dasked.executed(client).values()) - before)
        assert graphs[-1] == plan.tasks

    monkeypatch.setattr(measure, "ROUNDS", 3)
    monkeypatch.setattr(measure, "DEPTH", 5)
    monkeypatch.setattr(measure, "plain", counted)
    with dasked.cluster(2, **dasked.PLAIN) as client:
        own, more = measure.overhead(client)
        assert len(graphs) == 3
        assert len(own) == len(more) == 3 and own.sum() > 0
        assert measure.moving(client, 8) > 0


def test_halos_alone_travel() -> None:
    """A step moves what is planned, and at most a twentieth more, as dask counts it."""
    jacobi = measure.sweeps, (random(1100, 1030), random(1100, 1030))
    heat = KERNEL(kernels.heat), (random(47, 47, 47),)
    with dasked.cluster(2) as client:
        for kernel, given in (jacobi, heat):
            found = [measure.travelled(client, kernel, *given, t) for t in (1, 2, 5)]
            for (less, few), (more, many) in itertools.pairwise(found):
                assert 0 < many - few <= more - less <= 1.05 * (many - few)
