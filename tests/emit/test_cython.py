"""Planned nests as Cython: the same statements natively and in CPython, bit by bit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from kit import printing
from kit.printing import Case, check

from looptx.emit.cython import Cython
from looptx.emit.cython.functions import complexes, division, powers
from looptx.emit.cython.helpers import HELPERS
from looptx.model.execution.marks import Marks, Parallel

RANDOM = np.random.default_rng(7)


def floats(*shape: int, dtype: str = "float64") -> Callable[[], Any]:
    """An array of numbers of both signs, the same at every call."""
    values = (RANDOM.random(shape) * 20 - 10).astype(dtype)
    return values.copy


def ints(
    *shape: int, dtype: str = "int64", low: int = -9, high: int = 9
) -> Callable[[], Any]:
    """An array of small integers."""
    values = RANDOM.integers(low, high, shape).astype(dtype)
    return values.copy


def env(**makers: Any) -> Callable[[], dict[str, Any]]:
    """Values by name; callables make theirs anew."""
    return lambda: {k: v() if callable(v) else v for k, v in makers.items()}


def special() -> Any:
    """Floats at which operations differ."""
    nan, inf = float("nan"), float("inf")
    return np.array(
        [0.0, -0.0, 1.0, -1.5, 2.5, nan, inf, -inf, 1e308, 5e-324, -7.0, 3.0]
    )


MATMUL = """
for i in range(n):
    for j in range(m):
        C[i, j] = 0.0
        for k in range(p):
            C[i, j] += A[i, k] * B[k, j]
"""
STENCIL = """
for i in range(1, A.shape[0] - 1):
    for j in range(1, A.shape[1] - 1):
        B[i, j] = 0.25 * (A[i - 1, j] + A[i + 1, j] + A[i, j - 1] + A[i, j + 1])
"""
CASES: list[Case] = []


def case(
    name: str, source: str, values: Callable[[], dict[str, Any]], **more: Any
) -> None:
    """Add a case."""
    CASES.append(Case(name, source, values, **more))


for n, m, p in ((0, 0, 0), (1, 1, 1), (7, 5, 3), (13, 0, 11), (17, 19, 23)):
    sizes = {"n": n, "m": m, "p": p}
    case(
        f"matmul_{n}_{m}_{p}",
        MATMUL,
        env(**sizes, A=floats(n, p), B=floats(p, m), C=floats(n, m)),
    )
    case(f"stencil_{n}_{m}", STENCIL, env(A=floats(n, m), B=floats(n, m)))
for dtype in ("float32", "int32", "int64", "uint8", "complex128"):
    kind: Any = ints if dtype.startswith(("int", "uint")) else floats
    low = {"low": 0} if dtype == "uint8" else {}
    case(
        f"matmul_{dtype}",
        MATMUL.replace("0.0", "0"),
        env(
            n=5,
            m=3,
            p=7,
            A=kind(5, 7, dtype=dtype, **low),
            B=kind(7, 3, dtype=dtype, **low),
            C=kind(5, 3, dtype=dtype, **low),
        ),
    )
WIDE, TALL = floats(12, 14), floats(7, 6)
case("fortran", STENCIL, env(A=lambda: np.asfortranarray(WIDE()), B=WIDE))
case("strided", STENCIL, env(A=lambda: WIDE()[::2, ::-2], B=lambda: TALL().T))

PAIRS = [("float64", "float64"), ("float32", "float32"), ("float32", "float64")]
PAIRS += [
    ("int64", "int64"),
    ("int32", "int64"),
    ("uint8", "int32"),
    ("int32", "float32"),
]
PAIRS += [
    ("uint8", "uint8"),
    ("int64", "float64"),
    ("uint8", "float32"),
    ("int32", "int32"),
]
ARITHMETIC = """
for i in range(n):
    P[i] = A[i] + B[i]
    Q[i] = A[i] - B[i]
    R[i] = A[i] * B[i]
    S[i] = A[i] / B[i]
    T[i] = A[i] // B[i]
    U[i] = A[i] % B[i]
    V[i] = A[i] < B[i]
    W[i] = -A[i] + abs(B[i]) + 3
    X[i] = A[i] * 2.5 - i
