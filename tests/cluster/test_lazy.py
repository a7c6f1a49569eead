"""Calls with arrays of dask's: nothing runs before results are computed."""

from __future__ import annotations

import copy
import math
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import looptx
from cluster import kernels
from cluster.test_tasks import GIVEN, KERNEL, Given, random, same
from looptx.cluster.call.remote import Remote
from looptx.cluster.work.cells import Cells, Source, Window, opened
from looptx.errors import LooptxError

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
pytestmark = pytest.mark.filterwarnings("ignore:looptx")

WRITTEN = {"jacobi": 2, "heat": 1, "product": 1, "warshall": 1, "histogram": 1, "lu": 1}
"""How many arrays each kernel writes: the last of those that it is given."""


@pytest.fixture(autouse=True)
def _here() -> Any:
    with dask.config.set(scheduler="synchronous"):
        yield


def given_back(name: str, given: Given) -> tuple[Any, ...]:
    """What a call with arrays of dask's gives when it is computed."""
    own = copy.deepcopy(given)
    result = getattr(kernels, name)(*own)
    arrays = [one for one in own if isinstance(one, np.ndarray)]
    written = arrays[-WRITTEN[name] :]
    return (*written, *(() if result is None else (result,)))


def lazily(given: Given, chunks: Any) -> Given:
    """Arrays in chunks, which must not be written."""

    def sealed(chunk: Any) -> Any:
        chunk = chunk.copy()
        chunk.flags.writeable = False
        return chunk

    return [
        da.from_array(one, chunks=chunks).map_blocks(sealed, dtype=one.dtype)
        if isinstance(one, np.ndarray)
        else one
        for one in given
    ]


def computed(result: Any, **how: Any) -> tuple[Any, ...]:
    results = result if isinstance(result, tuple) else (result,)
    found: tuple[Any, ...] = dask.compute(*results, **how)
    return found


@pytest.mark.parametrize("name", GIVEN)
def test_results(name: str) -> None:
    kernel = KERNEL(getattr(kernels, name))
    for workers, chunks in ((None, -1), (3, 5)):
        remote = kernel.on(workers)
        for n in (0, 1, 7, 19):
            given = GIVEN[name](n)
            result = computed(remote(*lazily(given, chunks)))
            assert same(result, given_back(name, given)), (n, chunks)


def at_once(A: Any) -> Any:
    """An array of which no chunk may be computed yet."""
    return A.map_blocks(lambda _: 1 / 0, dtype=A.dtype, meta=A._meta)


def test_nothing_is_computed_before_it_is_asked_for() -> None:
    A, B = (at_once(da.zeros((23, 9), chunks=5)) for _ in range(2))
    for remote in (KERNEL(kernels.jacobi).on(2), KERNEL(kernels.jacobi).on()):
        result = remote(A, B, 2)
        assert all(isinstance(one, da.Array) for one in result)
        result = remote(*result, 1)
        assert remote.plan(A, B, 2).tasks == 2 * remote.plan(A, B, 1).tasks
        with pytest.raises(ZeroDivisionError):
            result[1].compute()


def test_chains_stay_lazy_and_may_be_computed_twice() -> None:
    x, y, c = random(21, 17), random(21, 17), np.zeros((21, 21))
    given = da.from_array(x, chunks=(8, -1)), da.from_array(y.T, chunks=5).T
    jacobi = KERNEL(kernels.jacobi).on(3)
    A, B = jacobi(*jacobi(*given, 3), 2)
    product = KERNEL(kernels.product).on()
    C = product(A + 1, 2 * B.T, da.from_array(c, chunks=9))
    kernels.jacobi(x, y, 3)
    kernels.jacobi(x, y, 2)
    kernels.product(x + 1, 2 * y.T, c)
    assert same(computed((A, B, C)), (x, y, c))
    assert same(C.compute(), c) and same(C.compute(scheduler="threads"), c)
    assert same(A[::-2, 3:].compute(), x[::-2, 3:].copy())


