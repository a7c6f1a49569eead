"""What is read of a nest: accesses, sizes, guards, live variables, shared memory."""

from __future__ import annotations

import textwrap
from dataclasses import replace

import pytest
from kit.nests import kernel_of, nest_of

from looptx import source
from looptx.errors import LooptxError
from looptx.model.elements import Access
from looptx.model.expr import (
    TRUE,
    ZERO,
    Add,
    Compare,
    Const,
    FloorDiv,
    Max,
    Min,
    Mod,
    Var,
    add,
    mul,
    neg,
)
from looptx.model.program import Nest

AT, J, N = Var("i"), Var("j"), Var("n")


def loop(body: str, before: str = "", head: str = "A, B, n", after: str = "") -> Nest:
    """The nest of ``for i in range(n)`` with this body."""
    return nest_of(function(body, before, head, after))


def function(
    body: str, before: str = "", head: str = "A, B, n", after: str = ""
) -> str:
    parts = [f"def f({head}):", *_indented(before, 4), "    for i in range(n):"]
    return "\n".join([*parts, *_indented(body, 8), *_indented(after, 4)])


def _indented(text: str, columns: int) -> list[str]:
    lines = textwrap.dedent(text).strip("\n")
    return [textwrap.indent(lines, " " * columns)] if lines else []


def only(nest: Nest) -> tuple[Access, ...]:
    (statement,) = nest.statements.values()
    return statement.accesses


def writes(nest: Nest) -> list[Access]:
    return [a for s in nest.statements.values() for a in s.accesses if a.write]


def subscripts(index: str, head: str = "A, B, n, k") -> tuple[object, ...]:
    body = f"A[{index}] = 0"
    if "B" in index:
        head = head.replace("B", "B: 'float64[:]'")
    (write,) = writes(loop(body, head=head))
    return write.subscripts


@pytest.mark.parametrize(
    ("index", "expected"),
    [
        ("i", (AT,)),
        ("2 * i + k - 1", (add(mul(Const(2), AT), Var("k"), Const(-1)),)),
        ("n - 1 - i", (add(N, neg(AT), Const(-1)),)),
        ("i, -1", (AT, add(Var("A.shape[1]"), Const(-1)))),
        ("i % 4", (Mod(AT, Const(4)),)),
        ("-i", (neg(AT),)),
        ("n * n", (Var("n * n"),)),
        ("i * i", (None,)),
        ("n * i", (None,)),
        ("i // n", (None,)),
        ("i / 2", (None,)),
        ("B[i], i", (None, AT)),
        ("i, ::n", (AT, None)),
        ("i::n, i", (None, AT)),
        ("..., i", ()),
        ("None, i", ()),
        ("B > 0, i", ()),
        ("B, i", ()),
        ("[i, 0], i", ()),
        ("'x'", ()),
        ("min(i, n - 1)", (Min((AT, add(N, Const(-1)))),)),
        ("max(i - 1, 0)", (Max((add(AT, Const(-1)), Const(0))),)),
        ("int(i)", (AT,)),
        ("+i << 1", (mul(Const(2), AT),)),
        ("1.5", ()),
        ("len(B) - 1 - i", (add(Var("B.shape[0]"), neg(AT), Const(-1)),)),
        ("B.shape[0]", (Var("B.shape[0]"),)),
    ],
)
def test_subscripts(index: str, expected: tuple[object, ...]) -> None:
    assert subscripts(index) == expected


def test_chained_subscripts_are_flattened_when_they_are_numbers() -> None:
    assert subscripts("i][k") == (AT, Var("k"))
    assert subscripts("1:][i") == ()
    assert subscripts("B[i]][i") == ()
    assert subscripts("B][i") == ()


@pytest.mark.parametrize("view", ["A.T", "A.real", "A.flat", "A.T.imag"])
def test_views_touch_their_whole_array(view: str) -> None:
    assert writes(loop(f"{view}[i] = 0")) == [Access("A", (), True, False)]
    assert Access("A", (), False) in only(loop(f"B[i] = {view}[i]"))


