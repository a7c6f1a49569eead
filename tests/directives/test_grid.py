"""``bind``, ``sync_threads`` and ``set_buffer``: orders, marks and refusals."""

from __future__ import annotations

from itertools import permutations, product
from typing import Any

import numpy as np
import pytest

from looptx.attach import assign
from looptx.cli.text import transform_text
from looptx.directives import parse
from looptx.errors import Malformed, Place
from looptx.model.execution.grid import executed
from looptx.model.execution.marks import Marks
from looptx.model.program import Directive
from looptx.model.schedule import bands, initial
from looptx.source.reader import read

SIZES = (0, 1, 2, 5, 7)

PRODUCT = """
import numpy as np
def f(A, B, C, n, m):
    # looptx: {}
    for i in range(n):
        for j in range(m):
            for k in range(n):
                C[i, j] += A[i, k] * B[k, j]
"""
TURNED = """
import numpy as np
def f(A, B, C, n, m):
    # looptx: {}
    for b in range(n):
        for t in range(m):
            C[b, t] = A[b, m - 1 - t] * 2.0
            for k in range(t + 1):
                B[b, t] += C[b, k]
            C[b, t] += B[b, t]
"""
STEPS = """
import numpy as np
def f(A, B, C, n, m):
    # looptx: {}
    for s in range(n):
        for t in range(m):
            B[s, t] = 1.0
            for step in range(n):
                A[step, t] = B[s, t] * 0.5 + A[step, t]
                for k in range(step + 1):
                    C[step, t] += A[k, t]
                B[s, t] += C[step, t]
            A[s, t] *= 3.0
"""
TILES = "tile i=2 j=3 | reorder i j ii jj"
GRID = f"{TILES} | bind i blockIdx.y | bind j blockIdx.x"
THREADS = f"{GRID} | bind ii threadIdx.y | bind jj threadIdx.x"


def arrays(n: int, m: int) -> list[np.ndarray]:
    """Arguments."""
    chance = np.random.default_rng(n + 10 * m)
    size = max(n, m)
    return [chance.random((size, size)) for _ in range(3)]


def result(text: str, n: int, m: int) -> list[bytes]:
    """What a function leaves in its arguments."""
    names: dict[str, Any] = {}
    exec(text, names)
    given = arrays(n, m)
    names["f"](*given, n, m)
    return [one.tobytes() for one in given]


def marks(source: str, directives: str) -> dict[str, Marks]:
    """How the loops of a schedule are executed."""
    (kernel,) = read(source.format("nest x"), "f.py").kernels
    (nest,) = kernel.nests
    schedule = initial(nest, kernel.names)
    for verb in parse(Directive(directives, Place("f.py", 1))):
        schedule = verb.apply(schedule)
    found = executed(schedule)
    return {band.dim.name: band.dim.marks for band in bands(found.tree)}


@pytest.mark.parametrize(
    ("source", "directives"),
    [
        (PRODUCT, THREADS),
        (PRODUCT, f"{THREADS} | cache_write C at jj | cache_read B at j"),
        (PRODUCT, "bind i blockIdx.x | bind j threadIdx.x | reassociate C"),
        (TURNED, "bind b blockIdx.x"),
        (STEPS, "bind t threadIdx.x | sync_threads k"),
        (STEPS, "reorder t s | bind t threadIdx.x | sync_threads step"),
        (STEPS, "sync_threads k"),
    ],
)
def test_results(source: str, directives: str) -> None:
    before = source.format(directives)
    after = transform_text(before, "f.py")
    assert not after.errors, after.errors
    for n, m in product(SIZES, SIZES):
        assert result(before, n, m) == result(after.text, n, m)


def test_threads_wait_for_each_other() -> None:
    """What stands before the loop, in it, and behind its beginning, in this order."""
    directives = "bind t threadIdx.x | sync_threads k"
    text = transform_text(STEPS.format(directives), "f.py").text
    lines = [line.strip() for line in text.splitlines()]
    heads = [line for line in lines if line.startswith("for ")]
    assert heads == [
        "for s in range(n):",
        "for t in range(m):",
        "for step in range(n):",
        "for t in range(m):",
        "for t in range(m):",
        "for k in range(step + 1):",
        "for t in range(m):",
    ]


