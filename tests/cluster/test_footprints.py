"""Tasks are given exactly the cells that they read before they write them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import looptx
from cluster import kernels
from cluster.recorded import cells, recorded
from looptx.cluster.graph.nodes import Node
from looptx.cluster.graph.stores import Store
from looptx.cluster.runners.here import Here


def triangle(A, B):
    n = A.shape[0]
    # looptx: split i 4 | bind i worker
    for i in range(n):
        for j in range(i + 1):
            A[i, j] += B[j, i]


def strided(A, B):
    n = B.shape[0]
    # looptx: split i 3 | bind i worker
    for i in range(1, n // 2):
        A[2 * i] = B[3 * i // 2] + B[n - 1 - i]


def red_black(u):
    n = u.shape[0]
    # looptx: split red.i 3 | bind red.i worker | split black.i 3 | bind black.i worker
    for t in range(3):
        # looptx: nest red
        for i in range(1, n - 1, 2):
            u[i] = 0.5 * (u[i - 1] + u[i + 1])
        # looptx: nest black
        for i in range(2, n - 1, 2):
            u[i] = 0.5 * (u[i - 1] + u[i + 1])


def wavefront(A):
    n = A.shape[0]
    # looptx: tile i=3 j=3 | reorder i j ii jj | skew j i | reorder j i ii jj
    # looptx: bind i worker
    for i in range(1, n):
        for j in range(1, n):
            A[i, j] = A[i - 1, j] + A[i, j - 1]


def rows(A, B):
    n = A.shape[0]
    # looptx: split i 2 | bind i worker
    for i in range(n):
        B[i, 0] = 0.0
        for j in range(1, n):
            B[i, j] = B[i, j - 1] + A[i, j]


class Watching(Here):
    """Runs tasks, and looks at what each touches beside what it is said to touch.

    Attributes:
        seen: the tasks that were looked at.
    """

    def __init__(self) -> None:
        super().__init__(3, 100)
        self.seen = 0

    def take(self, nodes: Sequence[Node], stores: Sequence[Store]) -> None:
        for node in nodes:
            if node.work is not None:
                self._look(node)
                self.seen += 1
        super().take(nodes, stores)

    def _look(self, node: Node) -> None:
        work = node.work
        assert work is not None
        for name, found in recorded(node).items():
            window = work.windows[name]
            homes = [window.home] if window.home is not None else []
            given = [box for one in (*window.sources, *homes) for box in one.boxes]
            read = list(cells(given))
            assert len(read) == len(set(read)), "no cell is given twice"
            assert set(read) == found.read, (node.key, name)
            assert set(cells(node.written.get(name, []))) == found.written


@pytest.mark.parametrize(
    ("function", "given"),
    [
        (triangle, lambda: [np.ones((11, 11)), np.ones((11, 11))]),
        (strided, lambda: [np.ones(40), np.ones(17)]),
        (red_black, lambda: [np.arange(20.0)]),
        (wavefront, lambda: [np.ones((11, 11))]),
        (rows, lambda: [np.ones((5, 5)), np.ones((5, 5))]),
        (kernels.jacobi, lambda: [np.ones((17, 25)), np.ones((17, 25)), 2]),
        (kernels.heat, lambda: [np.ones((11, 11, 11)), 3]),
        (kernels.product, lambda: [np.ones((9, 9)), np.ones((9, 9)), np.ones((9, 9))]),
        (kernels.warshall, lambda: [np.ones((11, 11))]),
        (kernels.lu, lambda: [np.ones((19, 19)) + np.eye(19)]),
    ],
)  # fmt: skip
def test_cells_are_exact(function: Any, given: Any, monkeypatch: Any) -> None:
    """All that a task is given it reads, and all that it reads it is given."""
    kernel = looptx.kernel(function)
    monkeypatch.setenv("LOOPTX_DISABLE", "1")
    runner = Watching()
    remote = kernel.on()
    remote._runner = lambda: runner
    arguments, expected = given(), given()
    remote(*arguments)
    function(*expected)
    assert runner.seen > 2 and not remote.last.reasons and remote.failed is None
    for one, other in zip(arguments, expected, strict=True):
        assert np.array_equal(one, other)
