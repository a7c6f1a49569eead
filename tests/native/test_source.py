"""What a kernel is made from: its text, what its names mean, what was built before."""

from __future__ import annotations

import math
import sys
import textwrap
import threading
import time
import types
import warnings
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
from kit.calls import calls, imported, output, same

import looptx
from looptx.errors import BuildFailed, LooptxError
from looptx.native.cache import store
from looptx.native.compile import load
from looptx.native.diagnostics.records import error_from

ADD = """
    import looptx

    @looptx.kernel(strict={strict})
    def add(A):
        for i in range(A.shape[0]):
            A[i] = A[i] + 1.0
"""


# What is compiled is what was imported


def test_a_file_that_was_edited_after_its_import(tmp_path: Path) -> None:
    path = tmp_path / "edited.py"
    module = imported(path, ADD.format(strict=False))
    path.write_text(path.read_text().replace("+ 1.0", "+ 100.0"))
    A = np.zeros(3)
    with pytest.warns(RuntimeWarning, match="LX306"):
        module.add(A)
    module.add(A)
    assert A.tolist() == [2.0] * 3
    assert "LX306" in str(module.add.report())
    with pytest.raises(LooptxError, match="not the one it was made from"):
        module.add.inspect_python()


@pytest.mark.parametrize("head", ["if True:", "for _ in range(2):", "try:"])
def test_a_function_in_a_statement_of_its_module(tmp_path: Path, head: str) -> None:
    text = textwrap.dedent(ADD.format(strict=True)).strip().splitlines()
    lines = [text[0], head, *(f"    {line}" for line in text[2:])]
    if head == "try:":
        lines += ["finally:", "    pass"]
    module = imported(tmp_path / "inside.py", "\n".join(lines))
    A = np.zeros(3)
    module.add(A)
    assert A.tolist() == [1.0] * 3


@pytest.mark.parametrize("text", ["def add(A):\n    '''", "("])
def test_a_file_that_is_no_python_any_more(tmp_path: Path, text: str) -> None:
    path = tmp_path / "broken.py"
    module = imported(path, ADD.format(strict=False))
    path.write_text(f"\n\n@looptx.kernel(strict=False)\n{text}\n")
    A = np.zeros(3)
    with pytest.warns(RuntimeWarning, match="LX306"):
        module.add(A)
    assert A.tolist() == [1.0] * 3


def test_strict_kernels_need_their_source(tmp_path: Path) -> None:
    path = tmp_path / "strictly.py"
    module = imported(path, ADD.format(strict=True))
    path.write_text(path.read_text().replace("+ 1.0", "+ 100.0"))
    for _ in range(2):
        with pytest.raises(LooptxError) as caught:
            module.add(np.zeros(3))
        assert caught.value.code == "LX306"


def test_a_kernel_that_is_a_lambda(tmp_path: Path) -> None:
    text = "import looptx\ndouble = looptx.kernel(lambda A: A * 2.0 + A, strict={})\n"
    module = imported(tmp_path / "shortly.py", text.format(False))
    with pytest.warns(RuntimeWarning, match="LX306 <lambda> has no loops"):
        assert module.double(np.ones(3)).tolist() == [3.0] * 3
    module = imported(tmp_path / "strictly.py", text.format(True))
    with pytest.raises(LooptxError) as caught:
        module.double(np.ones(3))
    assert "strictly.py:2:1: LX306" in str(caught.value)
    assert "hint: write it as a `def`" in str(caught.value)


def test_a_lambda_is_told_from_others_in_its_line(tmp_path: Path) -> None:
    text = """
    import looptx

    first, second = (lambda é: é * 2.0), (lambda x: (lambda y: y + x)(x))
    third, fourth = (lambda x: x / 4.0), (
        lambda x: -x)
    same = [lambda x: x + 1.0, lambda x: x + 1.0, lambda x: x - 1.0]
    low, high = same[1:]

    @looptx.kernel(strict=True)
    def add(A):
        for i in range(A.shape[0]):
            A[i] = {}
    """
    calls = "first(A[i])", "third(A[i]) - fourth(A[i])", "low(A[i]) * high(A[i])"
    for number, call in enumerate(calls):
        module = imported(tmp_path / f"several{number}.py", text.format(call))
        same(module.add, np.arange(7.0), native=1)


def test_a_kernel_without_source_runs_as_it_is() -> None:
    space: dict[str, Any] = {"looptx": looptx}
    exec(textwrap.dedent(ADD.format(strict=False)), space)
    A = np.zeros(3)
    with pytest.warns(RuntimeWarning, match="source of add cannot be found"):
        space["add"](A)
    assert A.tolist() == [1.0] * 3


class scale:
    @staticmethod
    @looptx.kernel(strict=True)
    def scale(A: Any) -> None:
        for i in range(A.shape[0]):
            A[i] = A[i] * 2.0


