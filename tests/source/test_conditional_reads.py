"""What is read in one branch only is read there, not everywhere."""

from __future__ import annotations

import textwrap

import numpy as np
import pytest

from looptx.cli.text import transform_text
from looptx.model.expr import TRUE
from looptx.source import read

SIZES = (0, 1, 2, 3, 5, 8)

LEGAL = {
    "other branch": """
        def f(A, B, n):
            # looptx: parallel i
            for i in range(n):
                A[i] = A[i + 1] if i >= n else B[i]
        """,
    "first branch": """
        def f(A, B, n):
            # looptx: parallel i
            for i in range(n):
                A[i] = B[i] if i < n else A[i - 1]
        """,
    "between conditions": """
        def f(A, B, n):
            # looptx: parallel i
            for i in range(1, n):
                A[i] = B[i] + (i < 1 and A[i - 1] > 0)
        """,
    "behind an or": """
        def f(A, B, n):
            # looptx: parallel i
            for i in range(1, n):
                A[i] = B[i] + (i >= 1 or A[i - 1] > 0)
        """,
    "in a subscript": """
        def f(A, B, n):
            # looptx: parallel i
            for i in range(n):
                A[i] = B[int(A[i - 1]) if i >= n else i]
        """,
    "one inside another": """
        def f(A, B, n):
            # looptx: parallel i
            for i in range(n):
                A[i] = (A[i + 1] if i > 3 else B[i]) if i < 3 else B[i + 1]
        """,
    "rows of another parity": """
        def f(A, B, n):
            # looptx: split i 2 | reorder ii i
            for i in range(n):
                if i % 2 == 0:
                    A[i] = B[i] if i % 2 == 0 else A[i - 1]
                else:
                    A[i] = A[i - 2] if i % 2 == 0 else B[i]
        """,
    "what is known of a part": """
        def f(A, B, n):
            # looptx: parallel i
            for i in range(1, n):
                A[i] = A[i - 1] if not (B[i] > 0 or i < n) else B[i]
        """,
    "a branch of which a part is known": """
        def f(A, B, n):
            # looptx: parallel i
            for i in range(1, n):
                if B[i] > 0 and i >= n:
                    A[i] = A[i - 1]
                else:
                    A[i] = B[i] + i
        """,
    "the other one": """
        def f(A, B, n):
            # looptx: parallel i
            for i in range(1, n):
                if B[i] > 0 or i < n:
                    A[i] = B[i] + i
                else:
                    A[i] = A[i - 1]
        """,
    "a temporary": """
        def f(A, B, n):
            T = np.empty(n)
            # looptx: temp T | tile i=2
            for i in range(n):
                T[i] = B[i]
                A[i] = T[i] if i > 1 else B[i + 1]
        """,
    "a temporary that is read nowhere": """
        def f(A, B, n):
            T = np.zeros(n + 2)
            # looptx: temp T | split i 3
            for i in range(n):
                T[i] = B[i]
                A[i] = T[i + 1] if i < 0 else B[i]
        """,
}

REFUSED = {
    "LX203 where one part is enough": """
        def f(A, B, n):
            # looptx: parallel i
            for i in range(1, n):
                if B[i] > 0 or i >= n:
                    A[i] = A[i - 1]
        """,
    "LX203 where one part fails": """
        def f(A, B, n):
            # looptx: parallel i
            for i in range(1, n):
                A[i] = B[i] if B[i] > 0 and i < n else A[i - 1]
        """,
    "LX201": """
        def f(A, B, n):
            # looptx: split i 4 | reorder ii i
            for i in range(1, n):
                A[i] = A[i - 1] if i > 3 else B[i]
        """,
    "LX202": """
        def f(A, B, n):
            # looptx: parallel i
            for i in range(1, n):
                A[i] = B[i] + (i > 3 and A[i - 1] > 0)
        """,
    "LX203": """
        def f(A, B, n):
            # looptx: parallel i
            for i in range(1, n):
                A[i] = B[i] + (B[i] > 3 and i > 4 and A[i - 1] > 0)
        """,
}


def run(text: str, n: int) -> list[float]:
    scope: dict[str, object] = {}
    exec(text, scope)
    arrays = np.arange(n + 3.0), np.arange(n + 3.0) % 3
    scope["f"](*arrays, n)  # type: ignore[operator]
    return [float(x) for array in arrays for x in array]


