"""``temp``: what becomes of local arrays, in Python."""

from __future__ import annotations

from textwrap import dedent, indent
from typing import Any

import numpy as np
import pytest
from fuzz.generate.buffers import MAKERS, temporary
from fuzz.oracles.arrays import difference
from fuzz.tiers.case import transformed as answered
from fuzz.tiers.python import examined, forget
from kit.carried import transformation
from kit.samples import some

PROGRAMS = some(24)


def transformed(source: str) -> str:
    """The text of a function after its directives, without the ``applied`` lines."""
    text = f"import numpy as np\n\n\n{dedent(source).strip()}\n"
    result = transformation(text)
    assert not result.errors, str(result.errors[0])
    lines = result.text.split("\n")
    return "\n".join(line for line in lines[3:] if "# looptx: applied" not in line)


def refusal(source: str) -> tuple[str, str]:
    """The code and the message of the error for a function."""
    text = f"import numpy as np\n\n\n{dedent(source).strip()}\n"
    (error,) = transformation(text).errors
    return error.code, error.message


def memory(source: str) -> list[str]:
    """What the ``applied`` comment says of temporaries."""
    text = f"import numpy as np\n\n\n{dedent(source).strip()}\n"
    mark = "# looptx: applied temp T: "
    lines = (line.strip() for line in transformation(text).text.split("\n"))
    return [line.removeprefix(mark) for line in lines if line.startswith(mark)]


def call(text: str, *arguments: Any) -> Any:
    """Run the function of a text."""
    scope: dict[str, Any] = {"np": np}
    exec(compile(dedent(text), "temp", "exec"), scope)
    function = next(v for n, v in scope.items() if n != "np" and callable(v))
    return function(*arguments)


CHAIN = """
    # looptx: fuse first second partial=2{more}
    def chain(A, B, D):
        n, m = A.shape
        p = B.shape[1]
        q = D.shape[1]
        T = np.zeros((n, p))
        E = np.zeros((n, q))
        # looptx: nest first
        for i in range(n):
            for j in range(p):
                for k in range(m):
                    T[i, j] += A[i, k] * B[k, j]
        # looptx: nest second
        for i in range(n):
            for j in range(p):
                for l in range(q):
                    E[i, l] += T[i, j] * D[j, l]
        return E
"""


def test_a_fused_product_of_three_matrices_needs_one_number() -> None:
    text = transformed(CHAIN.format(more=" | temp T"))
    assert text == dedent("""\
        def chain(A, B, D):
            n, m = A.shape
            p = B.shape[1]
            q = D.shape[1]
            E = np.zeros((n, q))
            for i in range(n):
                for j in range(p):
                    T = np.float64(0.0)
                    for k in range(m):
                        T += A[i, k] * B[k, j]
                    for l in range(q):
                        E[i, l] += T * D[j, l]
            return E
        """)


@pytest.mark.parametrize(
    "sizes", [(0, 2, 2, 2), (1, 1, 1, 1), (5, 0, 3, 4), (7, 5, 3, 2)]
)
@pytest.mark.parametrize(
    "more", ["", " | tile i=2 j=3", " | tile i=2 j=3 | reorder i j f ii jj"]
)
def test_the_product_is_the_same(more: str, sizes: tuple[int, ...]) -> None:
    n, m, p, q = sizes
    source = CHAIN.format(more=f"{more} | temp T")
    values = np.random.default_rng(1)
    shapes = ((n, m), (m, p), (p, q))
    arrays = [values.random(shape) for shape in shapes]
    expected = call(source, *arrays)
    assert call(transformed(source), *arrays).tobytes() == expected.tobytes()


def test_a_tiled_product_needs_a_block() -> None:
    source = CHAIN.format(more=" | tile i=2 j=3 | reorder i j f ii jj | temp T")
    assert "    T = np.zeros((2, 3))\n" in transformed(source)
    assert "T[ii - i, jj - j] += A[ii, k] * B[k, jj]" in transformed(source)
    assert memory(source) == ["8 * n * p bytes -> 48 bytes"]


