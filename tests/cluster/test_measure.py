"""What ``examples/cluster/measure.py`` does, with few rounds."""

from __future__ import annotations

from typing import Any

import pytest

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
