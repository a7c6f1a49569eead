"""What names hold where a nest starts, compared with what CPython has in them there."""

from __future__ import annotations

import ast
import random
import textwrap
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from kit.samples import some

from looptx.cli.text import transform_text
from looptx.source.ast_tools import walked
from looptx.source.flow.held import ANYTHING, INTEGER, PYTHON, Held, held
from looptx.source.kinds.integers import Kinds
from looptx.source.names.imports import scope_imports
from looptx.source.names.scope import Scope
from source.test_reduction_kinds import HEAD, ORDER

NAMES = ("a", "b", "c", "x", "y", "z", "o.h")
ARGUMENTS = "a, b: int, c, A, F, o"
NEST = "for q in range(1, {}):\n    A[0] = 1\n"


def at_nest(text: str, names: Sequence[str] = NAMES) -> dict[str, Held]:
    """What names of the last function in a text hold where its nest starts."""
    tree = ast.parse(text)
    function = tree.body[-1]
    assert isinstance(function, ast.FunctionDef)
    (root,) = (
        node
        for node in walked(function)
        if isinstance(node, ast.For) and ast.unparse(node.target) == "q"
    )
    return held(Kinds(Scope(function, scope_imports(tree, {}))), root, names)


class Writer:
    """Writes a random function around one nest."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)
        self.loops = 0
        self.text = "".join(self.lines())

    def lines(self) -> Iterator[str]:
        yield f"import numpy as np\ndef f({ARGUMENTS}):\n"
        body = ["x, y, z = 1, 2, b\n"] if self.dice.random() < 0.8 else []
        body += [self.statement(2) for _ in range(self.dice.randint(1, 6))]
        nest = "here(locals())\n" + NEST.format(self.dice.choice(("2", *NAMES)))
        if self.dice.random() < 0.2:
            nest += "    x = 2\n    for r in range(x):\n        A[r] = 1\n"
        for _ in range(self.dice.choice((0, 0, 1, 2))):
            nest = self.block(nest, 1)
        body.append(nest)
        body += [self.statement(1) for _ in range(self.dice.randint(0, 2))]
        yield textwrap.indent("".join(body), "    ")

    def value(self, depth: int = 2) -> str:
        if depth == 0 or self.dice.random() < 0.3:
            leaves = (*NAMES, *NAMES, "1", "3", "2", "0.5", "A[1]", "F[1]", "len(A)")
            return self.dice.choice((*leaves, "A.shape[0]", "np.int64(2)"))
        one, other = self.value(depth - 1), self.value(depth - 1)
        forms = ("{} + {}", "{} - {}", "{} * {} % 97", "max({}, {})", "{} if c else {}")
        form = self.dice.choice((*forms, "int({})", "np.int64({})", "({} // 2 % 7)"))
        return "(" + form.format(one, other) + ")"

    def statement(self, depth: int) -> str:
        if depth and self.dice.random() < 0.4:
            inside = (self.statement(depth - 1) for _ in range(self.dice.randint(1, 3)))
            return self.block("".join(inside), depth)
        name, other = self.dice.sample(NAMES, 2)
        forms = (
            f"{name} = {self.value()}",
            f"{name} = {self.value()}",
            f"{name} += {self.value(1)}",
            f"{name}, {other} = {other}, {name}",
            f"{name} = {other} = {self.value(1)}",
            f"{name} = c and (y := {self.value(1)})",
            f"{name}, {name} = 1, {self.value(1)}",
            f"{name} = y if (y := {self.value(1)}) else y",
            "o = p",
            "p.h = F[0]",
            "change()",
        )
        return self.dice.choice(forms) + "\n"

    def block(self, body: str, depth: int) -> str:
        """Some statements in a block of any kind."""
        self.loops += 1
        inside = textwrap.indent(body, "    ")
        more = textwrap.indent(self.statement(0), "    ")
        leave = self.dice.choice(("break", "continue"))
        count, name = f"w{self.loops}", self.dice.choice(NAMES[:-1])
        forms = (
            f"if {self.value(1)} > 2:\n{inside}else:\n{more}",
            f"if c:\n{inside}",
            f"for {name} in range(1, 4):\n{more}{inside}",
            f"for {name} in (1, 0.5):\n{inside}",
            f"for k in range(3):\n    if c:\n        {leave}\n{inside}{more}",
            f"for k in range(0):\n    {leave}\nelse:\n{inside}",
            f"{count} = 3\nwhile {count} > 0:\n    {count} -= 1\n{more}{inside}",
            f"try:\n{more}    1 // (A[0] - A[0] + {self.dice.choice('01')})\n{more}"
            f"except ZeroDivisionError as e:\n{inside}",
            f"try:\n{inside}finally:\n{more}",
            f"with np.errstate(all='ignore') as {name}:\n{inside}",
        )
        return self.dice.choice(forms)


class Thing:
    """Something with an attribute."""

    def __init__(self, h: object) -> None:
        self.h = h


def observed(text: str, seed: int) -> list[dict[str, Any]]:
    """The values of names, each time the nest starts; nothing if the call fails."""
    dice = random.Random(seed)
    found: list[dict[str, Any]] = []
    numbers = [dice.choice((2, np.int64(3), 2.5, 0)) for _ in range(2)]
    thing = Thing(dice.choice((1, 0.5)))

    def change() -> None:
        thing.h = 0.25

    def here(local: dict[str, Any]) -> None:
        found.append({**local, "o.h": local["o"].h})

    space = {"here": here, "change": change, "p": Thing(0.75)}
    exec(text, space)
    b = dice.choice((3, np.int64(4)))
    try:
        space["f"](numbers[0], b, numbers[1], np.arange(4), np.ones(3), thing)  # type: ignore[operator]
    except (TypeError, NameError, OverflowError, ValueError):
        return []
    return found


def is_integer(value: object) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


@pytest.mark.parametrize("first", range(0, some(300), 300))
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_names_hold_what_is_said(first: int) -> None:
    said = seen = 0
    for seed in range(first, first + 300):
        text = Writer(seed).text
        known = at_nest(text.replace("here(locals())", "pass"))
        runs = [each for k in range(4) for each in observed(text, 4 * seed + k)]
        for name, each in known.items():
            values = [run[name] for run in runs if name in run]
            floats = each.arrays is not None and "F" in each.arrays
            if each.python:
                assert all(type(value) is int for value in values), (seed, name, text)
            elif each.arrays is not None and not floats:
                assert all(map(is_integer, values)), (seed, name, text)
            if values and all(type(value) is int for value in values):
                seen, said = seen + 1, said + each.python
    assert said > seen / 4 > 10


@pytest.mark.parametrize(
    ("body", "python"),
    [
        ("x = y = 1\nfor k in range(3):\n    x, y = y, x + y\n    {}", True),
        ("x = y = 1\nfor k in range(3):\n    {}\n    x, y = y, x + a", False),
        ("x = y = 1\nwhile x < 9:\n    {}\n    x = y * 2\n    y = x", True),
        ("x = 1\nfor k in range(3):\n    {}\n    z = x\n    x = z + 0.5", False),
        ("if c:\n    x = len(A)\nelse:\n    x = int(a)\n{}", True),
        ("x = a\nif c:\n    x = 1\n    {}", True),
        ("x = 1\n{}\nx = 0.5", True),
        ("x = 0.5\ntry:\n    x = 1\nfinally:\n    pass\n{}", False),
        ("x = A.shape[0] // 2\n{}", True),
    ],
)
def test_integers_of_python(body: str, python: bool) -> None:
    nest = NEST.format(2)
    lines = [
        textwrap.indent(nest, line[: len(line) - 2]) if line.endswith("{}") else line
        for line in body.splitlines()
    ]
    text = f"def f({ARGUMENTS}):\n" + textwrap.indent("\n".join(lines), "    ")
    assert at_nest(text)["x"].python == python


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("x = np.int64(2)", INTEGER),
        ("x = b", INTEGER),
        ("x = b * 2 + 1", INTEGER),
        ("x: int = c", ANYTHING),
        ("x = int(c)", PYTHON),
        ("x = A[0]\nx += 1", Held(False, frozenset("A"))),
        ("y = A[0]\nx = y + T[1]", Held(False, frozenset("AT"))),
        ("x = A[0] / 2", ANYTHING),
    ],
)
def test_other_integers(body: str, wanted: Held) -> None:
    body = textwrap.indent(f"{body}\n{NEST.format(2)}", "    ")
    text = f"import numpy as np\ndef f({ARGUMENTS}, T):\n{body}"
    assert at_nest(text)["x"] == wanted


@pytest.mark.parametrize(
    ("before", "term"),
    [
        ("o.h = 3\n    o.reset()", "o.h"),
        ("o.h = 3\n    p.h = 0.3", "o.h"),
        ("o.h = 3\n    o = p", "o.h"),
        ("if n > 2:\n        o.h = 3", "o.h"),
        ("m = 3\n    for k in range(m):\n        A[k] = 1\n    m, k = p", "m"),
        ("m = 0.3\n    k = n > 9 and (m := 1)", "m"),
    ],
)
def test_a_term_that_may_be_a_float(before: str, term: str) -> None:
    text = f"""\
def f(n, A, o, p, c: int):
    {before}
    # looptx: {ORDER}
    for i in range(n):
        c *= {term} + i
    return c
"""
    (error,) = transform_text(HEAD + text, "f.py").errors
    assert error.code == "LX201" and "reassociate c" in str(error)
    again = text.replace(before, f"{term} = 3")
    assert not transform_text(HEAD + again, "f.py").errors


def test_the_random_functions_are_of_all_kinds() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        runs = [observed(Writer(seed).text, seed) for seed in range(200)]
    kinds = {type(value) for run in runs for each in run for value in each.values()}
    assert {int, float, np.int64, np.float64, np.ndarray} <= kinds
    assert sum(map(bool, runs)) > 50