def test_a_part_needs_only_its_tasks() -> None:
    seen = []

    def counted(chunk: Any) -> Any:
        seen.append(chunk.shape)
        return chunk

    A = da.zeros((70, 70), chunks=7).map_blocks(
        counted, dtype="f8", meta=np.empty((0, 0))
    )
    B = KERNEL(kernels.jacobi).on()(A, A, 1)[1]
    seen.clear()
    B[:3, :3].compute()
    # That of the cells that it needs, one below and one to the right; both arrays.
    assert 1 <= len(seen) <= 4
    assert len(B[:3, :3].__dask_graph__().cull(B[:3, :3].__dask_keys__())) < 20


@pytest.mark.parametrize(
    "chunks",
    [
        ((3, 0, 9, 7), (23,)),
        ((19,), (1,) * 23),
        ((0, 19), (11, 12)),
        ((1, 18), (22, 1)),
    ],
)
def test_odd_chunks(chunks: Any) -> None:
    given = GIVEN["jacobi"](19)
    for remote in (KERNEL(kernels.jacobi).on(), KERNEL(kernels.jacobi).on(4)):
        A, B = remote(*lazily(given, chunks))
        assert A.chunks == B.chunks == chunks
        assert same(computed((A, B)), given_back("jacobi", given))


def test_arrays_lie_as_they_like() -> None:
    given = GIVEN["jacobi"](19)
    A = da.from_array(given[0][::-1, ::-1].copy(), chunks=5)[::-1, ::-1]
    B = da.from_array(np.repeat(given[1], 2, axis=1), chunks=(6, 7))[:, ::2]
    result = KERNEL(kernels.jacobi).on(2)(A, B, 3)
    assert same(computed(result), given_back("jacobi", given))


@pytest.mark.parametrize("dtype", ["float16", "bool"])
def test_types(dtype: str) -> None:
    function = flipped
    given = [(9 * random(11, 6)).astype(dtype), np.zeros((6, 11), dtype)]
    result = looptx.kernel(function).on(2)(*lazily(given, 4))
    function(*given)
    assert same(result.compute(), given[1]) and result.dtype == dtype


def flipped(A, B):
    # looptx: tile i=4 j=3 | bind i worker.x | bind j worker.y
    for i in range(B.shape[0]):
        for j in range(B.shape[1]):
            B[i, j] = A[j, B.shape[0] - 1 - i]


def test_one_array_for_two_parameters_is_as_two() -> None:
    given = [random(19, 23)] * 2
    one = lazily(given, 6)[0].persist()
    before = one.compute()
    result = KERNEL(kernels.jacobi).on(2)(one, one, 3)
    expected = [given[0].copy(), given[0].copy()]
    kernels.jacobi(*expected, 3)
    assert same(computed(result), tuple(expected))
    assert same(one.compute(), before)


def test_arrays_of_others_are_read_as_they_are_at_the_call(tmp_path: Path) -> None:
    A, B, C = GIVEN["product"](19)
    mapped = np.lib.format.open_memmap(tmp_path / "B.npy", mode="w+", shape=B.shape)
    mapped[...] = B
    (wanted,) = given_back("product", [A, B, C])
    result = KERNEL(kernels.product).on(2)(A, mapped, da.from_array(C, chunks=5))
    A[...] = 0
    assert same(result.compute(), wanted)
    # No task has the whole of an array in a file.
    args = (x for one in result.dask.values() for x in getattr(one, "args", ()))
    assert not any(isinstance(one, np.memmap) for one in args)


WEIGHTS = np.arange(3.0)


def made(A, steps, B=None):
    n = len(A)
    C = np.zeros(shape=n + 3, dtype=np.float32)
    G = WEIGHTS.copy()
    D = np.full_like(A, 7.5)
    E = A.copy()
    F = np.ones((n, 2))
    # looptx: split i 4 | bind i worker
    for i in range(n):
        C[i] = A[i]
        F[i, 1] = D[i] * G[1]
    # looptx: split j 5 | bind j worker
    for t in range(steps):
        for j in range(n):
            E[j] = E[j] + C[j]
    return C, (D, E, F), A, n