CASES = {
    "a number": (
        """
        def f(A, n, m):
            T = np.zeros((n, m))
            # looptx: temp T
            for i in range(n):
                for j in range(m):
                    T[i, j] = A[i, j] * 2
                    A[i, j] = T[i, j] + T[i, j]
        """,
        """\
        def f(A, n, m):
            for i in range(n):
                for j in range(m):
                    T = np.float64(A[i, j] * 2)
                    A[i, j] = T + T
        """,
    ),
    "a value of another type keeps its array": (
        """
        def f(A, n):
            T = np.empty(n, dtype=np.float32)  # rounds
            # looptx: temp T
            for i in range(n):
                T[i] = A[i] / 3
                A[i] = T[i] * 2
        """,
        """\
        def f(A, n):
            T = np.empty((), dtype=np.float32)  # rounds
            for i in range(n):
                T[()] = A[i] / 3
                A[i] = T[()] * 2
        """,
    ),
    "a row": (
        """
        def f(A, n, m):
            T = np.zeros((n, m))
            # looptx: temp T
            for i in range(n):
                for j in range(m):
                    T[i, j] = A[i, j] * 2
                for j in range(m):
                    A[i, j] = T[i, j] + T[i, m - 1 - j]
        """,
        """\
        def f(A, n, m):
            T = np.zeros(m)
            for i in range(n):
                for j in range(m):
                    T[j] = A[i, j] * 2
                for j in range(m):
                    A[i, j] = T[j] + T[m - j - 1]
        """,
    ),
    "what is read first is filled": (
        """
        def f(A, n, m):
            T = np.full((n, m), 2.5)
            # looptx: temp T
            for i in range(n):
                for j in range(1, m):
                    T[i, j] = A[i, j]
                for j in range(1, m):
                    A[i, j] = T[i, j] + T[i, j - 1]
        """,
        """\
        def f(A, n, m):
            T = np.full(m, 2.5)
            for i in range(n):
                T[:] = 2.5
                for j in range(1, m):
                    T[j] = A[i, j]
                for j in range(1, m):
                    A[i, j] = T[j] + T[j - 1]
        """,
    ),
    "a recurrence": (
        """
        def f(A, n):
            T = np.ones(n + 1)
            # looptx: temp T
            for i in range(n):
                T[i + 1] = T[i] * A[i]
                A[i] = T[i + 1]
        """,
        """\
        def f(A, n):
            T = np.float64(1.0)
            for i in range(n):
                T = np.float64(T * A[i])
                A[i] = T
        """,
    ),
    "two rows in turn": (
        """
        def f(A, n, m):
            T = np.zeros((n + 1, m))
            # looptx: temp T
            for i in range(n):
                for j in range(m):
                    T[i + 1, j] = T[i, m - 1 - j] + A[i, j]
                for j in range(m):
                    A[i, j] = T[i + 1, j]
        """,
        """\
        def f(A, n, m):
            T = np.zeros((2, m))
            for i in range(n):
                for j in range(m):
                    T[(i + 1) % 2, j] = T[i % 2, m - j - 1] + A[i, j]
                for j in range(m):
                    A[i, j] = T[(i + 1) % 2, j]
        """,
    ),
    "rows that are summed": (
        """
        def f(A, n, m):
            T = np.zeros((n + 1, m))
            # looptx: temp T
            for i in range(n):
                for j in range(m):
                    for k in range(j):
                        T[i + 1, j] += A[i, k]
                for j in range(m):
                    A[i, j] = T[i, j] + T[i + 1, m - 1 - j]
        """,
        """\
        def f(A, n, m):
            T = np.zeros((2, m))
            if m > 0:
                for i in range(n):
                    T[(i + 1) % 2] = 0
                    for j in range(1, m):
                        for k in range(j):
                            T[(i + 1) % 2, j] += A[i, k]
                    for j in range(m):
                        A[i, j] = T[i % 2, j] + T[(i + 1) % 2, m - j - 1]
        """,
    ),
    "columns of products, from the last": (
        """
        def f(A, n, m):
            T = np.ones((m, n + 2))
            # looptx: temp T
            for i in range(n - 1, -1, -1):
                for j in range(m):
                    T[j, i] *= A[i, j] + T[j, i + 2]
                for j in range(m):
                    A[i, j] = T[j, i] - T[j, i + 1]
        """,
        """\
        def f(A, n, m):
            T = np.ones((m, 3))
            if m > 0:
                for i in range(n - 1, -1, -1):
                    T[:, i % 3] = 1
                    for j in range(m):
                        T[j, i % 3] *= A[i, j] + T[j, (i + 2) % 3]
                    for j in range(m):
                        A[i, j] = T[j, i % 3] - T[j, (i + 1) % 3]
        """,
    ),
    "strips of distributed loops": (
        """
        def f(A, n):
            T = np.zeros(n)
            # looptx: split i 4 | unroll ii | reorder i ii | temp T
            for i in range(n):
                T[i] = A[i] * 2
                A[i] = T[i]
        """,
        None,
    ),
    "two nests, one behind the other, that read what fills": (
        """
        def f(A, n):
            T = np.full(2 * n + 1, 2.5)
            # looptx: fuse first second | reorder f i | temp T
            # looptx: nest first
            for i in range(n):
                A[i] += T[0]
            # looptx: nest second
            for i in range(n):
                T[i + n] = A[i] * 3
                A[i] += T[i] + T[i + n]
        """,
        None,
    ),
    "blocks of one of two nests, one behind the other": (
        """
        def f(A, n):
            T = np.full(n, 2.5)
            # looptx: fuse first second | reorder f i | split i 4 | temp T
            # looptx: nest first
            for i in range(n):
                A[i] += 1
            # looptx: nest second
            for i in range(n):
                T[i // 4] += A[i]
                A[i] = T[i // 4]
        """,
        None,
    ),
    "an array like another": (
        """
        def f(A, n):
            T = np.zeros_like(A)
            # looptx: assume n <= A.shape[0] | temp T
            for i in range(n):
                T[i] = A[i] * 2
                A[i] = T[i]
        """,
        """\
        def f(A, n):
            if n <= A.shape[0]:
                T = np.zeros_like(A, shape=())
                for i in range(n):
                    T[()] = A[i] * 2
                    A[i] = T[()]
            else:
                T = np.zeros_like(A)
                for i in range(n):
                    T[i] = A[i] * 2
                    A[i] = T[i]
        """,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_text(name: str) -> None:
    source, expected = CASES[name]
    text = transformed(source)
    assert expected is None or text == dedent(expected)


@pytest.mark.parametrize("n", [0, 1, 2, 7])
@pytest.mark.parametrize("name", CASES)
def test_results(name: str, n: int) -> None:
    source, _ = CASES[name]
    two = "m)" in source
    values = np.random.default_rng(2).random((n, 5) if two else n)
    expected, found = values.copy(), values.copy()
    sizes = (n, 5) if two else (n,)
    call(source, expected, *sizes)
    call(transformed(source), found, *sizes)
    assert found.tobytes() == expected.tobytes()


@pytest.mark.parametrize(
    ("dtype", "value"),
    [
        ("float32", "A[i] / 3"),
        ("int64", "A[i] * 10"),
        ("bool", "A[i] > 0.5"),
        ("complex128", "A[i] * 1j"),
        ("float64", "i"),
        ("float64", "np.float32(A[i])"),
    ],
)
@pytest.mark.parametrize("way", ["T[i] = {0}", "T[i] = 1\n    T[i] += {0}"])
def test_stored_values_keep_the_type_of_the_array(
    dtype: str, value: str, way: str
) -> None:
    body = indent(way.format(value) + "\n    B[i] = T[i] / 7 + T[i] * 2", "        ")
    source = f"""
def f(A, B, n):
    T = np.zeros(n, dtype=np.{dtype})
    # looptx: temp T
    for i in range(n):
{body.replace("            T", "        T").replace("            B", "        B")}
"""
    a, kind = np.random.default_rng(3).random(6), np.complex128
    first, second = np.zeros(6, kind), np.zeros(6, kind)
    call(source, a, first, 6)
    call(transformed(source), a, second, 6)
    assert first.tobytes() == second.tobytes()


def test_division_by_zero_stays_that_of_numpy() -> None:
    source = """
    def f(A, n):
        T = np.zeros(n)
        # looptx: temp T
        for i in range(n):
            A[i] = 1 / T[i] if i < 1 else 2 / T[i]
    """
    found = np.ones(3)
    with np.errstate(divide="ignore"):
        call(transformed(source), found, 3)
    assert found.tolist() == [np.inf] * 3


def test_an_unused_temporary_goes_away() -> None:
    source = """
    def f(A, n):
        T = np.zeros(n)
        # looptx: temp T
        for i in range(n):
            T[i] = 1
            A[i] = 2
    """
    assert "T = np.float64(1)" in transformed(source)


SHARED = """
    def f(A, n):
        {before}
        # looptx: temp T
        for i in range(n):
            T[i] = A[i]
            A[i] = T[i]
        {after}
"""


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        ("T = np.zeros(n)", "return T", "is returned in line 10"),
        ("T = np.zeros(n)", "yield T", "is yielded in line 10"),
        ("T = np.zeros(n)", "print(T)", "is passed to `print` in line 10"),
        ("T = np.zeros(n)", "A[0] = T[0]", "is used outside of the nest in line 10"),
        ("T = np.zeros(n)", "V = T[1:]", "is shared with `V` in line 10"),
        ("T = np.zeros(n)", "print((1, *[T[1:]]))", "is passed to `print` in line 10"),
        ("T = np.zeros(n)", "return T[0]", "is used outside of the nest in line 10"),
        ("T = np.zeros(n)", "V = T[0]", "is used outside of the nest in line 10"),
        ("T = np.zeros(n)", "abs(T[0])", "is used outside of the nest in line 10"),
        ("T = np.zeros(n)", "range(int(T[0]))", "is used outside of the nest"),
        ("T = np.zeros(n)", "T.sum()", "is used outside of the nest in line 10"),
        ("T = np.zeros(n); n = n + 1", "", "is allocated before `n` changes"),
        ("T = V = np.zeros(n)", "", "is not allocated in front of the nest"),
        ("T = A.copy()", "", "is not made by np.zeros"),
        ("T = np.zeros(A)", "", "has a size that looptx cannot read"),
        ("global T; T = np.zeros(n)", "", "is global"),
        ("T = np.zeros(n); g = lambda: T", "", "is global, or used by a function"),
        ("T = np.zeros(n); T = np.zeros(n)", "", "is assigned in several places"),
        ("pass", "", "is not made in the function"),
        ("T = np.full(n, A)", "", "is filled with what may be no number"),
        ("if n: T = np.zeros(n)", "", "is not allocated in front of the nest"),
        ("T = np.zeros(n)", "for i in range(n): T[i] = 0", "is used outside"),
        ("T = np.zeros(n)", "locals()", "is seen by a call"),
        ("pass; T = np.zeros(n)", "", "is allocated on a line with other statements"),
    ],
)
def test_what_is_no_temporary(before: str, after: str, reason: str) -> None:
    lines = before.replace("; ", f"\n{' ' * 8}") if "pass;" not in before else before
    code, message = refusal(SHARED.format(before=lines, after=after))
    assert code == "LX117" and f"`T` is no temporary: it {reason[:20]}" in message


