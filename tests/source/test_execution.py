"""The model says what the source does: both are executed and compared."""

from __future__ import annotations

import textwrap

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kit.accesses import check_model
from kit.nests import kernel_of
from kit.samples import some

from looptx.errors import LooptxError

VECTORS = {
    "reversed": """
        def f(A, B, n):
            for i in range(n - 1, -1, -1):
                A[i] = B[n - 1 - i] + i
    """,
    "steps": """
        def f(A, B, n):
            for i in range(1, n, 3):
                A[i] += B[i // 2] * B[i % 3]
                A[-1] = A[-1] + i
    """,
    "negative modulo": """
        def f(A, B, n):
            for i in range(n):
                A[-(i % -3)] = B[i >> 1] + A[(i << 1) % n]
    """,
    "guards": """
        def f(A, B, n):
            for i in range(n):
                if i % 2 == 0 and not i > 5:
                    A[i] = 1
                elif 2 <= i < n - 1 or i == 0:
                    A[i] = B[i - 1]
                else:
                    A[i] = B[i] if i > 3 else -B[i]
    """,
    "data-dependent": """
        def f(A, B, n):
            s = 0
            for i in range(n):
                if B[i] > s:
                    s = B[i]
                    A[i] = s
                elif i > 2 and B[i - 1] > 0:
                    A[i - 1] = 7
                else:
                    t = A[i]
                    A[i] = t + 1
            return {"s": s, "i": i}
    """,
    "scalars": """
        def f(A, B, n):
            a, b = 0, 1
            for i in range(n):
                a, b = b, a + B[i]
                x = y = a
                z: int = x - y
                A[i] = z + b
            return {"a": a, "b": b, "x": x}
    """,
    "indirect": """
        def f(A, B, n):
            for i in range(n):
                k = B[i] % n
                A[k], A[B[k] % n] = A[i], k
    """,
    "forwarded": """
        def f(A, B, n):
            last = n - 1
            for i in range(n):
                left = i - 1
                r = last - i
                if left >= 0:
                    A[left] += B[r]
    """,
    "irregular": """
        def f(A, B, n):
            for i in range(n):
                s = 0
                for k in range(B[i] % n):
                    s += A[k]
                    if s > 9:
                        s = k
                A[i] = s
            return {"s": s}
    """,
    "two of one name": """
        def f(A, B, n):
            for i in range(n):
                for j in range(i):
                    A[j] += 1
                for j in range(i, n):
                    A[j] += B[i]
    """,
    "min and max bounds": """
        def f(A, B, n):
            for i in range(n):
                for j in range(max(0, i - 2), min(n, i + 3), 2):
                    A[i] = max(A[i], B[j], abs(B[i]))
    """,
    "slices": """
        def f(A, B, n):
            for i in range(1, n):
                A[i:] = A[i:] + B[: n - i]
                A[...] = A * 1
    """,
    "guarded loop": """
        def f(A, B, n):
            for i in range(n):
                if i > 2:
                    # inner
                    for j in range(i):
                        A[i] += B[j]
                    A[i] -= 1
                else:
                    pass
    """,
}
MATRICES = {
    "matmul": """
        def f(A, B, C):
            n, m = A.shape
            for i in range(n):
                for j in range(B.shape[1]):
                    C[i, j] = 0
                    for k in range(m):
                        C[i, j] = A[i, k] * B[k, j] + C[i, j]
    """,
    "rows": """
        def f(A, B, C):
            for i in range(len(A)):
                C[i] = A[i] + B[i, :]
                C[i, -1] = A[-1, i]
    """,
    "triangle": """
        def f(A, B, C):
            n = len(C)
            for i in range(n):
                for j in range(i + 1, n):
                    for k in range(i, j):
                        C[j, i] -= A[j, k] * C[k, i]
    """,
    "transposed": """
        def f(A, B, C):
            n = C.shape[0]
            for i in range(n):
                for j in range(n):
                    C[j, n - 1 - i] = A[i, j] if B[i, j] > A[0, 0] else -1
    """,
    "product of sizes": """
        def f(A, B, C):
            n, m = A.shape
            for i in range(n * m):
                C[i // m, i % n] += A[i % n, 0]
    """,
}


