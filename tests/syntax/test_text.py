"""Expressions as text: what is printed evaluates to what was meant."""

from __future__ import annotations

import re
from typing import Any
from unittest import mock

import black
import libcst as cst
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kit.byhand import expr
from kit.nests import holds, value
from kit.samples import some
from model.test_expr import envs, exprs

from looptx.cli.text import transform_text
from looptx.looptree.text import format_cond, format_expr
from looptx.model.expr import (
    And,
    Compare,
    Cond,
    Const,
    IntExpr,
    Not,
    Or,
    Start,
    Var,
    mod,
    rewrite,
)
from looptx.model.lines import keep_ends
from looptx.syntax import tidy
from looptx.syntax.body import Body
from looptx.syntax.concrete import Concrete
from looptx.syntax.substitution import Substitution, substituted
from looptx.syntax.tidy import indent_unit, tidied

_ops = st.sampled_from(["<", "<=", "==", "!=", ">=", ">"])
_compares = st.builds(Compare, _ops, exprs, exprs)
conds = st.recursive(
    _compares,
    lambda inner: st.one_of(
        st.builds(Not, inner),
        st.lists(inner, max_size=3).map(lambda args: And(tuple(args))),
        st.lists(inner, max_size=3).map(lambda args: Or(tuple(args))),
    ),
    max_leaves=4,
)


@settings(max_examples=some(100), deadline=None)
@given(exprs, envs)
def test_printed_expressions_evaluate_to_the_same(
    expr: IntExpr, env: dict[str, int]
) -> None:
    for one in (expr, rewrite(expr, {})):
        assert eval(format_expr(one), {}, dict(env)) == value(expr, env)


@settings(max_examples=some(70), deadline=None)
@given(conds, envs)
def test_printed_conditions_evaluate_to_the_same(
    cond: Cond, env: dict[str, int]
) -> None:
    assert eval(format_cond(cond), {}, dict(env)) == holds(cond, env)


@pytest.mark.parametrize(
    "text",
    [
        "n - n % 32",
        "i + 32",
        "31 - i",
        "-i",
        "-(i // 2)",
        "-2 * i",
        "i // 2 - j // 2",
        "2 * i - 3 * j + 1",
        "32 * (n // 16)",
        "(n + 31) // 32",
        "(i + j) % 4 + 1",
        "2 * (n % 3)",
        "n * m",
        "A.shape[0] - 1",
    ],
)
def test_no_parenthesis_too_many(text: str) -> None:
    assert format_expr(expr(text)) == text


def test_names_stand_in_for_variables() -> None:
    names = {"n": "__n", "A.shape[0]": "A_0"}
    assert format_expr(expr("n + A.shape[0] - 1"), names) == "__n + A_0 - 1"


def test_opaque_parameters_are_parenthesised() -> None:
    assert format_expr(mod(Var("n + m"), 4)) == "(n + m) % 4"
    assert format_expr(mod(Var("n * m"), 4)) == "n * m % 4"
    assert format_expr(mod(Var("n if a else m"), 4)) == "(n if a else m) % 4"
    assert format_expr(mod(Var("f(n, m)[0].x"), 4)) == "f(n, m)[0].x % 4"


def test_a_start_has_no_text() -> None:
    with pytest.raises(ValueError, match="start of loop i"):
        format_expr(Start("i"))


def test_bounds_are_chained() -> None:
    low, high = Compare(">=", Var("i"), Const(0)), Compare("<", Var("i"), Var("n"))
    assert format_cond(And((low, high))) == "0 <= i < n"
    assert format_cond(And((high, low))) == "0 <= i < n"
    assert format_cond(And((low, high, high))) == "0 <= i < n and i < n"
    assert format_cond(Or((And((low, high)), Not(low)))) == "0 <= i < n or not i >= 0"
    assert format_cond(And((low,))) == "i >= 0"