def test_the_grid_on_a_cpu() -> None:
    found = marks(PRODUCT, THREADS)
    assert [name for name, one in found.items() if one.parallel] == ["i"]
    assert [name for name, one in found.items() if one.vectorize == 0] == ["jj"]
    assert {name: one.bind for name, one in found.items() if one.bind} == {
        "i": "blockIdx.y",
        "j": "blockIdx.x",
        "ii": "threadIdx.y",
        "jj": "threadIdx.x",
    }
    assert marks(TURNED, "sync_threads k")["k"].arrive


def test_loops_of_workers_stand_together() -> None:
    """All blocks have one body, and what is inside of them is as it was asked for."""
    directives = "tile i=4 j=3 k=2 | bind i worker | bind j worker.y | vectorize jj"
    text = transform_text(PRODUCT.format(directives), "f.py").text
    lines = [line.strip() for line in text.splitlines()]
    assert [line.split()[1] for line in lines if line.startswith("for ")] == [
        *("i", "j", "ii", "jj", "k", "kk")
    ]
    for n, m in product(SIZES, SIZES):
        assert result(PRODUCT.format("nest x"), n, m) == result(text, n, m)
    found = marks(PRODUCT, directives)
    assert {name for name, one in found.items() if one.worker} == {"i", "j"}
    assert not any(one.parallel for one in found.values())
    assert found["jj"].vectorize == 0


def test_what_a_loop_has_been_told_stays() -> None:
    more = "parallel i threads=2 | vectorize jj 4"
    found = marks(
        PRODUCT, f"{TILES} | {more} | bind i blockIdx.x | bind jj threadIdx.x"
    )
    assert found["i"].parallel is not None
    assert found["i"].parallel.threads == 2
    assert found["jj"].vectorize == 4


@pytest.mark.parametrize(
    ("source", "directives", "code"),
    [
        (PRODUCT, "bind k threadIdx.x", "LX202"),
        (PRODUCT, "bind i blockIdx.x | bind j blockIdx.x", "LX106"),
        (PRODUCT, "bind i blockIdx.x | bind i blockIdx.y", "LX106"),
        (PRODUCT, "bind i blockIdx.x | parallel j", "LX106"),
        (PRODUCT, "parallel i | bind j blockIdx.x", "LX106"),
        (PRODUCT, "bind i blockIdx", "LX102"),
        (PRODUCT, "bind k worker", "LX202"),
        (PRODUCT, "bind i worker | bind j worker.x", "LX106"),
        (PRODUCT, "bind i workers.x", "LX102"),
        (STEPS, "bind step worker.x", "LX202"),
        (PRODUCT, "bind i", "LX102"),
        (PRODUCT, "bind q blockIdx.x", "LX104"),
        (PRODUCT, "sync_threads", "LX102"),
        (PRODUCT, "sync_threads q", "LX104"),
        (TURNED, "bind t threadIdx.x", "LX202"),
        (TURNED.replace("t + 1", "m"), "bind t threadIdx.x | sync_threads k", "LX201"),
        (
            STEPS.replace("step in range(n)", "step in range(t)"),
            "bind t threadIdx.x | sync_threads k",
            "LX106",
        ),
        (PRODUCT, "set_buffer A local", "LX106"),
        (PRODUCT, "set_buffer D local", "LX104"),
        (PRODUCT, "cache_read A | set_buffer A_cache", "LX102"),
        (PRODUCT, "cache_read A | set_buffer A_cache stack", "LX102"),
        (PRODUCT, "cache_read A | set_buffer A_cache local", "LX106"),
        (PRODUCT, "cache_read A at i | set_buffer A_cache shared", "LX106"),
        (
            PRODUCT,
            "tile k=128 j=128 | reorder i k j kk jj | cache_read B at j | parallel i"
            " | set_buffer B_cache local",
            "LX106",
        ),
    ],
)
def test_refused(source: str, directives: str, code: str) -> None:
    (error,) = transform_text(source.format(directives), "f.py").errors
    assert error.code == code
    assert error.hint
    assert error.place is not None
    assert error.place.line == 4


