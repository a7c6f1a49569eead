"""``rfactor``: reductions in parts, compared bit by bit with the source."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from kit.carried import loops, refusal, rewritten, same
from kit.samples import crossed

SIZES = (0, 1, 2, 3, 7, 11)

DOT = """
def f(A: "{kind}[:]", s: {scalar}, n: int):
    # looptx: {directives}
    for k in range({bounds}):
        {code}
    return s
"""

ROWS = """
def f(A: "{kind}[:, :]", C: "{kind}[:]", n: int):
    # looptx: {directives}
    for i in range(n):
        for k in range({bounds}):
            {code}
"""


def dot(directives: str, code: str = "s += A[k]", **given: str) -> str:
    known = {"kind": "int64", "scalar": "int", "bounds": "n", **given}
    return DOT.format(directives=directives, code=code, **known)


def rows(directives: str, code: str = "C[i] += A[i, k]", **given: str) -> str:
    known = {"kind": "int64", "bounds": "n", **given}
    return ROWS.format(directives=directives, code=code, **known)


def numbers(kind: str, *shape: int) -> np.ndarray:
    """Numbers whose sums and products are exact in any order."""
    found = np.random.default_rng(len(shape)).integers(-3, 4, shape)
    return found.astype(kind)


def check_dot(source: str, kind: str = "int64", start: Any = 5) -> str:
    return same(source, *([numbers(kind, n), start, n] for n in SIZES))


def check_rows(source: str, kind: str = "int64") -> str:
    calls = ([numbers(kind, n, n), numbers(kind, n + 1), n] for n in SIZES)
    return same(source, *calls)


@pytest.mark.parametrize(
    "directives",
    [
        "rfactor k",
        "split k 3 | rfactor k as part",
        "split k 3 | rfactor kk as part",
        "split k 3 | rfactor k as part | parallel part.k",
        "split k 3 | rfactor kk as part | reorder part.k part.kk",
        "pad k 2 | rfactor k",
        "split k 4 2 | rfactor k as p | rfactor p.kkk as q | compute_at q p.k",
        "split k 4 2 | rfactor k as p | parallel p.k | rfactor p.kk as q",
        "rfactor k as p | rfactor k as q",
        "rfactor k as p | split p.k 3 | split k 2 | parallel p.k",
        "rfactor k as p | unroll k 2 | vectorize p.k",
    ],
)
@pytest.mark.parametrize("bounds", ["n", "n - 1, -1, -1"])
def test_sums_of_integers_need_no_permission(directives: str, bounds: str) -> None:
    check_dot(dot(directives, bounds=bounds))


@pytest.mark.parametrize("bounds", ["2, n", "0, n, 2", "n - 2", "1, n - 1, 3"])
def test_loops_that_begin_and_step_otherwise(bounds: str) -> None:
    check_dot(dot("split k 3 | rfactor kk as p | parallel p.kk", bounds=bounds))
    check_rows(rows("split k 2 | rfactor k as p | compute_at p i", bounds=bounds))


@pytest.mark.parametrize(
    "directives",
    [
        "rfactor k",
        "split k 3 | rfactor k as part | parallel part.k",
        "split i 2 | split k 3 | rfactor k as part",
        "split k 3 | rfactor kk as part | compute_at part i",
        "reorder k i | rfactor k as part | parallel part.k",
        "skew k i | rfactor k as part",
        "split k 3 | rfactor k as part | reorder part.i part.k | parallel part.i",
        "rfactor k as part | temp part | reorder part.i part.k",
        "rfactor k as part | cache_read A at part.k",
        "split k 4 2 | rfactor k as part | rfactor part.kkk as lane",
        "split k 4 | rfactor k as p | split p.kk 2 as x y | rfactor p.y as lane",
        "split k 4 | rfactor k as p | split p.k 3 | split p.kk 2 as u v | rfactor p.v",
    ],
)
@pytest.mark.parametrize(
    "code", ["C[i] += A[i, k]", "C[i // 2] += A[k, i]", "C[n - i] += A[i, k] * k"]
)
def test_cells_of_an_array(directives: str, code: str) -> None:
    check_rows(rows(directives, code))


@pytest.mark.parametrize("kind", ["int64", "uint8", "int8"])
@pytest.mark.parametrize("op", ["+", "-", "*", "&", "|", "^"])
def test_operations_of_integers(op: str, kind: str) -> None:
    """Also such as wrap around: the identity is that of the type."""
    source = rows("split k 3 | rfactor k", f"C[i] {op}= A[i, k]", kind=kind)
    check_rows(source, kind)


@pytest.mark.parametrize("op", ["+", "*", "&", "|", "^", "max", "min"])
def test_bools(op: str) -> None:
    """`+` is "or" and `*` is "and" in an array of them."""
    code = f"C[i] {op}= A[i, k]" if len(op) == 1 else f"C[i] = {op}(C[i], A[i, k])"
    source = rows("reassociate C | split k 3 | rfactor k", code, kind="bool")
    check_rows(source, "bool")
    values = (False, True)
    same(source, *([np.full((4, 4), one), np.full(4, one), 4] for one in values))


@pytest.mark.parametrize("kind", ["int64", "uint8", "float64", "float32"])
@pytest.mark.parametrize(
    "code",
    [
        "C[i] = max(C[i], A[i, k])",
        "C[i] = min(A[i, k], C[i])",
        "C[i] = np.maximum(C[i], A[i, k])",
        "C[i] = A[i, k] if A[i, k] > C[i] else C[i]",
        "C[i] = C[i] if C[i] <= A[i, k] else A[i, k]",
    ],
)
def test_minima_and_maxima(code: str, kind: str) -> None:
    head = "import numpy as np\n" if "np" in code else ""
    asked = "reassociate C | " if kind.startswith("float") else ""
    directives = f"{asked}split k 3 | rfactor k as P | parallel P.k"
    source = head + rows(directives, code, kind=kind)
    check_rows(source, kind)
    ends = (-np.inf, np.inf) if asked else (0, np.iinfo(kind).max)
    same(source, *([np.full((4, 4), x, kind), np.full(4, x, kind), 4] for x in ends))


@pytest.mark.parametrize(
    "code", ["if A[k] > s:\n            s = A[k]", "s = min(A[k], s)"]
)
@pytest.mark.parametrize("start", [5, -(10**30), 10**30])
def test_numbers_of_python_are_above_and_below_all(code: str, start: int) -> None:
    check_dot(dot("split k 3 | rfactor k", code, scalar='"int64"'), start=start)


def test_a_sum_that_is_private_to_a_row() -> None:
    source = """
