"""The decorator, end to end: proven, compiled, cached, called; or back to Python."""

from __future__ import annotations

import inspect
import os
import pickle
import shutil
import subprocess
import sys
import threading
import traceback
from pathlib import Path

import numpy as np
import pytest
from kit.calls import calls, output, same

import looptx
from looptx.errors import LooptxError

ROOT = Path(__file__).parents[1]

needs_compiler = pytest.mark.skipif(
    not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="needs a C compiler"
)
pytestmark = needs_compiler


@looptx.kernel("tile i=4 j=8", "parallel i")
def matmul(A, B, C):
    """Add a product."""
    n, m = C.shape
    p = A.shape[1]
    for i in range(n):
        for j in range(m):
            for k in range(p):
                C[i, j] += A[i, k] * B[k, j]
    return C


@looptx.kernel
def smooth(old, new, rate):
    n, m = old.shape
    # looptx: tile i=8 j=8
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            flow = old[i - 1, j] + old[i + 1, j] + old[i, j - 1] + old[i, j + 1]
            new[i, j] = old[i, j] + rate * (flow - 4.0 * old[i, j])


@looptx.kernel("split i 4")
def dot(x, y):
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i] * y[i]
    return s, i


@looptx.kernel("reorder j i")
def wrong(A):
    n = A.shape[0]
    for i in range(1, n):
        for j in range(n - 1):
            A[i, j] = A[i - 1, j + 1] + 1


class Grid:
    def __init__(self, n):
        self.u = np.arange(float(n))
        self.h = 0.5

    @looptx.kernel("split i 3")
    def step(self, times):
        """Scale."""
        for i in range(self.u.shape[0]):
            self.u[i] = self.u[i] * self.h + times
        return self


def randoms(*shapes, seed=0):
    """Random matrices."""
    random = np.random.default_rng(seed)
    return [random.standard_normal(shape) for shape in shapes]


def fallbacks(kernel):
    """Why the kernel's nests ran as written, with counts."""
    return {k: n for nest in kernel.report().nests for k, n in nest.fallbacks.items()}


@pytest.mark.parametrize("n", [0, 1, 7, 16, 23])
def test_matmul_is_bitwise_the_same(n):
    same(matmul, *randoms((n, n + 1), (n + 1, n + 2), (n, n + 2)), native=1)


@pytest.mark.parametrize("dtype", ["float32", "int32", "int64", "complex128"])
def test_a_version_for_every_dtype(dtype):
    arrays = [(10 * a).astype(dtype) for a in randoms((9, 5), (5, 11), (9, 11))]
    same(matmul, *arrays, native=1)


def test_a_version_for_every_layout():
    A, B, C = randoms((9, 5), (5, 11), (9, 11))
    same(matmul, np.asfortranarray(A), B[::-1], np.asfortranarray(C), native=1)


def test_comments_schedule_a_bare_kernel():
    same(smooth, *randoms((37, 21), (37, 21)), 0.1)
    assert calls(smooth) >= 1
    assert smooth.schedule == ("tile i=8 j=8",)


def test_results_of_a_nest():
    assert same(dot, *randoms(13, 13)).endswith(", 12)")


@looptx.kernel
def large(A, n):
    s = 0
    # looptx: split i 4
    for i in range(n):
        s += i * 4000000000
        A[i] = -3000000000 + s
    return s


def test_literals_beyond_32_bits():
    for n in (0, 1, 7):
        same(large, np.zeros(7, np.int64), n, native=1)


def test_methods():
    grid, plain = Grid(10), Grid(10)
    assert grid.step(2.0) is grid
    Grid.step.py_func(plain, 2.0)
    assert grid.u.tobytes() == plain.u.tobytes()
    assert Grid.step.__doc__ == "Scale."
    assert calls(Grid.step) >= 1


def test_it_looks_like_the_function():
    assert matmul.__name__ == "matmul"
    assert matmul.__doc__ == "Add a product."
    assert list(inspect.signature(matmul).parameters) == ["A", "B", "C"]
    assert pickle.loads(pickle.dumps(matmul)) is matmul
    assert "matmul" in repr(matmul)


def test_a_refused_schedule_says_so_at_every_call():
    for _ in range(2):
        with pytest.raises(LooptxError) as caught:
            wrong(np.zeros((5, 5)))
        assert caught.value.code == "LX201"
        assert caught.value.place.file == __file__
        lines = Path(__file__).read_text().splitlines()
        shown = lines[caught.value.place.line - 1]
        assert "wrong" in shown or "reorder" in shown


def test_what_a_nest_cannot_contain_is_at_its_place():
    @looptx.kernel("split i 4")
    def f(A):
        for i in range(A.shape[0]):
            if A[i] > 0:
                break

    with pytest.raises(LooptxError) as caught:
        f(np.zeros(3))
    assert caught.value.code == "LX301"
    lines = Path(__file__).read_text().splitlines()
    assert lines[caught.value.place.line - 1].strip() == "break"