def test_arrays_that_the_function_makes() -> None:
    x = random(13)
    for steps in (0, 2):
        result = looptx.kernel(made).on(2)(da.from_array(x, chunks=6), steps)
        C, (D, E, F), A, n = result
        assert same(
            (*computed((C, D, E, F, A)), n),
            (lambda r: (r[0], *r[1], r[2], r[3]))(made(x, steps)),
        )
        assert E.chunks == D.chunks == A.chunks == ((6, 6, 1),)
        assert C.chunks == ((4, 4, 4, 4),)


def test_no_memory_is_asked_for() -> None:
    A = at_once(da.zeros((400_000, 50_000), chunks=(4000, -1)))
    B = looptx.kernel(doubled).on(2)(A)
    assert B.nbytes == 160e9 and B.chunks == A.chunks


def doubled(A):
    B = np.ones_like(A)
    # looptx: split i 4000 | bind i worker
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            B[i, j] = 2 * A[i, j]
    return B


def sums(A, out):
    s, low = 0, 10**6
    # looptx: split i 5 | bind i worker
    for i in range(A.shape[0]):
        s += A[i]
        low = min(low, A[i])
        out[A[i] % 4] += A[i]
    return s, low


def test_numbers_are_delayed() -> None:
    remote = looptx.kernel(sums).on(3)
    for n in (1, 23):
        given = [np.arange(n) * 7 - 50, np.arange(4)]
        out, (s, low) = remote(*lazily(given, 6))
        wanted = sums(*given)
        assert same(computed((out, s, low)), (given[1], *wanted))


def exchanged(A, B, steps):
    # looptx: tile s.i=6 s.j=7 | bind s.i worker.x | bind s.j worker.y
    for t in range(steps):
        # looptx: nest s
        for i in range(1, A.shape[0] - 1):
            for j in range(1, A.shape[1] - 1):
                B[i, j] = 0.5 * (A[i - 1, j] + A[i, j + 1])
        A, B = B, A
    return A


def test_what_has_two_names_comes_back_whatever_a_call_does() -> None:
    for steps in (0, 1, 4):
        given = [random(19, 16), random(19, 16)]
        result = looptx.kernel(exchanged).on(2)(*lazily(given, 6), steps)
        last = exchanged(*given, steps)
        assert same(computed(result), (*given, last))


def smooth(A, B):
    # looptx: split i 100 | bind i worker
    for i in range(1, A.shape[0] - 1):
        for j in range(A.shape[1]):
            B[i, j] = A[i - 1, j] + A[i + 1, j]


def test_chunks_that_do_not_fit() -> None:
    given = [random(290, 3), random(290, 3)]
    remote = looptx.kernel(smooth).on(2)
    wide, tall = da.from_array(given[0], chunks=(1, 3)), da.from_array(given[1])
    with pytest.warns(RuntimeWarning) as told:
        B = remote(wide, tall)
    lines = [str(one.message).split("\n")[0] for one in told]
    assert [line.partition(": ")[2] for line in lines] == [
        f"{__file__}:{smooth.__code__.co_firstlineno + 2}:5: LX605 `A` is rechunked "
        "from (1, 3) to (100, 3), to the blocks of n0"
    ]
    assert "LX605 `A` is rechunked" in remote.report()
    smooth(*given)
    assert same(B.compute(), given[1]) and B.chunks == tall.chunks
    assert remote(tall, wide).chunks == ((100, 100, 90), (3,))


def looked(A, B):
    # looptx: split i 4 | bind i worker
    for i in range(len(A)):
        B[i] = A[i]
    B /= B.sum()


def later(A, B):
    s = 0
    # looptx: split i 4 | bind i worker
    for i in range(len(A)):
        s += A[i]
    # looptx: split j 4 | bind j worker
    for j in range(len(A)):
        B[j] = A[j] - s


WORLD = np.zeros(9, np.int64)


def elsewhere(A):
    # looptx: split i 4 | bind i worker
    for i in range(len(A)):
        WORLD[i] = A[i]


def resumed(A):
    for i in range(len(A)):
        yield A[i]