"""


def edge(dtype: str) -> Any:
    """Values of a dtype in all pairings with ``other_edge``."""
    if dtype.startswith("float"):
        return special().astype(dtype)
    info = np.iinfo(dtype)
    return np.array(
        [0, 1, 2, 3, 7, info.max, info.min, info.max - 1, 5, 100, info.min // 2, 64]
    ).astype(dtype)


def paired(one: str, two: str, **more: Any) -> Callable[[], dict[str, Any]]:
    """Every value of one beside every value of the other, and outputs."""

    def make() -> dict[str, Any]:
        with np.errstate(all="ignore"):
            a, b = np.meshgrid(edge(one), edge(two))
        size = a.size
        values = {"n": size, "A": a.ravel().copy(), "B": b.ravel().copy()}
        values |= {k: np.zeros(size) for k in "PQRSTUVWX"}
        return values | more

    return make


for one, two in PAIRS:
    source = ARITHMETIC
    if one != "float64" and not one.startswith("float"):
        source = source.replace(" - i", "")
    case(f"arithmetic_{one}_{two}", source, paired(one, two))
    case(f"arithmetic_{two}_{one}_swapped", source, paired(two, one))

with np.errstate(all="ignore"):
    COMPLEX = special() + 1j * special()[::-1], special()[::-1] * (1 + 0.5j)
case(
    "complex",
    """
for i in range(n):
    P[i] = A[i] + B[i]
    Q[i] = A[i] - B[i] * 2.0
    R[i] = A[i] * B[i]
    S[i] = A[i] / B[i]
    T[i] = A[i] * x + 1j
    U[i] = abs(A[i]) + A[i].real * B[i].imag
    V[i] = A[i] == B[i]
    W[i] -= A[i] * B[i]
    X[i] = 1j * x * A[i]
""",
    lambda: {
        "n": 12,
        "x": 0.3,
        "A": COMPLEX[0].copy(),
        "B": COMPLEX[1].copy(),
        **{k: np.zeros(12, complex) for k in "PQRSTUVWX"},
    },
)
case(
    "weak_numbers",
    """
for i in range(n):
    P[i] = i / 3 + (i - 4) // 3 + (i - 4) % 3 + (i - 4) // -3
    Q[i] = x / 3 + x // 0.7 + x % 0.7 + i ** 2 + True
    R[i] = (i << 2) ^ (i & 3) | (i >> 1)
    S[i] = ~i + abs(i - 5) - (-i)
    T[i] = (i > 3) + (2 < i <= 5) + (not i)
    U[i] = i if i % 2 else x
    V[i] = min(i, 3) * max(x, 0.5, -x) - min(x, 1)
    W[i] = x ** 2 + x ** 3.0 + A[i] ** 2 + A[i] ** 0.5
    X[i] = int(A[i]) + float(i) + bool(x) + round(x)
""",
    lambda: {
        "n": 11,
        "x": 1.7,
        "A": np.linspace(-2, 3, 11),
        **{k: np.zeros(11) for k in "PQRSTUVWX"},
    },
)
case(
    "float32_literals",
    """
for i in range(n):
    A[i] = A[i] * 0.1 + 1.1
    A[i] += 0.3
    B[i] = A[i] * h - 1 / 3
    s += A[i] * 0.7
    C[i] = A[i] + A[i] * 1e-3 < 0.1
""",
    env(
        n=13,
        A=floats(13, dtype="float32"),
        B=floats(13, dtype="float32"),
        C=lambda: np.zeros(13, bool),
        h=0.123456789,
        s=0.0,
    ),
    live_out=("s",),
)
case(
    "numpy_functions",
    """
for i in range(n):
    P[i] = np.sqrt(A[i]) + np.floor(A[i]) + np.ceil(A[i])
    P[i] += np.rint(A[i]) + np.trunc(A[i])
    Q[i] = np.minimum(A[i], B[i])
    R[i] = np.maximum(A[i], B[i])
    S[i] = np.abs(A[i]) + np.square(B[i]) + np.fabs(A[i])
    T[i] = np.where(A[i] > B[i], A[i], 1.0) + np.isnan(A[i]) + np.isinf(B[i])
    U[i] = np.float32(A[i]) * 0.1 + np.int64(3) / np.uint8(2)
    V[i] = np.sqrt(2) + np.pi
    W[i] = max(A[i], B[i])
    X[i] = min(A[i], B[i], 0)
""",
    paired("float64", "float64"),
)
TRANSCENDENT = """
for i in range(n):
    P[i] = np.exp(A[i]) + np.log(B[i])
    Q[i] = np.sin(A[i]) * np.cos(B[i])
    R[i] = np.tanh(A[i]) + np.arctan2(A[i], B[i])
    S[i] = np.hypot(A[i], B[i]) + np.cbrt(A[i]) + np.expm1(A[i])
