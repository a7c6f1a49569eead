"""Kernels in use: reasons, inexact arithmetic, names that change, threads, signals."""

from __future__ import annotations

import asyncio
import builtins
import contextlib
import copy
import doctest
import inspect
import math
import multiprocessing
import os
import pickle
import shutil
import signal
import subprocess
import sys
import textwrap
import threading
import time
import types
import warnings
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from kit.calls import calls, output, same

import looptx
from examples import overhead
from looptx.errors import LooptxError
from looptx.native.compile import fastmath

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.skipif(
    not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="needs a C compiler"
)
needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


def counts(kernel):
    """(native calls, fallbacks by reason) of a kernel with one nest."""
    (nest,) = kernel.report().nests
    return nest.calls, dict(nest.fallbacks)


# Why a call runs as written


def add():
    """A fresh kernel around the one of the example: it is compiled once."""
    return looptx.kernel(overhead.add.py_func)


def fixed(array):
    """The array, read-only."""
    array.flags.writeable = False
    return array


def shifted():
    """Two views of one array, a row apart."""
    whole = np.ones((5, 4))
    return whole[1:], np.ones((4, 4)), whole[:-1]


def matrices(**changes):
    """Arguments of ``add``."""
    return {**{name: np.ones((4, 4)) for name in "ABC"}, **changes}


REASONS = [
    (matrices(C=fixed(np.ones((4, 4)))), "C is a read-only array that is written"),
    (matrices(A=np.ones((3, 4))), "an index would leave A, which needs A.shape[0]"),
    (matrices(B=np.ones((4, 2))), "an index would leave B, which needs B.shape[1]"),
    (matrices(B=np.ones((4, 4), ">f8")), "B is an array of >f8"),
    (matrices(A=np.ma.ones((4, 4))), "A is a subclass of ndarray (MaskedArray)"),
    (matrices(A=np.ones((4, 4)).view(np.recarray)), "A is a subclass of ndarray"),
    (matrices(A=None), "A is a value of type NoneType"),
    (dict(zip("ABC", shifted(), strict=True)), "C and A overlap in memory"),
    (matrices(A=np.float64(1)), "LX504 not compiled natively: `A` is subscripted"),
]


@pytest.mark.parametrize(("given", "reason"), REASONS, ids=[r for _, r in REASONS])
def test_a_fallback_is_python_counted_warned_and_strict(given, reason):
    ours, theirs = copy.deepcopy(given), copy.deepcopy(given)
    if "overlap" in reason:
        ours, theirs = (dict(zip("ABC", shifted(), strict=True)) for _ in range(2))
    ours["C"].flags.writeable = theirs["C"].flags.writeable = given["C"].flags.writeable
    kernel, errors = add(), []
    for function, values in ((kernel, ours), (kernel.py_func, theirs)):
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            try:
                function(**values)
            except Exception as error:
                errors.append((type(error), str(error)))
            else:
                errors.append(None)
            if function is kernel:
                warned = [one for one in seen if "looptx" in str(one.message)]
    assert errors[0] == errors[1]
    assert np.array_equal(ours["C"], theirs["C"])
    calls, found = counts(kernel)
    assert (calls, list(found.values())) == (0, [1])
    assert next(iter(found)).startswith(reason)
    assert next(iter(found)) in str(kernel.report())
    (warned,) = warned
    assert (warned.category, warned.filename) == (RuntimeWarning, __file__)
    assert next(iter(found)) in str(warned.message)
    lines = Path(__file__).read_text().splitlines()
    assert lines[warned.lineno - 1].strip() == "function(**values)"
    strict = looptx.kernel(strict=True)(kernel.py_func)
    with pytest.raises(LooptxError) as caught:
        strict(**ours)
    assert caught.value.code == "LX504"
    assert reason.removeprefix("LX504 ") in caught.value.message