def test_a_method_called_like_its_class() -> None:
    A = np.ones(3)
    scale.scale(A)
    assert A.tolist() == [2.0] * 3


@looptx.kernel(strict=True)
def filled(self: Any, A: Any) -> None:
    for i in range(A.shape[0]):
        A[i] = self


def test_a_parameter_called_self_by_keyword() -> None:
    A = np.ones(3)
    filled(self=4.0, A=A)
    assert A.tolist() == [4.0] * 3


@looptx.kernel
def default(A: Any, k: float = 1.0, *, m: float = 2.0) -> None:
    for i in range(A.shape[0]):
        A[i] = k + m


def test_defaults_that_are_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    A = np.zeros(2)
    default(A)
    monkeypatch.setattr(default.py_func, "__defaults__", (9.0,))
    default(A)
    assert A.tolist() == [11.0] * 2
    monkeypatch.setattr(default.py_func, "__kwdefaults__", {"m": 5.0})
    default(A)
    assert A.tolist() == [14.0] * 2
    assert calls(default) == 3


# What its names mean


@looptx.kernel
def numbers(A: Any) -> None:
    for i in range(A.shape[0]):
        A[i] = np.pi + 0.0 * np.nan


@pytest.mark.parametrize("name", ["pi", "nan"])
@pytest.mark.parametrize("value", [3.0, 3, np.ones(2)], ids=["float", "int", "array"])
def test_numbers_of_numpy_that_are_replaced(
    monkeypatch: pytest.MonkeyPatch, name: str, value: Any
) -> None:
    monkeypatch.setattr(np, name, value)
    same(looptx.kernel(numbers.py_func), np.zeros(2))


@looptx.kernel
def aliases(x: Any, y: Any) -> Any:
    z = np.concat((x, x))
    for i in range(x.shape[0]):
        y[i] = np.acos(x[i]) + np.pow(x[i], 3.0) - np.atan2(np.abs(x[i]), 2.0)
    return z


@looptx.kernel
def order_of_aliases(x: Any, y: Any) -> None:
    # looptx: split i 4 | reorder ii i
    for i in range(x.shape[0]):
        y[i] = np.bitwise_not(x[i]) + np.conj(x[i])


def test_functions_of_numpy_by_their_other_names(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    same(aliases, np.array([0.0, 0.3, -1.0, 1.0, 0.7]), np.zeros(5), native=1)
    x = np.array([3, 0, -7, 2**40, 1])
    same(order_of_aliases, x, np.zeros(5, int), native=1)
    monkeypatch.setattr(np, "acos", np.cos)
    same(looptx.kernel(aliases.py_func), np.ones(2), np.zeros(2), native=0)


EXPONENTIALS = """
    import looptx
    from numpy import exp

    @looptx.kernel
    def f(A):
        for i in range(A.shape[0]):
            A[i] = exp(A[i])
"""


@pytest.mark.parametrize(
    "other", [Mock(), len, 7, np.vectorize(abs), np.log], ids=lambda one: repr(one)[:6]
)
def test_somebody_else_has_replaced_a_function_of_numpy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, other: Any
) -> None:
    f = imported(tmp_path / "replaced.py", EXPONENTIALS).f
    monkeypatch.setattr(np, "exp", other)
    assert same(f, np.ones(3), native=0) == "None"
    assert "numpy.exp is not NumPy's function" in str(f.report())


# Without a compiler


def test_rewritten_loops_see_the_arrays_of_cells_and_locals(tmp_path: Path) -> None:
    program = """
        import warnings
        import numpy as np
        import looptx

        class Holder: pass

        def closure(B):
            def f(A, o, n):
                for i in range(n):
                    for j in range(n):
                        A[i + 1, j] = B[i, n - 1 - j] + 1.0
            return f

        def local(A, o, n):
            B = o.view
            m = n
            for i in range(m):
                for j in range(n):
                    A[i + 1, j] = B[i, n - 1 - j] + 1.0

        def second(A, o, n):
            total = 0.0
            for i in range(n):
                total += A[i, i]
            o.view = o.later
            # looptx: reorder j i
            for i in range(n):
                for j in range(n):
                    A[i + 1, j] = o.view[i, n - 1 - j] + total

        warnings.simplefilter("ignore")
        for make in (closure, lambda A: local, lambda A: second):
            A = np.arange(30.0).reshape(5, 6)
            plain = make(A)
            directives = () if plain is second else ("reorder j i",)
            fast = looptx.kernel(*directives)(plain)
            results = []
            for function in (fast, fast, plain):
                A[:] = np.arange(30.0).reshape(5, 6)
                o = Holder()
                o.view = np.zeros((5, 6)) if plain is second else A
                o.later = A
                function(A, o, 4)
                results.append(A.tobytes())
            assert results[1] == results[2], make
    """
    output(program, tmp_path, CC="/nonexistent/cc")