@pytest.mark.parametrize(
    "directives",
    [
        "cache_read A | set_buffer A_cache global",
        "parallel i | cache_read A at i | set_buffer A_cache shared",
        "bind i blockIdx.x | cache_read A at i | set_buffer A_cache shared",
        "parallel i | cache_read A at i | set_buffer A_cache global",
        "tile k=9 j=9 | reorder k j i kk jj | cache_read B at j as P"
        " | set_buffer P local",
        "cache_write C at j | set_buffer C_cache local",
        "cache_write C | set_buffer C_cache global | parallel i",
    ],
)
def test_places_change_no_result(directives: str) -> None:
    before = PRODUCT.format(directives)
    after = transform_text(before, "f.py")
    assert not after.errors, after.errors
    for n, m in ((0, 1), (3, 2), (7, 5)):
        assert result(before, n, m) == result(after.text, n, m)


MOVED = """
import numpy as np
def f(A, B, C, n, m):
    T = np.empty((n, m))
    # looptx: {}
    # looptx: nest p
    for i in range(n):
        for j in range(m):
            T[i, j] = A[i, m - 1 - j] * 2.0
    # looptx: nest c
    for i in range(n):
        for j in range(m):
            C[i, j] = T[i, m - 1 - j] + B[i, j]
"""


@pytest.mark.parametrize(
    ("one", "other", "message"),
    [
        ("parallel c.i", "parallel p.j", "would be parallel loops, one inside"),
        ("parallel c.i", "bind p.j blockIdx.x", "would be parallel loops, one inside"),
        ("bind c.i blockIdx.y", "parallel p.j", "would be parallel loops, one inside"),
        ("bind c.i threadIdx.x", "bind p.j threadIdx.x", "would both be bound to"),
        ("bind c.i worker.x", "bind p.j worker.x", "would both be bound to"),
    ],
)
@pytest.mark.parametrize("move", ["compute_at p c.i", "simple_compute_at p c.i"])
def test_loops_in_each_other_in_whichever_order(
    one: str, other: str, message: str, move: str
) -> None:
    """Also where a move puts one into the other: the same words, at the last verb."""
    found = set()
    for verbs in permutations((one, other, move)):
        text = MOVED.format(" | ".join(verbs))
        (error,) = transform_text(text, "f.py").errors
        assert error.code == "LX106"
        assert error.place is not None
        line = text.splitlines()[error.place.line - 1]
        assert line[error.place.column - 1 :] == verbs[-1]
        found.add((error.message, error.hint))
    ((said, hint),) = found
    assert said.startswith("`p.j` and `c.i`")
    assert message in said
    assert hint


@pytest.mark.parametrize(
    "verbs",
    [
        ("bind c.i blockIdx.x", "bind p.j threadIdx.x", "compute_at p c.i"),
        ("parallel c.j", "parallel p.j", "compute_at p c.i"),
    ],
)
def test_loops_beside_each_other_in_whichever_order(verbs: tuple[str, ...]) -> None:
    for order in permutations(verbs):
        assert not transform_text(MOVED.format(" | ".join(order)), "f.py").errors


def test_the_outermost_loop_of_blocks_is_parallel_already() -> None:
    verbs = "bind c.i blockIdx.x | bind c.j blockIdx.y | parallel c.i threads=2"
    assert not transform_text(MOVED.format(verbs), "f.py").errors


@pytest.mark.parametrize(
    ("source", "verbs"),
    [
        (STEPS, ("bind t threadIdx.x", "sync_threads k")),
        (MOVED, ("bind c.i threadIdx.x", "sync_threads c.j", "compute_at p c.i")),
        (
            MOVED,
            (
                "bind c.i blockIdx.x | bind p.j threadIdx.x",
                "bind c.j threadIdx.x",
                "sync_threads c.j",
                "compute_at p c.i",
            ),
        ),
    ],
)
def test_threads_wait_in_whichever_order(source: str, verbs: tuple[str, ...]) -> None:
    texts = set()
    for order in permutations(verbs):
        before = source.format(" | ".join(order))
        after = transform_text(before, "f.py")
        assert not after.errors, after.errors
        for n, m in product(SIZES, SIZES):
            assert result(before, n, m) == result(after.text, n, m)
        lines = after.text.splitlines()
        texts.add("\n".join(x for x in lines if not x.strip().startswith("#")))
    assert len(texts) == 1