def test_only_the_first_fallback_warns():
    kernel = add()
    message = r"add\.n0 runs as plain Python: A is a"
    with pytest.warns(RuntimeWarning, match=message), contextlib.suppress(TypeError):
        kernel([[1.0]], *np.ones((2, 1, 1)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(3):
            with contextlib.suppress(TypeError):
                kernel([[1.0]], *np.ones((2, 1, 1)))
        kernel(*np.ones((3, 2, 2)))
    assert counts(kernel) == (
        1,
        {"A is a value of type list: `np.array` makes an array of it": 4},
    )


def test_a_value_that_is_missing_is_counted():
    class Holder:
        pass

    @looptx.kernel
    def fill(holder):
        for i in range(3):
            holder.A[i] = 1.0

    with pytest.raises(AttributeError), pytest.warns(RuntimeWarning, match="'A'"):
        fill(Holder())
    calls, found = counts(fill)
    assert calls == 0
    assert list(found.values()) == [1]
    with pytest.raises(LooptxError, match="AttributeError"):
        looptx.kernel(strict=True)(fill.py_func)(Holder())


def test_without_a_compiler_every_call_is_counted(fresh_cache, tmp_path):
    program = """
        import warnings
        import numpy as np
        import looptx
        warnings.simplefilter("ignore")

        @looptx.kernel
        def one(A):
            for i in range(A.shape[0]):
                A[i] = 1.0

        for _ in range(3):
            one(np.zeros(2))
        (nest,) = one.report().nests
        ((reason, count),) = nest.fallbacks.items()
        print(nest.calls, count, reason)
    """
    said = output(program, tmp_path, CC="/nonexistent/cc")
    assert said.startswith("0 3 LX501 ")


# fastmath


@looptx.kernel
def axpy(a, x, y):
    for i in range(x.shape[0]):
        y[i] = y[i] + a * x[i]


@looptx.kernel
def dot(x, y):
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i] * y[i]
    return s


def vectors(count):
    """Two random vectors."""
    return np.random.default_rng(3).standard_normal((2, count))


def has_fma() -> bool:
    """Whether this processor is known to round a*b+c once."""
    try:
        return " fma " in Path("/proc/cpuinfo").read_text()
    except OSError:
        return False


@pytest.mark.usefixtures("optimised")
def test_contract_rounds_once_and_only_where_it_is_asked_for():
    x, y = vectors(99)
    fused = looptx.kernel(fastmath="contract")(axpy.py_func)
    contracted, exact, python = y.copy(), y.copy(), y.copy()
    fused(0.3, x, contracted)
    axpy(0.3, x, exact)
    axpy.py_func(0.3, x, python)
    assert exact.tobytes() == python.tobytes()
    assert "not bitwise, fastmath is contract" in str(fused.report())
    assert fused.report().fastmath == ("contract",)
    assert "bitwise" not in str(axpy.report())
    once = [
        float(Fraction(b) + Fraction(0.3) * Fraction(a))
        for a, b in zip(x, y, strict=True)
    ]
    if has_fma():
        assert contracted.tolist() == once
        assert once != exact.tolist()


def test_reassociate_and_subnormal_numbers_stay():
    x, y = vectors(1001)
    loose = looptx.schedule(dot.py_func).kernel(fastmath=("reassociate",))
    assert loose(x, y) == pytest.approx(dot.py_func(x, y), rel=1e-9)
    assert counts(loose) == (1, {})
    tiny = np.array([5e-324, 1e-310])
    assert (tiny * 1.0 == tiny).all()
    assert loose(tiny, np.ones(2)) == tiny.sum() > 0
    assert (np.float32(1e-45) * np.float32(1)) > 0


def test_no_flag_of_a_level_changes_the_process():
    used = set(fastmath.flags(fastmath.LEVELS))
    assert not used & {"-ffast-math", "-Ofast", "-funsafe-math-optimizations"}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ((), ()),
        ("", ()),
        ("contract", ("contract",)),
        ("reassociate, contract", ("contract", "reassociate")),
        (["contract", "contract"], ("contract",)),
        ("functions contract", ("contract", "functions")),
    ],
)
def test_levels(given, expected):
    assert fastmath.levels(given) == expected


@pytest.mark.parametrize(
    ("given", "hint"),
    [
        ("contrast", "did you mean `contract`?"),
        (("contract", "Reassociate"), "did you mean `reassociate`?"),
        ("fast", "the levels are"),
        (True, "the levels are"),
        ([1], "the levels are"),
    ],
)
def test_wrong_levels(given, hint):
    with pytest.raises(LooptxError) as caught:
        looptx.kernel(fastmath=given)
    assert caught.value.code == "LX102"
    assert hint in caught.value.hint


# What a call costs


