"""``fuse``: one nest from several, in text, in meaning, in errors, and natively."""

from __future__ import annotations

import linecache
import re
import textwrap
from itertools import product
from typing import Any

import numpy as np
import pytest
from kit.carried import called, loops, refusal, same, transformed
from kit.samples import thinned

import looptx
from looptx.cli.text import transform_text

SIZES = (0, 1, 2, 5)

TWO = """
# looptx: {directives}
def kernel(A, B, n, m):
    # looptx: nest a
    for i in range({rows_a}):
        for j in range({columns_a}):
            A[i, j] = A[i, j] + 1.5
    # looptx: nest b
    for i in range({rows_b}):
        for j in range({columns_b}):
            B[i, j] = A[i, j] * 2.0
"""
PLAIN = {"rows_a": "n", "columns_a": "m", "rows_b": "n", "columns_b": "m"}


def two(directives: str, **ranges: str) -> str:
    return TWO.format(directives=directives, **{**PLAIN, **ranges})


def check(source: str, arrays: int = 2, sizes: int = 2, rank: int = 2) -> None:
    """Original and transformed source give the same bits for small sizes."""
    calls = []
    for values in product(SIZES, repeat=sizes):
        shape = (max(values, default=0) + 1,) * rank
        rng = np.random.default_rng(7)
        calls.append([*(rng.standard_normal(shape) for _ in range(arrays)), *values])
    same(source, *calls, function="kernel")


def test_equal_nests_become_one() -> None:
    assert (
        loops(two("fuse a b"))
        == textwrap.dedent("""
        for i in range(n):
            for j in range(m):
                A[i, j] = A[i, j] + 1.5
                B[i, j] = A[i, j] * 2.0
        """).strip()
    )


def test_directives_above_an_empty_line_go_with_their_nests() -> None:
    """What stays above the fused nest would schedule it again."""
    source = two("fuse a b").replace("nest a\n", "nest a\n\n")
    source = source.replace("nest b\n", "nest b\n\n")
    new = transformed(source)
    assert "# looptx: nest" not in new
    again = transform_text(new, "k.py")
    assert not (again.errors or again.changed)


def test_a_fused_nest_is_a_function_of_cython() -> None:
    result = transform_text(two("fuse a b"), "k.py", "cython")
    assert not result.errors
    names = re.findall(r"(?m)^cdef \w+ (.+?)\(", result.text)
    assert any("kernel_a_b" in name for name in names)
    assert all(map(str.isidentifier, names)), names


def test_the_fusing_dimension_can_move_outward() -> None:
    assert (
        loops(two("fuse a b | reorder i f j"))
        == textwrap.dedent("""
        for i in range(n):
            for j in range(m):
                A[i, j] = A[i, j] + 1.5
            for j in range(m):
                B[i, j] = A[i, j] * 2.0
        """).strip()
    )
    assert loops(two("fuse a b | reorder f i j")).count("for i in") == 2


WAYS = [
    "fuse a b",
    "fuse a b partial=1",
    "fuse a b as x y g | tile x=2 y=3 | reorder x y xx yy",
    "fuse a b | split i 2 | split i 2",
    "fuse a b | skew i j | parallel j",
    "pad b.i 1 | fuse a b",
    "pad b.i 2 | pad b.j 1 | fuse a b | split i 3",
    "split a.i 2 | split b.i 2 | fuse a b",
    "split a.i 2 | split b.i 2 | fuse a b partial=1",
    "reorder a.j a.i | reorder b.j b.i | fuse a b",
    "fuse a b | split f 2 | reorder f ff i",
    "fuse a b partial=1 | unroll a.j 2 | vectorize b.j",
    "fuse a b | collapse i j | parallel ij",
]
RANGES = [
    {"rows_a": "m", "columns_a": "n"},
    {"rows_a": "1", "columns_a": "1"},
    {"rows_b": "1, n"},
    {"rows_b": "n - 1, -1, -1", "rows_a": "n, -1, -1"},
    {"columns_b": "i, m", "columns_a": "i, m"},
]


@pytest.mark.parametrize(
    ("ranges", "directives"),
    [*product([{}], WAYS), *thinned([*product(RANGES, WAYS)], 2)],
)
def test_fused_nests_compute_the_same(directives: str, ranges: dict[str, str]) -> None:
    source = two(directives, **ranges)
    result = transform_text(source, "k.py")
    if result.errors:
        assert result.errors[0].code in ("LX201", "LX202"), str(result.errors[0])
        assert ranges, "equal nests can be fused in all these ways"
        return
    check(source)