def test_writes_that_may_not_happen_are_not_certain() -> None:
    assert writes(loop("A[i] = 0"))[0].certain
    assert not writes(loop("A[B[i]] = 0"))[0].certain
    assert not writes(loop("if B[i] > 0:\n    A[i] = 0"))[0].certain
    assert not writes(loop("A[i::n] = B[i, 0]\nA[0, 0] = 1"))[0].certain


def test_rows_are_written_as_a_whole() -> None:
    first, second = loop("A[i] = 1j * B[i, 0]\nA[0, 0] = 1").statements.values()
    assert Access("A", (AT,), True) in first.accesses
    assert [x.array for x in (*first.elements, *second.elements)] == ["B", "A"]


def test_arrays_of_objects() -> None:
    nest = loop("self.u[i] = self.u[i - 1] * self.h", head="self, n")
    assert nest.arrays == ("self.u",)
    assert nest.live_in == ("n", "self.u", "self.h")
    assert Access("self.u", (AT,), True) in only(nest)


def test_a_bare_array_is_read_as_a_whole() -> None:
    nest = loop("A[i, :] = B @ B", head="A, B: 'float64[:]', n")
    assert Access("B", (), False) in only(nest)
    assert nest.arrays == ("B", "A")


PARTS = [
    ("A[i].shape[0]", Access("A", (AT,), False)),
    ("A[i, :].shape[-1]", Access("A", (AT, None), False)),
    ("A[i].T.size", Access("A", (AT,), False)),
    ("len(A[i])", Access("A", (AT,), False)),
    ("(A + 1).shape[0]", Access("A", (), False)),
    ("A[B[i]].ndim", Access("B", (AT,), False)),
]


@pytest.mark.parametrize(("size", "read"), PARTS)
def test_the_size_of_a_part_reads_the_part(size: str, read: Access) -> None:
    for body in (f"C[i] = {size}", f"for j in range({size}):\n    C[i] = j"):
        nest = loop(body, head="A: 'float64[:, :]', B, C, n")
        assert read in [replace(one, certain=True) for one in only(nest)]
        assert all(nest.live_in)
        assert all(nest.arrays)


def test_the_size_of_what_an_unknown_function_gives() -> None:
    nest = loop("for j in range(f(A).shape[0]):\n    C[i] = j", head="A, C, n, f")
    (kept,) = nest.text.kept
    assert "its bound `f(A).shape[0]`" in kept.reason


def test_constants_and_functions_are_not_read() -> None:
    code = "import numpy as np\nfrom math import pi, sin\n" + function(
        "A[i] = np.pi * sin(pi) + np.float32(np.inf)"
    )
    assert nest_of(code).live_in == ("n", "A")


def test_conditional_reads_are_marked() -> None:
    nest = loop("A[i] = B[i - 1] if i > 0 and B[i] > 0 else B[0]")
    reads = {a.subscripts: (a.where, a.certain) for a in only(nest) if not a.write}
    assert reads == {
        (AT,): (Compare(">", AT, ZERO), True),
        (add(AT, Const(-1)),): (Compare(">", AT, ZERO), False),
        (ZERO,): (TRUE, False),
    }


def test_scalars_read_after_their_own_write_are_not_read() -> None:
    nest = loop("for k in range(B[i]):\n    A[i] += B[k]\n    t = k\n    A[k] = t")
    scalars = [a for a in only(nest) if a.array in ("k", "t")]
    assert scalars == [Access("k", (), True, False), Access("t", (), True, False)]
    assert nest.scalars == ("k", "t")


def test_a_scalar_written_on_all_ways_is_certain() -> None:
    nest = loop("if B[i] > 0:\n    t = 1\nelse:\n    t = 2\nA[i] = t")
    first, second = nest.statements.values()
    assert Access("t", (), True, True) in first.accesses
    assert Access("t", (), False) in second.accesses