def test_an_unknown_verb_is_at_its_place():
    @looptx.kernel
    def f(A):
        # looptx: tyle i=4
        for i in range(A.shape[0]):
            A[i] = 0.0

    with pytest.raises(LooptxError) as caught:
        f(np.zeros(3))
    assert caught.value.code == "LX101"
    lines = Path(__file__).read_text().splitlines()
    assert "tyle i=4" in lines[caught.value.place.line - 1]


def test_lists_run_as_written_and_are_counted():
    x = np.ones(3)
    with pytest.raises(AttributeError):
        dot([1.0], x)
    said = "x is a value of type list: `np.array` makes an array of it"
    assert fallbacks(dot)[said] == 1

    class Mine(np.ndarray):
        pass

    assert dot(x.view(Mine), x)[0] == 3.0
    assert any("subclass" in reason for reason in fallbacks(dot))


def test_an_index_error_is_pythons():
    A, B, C = randoms((4, 4), (3, 4), (4, 4))
    with pytest.raises(IndexError) as caught:
        matmul(A, B, C)
    frame = traceback.extract_tb(caught.value.__traceback__)[-1]
    assert frame.line == "C[i, j] += A[i, k] * B[k, j]"
    assert frame.filename == __file__


def test_arrays_that_overlap_run_as_written():
    base = np.arange(40.0).reshape(5, 8)
    plain = base.copy()
    smooth(base[:, :-1], base[:, 1:], 0.1)
    smooth.py_func(plain[:, :-1], plain[:, 1:], 0.1)
    assert base.tobytes() == plain.tobytes()


def test_a_read_only_target_is_pythons_error():
    target = np.zeros((4, 4))
    target.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        matmul(np.ones((4, 4)), np.ones((4, 4)), target)


def test_strict():
    @looptx.kernel("split i 4", strict=True)
    def f(A):
        for i in range(len(A)):
            A[i] = 1

    f(np.zeros(5))
    with pytest.raises(LooptxError) as caught:
        f(["a", "b"])
    assert caught.value.code == "LX504"


def test_signature_compiles_at_once():
    @looptx.kernel("split i 4", signature="float64[::1], float64")
    def f(A, x):
        for i in range(A.shape[0]):
            A[i] = x

    (nest,) = f.report().nests
    assert len(nest.versions) == 1
    assert nest.calls == 0
    f(np.zeros(3), np.float64(2))
    (nest,) = f.report().nests
    assert (len(nest.versions), nest.calls) == (1, 1)


@pytest.mark.parametrize(
    ("signature", "code"),
    [("float64[:]", "LX102"), ("float64[:], wat", "LX102"), ("_, float", "LX503")],
)
def test_wrong_signatures(signature, code):
    with pytest.raises(LooptxError) as caught:

        @looptx.kernel("split i 4", signature=signature)
        def f(A, x):
            for i in range(A.shape[0]):
                A[i] = x

    assert caught.value.code == code


def test_objects_and_the_builder_mean_the_same():
    def f(A):
        for i in range(A.shape[0]):
            for j in range(A.shape[1]):
                A[i, j] = 2 * A[i, j]

    by_text = looptx.kernel("tile i=4 j=4")(f)
    by_object = looptx.kernel(looptx.tile(i=4, j=4))(f)
    by_builder = looptx.schedule(f).tile(i=4, j=4).kernel()
    for made in (by_text, by_object, by_builder):
        same(made, *randoms((9, 9)))
        assert made.schedule == ("tile i=4 j=4",)
        assert calls(made) == 1


def test_what_is_no_directive_or_function():
    with pytest.raises(LooptxError) as caught:
        looptx.kernel(3)
    assert caught.value.code == "LX102"
    with pytest.raises(LooptxError) as caught:
        looptx.kernel("parallel i")(len)
    assert caught.value.code == "LX306"


def test_static_and_class_methods():
    class C:
        @looptx.kernel("split i 4")
        @staticmethod
        def f(A):
            for i in range(A.shape[0]):
                A[i] = 1.0

    A = np.zeros(5)
    C.f(A)
    assert A.sum() == 5


def test_inspection():
    same(matmul, *randoms((5, 5), (5, 5), (5, 5)))
    python = matmul.inspect_python()
    assert "for ii in range(i" in python
    assert "looptx: applied" in python
    assert "@" not in python
    cython = matmul.inspect_cython()
    assert "prange" in cython
    assert "nogil" in cython
    text = str(matmul.report())
    assert "tile i=4 j=8" in text
    assert "native call" in text