def test_rewritten_loops_call_no_min_of_the_user(tmp_path: Path) -> None:
    program = """
        import warnings
        import numpy as np
        import looptx

        def f(A, n):
            for i in range(n):
                A[i] += 0.1 * i
            return i, n

        warnings.simplefilter("ignore")
        fast = looptx.kernel("split i 4 | reorder ii i")(f)
        for min in (min, None, lambda a, b: a + b):
            for n in (7, np.int64(25), np.int8(5)):
                A, B = np.zeros((2, 30))
                found, expected = fast(A, n), f(B, n)
                assert found == expected and A.tobytes() == B.tobytes()
                assert [*map(type, found)] == [*map(type, expected)]
        assert "ii" in fast._prepared.run.__code__.co_varnames
        again = looptx.kernel("split i 4 | reorder ii i")(f)
        assert "range(n if n <= 4 else 4)" in again.inspect_python()
    """
    output(program, tmp_path, CC="/nonexistent/cc")


# Names


NAMES = (
    *(
        "\u03b1",
        "\u00b5",
        "\u00e9_2",
        "s_out",
        "s_type",
        "i_result",
        "A_box",
        "threads",
    ),
    *("A_copies", "A_copies_0", "nest", "nest_run", "nest_body0", "lx_nest_run"),
)


def test_names_that_generated_ones_resemble(tmp_path: Path) -> None:
    text = f"""
        import looptx

        @looptx.kernel
        def f(A, B, {", ".join(NAMES)}):
            # looptx: reassociate A | parallel i
            for i in range(B.shape[0]):
                A[0] += B[i] * ({" + ".join(NAMES)})
            s = 0
            for i in range(B.shape[0]):
                s = s + i * ({" + ".join(NAMES)})
                A[1] = s
            return s, i, {", ".join(NAMES)}
    """
    f = imported(tmp_path / "names.py", text).f
    same(f, np.zeros(2), np.arange(5.0), *map(float, range(len(NAMES))), native=2)


# Loading, keeping, warning


def test_threads_that_load_one_module(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded = []

    def slowly(path: Path, name: str) -> types.ModuleType:
        loaded.append(name)
        time.sleep(0.05)
        return sys.modules.setdefault(name, types.ModuleType(name))

    monkeypatch.setattr(load, "_imported", slowly)
    name = "_looptx_loaded_by_threads"
    working = [
        threading.Thread(target=load.load, args=(tmp_path, name)) for _ in range(4)
    ]
    for thread in working:
        thread.start()
    for thread in working:
        thread.join()
    del sys.modules[name]
    assert loaded == [name]


@looptx.kernel("reorder j i")
def roots(A: Any, B: Any, n: int) -> None:
    for i in range(n):
        for j in range(n):
            B[i, j] = math.sqrt(A[i, j])


def test_a_warning_that_is_an_error_is_raised_once() -> None:
    A, B = np.full((2, 2), 4.0), np.zeros((2, 2))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RuntimeWarning, match="LX505"):
            roots(A, B, 2)
        roots(A, B, 2)
    assert (B == 2.0).all()
    assert calls(roots) == 1


def test_another_process_throws_out_what_was_just_built(
    fresh_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = imported(tmp_path / "thrown.py", ADD.format(strict=True))
    really = load.load
    thrown: list[str] = []

    def late(path: Path, name: str) -> types.ModuleType:
        if name.startswith("_looptx_") and not thrown:
            thrown.append(name)
            path.unlink()
            raise BuildFailed("LX502", "a compiled nest cannot be loaded")
        return really(path, name)

    monkeypatch.setattr(load, "load", late)
    A = np.zeros(3)
    module.add(A)
    assert A.tolist() == [1.0] * 3
    assert thrown and calls(module.add) == 1


def test_records_of_another_shape_are_none(fresh_cache: Path, tmp_path: Path) -> None:
    record = {"code": "LX504", "message": "", "detail": [], "hint": "", "source": ""}
    record |= {"above": 0}
    assert error_from({**record, "place": [1, 2, 3]}, "file.py") is None
    assert error_from({**record, "place": [1, 2]}, "file.py") is not None

    module = imported(tmp_path / "recorded.py", ADD.format(strict=True))
    key = module.add._prepare()._key
    kept = store.load_record(key)
    assert kept is not None
    (nest,) = kept["nests"]
    store.save_record(key, {"nests": [{**nest, "hoisted": [[1, 2, 3]]}]})
    again = looptx.kernel(strict=True)(module.add.py_func)
    A = np.zeros(3)
    again(A)
    assert A.tolist() == [1.0] * 3
