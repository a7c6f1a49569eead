"""Kernels whose nests run as tasks in this process, for several workers at a time."""

from __future__ import annotations

import copy
import functools
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import looptx
from cluster import kernels
from looptx.cluster.call.remote import Remote
from looptx.cluster.runners.here import Here
from looptx.cluster.work.cells import Cells, Source, Window, opened

pytestmark = pytest.mark.filterwarnings("ignore:looptx")

Given = list[Any]
SIZES = (0, 1, 2, 7, 19)
DICE = np.random.default_rng(21)


def random(*shape: int) -> Any:
    return DICE.random(shape)


GIVEN: dict[str, Callable[[int], Given]] = {
    "jacobi": lambda n: [random(n, n + 4), random(n, n + 4), 3],
    "heat": lambda n: [random(n, n, n), 3],
    "product": lambda n: [random(n, n + 2), random(n + 2, n + 5), random(n, n + 5)],
    "warshall": lambda n: [random(n, n)],
    "histogram": lambda n: [DICE.integers(0, 9, (n, n)), np.zeros(9, np.int64)],
    "lu": lambda n: [random(n, n) + n * np.eye(n)],
}


KERNEL = functools.cache(looptx.kernel)
"""All calls of one function have the same tasks, which take a while to make."""


def placed(function: Any, workers: int = 3, ahead: int = 50) -> Remote:
    """A kernel on some workers that are this process."""
    remote: Remote = KERNEL(function).on()
    remote._runner = lambda: Here(workers, ahead)
    return remote


def same(one: Any, other: Any) -> bool:
    """Whether values are the same to the bit, types too."""
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and one.tobytes() == other.tobytes()
    return type(one) is type(other) and repr(one) == repr(other)


def compared(remote: Remote, function: Any, given: Given) -> None:
    """See that a call leaves and gives what the function does."""
    expected = copy.deepcopy(given)
    result, wanted = remote(*given), function(*expected)
    assert same(tuple(given), tuple(expected))
    assert same(result, wanted)
    assert remote.failed is None and remote.last is not None
    assert not remote.last.reasons


@pytest.mark.parametrize("name", GIVEN)
def test_results(name: str) -> None:
    function = getattr(kernels, name)
    for workers, ahead in ((1, 1), (4, 60)):
        remote = placed(function, workers, ahead)
        for n in SIZES:
            compared(remote, function, GIVEN[name](n))


def test_only_halos_move() -> None:
    n, m, steps, workers = 29, 38, 5, 2
    remote = placed(kernels.jacobi, workers)
    remote(random(n, m), random(n, m), steps)
    assert remote.last is not None
    traffic = remote.last.graph.traffic
    # Two columns of blocks each: what lies on either side of the border, but corners.
    sweeps = 2 * steps - 1
    assert traffic.moved == sweeps * 2 * (n - 2) * 8
    assert traffic.tasks == 2 * steps * 4 * 4