def test_nests_meet_where_their_indices_are_equal() -> None:
    source = two("fuse a b partial=1", rows_a="1, n", rows_b="n")
    text = loops(source)
    assert "B[i, j] = A[i, j] * 2.0" in text and "A[i, j] = A[i, j] + 1.5" in text
    check(source)


def test_pad_shifts_one_nest_against_the_other() -> None:
    source = """
def kernel(A, B, n):
    # looptx: nest a
    for i in range(n):
        A[i] = A[i] + 1.5
    # looptx: nest b | pad i 1 | fuse a b
    for i in range(n - 1):
        B[i] = A[i + 1] - A[i]
"""
    check(source, sizes=1, rank=1)
    unpadded = source.replace("pad i 1 | ", "")
    assert "hint: `pad b.i 1` before this fuse makes it legal." in refusal(unpadded)


def test_three_nests_and_a_fused_nest_fused_again() -> None:
    source = """
# looptx: {}
def kernel(A, B, C, n, m):
    # looptx: nest a
    for i in range(n):
        for j in range(m):
            A[i, j] = A[i, j] + 1.5
    # looptx: nest b
    for i in range(n):
        for j in range(m):
            B[i, j] = A[i, j] * 2.0
    # looptx: nest c
    for i in range(m):
        C[i, i] = C[i, i] - 1.0
"""
    for directives in (
        "fuse a b c partial=1",
        "fuse a b c",
        "fuse a b | fuse a c partial=1",
        "fuse a b | fuse a c",
        "fuse a c | fuse a b",
        "fuse a b c | split f 2 | reorder f i ff j",
    ):
        check(source.format(directives), arrays=3)


def test_sub_nests_under_one_loop_time_skewed_and_tiled() -> None:
    source = """
# looptx: pad s2.i 1 | fuse s1 s2 | skew i t by 2 | split t 2 | split i 3
# looptx: reorder t i tt ii
def kernel(A, B, n, m):
    for t in range(m):
        # looptx: nest s1
        for i in range(1, n - 1):
            B[i] = 0.3 * (A[i - 1] + A[i] + A[i + 1])
        # looptx: nest s2
        for i in range(1, n - 1):
            A[i] = B[i]
"""
    new = transformed(source)
    for n, m in product((0, 1, 2, 3, 7, 11), (0, 1, 3, 5)):
        ours = [np.arange(12.0), np.ones(12)]
        theirs = [array.copy() for array in ours]
        called(source, "kernel")(*(*ours, n, m))
        called(new, "kernel")(*(*theirs, n, m))
        assert ours[0].tobytes() == theirs[0].tobytes()
        assert ours[1].tobytes() == theirs[1].tobytes()


def test_what_stands_between_moves_out_of_the_way() -> None:
    source = """
# looptx: fuse a b
def kernel(A, B, n):
    # looptx: nest a
    for i in range(n):
        A[i] = A[i] + 1.5
    # one more
    k = n + 1
    half: int = A.shape[0] // 2
    last = A[0]
    # looptx: nest b
    for i in range(n):
        B[i] = B[i] * k
    return k, half, last
"""
    text = transformed(source)
    lines = [line.strip() for line in text.splitlines()]
    assert lines.index("k = n + 1") < lines.index("for i in range(n):")
    assert lines[lines.index("k = n + 1") - 1] == "# one more"
    assert lines.index("last = A[0]") > lines.index("B[i] = B[i] * k")
    check(source, sizes=1, rank=1)
    check_native(source, 1)


def test_a_nest_between_goes_where_the_data_allow() -> None:
    source = """
# looptx: fuse a c
def kernel(A, B, C, n):
    # looptx: nest a
    for i in range(n):
        A[i] = A[i] + 1.5
    for i in range(n):
        B[i] = {}
    # looptx: nest c
    for i in range(n):
        C[i] = A[i] + 1.0
"""
    for value, first in (("A[n - 1 - i]", False), ("B[i] + 1.0", True)):
        text = loops(source.format(value))
        assert (text.index("B[i] =") < text.index("A[i] = A[i] + 1.5")) == first
        check(source.format(value), arrays=3, sizes=1, rank=1)
    assert "LX201" in refusal(source.format("A[n - 1 - i] + C[n - 1 - i]"))


