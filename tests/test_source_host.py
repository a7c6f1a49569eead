"""Decorators read and removed, host functions, and texts that render back."""

from __future__ import annotations

import ast
import textwrap
from pathlib import Path

import numpy as np
import pytest
from source_model import kernel_of

from looptx import source
from looptx.errors import Malformed
from looptx.source.text import render

ROOT = Path(__file__).parents[1]

DECORATED = '''\
"""A module."""

import numpy as np

import looptx
from looptx import split, tile


@looptx.kernel("tile i=32", split("j", 8, names=("j", "q")), tile(i=4, j=2), strict=1)
def f(A, n):
    for i in range(n):
        A[i] = 0


class K:
    @looptx.kernel
    @staticmethod
    def g(A, n):
        for i in range(n):
            A[i] = np.sqrt(A[i])
'''


def test_directives_of_a_decorator() -> None:
    module = source.read(DECORATED, "t.py")
    first, second = module.kernels
    found = source.decorator_directives(module, first)
    texts = [directive.text for directive in found]
    assert texts == ["tile i=32", "split j 8 as j q", "tile i=4 j=2"]
    assert found[0].place.line == 9 and found[0].place.column == 16
    assert found[0].source == DECORATED.split("\n")[8]
    assert second.decorated
    assert source.decorator_directives(module, second) == ()


@pytest.mark.parametrize("argument", ["name", "*names", "split('i', size)", "3", "g()"])
def test_directives_that_must_be_run(argument: str) -> None:
    text = DECORATED.replace('"tile i=32"', argument, 1)
    module = source.read(text, "t.py")
    with pytest.raises(Malformed) as caught:
        source.decorator_directives(module, module.kernels[0])
    assert caught.value.code == "LX102"
    assert caught.value.place is not None and caught.value.place.line == 9


def test_all_decorators_go_with_their_imports() -> None:
    module = source.read(DECORATED, "t.py")
    text = source.rewrite(module, source.strip_decorator(module, *module.kernels))
    assert "looptx" not in text and "split" not in text
    assert "import numpy as np\n\n\ndef f" in text
    assert "    @staticmethod\n    def g" in text


def test_an_import_stays_while_it_is_used() -> None:
    module = source.read(DECORATED, "t.py")
    edits = source.strip_decorator(module, module.kernels[0])
    text = source.rewrite(module, edits)
    assert "import looptx\n" in text
    assert "from looptx" not in text
    assert "@looptx.kernel\n" in text
    used = DECORATED + "\nX = tile\n"
    module = source.read(used, "t.py")
    text = source.rewrite(module, source.strip_decorator(module, *module.kernels))
    assert "from looptx import tile\n" in text
    exported = DECORATED + '\n__all__ = ["split", "tile"]\n'
    module = source.read(exported, "t.py")
    text = source.rewrite(module, source.strip_decorator(module, *module.kernels))
    assert "from looptx import split, tile\n" in text


@pytest.mark.parametrize(
    ("imports", "decorator"),
    [
        ("import looptx", "looptx.kernel"),
        ("import looptx as lx", "lx.kernel('split i 2')"),
        ("from looptx import kernel", "kernel"),
        ("from looptx import kernel as k", "k()"),
        ("from looptx.kernel import kernel", "kernel"),
    ],
)
def test_spellings_of_the_decorator(imports: str, decorator: str) -> None:
    text = f"{imports}\n\n\n@{decorator}\ndef f(A, n):\n    return A\n"
    module = source.read(text, "t.py")
    (kernel,) = module.kernels
    assert kernel.decorated
    edits = source.strip_decorator(module, kernel)
    assert source.rewrite(module, edits) == "def f(A, n):\n    return A\n"


@pytest.mark.parametrize("decorator", ["kernel", "other.kernel", "looptx.schedule(f)"])
def test_other_decorators(decorator: str) -> None:
    text = f"import looptx\n@{decorator}\ndef f(A, n):\n    return A\n"
    assert source.read(text, "t.py").kernels == ()


HOSTED = '''\
import looptx
class K:
    # not in the function
    @looptx.kernel("split i 2")
    def f(self, A, n):
        """Several

        lines."""
        s = 0.0
        # the nest
        for i in range(n):
            A[i] += self.h
            s += A[i]

            # end
        for i in range(2):
            A[0] = i
        return s, """
    x"""
'''