@pytest.mark.parametrize(
    ("allocation", "element", "reason"),
    [
        ("np.zeros(n)", "T[i - 1]", "may be used outside of its size"),
        ("np.zeros(n)", "T[i + 1]", "may be used outside of its size"),
        ("np.zeros(n)", "T[i * i]", "has a subscript that is not affine"),
        ("np.zeros((n, n))", "T[i]", "is not used element by element"),
    ],
)
def test_cells_that_cannot_be_told(allocation: str, element: str, reason: str) -> None:
    source = SHARED.format(before=f"T = {allocation}", after="").replace(
        "T[i]", element
    )
    code, message = refusal(source)
    assert code == "LX207" and reason in message


@pytest.mark.parametrize(
    ("size", "taken"), [("n - 1", True), ("n // 2 - 1", True), ("n", False)]
)
def test_cells_are_told_by_what_sizes_are_made_of(size: str, taken: bool) -> None:
    """The loop runs over a name; what it was made of tells that all is inside."""
    source = f"""
        def f(A):
            n, m = A.shape
            T = np.empty(n)
            h = {size}
            # looptx: temp T
            for i in range(h):
                T[i + 1] = i
                A[0, i] = T[i + 1]
    """
    if taken:
        text = transformed(source)
        for rows in (1, 2, 3, 7):
            found, wanted = np.zeros((2, rows, 7))
            call(text, found)
            call(source, wanted)
            assert np.array_equal(found, wanted)
    else:
        code, message = refusal(source)
        assert code == "LX207" and "may be used outside of its size" in message