def test_a_fused_nest_meets_a_third_at_its_index() -> None:
    source = """
# looptx: fuse a b | fuse a c
def kernel(A, B, n):
    # looptx: nest a
    for i in range(1, n):
        A[i] = A[i] + 1.5
    # looptx: nest b
    for i in range(n):
        B[i] = B[i] * 2.0
    # looptx: nest c
    for i in range(1, n):
        B[i] = B[i] + A[i]
"""
    assert "B[i] = B[i] + A[i]" in loops(source)
    check(source, sizes=1, rank=1)


def test_blocks_around_which_their_own_steps_run() -> None:
    """isl, given the phase q of the blocks of p, loses some where q has one value."""
    source = """
# looptx: trust order
def kernel(A, B, n):
    # looptx: split i 3
    # looptx: fuse n0 n1 n2 as p q f
    # looptx: reorder q f p
    for i in range(4):
        A[i, i] = A[i, i] + 1.0
    # looptx: split p 2
    for i in range(4):
        for j in range(n):
            A[i, j] = A[i, j] + 1.0
    for row in range(4):
        for i in range(n, 0, -2):
            B[row, i] = B[row, i] + 1.0
"""
    text = transformed(source)
    for n in range(8):
        ours = [np.zeros((8, 8)), np.zeros((8, 8))]
        theirs = [array.copy() for array in ours]
        called(source, "kernel")(*(*ours, n))
        called(text, "kernel")(*(*theirs, n))
        assert (ours[0] == theirs[0]).all() and (ours[1] == theirs[1]).all()


def test_a_loop_in_steps_whose_start_varies_stands_beside_a_statement() -> None:
    """Blocks of j are counted from its start, what has no j from nothing."""
    check("""
# looptx: fuse n0 n1 | split j 2
def kernel(A, B, n, m):
    for i in range(1, m):
        A[i, 0] = A[i - 1, 0] + 1.5
    for i in range(1, m):
        for j in range(i, n, 2):
            B[i, 0] += B[j, 1] * 0.5
""")


def test_a_loop_that_one_nest_lacks_does_not_collapse() -> None:
    source = """
# looptx: fuse a b | collapse i j
def kernel(A, B, n, m):
    # looptx: nest a
    for i in range(n):
        A[i, i] = A[i, i] + 1.5
    # looptx: nest b
    for i in range(n):
        for j in range(m):
            B[i, j] = B[i, j] * 2.0
"""
    assert "LX106 `j` was fused with a nest that has no such loop" in refusal(source)


@pytest.mark.parametrize(
    "statement",
    [
        "A[0] = 3.0",
        "print(n)",
        "B = A.copy()",
        "s = A.sum() + B[0]; n = n - 1",
        "s = np.add(1.0, 2.0, A[:1])",
        "s = np.random.rand() + A[0]",
        "s = B[0]; s = s + rng.normal()",
    ],
)
def test_what_cannot_move_is_refused(statement: str) -> None:
    source = f"""
# looptx: fuse a b
def kernel(A, B, n):
    # looptx: nest a
    for i in range(n):
        A[i] = A[i] + 1.5
    {statement}
    # looptx: nest b
    for i in range(n):
        B[i] = B[i] * A[i]
"""
    assert "LX206 refused" in refusal(source)


def test_nests_in_a_case_of_a_match() -> None:
    source = """
# looptx: fuse n0 n1
def kernel(A, B, n):
    match n:
        case 5:
            for i in range(n):
                A[i] = A[i] + 1.5
            k = n * 3
            for i in range(n):
                B[i] = B[i] + A[i] * k
"""
    check(source, sizes=1, rank=1)


def test_hints_name_fused_nests_as_directives_can() -> None:
    source = (
        two("fuse a b | split {} 2")
        + """
    for i in range(n):
        A[i, 0] = 0.0
"""
    )
    assert "hint: write `a.i` or `n2.i`" in refusal(source.format("i"))
    assert "nests: a, b\n" in refusal(two("fuse a b | split zebra.i 2"))
    assert transformed(source.format("a.i"))


BETWEEN = """
def kernel(A, B, C, n):
    for i in range(n):
        A[i] = A[i] * 2.0
    {}
    for i in range(n):
        C[i] = C[i] + x * {}[i]
    return x
"""