def f(A: "int64[:, :]", C: "int64[:]", n: int):
    # looptx: split k 3 | rfactor k as part{more}
    for i in range(n):
        s = 5
        for k in range(1, n):
            s += A[i, k]
        C[i] = s
"""
    whole = check_rows(source.format(more=""))
    assert "part[(k - 1) // 3, i]" in whole or "part[k, i]" in whole
    moved = check_rows(source.format(more=" | compute_at part i"))
    assert "part[k]" in moved
    check_rows(source.format(more=" | parallel part.k"))
    check_rows(source.format(more=" | compute_at part i | parallel i"))


def test_what_is_used_between_the_terms_has_parts_of_its_own() -> None:
    check_rows("""
def f(A: "int64[:, :]", C: "int64[:]", n: int):
    s = 0
    # looptx: rfactor k as part
    for i in range(n):
        for k in range(n):
            s += A[i, k]
        C[i] = s
""")


def test_floats_have_to_be_asked_for() -> None:
    source = dot("split k 3 | rfactor k as part", kind="float64", scalar="float")
    message = refusal(source)
    assert " LX212 refused: rfactor k as part" in message
    assert "hint: write `reassociate s`" in message
    asked = source.replace("split", "reassociate s | split")
    check_dot(asked, "float64", 5.0)
    later = source.replace("as part", "as part | reassociate s")
    check_dot(later, "float64", 5.0)


def test_floats_have_to_be_asked_for_where_the_order_is_broken_too() -> None:
    assert " LX212 " in refusal(dot("split k 3 | rfactor kk", kind="float64"))


def test_negative_zeros_stay() -> None:
    source = dot(
        "reassociate s | split k 2 | rfactor k", kind="float64", scalar="float"
    )
    same(source, [np.full(5, -0.0), -0.0, 5], [np.full(1, -0.0), 0.0, 1])
    array = rows("reassociate C | rfactor k", kind="float64")
    same(array, [np.full((3, 3), -0.0), np.full(3, -0.0), 3])


def test_negative_zeros_of_complex_sums_stay() -> None:
    source = rows("reassociate C | split k 2 | rfactor kk as p", kind="complex128")
    zeros = [complex(x, y) for x in (0.0, -0.0) for y in (0.0, -0.0)]
    calls = [
        [np.full((n, n), one), np.full(n + 1, other), n]
        for n in SIZES
        for one in zeros
        for other in zeros
    ]
    same(source, *calls)


@crossed(
    part=["k", "kk"],
    at=["{0}", "i", "reorder"],
    bounds=["n", "i, n", "n - 1, i - 1, -1", "i % 3, n, 2"],
    start=["", "C[i] = 7"],
)
def test_a_buffer_begins_with_the_target_whatever_part_is_first(
    part: str, at: str, bounds: str, start: str
) -> None:
    """The first term need not be in the part that is collected first."""
    where = at.format(part)
    if at == "reorder":
        where = part
        part = f"{part} as p | reorder {part} i"
    part = part if " " in part else f"{part} as p"
    text = rows(f"split k 3 | rfactor {part} | cache_write C at {where}", bounds=bounds)
    body = "        for k in"
    check_rows(text.replace(body, f"        {start}\n{body}") if start else text)


def test_a_buffer_does_not_load_what_is_overwritten() -> None:
    text = rows("split k 3 | rfactor kk as p | cache_write C at i")
    loaded = "C_cache[()] = C[i]"
    assert loaded in check_rows(text)
    body = "        for k in"
    assert loaded not in check_rows(text.replace(body, f"        C[i] = 0\n{body}"))


def test_the_new_nest_is_named_and_the_old_names_stay() -> None:
    source = dot("split k 4 | rfactor k as part | parallel part.k | unroll k 2")
    text = loops(source, "f")
    assert text.index("part[k // 4] = 0") < text.index("s += part[")
    assert "s += part[k + 1]" in text


@pytest.mark.parametrize("loop", ["part.k", "k", "lane.kkk"])
def test_parts_of_parts_that_moved_leave_the_names_to_the_nest_they_moved_to(
    loop: str,
) -> None:
    directives = "split k 4 2 | rfactor k as part | rfactor part.kkk as lane"
    moved = f"{directives} | compute_at lane part.k | parallel {loop}"
    check_dot(dot(moved))
    check_rows(rows(moved))


def test_another_reduction_keeps_its_order() -> None:
    source = """
