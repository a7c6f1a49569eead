"""Plans say what calls then do, what their tasks hold, and how long they would take."""

from __future__ import annotations

import copy

import numpy as np
import pytest

from cluster import kernels
from cluster.test_tasks import GIVEN, KERNEL, placed, random, same
from looptx.cluster import Cost
from looptx.cluster.graph.cost import simulated
from looptx.cluster.graph.memory import peaks
from looptx.cluster.graph.nodes import Node
from looptx.cluster.work.cells import cut

pytestmark = pytest.mark.filterwarnings("ignore:looptx")


@pytest.mark.parametrize("name", ["jacobi", "heat", "warshall", "lu"])
def test_it_is_what_a_call_does(name: str) -> None:
    function, given = getattr(kernels, name), GIVEN[name](29)
    before = copy.deepcopy(given)
    plan = KERNEL(function).on(3).plan(*given)
    assert plan.whole and plan.workers == 3
    assert same(tuple(given), tuple(before))
    remote = placed(function, 3, 1000)
    remote(*given)
    assert remote.last is not None
    traffic = remote.last.graph.traffic
    assert (plan.tasks, plan.cuts) == (traffic.tasks, traffic.cuts)
    assert (plan.moved, plan.sent) == (traffic.moved, traffic.sent)
    assert f"{traffic.moved} bytes between workers" in str(plan)


def looked_at(A, B):
    # looptx: split i 4 | bind i worker
    for i in range(len(A)):
        B[i] = A[i]
    B /= B.sum()


def test_it_ends_where_python_looks_at_values() -> None:
    A, B = random(14), random(14)
    before = B.copy()
    plan = KERNEL(looked_at).on(2).plan(A, B)
    assert not plan.whole
    assert plan.tasks == 4 and same(B, before)
    line = looked_at.__code__.co_firstlineno + 4
    assert f"{__file__}:{line}:5: LX603 `B /= B.sum()` may use" in plan.ends
    assert str(plan).endswith(f"Python has looked at arrays: {plan.ends}")


def valued(A, n):
    s = 0
    # looptx: split i 4 | bind i worker
    for i in range(n):
        s += A[i]
    # looptx: split j 4 | bind j worker
    for j in range(s):
        A[j] = 1


def test_it_ends_where_a_value_is_asked_for() -> None:
    plan = KERNEL(valued).on(2).plan(np.ones(14, np.int64), 14)
    assert plan.tasks == 4 and plan.ends == "the value of `s` is asked for"


def task(worker: int, size: int, *inputs: Node) -> Node:
    """A task that gives so many bytes."""
    node = Node((f"task {size}",), worker, cut, (), [*inputs])
    node.size = size
    return node


def chain() -> list[Node]:
    """A task, the cells that another worker needs of it, and what that does."""
    first = task(0, 100)
    halo = task(0, 20, first)
    return [first, halo, task(1, 50, halo), task(0, 7)]


def test_memory_is_what_is_still_needed() -> None:
    nodes = chain()
    inputs = [one.inputs for one in nodes]
    assert peaks(nodes, inputs, set()) == {0: 120, 1: 70}
    kept = {(id(nodes[0]), 0), (id(nodes[3]), 0)}
    assert peaks(nodes, inputs, kept) == {0: 120, 1: 70}
    nodes.append(task(0, 30))
    inputs.append([])
    assert peaks(nodes, inputs, kept) == {0: 137, 1: 70}


def test_time_is_that_of_the_longest_way() -> None:
    nodes = chain()
    inputs = [one.inputs for one in nodes]
    cost = Cost(0.0, scheduling=1.0, starting=2.0, latency=4.0, bandwidth=10.0)
    # Handed out after 1, done after 3; cut out until 5; on its way until 11.
    assert simulated(nodes, inputs, cost) == 13.0
    assert simulated(nodes[:2], inputs[:2], cost) == 5.0
    assert simulated([], [], cost) == 0.0
    written = nodes[0]
    written.written["A"] = [((0, 10, 1), (0, 3, 1))]
    assert simulated(nodes, inputs, Cost(1.0, 1.0, 2.0, 4.0, 10.0)) == 43.0


def test_more_workers_take_less_time() -> None:
    cost = Cost(1e-3, scheduling=1e-6, starting=1e-6, latency=1e-6)
    kernel = KERNEL(kernels.jacobi)
    given = GIVEN["jacobi"](60)
    one, four = (kernel.on(n).plan(*given).simulated(cost) for n in (1, 4))
    # Of nine by seven blocks one worker has twenty.
    assert 2.5 < one / four < 4.0