def test_cells_without_a_value() -> None:
    """What the nest reads of them is whatever the memory held before."""
    source = SHARED.format(before="T = np.{}(n)", after="").replace("T[i]", "A[i]", 1)
    code, message = refusal(source.format("empty"))
    assert code == "LX117" and "it is never given a value" in message


def test_other_names() -> None:
    source = SHARED.format(before="T = np.zeros(n)", after="")
    assert refusal(source.replace("temp T", "temp U"))[0] == "LX104"
    assert refusal(source.replace("temp T", "temp"))[0] == "LX102"


ROWS = """
    def f(A, n, m):
        T = np.empty(m)
        # looptx: parallel i{more}
        for i in range(n):
            for j in range(m):
                T[j] = A[i, j] * 2
            for j in range(m):
                A[i, j] = T[m - 1 - j]
"""


def test_a_parallel_loop_is_legal_with_a_row_for_each_thread() -> None:
    text = f"import numpy as np\n\n{dedent(ROWS.format(more=''))}"
    (error,) = transformation(text).errors
    assert error.code == "LX202"
    assert error.hint == "`temp T` gives every iteration cells of its own."
    assert memory(ROWS.format(more=" | temp T")) == [
        "8 * m bytes -> 8 * m bytes per thread"
    ]


def test_iterations_may_be_reordered_when_each_has_its_own_row() -> None:
    source = ROWS.format(more=" | temp T").replace(
        "parallel i", "split i 2 | unroll ii"
    )
    values = np.random.default_rng(5).random((5, 4))
    expected, found = values.copy(), values.copy()
    call(source, expected, 5, 4)
    call(transformed(source), found, 5, 4)
    assert found.tobytes() == expected.tobytes()