def f(A: "float64[:]", s: "float64[:]", t: "float64[:]", n: int):
    # looptx: reassociate s | distribute k | rfactor k#1 | parallel k#2
    for k in range(n):
        s[0] += A[k]
        t[0] += A[k]
"""
    assert " LX202 refused: parallel k#2" in refusal(source)


def test_the_loop_is_outermost_and_the_first_axis() -> None:
    text = loops(rows("split k 3 | rfactor k as part"), "f")
    assert re.search(
        r"for k in .*\n    for i in .*\n        part\[k // 3, i\] = 0", text
    )
    assert re.search(
        r"for i in .*\n    for k in .*\n        C\[i\] \+= part\[k, i\]", text
    )


@pytest.mark.parametrize(
    ("source", "code", "words"),
    [
        (rows("rfactor i"), "LX106", "`i` is no loop of the reduction into `C`"),
        (rows("rfactor k", "C[i] = A[i, k]"), "LX106", "no reduction is in `k`"),
        (rows("rfactor k as A"), "LX109", "`A` is already taken"),
        (rows("rfactor j"), "LX104", "no loop is named `j`"),
        (rows("rfactor"), "LX102", "takes one loop"),
        (rows("rfactor k as a b"), "LX102", "give one name"),
        (rows("collapse i k | rfactor ik"), "LX106", "collapsed"),
        (
            rows(
                "rfactor k",
                "if A[i, k] > 0:\n                C[i] += A[i, k]\n"
                "            else:\n                C[i] += 1",
            ),
            "LX106",
            "an `if` chooses what is combined with `C`",
        ),
        (
            rows("rfactor k", "if A[i, k] > 0:\n                C[i] += A[i, k]"),
            "LX106",
            "depends on data",
        ),
        (
            rows("rfactor k", "C[i] += A[i, k]\n            C[n] *= A[i, k]"),
            "LX106",
            "has several reductions",
        ),
    ],
)
def test_faults(source: str, code: str, words: str) -> None:
    message = refusal(source)
    assert f" {code} " in message and words in message


def test_the_type_says_where_a_minimum_begins() -> None:
    source = rows("reassociate C | rfactor k", "C[i] = min(C[i], A[i, k])")
    untyped = source.replace(': "int64[:]"', "")
    message = refusal(untyped)
    assert (
        ":3:" in message and " LX212 unknown: what parts of `C` begin with" in message
    )
    check_rows(source)


def test_terms_that_need_what_the_nest_makes_move_into_it() -> None:
    source = """
