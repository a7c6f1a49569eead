"""What an annotated nest cannot contain, and what reductions are recognised."""

from __future__ import annotations

import ast
import textwrap

import pytest
from kit.nests import nest_of

from looptx import source
from looptx.cli.text import transform_text
from looptx.errors import LooptxError, Unsupported
from looptx.model.program import Reduction
from looptx.source.names import subscripts


def annotated(body: str, head: str = "A, B, n", before: str = "") -> str:
    lines = [f"def f({head}):"]
    lines += [f"    {line}" for line in before.split("\n") if line]
    lines += ["    # looptx: split i 4", "    for i in range(n):"]
    lines += [f"        {line}" for line in body.split("\n")]
    return "\n".join(lines) + "\n"


REFUSED = [
    (
        "if i > 1:\n    if A[i]:\n        continue\n    A[i] = 1\nB[i] = 1",
        "LX301",
        "`continue`",
        6,
    ),
    ("try:\n    A[i] = 1\nexcept E:\n    pass", "LX301", "`try`", 4),
    ("with A:\n    pass", "LX301", "`with`", 4),
    ("for x in A():\n    B[i] = x", "LX301", "a `for` that is not", 4),
    ("for x, y in A:\n    B[i] = x", "LX301", "a `for` that is not", 4),
    ("if B[i]:\n    for x in {*A}:\n        pass", "LX301", "a `for` that is not", 5),
    ("del A", "LX301", "`del`", 4),
    ("global A", "LX301", "`global`", 4),
    ("import os", "LX301", "`import`", 4),
    ("def g():\n    pass", "LX301", "a function definition", 4),
    ("A[i] = (lambda: 1)()", "LX301", "a lambda", 4),
    ("A[i] = [x for x in B]", "LX301", "a list comprehension", 4),
    ("A[i] = sum(x for x in B)", "LX301", "a generator expression", 4),
    ("A[i] = g(key=lambda x: x)", "LX301", "a lambda", 4),
    ("A[i] = g(*[x for x in B])", "LX301", "a list comprehension", 4),
    ("A[i] = (t := 1)", "LX301", "an assignment expression", 4),
    ("a, *b = A[i], 1", "LX301", "a starred expression", 4),
    ("A[i] = {1: 2}[1]", "LX301", "a subscript of", 4),
    ("yield A[i]", "LX301", "`yield`", 4),
    ("x: int", "LX301", "an annotation without", 4),
    ("match A[i]:\n    case 1:\n        pass", "LX301", "`match`", 4),
    ("A[i] = locals()", "LX302", "`locals`, which sees variables by name", 4),
    ("B[i] = 1\nA.resize(9)", "LX302", "`A.resize`, which changes a shape", 5),
    ("i = 3", "LX301", "the loop variable `i` is assigned", 4),
    ("i += 3", "LX301", "the loop variable `i` is assigned", 4),
    ("for i in range(3):\n    A[i] = 1", "LX301", "a loop over `i` inside", 4),
    ("for j in range(i):\n    A[j] = 1\nB[i] = j", "LX301", "read outside of", 6),
    ("B[i] = j\nfor j in range(i):\n    A[j] = 1", "LX301", "read outside of", 4),
    ("A[i] = 1\nA.h = 1", "LX301", "an assignment to the attribute `A.h`", 5),
    ("B.shape = i", "LX301", "an assignment to the attribute `B.shape`", 4),
    ("A.shape[0] = 1", "LX301", "an assignment to a shape", 4),
    ("A, B = B, A\nA[i] = 1", "LX301", "`A` is assigned as a whole", 4),
    ("A[i] = 1\nA = B", "LX301", "assigned", 4),
    ("A[i, 0] = 1\nr = A[i]", "LX301", "`r` would be a view", 5),
    ("r = A[i, :]", "LX301", "`r` would be a view", 4),
    ("r = A.T[i]\nA[i, 0] = 1", "LX301", "`r` would be a view", 4),
    ("r, s = A[1:], 2", "LX301", "`r` would be a view", 4),
    ("r = A[:i] if i else 0", "LX301", "`r` would be a view", 4),
    ("t = B[i]\nt[:] = 1", "LX301", "`t`", 5),
    ("A[i] = t.x\nt = 1", "LX301", "an attribute of `t`", 4),
    ("A[i] = i.x", "LX301", "an attribute of the loop variable", 4),
    ("A[i] = (B[i] + 1).x", "LX301", "the attribute `x` of an expression", 4),
    ("for j in range(*B):\n    A[j] = 1", "LX301", "a starred expression", 4),
]