def test_a_scalar_is_expanded_over_no_more_than_is_live() -> None:
    source = """
    def f(A, B, n, m):
        # looptx: split j 4 | reorder j i jj
        for i in range(n):
            s = A[i, 0] * 2
            for j in range(m):
                B[i, j] = s + A[i, j]
    """
    assert "s = {}" not in transformed(source.replace("reorder j i jj", "unroll jj"))


@pytest.mark.parametrize(
    "more", ["parallel ij", "split ij 4 | parallel ij", "split ij 4"]
)
def test_an_iteration_of_a_collapsed_loop_has_its_own_cell(more: str) -> None:
    source = f"""
    def f(A, n, m):
        T = np.zeros((n, m))
        # looptx: collapse i j as ij | {more} | temp T
        for i in range(n):
            for j in range(m):
                for k in range(3):
                    T[i, j] += A[i, j] * k
                A[i, j] = T[i, j]
    """
    assert "T = np.float64(0.0)\n" in transformed(source)
    for n, m in ((0, 3), (1, 1), (5, 7)):
        values = np.random.default_rng(n).random((n, m))
        expected, found = values.copy(), values.copy()
        call(source, expected, n, m)
        call(transformed(source), found, n, m)
        assert found.tobytes() == expected.tobytes()


def test_above_a_function_of_several_nests() -> None:
    source = """
    # looptx: temp T
    def f(A, n):
        for i in range(n):
            A[i] += 1
        T = np.zeros(n)
        for i in range(n):
            T[i] = A[i] * 2
            A[i] = T[i]
    """
    assert "T = np.float64(A[i] * 2)" in transformed(source)