def f(A: "int64[:, :]", C: "int64[:]", n: int):
    # looptx: rfactor k as part{more}
    for i in range(n):
        for k in range(n):
            C[i] += A[0, k]
        A[0, 0] = C[i]
"""
    assert " LX201 refused: rfactor k as part" in refusal(source.format(more=""))
    check_rows(source.format(more=" | compute_at part i"))


WIDE = """
import numpy as np
def f({}, n: int):
    s = {}
    # looptx: reassociate s | rfactor k
    for k in range(n):
        s += {}
    return s
"""


@pytest.mark.parametrize(
    ("arrays", "begin", "term"),
    [
        ('A: "int64[:]", B: "int8[:]"', "A[0]", "B[k]"),
        ('A: "int64[:]", B: "int32[:]"', "A[0] + 1", "B[k] * 3"),
        ('A: "float64[:]", B: "float32[:]"', "A[0]", "B[k]"),
        ("A, B", "A[0]", "B[k]"),
    ],
)
def test_parts_of_a_scalar_are_as_wide_as_it_is(
    arrays: str, begin: str, term: str
) -> None:
    """Parts begin with a number of Python: cells of eight bits would wrap around."""
    text = WIDE.format(arrays, begin, term)
    assert "LX212" in refusal(text)
    cells = np.array([3, 27, 5, 4, 3, 9, 12], np.int8)
    if "float" not in arrays:
        same(text.replace(f"= {begin}\n", "= 0\n"), [cells * 1, cells, 5])


def test_a_private_scalar_is_as_wide_as_what_it_is_assigned() -> None:
    text = """
def f(A: "int64[:]", B: "int8[:, :]", n: int):
    # looptx: rfactor k
    for i in range(n):
        s = A[i]
        for k in range(n):
            s += B[i, k]
        A[i] = s