def test_a_wait_is_refused_where_a_bind_makes_threads_differ() -> None:
    """All threads must arrive, also where the loop is bound afterwards."""
    source = STEPS.replace("step in range(n)", "step in range(t)")
    for order in permutations(("bind t threadIdx.x", "sync_threads k")):
        (error,) = transform_text(source.format(" | ".join(order)), "f.py").errors
        assert error.code == "LX106"
        assert "whose bounds depend on the thread" in error.message


def test_a_fusing_dimension_has_no_axis() -> None:
    verbs = "fuse p c | bind f threadIdx.x"
    (error,) = transform_text(MOVED.format(verbs), "f.py").errors
    assert error.code == "LX112"


@pytest.mark.parametrize(
    ("verbs", "message", "hint"),
    [
        ("cache_read A at c.j", "the nest `c` does not use `A`", "loop of `p`"),
        ("cache_read C at c.j", "nothing in `c.j` reads `C`", "name one of B, T"),
        ("cache_write T at c.j", "nothing in `c.j` writes `T`", "name one of C"),
        (
            "compute_at p c.j | cache_read B at p.j",
            "nothing in `p.j` reads `B`",
            "name one of A",
        ),
        ("cache_read D at c.j", "no array `D` is used in the nest", "name an array"),
        ("cache_read A at d.j", "no nest is named `d` here", "write one of these"),
        (
            "cache_read A at p as P | set_buffer P shared | set_buffer P global",
            "`P` has to be shared already",
            "leave one of the two",
        ),
    ],
)
def test_buffers_that_cannot_be(verbs: str, message: str, hint: str) -> None:
    """The message says what does not use the array, and what does."""
    (error,) = transform_text(MOVED.format(verbs), "f.py").errors
    assert (error.message, hint in error.hint) == (message, True)
    assert error.place is not None
    assert error.place.line == 5


def test_what_is_read_elsewhere_is_said() -> None:
    verbs = "compute_at p c.j | cache_read B at p.j"
    (error,) = transform_text(MOVED.format(verbs), "f.py").errors
    assert error.detail == ("`B` is read in line 13",)
    verbs = "cache_read A at c.j"
    (error,) = transform_text(MOVED.format(verbs), "f.py").errors
    assert error.detail == ("nests that do: p",)


def test_a_place_may_be_said_twice() -> None:
    verbs = "cache_read A at p as P | set_buffer P global | set_buffer P global"
    assert not transform_text(MOVED.format(verbs), "f.py").errors


def test_a_sum_is_read_where_it_is_written() -> None:
    (error,) = transform_text(PRODUCT.format("cache_read C at j"), "f.py").errors
    assert error.message == "what reads `C` there writes the same cell, too"
    assert "cache_write C" in error.hint
    assert not transform_text(PRODUCT.format("cache_write C at j"), "f.py").errors


@pytest.mark.parametrize(
    "verbs", ["compute_at p c.f", "cache_read B at c.f", "rfactor c.f"]
)
def test_a_fusing_dimension_is_no_place(verbs: str) -> None:
    verbs = verbs.replace("c.f", "f")
    (error,) = transform_text(MOVED.format(f"fuse p c | {verbs}"), "f.py").errors
    assert error.code == "LX106"
    assert error.hint


def test_only_the_loop_with_the_wait_in_it_ends_for_it() -> None:
    source = """
def f(A, B, n, m):
    for i in range(n):
        # looptx: nest first
        for j in range(m):
            A[i, j] = 0
    for i in range(n):
        # looptx: nest second
        for j in range(m):
            B[i, j] = 0
"""
    (kernel,) = read(source, "f.py").kernels
    texts = "fuse n0 n1 partial=1", "bind i threadIdx.y", "sync_threads j#1"
    given = [Directive(text, Place("f.py", 1)) for text in (*texts, "reorder j#2 f#1")]
    with pytest.raises(Malformed, match="would stand before the fusing dimension `f`"):
        assign(kernel, given)
