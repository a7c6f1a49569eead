"""``trust scratch``: arguments that nobody looks at afterwards, in Python and in C."""

from __future__ import annotations

import inspect
import itertools
import textwrap
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from kit.calls import calls
from kit.together import compiled

import looptx
from looptx import LooptxError
from looptx.cli.text import transform_text
from looptx.native import runtime

SIZES = ((0, 0, 0), (0, 2, 3), (1, 1, 1), (2, 3, 0), (3, 2, 5), (5, 4, 8), (7, 3, 13))
KINDS = ("float64", "float32")
SHAPES = {
    "doitgen": lambda r, q, n: ((n,),),
    "tiles": lambda r, q, n: ((n,),),
    "number": lambda r, q, n: ((r, n),),
    "chain": lambda r, q, n: ((r, q, n),),
    "waves": lambda r, q, n: ((q,),),
    "twice": lambda r, q, n: ((n,), (q, n)),
}


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LOOPTX_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        from directives import kernels_scratch

        size, given = (3, 2, 5), []
        for name, kind in itertools.product(SHAPES, KINDS):
            arrays = *inputs(size, kind), *scratch(name, size, kind, 1)
            given.append((getattr(kernels_scratch, name), *arrays))
        compiled(given, tmp_path_factory.mktemp("scratch"))
        yield kernels_scratch