@pytest.mark.parametrize("size", ["strides[0]", "nbytes", "itemsize", "size", "ndim"])
def test_what_an_array_says_of_itself_moves(size: str) -> None:
    """The first loop changes its cells, and nothing of that."""
    check(
        f"""
# looptx: fuse a b
def kernel(A, B, n):
    # looptx: nest a
    for i in range(n):
        A[i] = A[i] + 1.5
    q = A.{size}
    # looptx: nest b
    for i in range(n):
        B[i] = B[i] * q
""",
        rank=1,
        sizes=1,
    )


def test_what_moved_runs_again_where_native_code_declines() -> None:
    """``A`` and ``B`` are one array: ``x`` is read behind the first loop."""
    source = BETWEEN.format("x = B[1]", "B")
    namespace: dict[str, Any] = {}
    linecache.cache["b.py"] = (len(source), None, source.splitlines(True), "b.py")
    exec(compile(source, "b.py", "exec"), namespace)
    plain = namespace["kernel"]
    kernel = looptx.kernel("fuse n0 n1")(plain)
    for alike in (True, False):
        results = []
        for function in (plain, kernel):
            A, C = np.arange(4.0), np.ones(4)
            results.append((function(A, A if alike else A + 1, C, 4), A, C))
        assert repr(results[0]) == repr(results[1])


def test_what_moves_reads_no_array_that_native_code_cannot_check() -> None:
    assert "LX206" in refusal("# looptx: fuse n0 n1" + BETWEEN.format("x = B[1]", "C"))


def test_what_moves_has_a_line_of_its_own() -> None:
    message = refusal("# looptx: fuse n0 n1" + BETWEEN.format("x = n; y = n", "C"))
    assert "`x = n; y = n`, stands between them, on a line with others" in message
    assert "hint: write each of them on a line of its own" in message


def test_what_moves_before_can_run_twice() -> None:
    text = "# looptx: fuse n0 n1" + BETWEEN
    assert "LX206" in refusal(text.format("x = n\n    x = x + 1", "B"))


def test_what_may_raise_does_not_move_inside_a_try() -> None:
    source = """
# looptx: fuse a b
def kernel(A, B, n):
    try:
        # looptx: nest a
        for i in range(n):
            A[i] = A[i] + 1.5
        q = {}
        # looptx: nest b
        for i in range(n):
            B[i] = B[i] * 2.0
    except IndexError:
        return A
    return q
"""
    assert "LX206 refused" in refusal(source.format("B[100]"))
    check(source.format("n"), sizes=1, rank=1)


def test_the_reordered_product_is_refused_at_its_cell() -> None:
    source = """
# looptx: reorder b.j b.i | fuse a b
def kernel(A, B, C, M, N):
    # looptx: nest a
    for i in range(M):
        for j in range(N):
            C[i, j] += A[i, j]
    # looptx: nest b
    for i in range(M):
        for j in range(N):
            C[i, j] *= B[i, j]
"""
    text = refusal(source)
    assert "LX201 refused: fuse a b" in text
    assert "write C[1, 0] at (a.i=1, a.j=0)" in text
    assert "read C[1, 0] at (b.i=1, b.j=0)" in text
    assert "hint: without `reorder b.j b.i`" in text
    trusted = transformed(source.replace("fuse a b\n", "fuse a b | trust order\n"))
    assert "on trust: order" in trusted


@pytest.mark.parametrize(
    ("directives", "code", "ranges"),
    [
        ("fuse a", "LX115", {}),
        ("fuse a a", "LX115", {}),
        ("fuse a b | fuse b a", "LX115", {}),
        ("fuse a c", "LX104", {}),
        ("fuse a b partial=3", "LX114", {}),
        ("fuse a b partial=0", "LX103", {}),
        ("fuse a b as x y", "LX102", {}),
        ("fuse a b as n y f", "LX109", {}),
        ("fuse a b | parallel f", "LX112", {}),
        ("fuse a b | vectorize f", "LX112", {}),
        ("fuse a b | unroll f", "LX112", {}),
        ("fuse a b | skew f i", "LX112", {}),
        ("fuse a b | pad f 2", "LX112", {}),
        ("fuse a b | split f 2 | skew ff f", "LX112", {}),
        ("fuse a b | collapse j f", "LX112", {}),
        ("split b.j 2 | fuse a b | collapse jj f", "LX112", {}),
        ("fuse a b partial=1 | reorder a.j f", "LX113", {}),
        ("fuse a b partial=1 | split a.j 2 | reorder a.jj f a.j", "LX113", {}),
        ("fuse a b partial=1 | split f 2 | reorder a.j ff", "LX113", {}),
        ("fuse a b", "LX116", {"rows_a": "0, n, 2"}),
        ("fuse a b", "LX116", {"rows_a": "0, n, 2", "rows_b": "1, n, 2"}),
        ("fuse a b | parallel i | fuse a", "LX115", {}),
        ("fuse a b | split k 2", "LX104", {}),
        ("fuse b a", "LX201", {}),
    ],
)
def test_errors(directives: str, code: str, ranges: dict[str, str]) -> None:
    assert f" {code} " in refusal(two(directives, **ranges))


