"""Python's integers in native code: exact as in CPython, or left to CPython."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest
from kit.calls import held
from kit.printing import build

from looptx.emit.cython import Section
from looptx.errors import LooptxError
from looptx.native.analysis.exception_order import nest_code
from looptx.native.analysis.function import Analysis
from looptx.native.analysis.function_text import FunctionText
from looptx.native.call.arguments import classify_all

IMPORTS = {"np": "numpy", "math": "math"}
EDGES = sorted(
    sign * (1 << bits) + more
    for sign in (1, -1)
    for bits in (0, 3, 20, 31, 32, 40, 52, 53, 61, 62, 63)
    for more in (-1, 0, 1)
)
"""Integers around every limit of C, two of them beyond it."""
FEW = [edge for edge in EDGES if edge.bit_length() in (1, 32, 53, 63, 64)]

KERNELS = {
    "poly": """
def f(n, a, b, s):
    for i in range(n):
        s += a * i * i + b - i
""",
    "unary": """
def f(n, a, b, s, t):
    for i in range(n):
        s = -a + i
        t = abs(b) - ~a
""",
    "division": """
def f(n, a, b, s, t):
    for i in range(n):
        s = a // b - i
        t = a % b + a // 7 - b % 5
""",
    "bits": """
def f(n, a, b, s, t):
    for i in range(n):
        s = (a << 3) + (b >> 2)
        t = (a & b) + (a | i) - (b ^ 5) + (b & 255)
""",
    "power": """
def f(n, a, s, t):
    for i in range(n):
        s = a**2 - i
        t += i**3 * a
""",
    "extremes": """
def f(n, a, b, s, t):
    for i in range(n):
        s = max(s, a + i)
        t += min(max(a, -9), 9) * b
""",
    "bound": """
def f(n, a, b, s):
    for i in range((a * b) % 7 + n):
        s += i
""",
    "remainder": """
def f(n, a, b, x):
    for i in range(n):
        x = (x * a + b) % 2147483648
""",
    "select": """
def f(n, a, b, s, t):
    for i in range(n):
        k = a if i % 2 else b
        s = k * 3 - 1
        t += 1 if a > b and k > 0 else -1
""",
    "triangle": """
def f(n, a, c, s):
    for i in range(n):
        for j in range(i, n):
            c += 1
            s -= j * a
""",
    "swap": """
def f(n, a, b, s):
    for i in range(n):
        a, b = b, a
        s, a = a, a + i
""",
    "compared": """
def f(n, a, x, c, d):
    for i in range(n):
        if a > x:
            c += 1
        if a + i == x:
            d += 1
""",
    "joined": """
def f(n, a, x, t):
    for i in range(n):
        t = a if i % 2 else x
""",
    "divided": """
def f(n, a, b, A):
    for i in range(n):
        A[i] = a / b + float(a) * 0.5 + A[i]
""",
    "single": """
def f(n, a, S):
    for i in range(n):
        S[i] = a - i
""",
    "inner": """
def f(n, a, P, c, s):
    for i in range(n):
        for k in range(P[i], P[i + 1], 2):
            c += a
            s = k
""",
    "narrow": """
def f(n, a, I, s):
    for i in range(n):
        s += int(I[i]) * a
""",
    "tiled": """
def f(n, a, s):
    # looptx: split i 32 | parallel i
    for i in range(n):
        s += i * a
""",
    "clamped": """
def f(n, A, H):
    for i in range(n):
        b = int(A[i] * 3)
        if b < 0:
            b = 0
        if b > 7:
            b = 7
        H[b] += 1
""",
    "fraction": """
def f(n, A, B):
    for i in range(n):
        k = math.floor(A[i])
        B[i] = A[i] - k
""",
    "small": """
def f(m, A):
    for i in range(m + 100):
        A[i] += 1.0
""",
    "whole": """
def f(n, a, L, s, t):
    for i in range(n):
        s = int(L[i]) % 7 + (int(L[i]) & 255)
        t += max(int(L[i]), 0) >> 40
""",
    "product": """
def f(m, A):
    for i in range(A.shape[0] * m, 5, 1000000):
        A[0] += i * i * i
""",
    "stretched": """
def f(n, A, U):
    for i in range(U.shape[0]):
        A[4 * i] = U[i]
""",
    "rounded": """
def f(n, A, a, s, t):
    for i in range(n):
        s = round(A[i]) * 2
        t += math.ceil(A[i]) - math.trunc(A[i])
