"""``cache_read`` and ``cache_write`` against CPython, access by access."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import pytest
from kit.carried import refusal, same, transformed

from looptx.cli.text import transform_text

SIZES = (0, 1, 2, 3, 5, 7)

Event: TypeAlias = tuple[str, str, tuple[int, ...]]
"""An array, ``read`` or ``write``, and the cell; or the beginning of an iteration."""

PRODUCT = """
import numpy as np
def f(A, B, C, n):
    # looptx: {}
    for i in range(n):
        for j in range(n):
            for k in range(n):
                C[i, j] += A[i, k] * B[k, j]
"""
STARTED = """
import numpy as np
def f(A, B, C, n):
    # looptx: {}
    for i in range(n):
        for j in range(n):
            C[i, j] = 0.5
            for k in range(n):
                C[i, j] += A[i, k] * B[k, j]
"""
ROWS = """
import numpy as np
def f(A, B, C, n):
    # looptx: {}
    for i in range(n):
        for j in range(i, n):
            C[i, j] = A[i, j] + 0.1 * A[n - 1 - i, j]
        for j in range(1, n, 2):
            C[i, j] += C[i, j - 1] * B[j, i]
"""
SHIFTED = """
import numpy as np
def f(A, B, C, n):
    # looptx: {}
    for i in range(n - 1, 0, -1):
        for j in range(0, n - 1):
            B[i, j] = A[i - 1, j + 1] + A[i // 2, j % 3] + C[i, n - 1 - j]
            C[i, n - 1 - j] = B[i, j] * 0.3
"""
PANELS = "tile i=2 j=3 k=2 | reorder i j k kk ii jj"

BY_HAND = {
    (PRODUCT, PANELS): """
def f(A, B, C, n):
    for i in range(0, n, 2):
        for j in range(0, n, 3):
            for k in range(0, n, 2):
                for kk in range(k, min(k + 2, n)):
                    for ii in range(i, min(i + 2, n)):
                        for jj in range(j, min(j + 3, n)):
                            C[ii, jj] += A[ii, kk] * B[kk, jj]
""",
    (STARTED, "split j 2"): """
def f(A, B, C, n):
    for i in range(n):
        for j in range(0, n, 2):
            for jj in range(j, min(j + 2, n)):
                C[i, jj] = 0.5
                for k in range(n):
                    C[i, jj] += A[i, k] * B[k, jj]
""",
    (ROWS, "split i 2"): """
def f(A, B, C, n):
    for i in range(0, n, 2):
        for ii in range(i, min(i + 2, n)):
            for j in range(ii, n):
                C[ii, j] = A[ii, j] + 0.1 * A[n - 1 - ii, j]
            for j in range(1, n, 2):
                C[ii, j] += C[ii, j - 1] * B[j, ii]
""",
    (SHIFTED, "split j 3"): """
def f(A, B, C, n):
    for i in range(n - 1, 0, -1):
        for j in range(0, n - 1, 3):
            for jj in range(j, min(j + 3, n - 1)):
                B[i, jj] = A[i - 1, jj + 1] + A[i // 2, jj % 3] + C[i, n - 1 - jj]
                C[i, n - 1 - jj] = B[i, jj] * 0.3
""",
}
"""What some directives make of a function."""


class Array:
    """An array that tells of every access to a cell."""

    def __init__(self, name: str, data: np.ndarray, log: list[Event]) -> None:
        self.name, self.data, self.log = name, data, log
        self.dtype = data.dtype

    def _note(self, what: str, at: Any) -> None:
        cell = at if isinstance(at, tuple) else (at,)
        self.log.append((self.name, what, tuple(map(int, cell))))

    def __getitem__(self, at: Any) -> Any:
        self._note("read", at)
        return self.data[at]

    def __setitem__(self, at: Any, value: Any) -> None:
        self._note("write", at)
        self.data[at] = value


class Subject:
    """A function with directives and what looptx makes of it."""

    def __init__(self, source: str, directives: str) -> None:
        self.before = source.format(directives)
        result = transform_text(self.before, "f.py")
        assert not result.errors, "\n".join(map(str, result.errors))
        self.after = result.text

    def results(self, text: str, n: int) -> list[bytes]:
        """What the arrays hold in the end; buffers begin with what nobody may read."""
        arrays = self.arrays(n)
        made = text.replace("np.empty(", "empty(")
        names: dict[str, Any] = {"empty": garbage}
        exec(made, names)
        names["f"](*arrays, n)
        return [array.tobytes() for array in arrays]

    def arrays(self, n: int) -> list[np.ndarray]:
        """The arguments."""
        chance = np.random.default_rng(n)
        return [chance.random((n, n)) for _ in range(3)]

    def logged(self, text: str, loop: str, n: int) -> tuple[list[Event], list[int]]:
        """What a text does to which cells, and how large its buffers are.

        An iteration of a loop begins with an event of its own.
        """
        log: list[Event] = []
        sizes: list[int] = []

        def empty(shape: Any, dtype: Any) -> Array:
            data = garbage(shape, dtype)
            sizes.append(data.size)
            return Array("buffer", data, log)

        head = re.compile(rf"^( *)(for {loop} in .*:)$", re.MULTILINE)
        marked, count = head.subn(r"\1\2\n\1    mark()", text)
        assert count == 1
        names: dict[str, Any] = {
            "empty": empty,
            "mark": lambda: log.append(("", "", ())),
        }
        exec(marked.replace("np.empty(", "empty("), names)
        arrays = zip("ABC", self.arrays(n), strict=True)
        names["f"](*(Array(name, data, log) for name, data in arrays), n)
        return log, sizes


def garbage(shape: Any, dtype: Any) -> np.ndarray:
    """Memory that holds no value which may be used."""
    return np.full(shape, np.nan, dtype)


def iterations(log: list[Event]) -> list[list[Event]]:
    """The events of each iteration."""
    found: list[list[Event]] = [[]]
    for event in log:
        if event[0]:
            found[-1].append(event)
        else:
            found.append([])
    return found[1:]


def cells(events: list[Event], array: str, what: str) -> list[tuple[int, ...]]:
    """The cells of an array that are read, or written, in order."""
    return [cell for name, how, cell in events if (name, how) == (array, what)]


def box(found: set[tuple[int, ...]]) -> int:
    """The number of cells in the box around some."""
    return math.prod(max(axis) - min(axis) + 1 for axis in zip(*found, strict=True))


LEGAL = [
    (PRODUCT, "cache_read A"),
    (PRODUCT, "cache_read B at j | cache_read A at i as R"),
    (PRODUCT, "cache_write C"),
    (PRODUCT, "cache_write C at j"),
    (PRODUCT, "cache_write C at j | cache_read A at k"),
    (PRODUCT, f"{PANELS} | cache_write C at j"),
    (PRODUCT, f"{PANELS} | cache_write C at j packed | cache_read A at k packed"),
    (PRODUCT, f"{PANELS} | cache_read B at k packed as P | cache_read P at kk as Q"),
    (PRODUCT, f"{PANELS} | cache_write C at j as T | cache_write T at k as U"),
    (PRODUCT, "cache_read B at j packed | cache_read A at j packed"),
    (PRODUCT, "cache_write C at i packed as T | cache_write T at i"),
    (PRODUCT, "cache_write C at i | parallel i | vectorize C_cache.ax1"),
    (PRODUCT, "cache_read B | split B_cache.ax1 3 | unroll B_cache.ax0 2"),
    (PRODUCT, "cache_write C at i as T | split T_load.ax1 2 | unroll T_load.ax1_in"),
    (STARTED, "cache_write C"),
    (STARTED, "cache_write C at j"),
    (STARTED, "tile i=2 j=2 | reorder i j ii jj | cache_write C at j | parallel i"),
    (ROWS, "cache_read A at i"),
    (ROWS, "cache_read A"),
    (ROWS, "cache_write C at i"),
    (ROWS, "cache_write C at i | cache_read B at i | parallel i"),
    (ROWS, "cache_read A at j#1 | cache_write C at j#2"),
    (SHIFTED, "cache_read A at j"),
    (SHIFTED, "cache_read A at i | cache_write C at i"),
    (SHIFTED, "cache_write B at i packed | cache_write C at i packed"),
    (SHIFTED, "split i 2 | cache_read A at i | cache_write B at i"),
]


@pytest.mark.parametrize(("source", "directives"), LEGAL)
def test_results(source: str, directives: str) -> None:
    subject = Subject(source, directives)
    for n in SIZES:
        assert subject.results(subject.before, n) == subject.results(subject.after, n)


@pytest.mark.parametrize(
    ("source", "order", "cache", "array", "loop"),
    [
        (PRODUCT, "", "cache_read A at i", "A", "i"),
        (PRODUCT, "", "cache_read B at i", "B", "i"),
        (PRODUCT, "", "cache_read B at j", "B", "j"),
        (PRODUCT, "", "cache_read A at k", "A", "k"),
        (PRODUCT, PANELS, "cache_read A at k", "A", "k"),
        (PRODUCT, PANELS, "cache_read B at k packed", "B", "k"),
        (PRODUCT, PANELS, "cache_read B at ii packed", "B", "ii"),
        (ROWS, "", "cache_read A at i", "A", "i"),
        (ROWS, "split i 2", "cache_read A at i", "A", "i"),
        (ROWS, "", "cache_read B at i", "B", "i"),
        (SHIFTED, "", "cache_read A at i", "A", "i"),
        (SHIFTED, "", "cache_read A at j", "A", "j"),
        (SHIFTED, "split j 3", "cache_read A at j", "A", "j"),
    ],
)
def test_a_load_reads_each_needed_cell_once(
    source: str, order: str, cache: str, array: str, loop: str
) -> None:
    plain = BY_HAND[source, order] if order else source
    cached = Subject(source, f"{order or 'nest x'} | {cache}")
    for n in SIZES:
        before, _ = cached.logged(plain, loop, n)
        after, sizes = cached.logged(cached.after, loop, n)
        pairs = list(zip(iterations(before), iterations(after), strict=True))
        needed = [set(cells(one, array, "read")) for one, _ in pairs]
        for own, (_, now) in zip(needed, pairs, strict=True):
            assert sorted(cells(now, array, "read")) == sorted(own)
        if n >= 5:
            assert sum(sizes) <= max(box(own) for own in needed if own)


@pytest.mark.parametrize(
    ("source", "order", "cache", "array", "loop"),
    [
        (PRODUCT, "", "cache_write C at i", "C", "i"),
        (PRODUCT, "", "cache_write C at j", "C", "j"),
        (PRODUCT, "", "cache_write C at k", "C", "k"),
        (PRODUCT, PANELS, "cache_write C at j", "C", "j"),
        (PRODUCT, PANELS, "cache_write C at k packed", "C", "k"),
        (STARTED, "", "cache_write C at i", "C", "i"),
        (STARTED, "", "cache_write C at j", "C", "j"),
        (STARTED, "split j 2", "cache_write C at j", "C", "j"),
        (ROWS, "", "cache_write C at i", "C", "i"),
        (SHIFTED, "", "cache_write B at i", "B", "i"),
        (SHIFTED, "", "cache_write C at i", "C", "i"),
        (SHIFTED, "split j 3", "cache_write C at j", "C", "j"),
    ],
)
def test_a_store_writes_each_written_cell_once(
    source: str, order: str, cache: str, array: str, loop: str
) -> None:
    plain = BY_HAND[source, order] if order else source
    cached = Subject(source, f"{order or 'nest x'} | {cache}")
    for n in SIZES:
        before, _ = cached.logged(plain, loop, n)
        after, sizes = cached.logged(cached.after, loop, n)
        pairs = list(zip(iterations(before), iterations(after), strict=True))
        boxes = [0]
        for own, now in pairs:
            written = set(cells(own, array, "write"))
            assert sorted(cells(now, array, "write")) == sorted(written)
            first = {
                cell: what
                for name, what, cell in reversed(own)
                if name == array and cell in written
            }
            loaded = sorted(cell for cell, what in first.items() if what == "read")
            read = [x for x in cells(now, array, "read") if x in written]
            assert sorted(read) == loaded
            boxes += [box(set(first))] if first else []
        if n >= 5:
            assert sum(sizes) <= max(boxes)


STALE = """
def f(A, B, C, n):
    # looptx: {}
    for i in range(n):
        for j in range(1, n):
            A[i, j] = B[i, j]
            B[i, j] = A[i, j - 1]
"""
SPREAD = """
def f(A, B, C, n):
    # looptx: {}
    for i in range(n):
        for k in range(3):
            B[i + k, 0] += A[i + k, 0] * C[k, 0]
"""
UNSEEN = """
def f(A, B, C, n, call):
    # looptx: {}
    for i in range(n):
        B[i] = A[i] + B[i]
        call(i)
"""
SOMETIMES = """
def f(A, B, C, n):
    # looptx: {}
    for i in range(n):
        if A[i] > 0.0:
            B[i] = A[i]
"""
INDIRECT = """
def f(A, B, C, n):
    # looptx: {}
    for i in range(n):
        B[i] = A[C[i]]
"""


@pytest.mark.parametrize(
    ("source", "directives", "code"),
    [
        (STALE, "cache_read A at i", "LX201"),
        (STALE, "cache_read A", "LX201"),
        (SPREAD, "split i 4 | cache_read A at i packed", "LX106"),
        (SPREAD, "split i 4 | cache_write B at i packed", "LX106"),
        (SPREAD, "cache_write B at i | parallel i", "LX202"),
        (UNSEEN, "cache_write B", "LX203"),
        (UNSEEN, "cache_read A", "LX203"),
        (UNSEEN, "cache_write B at i", "LX203"),
        (SOMETIMES, "cache_write B", "LX203"),
        (INDIRECT, "cache_read A", "LX106"),
        (INDIRECT, "cache_read D", "LX104"),
        (INDIRECT, "cache_read B", "LX104"),
        (SOMETIMES, "cache_write A", "LX104"),
        (INDIRECT, "cache_read C at k", "LX104"),
        (INDIRECT, "cache_read C as n", "LX109"),
        (INDIRECT, "cache_read C at i j", "LX102"),
        (INDIRECT, "cache_read C as p q", "LX102"),
        (INDIRECT, "cache_read", "LX102"),
    ],
)
def test_refused(source: str, directives: str, code: str) -> None:
    (error,) = transform_text(source.format(directives), "f.py").errors
    assert error.code == code
    assert error.hint
    assert error.place is not None
    assert error.place.line == 3


def test_what_is_legal_beside_what_cannot_be_seen() -> None:
    """The copies are on the side of the call that the statement is on."""
    source = """
def f(A, B, C, n, call):
    # looptx: {}
    for i in range(n):
        for j in range(n):
            B[i] += A[j]
        call(i)
"""
    assert not transform_text(source.format("cache_write B at j"), "f.py").errors


TYPED = """
import numpy as np
import numpy.typing as npt
def f(A, B, C: npt.NDArray[np.{}], n):
    # looptx: cache_write C at j
    for i in range(n):
        for j in range(n):
            for k in range(n):
                C[i, j] += A[i, k] if k % 2 else B[k, j]
            C[i, j] = C[i, j] * 3 + n
"""


@pytest.mark.parametrize(
    ("dtype", "line"),
    [
        ("float64", "C_cache += A[i, k] if"),
        ("float32", "C_cache = np.float32(C_cache + (A[i, k] if"),
        ("int64", "C_cache[()] += A[i, k] if"),
    ],
)
def test_a_buffer_of_one_cell_is_a_variable(dtype: str, line: str) -> None:
    text = transform_text(TYPED.format(dtype), "f.py").text
    assert line in text
    assert "C_cache: 4 bytes" in text or "C_cache: 8 bytes" in text
    names: list[dict[str, Callable[..., None]]] = [{}, {}]
    exec(TYPED.format(dtype), names[0])
    exec(text, names[1])
    for n in SIZES:
        chance = np.random.default_rng(n)
        A, B = 9 * chance.random((2, n, n))
        found = [np.full((n, n), 2, dtype) for _ in names]
        for own, C in zip(names, found, strict=True):
            own["f"](A, B, C, n)
        assert found[0].tobytes() == found[1].tobytes()


def test_one_element_is_one() -> None:
    text = transform_text(PRODUCT.format("cache_read A at k"), "f.py").text
    assert "cache A_cache: 1 element\n" in text


def test_what_never_runs_has_no_buffer() -> None:
    source = PRODUCT.replace("range(n)", "range(0)").format("cache_read A at i")
    assert "empty" not in transform_text(source, "f.py").text


LEAST = """
# looptx: {}
def f(A, n):
    best, where = 1e300, -1
    for i in range(n):
        if A[i] < best:
            best = A[i]
            where = i
    return best, where
"""


@pytest.mark.parametrize(
    "directives", ["cache_read A", "split i 3 | cache_read A at i"]
)
def test_a_cell_is_read_for_sure_in_a_condition(directives: str) -> None:
    array = np.array([3.0, 5, 2, 2, 9, -1, 4])
    same(LEAST.format(directives), *([array, n] for n in (0, 1, 2, 3, 7)))


def test_a_cell_that_is_read_perhaps_is_not_copied() -> None:
    text = LEAST.format("cache_read A").replace("best = A[i]", "best = A[i + 1]")
    assert "LX203" in refusal(text)


def test_a_buffer_in_skewed_tiles_is_as_large_as_an_iteration_needs() -> None:
    """The least position is a function of many pieces; a bound of the hull is tight."""
    text = """
# looptx: pad back.i 1 | fuse there back as i f | skew i t by 2
# looptx: tile t=32 i=2048 | reorder t i tt f ii | cache_write A at i
def f(A, B, steps):
    n = A.shape[0]
    for t in range(steps):
        # looptx: nest there
        for i in range(1, n - 1):
            B[i] = 0.25 * (A[i - 1] + 2.0 * A[i] + A[i + 1])
        # looptx: nest back
        for i in range(1, n - 1):
            A[i] = 0.25 * (B[i - 1] + 2.0 * B[i] + B[i + 1])
"""
    calls = [
        (np.arange(n) ** 1.5, np.arange(n) / 3, steps)
        for n, steps in ((0, 3), (1, 1), (3, 33), (71, 0), (71, 35), (2111, 3))
    ]
    assert "empty(2112, A.dtype)" in same(text, *calls)


def test_a_cell_that_one_read_shares_with_a_write_is_in_the_buffer() -> None:
    text = """
# looptx: cache_write C at i
def f(A, C, D, n):
    for i in range(n):
        for j in range(i):
            C[j] += A[i, j]
        for j in range(n):
            D[i, j] = (C[j] if j >= i else 0.0) + (C[j] if j < i else 0.0)
"""
    array = np.arange(64.0).reshape(8, 8)
    same(text, *([array, np.ones(8), np.zeros((8, 8)), n] for n in SIZES))


OWN_TYPE = """\
import numpy as np
# looptx: {}
def f(A, B, n, m, kind):
    T = np.zeros((n, n), {})
    # looptx: nest first
    for i in range(n):
        for k in range(m):
            T[i, i] += A[i, k]
    # looptx: nest second
    for i in range(n):
        B[i, 0] = T[i, i] * 2
"""


@pytest.mark.parametrize("dtype", ["np.complex64", "kind", "np.dtype(kind)"])
@pytest.mark.parametrize(
    "directives",
    [
        "cache_write T at first.i as own",
        "cache_read T at second.i as own",
        "cache_write T at first.i as own | cache_write own at first.k as two",
        "reassociate T | rfactor first.k as own",
    ],
)
def test_a_buffer_has_the_type_of_a_local_array(directives: str, dtype: str) -> None:
    source = OWN_TYPE.format("nest whole", dtype).replace("# looptx: nest whole\n", "")
    text = transform_text(OWN_TYPE.format(directives, dtype), "f.py").text
    assert "    own" in text.split("applied", 1)[1]
    names: list[dict[str, Callable[..., None]]] = [{}, {}]
    exec(source, names[0])
    exec(text, names[1])
    for n in SIZES:
        A = np.arange(n * n * 1.0).reshape(n, n)
        found = [np.zeros((n, n), np.complex64) for _ in names]
        for own, B in zip(names, found, strict=True):
            own["f"](A, B, n, n // 2, np.float16)
        assert found[0].tobytes() == found[1].tobytes()


@pytest.mark.parametrize(
    "directive", ["cache_read A", "cache_write P at p.i", "cache_write P"]
)
def test_rows_are_not_cached_as_if_they_were_cells(directive: str) -> None:
    text = f"""
import numpy as np
# looptx: {directive}
def f(A: "float64[:, :]", n: int):
    P = np.empty((n + 2, 4))
    # looptx: nest p
    for i in range(n + 1):
        P[i] = A[i] % 9.0
    return P, P[0, 0]
"""
    message = refusal(text)
    name = directive.split()[1]
    assert f"LX106 `{name}` is not used element by element in line 8" in message


@pytest.mark.parametrize(
    "directives",
    [
        "cache_write P at p.i",
        "cache_write P at p.i | cache_write P_cache at p.ax0",
        "cache_write P at p.i | split p.i 2",
    ],
)
@pytest.mark.parametrize("made", ["np.empty((n, 4))", "np.empty((n, 4), int)"])
def test_what_is_asked_of_arrays_of_statements_is_asked_of_the_source(
    directives: str, made: str
) -> None:
    text = f"""
import numpy as np
# looptx: {directives}
def f(A, B, n: int):
    P = {made}
    # looptx: nest p
    for i in range(n):
        P[i] = A[i]
        for j in range(4):
            B[i, j] = P[i, j] * 2
"""
    chance = np.random.default_rng(1)
    arrays = [(*chance.standard_normal((2, n, 4)), n) for n in (0, 1, 2, 5)]
    rows = [(A[:, 0].copy(), B, n) for A, B, n in arrays]
    same(text, *arrays, *rows)
    temporary = text.replace(directives, "temp P")
    assert "LX106 `P` is made in the nest" in refusal(temporary)


@pytest.mark.parametrize("made", ["np.empty((n, m))", "np.zeros([n, m], 'f4')"])
def test_rows_of_an_array_whose_making_alone_says_its_rank(made: str) -> None:
    text = """
import numpy as np
# looptx: {}
def f(A, B, n, m):
    P = {}
    # looptx: nest p
    for i in range(n):
        P[i] = A[i] @ np.ones((m, m))
    # looptx: nest c
    for j in range(2):
        for i in range(n):
            B[i] = P[i] @ np.ones((m, m))
"""
    chance = np.random.default_rng(1)
    calls = [
        (*chance.standard_normal((2, n, m)), n, m) for n in (0, 1, 5) for m in (0, 1, 3)
    ]
    for directive in ("cache_read P at c.j", "cache_write P at p.i"):
        assert "LX106 `P` is not used element" in refusal(text.format(directive, made))
    cells = text.format("cache_read P at c.j", "np.empty(n)")
    same(cells, (*chance.standard_normal((2, 5)), 5, 3))
    same(text.format("reorder c.i c.j", made), *calls)


INTO = [
    ("B[j] = A[i]", "A[i, j] = 1.0"),
    ("B[j] = -A[i] * 2.0 + x", "A[i, j] = 1.0"),
    ("B[j] = np.sqrt(A[i]) if x > 0 else 0.0", "A[i, j] = 1.0"),
    ("B[j] = A[i, :]", "x = 1.0"),
    ("C[j] = A[i]", "B[j] = C[j]; A[i, j] = 1.0"),
    ("B[j] += A[i]", "A[i, j] = 1.0"),
    ("B[j] = V", "x = V[i]"),
    ("B[j] = A[i]", "A = np.empty((n, m))"),
]


@pytest.mark.parametrize(("first", "second"), INTO)
@pytest.mark.parametrize("directive", ["B at i", "B at j", "B at j packed"])
def test_what_rows_go_into_is_not_cached(
    first: str, second: str, directive: str
) -> None:
    made = second if second.startswith("A = ") else "pass"
    text = f"""
import numpy as np
def f(A, B, C, V, n, m, x):
    {made}
    # looptx: cache_write {directive}
    for i in range(n):
        for j in range(m):
            {first}
            {second if made == "pass" else "x = 1.0"}
"""
    message = refusal(text)
    assert "LX106 `B` is not used element by element in line" in message
    assert "hint: write rows cell by cell, in a loop over these" in message


@pytest.mark.parametrize(
    "line", ["B[j] = np.sum(A[i])", "B[j] = A[i] @ V", "B[j] = A[i, 0] + V[j]"]
)
def test_what_numbers_go_into_is_cached(line: str) -> None:
    text = f"""
import numpy as np
# looptx: cache_write B at j
def f(A, B, V, n, m):
    for i in range(n):
        for j in range(m):
            {line}
            V[j] = A[i, j]
"""
    assert "B_cache" in transformed(text)


PHASES = """
def f(A, B, W, n):
    # looptx: nest c | {directives}
    for i in range(n):
        for j in range(i % 3, n, 3):
            for k in range(n - 1, j, -2):
                B[i, j] += A[k, j] * W[i, k]
"""


@pytest.mark.parametrize(
    "directives",
    [
        "cache_read A at c.i packed",
        "cache_read A at c.j packed",
        "cache_read W at c.i packed",
        "cache_read A at c.i packed | cache_read W at c.j packed",
    ],
)
def test_packed_loops_in_steps_that_begin_anywhere(directives: str) -> None:
    """A position stands for values of any phase: which one tells the loop around it."""
    rng = np.random.default_rng(1)
    calls = [[*(rng.random((n, n)) for _ in range(3)), n] for n in (0, 1, 2, 3, 7, 11)]
    same(PHASES.format(directives=directives), *calls)


def test_packed_cells_of_a_triangle_in_steps() -> None:
    source = """
def f(A, W):
    # looptx: cache_read A at i packed
    for i in range(2):
        for j in range(i, 2, 2):
            A[0, 0] = A[j, 0] + W[i, j]
"""
    rng = np.random.default_rng(2)
    same(source, [rng.random((2, 2)), rng.random((2, 2))])
