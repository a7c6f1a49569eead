"""Teams of threads that walk a loop in order with parallel loops in it.

A barrier that is missing shows in bits: each kernel reads in one parallel loop what
other threads have written in another, many times over, with several counts of threads.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from kit.together import compiled

import looptx
from looptx.native import runtime

THREADS = (1, 2, 3, 4, 7)
SIZES = (0, 1, 2, 3, 7, 31)

Values = tuple[Any, ...]
TEAMS: dict[str, tuple[Callable[..., Any], Callable[[int], Values]]] = {}
BESIDE: dict[str, tuple[Callable[..., Any], Callable[[int], Values]]] = {}
OTHERS: dict[str, tuple[Callable[..., Any], Callable[[int], Values]]] = {}
WAITS: dict[str, int] = {}
"""How often the threads of one team meet between loops that stand beside each other."""


def numbers(*shape: int) -> Any:
    """Numbers between 0 and 1, the same each time."""
    return np.random.default_rng(shape).random(shape)


def team(make: Callable[[int], Values]) -> Callable[[Any], Any]:
    """A kernel that a team walks; ``make`` gives its arguments for a size."""

    def known(function: Any) -> Any:
        TEAMS[function.__name__] = function, make
        return function

    return known


def beside(waits: int, make: Callable[[int], Values]) -> Callable[[Any], Any]:
    """A kernel of parallel loops beside each other; how often its threads meet."""

    def known(function: Any) -> Any:
        BESIDE[function.__name__], WAITS[function.__name__] = (function, make), waits
        return function

    return known


def other(make: Callable[[int], Values]) -> Callable[[Any], Any]:
    """A kernel whose parallel loops have teams of their own."""

    def known(function: Any) -> Any:
        OTHERS[function.__name__] = function, make
        return function

    return known


@team(lambda n: (numbers(n + 2), numbers(n + 2), 9))
def stencil(A, B, steps):
    n = A.shape[0]
    # looptx: parallel i#1 | parallel i#2
    for t in range(steps):
        for i in range(1, n - 1):
            B[i] = 0.3 * (A[i - 1] + A[i] + A[i + 1])
        for i in range(1, n - 1):
            A[i] = 0.3 * (B[i - 1] + B[i] + B[i + 1])


@team(lambda n: (numbers(n + 2), numbers(n + 2), 9))
def exchanged(A, B, steps):
    n = A.shape[0]
    # looptx: parallel i
    for t in range(steps):
        for i in range(1, n - 1):
            B[i] = 0.3 * (A[i - 1] + A[i] + A[i + 1])
        A, B = B, A
    return A, B


@team(lambda n: (numbers(n + 2, 5), numbers(n + 2, 5), numbers(n + 2), 9))
def exchanged_sometimes(A, B, C, steps):
    n, m = A.shape
    u, w = A.copy(), B.copy()
    # looptx: parallel i | parallel k | vectorize j 4
    for t in range(steps):
        for i in range(1, n - 1):
            for j in range(m):
                w[i, j] = 0.3 * (u[i - 1, j] + u[i, j] + u[i + 1, j])
        if t % 3 != 1:
            u, w = w, u
        for k in range(1, n - 1):
            C[k] = u[n - k, 0] + w[k - 1, 1]
    return u, w


@team(lambda n: (numbers(n + 2), numbers(n + 2), numbers(n + 2), 5))
def exchanged_in_a_loop(A, B, C, steps):
    n = A.shape[0]
    s = 1.0
    # looptx: parallel i
    for r in range(3):
        for t in range(steps):
            for i in range(1, n - 1):
                B[i] = 0.3 * (A[i - 1] + A[i] + A[i + 1])
            A, B = B, A
        if s > 0.01:
            s = A[0] / 2 + B[n - 1]
            A[1] = s + r
            C[r % n] = s * A[0]
    return A, s, B


@team(lambda n: (numbers(n + 2), numbers(n + 2), 9))
def vectors(A, B, steps):
    n = A.shape[0]
    # looptx: parallel i#1 | vectorize i#1 4 | parallel i#2 | vectorize i#2 4
    for t in range(steps):
        for i in range(1, n - 1):
            B[i] = 0.3 * (A[i - 1] + A[i] + A[i + 1])
        for i in range(1, n - 1):
            A[i] = 0.3 * (B[i - 1] + B[i] + B[i + 1])


@team(lambda n: (numbers(n, n) + 9 * np.eye(n),))
def shrinking(A):
    n = A.shape[0]
    # looptx: parallel i
    for k in range(n):
        for i in range(k + 1, n):
            A[i, k] /= A[k, k]
            for j in range(k + 1, n):
                A[i, j] -= A[i, k] * A[k, j]


@team(lambda n: (numbers(n + 1), numbers(n + 1), 20))
def between(A, B, steps):
    n = A.shape[0]
    # looptx: parallel i#1 | parallel i#2
    for t in range(steps):
        s = A[n // 2] * 0.5
        B[0] = s + A[0]
        for i in range(1, n):
            B[i] = A[n - i] + s
        A[0] = B[n - 1] - B[0]
        for i in range(1, n):
            A[i] = B[n - i] - 0.25 * s * A[0]


@team(lambda n: (numbers(n + 1), 20, 3.0))
def carried(A, steps, s):
    n = A.shape[0]
    # looptx: parallel i
    for t in range(steps):
        s = s * 0.5 + A[t % n]
        for i in range(n):
            A[i] = A[i] * 0.5 + s
    return s


@team(lambda n: (numbers(n + 1), n))
def typed(A, steps):
    s = 7
    # looptx: parallel i
    for t in range(steps):
        s = A[t]
        for i in range(t, steps):
            A[i] = A[i] * 0.5 + s
    return s, type(s)


@team(lambda n: (numbers(n + 3), 12))
def small_buffer(A, steps):
    n = A.shape[0]
    w = np.zeros(3)
    # looptx: temp w | parallel i
    for t in range(steps):
        for k in range(3):
            w[k] = A[k] + t
        A[0] = w[0] * w[1] - w[2]
        for i in range(1, n):
            A[i] = 0.5 * (A[i] + A[0])


@team(lambda n: (numbers(n + 1), numbers(n + 1), 5, 0.5))
def in_a_loop(A, B, steps, s):
    n = A.shape[0]
    # looptx: parallel i#1 schedule=dynamic chunk=2 | parallel i#2
    for u in range(steps):
        for i in range(n):
            B[i] = B[i] * 0.5 + s
        for t in range(steps):
            s = s * 0.75 + B[0]
            for i in range(n):
                A[i] = A[i] * 0.5 + s + B[n - 1 - i]
        B[0] = A[n - 1]
    return s


@team(lambda n: (numbers(2 * n + 1), numbers(2 * n + 1), 6))
def steps_and_conditions(A, B, steps):
    n = A.shape[0]
    # looptx: parallel i#1 | parallel i#2 | parallel i#3
    for t in range(steps, 0, -1):
        for i in range(n - 1, -1, -3):
            B[i] = A[n - 1 - i] * 0.5 + t
        if t % 2 == 0:
            for i in range(0, n, 2):
                A[i] += B[n - 1 - i]
        else:
            for i in range(n):
                A[i] -= B[n - 1 - i]


@team(lambda n: (numbers(n + 1, 4), numbers(n + 1, 4), 8))
def sequential_sum(A, B, steps):
    n = A.shape[0]
    # looptx: parallel i threads=3
    for t in range(steps):
        s = 0.0
        for k in range(n):
            s += A[k, 0]
        for k in range(4):
            B[0, k] = A[n - 1, k]
        for i in range(n):
            for k in range(4):
                A[i, k] = 0.5 * A[i, k] + B[0, k] / (1.0 + s)


@team(lambda n: (numbers(n + 2, n), numbers(n + 2, n), 6))
def blocks(A, B, steps):
    n, m = A.shape
    # looptx: split i#1 3 | parallel i#1 | vectorize j#1 | split j#2 2 | parallel j#2
    for t in range(steps):
        for i in range(1, n - 1):
            for j in range(m):
                B[i, j] = A[i - 1, j] + 0.5 * A[i + 1, j]
        for i in range(1, n - 1):
            for j in range(m):
                A[i, j] = 0.25 * B[n - 1 - i, m - 1 - j]


@beside(1, lambda n: tuple(numbers(n + k) for k in (0, 0, 1, 0)))
# looptx: fuse n0 n1 n2 partial=1 as i f | reorder f i
# looptx: parallel i#1 | parallel i#2 | parallel i#3
def chain(A, B, C, D):
    n = A.shape[0]
    for i in range(n):
        B[i] = A[i] * 2.0
    for i in range(n):
        C[i] = B[i] + A[i]
    for i in range(n):
        D[i] = C[n - 1 - i] + B[i]


@beside(0, lambda n: tuple(numbers(n, n + 1) for _ in range(3)))
# looptx: fuse n0 n1 partial=1 as i f | reorder f i | parallel i#1 | parallel i#2
# looptx: vectorize n0.j
def own_rows(A, B, C):
    n, m = A.shape
    for i in range(n):
        for j in range(m):
            B[i, j] = A[i, j] * 2.0
    for i in range(n):
        for j in range(m):
            C[i, j] = B[i, m - 1 - j] + B[i, 0]
            A[i, j] = C[i, j] * 0.5


@beside(2, lambda n: (*(numbers(n + 1) for _ in range(4)), n))
# looptx: fuse n0 n1 n2 n3 partial=1 as i f | reorder f i
# looptx: parallel i#1 | parallel i#2 | parallel i#3 | parallel i#4
def other_pieces(A, B, C, D, n):
    for i in range(n):
        B[i] = A[i] * 2.0
    for i in range(1, n):
        C[i] = B[i] + A[i]
    for i in range(1, n):
        D[i] = C[i] - A[i]
    for i in range(1, n):
        C[n - i] = D[i] + B[i]


@beside(2, lambda n: (numbers(n + 2), numbers(n + 2)))
# looptx: fuse n0 n1 n2 partial=1 as i f | reorder f i | parallel i#1 | parallel i#3
def in_order_between(A, B):
    n = A.shape[0]
    for i in range(n):
        A[i] = A[i] * 2.0
    for i in range(1, n):
        A[i] += A[i - 1]
    for i in range(1, n):
        B[i] = A[i] * 0.5 + A[i - 1]


@beside(1, lambda n: (numbers(n), numbers(n), numbers(n)))
# looptx: fuse n0 n1 partial=1 as i f | reorder f i | parallel i#1 | parallel i#2
def halves(A, B, C):
    n = A.shape[0]
    for i in range(n):
        C[i] = A[i]
        if i % 2 == 0:
            B[i - i // 2] = A[i]
    for i in range(n):
        C[i] += B[i - i // 2]


@beside(1, lambda n: (numbers(n, n), numbers(n), numbers(n), numbers(n)))
# looptx: fuse n0 n1 partial=1 as i f | reorder f i | parallel i#1 | parallel i#2
def columns(A, x, y, z):
    n = A.shape[0]
    for i in range(n):
        y[i] = 0.0
        for j in range(n):
            y[i] += A[i, j] * x[j]
    for i in range(n):
        for j in range(n):
            z[i] += A[j, i] * y[j]


@other(lambda n: (numbers(n), 4))
def dynamic(A, steps):
    # looptx: parallel i schedule=dynamic
    for t in range(steps):
        for i in range(A.shape[0]):
            A[i] = A[i] * 0.5 + t


@other(lambda n: (numbers(n), 4))
def told(A, steps):
    # looptx: parallel i least=3
    for t in range(steps):
        for i in range(A.shape[0]):
            A[i] = A[i] * 0.5 + t


@other(lambda n: (np.arange(n), 0, 4))
def reduced(A, s, steps):
    # looptx: parallel i
    for t in range(steps):
        for i in range(A.shape[0]):
            s += A[i] * t
    return s


@other(lambda n: (numbers(n + 1), numbers(n + 1), 4))
def mixed(A, B, steps):
    # looptx: parallel i
    for t in range(steps):
        for k in range(3):
            s = B[k % 2 * 0] * 0.5
            B[0] = s + k
        for i in range(1, A.shape[0]):
            A[i] = A[i] * 0.5 + B[0]


@other(lambda n: (numbers(n), numbers(500), np.arange(n), 4))
def raising(A, B, p, steps):
    # looptx: parallel i
    for t in range(steps):
        for i in range(A.shape[0]):
            A[i] = B[p[i] * p[i] - t]


def bits(value: Any) -> Any:
    """What two values are compared by."""
    if isinstance(value, tuple):
        return tuple(map(bits, value))
    if isinstance(value, np.ndarray):
        return value.tobytes()
    return type(value), value


def outcome(run: Callable[..., Any], given: Values) -> Any:
    """What a call gives, or raises, and leaves in its arguments."""
    own = copy.deepcopy(given)
    try:
        result = bits(run(*own))
    except LookupError as error:
        result = repr(error)
    return result, bits(own)


@pytest.fixture
def count(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[int], None]]:
    """Sets how many threads parallel loops get."""
    yield lambda threads: monkeypatch.setattr(runtime._threads, "limit", threads)


@pytest.fixture(scope="module")
def kernels(
    target: Any, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, looptx.Kernel]:
    """All functions, compiled together by a target."""
    found, calls = {}, []
    for name, (function, make) in (TEAMS | BESIDE | OTHERS).items():
        found[name] = looptx.kernel(function)
        found[name]._ready().analysis().target = target  # type: ignore[attr-defined]
        calls.append((found[name], *make(7)))
    compiled(calls, tmp_path_factory.mktemp("team"))
    return found


@pytest.mark.parametrize("name", [*TEAMS, *BESIDE, *OTHERS])
def test_the_result_is_the_source_s_whatever_the_threads(
    name: str, kernels: dict[str, looptx.Kernel], count: Callable[[int], None]
) -> None:
    function, make = (TEAMS | BESIDE | OTHERS)[name]
    kernel = kernels[name]
    for size in SIZES:
        expected = outcome(function, make(size))
        for threads in THREADS:
            count(threads)
            for _ in range(8):
                assert outcome(kernel, make(size)) == expected, (size, threads)
    text = kernel.inspect_cython()
    assert ("lx_barrier()" in text) == (name in TEAMS or WAITS.get(name, 0) > 0)
    assert all(nest.calls for nest in kernel.report().nests)


@pytest.mark.parametrize("name", BESIDE)
def test_threads_wait_only_for_what_others_write(name: str) -> None:
    function, make = BESIDE[name]
    kernel = looptx.kernel(function)
    kernel(*make(7))
    text = kernel.inspect_cython()
    assert text.count("    lx_barrier()\n") == WAITS[name]
    assert text.count("with lx_parallel(") == 1