def test_a_row_is_sent_once_to_each_worker_that_reads_it() -> None:
    """Rows above row k read it as it was before step k, rows below as it is then."""
    n, workers = 23, 3
    remote = placed(kernels.warshall, workers)
    remote(random(n, n))
    owner = [row // 6 % workers for row in range(n)]
    sent = sum(
        len({*rows} - {owner[k]})
        for k in range(n)
        for rows in (owner[:k], owner[k + 1 :])
    )
    assert remote.last is not None
    assert remote.last.graph.traffic.moved == sent * n * 8


def sums(A, out):
    s, low, high = 0, 10**6, -1
    # looptx: split i 5 | bind i worker
    for i in range(A.shape[0]):
        s += A[i]
        low = min(low, A[i])
        high = max(high, A[i])
        out[A[i] % 4] += A[i]
    return s, low, high


def test_sums_of_integers() -> None:
    remote = placed(sums)
    for n in (0, 1, 23):
        compared(remote, sums, [DICE.integers(-50, 50, n), np.arange(4)])


def norms(A, out):
    s = -0.0
    # looptx: reassociate s | reassociate out | split i 5 | bind i worker
    for i in range(A.shape[0]):
        s += A[i] * A[i]
        out[i % 3] = max(out[i % 3], A[i])
    return s


def test_sums_of_floats_are_combined_in_the_order_of_blocks() -> None:
    remote, A, out = placed(norms), random(23), random(3) / 2
    expected, blocks = -0.0, [A[at : at + 5] for at in range(0, 23, 5)]
    for block in blocks:
        part = -0.0
        for value in block:
            part += value * value
        expected += part
    most = np.array([max(out[at], *A[at::3]) for at in range(3)])
    assert remote(A, out) == expected
    assert np.array_equal(out, most)
    assert remote(A[:0], out) == 0.0 and str(remote(A[:0], out)) == "-0.0"


def prefix(A, B):
    s = 0.0
    # looptx: split i 4
    for i in range(A.shape[0]):
        s += A[i]
        B[i] = s
    last = s
    # looptx: split j 4 | bind j worker
    for j in range(A.shape[0]):
        B[j] /= last
    return s, j


def test_what_is_not_bound_is_one_task() -> None:
    remote = placed(prefix)
    compared(remote, prefix, [random(11), random(11)])
    assert remote.last is not None
    assert remote.last.graph.traffic.tasks == 1 + 3


def repeated(A, B, m):
    # looptx: cache_read A at i as P | bind i worker
    for i in range(A.shape[0]):
        for k in range(3):
            for j in range(m):
                B[i, j] += A[j, i] * k


@pytest.mark.parametrize("m", [True, False])
def test_a_size_that_is_a_truth_value_is_left_to_the_loops(m: bool) -> None:
    """It is no extent of the buffer that a task would make."""
    remote, given = placed(repeated), [random(7, 7), random(7, 7), m]
    expected = copy.deepcopy(given)
    assert remote(*given) == repeated(*expected)
    assert same(tuple(given), tuple(expected))
    assert remote.last is not None
    assert [*remote.last.reasons] == ["repeated.n0: a size is no integer"]


def scaled(A, B, steps):
    factor, step = 1.5, 0
    while step < steps and B[0] < 2.0:
        # looptx: split i 4 | bind i worker
        for i in range(1, A.shape[0]):
            B[i] = factor * A[i - 1]
        factor = 1.0 / (1.0 + float(np.max(B)))
        A, B = B, A
        step += 1
    C = np.zeros((len(A), 2))
    # looptx: split k 4 | bind k worker
    for k in range(len(A)):
        C[k, 1] = A[k]
    return C, A


def test_python_around_nests() -> None:
    """It sees numbers, elements and arrays as they are by then."""
    remote = placed(scaled)
    for steps in (0, 1, 4):
        given = [random(14), random(14), steps]
        expected = copy.deepcopy(given)
        C, A = remote(*given)
        own, other = scaled(*expected)
        assert same(C, own) and same(A, other)
        assert (A is given[0]) == (other is expected[0])
        assert same(tuple(given), tuple(expected))


def roots(A, B):
    import math

    # looptx: split i 4 | bind i worker
    for i in range(A.shape[0]):
        B[i] = math.sqrt(A[i])


def test_arrays_after_an_exception_are_as_the_loops_leave_them() -> None:
    given = [np.arange(11.0), np.zeros(11)]
    given[0][[6, 9]] = -1.0
    expected = copy.deepcopy(given)
    remote = placed(roots)
    for function, arrays in ((remote, given), (roots, expected)):
        with pytest.raises(ValueError, match="math domain error"):
            function(*arrays)
    assert same(tuple(given), tuple(expected))
    assert given[1][5] > 0 and not given[1][6:].any()
    assert isinstance(remote.failed, ValueError)
    assert "a task raised ValueError" in remote.report()


def test_arrays_that_overlap_run_as_without_tasks() -> None:
    memory, other = np.arange(20.0), np.arange(20.0)
    remote = placed(roots)
    remote(memory[:11], memory[9:])
    roots(other[:11], other[9:])
    assert same(memory, other)
    assert "A and B share memory" in remote.report()


def test_an_array_with_two_names_runs_here() -> None:
    given, other = np.arange(1.0, 9.0), np.arange(1.0, 9.0)
    remote = placed(roots)
    remote(given, given)
    roots(other, other)
    assert same(given, other)
    assert remote.last is not None
    assert "A and B are one array" in remote.report()


@pytest.mark.parametrize("order", ["C", "F", "strided", "reversed"])
def test_arrays_lie_as_they_like(order: str) -> None:
    def laid(array: Any) -> Any:
        if order == "strided":
            return np.repeat(array, 2, axis=1)[:, ::2]
        return array[::-1] if order == "reversed" else np.array(array, order=order)

    given = [laid(random(17, 20)), laid(random(17, 20)), 2]
    compared(placed(kernels.jacobi), kernels.jacobi, given)


class Body:
    """An object whose arrays its methods compute."""

    def __init__(self) -> None:
        self.rate, self.u, self.v = 0.25, random(19), np.zeros(19)

    def step(self):
        # looptx: split i 5 | bind i worker
        for i in range(1, self.u.shape[0] - 1):
            self.v[i] = self.rate * (self.u[i - 1] + self.u[i + 1])


def test_members_of_objects() -> None:
    body = Body()
    other = copy.deepcopy(body)
    remote = placed(Body.step)
    remote(body)
    other.step()
    assert same(body.v, other.v)
    assert remote.last is not None and not remote.last.reasons


class Pile:
    """An object with a kernel for a method."""

    @looptx.kernel
    def grow(self, b=None):
        # looptx: split i 5 | bind i worker
        for i in range(len(self.u)):
            self.u[i] = self.u[i] + 1


def test_methods_are_given_their_object() -> None:
    pile, other = Pile(), Pile()
    pile.u, other.u = np.zeros(7), np.zeros(7)
    Pile.grow.on()(pile)
    assert pile.u.all()
    for given in ((), (random(3),)):
        with pytest.raises(looptx.LooptxError, match="without an object of `Pile`"):
            other.grow.on()(*given)


def half(x):
    return 0.5 * x


def calling(A, B):
    # looptx: split i 5 | bind i worker
    for i in range(A.shape[0]):
        B[i] = half(A[i]) + np.sqrt(A[i])


def test_functions_of_the_module() -> None:
    compared(placed(calling), calling, [random(13), random(13)])


@pytest.mark.parametrize("offset", [0, 1])
def test_windows_that_came_in_a_message_are_copied(offset: int) -> None:
    """They may not be written, or lie where no native code takes them."""
    memory = np.zeros(88, np.uint8)[offset : 80 + offset].view(np.float64)
    memory.flags.writeable = bool(offset)
    window = Window(((3, 13, 1),), "float64", home=Source(0, "A", None, []))
    lower, array = opened(window, [Cells({"A": ((3,), memory)})])
    assert array.flags.aligned and array.flags.writeable and lower == (3,)
    array[:] = 1.0
    assert not memory.any()
    own = np.zeros(10)
    assert opened(window, [Cells({"A": ((3,), own)})])[1] is own
    assert sys.getsizeof(Cells({"A": ((3,), own)})) > own.nbytes


def test_a_refusal_has_its_witness() -> None:
    def smear(A):
        # looptx: bind i worker
        for i in range(1, A.shape[0]):
            A[i] = A[i - 1]

    with pytest.raises(looptx.LooptxError) as caught:
        placed(smear)(random(5))
    assert "LX202 refused: bind i worker.x" in str(caught.value)
    assert "are different iterations of i" in str(caught.value)


def test_a_sum_must_not_be_read_where_it_is_collected() -> None:
    def weighted(A, s):
        # looptx: reassociate s | bind j worker
        for i in range(A.shape[0]):
            for j in range(A.shape[1]):
                s[0, i] += A[i, j] * s[1, i]

    with pytest.raises(looptx.LooptxError, match="LX205"):
        placed(weighted)(random(4, 5), random(2, 4))
