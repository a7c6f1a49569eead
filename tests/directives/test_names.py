"""What directives call loops and nests: names of f, and nests named from elsewhere."""

from __future__ import annotations

import linecache
import textwrap
from typing import Any

import numpy as np
import pytest
from kit.carried import refusal, same, transformed
from kit.samples import crossed

import looptx
from looptx.cli.text import transform_text

THREE = """
# looptx: trust order
# looptx: {directives}
def f(A, B, n, m):
    for i in range(n):
        A[i] = A[i] + 1.5
    for i in range(1, m):
        B[i] = B[i] * 2.0
    for i in range(n):
        A[i] = A[i] * B[0]
"""
"""A function that is called like a fusing dimension."""

FAR = """
def kernel(A, B, n):
    # looptx: split mm.k 4
    # before
    for j in range(n):
        B[j] = B[j] + 1.0
    # looptx: nest mm
    # looptx: reorder kk k
    for k in range(n):
        A[k] = A[k] * 2.0 + B[k]
    # looptx: unroll mm.kk 2 | split j 3
    for j in range(n):
        B[j] = B[j] * 0.5
"""


def check(source: str, name: str, sizes: int) -> None:
    """Original and transformed source give the same bits."""
    A, B = np.arange(14.0), np.linspace(1.0, 3.0, 14)
    some = (0, 1, 2, 3, 5, 8, 13)
    calls = ([A, B, *range(size, size + sizes)] for size in some)
    same(source, *calls, function=name)


@pytest.mark.parametrize(
    "directives",
    [
        "fuse n0 n1 n2 as i f",
        "fuse n0 n1 n2 as i A | reorder A i",
        "fuse n0 n1 n2 as row n | split n 2 | reorder n row nn",
        "fuse n0 n1 n2 | split f 2 as m B | reorder m i B",
        "fuse n0 n1 n2 | tile f=2 i=3 as A ii | reorder f i ii A",
        "fuse n0 n1 n2 | reorder f i | reorder i f",
        "fuse n0 n1 as i f | fuse n0 n2 as i f2 | split f2 2 | reorder f2 i",
    ],
)
def test_a_fusing_dimension_is_no_variable(directives: str) -> None:
    check(THREE.format(directives=directives), "f", 2)


@pytest.mark.parametrize(
    ("directives", "name"),
    [
        ("fuse n0 n1 n2 as f i", "f"),
        ("fuse n0 n1 n2 as i g | split i 2 as i f", "f"),
        ("fuse n0 n1 n2 as i g | split g 2 as g i", "i"),
        ("fuse n0 n1 n2 as i g | tile g=2 as i", "i"),
        ("fuse n0 n1 as i g | fuse n0 n2 as k g", "g"),
        ("fuse n0 n1 n2 as i g | tile i=2 as g", "g"),
    ],
)
def test_other_names_must_be_free(directives: str, name: str) -> None:
    found = refusal(THREE.format(directives=directives))
    assert f"LX109 the name `{name}` is already taken" in found


def test_a_loop_that_is_called_f_keeps_its_name() -> None:
    source = THREE.replace("i in", "f in").replace("[i]", "[f]")
    new = transformed(source.format(directives="fuse n0 n1 n2 | reorder f2 f"))
    assert new.count("for f in") == 3


def test_a_directive_for_a_nest_from_above_another() -> None:
    check(FAR, "kernel", 1)
    head, _, rest = transformed(FAR).partition("    # looptx: applied ")
    assert head == textwrap.dedent("""
        def kernel(A, B, n):
            # before
            for j in range(n):
                B[j] = B[j] + 1.0
            n = range(n).stop  # a Python int
    """).rstrip(" ")
    assert rest.startswith("split mm.k 4 | nest mm | reorder kk k | unroll mm.kk 2\n")


def test_directives_from_above_others_apply_from_top_to_bottom() -> None:
    wrong = FAR.replace("split mm.k 4", "split mm.k 4 as k q")
    assert "f.py:8:15: LX104 no loop is named `kk`" in refusal(wrong)
    wrong = FAR.replace("unroll mm.kk 2", "unroll mm.q 2")
    assert "f.py:11:15: LX104 no loop is named `mm.q`" in refusal(wrong)


def test_nothing_is_left_to_be_scheduled_again() -> None:
    again = transform_text(transformed(FAR), "k.py")
    assert not (again.errors or again.changed)