def test_a_call_costs_little(monkeypatch):
    monkeypatch.setattr(overhead, "ROUNDS", 20)
    monkeypatch.setattr(overhead, "CALLS", 200)
    ours, theirs = overhead.measure(4, overhead.by_hand())
    assert ours - theirs < 40e-6  # 5 are promised, on a machine that is idle


# Threads, processes, signals


@looptx.kernel("parallel i")
def double(A):
    for i in range(A.shape[0]):
        A[i] = A[i] * 2.0


def doubled(values):
    """For a pool of processes: the function that is there a kernel."""
    double(values)
    return values, counts(double)[0]


def all_at_once(function, count=16):
    """The results of a function called by so many threads together."""
    barrier, results = threading.Barrier(count), []

    def work():
        barrier.wait()
        results.append(function())

    workers = [threading.Thread(target=work) for _ in range(count)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    return results


def test_threads_call_one_kernel_cold_and_warm():
    kernel = looptx.kernel(axpy.py_func)

    def call():
        x, y = vectors(503)
        for _ in range(10):
            kernel(0.5, x, y)
        return y.tobytes()

    x, y = vectors(503)
    for _ in range(10):
        axpy.py_func(0.5, x, y)
    for _ in ("cold", "warm"):
        assert all_at_once(call) == [y.tobytes()] * 16
    (nest,) = kernel.report().nests
    assert (len(nest.versions), nest.fallbacks) == (1, {})


@looptx.kernel
def long(x, y):
    s = 0.0
    for i in range(x.shape[0]):
        for j in range(y.shape[0]):
            s += x[i] * y[j]
    return s


def test_other_threads_run_during_a_nest():
    long(np.ones(1), np.ones(1))
    ticks, done = [], threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    ticker = threading.Thread(target=tick)
    ticker.start()
    start = time.perf_counter()
    total = long(np.ones(20000), np.ones(20000))
    end = time.perf_counter()
    done.set()
    ticker.join()
    assert total == 4e8
    longest = (end - start) / 4
    inside = [at for at in ticks if start + longest < at < end - longest]
    assert len(inside) > 3


@needs_fork
def test_a_forked_child_does_not_hang_and_is_told():
    double(np.ones(64))
    A = np.ones(64)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        with contextlib.suppress(BaseException):
            signal.alarm(30)
            with warnings.catch_warnings(record=True) as seen:
                warnings.simplefilter("always")
                double(A)
                double(A)
            told = [str(one.message) for one in seen]
            os.write(writing, "\n".join(told).encode())
            status = 0 if (A == 4.0).all() else 2
        os._exit(status)
    os.close(writing)
    with open(reading) as pipe:
        told = pipe.read()
    assert os.waitpid(child, 0)[1] == 0
    assert told.count("one thread in a forked process") == 1


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_pools_of_processes(method):
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"no {method} here")
    double(np.ones(4))
    with multiprocessing.get_context(method).Pool(2) as pool:
        waiting = pool.map_async(doubled, [np.arange(5.0) + n for n in range(4)])
        for n, (values, native) in enumerate(waiting.get(60)):
            assert values.tolist() == [2 * (n + i) for i in range(5)]
            assert native >= 1


INTERRUPTED = """
    import numpy as np
    import looptx

    @looptx.kernel("tile i=4 j=4")
    def scale(A):
        for i in range(A.shape[0]):
            for j in range(A.shape[1]):
                A[i, j] = A[i, j] * SECONDS

    A = np.ones((9, 9))
    print("go", flush=True)
    try:
        scale(A)
    except KeyboardInterrupt:
        print("interrupted", flush=True)
        scale(A)
    assert (A == SECONDS).all()
    (nest,) = scale.report().nests
    print(nest.calls, dict(nest.fallbacks), flush=True)
    try:
        while True:
            scale(A)
    except KeyboardInterrupt:
        print("again", flush=True)
"""