"""
    assert "LX212" in refusal(text)
    right = text.replace("s += B[i, k]", "s += B[i, k] * A[k]")
    same(
        right.replace("A[i] = s", "B[i, 0] = s % 5"),
        *([np.arange(7), np.ones((7, 7), np.int8), n] for n in (0, 1, 2, 5)),
    )


BITS = ["|", "&", "^"]


def flags(n: int) -> np.ndarray:
    """Truth values, more of one sort than of the other."""
    return np.random.default_rng(n).integers(0, 3, n) > 0


@pytest.mark.parametrize("op", BITS)
@pytest.mark.parametrize("scalar", ["bool", "np.bool_"])
@pytest.mark.parametrize("directives", ["rfactor k", "split k 3 | rfactor k as p"])
def test_bits_of_truth_values_need_no_permission(
    op: str, scalar: str, directives: str
) -> None:
    source = dot(directives, f"s {op}= A[k]", kind="bool", scalar=scalar)
    starts = (True, False, np.True_, np.False_)
    same(source, *([flags(n), start, n] for start in starts for n in SIZES))


@pytest.mark.parametrize("op", BITS)
def test_bits_of_comparisons_and_of_cells(op: str) -> None:
    compared = dot("split k 3 | rfactor k", f"s {op}= A[k] > 0", scalar="bool")
    check_dot(compared, start=True)
    cells = rows("rfactor k", f"C[i] {op}= A[i, k]", kind="bool")
    square = [flags(n * n).reshape(n, n) for n in SIZES]
    same(cells, *([a, flags(len(a) + 1), len(a)] for a in square))


@pytest.mark.parametrize("op", ["|", "^"])
def test_bits_of_what_has_no_type_begin_with_none(op: str) -> None:
    source = f"""
def f(A, s, n):
    # looptx: split k 3 | rfactor k | reassociate s
    for k in range(n):
        s {op}= A[k]
    return s
"""
    error = refusal(source.replace(" | reassociate s", ""))
    assert "nothing says that `s` holds integers" in error
    assert "hint: say the type of `s` in an annotation, or write" in error
    calls = [
        [numbers(kind, n), start, n]
        for kind in ("bool", "int8", "uint64", "int64")
        for start in (np.dtype(kind).type(1), np.dtype(kind).type(0), bool(1), 1)
        for n in SIZES
    ]
    same(source, *calls)


def test_ones_of_what_has_no_type_are_not_known() -> None:
    source = dot("rfactor k | reassociate s", "s &= A[k]")
    source = source.replace(': "int64[:]"', "")
    assert "what parts of `s` begin with" in refusal(source.replace("s: int", "s"))


def test_ones_of_unsigned_terms_fit_them() -> None:
    """-1 is none, and an integer of Python's may have more bits than they have."""
    error = refusal(dot("rfactor k", "s &= A[k]", kind="uint8"))
    assert "have all its values" in error
    assert "hint: collect in an element of an array" in error
    cells = rows("rfactor k", "C[i] &= A[i, k]", kind="uint8")
    assert "= 255" in check_rows(cells, "uint8")


def test_cells_that_refuse_what_does_not_fit_keep_the_order() -> None:
    source = rows("rfactor k").replace('C: "int64', 'C: "{}')
    assert "may change" in refusal(source.format("int8"))
    same(source.format("int64"), [numbers("int64", 3, 3), numbers("int64", 4), 3])
    wrapping = source.format("uint8").replace("+= A", "-= A")
    calls = ([numbers("int64", n, n), numbers("uint8", n + 1), n] for n in SIZES)
    same(wrapping, *calls)


WIDER = """
def f(A: "{}[:]", s{}, n):
    # looptx: split k 3 | rfactor k | reassociate s
    for k in range(n):
        s {}= A[k]
    return s
"""


@pytest.mark.parametrize("op", ["+", "*"])
@pytest.mark.parametrize("said", ["", ": float"])
@pytest.mark.parametrize("kind", ["uint8", "int32", "int64", "float32"])
def test_parts_of_narrow_terms_are_no_parts_of_a_float(
    kind: str, said: str, op: str
) -> None:
    """An argument that the nest assigns may be wider than all of its terms."""
    error = refusal(WIDER.format(kind, said, op))
    assert "LX212" in error
    assert "whether parts of `s` have all its values" in error
    text = WIDER.format(kind, said, op).replace("\n    #", "\n    s = 0\n    #", 1)
    same(text.replace(f", s{said}", ""), *([numbers(kind, n), n] for n in SIZES))


