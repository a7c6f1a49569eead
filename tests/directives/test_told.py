"""What moves raises where the source does, whatever its text says that names hold."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from kit.carried import exactly, rewritten

TEXT = """
import math
import numpy as np
{before}
# looptx: {move}
def f({args}):
    {first}
    T = np.empty(n, {dtype})
    # looptx: nest p
    for i in range(n):
        {line}
    # looptx: nest c
    for i in range(0, n, 2):
        B[i] = T[i]
"""
MOVE = "compute_at p c.i"
LINE = "T[i] = S * 2.0 if i > 2 else 1.0"
CELL = "T[i] = S[i] * 2.0 if i > 2 else 1.0"
FLOATS = np.array([1.0, np.nan, 2.0, 4.0, 3.0, 5.0, 6.0, 7.0])


def _text(
    move: str = MOVE,
    *,
    line: str = LINE,
    first: str = "pass",
    args: str = "A, B, n",
    before: str = "",
    dtype: str = "float",
) -> str:
    """A module, every second iteration of whose first nest is read."""
    return TEXT.format(
        move=move, line=line, first=first, args=args, before=before, dtype=dtype
    )


def _plain(text: str) -> str:
    """The module without directives."""
    lines = text.splitlines(keepends=True)
    return "".join(line for line in lines if "# looptx" not in line)


def _outcome(text: str, array: Any, n: int, *more: Any) -> tuple[str, object]:
    """What a call raises, and its result where it raises nothing."""
    scope: dict[str, Any] = {}
    result = np.zeros(8)
    with np.errstate(all="ignore"):
        try:
            exec(text, scope)
            scope["f"](array.copy(), result, n, *more)
        except Exception as error:
            return type(error).__name__, None
    return "", exactly(result)


def _raises(text: str, array: Any, *more: Any) -> None:
    """See that the module, rewritten, raises what it raised, for some sizes."""
    found = rewritten(text)
    assert not found.code, found.message
    cases = [(n, *more) for n in (0, 1, 2, 4, 7)]
    expected = [_outcome(_plain(text), array, *case) for case in cases]
    assert {name for name, _ in expected} > {""}
    assert [_outcome(found.text, array, *case) for case in cases] == expected
    inlined = rewritten(text.replace(MOVE, "compute_inline p"))
    raises = inlined.code == "LX203" and "raises" in inlined.message
    # What is seen to be a row is no element to begin with.
    assert raises or inlined.code == "LX106"


def _goes(text: str, array: Any, *more: Any) -> None:
    """See that no more runs than what is read."""
    found = rewritten(text)
    assert not found.code, found.message
    loops = [x for x in found.text.splitlines() if x.startswith("    for i in")]
    assert loops == ["    for i in range(0, n, 2):"]
    for n in (0, 1, 2, 7):
        expected = _outcome(_plain(text), array, n, *more)
        assert not expected[0]
        assert _outcome(found.text, array, n, *more) == expected


ARGUMENTS = [
    "S=None",
    "S='a'",
    "*S",
    "**S",
    "S: str = 'a'",
    "S: 'list[float]' = [1.0]",
    "S: dict = {}",
    "*, S=None",
    "S: float = None",
]
SUPPRESS = "__import__('contextlib').suppress(Exception)"
BOUND = [
    "with open('/dev/null') as S: pass",
    "for S in ('a', 'b'): pass",
    "names = ['a']\n    for S in names: pass",
    "S = 1\n    try:\n        1 / 0\n    except ZeroDivisionError as S:\n        pass",
    "(S := 'a')",
    "import math as S",
    "match 'a':\n        case S: pass",
    "S = [1.0, 2.0]",
    "S = 1.0, 2.0",
    "R = None\n    S = R",
    "S = 1.0\n    if n > 2: S = None",
    "S = [k for k in range(3)]",
    "S, R = 'ab'",
    "S = math.sqrt",
    "S = np.float64",
    "def S(): pass",
    "class S: pass",
    "S = sorted(range(3))",
    "S = type(3)",
    "S = 'a'.upper()",
    "S = 'a%d' % n",
    "S = np.str_('a')",
    "S = np.zeros(3)[:, None] if n < 0 else ...",
    "S = 'a'\n    S += 'b'",
    "S = 1.0\n    def g():\n        nonlocal S\n        S = None\n    g()",
    "S = range(3)",
    "S = A.dtype",
    "S = A.tolist()",
    "S = A.tobytes()",
    "S = A.sort()",
    "S = [].append(1)",
    "S = np.random.seed(1)",
    "S = print()",
    "S = divmod(n, 2)",
    "S = A.shape",
    "S = max('a', 'b')",
    "global S\n    S = None",
    f"S = 'a'\n    with {SUPPRESS}: S = 1.0 / 0",
    f"S = 2.0\n    with {SUPPRESS}:\n        S = None\n        S = 1.0 / 0",
    f"S = 'a'\n    with open('/dev/null'), {SUPPRESS}: S = 1.0 / 0",
    f"S = 'a'\n    with {SUPPRESS}:\n        S = 1.0 / 0\n        return",
    "*S, R = 1.0, 2.0",
    "R, *S = [1.0, 2.0]",
    "for R, *S in [[1.0, 2.0]]: pass",
    "match [1.0, 2.0]:\n        case [*S]: pass",
    "R = 1.0\n    S = 1.0 if (R := 'a') == 'b' else R",
    "R = 1.0\n    S = R if (R := 'a') else 2.0",
    "S = 1.0\n    [S := x for x in 'ab']",
    "S = 1.0\n    any((S := x) for x in 'ab')",
    "x = 1.0\n    S = 1.0\n    [S := x for x in 'ab']",
    "k = 1.0\n    S = [k for k in 'ab'][0]",
    "S = [k for k in 'ab'][0]",
    "k = 1.0\n    S = [k for r in ['ab'] for k in r][0]",
    "k = 1.0\n    S = [[k for k in r] for r in ['ab']][0][0]",
    "S = np.zeros((8, 8))[0]",
    "S = np.zeros(A.shape)[:, None] if n < 0 else np.ones((3, 3))[1]",
    "S = np.eye(3).sum(axis=0)",
    "S = np.eye(3).sum(0)",
    "S = np.sum(np.eye(3), keepdims=True)",
    "S = np.mean(np.eye(3), axis=1)",
    "S = np.argmax(np.eye(3), axis=0)",
    "S = np.eye(3).argmin(0)",
    "S = A.nonzero()",
    "S = A.searchsorted([1, 2])",
    "S = abs(np.zeros(8))",
    "S = np.zeros(8) > 2",
    "S = np.zeros(8) * n",
    "S = np.float32(np.zeros(8))",
    "S = A[1:]",
    "S = A[[1, 2]]",
    "S = A[np.zeros(3, int)]",
    "S = (-2) ** 0.5",
    "R = -2.0\n    S = R ** (1 / (n + 2))",
    "S = sum([[1.0]], [])",
    "S = max([1.0], [2.0])",
    "S = max([[1.0], [2.0]])",
    "S = A.dtype.name",
    "S = np.float64.__name__",
    "S = __name__",
]
AROUND = [
    "S = None",
    "with open('/dev/null') as S: pass",
    "for S in ('a', 'b'): pass",
    "(S := 'a')",
    "R = None\nS = R",
    "S, R = 'ab'",
    "from math import sqrt as S",
    "S = [1.0]",
    "S = 'a'\nS += 'b'",
    "match 'a':\n    case S: pass",
    "S = 1.0\ndef g():\n    global S\n    S = None\ng()",
    "S = 1.0\nglobals()['S'] = None",
    "S = 1.0\ndel S",
    "k = 1.0\nS = [k for k in 'ab'][0]",
    "S = 2.0\n[S := x for x in 'ab']",
]


@pytest.mark.parametrize("argument", ARGUMENTS)
def test_an_argument_that_the_text_says_to_be_no_number(argument: str) -> None:
    _raises(_text(args=f"A, B, n, {argument}"), FLOATS)


@pytest.mark.parametrize("first", BOUND)
def test_a_name_that_is_bound_to_no_number(first: str) -> None:
    _raises(_text(first=first), FLOATS)


@pytest.mark.parametrize("before", AROUND)
def test_a_name_of_the_module_that_is_bound_to_no_number(before: str) -> None:
    _raises(_text(before=before), FLOATS)


@pytest.mark.parametrize("line", ["S = None", "S = 'a'", "for S in 'ab': pass"])
@pytest.mark.parametrize("default", ["", "=None"])
def test_a_name_of_a_function_around(line: str, default: str) -> None:
    inner = _text().split("# looptx", 1)[1].replace("\n", "\n    ")
    head = f"import numpy as np\ndef outer(S{default}):\n    {line}\n    # looptx"
    _raises(f"{head}{inner}return f\nf = outer(1.0)\n", FLOATS)


ARRAYS = [
    "np.full(n, 'a')",
    "np.empty(n, dtype=object)",
    "np.empty(n, object)",
    "np.array([None] * n, 'O')",
    "np.array(['a'] * 8)",
    "['a'] * 8",
    "[[1.0]] * 8",
    "((1.0,),) * 8",
    "['a' for k in range(n)]",
    "np.zeros(n, 'U5')",
    "np.full_like(A, None, object)",
    "'abcdefghi'",
    "A.astype('U5')",
    "np.zeros(n, [('x', float)])",
    "np.zeros(n, 'M8[s]')",
    "list('abcdefghij')",
    "np.zeros((8, 8))",
    "np.zeros((8, 8, 2)).sum(axis=2)",
    "np.zeros((8, 2)).sum(1, keepdims=True) + np.zeros(2)",
    "np.zeros((8, 8)) * n",
    "np.zeros(64).reshape(8, 8)",
    "np.zeros(64).reshape((8, -1))",
    "np.stack([A, A], 1)",
    "np.outer(A, A)",
    "A[:, None]",
    "A[None]",
    "np.zeros((8, 8))[:, 0:1]",
    "np.array([[1.0, 2.0]] * 8)",
    "[[0.0] * 2 for k in range(8)]",
    "list(zip(A, A))",
    "[0.0 for k in range(8)] if n < 4 else [[0.0] * 2] * 8",
]


@pytest.mark.parametrize("made", ARRAYS)
def test_an_array_of_no_numbers(made: str) -> None:
    _raises(_text(first=f"S = {made}", line=CELL), FLOATS)


STORED = [
    "S = [1.0] * 8\n    S[5] = 'a'",
    "S = [0] * 8\n    for k in range(8): S[k] = 'a'",
    "S = []\n    for k in range(8): S.append('a')",
    "S = [1.0]\n    for k in range(8): S.append(None)",
    "S = [1.0] * 3\n    S.extend('abcdefgh')",
    "S = [1.0] * 8\n    R = S\n    R[5] = 'a'",
    "S = R = [1.0] * 8\n    R[5] = 'a'",
    "R = (S := [1.0] * 8)\n    R[5] = 'a'",
    "S = [1.0] * 8\n    S[3:] = 'abcdefgh'",
    "S = list(np.zeros(8))\n    S[5] = None",
    "S = A.tolist()\n    S[5] = None",
    "S = [1.0] * 8\n    S.insert(5, 'a')",
    "def g(x): x[5] = 'a'\n    S = [1.0] * 8\n    g(S)",
    "S = [1.0] * 8\n    def g(): S[5] = 'a'\n    g()",
    "S = [1.0] * 8\n    def g(): return S\n    g()[5] = 'a'",
    "S = [1.0] * 8\n    g = S.append\n    for k in range(8): g('a')\n    S = S[4:]",
    "S = [1.0] * 8\n    for S[5] in 'a': pass",
    "S = [1.0] * 8\n    [0 for S[5] in 'a']",
    "S = [1.0] * 8\n    S[5], R = 'a', 2",
    "S = [1.0] * 8\n    *S[5:], R = 'abcd'",
    "S = [1] * 8\n    S[5] = 2**2000",
    "S = [0] * 8\n    Q = [S]\n    Q[0][5] = 'a'",
    "R = [[1.0] * 8]\n    S = R[0]\n    S[5] = 'a'",
    "R = [[1.0] * 8]\n    S = R[0]\n    R[0][5] = 'a'",
    "R = [[1.0] * 8]\n    for S in R: pass\n    for Q in R: Q[5] = 'a'",
    "S = [1.0] * 8\n    S[5] = S[4:]",
    "S = [1.0] * 8\n    R = max(S, S)\n    R[5] = 'a'",
    "R = 1.0\n    S = [1.0] * 8\n    for k in (0, 1):\n"
    "        S[5] = R\n        R = 'a'",
    "R = [1.0] * 8\n    S = R[:]\n    S[5] = 'a'",
]
STORED_AROUND = [
    "S = [1.0] * 8\nS[5] = 'a'",
    "S = [1.0] * 8\nfor k in range(8): S[k] = 'a'",
    "S = []\nfor k in range(9): S.append('a')",
    "S = [1.0] * 8\nR = S\nR[5] = 'a'",
    "S = [1.0] * 8\ndef g(): S[5] = 'a'\ng()",
    "S = [1.0] * 8\ndef h(): return S\nh()[5] = 'a'",
]


@pytest.mark.parametrize("first", STORED)
def test_a_list_that_other_things_are_stored_into(first: str) -> None:
    _raises(_text(first=first, line=CELL), FLOATS)


@pytest.mark.parametrize("before", STORED_AROUND)
def test_a_list_of_the_module_that_other_things_are_stored_into(before: str) -> None:
    _raises(_text(before=before, line=CELL), FLOATS)


BYTES = [
    "A.astype(np.uint8)",
    "A.astype('uint8').copy()",
    "np.zeros(n, 'u1')",
    "np.zeros(n, dtype=np.dtype('uint8'))",
    "np.zeros_like(A, dtype=np.uint8)",
    "np.asarray(A, np.uint8)",
    "np.asarray(A, dtype='B')[::1]",
    "np.uint8(A)",
    "np.full(n, np.uint8(3))",
    "np.array([np.uint8(3)] * 8)",
    "np.where(A > 2, np.uint8(1), np.uint8(2))",
    "np.roll(np.zeros(8, np.uint8), 1)",
]
INTEGERS = [
    "np.arange(2, n + 2)",
    "np.array([1, 2, 3, 4, 5, 6, 7, 8])",
    "np.full(n, 2)",
    "np.argsort(A) + 2",
    "np.round(A).astype(int) % 3 + 2",
    "np.floor(A).astype(int)[::1] + 2",
    "np.random.randint(2, 9, 8)",
    "np.empty((n,), int) * 0 + 2",
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("made", BYTES)
def test_cells_whose_type_the_text_tells(made: str) -> None:
    _raises(
        _text(first=f"S = {made}", line="T[i] = S[i] + 300 if i > 2 else 1.0"), FLOATS
    )


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("made", INTEGERS)
def test_cells_that_are_integers(made: str) -> None:
    line = "T[i] = S[i] ** (2 - i) if i > 2 else 1.0"
    _raises(_text(first=f"S = {made}", line=line), FLOATS)


@pytest.mark.parametrize(
    "made", ["np.uint8(3)", "A.astype('uint8')[0]", "[np.int8(3)][0]"]
)
def test_a_number_whose_type_the_text_tells(made: str) -> None:
    _raises(_text(first=f"S = {made}", line="T[i] = S + 300 if i > 2 else 1.0"), FLOATS)


KINDS = [
    "'i4'",
    "'long'",
    "dtype='i8'",
    "np.dtype('int32')",
    "np.dtype(int)",
    "np.longlong",
    "k",
    "dtype=K",
]


@pytest.mark.parametrize("dtype", KINDS)
def test_cells_of_integers_take_no_nan(dtype: str) -> None:
    text = _text(
        line="T[i] = A[i]", first="k = 'int32'", before="K = np.int16", dtype=dtype
    )
    _raises(text, FLOATS)


LONG = [
    ("n", "S = 10**12", "T[i] = S if i > 2 else 1"),
    ("n", "S = 2**70", "T[i] = S if i > 2 else 1"),
    ("n", "R = 1 << 40\n    S = R + 1", "T[i] = S if i > 2 else 1"),
    ("n", "S = 1\n    for k in range(60): S = S * 2 + 1", "T[i] = S if i > 2 else 1"),
    ("n, S: int", "pass", "T[i] = S if i > 2 else 1"),
    ("n, S: int", "pass", "T[i] = 1 if i > 2 and i > S else S * (i > 2)"),
    ("n, S: int", "R = S * 3", "T[i] = R if i > 2 else 1"),
    ("n, S: int", "R = abs(-S) // 2", "T[i] = R if i > 2 else 1"),
    ("n, S: int", "R = int(S)", "T[i] = R if i > 2 else 1"),
]


@pytest.mark.parametrize(("args", "first", "line"), LONG)
@pytest.mark.parametrize("dtype", ["np.int32", "np.int64"])
def test_integers_may_be_too_long(args: str, first: str, line: str, dtype: str) -> None:
    text = _text(line=line, first=first, args=f"A, B, {args}", dtype=dtype)
    more = [2**70] if "S: int" in args else []
    if dtype == "np.int32" or more or "70" in first:
        _raises(text, np.zeros(8), *more)


def test_an_integer_beside_those_of_64_bits() -> None:
    line = "T[i] = A[i] + S if i > 2 else 1.0"
    text = _text(line=line, args="A: 'int64[:]', B, n, S: int")
    _raises(text, np.arange(8), 2**70)


QUIET = [
    ("", "if S is None:\n        S = 2.0", "S=None"),
    ("", "if S is not None:\n        pass\n    else:\n        S = 2.0", "S=None"),
    ("", "R = None\n    S = n / 2", ""),
    ("", "S = None\n    S = 2.0", ""),
    ("", "S = 1.0 / (n + 1)", ""),
    ("", "S = np.sqrt(A).sum()", ""),
    ("", "S = A.mean() * len(A)", ""),
    ("", "with np.errstate(all='ignore'):\n        S = 2.0 * n", ""),
    ("", "S, R = 1.0, None", ""),
    (
        "",
        "while n < 0:\n        S = None\n    S = 2.0",
        "",
    ),
    ("", "R = [1.0, 2.0]\n    S = R[1]", ""),
    ("", "S = 0.0\n    for S in (1.0, 2.0): pass", ""),
    ("S = 2.0", "pass", ""),
    ("S = -2", "pass", ""),
    ("R = 3\nS = R * 2.5", "pass", ""),
    ("", "S = 2.0 if n > 3 else 4", ""),
    ("", "pass", "S: int = 3"),
    ("", "pass", "S: 'Number' = 3.0"),
    ("", "S = 0.0\n    for k in range(n):\n        S += A[k]", ""),
    ("", "if n < 0:\n        S = None\n        return\n    S = 3.0", ""),
    ("", "if n < 0:\n        raise ValueError\n    else:\n        S = 3.0", ""),
    ("for S in range(3): pass", "pass", ""),
    ("S, R = 2.0, 3.0\nS, R = R, S", "pass", ""),
    ("", "S = [k * 0.5 for k in range(8)][2]", ""),
    ("", "k = 'a'\n    S = [k for r in [[2.0]] for k in r][0]", ""),
    ("", "S = None\n    S = (R := 2.0) * 3 + R", ""),
    ("", "S = np.eye(3).sum()", ""),
    ("", "S = np.zeros((8, 8))[0][1]", ""),
    ("", "S = np.zeros((8, 8)).sum(axis=0)[1]", ""),
    ("", "S = np.searchsorted(A, 2.0) + np.argmax(A)", ""),
    ("", "S = sum([1.0, 2.0]) + sum(k * 2.0 for k in (1.0, 2.0))", ""),
    ("", "S = max(1.0, 2.0) + max([1.0, 2.0]) + abs(-2.0)", ""),
    ("", "S = 2.0 ** 0.5", ""),
    ("", "S = A.shape[0] * 2.0", ""),
    ("", "S = len(A) if A.dtype == 'float64' else 2.0", ""),
    ("class P: h = 0.1", "S = P.h * 2", ""),
]


@pytest.mark.parametrize(("before", "first", "args"), QUIET)
def test_what_is_a_number_goes(before: str, first: str, args: str) -> None:
    args = f"A, B, n, {args}".removesuffix(", ")
    text = _text(before=before, first=first, args=args)
    _goes(text, np.arange(8.0))


QUIET_LISTS = [
    "S = [0.0] * 8\n    for k in range(8): S[k] = A[k] * 2",
    "S = []\n    for k in range(8): S.append(A[k])",
    "S = []\n    for k in range(8): S.append(k * 0.5)",
    "S = [1.0] * 4\n    S.extend([2.0, 3.0])\n    S += [4.0, 5.0]",
    "S = [2.0] * 8\n    S[2] += 1\n    S[3:5] = [1.0, 2.0]\n    S.sort()",
    "S = (1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0)\n    R = S",
    "S = [1.0] * 8\n    k = len(S) + sum(S) + max(S) + S[2]\n    for x in S: k += x",
    "S = [1.0] * 8\n    R = np.array(S)\n    R[0] = 2\n    if S: pass",
    "R = [1.0] * 8\n    S = [x * 2 for x in R]\n    S[0], S[1] = S[1], S[0]",
    "R = 'a'\n    S = [1.0] * 8\n    R = 2.0\n    S = [R] * 8",
    "S = [1.0] * 8\n    Q = {}\n    Q['x'] = 'a'\n    P = [None]\n    P[0] = 'b'",
]


@pytest.mark.parametrize("first", QUIET_LISTS)
def test_lists_of_numbers_go(first: str) -> None:
    _goes(_text(first=first, line=CELL), np.arange(8.0))


@pytest.mark.parametrize("line", ["T[i] = S[i][0] if i > 2 else 1.0"])
def test_lists_of_rows_go(line: str) -> None:
    first = "S = [[0.5] * 2 for k in range(8)]\n    S[1][0] = len(S) + len(S[0])"
    _goes(_text(first=first, line=line), np.arange(8.0))


def test_lists_of_the_module_go() -> None:
    before = "S = [1.0] * 8\nS[2] = 3\ndef g(k): return S[k] + len(S)"
    _goes(_text(before=before, line=CELL), np.arange(8.0))


QUIET_ARRAYS = [
    "np.zeros(n)",
    "A.copy()",
    "np.asarray(A)",
    "A * 2.0 + 1",
    "np.linspace(0, 1, 8)",
    "[1.0] * 8",
    "np.array([1.0, 2.0] * 4)",
    "[k * 0.5 for k in range(8)]",
    "np.arange(8)",
    "np.maximum(A, 0.0)",
    "A[::-1]",
    "A if n > 3 else A.copy()",
    "np.zeros((8, 8))[0]",
    "np.ones(n, 'f4')",
    "np.eye(8).sum(axis=0)",
    "np.eye(8).reshape(64)",
    "np.eye(8)[:, 1]",
    "np.zeros((8, 8))[2, :] * n",
    "A[1:]",
    "np.array([0.5] * 8) * 2",
    "list(A)",
]


@pytest.mark.parametrize("made", QUIET_ARRAYS)
def test_arrays_of_numbers_go(made: str) -> None:
    _goes(_text(first=f"S = {made}", line=CELL), np.arange(8.0))


BITS = """
def f(A, n, s):
    {}
    # looptx: split i 2 | reorder ii i
    for i in range(n):
        s {}= A[i]
    return s
"""


@pytest.mark.parametrize("op", ["|", "&", "^"])
@pytest.mark.parametrize("first", ["pass", "s = A[0]", "s = s | 1", "s = {}"])
def test_bits_of_what_may_be_no_integer_keep_their_order(op: str, first: str) -> None:
    assert rewritten(BITS.format(first, op)).code == "LX201"


@pytest.mark.parametrize("op", ["|", "&", "^"])
@pytest.mark.parametrize("first", ["s = 0", "s = n > 2", "s = 5 & n"])
def test_bits_of_integers_come_in_any_order(op: str, first: str) -> None:
    text = BITS.format(first, op)
    found = rewritten(text)
    assert not found.code, found.message
    results = []
    for source, n in itertools.product((_plain(text), found.text), (0, 1, 3, 4)):
        scope: dict[str, Any] = {}
        exec(source, scope)
        results.append(scope["f"]([1, 2, 4, 12], n, 0))
    assert results[:4] == results[4:]