@pytest.mark.parametrize("name", VECTORS)
@pytest.mark.parametrize("n", [1, 2, 7, 12])
def test_vectors(name: str, n: int) -> None:
    rng = np.random.default_rng(n)
    a, b = rng.integers(0, 9, n), rng.integers(0, 9, n)
    check_model(textwrap.dedent(VECTORS[name]), a, b, n)


@pytest.mark.parametrize("name", MATRICES)
@pytest.mark.parametrize("n", [1, 2, 5])
def test_matrices(name: str, n: int) -> None:
    rng = np.random.default_rng(n)
    matrices = (rng.integers(0, 9, (n, n)) for _ in range(3))
    check_model(textwrap.dedent(MATRICES[name]), *matrices)


INDICES = st.sampled_from(
    ("i", "j", "i-1", "n-1-i", "i+j-1", "i//2", "j%3", "0", "-1", "k", "B[i]%n", "i*j")
)
CONDITIONS = st.sampled_from(
    ("i > j", "i % 2", "B[i] > 3", "0 <= i - 1 < n", "i > 0 and B[j] > 2", "k > 1", "s")
)
BOUNDS = st.sampled_from(
    ("n", "1, n", "i, n", "n - 1, -1, -1", "0, n, 2", "B[0] % n", "max(1, n - 3), n")
)


@st.composite
def bodies(draw: st.DrawFn, depth: int, loops: str) -> list[str]:
    """Lines of a block with the given loop variables around it."""
    lines = []
    for _ in range(draw(st.integers(1, 3))):
        choice = draw(st.integers(0, 7))
        index, other = draw(INDICES), draw(INDICES)
        if choice <= 2:
            lines.append(f"A[({index}) % n] = B[({other}) % n] + {draw(INDICES)}")
        elif choice == 3:
            lines.append(f"A[({index}) % n] += s  # {other}")
        elif choice == 4:
            lines.append(f"s = max(s, B[({index}) % n])")
        elif choice == 5:
            lines.append(f"k = {index}")
        elif choice == 6 and depth:
            lines += [f"if {draw(CONDITIONS)}:", *draw(_inner(depth, loops))]
            if draw(st.booleans()):
                lines += ["else:", *draw(_inner(depth, loops))]
        elif choice == 7 and depth:
            free = [v for v in "jlm" if v not in loops]
            lines += [
                f"for {free[0]} in range({draw(BOUNDS)}):",
                *draw(_inner(depth, loops + free[0])),
            ]
        else:
            lines.append(f"t = A[({index}) % n]; A[({other}) % n] = t - 1")
    return lines


def _inner(depth: int, loops: str) -> st.SearchStrategy[list[str]]:
    inner = bodies(depth - 1, loops)
    return inner.map(lambda lines: [f"    {line}" for line in lines])


@pytest.mark.long
@given(st.integers(0, 6), BOUNDS.filter(lambda b: "i" not in b), bodies(3, "i"))
@settings(max_examples=some(50), deadline=None)
def test_generated(n: int, bound: str, lines: list[str]) -> None:
    code = "\n".join(
        [
            "def f(A, B, n):",
            "    s = 0",
            "    k = 1",
            "    j = 2 if n > 2 else 0",
            f"    for i in range({bound}):",
            *(f"        {line}" for line in lines),
            "    return {'s': s, 'k': k}",
        ]
    )
    try:
        if not kernel_of(code).nests:
            return
    except (LooptxError, StopIteration):
        return
    rng = np.random.default_rng(n)
    n += 1
    check_model(code, rng.integers(0, 9, n), rng.integers(0, 9, n), n)