""",
}
LOOKED_AT = {
    "factorial": "t *= i + 1; A[i] += 1",
    "doubling": "t = t * 2 + 1; A[i] -= t % 7",
    "fibonacci": "a, b = b, a + b; A[i] *= 2",
    "cycle": "s, t = t + s, s",
    "element": "t += int(P[i]) * 2; P[i] = 0",
    "shift": "t <<= 1; A[i] += t % 3",
    "shifts": "t = t << i % 3 + 1; A[i] += 1",
    "exponent": "t = 3**i; A[i] += t % 5",
    "rounded": "H[0] = H[0] + int(2.0 ** (i - 20)); s = s + 1",
}
"""Lines of a loop whose integers nothing bounds."""

HEAD = "\ndef f(n, a, b, s, t, A, H, L, P):\n    for i in range(n):\n        "
KERNELS |= {name: f"{HEAD}{line}\n" for name, line in LOOKED_AT.items()}
OUT = ("a", "b", "c", "d", "s", "t", "x")
FLOATS = (0.0, -2.5, 1e9 + 0.5, 2.0**53, -(2.0**62), 1e19, -1e30)


def given(**changes: Any) -> dict[str, Any]:
    """What the kernels read."""
    values: dict[str, Any] = {"n": 5, "a": 3, "b": 2, "c": 0, "d": 0, "s": 0, "t": 0}
    values |= {"x": 7, "A": np.linspace(-1.3, 2.6, 9), "B": np.zeros(9)}
    values |= {"L": np.array([-(2**63), 2**63 - 1, 0, 5, -7, 1 << 40, -1, 2, 3])}
    values |= {"U": np.broadcast_to(np.uint8(1), (2,))}
    values |= {"H": np.zeros(8, np.int64), "I": np.arange(-4, 5, dtype=np.int32) << 28}
    values |= {"P": np.array([0, 3, 9, 8, 8, 14]), "S": np.zeros(9, np.float32)}
    return values | changes


TYPES: dict[str, dict[str, Any]] = {
    "small": {"m": np.int32(5), "A": np.zeros(200)},
    "compared": {"x": 0.5},
    "joined": {"x": 0.5},
    "product": {"m": 1},
}


def reading(source: str) -> Analysis:
    """A function, analysed."""
    head = source.partition("):")[0]
    out = [name for name in OUT if f" {name}," in f"{head},"]
    end = f"    return {', '.join(out)}\n" if out else ""
    return Analysis(FunctionText(source.lstrip() + end, "k.py"), (), IMPORTS)


def copies(values: Mapping[str, Any]) -> dict[str, Any]:
    """The same values in arrays of their own."""
    return {
        name: value.copy() if isinstance(value, np.ndarray) else value
        for name, value in values.items()
    }


class Native:
    """The entry of one kernel and the names it takes and returns."""

    def __init__(self, name: str, source: str) -> None:
        self.name = name
        lines = "if True:\n" + source.partition("):\n")[2]
        self.code = compile(lines, "k.py", "exec")
        self.reading = reading(source)
        _, self.nest, _ = self.reading.parts[0]
        self.entry: Callable[..., Any] | None = None

    def text(self) -> Section:
        """Its Cython functions."""
        values = given(**TYPES.get(self.name, {}))
        names = self.nest.live_in
        types = classify_all(names, [values[name] for name in names], ())
        known = dict(zip(names, types, strict=True))
        planned = self.reading.plan(0, known)
        return nest_code(planned, known, self.name, IMPORTS).section

    def run(self, values: Mapping[str, Any]) -> bool:
        """Run natively and under CPython and compare; whether it ran natively."""
        ours, theirs = copies(values), copies(values)
        assert self.entry is not None
        failure = self._python(theirs)
        try:
            result = self.entry(*(ours[name] for name in self.nest.live_in), 2)
        except Exception as error:
            assert type(error) is failure
            return True
        assert result is not NotImplemented
        if isinstance(result, str):
            self._python(ours)
            self._compare(ours, theirs)
            return False
        assert failure is None
        for name, value in zip(self.nest.live_out, result, strict=True):
            assert type(value) is type(theirs[name]), name
            assert value == theirs[name], (name, values)
        self._compare(ours, theirs)
        return True

    def _python(self, values: dict[str, Any]) -> type[Exception] | None:
        """Run as CPython does; what is raised."""
        with np.errstate(all="ignore"):
            try:
                exec(self.code, {"math": math, "np": np}, values)
            except Exception as error:
                return type(error)
        return None

    def _compare(self, ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> None:
        for name, value in ours.items():
            if isinstance(value, np.ndarray) and held(value) != held(theirs[name]):
                np.testing.assert_array_equal(value, theirs[name])


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Native]:
    """All kernels, compiled together."""
    found = {name: Native(name, source) for name, source in KERNELS.items()}
    texts = [one.text() for one in found.values()]
    module = build(texts, tmp_path_factory.mktemp("ints"), "native_ints")
    for name, one in found.items():
        one.entry = getattr(module, name)
    return found


@pytest.mark.parametrize("name", KERNELS)
def test_small_values_run_natively(name: str, kernels: dict[str, Native]) -> None:
    for n in (0, 1, 2, 5):
        for a, b in ((3, 2), (-3, 7), (0, -1), (100, -100)):
            assert kernels[name].run(given(n=n, a=a, b=b, **TYPES.get(name, {})))


@pytest.mark.parametrize("name", KERNELS)
def test_edges(name: str, kernels: dict[str, Native]) -> None:
    """Pairs of edges: whatever runs natively gives what Python gives."""
    kernel = kernels[name]
    ran = [
        kernel.run(given(a=a, b=b, **TYPES.get(name, {})))
        for a in EDGES
        for b in (FEW if "b" in kernel.nest.live_in else (1,))
    ]
    assert any(ran)


@pytest.mark.parametrize("name", ["poly", "triangle", "extremes", "tiled", "remainder"])
def test_edges_of_scalars(name: str, kernels: dict[str, Native]) -> None:
    """Scalars that start at the edges."""
    for s in EDGES:
        for a in (-1, 0, 1, 1 << 40):
            kernels[name].run(given(s=s, x=s, c=s, t=s, a=a, b=-s))


def test_what_fits_runs_natively(kernels: dict[str, Native]) -> None:
    """The tests of the entry are not much stricter than the results."""
    assert kernels["poly"].run(given(a=1 << 54, n=5, s=-(1 << 61)))
    assert not kernels["poly"].run(given(a=1 << 59, n=5))
    assert kernels["tiled"].run(given(n=1000, a=1 << 42))
    assert not kernels["tiled"].run(given(n=1000, a=1 << 44))
    assert kernels["division"].run(given(a=(1 << 62), b=-1))
    assert not kernels["division"].run(given(a=-(1 << 63), b=-1))


@pytest.mark.parametrize("name", ["compared", "joined", "divided", "single"])
def test_beside_floats(name: str, kernels: dict[str, Native]) -> None:
    """A double holds the integers up to 2**53; Python compares exactly."""
    for a in [*EDGES, (1 << 60) + (1 << 36) + 1]:
        for x in (float(a), math.nextafter(float(a), math.inf), 0.5):
            kernels[name].run(given(a=a, x=x, b=3))


@pytest.mark.parametrize("name", ["clamped", "fraction", "rounded"])
def test_floats_beyond_the_integers(name: str, kernels: dict[str, Native]) -> None:
    for value in (*FLOATS, math.inf, math.nan):
        values = given(n=9)
        values["A"][4] = value
        ran = kernels[name].run(values)
        assert ran or abs(value) > 2**53 or math.isnan(value)


def test_ranges_near_the_end_of_64_bits(kernels: dict[str, Native]) -> None:
    """A loop in steps of two over the last integers ends."""
    top = 2**63 - 1
    steps = np.array([top - 4, top, top - 3, top, -top, -top + 2])
    kernels["inner"].run(given(P=steps, a=0))


def test_an_axis_without_end(kernels: dict[str, Native]) -> None:
    """Steps of 0 make axes so long that what is computed of them wraps around."""
    endless = np.broadcast_to(np.uint8(1), ((1 << 62) + 1,))
    entry, cells = kernels["stretched"].entry, np.zeros(9)
    assert entry is not None
    assert isinstance(
        entry(
            *(
                {"A": cells, "U": endless}[name]
                for name in kernels["stretched"].nest.live_in
            ),
            1,
        ),
        str,
    )
    assert not cells.any()


def test_a_product_with_an_extent_may_be_negative(kernels: dict[str, Native]) -> None:
    for m, native in ((0, True), (-4, True), (-(10**7), False)):
        assert kernels["product"].run(given(m=m, A=np.zeros(3))) == native


def test_small_sizes_wrap_around(kernels: dict[str, Native]) -> None:
    """NumPy adds to a size of 32 bits in 32 bits."""
    top = np.int32(2**31 - 1)
    assert kernels["small"].run(given(m=np.int32(-10), A=np.zeros(200)))
    assert not kernels["small"].run(given(m=top, A=np.zeros(200)))


LARGE = 1 << 70
REFUSED = {
    "negated": "t = -int(L[i]); L[i] = 0",
    "literal": f"t = a + {LARGE}",
    "subscript": f"A[{LARGE} * i] = 1.0",
}


def refused(source: str) -> None:
    """The kernel runs as Python."""
    native = Native("f", source)
    with pytest.raises(LooptxError) as caught:
        native.text()
    assert caught.value.code == "LX504"


@pytest.mark.parametrize("line", REFUSED.values(), ids=REFUSED)
def test_unbounded_is_refused(line: str) -> None:
    refused(f"{HEAD}{line}\n")


@pytest.mark.parametrize("name", LOOKED_AT)
def test_unbounded_starts_again(name: str, kernels: dict[str, Native]) -> None:
    """What was written before the integer that is too large is put back."""
    zeros, numbers = np.zeros(99), np.full(99, 1 << 57)
    ran = [
        kernels[name].run(given(n=n, s=1, t=1, A=zeros, P=numbers))
        for n in (0, 1, 7, 19, 21, 61, 64, 99)
    ]
    assert ran[1] and not ran[-1]


def test_a_loop_with_bounds_beyond_64_bits_is_no_nest() -> None:
    body = f"for i in range({LARGE}, {LARGE} + 2):\n        A[i - {LARGE}] = a"
    assert not reading(f"\ndef f(a, A):\n    {body}\n").parts


def test_usual_kernels_have_no_test() -> None:
    source = """
def f(n, A, B):
    for i in range(1, n - 1):
        for j in range(i):
            A[i] += B[i] * (2 * i + 3 * j - n) * 0.5 + (7 * i - j) % 7
"""
    native = Native("f", source)
    assert "lx_above" not in str(native.text())