def test_disabled(monkeypatch):
    monkeypatch.setenv("LOOPTX_DISABLE", "1")

    def f(A):
        return A

    assert looptx.kernel(f) is f
    assert looptx.kernel("tile i=4")(f) is f


def test_threads_share_one_compilation(fresh_cache):
    made = looptx.kernel("split i 5")(dot.py_func)
    x = np.ones(100)
    results = []

    def work():
        results.append(made(x, x))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [(100.0, 99)] * 4
    (nest,) = made.report().nests
    assert len(nest.versions) == 1


PROGRAM = """
import sys, time
import numpy as np
import looptx

@looptx.kernel("tile i=4 j=4")
def scale(A, x):
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            A[i, j] = A[i, j] * x

A = np.ones((9, 9))
start = time.process_time()
scale(A, 3.0)
seconds = time.process_time() - start
assert (A == 3.0).all(), A
(nest,) = scale.report().nests
heavy = [name for name in ("libcst", "islpy", "Cython", "black") if name in sys.modules]
print(*(version.origin for version in nest.versions), *heavy, *nest.fallbacks)
print(seconds)
"""


def test_the_next_process_imports_nothing_heavy(fresh_cache, tmp_path):
    first = output(PROGRAM, tmp_path).split()
    assert first[0] == "compiled"
    second = output(PROGRAM, tmp_path).splitlines()
    assert second[0] == "cache"
    assert float(second[1]) < 0.5


def test_processes_that_compile_at_once(fresh_cache, tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, str(program)]
    running = [
        subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    printed = [process.communicate()[0].split()[0] for process in running]
    assert [process.returncode for process in running] == [0] * 4
    assert printed.count("compiled") == 1


def test_without_a_compiler_one_warning_and_the_rewritten_python(fresh_cache, tmp_path):
    text = PROGRAM.replace("scale(A, 3.0)\n", "scale(A, 3.0)\nA /= 3.0\n" * 2)
    text = text.replace("A == 3.0", "A == 1.0").replace("A /= 3.0\n", "A /= 3.0\n", 1)
    text = f"import sys\nsys.stderr = sys.stdout\n{text}"
    text += "print(scale._prepared.run.__code__.co_varnames)\n"
    said = output(text, tmp_path, CC="/nonexistent/cc")
    assert said.count("RuntimeWarning") == 1
    assert "install" in said
    assert "'ii'" in said


def test_rewritten_python_runs_only_where_its_proof_holds(fresh_cache, tmp_path):
    text = """
        import dis
        import numpy as np
        import looptx

        def shift(A, B, n):
            for i in range(1, n):
                for j in range(n - 1):
                    A[i, j] = B[i - 1, j + 1] + 1

        def total(A, B, C, n):
            # looptx: split i 3 | reorder ii i
            for i in range(n):
                C[0] += A[i]
            # looptx: split i 3 | reorder ii i
            for i in range(n):
                B[i] = A[i]

        fast = looptx.kernel("reorder j i")(shift)
        for n in (5, np.uint8(5)):
            for _ in range(3):
                A = np.arange(36.0).reshape(6, 6)
                B = A.copy()
                shift(A, A, n)
                fast(B, B, n)
                assert (A == B).all()
        loops = [one.opname for one in dis.get_instructions(fast._prepared.run)]
        assert loops.count("FOR_ITER") == 4  # as written, and rewritten

        both = looptx.kernel(total)
        whole, real = np.zeros(1, int), np.zeros(1)
        for _ in range(2):
            both(np.arange(9), np.zeros(9), whole, 9)
        try:
            both(np.array([1e16, 1, 1, 1, -1e16, 1.0]), np.zeros(6), real, 6)
        except looptx.LooptxError as error:
            assert error.code == "LX201"  # of floats, as with a compiler
        else:
            raise AssertionError(real)
    """
    output(text, tmp_path, CC="/nonexistent/cc")


def test_forked_children_run_serially(fresh_cache, tmp_path):
    text = """
        import os
        import numpy as np
        import looptx

        @looptx.kernel("parallel i")
        def double(A):
            for i in range(A.shape[0]):
                A[i] = A[i] * 2.0

        A = np.ones(1000)
        double(A)
        pid = os.fork()
        double(A)
        assert (A == 4.0).all()
        if pid == 0:
            os._exit(0)
        assert os.waitpid(pid, 0)[1] == 0
    """
    output(text, tmp_path)


def test_looptx_itself_is_light(tmp_path):
    program = """
        import time
        start = time.process_time()
        import looptx
        print(time.process_time() - start)
    """
    assert float(output(program, tmp_path)) < 0.1


def test_unknown_public_names():
    with pytest.raises(AttributeError, match="nothing_like_this"):
        _ = looptx.nothing_like_this
    assert set(looptx.__all__) <= set(dir(looptx))
    for name in looptx.__all__:
        assert getattr(looptx, name) is not None