@pytest.mark.parametrize(
    ("before", "bound", "expected"),
    [
        ("n, m = A.shape", "A.shape[0]", "n"),
        ("n, m = A.shape", "A.shape[1]", "m"),
        ("n = A.shape[0]", "len(A)", "n"),
        ("n = len(A)", "A.shape[0]", "n"),
        ("n = A.shape[0]\nn += 1", "A.shape[0]", "A.shape[0]"),
        ("n = A.shape[0]\nA = A[1:]", "A.shape[0]", "A.shape[0]"),
        ("n = A.shape[0]\nC = A", "C.shape[0]", "n"),
        ("m = A.shape[0]\nn = m", "A.shape[0]", "m"),
        ("if B[0]:\n    n = A.shape[0]", "A.shape[0]", "A.shape[0]"),
        ("C = np.zeros((n, 3))", "C.shape[0]", "n"),
        ("C = np.zeros(n)", "C.shape[0]", "n"),
        ("C = np.zeros((n + 1, 3))", "C.shape[0]", "C.shape[0]"),
        ("n = len(A)\nC = np.empty_like(A)", "C.shape[0]", "n"),
        ("C = A.copy()\nn = len(A)", "C.shape[0]", "n"),
        ("n = len(A)\nA.resize(5)", "A.shape[0]", "A.shape[0]"),
        ("n = len(A)\nA.shape = 3, 4", "A.shape[0]", "A.shape[0]"),
        ("n = len(self.A)\nself.go()", "self.A.shape[0]", "self.A.shape[0]"),
        ("n = len(self.A)\nnp.sum(A)", "self.A.shape[0]", "n"),
    ],
)
def test_sizes_known_to_be_equal(before: str, bound: str, expected: str) -> None:
    body = f"for j in range({bound}):\n    A[i, j] = B[0]"
    nest = nest_of("import numpy as np\n" + function(body, before, "A, B, n, self"))
    assert nest.loops["j"].stop == Var(expected)


def test_facts_hold_inside_the_block_of_the_nest() -> None:
    code = """
    def f(A, B, flag):
        n = len(A)
        if flag:
            m = len(B)
            for i in range(len(A)):
                for j in range(len(B)):
                    A[i] += B[j]
        while flag:
            for i in range(len(A)):
                A[i] = 0
            A = B
    """
    first, second = kernel_of(textwrap.dedent(code)).nests
    assert first.parameters == ("n", "m")
    assert first.entry.equal == {"A.shape[0]": "n", "B.shape[0]": "m"}
    assert second.parameters == ("A.shape[0]",)
    assert second.entry.equal == {}


def test_equal_sizes_speak_only_of_live_names() -> None:
    nest = loop("A[i, 0] = B[i, 0]", "n, m = A.shape\nB = A.copy()", "A")
    assert nest.entry.equal == {
        "A.shape[0]": "n",
        "B.shape[0]": "n",
        "B.shape[1]": "A.shape[1]",
    }


@pytest.mark.parametrize(
    ("test", "affine"),
    [
        ("i > 0", True),
        ("i < k", True),
        ("i % 2", True),
        ("not i == n - 1", True),
        ("0 < i < n and k >= 3", True),
        ("i > 2.5", False),
        ("i < x", False),
        ("i < y", False),
        ("B[i] > 0", False),
        ("y", False),
        ("i in B", False),
        ("i * n > 3", False),
        ("i > s", False),
    ],
)
def test_guards_need_known_integers(test: str, affine: bool) -> None:
    head = "A, B, n, x: float, y, k: int"
    nest = loop(f"s = B[i]\nif {test}:\n    A[i] = 0", head=head)
    statement = nest.statements["s1"]
    assert statement.opaque != affine


@pytest.mark.parametrize(
    ("before", "known"),
    [
        ("m = n // 2", True),
        ("m = 5", True),
        ("m = n / 2", False),
        ("m = 5\nm = 2.5", False),
        ("m = B[0]", False),
        ("m = int(B[0])", True),
        ("m = len(B) if n else 3", True),
        ("m = 1.0", False),
        ("m: float = 1", False),
        ("m: int = B[0]", True),
        ("m = True", False),
        ("for m in range(3):\n    pass", True),
        ("for m in B():\n    pass", False),
        ("m = max(n, 2)", True),
        ("m = max(n, B[0])", False),
    ],
)
def test_integers_of_the_function(before: str, known: bool) -> None:
    nest = loop("if i < m:\n    A[i] = 0", before)
    assert nest.statements["s0"].opaque != known