TEMPLATES = [
    "A[i]",
    "A[i - 1, j]",
    "A[i + 1]",
    "x + i",
    "x - i",
    "-i",
    "-i + x",
    "i * x",
    "x * i",
    "i // 2",
    "2 ** i",
    "i ** 2",
    "i % 3 + j",
    "x - i - 1",
    "x if i > 2 else j",
    "i if x else j",
    "i - 1 < j",
    "not i",
    "(i - 1) * x",
    "A[i:j]",
    "A[i - 1 : j + 1]",
    "[i, j, i + 2]",
    "f(i, j)",
    "f(i - 1)",
    "~i",
    "i | j & 3",
    "i == j",
    "i <= j - 1",
    "x / (i + 100.5)",
    "i - 1.5",
    "i + 0x10",
    "x @ i if False else 0",
    "A[i + j]",
    "A[i - j + 1]",
    "A[i + 2 - j, j + i - 1]",
    "A[i + j * 2]",
    "i + j - x",
    "i + 1 + x",
    "i + j // 2 - 1",
    "x * i + j",
    "x - i + j",
    "i + j + i",
    "i + 1 if i else j",
    "i - 1 - j",
    "i + 3 * j",
    "(i)",
    "{i: j}",
    "f'{i}|{j:>4}'",
    "i.real + j.imag",
    "i .real * j . real",
    "(  # a comment\n    i\n    * x\n)",
]


def rendered(template: str, given: Substitution) -> str:
    """A statement with other expressions in the place of its names."""
    concrete = Concrete(keep_ends(template + "\n"), 1, "t.py")
    new = substituted(concrete.module, given, concrete)
    return concrete.lines(new).rstrip("\n")


class _Probe:
    def __getitem__(self, key: object) -> object:
        return (key.start, key.stop) if isinstance(key, slice) else key


@settings(max_examples=some(100), deadline=None)
@given(st.sampled_from(TEMPLATES), exprs, exprs, envs)
def test_rendered_text_means_the_same(
    template: str, first: IntExpr, second: IntExpr, env: dict[str, int]
) -> None:
    code = rendered(template, Substitution({"i": first, "j": second}))
    # A small exponent only, and the names inside the values are not those replaced.
    names = {"A": _Probe(), "f": lambda *args: args, "x": 7, **env}
    direct = {**names, "i": value(first, env), "j": value(second, env)}
    if "**" in template and abs(value(first, env)) > 50:
        return
    assert eval(code, {}, names) == eval(template, {}, direct)


@pytest.mark.parametrize(
    ("template", "wanted"),
    [
        ("A[i - 1, j] + A[i + 1, j]", "A[k, j] + A[k + 2, j]"),
        ("A[i, i * 2]", "A[k + 1, (k + 1) * 2]"),
        ("A[i + j]", "A[k + 1 + j]"),
        ("A[j - i + 1]", "A[j - (k + 1) + 1]"),
        ("A[i + j - 1]", "A[k + 1 + j - 1]"),
        ("x = i", "x = k + 1"),
        ("x = i - 1", "x = k"),
        ("x -= i", "x -= k + 1"),
        ("f(i, y - i)", "f(k + 1, y - (k + 1))"),
    ],
)
def test_rendered_text_reads_well(template: str, wanted: str) -> None:
    assert rendered(template, Substitution({"i": expr("k + 1")})) == wanted


WORDS = [
    "1 if{0}else{0}",
    "{0}if{0}else 2",
    "not{0}",
    "x and not{0}",
    "0 or{0}",
    "{0}or x",
    "1 and{0}",
    "{0}and x",
    "{0}in[{0}]",
    "x in{0}*[x]",
    "{0}not in[x]",
    "x not in{0}*[x]or{0}",
    "x is{0}",
    "{0}is not x",
    "x is not{0}",
    "(lambda:{0})()",
    "(lambda x=1:x if{0}else{0})()",
    "[x for x in[{0}]if{0}]",
    "[x for x in{0}*[x]if{0}]",
    "f'{{{0}!r}}{{x if{0}else{0}}}'",
    "f({0},*{0}if False else[])",
]
"""Operators that are words, and what they join."""