def test_a_negative_size_runs_nothing() -> None:
    source = """
    def f(A, n, m):
        T = np.zeros((n, m))
        # looptx: tile i=2 j=3 | temp T
        for i in range(n):
            for j in range(m):
                T[i, j] = A[i, j] * 2
                A[i, j] = T[i, j]
    """
    values = np.ones((3, 3))
    call(transformed(source), values, -1, 3)
    assert values.tolist() == np.ones((3, 3)).tolist()


def test_what_sizes_are_is_known_where_only_the_allocation_names_them() -> None:
    """`n == A.shape[0]` keeps the cells inside `T`; the nest itself reads no `n`."""
    source = """
    def f(A, B):
        n, m = A.shape
        T = np.empty((n + 9, n + 9))
        # looptx: unroll i 3 | temp T
        for i in range(0, 4, 2):
            T[i, i] = B[i, 1]
            A[i + 1, i] = T[i, i]
    """
    A, B = np.zeros((5, 5)), np.arange(25.0).reshape(5, 5)
    call(transformed(source), A, B)
    assert A[1, 0] == 1.0
    assert A[3, 2] == 11.0


def test_a_temporary_that_is_never_used_has_no_cells() -> None:
    source = """
    def f(A, n, m):
        T = np.zeros((n + 9, n + 9))
        # looptx: tile i=3 j=5 | temp T
        for i in range(n):
            for j in range(m):
                if i != i:
                    T[i, j] = A[i, j]
                    A[i, j] = T[i, j] + 1
    """
    values = np.ones((3, 3))
    after = transformed(source)
    call(after, values, 3, 3)
    assert values.tolist() == np.ones((3, 3)).tolist()
    assert "T = " not in after


@pytest.mark.parametrize("made", ["empty(n + 4)", "zeros((n + 4), float)"])
def test_what_only_code_that_never_runs_needs_is_not_allocated(made: str) -> None:
    source = f"""
    def f(A, n: int):
        T = np.{made}  # for later
        # looptx: temp T
        for i in range(4):
            for j in range(i + n):
                if i + 1 <= i:
                    T[i + 1] = 2.0
                    A[i] = T[i] + 2
                else:
                    A[j] += 1.0
    """
    after = transformed(source)
    assert "T = " not in after
    assert "# for later" in after
    for n in (0, 1, 5):
        found, wanted = np.zeros(8), np.zeros(8)
        call(after, found, n)
        call(source, wanted, n)
        assert found.tolist() == wanted.tolist()


@pytest.mark.parametrize("part", range(4))
def test_random_programs(part: int) -> None:
    same = 0
    for seed in range(part * PROGRAMS // 4, (part + 1) * PROGRAMS // 4):
        made = temporary(seed, 0)
        forget()
        verdict = examined(made, seed)
        assert not verdict.kind, f"{verdict.kind}: {verdict.detail}\n{made.text()}"
        new = answered(made.text())
        if not new.code:
            same += 1
            assert not difference(made, new.text, seed), made.text()
    assert same > PROGRAMS // 10


def test_random_programs_differ() -> None:
    texts = {temporary(seed, 0).text() for seed in range(PROGRAMS)}
    assert len(texts) > PROGRAMS * 0.9
    assert len(set(MAKERS)) == 9