def test_parts_of_complex_terms_keep_the_sign_of_zeros() -> None:
    text = WIDER.format("complex128", "", "+")
    for start in (-0.0, -0j, 0.0, 0j):
        zeros = [-np.zeros(n, np.complex128) for n in SIZES]
        same(text, *([zero, start, len(zero)] for zero in zeros))


MANY_PIECES = """
import numpy as np
# looptx: reassociate s
# looptx: reverse_compute_at sums halves.i
# looptx: split sums.q 2
# looptx: rfactor sums.q as part
# looptx: vectorize part.qq
def f(x, y, T, n, m):
    U = np.zeros(3 * n + 3 * m + 9)
    s = 1
    # looptx: nest halves
    for i in range(n // 2):
        T[i] = y[i + 1] // 3
    for i in range(1, n, 3):
        U[i] = T[-i] / 3
    for i in range(n - 1, -1, -1):
        x[i] += 1
    # looptx: nest sums
    for p in range(m):
        for q in range(n - 1, -1, -1):
            s = max(s, T[p + p] + U[-p])
    return s
"""


def test_a_buffer_whose_live_cells_are_of_many_pieces() -> None:
    """Coalescing them once ended the process."""
    calls = (
        [numbers("float64", 9), numbers("float64", 9), numbers("float64", 23), n, m]
        for n in (0, 1, 2, 3, 7)
        for m in (0, 1, 2, 5, 7)
    )
    same(MANY_PIECES, *calls)


@pytest.mark.parametrize(
    ("term", "code"),
    [
        ("A[i, k]", "LX212"),
        ("A[i, k] if A[i, k] > 0 else 1", "LX212"),
        ("-i / 2", "LX212"),
        ("1 if A[i, k] > 0.5 else 0", ""),
        ("B[i, k]", ""),
    ],
)
def test_what_an_integer_drops_of_each_sum_is_more_than_last_bits(
    term: str, code: str
) -> None:
    text = f"""
# looptx: reassociate x | reorder k i
def f(A: "float64[:, :]", B, x: "int64[:]", n: int):
    for i in range(n):
        for k in range(n):
            x[i] += {term}
"""
    assert rewritten(text).code == code


@pytest.mark.parametrize(
    ("value", "kind", "words"),
    [
        ("s[0] + A[k]", ': "float64[:]"', "write `reassociate s` if they may change\n"),
        ("s[0] + A[k]", "", "of integers say the type of `s` in an annotation"),
        ("max(s[0], A[k])", ': "float64[:]"', "another NaN, or zero of another sign"),
    ],
)
def test_what_another_order_changes_is_said(value: str, kind: str, words: str) -> None:
    text = f"""
def f(A: "float64[:]", s{kind}, n: int):
    # looptx: split k 4 | rfactor k
    for k in range(n):
        s[0] = {value}
"""
    assert words in f"{refusal(text)}\n"


ROUNDS = """
import numpy as np
def f(A: "int64[:, :]", B: "int64[:]"):
    n, m = A.shape
    # looptx: {}
    for t in range(n):
        s = t
        for k in range(m):
            s += A[t, k]
        B[t] = s
    return B
"""


@pytest.mark.parametrize(
    "directives",
    [
        "split t 4 | rfactor k as p",
        "split t 4 | rfactor k as p | parallel t",
        "split t 4 | split k 4 | rfactor kk as p",
        "split t 3 | split k 2 | rfactor k as p",
        "tile t=2 k=3 | rfactor kk as p",
        "split t 4 | reorder tt t | rfactor k as p",
        "pad t 4 | rfactor k as p",
    ],
)
def test_parts_of_a_number_that_each_round_begins_anew(directives: str) -> None:
    """The loop around is cut: its rounds are told by several loops of the parts."""
    chance = np.random.default_rng(4)
    shapes = [(n, m) for n in (0, 1, 2, 5, 8) for m in (0, 1, 3, 7)]
    sets = [(chance.integers(-9, 9, one), np.zeros(one[0], "int64")) for one in shapes]
    assert "p[" in same(ROUNDS.format(directives), *sets)