@pytest.mark.parametrize("seconds", [0.1, 0.4])
def test_an_interrupt_ends_a_first_call_and_the_next_one_works(seconds, tmp_path):
    path = tmp_path / "program.py"
    # A text of its own each time: nothing is in the cache.
    text = textwrap.dedent(INTERRUPTED).replace("SECONDS", str(seconds + 1))
    path.write_text(text.replace("scale", f"scale{time.time_ns()}"))
    child = subprocess.Popen(
        [sys.executable, str(path)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert child.stdout.readline() == "go\n"
        time.sleep(seconds)
        start = time.perf_counter()
        child.send_signal(signal.SIGINT)
        assert child.stdout.readline() == "interrupted\n"
        assert time.perf_counter() - start < 5
        assert child.stdout.readline() == "1 {}\n"
        time.sleep(0.1)
        child.send_signal(signal.SIGINT)
        assert child.stdout.readline() == "again\n"
        assert child.wait(30) == 0
    finally:
        child.kill()
        child.stdout.close()
        child.wait()


INTERRUPTED_IMPORT = """
    import signal
    from importlib.machinery import ExtensionFileLoader

    import numpy as np
    import looptx

    def interrupted(self, module, execute=ExtensionFileLoader.exec_module):
        execute(self, module)
        if module.__name__ == "islpy._isl":
            signal.raise_signal(signal.SIGINT)

    ExtensionFileLoader.exec_module = interrupted

    @looptx.kernel("tile i=4 j=4")
    def NAME(A):
        for i in range(A.shape[0]):
            for j in range(A.shape[1]):
                A[i, j] = A[i, j] * 3.0

    try:
        NAME(np.ones((9, 9)))
    except KeyboardInterrupt:
        print("interrupted")
    A = np.ones((9, 9))
    NAME(A)
    assert (A == 3.0).all()
    (nest,) = NAME.report().nests
    print(nest.calls, dict(nest.fallbacks))
"""


def test_an_interrupt_while_the_analysis_is_imported(tmp_path):
    path = tmp_path / "program.py"
    text = textwrap.dedent(INTERRUPTED_IMPORT)
    path.write_text(text.replace("NAME", f"scale{time.time_ns()}"))
    child = subprocess.run(
        [sys.executable, str(path)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert (child.returncode, child.stdout) == (0, "interrupted\n1 {}\n"), child.stderr


# Names that get another meaning

N = 3.0
W = np.arange(4.0)
cfg = types.ModuleType("cfg")
cfg.scale = 2.0
sine = math.sin


class Sizes:
    step = 1


def make(k):
    """A kernel that reads a closure variable, and what changes that."""

    @looptx.kernel
    def data(A):
        for i in range(Sizes.step, A.shape[0]):
            A[i] = A[i] * N + W[i] * cfg.scale + k

    def change(value):
        nonlocal k
        k = value

    return data, change


@looptx.kernel
def named(A):
    for i in range(A.shape[0]):
        A[i] = min(math.sqrt(A[i]), np.exp(A[i])) + sine(A[i]) + math.pi


def agrees(kernel):
    """Kernel and function give the same bits; returns whether it was natively."""
    before = calls(kernel)
    assert same(kernel, np.arange(4.0)) == "None"
    return calls(kernel) > before


def test_data_is_read_at_each_call(monkeypatch):
    data, change = make(0.5)
    assert agrees(data)
    for name, value in (("N", 7.0), ("W", np.ones(4)), ("Sizes", Sizes)):
        monkeypatch.setitem(globals(), name, value)
        assert agrees(data)
    monkeypatch.setattr(cfg, "scale", -1.0)
    assert agrees(data)
    monkeypatch.setattr(Sizes, "step", 2)
    assert agrees(data)
    change(9.5)
    assert agrees(data)
    other, _ = make(1.5)
    assert agrees(other)
    monkeypatch.setitem(globals(), "cfg", types.SimpleNamespace(scale=4.0))
    assert agrees(data)
    monkeypatch.setitem(globals(), "W", [1.0] * 4)
    assert agrees(data)
    with pytest.warns(RuntimeWarning, match="W is a value of type dict"):
        monkeypatch.setitem(globals(), "W", dict.fromkeys(range(4), 1.0))
        data(np.arange(4.0))
    assert not agrees(data)
    monkeypatch.delitem(globals(), "N")
    with pytest.raises(NameError):
        data(np.arange(4.0))


def smallest(a, b):
    """No minimum."""
    return 100.0


class Fake:
    """No module ``math``."""

    pi = 3.0

    @staticmethod
    def sqrt(x):
        return -x


CHANGES = {
    "global builtin": lambda patch: patch.setitem(globals(), "min", smallest),
    "builtin": lambda patch: patch.setattr(builtins, "min", smallest),
    "range": lambda patch: patch.setitem(globals(), "range", lambda n: iter((0, 1))),
    "module": lambda patch: patch.setitem(globals(), "math", Fake),
    "function of math": lambda patch: patch.setattr(math, "sqrt", abs),
    "function of numpy": lambda patch: patch.setattr(np, "exp", smallest),
    "another of numpy": lambda patch: patch.setattr(np, "exp", np.sqrt),
    "number of math": lambda patch: patch.setattr(math, "pi", 3.0),
    "function": lambda patch: patch.setitem(globals(), "sine", abs),
    "other function": lambda patch: patch.setitem(globals(), "sine", math.cos),
}


@pytest.mark.filterwarnings("ignore:looptx")
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_name_with_another_meaning(change, monkeypatch):
    kernel = looptx.kernel(named.py_func)
    assert agrees(kernel)
    with monkeypatch.context() as patch:
        change(patch)
        for one in (kernel, kernel, looptx.kernel(named.py_func)):
            same(one, np.arange(2.0))
    assert agrees(kernel)


def test_a_function_defined_again_changes_nothing(monkeypatch):
    def define():
        def helper(A):
            return A[0]

        return helper

    helper = define()

    @looptx.kernel
    def around(A):
        for i in range(A.shape[0]):
            A[i] = A[i] + 1.0
        return helper(A)

    for n in range(3):
        assert around(np.full(2, float(n))) == n + 1.0
        helper = define()
    assert counts(around) == (3, {})
    (nest,) = around.report().nests
    assert len(nest.versions) == 1


def test_a_name_that_changes_on_the_way(monkeypatch):
    @looptx.kernel
    def late(A, before):
        before()
        for i in range(A.shape[0]):
            A[i] = max(A[i], 1.0)

    A = np.zeros(3)
    late(A, lambda: None)
    assert A.tolist() == [1.0] * 3
    with pytest.warns(RuntimeWarning, match="means something else"):
        late(A, lambda: monkeypatch.setitem(globals(), "max", smallest))
    assert A.tolist() == [100.0] * 3
    assert counts(late)[0] == 1


# Functions of all kinds


@looptx.kernel
def halves(A, depth):
    """Recursive.

    >>> int(halves(np.full(4, 8.0), 2)[0])
    2
    """
    for i in range(A.shape[0]):
        A[i] = A[i] * 0.5
    return A if depth <= 1 else halves(A, depth - 1)


@looptx.kernel
def waves(A):
    while True:
        for i in range(A.shape[0]):
            A[i] = A[i] + 1.0
        yield A.copy()


@looptx.kernel
async def later(A):
    await asyncio.sleep(0)
    for i in range(A.shape[0]):
        A[i] = A[i] + 3.0
    await asyncio.sleep(0)
    return A


class Tree:
    def __init__(self, depth):
        self.below = [Tree(depth - 1)] * 2 if depth else []

    @looptx.kernel
    def grow(self, A):
        for i in range(A.shape[0]):
            A[i] = A[i] + 1.0
        for one in self.below:
            Tree.grow(one, A)


@looptx.kernel
def guarded(A, *rest, by=2.0, log, **more):
    try:
        with contextlib.suppress(IndexError):
            for i in range(rest[0]):
                A[i] = A[i] * by
            log.append("whole")
        return len(more)
    finally:
        log.append("finally")


def counter():
    """A kernel that writes a variable around it."""
    total = 0.0

    @looptx.kernel
    def count(A):
        nonlocal total
        for i in range(A.shape[0]):
            total += A[i]
        return total

    return count, lambda: total


def test_recursion():
    assert halves(np.full(5, 32.0), 5).tolist() == [1.0] * 5
    assert counts(halves) == (5, {})
    A = np.zeros(2)
    Tree(3).grow(A)
    assert A.tolist() == [15.0] * 2
    assert counts(Tree.grow) == (15, {})


def test_recursion_inside_a_function():
    @looptx.kernel
    def more(A, depth):
        for i in range(A.shape[0]):
            A[i] = A[i] + depth
        return more(A, depth - 1) if depth else A

    assert more(np.zeros(2), 3).tolist() == [6.0, 6.0]
    assert counts(more) == (4, {})


def test_generators():
    assert inspect.isgenerator(waves(np.zeros(3)))
    first, second = waves(np.zeros(2)), waves(np.ones(2))
    pairs = [(next(first)[0], next(second)[0]) for _ in range(2)]
    assert pairs == [(1.0, 2.0), (2.0, 3.0)]
    assert counts(waves) == (4, {})
    overlapping = waves(np.broadcast_to(np.zeros(1), (3,)))
    with pytest.warns(RuntimeWarning) as seen, pytest.raises(ValueError):
        next(overlapping)
    assert seen[0].filename == __file__


def test_coroutines():
    async def both():
        return await asyncio.gather(later(np.zeros(2)), later(np.ones(2)))

    results = asyncio.run(both())
    assert [a.tolist() for a in results] == [[3.0] * 2, [4.0] * 2]
    native, left = counts(later)
    assert native and not left


@pytest.mark.filterwarnings("ignore:looptx")
def test_arguments_try_and_with():
    for function in (guarded, guarded.py_func):
        A, log = np.ones(3), []
        assert function(A, 3, log=log, extra=1) == 1
        assert function(A, 2, by=5.0, log=log) == 0
        assert function(A, 4, log=log) == 0
        assert A.tolist() == [20.0, 20.0, 4.0]
        assert log == ["whole", "finally"] * 2 + ["finally"]
    with pytest.raises(TypeError) as ours:
        guarded(np.ones(3), 3)
    with pytest.raises(TypeError) as theirs:
        guarded.py_func(np.ones(3), 3)
    assert str(ours.value) == str(theirs.value)


def test_nonlocal():
    count, total = counter()
    assert count(np.ones(4)) == 4.0
    assert count(np.ones(3)) == 7.0 == total()


def test_copies_pickles_and_doctests():
    assert copy.copy(halves) is halves
    assert copy.deepcopy(halves) is halves
    assert pickle.loads(pickle.dumps(halves)) is halves
    for name in ("__module__", "__name__", "__qualname__", "__doc__", "__wrapped__"):
        assert getattr(halves, name) == getattr(halves.py_func, name, halves.py_func)
    found = doctest.DocTestFinder().find(sys.modules[__name__])
    assert "halves" in {one.name.rpartition(".")[2] for one in found if one.examples}


def twofold(A, B):
    # looptx: split i 4
    for i in range(A.shape[0]):
        B[i] = A[i] + A[i]


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i2", "u2", "i4", "u8", "c16"])
def test_arrays_of_the_other_byte_order_are_no_native_ones(dtype):
    kernel = looptx.kernel(twofold)
    native = np.arange(5).astype(dtype)
    kernel(native, np.zeros(5, dtype))
    assert counts(kernel) == (1, {})
    other = np.dtype(dtype).newbyteorder()
    for given, wanted in ((other, native.dtype), (native.dtype, other), (other, other)):
        result = np.zeros(5, wanted)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            kernel(native.astype(given), result)
        assert result.tolist() == (native * 2).tolist()


@looptx.kernel
def moved_on(A, n, k):
    A[k:n] = A[: n - k] * 2


@looptx.kernel
def whole_on(A, k):
    A[k:] = A[: A.shape[0] - k] * 2


@pytest.mark.filterwarnings("ignore:looptx")
def test_slices_that_overlap_are_called_so() -> None:
    given = np.arange(1.0, 5.0)
    moved_on(given, 4, 1)
    assert given.tolist() == [1, 2, 4, 6]
    _, found = counts(moved_on)
    (reason,) = found
    assert "slices reads what it has written; write into another array" in reason
    whole_on(given, 1)
    assert given.tolist() == [1, 2, 4, 8]
    _, found = counts(whole_on)
    (reason,) = found
    assert reason.startswith("a statement on slices reads of A what it has written")
    assert reason.endswith("write into another array")


@looptx.kernel
def last_pair(A, n):
    for i in range(n):
        p = (i, A[i])
    return p


@pytest.mark.filterwarnings("ignore:looptx")
def test_parts_of_a_tuple_are_called_by_its_name() -> None:
    with pytest.raises(UnboundLocalError):
        last_pair(np.ones(3), 0)
    _, found = counts(last_pair)
    (reason,) = found
    assert reason == "p[0] gets no value in loops that run no iteration"


def test_a_reason_that_several_types_have_is_told_once():
    @looptx.kernel
    def found(a, b):
        for i in range(len(a)):
            b[i] = np.sinc(a[i])

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for dtype in ("float64", "float32", "int64"):
            found(np.ones(3, dtype), np.ones(3, dtype))
    assert str(found.report()).count("no version: ") == 1