def hosted(answer: object) -> tuple[object, np.ndarray, list[object]]:
    """Run the host function with a call that gives ``answer``."""
    module = source.read(HOSTED, "t.py")
    (kernel,) = module.kernels
    text = source.host(module, kernel, {"n0": "__call"})
    asked: list[object] = []

    def call(*args: object) -> object:
        asked.extend(args)
        return answer

    space: dict[str, object] = {"__call": call}
    exec(text, space)
    function = space["f"]
    assert callable(function) and function.__doc__ == "Several\n\n        lines."
    assert "looptx.kernel" not in text
    data = np.ones(3)

    class Self:
        h = 2.0

    return function(Self, data, 3), data, asked


def test_a_host_falls_back_to_the_nest() -> None:
    result, data, asked = hosted(None)
    assert result == (9.0, "\n    x")
    assert data.tolist() == [1.0, 3.0, 3.0]
    assert kernel_of(HOSTED).nests[0].live_in == ("n", "A", "self.h", "s")
    assert asked[0] == 3 and asked[2:] == [2.0, 0.0]


def test_a_host_takes_the_results_of_a_call() -> None:
    result, data, _ = hosted((42.0,))
    assert result == (42.0, "\n    x")
    assert data.tolist() == [1.0, 1.0, 1.0]


def test_a_nest_without_results_needs_no_else() -> None:
    module = source.read(HOSTED, "t.py")
    text = source.host(module, module.kernels[0], {"n1": "__call"})
    assert "else:" not in text
    ast.parse(text)


def test_tabs_are_kept() -> None:
    text = "def f(A, n):\n\tfor i in range(n):\n\t\tA[i] = 0\n"
    module = source.read(text, "t.py")
    host = source.host(module, module.kernels[0], {"n0": "__call"})
    assert "\tif __looptx_result is None:\n\t\tfor i in range(n):\n" in host
    ast.parse(host)


ODD = """
def f(A, B, größe, n):
    \u00e9 = 0
    for ii in range(n):
        A[ii] = "é" and B[ii]; \u00e9 = ii
        A[ii] = \\
            \u00e9 + 1
        if B[ii] > 0: A[ii] = \u00e9
        elif B[ii] < 0:
            A[ii] = (  # why
                2
          + ii
            )
            # looptx: unroll k
            for k in range(ii): A[k] = \u00e9
        else: A[(ii)] = B[größe * ii]
        A[ii], \u00e9 = \u00e9, (A[ii])
        if ii > 1:
            pass
        elif B[ii] > 1:
            A[ii] = 1
"""


def assert_renders(text: str) -> int:
    """Statements render to what they were; returns how many there are."""
    count = 0
    for kernel in source.read(text, "t.py").kernels:
        for nest in kernel.nests:
            for statement in nest.statements.values():
                rendered = render(statement.text)
                assert ast.dump(ast.parse(rendered)) == ast.dump(
                    ast.Module(list(statement.code), [])
                ), rendered
                loops = {name: name.partition("#")[0] for name in statement.loops}
                chosen = {name: "i_1" for name in loops if loops[name] in ("i", "ii")}
                renamed = render(statement.text, chosen)
                again = ast.unparse(ast.parse(renamed))
                assert again == ast.unparse(
                    ast.parse(renamed_names(ast.unparse(ast.parse(rendered))))
                )
                count += 1
    return count


def renamed_names(text: str) -> str:
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in ("ii", "i"):
            node.id = "i_1"
    return ast.unparse(tree)


def test_odd_texts_render_to_what_they_were() -> None:
    assert assert_renders(ODD) == 7
    nest = kernel_of(ODD).nests[0]
    texts = [render(statement.text) for statement in nest.statements.values()]
    assert not any("looptx" in text for text in texts)
    assert texts[-1] == "if B[ii] > 1:\n    A[ii] = 1"


@pytest.mark.parametrize(
    "path", sorted(ROOT.glob("examples/*/*.py")), ids=lambda path: path.name
)
def test_examples_render_to_what_they_were(path: Path) -> None:
    assert_renders(path.read_text(encoding="utf-8"))


def test_where_a_name_stands_alone() -> None:
    code = """
    def f(A, B, n):
        for i in range(n):
            t = i
            A[i, -i] = max(i, t) + i
            A[i:] += i
    """
    nest = kernel_of(textwrap.dedent(code)).nests[0]
    alone = [
        [part.alone for part in s.text.parts if not isinstance(part, str)]
        for s in nest.statements.values()
    ]
    assert alone == [[False, True], [True, False, True, True, False], [False, True]]