STATEMENTS = [
    "def g(x):\n    return{0}",
    "def g(x):\n    assert{0}or 1,{0}\n    return{0}",
    "def g(x):\n    if{0}:\n        x = 1\n    elif{0}:\n        x = 5\n    return x",
    "def g(x):\n    for y in{0},x:\n        x += y\n    return x",
    "def g(x):\n    while{0}and x:\n        x = 0\n    return x",
    "def g(x):\n    yield{0}\n    yield from[{0}]\n    return{0}",
]


OPERANDS = ["(i)", "(i - 1)", "((i + 1))", "(2 * i - 1)", "(T[i])", " ( i - 1 ) "]


@pytest.mark.filterwarnings("ignore::SyntaxWarning", "ignore::DeprecationWarning")
@pytest.mark.parametrize("operand", OPERANDS)
@pytest.mark.parametrize("template", [*WORDS, *STATEMENTS])
def test_words_do_not_run_into_what_is_replaced(template: str, operand: str) -> None:
    text = template.format(operand).strip()
    names: dict[str, Any] = {"k": 4, "x": 7, "f": lambda *args: args, "T": [9] * 9}
    elements = {
        (number, at.start()): "t"
        for number, line in enumerate(text.splitlines(), 1)
        for at in re.finditer(r"T\[", line)
    }
    for instead in ("k + 1", "k - 1", "3", "0 - 3"):
        given = Substitution({"i": expr(instead)}, elements=elements)
        code = rendered(text, given)
        results = []
        for each in (text, code):
            scope = {**names, "i": eval(instead, {}, names), "t": 9}
            if text.startswith("def"):
                exec(each, scope)
                found = scope["g"](7)
                results.append([*found] if "yield" in text else found)
            else:
                results.append(eval(each, scope))
        assert results[0] == results[1]


@pytest.mark.filterwarnings("ignore::SyntaxWarning", "ignore::DeprecationWarning")
@pytest.mark.parametrize(
    "text", ["i + 1if i - 1else 2", "i + 1or x", "x and i + 1if x else 5", "T[i]or x"]
)
def test_numbers_that_touch_words_become_names(text: str) -> None:
    names = {"k": 4, "x": 7, "T": [9] * 9}
    elements = {(1, 0): "t"} if text.startswith("T") else {}
    given = Substitution({"i": expr("k - 1")}, elements=elements)
    code = rendered(text, given)
    assert eval(code, {**names, "t": 9}) == eval(text, {**names, "i": 3})


def test_names_and_elements_become_cells() -> None:
    given = Substitution(
        {}, cells={"t": "t[i]"}, elements={(1, 4): "T[0]"}, converted="np.float64"
    )
    assert rendered("t = T[i] + f(t=t, u=x.t)", given) == (
        "t[i] = np.float64(T[0] + f(t=t[i], u=x.t))"
    )


@pytest.mark.parametrize(
    ("indent", "unit"),
    [
        ("", "    "),
        ("    ", "    "),
        ("        ", "    "),
        ("  ", "  "),
        ("      ", "  "),
        ("   ", "   "),
        ("\t\t", "\t"),
        (" ", " "),
    ],
)
def test_the_unit_of_indentation(indent: str, unit: str) -> None:
    assert indent_unit(indent) == unit


@pytest.mark.parametrize("depth", range(3))
def test_new_statements_are_formatted_where_they_stand(depth: int) -> None:
    body = Body("    " * depth, "    ", 88)
    body.line("total = " + " + ".join(["value"] * 10))
    body.line("x='a'")
    body.comment(["# the end"])
    lines, behind = tidied(body, cst.Module([]).config_for_parsing)
    text = cst.Module(lines, footer=behind).code
    assert (text.count("\n") == 3) == (depth == 0)
    assert text.endswith("x = 'a'\n# the end\n")