@pytest.mark.parametrize(("body", "code", "message", "line"), REFUSED)
def test_what_a_nest_cannot_contain(
    body: str, code: str, message: str, line: int
) -> None:
    text = annotated(body)
    with pytest.raises(Unsupported) as caught:
        source.read(text, "t.py")
    error = caught.value
    assert error.code == code
    assert message in error.message
    assert error.hint
    assert error.place is not None and error.place.line == line
    assert error.source == text.split("\n")[line - 1]
    # Without a directive the nest is left out, silently.
    module = source.read(text.replace("# looptx: split i 4", "#"), "t.py")
    assert module.kernels == ()
    assert module.left_out["f"][0].message == error.message


@pytest.mark.parametrize(
    ("body", "message", "line"),
    [
        ("A[i] = 1\nif A[i]:\n    break", "`break`", 6),
        ("if i > 1:\n    return", "`return`", 5),
        ("for j in range(n):\n    if A[j]:\n        return j", "`return`", 6),
    ],
)
def test_a_nest_that_is_left_is_one_statement(
    body: str, message: str, line: int
) -> None:
    text = annotated(body)
    with pytest.raises(Unsupported) as caught:
        source.read(text, "t.py")
    error = caught.value
    assert (error.code, message in error.message) == ("LX301", True)
    assert error.place is not None and error.place.line == line
    (kernel,) = source.read(text.replace("# looptx: split i 4", "#"), "t.py").kernels
    (nest,) = kernel.nests
    assert [one.opaque for one in nest.statements.values()][-1]
    assert nest.text.kept[0].var == "i"


def test_async_functions_and_broken_decorated_ones() -> None:
    code = annotated("A[i] = await B").replace("def f", "async def f")
    with pytest.raises(Unsupported, match="await"):
        source.read(code, "t.py")
    code = "import looptx\n@looptx.kernel('split i 4')\n" + annotated("yield i")
    with pytest.raises(Unsupported) as caught:
        source.read(code.replace("# looptx: split i 4", "#"), "t.py")
    assert caught.value.code == "LX301"


def test_one_bad_nest_does_not_spoil_the_others() -> None:
    code = annotated("A[i] = 1") + "    for i in range(n):\n        del A\n"
    (kernel,) = source.read(code, "t.py").kernels
    assert [nest.name for nest in kernel.nests] == ["n0"]


def found(body: str, before: str = "") -> Reduction | None:
    code = "import numpy as np\n" + annotated(body, "A, B, n, m", before)
    statements = list(nest_of(code).statements.values())
    return statements[-1].reduction


@pytest.mark.parametrize(
    ("body", "op", "operand"),
    [
        ("s += A[i]", "+", "A[i]"),
        ("s -= A[i] + 1", "+", "-(A[i] + 1)"),
        ("s *= A[i]", "*", "A[i]"),
        ("s = s + A[i]", "+", "A[i]"),
        ("s = A[i] + s", "+", "A[i]"),
        ("s = s - A[i]", "+", "-A[i]"),
        ("s = A[i] * B[i] + s", "+", "A[i] * B[i]"),
        ("s = s + A[i] + B[i]", "+", "A[i] + B[i]"),
        ("s = s - A[i] - B[i]", "+", "-A[i] - B[i]"),
        ("s = A[i] + B[i] + s", "+", "A[i] + B[i]"),
        ("s = s * A[i] * 2", "*", "A[i] * 2"),
        ("s: float = s + A[i]", "+", "A[i]"),
        ("s = max(s, A[i])", "max", "A[i]"),
        ("s = min(A[i], s)", "min", "A[i]"),
        ("s = max(s, A[i], B[i])", "max", "max(A[i], B[i])"),
        ("s = np.minimum(s, A[i])", "min", "A[i]"),
        ("s = A[i] if A[i] > s else s", "max", "A[i]"),
        ("s = A[i] if s < A[i] else s", "max", "A[i]"),
        ("s = s if s >= A[i] else A[i]", "max", "A[i]"),
        ("s = s if A[i] < s else A[i]", "max", "A[i]"),
        ("s = A[i] if A[i] < s else s", "min", "A[i]"),
        ("s = A[i] if s > A[i] else s", "min", "A[i]"),
        ("s = s if s <= A[i] else A[i]", "min", "A[i]"),
        ("s = s if A[i] >= s else A[i]", "min", "A[i]"),
        ("if A[i] > s:\n    s = A[i]", "max", "A[i]"),
        ("if A[i] < s:\n    s = A[i]", "min", "A[i]"),
        ("s &= B[i]", "&", "B[i]"),
        ("s = s | B[i]", "|", "B[i]"),
        ("s = B[i] ^ s", "^", "B[i]"),
        ("A[i] += B[i]", "+", "B[i]"),
        ("A[i, 0] = A[i, 0] * B[i]", "*", "B[i]"),
        ("A[B[i]] += 1", "+", "1"),
        ("A[i, n] -= A[i, m] * A[m, n]", "+", "-(A[i, m] * A[m, n])"),
        ("A[i] = max(A[i], B[i])", "max", "B[i]"),
    ],
)
def test_reductions(body: str, op: str, operand: str) -> None:
    reduction = found(body, "s = 0")
    assert reduction is not None
    assert reduction.op == op
    assert ast.unparse(reduction.operand) == operand
    assert reduction.target.write