def test_a_nest_of_a_fused_one_is_named_from_above_another() -> None:
    source = FAR.replace("nest mm", "nest mm | fuse mm n0")
    source = source.replace("split mm.k 4", "trust order | pad mm.k 1")
    source = source.replace("reorder kk k", "trust order").replace("mm.kk 2", "mm.k 2")
    check(source.replace("| split j 3", ""), "kernel", 1)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("mm.k 4", "mmm.k 4", "hint: did you mean `mm`?"),
        ("mm.k 4", "mm.q 4", "no loop is named `mm.q`"),
        ("split mm.k 4", "reorder j mm.k", "no nest is named `mm` here"),
        ("split mm.k 4", "split k 4", "no loop is named `k`"),
    ],
)
def test_names_that_mean_nothing(old: str, new: str, message: str) -> None:
    assert message in refusal(FAR.replace(old, new))


def test_a_kernel_takes_directives_from_above_other_nests() -> None:
    linecache.cache["far.py"] = (len(FAR), None, FAR.splitlines(True), "far.py")
    namespace: dict[str, Any] = {}
    exec(compile(FAR, "far.py", "exec"), namespace)
    function = looptx.kernel(strict=True)(namespace["kernel"])
    results = []
    for each in (namespace["kernel"], function):
        A, B = np.arange(14.0), np.linspace(1.0, 3.0, 14)
        each(A, B, 11)
        results.append(A.tobytes() + B.tobytes())
    assert results[0] == results[1]
    texts = function.schedule
    assert "split mm.k 4 | nest mm | reorder kk k | unroll mm.kk 2" in texts


NAMED = """
def kernel(A, B, n):
    # looptx: {outer}
    for i in range(n):
        # looptx: {inner}
        for j in range(n):
            A[i, j] = 0.5
        {other}
        for k in {over}:
            B[i, k] = B[i, k] * 2.0
"""


def test_a_loop_inside_a_nest_is_named_by_a_comment_on_it() -> None:
    code = NAMED.format(
        outer="nest whole | split second.k 4",
        inner="nest first | unroll first.j 2",
        other="# looptx: nest second",
        over="range(n)",
    )
    result = transform_text(code, "k.py")
    assert not result.errors, result.errors
    assert "for kk in range(k, k + 4):" in result.text
    assert "A[i, j + 1] = 0.5" in result.text


@pytest.mark.parametrize(
    ("outer", "inner", "other", "over", "message"),
    [
        ("unroll j 2", "nest a", "# looptx: nest a", "range(n)", "8:19: LX109 two"),
        ("nest a", "unroll j | nest a", "", "range(n)", "5:30: LX109 two nests"),
        (
            "split i 4",
            "split j 2",
            "# looptx: nest a",
            "range(int(B[i, 0]))",
            "8:19: LX106 `a` names a loop that cannot be scheduled: its ",
        ),
    ],
)
def test_a_loop_that_cannot_have_a_name(
    outer: str, inner: str, other: str, over: str, message: str
) -> None:
    code = NAMED.format(outer=outer, inner=inner, other=other, over=over)
    error, *more = transform_text(code, "k.py").errors
    assert not more
    assert str(error).startswith(f"k.py:{message}"), error


def test_two_nests_cannot_have_one_name() -> None:
    nest = "    # looptx: nest {}\n    for i in range(n):\n        A[i] = 0\n"
    for first, second in (("a", "a"), ("n1", "n0"), ("b", "b | unroll i")):
        code = "def f(A, n):\n" + nest.format(first) + nest.format(second)
        errors = transform_text(code, "k.py").errors
        expected = [] if first == "n1" else ["LX109"]
        assert [error.code for error in errors] == expected
    unnamed = nest.format("n1") + nest.replace("nest {}", "unroll n1.i 2")
    (error,) = transform_text("def f(A, n):\n" + unnamed, "k.py").errors
    assert str(error).startswith("k.py:6:5: LX109 two nests of the function are named")


PERHAPS = """
def f(A, U, n, m, known):
    {}
    # looptx: reorder q p
    for p in range(n):
        for q in range(k):
            A[p] += U[p, q]
"""


@pytest.mark.parametrize(
    "before",
    [
        "for k in range(m): pass",
        "if known: k = m",
        "while known: k = known = 0",
        "try: k = m // known\n    except ZeroDivisionError: pass",
        "k = m\n    del k",
    ],
)
def test_a_name_that_may_have_no_value_is_no_bound(before: str) -> None:
    """It is not evaluated in the source where the loop around it never runs."""
    error = refusal(PERHAPS.format(before))
    assert "LX104" in error
    assert "`k` may have no value where the nest begins" in error