@pytest.fixture(params=[1, 4])
def threads(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(runtime._threads, "limit", request.param)
    return int(request.param)


def inputs(size: tuple[int, ...], kind: str = "float64") -> tuple[np.ndarray, ...]:
    """A box of numbers that make sums round, and a square."""
    values, (r, q, n) = np.random.default_rng(sum(size)), size
    box = values.standard_normal((r, q, n)) * 10.0 ** values.integers(-3, 4, (r, q, n))
    return box.astype(kind), values.standard_normal((max(n, q), max(n, q))).astype(kind)


def scratch(name: str, size: tuple[int, ...], kind: str, more: int) -> list[np.ndarray]:
    """The arrays that nobody looks at, with some more of each than is needed."""
    shapes = SHAPES[name](*size)
    return [np.full([x + more for x in shape], np.nan, kind) for shape in shapes]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", SHAPES)
def test_native_results_are_those_of_the_source(
    name: str, kind: str, kernels: Any, threads: int
) -> None:
    kernel = getattr(kernels, name)
    for size in SIZES:
        for more in (0, 3):
            box, square = inputs(size, kind)
            expected, given = box.copy(), scratch(name, size, kind, more)
            kernel.py_func(expected, square, *scratch(name, size, kind, more))
            before = calls(kernel)
            kernel(box, square, *given)
            assert box.tobytes() == expected.tobytes()
            assert calls(kernel) == before + 1
            assert all(np.isnan(one).all() for one in given)


@pytest.mark.parametrize("name", SHAPES)
def test_rewritten_results_are_those_of_the_source(name: str, kernels: Any) -> None:
    kernel = getattr(kernels, name)
    text = f"import looptx\n\n\n{inspect.getsource(kernel.py_func)}"
    after = transform_text(text, f"{name}.py", validate=True)
    assert not after.errors and not any(one.idle for one in after.validated)
    space: dict[str, Any] = {}
    exec(after.text, space)
    for size in SIZES:
        box, square = inputs(size)
        expected = box.copy()
        kernel.py_func(expected, square, *scratch(name, size, "float64", 1))
        space[name](box, square, *scratch(name, size, "float64", 1))
        assert box.tobytes() == expected.tobytes()


@pytest.mark.parametrize("which", ["short", "locked", "a row", "a cell's"])
def test_arrays_that_do_not_fit_are_left_to_the_source(
    which: str, kernels: Any
) -> None:
    source = kernels.doitgen.py_func
    found = []
    for function in (source, looptx.kernel(source)):
        box, square = inputs((3, 2, 5))
        row = {
            "short": np.zeros(4),
            "locked": np.zeros(5),
            "a row": square[1],
            "a cell's": box[0, 0],
        }[which]
        row.flags.writeable = which != "locked"
        error = ""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                function(box, square, row)
        except (IndexError, ValueError) as raised:
            error = str(raised)
        found.append((error, box.tobytes(), square.tobytes(), row.tobytes()))
    assert found[0] == found[1]


def test_other_axes_than_the_nest_uses_are_left_to_python(kernels: Any) -> None:
    box, square = inputs((2, 2, 3))
    kernels.doitgen(box, square, np.zeros(3))
    with pytest.raises(LooptxError, match="of which rows are used"):
        kernels.doitgen(box, square, np.zeros((3, 3)))


def refused(text: str, *, validate: bool = False) -> LooptxError:
    """The one error of a text."""
    found = transform_text(textwrap.dedent(text), "mm.py", validate=validate)
    (error,) = found.errors
    return error


REASONS = {
    "it is returned in line 6": "return T",
    "it is used outside of the nest in line 6": "A[0] = T[0]",
    "it is passed to `print` in line 6": "print(T)",
    "it is shared with `B` in line 6": "B = T",
}


@pytest.mark.parametrize("why", REASONS)
def test_what_the_function_uses_afterwards_is_no_scratch(why: str) -> None:
    error = refused(f"""\
    def f(A, T, n):
        # looptx: trust scratch T
        for i in range(n):
            T[i] = A[i] * 2.0
            A[i] = T[i] + 1.0
        {REASONS[why]}
    """)
    assert error.code == "LX117" and why in str(error)


@pytest.mark.parametrize(
    ("text", "code", "why"),
    [
        ("T[i] += A[i]\n        A[i] = T[i]", "LX207", "line 4 may read it before"),
        ("T[i - 1] = A[i]\n        A[i] = T[i - 1]", "LX207", "outside of its size"),
        ("T[k[i]] = A[i]\n        A[i] = T[k[i]]", "LX207", "is not affine"),
        ("T[i] = A[i]\n        A[i] = sum(T)", "LX117", "as a whole in line 5"),
        (
            "if A[i] > 0:\n            T[i] = A[i]\n        A[i] = T[i]",
            "LX207",
            "line 6",
        ),
    ],
)
def test_what_is_not_known_is_not_scratch(text: str, code: str, why: str) -> None:
    error = refused(f"""\
def f(A, T, k, n):
    # looptx: trust scratch T
    for i in range(n):
        {text}
""")
    assert error.code == code and why in str(error), error


def test_a_local_array_is_no_scratch() -> None:
    error = refused("""\
    import numpy as np
    def f(A, n):
        T = np.empty(n)
        # looptx: trust scratch T
        for i in range(n):
            T[i] = A[i] * 2.0
            A[i] = T[i] + 1.0
    """)
    assert error.code == "LX117" and "it is no argument" in str(error)


def test_a_nest_in_a_loop_is_one_behind_itself() -> None:
    """What an earlier use leaves is read in the next iteration of the outer loop."""
    text = """\
    def f(A, T, n):
        while n > 0:
            A[0] = T[0]
            # looptx: trust scratch T
            for i in range(n):
                T[i] = A[i] * 2.0
                A[i] = T[i] + 1.0
            n -= 1
    """
    assert "used outside of the nest in line 3" in str(refused(text))


def test_uses_in_front_of_the_nest_do_not_matter() -> None:
    text = """\
    def f(A, T, n):
        for i in range(n):
            T[i] = A[i] * 3.0
        A[0] = T[0] + len(T)
        # looptx: trust scratch T | parallel i
        for i in range(n):
            T[0] = A[i] * 2.0
            A[i] = T[0] + 1.0
    """
    assert "T_scratch" in transform_text(textwrap.dedent(text), "mm.py").text


def test_a_view_made_in_front_of_the_nest_matters() -> None:
    error = refused("""\
    def f(A, T, n):
        B = T[1:]
        # looptx: trust scratch T
        for i in range(n):
            T[i] = A[i] * 2.0
            A[i] = T[i] + 1.0
        return B
    """)
    assert error.code == "LX117" and "in line 2" in str(error)


def test_the_error_is_at_the_directive_that_it_is_about() -> None:
    error = refused("""\
    import numpy as np
    def f(A, T, n):
        S = np.zeros(n)
        # looptx: temp S
        # looptx: trust scratch T
        for i in range(n):
            S[i] = A[i]
            T[i] += S[i]
            A[i] = T[i]
    """)
    assert error.place is not None and error.place.line == 5


def test_what_the_nest_does_to_others_is_still_compared() -> None:
    """A wrong result in another array is found, though scratch is not compared."""
    text = """\
    def f(A, T, n):
        # looptx: trust scratch T | trust order | reorder j i
        for i in range(1, n):
            for j in range(1, n):
                T[i, j] = A[i - 1, j - 1] * 2.0
                A[i, j] = T[i, j] + A[i, j - 1] + A[i - 1, j]
                A[i - 1, j + 1] = T[i, j]
    """
    assert refused(text, validate=True).code == "LX208"


def test_a_parallel_loop_that_needs_it_is_hinted_at() -> None:
    error = refused("""\
    def f(A, T, n):
        # looptx: parallel i
        for i in range(n):
            for j in range(n):
                T[j] = A[i, j] * 2.0
            for j in range(n):
                A[i, j] = T[j]
    """)
    assert error.hint.startswith("`trust scratch T` makes it legal")


def test_an_array_of_loops_that_never_run_is_scratch() -> None:
    text = """\
def f(T, A, n):
    # looptx: trust scratch T | temp T | split i 2
    for i in range({}):
        T[i] = A[i]
        A[i] = T[i]
"""
    for never in ("0", "3, 3", "n, n"):
        result = transform_text(text.format(never), "f.py", validate=True)
        assert result.changed and not result.errors
        assert "for i" not in result.text