"""
for dtype in ("float64", "float32"):
    case(
        f"transcendental_{dtype}",
        TRANSCENDENT,
        env(
            n=1009,
            A=floats(1009, dtype=dtype),
            B=floats(1009, dtype=dtype),
            **{k: np.zeros(1009) for k in "PQRS"},
        ),
    )
case(
    "math_functions",
    """
for i in range(n):
    P[i] = math.sqrt(A[i]) + math.exp(A[i]) + math.log(A[i] + 1) + math.sin(i) * math.pi
    Q[i] = math.floor(A[i]) + math.ceil(A[i])
    Q[i] += math.atan2(A[i], 2) + math.pow(A[i], 1.5)
    R[i] = math.tanh(A[i]) + math.log(A[i] + 2, 3) + math.fabs(-A[i]) + math.radians(i)
""",
    env(n=7, A=lambda: np.linspace(0, 9, 7), P=floats(7), Q=floats(7), R=floats(7)),
)
case(
    "bools",
    """
for i in range(n):
    C[i] = A[i] and not B[i] or i == 3
    D[i] = A[i] & B[i] | A[i] ^ True
    E[i] = A[i] + 1
    F[i] = 5 if B[i] else 2
    k += A[i]
""",
    env(
        n=6,
        A=lambda: np.array([1, 0, 1, 1, 0, 0], bool),
        B=lambda: np.array([1, 1, 0, 1, 0, 1], bool),
        C=lambda: np.zeros(6, bool),
        D=lambda: np.zeros(6, bool),
        E=floats(6),
        F=ints(6),
        k=0,
    ),
    live_out=("k",),
)
case(
    "integer_stores",
    """
for i in range(n):
    A[i] = B[i] * 1.5
    C[i] = i * 20
    D[i] = B[i] + C[i]
    E[i] += 250
    F[i] = D[i]
""",
    env(
        n=9,
        A=ints(9),
        B=floats(9),
        C=ints(9, dtype="uint8", low=0),
        D=ints(9, dtype="int32"),
        E=ints(9, dtype="uint8", low=0),
        F=lambda: np.zeros(9, "float32"),
    ),
)
case(
    "numpy_scalars",
    """
for i in range(n):
    A[i] = x * i + y + z
""",
    env(
        n=np.int32(9),
        A=floats(9, dtype="float32"),
        x=np.float32(0.1),
        y=np.uint8(3),
        z=np.float64(0.1),
    ),
)
case(
    "scalar_types",
    """
for i in range(n):
    t = A[i] * 2
    m = max(m, A[i])
    s = s + t
    c += 1
    b = A[i] > 0
    a, d = d, a
    last = i
""",
    env(n=8, A=floats(8), m=0.0, s=0, c=0, b=False, a=1, d=2.5, last=-1),
    live_out=("t", "m", "s", "c", "b", "last"),
)
case(
    "untouched",
    """
for i in range(n):
    s += A[i]
""",
    env(n=0, A=floats(3), s=0.0),
    live_out=("s",),
)
case(
    "opaque",
    """
for i in range(n):
    if A[i] > 0:
        B[i] = 1.0
        for k in range(P[i], P[i + 1]):
            B[i] += X[J[k]]
    elif A[i] < -5:
        B[i] = -1.0
    else:
        B[i] = 2.0
""",
    env(
        n=5,
        A=floats(5),
        B=floats(5),
        P=lambda: np.array([0, 2, 3, 3, 6, 8]),
        J=lambda: np.array([0, 3, 1, -1, 2, 0, 3, 1], "int32"),
        X=floats(4),
    ),
)
case(
    "gather",
    """
for i in range(n):
    H[J[i]] += 1
""",
    env(n=20, H=ints(6), J=ints(20, low=-6, high=6)),
)
case(
    "gather_outside",
    """
for i in range(n):
    H[J[i]] += 1
""",
    env(n=3, H=ints(6), J=lambda: np.array([1, 6, 2])),
    error=IndexError,
)
case(
    "negative",
    """
for i in range(n):
    A[i - 2] += B[-1] - B[i - 1]
""",
    env(n=5, A=floats(5), B=floats(5)),
    wraps=("A", "B"),
)
case(
    "zero_division",
    """
for i in range(n):
    A[i] = x / (i - 2)
""",
    env(n=5, A=floats(5), x=1.0),
    error=ZeroDivisionError,
)
case(
    "domain",
    """
for i in range(n):
    A[i] = math.sqrt(2 - i)
""",
    env(n=5, A=floats(5)),
    error=ValueError,
)
case(
    "overflow",
    """
for i in range(n):
    A[i] += i
""",
    env(n=300, A=lambda: np.zeros(300, "uint8")),
    error=OverflowError,
)
case(
    "keywords",
    """