IN_STEPS = """
# looptx: {directives}
def kernel(A, B, n, m):
    # looptx: nest a
    for i in range({rows}):
        for j in range({first}, m, {step}):
            A[i, j] = A[i, j] + 2.0
    # looptx: nest b
    for x in range({others}):
        for y in range({second}, m, {step}):
            B[x, y] = A[x, y] * 0.5
"""


@pytest.mark.parametrize("more", ["", " | split j 2", " | reorder j i"])
@pytest.mark.parametrize(
    ("rows", "others", "first", "second", "step"),
    [
        ("0, n, 3", "0, n, 3", "i % 2", "x % 2", "2"),
        ("n", "1, n - 1", "i % 3", "x % 3 + 6", "3"),
        # The lesser start of the second nest is no number of steps behind the first's.
        ("n", "2, m", "5 * i", "5 * x", "3"),
        ("n - 1, -1, -1", "n - 2, -1, -1", "i", "x + 6", "-2"),
        ("n", "n", "2", "6 * x + 8", "2"),
    ],
)
def test_starts_over_fused_loops_meet(
    rows: str, others: str, first: str, second: str, step: str, more: str
) -> None:
    source = IN_STEPS.format(directives=f"fuse a b{more}", **locals())
    if step == "-2":
        source = source.replace(", m, -2", ", -1, -2")
    calls = [
        [*np.random.default_rng(n).standard_normal((2, 40, 60)), n, m]
        for n in (0, 1, 3, 5)
        for m in (0, 1, 4, 7)
    ]
    same(source, *calls, function="kernel")


@pytest.mark.parametrize(
    ("rows", "others", "first", "second"),
    [
        ("n", "n", "i", "0"),
        ("n", "n", "i", "2 * x"),
        ("n", "n - 1, -1, -1", "i % 2", "(n - 1 - x) % 2"),
    ],
)
def test_starts_that_may_never_meet(
    rows: str, others: str, first: str, second: str
) -> None:
    source = IN_STEPS.format(directives="fuse a b", step=2, **locals())
    assert " LX116 " in refusal(source)


def test_nests_of_different_blocks_do_not_fuse() -> None:
    source = """
# looptx: fuse a b
def kernel(A, B, n):
    # looptx: nest a
    for i in range(n):
        A[i] = A[i] + 1.5
    if n > 3:
        # looptx: nest b
        for i in range(n):
            B[i] = B[i] * 2.0
"""
    assert "LX106 the nests do not stand side by side" in refusal(source)


def test_where_nests_stand_is_looked_at_before_their_ranks() -> None:
    """A hint to write a smaller ``partial`` would not help."""
    source = """
# looptx: fuse inner b partial=2
def kernel(A, B, n):
    for t in range(n):
        # looptx: nest inner
        for i in range(n):
            A[i] = A[i] + 1.5
    # looptx: nest b
    for i in range(n):
        for j in range(n):
            B[i] = B[i] * 2.0
"""
    assert "LX106 the nests do not stand side by side" in refusal(source)


def check_native(source: str, sizes: int, **options: Any) -> None:
    namespace: dict[str, Any] = {"np": np}
    exec(compile(source, "k.py", "exec"), namespace)
    linecache.cache["k.py"] = (len(source), None, source.splitlines(True), "k.py")
    function = namespace["kernel"]
    kernel = looptx.kernel(**options)(function)
    for values in product(SIZES, repeat=sizes):
        ours = [np.arange(8.0), np.ones(8)]
        theirs = [array.copy() for array in ours]
        assert repr(function(*ours, *values)) == repr(kernel(*theirs, *values))
        assert all(
            a.tobytes() == b.tobytes() for a, b in zip(ours, theirs, strict=True)
        )
    assert not any(reason for reason in kernel.report().nests[0].fallbacks)