@pytest.mark.parametrize(
    "before",
    [
        "k = m",
        "if known: k = m\n    else: k = n",
        "if known: k = m\n    else: raise ValueError",
        "try: k = m // known\n    except ZeroDivisionError: k = 0",
        "try: k = m // known\n    except ZeroDivisionError: return",
        "try: pass\n    finally: k = m",
    ],
)
def test_a_name_that_has_a_value_is_a_bound(before: str) -> None:
    calls = [
        [np.ones(9), np.arange(81.0).reshape(9, 9), n, m, known]
        for n in (0, 1, 5)
        for m in (0, 3)
        for known in (0, 1)
    ]
    same(PERHAPS.format(before), *calls)


@pytest.mark.parametrize(
    ("directive", "first", "second"),
    [
        ("reassociate s t", "s += A[i]", "t += A[i]"),
        ("temp T U", "T[i] = A[i]; B[i] += T[i]", "U[i] = A[i]; B[i] *= U[i]"),
        ("trust independent A B", "A[C[i]] = 1.0", "B[C[i]] = 2.0"),
    ],
)
def test_what_is_above_the_function_may_be_of_several_nests(
    directive: str, first: str, second: str
) -> None:
    """Each nest takes what it has of it."""
    source = f"""
import numpy as np
# looptx: {directive} | parallel p.i | parallel q.i
def f(A, B, C, n):
    s = t = 0.0
    T = np.empty(n)
    # looptx: nest p
    for i in range(n):
        {first}
    U = np.empty(n)
    # looptx: nest q
    for i in range(n):
        {second}
    return s, t
"""
    verb, one, two = directive.rsplit(maxsplit=2)
    places = np.random.default_rng(2).permutation(8)
    sets = [(np.arange(8.0), np.ones(8), places, n) for n in (0, 1, 5, 8)]
    new = same(source, *sets)
    assert f"applied {verb} {one} | parallel p.i" in new
    assert f"applied {verb} {two} | parallel q.i" in new
    message = refusal(source.replace(f" {two} |", f" {two} V |"))
    assert "LX104" in message
    assert "`V`" in message


TWO = """
def f(A, B, C, n):
    # looptx: {}
    for i in range(n):
        B[i] = A[i]
    for c in range(n):
        C[c] = A[c] + B[c]
"""


@pytest.mark.parametrize("directive", ["cache_read A at c", "split c 4"])
def test_a_loop_of_another_nest_is_said_to_be_one(directive: str) -> None:
    wrong = refusal(TWO.format(directive))
    assert "LX104 no loop is named `c`" in wrong
    assert "hint: write `n1.c` for the loop of the nest `n1`" in wrong
    verb, _, rest = directive.rpartition("c")
    assert "for c in" in transformed(TWO.format(f"{verb}n1.c{rest}"))


def test_a_cache_is_for_the_nest_that_it_names() -> None:
    new = transformed(TWO.format("cache_read A at n1"))
    assert new.index("B[i] = A[i]") < new.index("A_cache[ax0] = A[ax0]")
    assert "C[c] = A_cache[c] + B[c]" in new
    new = transformed(TWO.format("nest c | cache_read A at c"))
    assert "B[i] = A_cache[i]" in new


OURS = """
import numpy as np
# looptx: {directives}
def f(A, B, C, {n}, m):
    {T} = np.empty(({n}, m))
    # looptx: nest p
    for {i} in range({n}):
        for j in range(m):
            {T}[{i}, j] = A[{i}, j] * 1.1
    # looptx: nest c
    for {i} in range({n}):
        for j in range(m):
            C[{i}] += {T}[{i}, j] + B[j, {i}]
"""
"""Programs of which a name is one that something below looptx uses, too."""


@crossed(
    name=["partial", "c0", "c1", "p0", "d0", "u0", "s0", "cell"],
    role=["i", "n", "T"],
    directives=[
        "reassociate C | rfactor c.j",
        "fuse p c | unroll j 2 | skew {i} j",
        "split c.{i} 3 | compute_at p c.{i} | temp {T}",
    ],
)
def test_names_of_other_layers_are_free(name: str, role: str, directives: str) -> None:
    names = {"i": "i", "n": "n", "T": "T", role: name}
    chance = np.random.default_rng(3)
    values = *chance.standard_normal((2, 9, 9)), chance.standard_normal(9)
    calls = [(*values, n, m) for n in (0, 1, 3, 7) for m in (0, 2, 5)]
    text = OURS.format(directives=directives.format(**names), **names)
    same(text, *calls)