@pytest.mark.parametrize("name", LEGAL)
def test_branches_that_never_run_forbid_nothing(name: str) -> None:
    text = "import numpy as np\n" + textwrap.dedent(LEGAL[name])
    result = transform_text(text, "f.py")
    assert not result.errors, str(result.errors[0])
    for n in SIZES:
        assert run(result.text, n) == run(text, n)


@pytest.mark.parametrize("test", ["i <= m", "B[i] <= m", "i <= m and B[i] > 0"])
def test_what_is_not_read_raises_nothing(test: str) -> None:
    """At n = m = 1 iteration 2 reads no `A[0, -2]`: it runs, and meets iteration 0."""
    text = f"""
    def f(A, C, B):
        n, m = A.shape
        # looptx: parallel i
        for i in range(3):
            C[i] = A[0, 0 - i] if {test} else C[0]
    """
    result = transform_text(textwrap.dedent(text), "f.py")
    assert [error.code[:4] for error in result.errors] == ["LX20"]


@pytest.mark.parametrize("name", REFUSED)
def test_branches_that_run_forbid_as_before(name: str) -> None:
    result = transform_text(textwrap.dedent(REFUSED[name]), "f.py")
    assert [error.code for error in result.errors] == [name.split()[0]]


def test_what_is_evaluated_always_is_read_everywhere() -> None:
    text = "def f(A, i):\n    for j in range(i):\n        A[j] = A[j + 1] if j else 0\n"
    (kernel,) = read(text, "f.py").kernels
    (statement,) = kernel.nests[0].statements.values()
    own = {(access.write, access.where == TRUE) for access in statement.accesses}
    assert own == {(True, True), (False, False)}


def ladder(tests: list[str]) -> str:
    lines = ["def f(A, B, n, m):", "    # looptx: reorder j i"]
    lines += ["    for i in range(1, n):", "        for j in range(m):"]
    for number, test in enumerate(tests):
        lines.append(f"            {'elif' if number else 'if'} {test}:")
        lines.append(f"                A[i, j] = A[i - 1, j] + {number}")
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    "test",
    [
        "i == {0} and j == {0} or B[i] > {0}",
        "i % 4 == {0} or j % 3 == {0} or B[i] > 0",
        "B[i] > {0} and i != {0}",
    ],
)
def test_many_branches_do_not_multiply(test: str) -> None:
    text = ladder([test.format(number) for number in range(40)])
    assert not transform_text(text, "f.py").errors
    (kernel,) = read(text, "f.py").kernels
    (statement,) = kernel.nests[0].statements.values()
    assert len(statement.accesses) < 20


@pytest.mark.parametrize(
    ("test", "parameters"),
    [("B[i] > 0 and m % 3 == 1", ("n",)), ("i < m % 3", ("n", "m"))],
)
def test_what_only_the_proof_needs_is_no_parameter(
    test: str, parameters: tuple[str, ...]
) -> None:
    """Native code tests the parameters on entry: for others it need not decline."""
    text = f"""
    def f(A, B, n: int, m: int):
        for i in range(n):
            if {test}:
                A[i] = B[i]
    """
    (kernel,) = read(textwrap.dedent(text), "f.py").kernels
    assert kernel.nests[0].parameters == parameters


def test_storage_has_the_sizes_of_the_nest() -> None:
    """Where `T` is read is known of a part, by a number that no code of looptx has."""
    text = """
    import numpy as np

    def f(A, B, n: int, m: int):
        T = np.empty(n + 9)
        # looptx: temp T | split i 3
        for i in range(n):
            T[i] = B[i]
            if B[i] > 0 and i < m:
                A[i] = T[i] + T[i + 0]
    """
    text = textwrap.dedent(text)
    result = transform_text(text, "f.py")
    assert not result.errors
    for n in SIZES:
        found = []
        for each in (text, result.text):
            scope: dict[str, object] = {}
            exec(each, scope)
            A = np.zeros(n)
            scope["f"](A, np.arange(n) % 3.0, n, 3)  # type: ignore[operator]
            found.append(A.tolist())
        assert found[0] == found[1]