for double in range(new):
    cdef[double] = int_ * sqrt
    for self in range(2):
        cdef[double] += self
""",
    env(new=4, cdef=floats(4), int_=2.0, sqrt=1.5),
)
case(
    "steps",
    """
for i in range(n - 1, -1, -3):
    for j in range(i, n, 2):
        A[i, j] = A[i, j] * 2 + i - j
""",
    env(n=11, A=floats(11, 11)),
)
PARALLEL = {"i": Marks(parallel=Parallel("dynamic", 2, 0))}
case(
    "parallel",
    MATMUL,
    env(n=11, m=5, p=3, A=floats(11, 3), B=floats(3, 5), C=floats(11, 5)),
    marks=PARALLEL,
)
case(
    "parallel_private",
    """
for i in range(n):
    s = 0.0
    for k in range(m):
        t = A[i, k] * 0.5
        s += t
    B[i] = s
""",
    env(n=17, m=5, A=floats(17, 5), B=floats(17)),
    marks={"i": Marks(parallel=Parallel())},
)
case(
    "parallel_raises",
    """
for i in range(n):
    B[i] = A[J[i]]
""",
    env(n=17, A=floats(5), B=floats(17), J=ints(17, low=0, high=99)),
    marks={"i": Marks(parallel=Parallel("guided"))},
    error=IndexError,
)
for size in (0, 1, 97, 1000):
    for step in (1, 3):
        case(
            f"parallel_int_{size}_{step}",
            f"""
for i in range(0, n, {step}):
    s += A[i]
    m = max(m, A[i])
    x ^= A[i]
""",
            env(n=size, A=ints(size), s=0, m=-99, x=0),
            live_out=("s", "m", "x"),
            marks={"i": Marks(parallel=Parallel())},
            reductions={"i": (("s", "+"), ("m", "max"), ("x", "^"))},
        )
    for kind_of in ("parallel", "vectorize"):
        mark = (
            Marks(parallel=Parallel()) if kind_of == "parallel" else Marks(vectorize=0)
        )
        case(
            f"{kind_of}_sum_{size}",
            """
for i in range(n):
    t = A[i] * 0.5
    s += t
    q *= 1.0 + A[i] * 1e-6
""",
            env(n=size, A=floats(size), s=0.0, q=1.0),
            live_out=("s", "q"),
            marks={"i": mark},
            reductions={"i": (("s", "+"), ("q", "*"))},
            close=True,
        )
        case(
            f"{kind_of}_sum32_{size}",
            """
for i in range(n):
    s -= A[i]
""",
            env(n=size, A=floats(size, dtype="float32"), s=np.float32(1)),
            live_out=("s",),
            marks={"i": mark},
            reductions={"i": (("s", "+"),)},
            close=True,
        )
        case(
            f"{kind_of}_max_{size}",
            """
for i in range(n):
    m = max(m, A[i])
    k = np.minimum(k, A[i])
""",
            env(n=size, A=floats(size), m=0.0, k=np.float64(0)),
            live_out=("m", "k"),
            marks={"i": mark},
            reductions={"i": (("m", "max"), ("k", "min"))},
        )


@pytest.fixture(scope="module")
def entries(
    target: type[Cython], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Any]:
    """The entry of every case."""
    folder = tmp_path_factory.mktemp(target.__name__)
    return printing.entries(CASES, folder, "emit_cases", target)


@pytest.mark.parametrize("each", CASES, ids=lambda each: each.name)
def test_same_as_python(each: Case, entries: dict[str, Any]) -> None:
    check(each, entries[each.name])


@pytest.mark.parametrize("name", ["lx_mod", "lx_floordiv", "lx_wrap"])
def test_a_subscript_has_no_branch(name: str) -> None:
    """``T[i % 3, j]`` in a loop over ``j``: gcc copied the loop for each way through
    the remainder and gathered the cells of the row one by one.
    """
    # What asks whether a divisor is a known power of two is none of the machine's code.
    c = {**HELPERS, **division.HELPERS}[name].c.replace(division.TWOS, "")
    assert not any(word in c for word in ("if", "?", "&&", "||"))


@pytest.mark.parametrize("name", ["lx_py_cdiv_c128", "lx_py_pow", "lx_py_cabs_c128"])
def test_what_raises_says_so_by_its_result(name: str) -> None:
    """Behind ``except *`` Cython takes the GIL after every call, to ask Python."""
    (declared,) = {**HELPERS, **complexes.HELPERS, **powers.HELPERS}[name].declarations
    assert "except?" in declared