def test_leading_conditions_guard_an_opaque_statement() -> None:
    nest = loop("if i > 0 and i < n - 1 and B[i - 1] > 0:\n    A[i] = 0")
    (statement,) = nest.statements.values()
    assert statement.opaque
    assert (
        statement.guard
        == nest_of(function("if i > 0:\n    if i < n - 1:\n        A[i] = 0"))
        .statements["s0"]
        .guard
    )


def test_else_is_the_negation() -> None:
    nest = loop("if i > 0:\n    A[i] = 0\nelif i > -3:\n    A[i] = 1")
    first, second = nest.statements.values()
    assert first.guard == Compare(">", AT, Const(0))
    assert "Compare(op='<=', left=Var(name='i'), right=Const(value=0))" in str(
        second.guard
    )


def test_loops_under_conditions() -> None:
    nest = loop("if i > 0:\n    for j in range(i):\n        A[j] = 0")
    assert nest.loops["j"].guard == Compare(">", AT, Const(0))
    nest = loop("if B[i] > 0:\n    for j in range(i):\n        A[j] = 0")
    assert list(nest.loops) == ["i"]
    (statement,) = nest.statements.values()
    assert statement.opaque
    assert statement.loops == ("i",)


def test_two_loops_of_one_variable() -> None:
    body = "for j in range(n):\n    A[j] = i\nfor j in range(i):\n    B[j] = j + 1"
    nest = loop(body)
    assert list(nest.loops) == ["i", "j", "j#2"]
    second = nest.statements["s1"]
    assert second.loops == ("i", "j#2")
    assert second.accesses[-1] == Access("B", (Var("j#2"),), True)
    assert second.written == "B[j] = j + 1"


@pytest.mark.parametrize(
    ("iteration", "expected"),
    [
        ("n", (Const(0), N, 1)),
        ("2, n", (Const(2), N, 1)),
        ("n - 1, -1, -1", (Add((N, Const(-1))), Const(-1), -1)),
        ("0, n, 2 * 2", (Const(0), N, 4)),
        ("n // 2", (Const(0), FloorDiv(N, Const(2)), 1)),
        ("n * k", (Const(0), Var("n * k"), 1)),
        ("max(n, k)", (Const(0), Max((N, Var("k"))), 1)),
        ("n // k", (Const(0), Var("n // k"), 1)),
    ],
)
def test_bounds(iteration: str, expected: tuple[object, ...]) -> None:
    code = f"def f(A, n, k):\n    for i in range({iteration}):\n        A[i] = 0\n"
    root = nest_of(code).first
    assert (root.start, root.stop, root.step) == expected


def test_inner_divisions_by_a_size_are_not_evaluated_early() -> None:
    nest = loop("for j in range(n // k):\n    A[j] = 0", head="A, n, k")
    assert list(nest.loops) == ["i"]


def test_names_inside_sizes_are_live() -> None:
    nest = nest_of(
        "def f(A, s):\n    for i in range(s.n * len(A)):\n        A[0] = 1\n"
    )
    assert nest.parameters == ("s.n * A.shape[0]",)
    assert nest.live_in == ("s.n", "A")


def test_affine_scalars_are_looked_through() -> None:
    nest = loop("k = i + 1\nA[k] = B[k - 1]\nfor j in range(k):\n    A[j] = 0")
    assert nest.statements["s1"].accesses[-1].subscripts == (add(AT, Const(1)),)
    assert nest.loops["j"].stop == add(AT, Const(1))
    nest = loop("A[k] = 1\nk = i", "k = 0")
    assert nest.statements["s0"].accesses[-1].subscripts == (None,)
    nest = loop("k = i\nif B[i] > 0:\n    k = 0\nA[k] = 1")
    assert nest.statements["s2"].accesses[-1].subscripts == (None,)