def copied(A, B):
    # looptx: split i 4 | bind i worker
    for i in range(len(A)):
        B[i] = A[i]


def told(A, B, steps):
    n, t = A.shape[0], 0
    while t < steps:
        # looptx: split i 4 | bind i worker
        for i in range(1, n - 1):
            B[i] = A[i - 1] + A[i + 1]
        print("step", t, f"of {steps:>{3}}: {n / 2!r}", sep=", ", flush=True)
        A, B = B, A
        t += 1
    print()


def told_element(A, B):
    # looptx: split i 4 | bind i worker
    for i in range(len(A)):
        B[i] = A[i]
    print("first", B[0])


def told_array(A, B):
    # looptx: split i 4 | bind i worker
    for i in range(len(A)):
        B[i] = A[i]
    print(f"{B}")


def told_to(A, B, where):
    # looptx: split i 4 | bind i worker
    for i in range(len(A)):
        B[i] = A[i]
    print(1, file=where)


def told_otherwise(A, B, print):
    # looptx: split i 4 | bind i worker
    for i in range(len(A)):
        B[i] = A[i]
    print(1)


def test_numbers_are_printed_when_the_call_is_made(capsys: Any) -> None:
    """Once, and as the function prints them."""
    given = [np.arange(9.0), np.zeros(9), 3]
    expected = copy.deepcopy(given)
    told(*expected)
    wanted = capsys.readouterr().out
    assert wanted.startswith("step, 0, of   3: 4.5\n")
    result = looptx.kernel(told).on()(*lazily(given, 4))
    assert capsys.readouterr().out == wanted
    assert same(computed(result), tuple(expected[:2]))
    assert not capsys.readouterr().out
    # Where a task may raise, and the loops run as written, nothing is printed twice.
    remote = looptx.kernel(told).on(2)
    remote(*given)
    assert capsys.readouterr().out == wanted
    assert "nest by nest" in remote.report()


LINE = da.arange(9, chunks=4)
REFUSED = [
    (told_element, (LINE, LINE), "`print('first', B[0])` may use what tasks compute"),
    (told_array, (LINE, LINE), "`print(f'{B}')` may use what tasks compute"),
    (told_to, (LINE, LINE, None), "`print(1, file=where)` may use what tasks compute"),
    (told_otherwise, (LINE, LINE, len), "`print(1)` may use what tasks compute"),
    (looked, (LINE, LINE), "`B /= B.sum()` may use what tasks compute, and arrays"),
    (later, (LINE, LINE), "s is a number that tasks compute: it cannot wait"),
    (elsewhere, (LINE,), "`WORLD` is written, and is no argument"),
    (resumed, (LINE,), "a generator, or a coroutine, runs when"),
    (copied, (LINE, np.zeros(9, int)), "`B` is written, and is no array of dask's"),
    (copied, (LINE[LINE > 4], LINE), "`A` has chunks of unknown sizes"),
    (copied, (LINE.astype(object), LINE), "`A` has elements of type object"),
    (copied, (LINE.astype(">i8"), LINE), "elements in another byte order"),
    (copied, (LINE.sum(), LINE), "`A` is an array of dask's without axes"),
    (copied, (da.ma.masked_equal(LINE, 3), LINE), "has chunks of type MaskedArray"),
]


@pytest.mark.parametrize(("function", "given", "why"), REFUSED)
def test_refusals(function: Any, given: Any, why: str) -> None:
    WORLD[:] = 0
    remote = looptx.kernel(function).on()
    for call in (remote, remote.plan):
        with pytest.raises(LooptxError) as caught:
            call(*given)
        assert caught.value.code == "LX604" and caught.value.hint
        assert why in str(caught.value) and caught.value.place is not None
    assert not WORLD.any()


EXPRESSION = """
import dask.array as da
import looptx

@looptx.kernel
def f(A, B):
    # looptx: split i 4 | bind i worker
    for i in range(A.shape[0]):
        B[i] = A[i]

A = da.ones(9, chunks=4)
assert not hasattr(A, "__dask_layers__")
for call in (f.on(), f.on().plan):
    try:
        call(A, A)
    except looptx.LooptxError as error:
        print(error.message)
"""