@pytest.mark.parametrize("indent", ["\t", "  "])
def test_what_black_has_another_style_for_stays(indent: str) -> None:
    body = Body(indent, indent, 88)
    body.line("x=1")
    lines, _ = tidied(body, cst.Module([]).config_for_parsing)
    assert cst.Module(lines).code == "x=1\n"


_names = st.sampled_from(["n", "2048", "a_size_with_a_long_name", "len(x)", "x[i, -1]"])
_sizes = st.recursive(
    _names,
    lambda inner: st.one_of(
        st.builds("{} - {}".format, inner, _names),
        st.builds("64 * ({} + 1)".format, inner),
        st.builds("({} if n > 2 else {})".format, inner, inner),
        st.lists(inner, min_size=1, max_size=4).map(", ".join).map("max({})".format),
    ),
    max_leaves=14,
)


def formatted(head: str, depth: int, width: int = 88) -> tuple[str, str]:
    """A loop as it is formatted at a depth, and as black formats it there."""
    inside = Body("    " * (depth + 1), "    ", width)
    inside.line("pass")
    body = Body("    " * depth, "    ", width)
    body.compound(head, inside)
    lines, _ = tidied(body, cst.Module([]).config_for_parsing)
    above = "".join("    " * level + "if True:\n" for level in range(depth))
    text = f"{above}{'    ' * depth}{head}\n{'    ' * (depth + 1)}pass\n"
    expected = black.format_str(text, mode=black.Mode(line_length=width)).removeprefix(
        above
    )
    if not depth:
        return cst.Module(lines).code, expected
    block = cst.IndentedBlock(lines, indent="    " * depth)
    code = cst.Module([cst.If(cst.Name("x"), block)]).code
    return code.partition("\n")[2], expected


@given(st.lists(_sizes, min_size=1, max_size=3), st.integers(0, 6), st.integers(24, 88))
@settings(max_examples=some(50), deadline=None)
def test_long_loops_are_broken_as_black_breaks_them(
    sizes: list[str], depth: int, width: int
) -> None:
    ours, expected = formatted(f"for ii in range({', '.join(sizes)}):", depth, width)
    assert ours == expected


@pytest.mark.parametrize("depth", [0, 3])
def test_a_long_loop_is_broken_without_black(depth: int) -> None:
    inner = "max(2048 * ((t + 31) // 1024) + 2049, 64 * n - 1)"
    head = f"for i in range({inner}, min(n, {inner}), 16):"
    with mock.patch.object(tidy, "_formatted", side_effect=AssertionError):
        for width in range(64, 4 * depth + len(head) + 2):
            ours, expected = formatted(head, depth, width)
            assert ours == expected


def test_a_length_stays_a_length() -> None:
    """What has a length may be a list, which has no shape."""
    text = """
def prefix(x, y, out):
    s = 0.0
    # looptx: unroll i 4
    for i in range(len(x)):
        s += x[i]
        out[i] = s + y[len(y) - 1 - i]
    # looptx: tile i=4 j=5 | reorder i j ii jj
    for i in range(len(x)):
        for j in range(i, len(y)):
            out[i] += y[j]
    return s
"""
    new = transform_text(text, "f.py")
    assert not new.errors
    assert ".shape" not in new.text
    results = []
    for source in (text, new.text):
        scope: dict[str, Any] = {}
        exec(source, scope)
        out = [0.0] * 7
        results.append((scope["prefix"]([0.5] * 7, [2.0, 3.0] * 6, out), out))
    assert results[0] == results[1]


def test_a_shape_stays_a_shape() -> None:
    """What has both written has a shape."""
    text = """
def f(x):
    # looptx: unroll i 4
    for i in range(x.shape[0] - len(x) // 2):
        x[i] = 0.0
"""
    assert "len(x) // 2" not in transform_text(text, "f.py").text


"""Both are one size, and what has a shape has it written."""