def test_a_parameter_that_is_assigned_is_a_scalar() -> None:
    nest = loop("A[m] = 0\nm = m + B[i]", "m = 1")
    assert nest.scalars == ("m",)
    assert nest.statements["s0"].accesses[-1].subscripts == (None,)
    assert "m" in nest.live_in


@pytest.mark.parametrize(
    ("body", "after", "live"),
    [
        ("s = B[i]", "return s", ("s",)),
        ("s = B[i]", "return i", ("i",)),
        ("s = B[i]", "s = 1\nreturn s", ()),
        ("s = B[i]", "if A[0]:\n    s = 1\nreturn s", ("s",)),
        ("s = B[i]", "for i in range(3):\n    A[i] = i", ()),
        ("s = B[i]", "for s in range(3):\n    A[0] = s\nreturn s", ("s",)),
        ("s = B[i]", "while A[0]:\n    s = 3", ()),
        ("s = B[i]", "while A[0]:\n    A[0] = s\n    s = 3", ("s",)),
        ("s = B[i]", "return [s for s in A]", ()),
        ("s = B[i]", "return [s for i in A]", ("s",)),
        ("s = B[i]", "return lambda s: s", ()),
        ("s = B[i]", "return lambda i=s: i", ("s",)),
        ("s = B[i]", "def g():\n    return s\nreturn g", ("s",)),
        ("s = B[i]", "return lambda: s", ("s",)),
        ("s = B[i]", "return locals()", ("i", "s")),
        ("s = B[i]", "s += 1", ("s",)),
        ("s = B[i]", "del s", ("s",)),
        ("s = B[i]", "try:\n    s = g()\nexcept E:\n    A[0] = s", ("s",)),
        ("s = B[i]", "with A as s:\n    A[0] = s", ("s",)),
        ("s = B[i]", "match A:\n    case s:\n        A[0] = s", ("s",)),
        ("s = B[i]", "raise E(s)", ("s",)),
    ],
)
def test_live_after(body: str, after: str, live: tuple[str, ...]) -> None:
    assert loop(body, after=after).live_out == live


def test_live_around_an_outer_loop() -> None:
    code = """
    def f(A, n):
        s = 0
        t = 0
        while A[0]:
            for i in range(n):
                A[i] = s
                s = i
                t = s
            if A[1]:
                break
            A[2] = 0
        else:
            return t
    """
    nest = nest_of(textwrap.dedent(code))
    assert nest.live_out == ("s", "t")
    assert set(nest.live_in) == {*"nsAt"}


def test_live_in_an_exception_handler() -> None:
    code = """
    def f(A, n):
        s = 0
        try:
            for i in range(n):
                s = A[i]
        except IndexError:
            return s
        finally:
            A[0] = i
    """
    assert nest_of(textwrap.dedent(code)).live_out == ("i", "s")


def test_global_names_are_live() -> None:
    code = "def f(A, n):\n    global s\n    for i in range(n):\n        s = A[i]\n"
    nest = nest_of(code)
    assert nest.live_out == ("s",)
    assert "s" in nest.live_in


@pytest.mark.parametrize(
    ("before", "reason"),
    [
        ("", "may be read before"),
        ("if A[0]:\n    s = 1", "may be read before"),
        ("s = 1\ndel s", "may be read before"),
        ("while A[0]:\n    s = 1", "may be read before"),
        ("s = 1", ""),
        ("if A[0]:\n    s = 1\nelse:\n    s = 2", ""),
        ("s, t = 1, 2", ""),
        ("with A as s:\n    pass", ""),
    ],
)
def test_scalars_read_first_must_be_assigned_before(before: str, reason: str) -> None:
    body = "s = s + A[i]"
    code = function(body, before).replace("for i", "# looptx: split i 2\n    for i")
    if not reason:
        assert "s" in nest_of(code).live_in
        return
    with pytest.raises(LooptxError, match=reason):
        source.read(code, "t.py")