@pytest.mark.skipif(find_spec("dask._expr") is None, reason="dask has none by itself")
def test_expressions_of_dasks_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "expression.py"
    path.write_text(EXPRESSION)
    own = {**os.environ, "DASK_ARRAY__QUERY_PLANNING": "True"}
    told = subprocess.check_output([sys.executable, path], env=own, text=True)
    assert (
        told.splitlines()
        == ["`A` is an expression of dask's, which looptx does not build on"] * 2
    )


class Body:
    """An object with arrays of dask's."""

    def __init__(self) -> None:
        self.u, self.v = LINE, LINE

    def step(self):
        # looptx: split i 5 | bind i worker
        for i in range(self.u.shape[0]):
            self.v[i] = self.u[i]


def test_what_is_no_argument_is_not_run_cell_by_cell() -> None:
    with pytest.raises(LooptxError, match=r"`self[.]u` is an array of dask's"):
        looptx.kernel(Body.step).on()(Body())


@pytest.mark.parametrize("wrong", [lambda x: x.astype("f4"), lambda x: x[:1]])
def test_chunks_that_are_not_what_dask_says(wrong: Any) -> None:
    A = da.ones((9, 9), chunks=4).map_blocks(wrong, dtype="f8", meta=np.empty((0, 0)))
    for remote in (KERNEL(kernels.jacobi).on(), KERNEL(kernels.jacobi).on(3)):
        result = remote(A, da.ones((9, 9)), 1)
        with pytest.raises(LooptxError, match="LX604 a chunk of `A` is a ndarray of"):
            result[1].compute()


def roots(A, B):
    # looptx: split i 4 | bind i worker
    for i in range(A.shape[0]):
        B[i] = math.sqrt(A[i])


def test_an_exception_is_that_of_the_source() -> None:
    A, B = da.arange(-3, 20, chunks=5), da.zeros(23, chunks=5)
    result = looptx.kernel(roots).on()(A, B)
    for part in (result, result[8:]):
        with pytest.raises(ValueError, match="math domain error"):
            part.compute()


@pytest.mark.parametrize("name", ["jacobi", "heat", "warshall", "lu"])
def test_plans_are_those_of_other_arrays(name: str) -> None:
    given, remote = GIVEN[name](29), KERNEL(getattr(kernels, name)).on(3)
    lazy = [at_once(x) if isinstance(x, da.Array) else x for x in lazily(given, 8)]
    plan, other = remote.plan(*lazy), remote.plan(*given)
    assert plan.whole and (plan.tasks, plan.moved) == (other.tasks, other.moved)
    # A copy of an array of dask's is not sent again.
    assert (plan.sent == other.sent) == (name != "heat")
    assert plan.peak.keys() == other.peak.keys()


def test_arguments_by_name() -> None:
    given = GIVEN["jacobi"](13)
    A, B, steps = lazily(given, 6)
    remote: Remote = KERNEL(kernels.jacobi).on()
    result = remote(steps=steps, B=B, A=A)
    assert same(computed(result), given_back("jacobi", given))
    with pytest.raises(TypeError, match="missing 1 required positional argument"):
        remote(A, B)


@pytest.mark.parametrize("sealed", [False, True])
def test_windows_from_other_processes_lie_as_native_code_needs_them(
    sealed: bool,
) -> None:
    own = np.frombuffer(bytearray(1 + 8 * 9), np.float64, offset=1)
    if sealed:
        own = np.frombuffer(bytes(8 * 9), np.float64)
    given = Cells(A=((0,), own))
    margin = Source(1, "", ((8, 9, 1),), [((8, 9, 1),)])
    home = Source(0, "A", None, [((0, 8, 1),)])
    window = Window(((0, 9, 1),), "float64", sources=[margin], home=home)
    lower, array = opened(window, [given, np.ones(1)])
    assert lower == (0,) and array.flags.aligned and array.flags.writeable
    assert same(array, np.array([0.0] * 8 + [1.0])) and not own.any()