@pytest.mark.parametrize(
    "body",
    [
        "s = A[i] - s",
        "s = s + s",
        "s += s * A[i]",
        "s += A[i] * B[s]",
        "s /= A[i]",
        "s //= A[i]",
        "s **= 2",
        "s = s - A[i] * s",
        "s = (A[i] + s) * 2",
        "s = s + A[i] * 2 - s",
        "s = max(s, s)",
        "s = max(s, A[i], s)",
        "s = max(A[i], B[i])",
        "s = A[i] if B[i] > s else s",
        "s = A[i] if A[i] > s else B[i]",
        "s = s if s > A[i] else s",
        "if A[i] > s:\n    s = B[i]",
        "if A[i] > s:\n    s = A[i]\nelse:\n    s = 0",
        "if A[i] > s:\n    s = A[i]\n    t = i",
        "s = t = s + A[i]",
        "s, t = s + A[i], 1",
        "A[i] += A[i]",
        "A[i] = A[i] + A[B[i]]",
        "A[B[i]] += A[i]",
        "A[i] = A[i - 1] + B[i]",
        "A[A[i]] += 1",
        "A[i::n] += A[i]",
        "s = s * A[i] + B[i]",
    ],
)
def test_what_is_no_reduction(body: str) -> None:
    assert found(body, "s = 0") is None


def test_pass_and_docstrings_do_nothing() -> None:
    nest = nest_of(annotated("'''one line'''\npass\nA[i] = 0"))
    assert len(nest.statements) == 2
    nest = nest_of(annotated("pass"))
    (statement,) = nest.statements.values()
    assert statement.accesses == ()


def test_deep_expressions_in_nests_without_directives_are_left_out() -> None:
    total = "+".join(["B[i]"] * 900)
    text = f"def f(A, B, n):\n    for i in range(n):\n        A[i] = {total}\n"
    try:
        source.read(text, "t.py")
    except LooptxError as error:
        assert error.code == "LX304"


def test_errors_speak_of_the_file() -> None:
    with pytest.raises(LooptxError) as caught:
        source.read(textwrap.dedent(annotated("A[i] = locals()")), "dir/k.py")
    assert str(caught.value).startswith("dir/k.py:4:16: LX302 `locals`, which")


@pytest.mark.parametrize("call", ["np.sqrt(B[i], A)", "np.add(B[i], 1, A[i])"])
def test_an_output_argument_is_a_hidden_write(call: str) -> None:
    text = "import numpy as np\n" + annotated(call).replace("split i 4", "parallel i")
    (error,) = transform_text(text, "t.py").errors
    assert error.code == "LX203"
    assert error.detail[0].startswith(f"`{call}` may read and write anything")


def test_an_unknown_subscript_is_called_one() -> None:
    text = annotated("A[B[i]] += 1").replace("split i 4", "parallel i")
    (error,) = transform_text(text, "t.py").errors
    assert error.code == "LX203"
    assert error.detail[0].startswith("a subscript of A is not affine")


def test_a_long_chain_of_subscripts_is_looked_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Not from each of its subscripts on: that would be quadratic."""
    seen = 0
    inner = subscripts.index_list

    def counted(node: ast.Subscript) -> list[ast.expr]:
        nonlocal seen
        seen += 1
        return inner(node)

    monkeypatch.setattr(subscripts, "index_list", counted)
    with pytest.raises(Unsupported, match="more than 32 dimensions"):
        source.read(annotated(f"A[i] = B{'[i]' * 300}"), "t.py")
    assert seen < 20 * 300


def test_an_array_of_very_many_dimensions() -> None:
    with pytest.raises(Unsupported, match="`B` has more than 32 dimensions") as caught:
        source.read(annotated(f"A[i] = B{'[i]' * 100}"), "t.py")
    assert caught.value.code == "LX304"


@pytest.mark.parametrize("directive", ["split i 4", "nothing"])
def test_very_many_nests_of_one_function(directive: str) -> None:
    many = "    for j in range(n):\n        B[j] = A[j]\n" * 1000
    text = annotated("A[i] = 1") + many
    if directive == "nothing":
        text = text.replace("# looptx: split i 4", "#")
        module = source.read(text, "t.py")
        assert not module.kernels
        assert module.left_out["f"][0].code == "LX304"
        return
    with pytest.raises(LooptxError, match="too many loops") as caught:
        source.read(text, "t.py")
    assert caught.value.code == "LX304"


def test_very_many_statements_of_one_nest() -> None:
    many = "\n".join(f"A[i, {k}] = B[i, {k}]" for k in range(250))
    (error,) = transform_text(annotated(many), "t.py").errors
    assert error.code == "LX204"
    assert error.detail[0].startswith("187500 pairs of accesses")