@pytest.mark.parametrize(
    ("before", "pairs"),
    [
        ("", []),
        ("B = A", ["AB"]),
        ("B = A[1:]", ["AB"]),
        ("B = A[0]", ["AB"]),
        ("B = A.T", ["AB"]),
        ("B = A.reshape(-1)", ["AB"]),
        ("B = A.copy()", []),
        ("B = A + 1", []),
        ("B = np.zeros_like(A)", []),
        ("B = np.asarray(A)", ["AB"]),
        ("B = np.real(A)", ["AB"]),
        ("B = unknown(A)", ["AB"]),
        ("B = unknown(n)", []),
        ("B = dict(a=A)['a']", ["AB"]),
        ("B = list((A, C))[n]", ["AB", "BC"]),
        ("B = getattr(self, 'u')\nC = self.u", ["BC"]),
        ("B = abs(A)", []),
        ("B = np.add(A, 1)", []),
        ("B = np.add(n, 1, A)", ["AB"]),
        ("B = np.sqrt(n, A)", ["AB"]),
        ("B = A.astype(float)", []),
        ("B = A.astype(float, copy=False)", ["AB"]),
        ("B = A if n else C", ["AB", "BC"]),
        ("B = C = np.zeros(n)", ["BC"]),
        ("B = np.zeros(n)\nC = np.zeros(n)", []),
        ("T = np.zeros(n)\nB = T[1:]\nC = T[:-1]", ["BC"]),
        ("A, B = B, A", []),
        ("A, B = B, A\nC = A[1:]", ["AC", "BC"]),
        ("B, C = np.meshgrid(n, n)", []),
        ("B, C = A, A", ["AB", "AC", "BC"]),
        ("rows = [A, C]\nB = rows[0]", ["AB", "BC"]),
        ("for B in (A, C):\n    pass", ["AB", "BC"]),
        ("B = self.u\nC = self.u", ["BC"]),
        ("B = self.u\nC = self.v", []),
        ("B = self.get()\nC = self.u", ["BC"]),
        ("o = self\nB = o.u\nC = self.u", ["BC"]),
        ("o = A\nwhile n:\n    o = o.next\nB = o", ["AB"]),
    ],
)
def test_aliases(before: str, pairs: list[str]) -> None:
    body = "A[i, 0] = 1\nB[i] = 2\nC[i] = 3"
    code = "import numpy as np\n" + function(body, before, "A, B, C, n, self")
    aliases = nest_of(code).aliases
    assert aliases == {frozenset(pair) for pair in pairs}


def test_attributes_that_are_views_of_arguments() -> None:
    nest = loop("self.u[i] = B[i]", "B = self.u[1:]", "self, n")
    assert nest.aliases == {frozenset(("B", "self.u"))}


def test_imports_and_what_hides_them() -> None:
    code = """
    import numpy as np
    import os.path
    from math import sqrt as root, exp
    from numpy import exp as exp
    from .local import thing

    def f(A, n, os):
        import math as m
        for i in range(n):
            A[i] = m.sqrt(root(A[i]))

    def g(A, n, range):
        for i in range(n):
            A[i] = 0

    def root(x):
        return x
    """
    (kernel,) = source.read(textwrap.dedent(code), "t.py").kernels
    assert kernel.nests[0].statements["s0"].effects
    code = code.replace("def root", "def other")
    (kernel,) = source.read(textwrap.dedent(code), "t.py").kernels
    assert not kernel.nests[0].statements["s0"].effects
    assert kernel.imports["np"] == "numpy"
    assert kernel.imports["root"] == "math.sqrt"
    assert kernel.imports["exp"] == "numpy.exp"
    assert kernel.imports["thing"] == ".local.thing"
    assert kernel.imports["m"] == "math"
    assert "os" not in kernel.imports


def test_meanings_can_be_given() -> None:
    code = "def f(A, n):\n    for i in range(n):\n        A[i] = xp.sqrt(A[i])\n"
    (kernel,) = source.read(code, "t.py").kernels
    assert kernel.nests[0].statements["s0"].effects
    (kernel,) = source.read(code, "t.py", {"xp": "numpy"}).kernels
    assert not kernel.nests[0].statements["s0"].effects
    assert (
        source.read(code, "t.py", {"xp": "numpy", "range": "mine.range"}).kernels == ()
    )


def test_functions_methods_and_nested_functions() -> None:
    loop_text = "for i in range(n):\n        A[i] = 0"
    code = f"""
class K:
    def f(self, A, n):
        {loop_text.replace("        ", "            ")}

    class L:
        @staticmethod
        def g(A, n):
            for i in range(n):
                A[i] = 0

def outer(A):
    def inner(n, *more, k: int = 3, **rest):
        for i in range(n):
            A[i] = k
    return inner
"""
    kernels = source.read(code, "t.py").kernels
    names = [kernel.qualname for kernel in kernels]
    assert names == ["K.f", "K.L.g", "outer.<locals>.inner"]
    assert kernels[1].first_line == 8
    parameters = (("n", ""), ("more", ""), ("k", "int"), ("rest", ""))
    assert kernels[2].parameters == parameters


def test_types_of_local_arrays() -> None:
    code = """
    import numpy as np
    def f(A: "float64[:, ::1]", n: int):
        B = np.zeros((n, n))
        C = np.zeros(n + 1, dtype=np.float32)
        D = np.empty_like(A)
        E = np.ones((n, 2), dtype=int)
        F = np.zeros(n)
        G = np.zeros_like(A, dtype=np.int32)
        h: float = 0.0
        for i in range(n):
            A[i, 0] = B[i, 0] + C[i] + D[i, 0] + E[i, 0] + F[i] + G[i, 0] + h
    """
    kernel = kernel_of(textwrap.dedent(code))
    assert kernel.parameters == (("A", "float64[:, ::1]"), ("n", "int"))
    assert kernel.types == {
        "B": "float64[:, :]",
        "C": "float32[:]",
        "D": "like:A",
        "E": "int64[:, :]",
        "F": "float64[:]",
        "h": "float",
    }


def test_identifiers_of_a_function() -> None:
    code = (
        "def f(A, n):\n    import os as q\n    for i in range(n):\n        A[i] = 0\n"
    )
    assert kernel_of(code).names == {"f", "A", "n", "q", "i", "range"}


ALIASES = """
import numpy as np
import numpy.typing as npt
from typing import TypeAlias
Real = np.float64
Matrix = npt.NDArray[Real]
Indices: TypeAlias = "int64[::1]"
Twice = np.int32
Twice = np.int64
Changed = np.int32
Made = make(np.int32)
def change():
    global Changed
    Changed = np.float32
"""


@pytest.mark.parametrize(
    ("annotation", "meant"),
    [
        ("Matrix", "npt.NDArray[np.float64]"),
        ("npt.NDArray[Real]", "npt.NDArray[np.float64]"),
        ("'Matrix'", "npt.NDArray[np.float64]"),
        ("Indices", "int64[::1]"),
        ("Twice", "Twice"),
        ("Changed", "Changed"),
        ("Made", "Made"),
        ("Other", "Other"),
    ],
)
def test_annotations_by_names_that_the_module_gives_to_types(
    annotation: str, meant: str
) -> None:
    loop = "for i in range(3):\n            A[i] = 0"
    text = f"{ALIASES}\ndef f(A: {annotation}):\n    if True:\n        {loop}\n"
    (kernel,) = source.read(text, "f.py").kernels
    assert kernel.parameters == (("A", meant),)


def test_names_of_types_that_are_hidden() -> None:
    loop = "for i in range(3):\n            A[i] = 0"
    text = (
        f"{ALIASES}\nclass C:\n    Matrix = np.int64\n"
        f"    def f(self, A: Matrix, B: Real):\n        {loop}\n"
    )
    (kernel,) = source.read(text, "f.py").kernels
    assert dict(kernel.parameters) == {"self": "", "A": "Matrix", "B": "np.float64"}


def test_variables_of_types_with_names() -> None:
    text = f"{ALIASES}\ndef f(n: int):\n    T: Indices = g()\n"
    text += "    for i in range(n):\n        T[i] = 0\n"
    (kernel,) = source.read(text, "f.py").kernels
    assert kernel.types["T"] == "int64[::1]"
