"""Concrete syntax: decorators removed, functions kept, statements written again."""

from __future__ import annotations

import ast
import re
import sys
import textwrap
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import libcst as cst
import numpy as np
import pytest

from looptx import source
from looptx.cli.text import transform_text
from looptx.errors import Malformed, Place
from looptx.model.expr import Var
from looptx.model.lines import keep_ends
from looptx.model.program import Statement
from looptx.parsers.deep import deeply
from looptx.rewriting import rewritten
from looptx.syntax.concrete import Concrete
from looptx.syntax.original import where
from looptx.syntax.splice import undirected
from looptx.syntax.substitution import Substitution, substituted

ROOT = Path(__file__).parents[2]
SAME = cst.MaybeSentinel.DEFAULT

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
    text = rewritten(module, [(kernel, ()) for kernel in module.kernels])
    assert "looptx" not in text and "split" not in text
    assert "import numpy as np\n\n\ndef f" in text
    assert "    @staticmethod\n    def g" in text


def test_an_import_stays_while_it_is_used() -> None:
    module = source.read(DECORATED, "t.py")
    text = rewritten(module, [(module.kernels[0], ())])
    assert "import looptx\n" in text
    assert "from looptx" not in text
    assert "@looptx.kernel\n" in text
    used = DECORATED + "\nX = tile\n"
    module = source.read(used, "t.py")
    text = rewritten(module, [(kernel, ()) for kernel in module.kernels])
    assert "from looptx import tile\n" in text
    exported = DECORATED + '\n__all__ = ["split", "tile"]\n'
    module = source.read(exported, "t.py")
    text = rewritten(module, [(kernel, ()) for kernel in module.kernels])
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
    assert rewritten(module, [(kernel, ())]) == "def f(A, n):\n    return A\n"


@pytest.mark.parametrize("decorator", ["kernel", "other.kernel", "looptx.schedule(f)"])
def test_other_decorators(decorator: str) -> None:
    text = f"import looptx\n@{decorator}\ndef f(A, n):\n    return A\n"
    assert source.read(text, "t.py").kernels == ()


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


def statements(text: str) -> Iterator[tuple[Statement, cst.CSTNode, Concrete]]:
    """Every statement of the nests of a text, with how it is written."""
    lines = keep_ends(text)
    for kernel in source.read(text, "t.py").kernels:
        first, last = kernel.first_line, kernel.last_line
        concrete = Concrete(lines[first - 1 : last], first, "t.py")
        for nest in kernel.nests:
            for statement in nest.statements.values():
                if statement.elementwise:
                    continue
                yield statement, concrete.statements[where(statement.place)], concrete


def code(node: cst.CSTNode) -> str:
    if isinstance(node, cst.BaseSmallStatement):
        node = cst.SimpleStatementLine([node.with_changes(semicolon=SAME)])
    else:
        node = node.with_changes(leading_lines=())
    return cst.Module([]).code_for_node(node)


def assert_renders(text: str) -> int:
    """Statements are written as what they were; returns how many there are."""
    count = 0
    for statement, node, concrete in statements(text):
        same = code(undirected(node))
        assert ast.unparse(ast.parse(same)) == statement.written
        value = Substitution({"ii": Var("i_1"), "i": Var("i_1")})
        other = code(substituted(node, value, concrete))
        assert ast.unparse(ast.parse(other)) == renamed_names(statement.written)
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
    texts = [code(undirected(node)) for _, node, _ in statements(ODD)]
    assert not any("looptx" in text for text in texts)
    assert texts[-1] == "if B[ii] > 1:\n    A[ii] = 1\n"


@pytest.mark.parametrize(
    "path", sorted(ROOT.glob("examples/*/*.py")), ids=lambda path: path.name
)
def test_examples_render_to_what_they_were(path: Path) -> None:
    assert_renders(path.read_text(encoding="utf-8"))


FIRST = '''\
# looptx: split i 4
@looptx.kernel
def f(A, n):
    """A nest."""
    for i in range(n):
        A[i] = i  # by 4
'''


def changed(text: str) -> str:
    result = transform_text(text, "t.py")
    assert result.changed, result.errors
    return result.text


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("final", [True, False])
def test_newlines_are_those_of_the_file(ending: str, final: bool) -> None:
    text = ("import looptx\n\n\n" + FIRST).replace("\n", ending)
    new = changed(text if final else text.removesuffix(ending))
    assert new.count("\n") == new.count(ending)
    assert new.endswith(ending) == final


@pytest.mark.parametrize(
    "odd",
    [
        "\x0c\n",
        "x = 1\ry = 2\n",
        "X = " + " + ".join(["1"] * 900) + "\n",
        "if True:\n  y = 1 ; z = 2  \n\t# deep\n",
        "S = '''\r\n\x0b'''\r\n",
        "def g(  a,b ):return(a ,b)\n",
    ],
)
def test_other_lines_are_kept_whatever_they_are(odd: str) -> None:
    new = changed(odd + "import looptx\n\n\n" + FIRST + odd)
    assert new.startswith(odd) and new.endswith(odd)
    assert new.count("for ii in range(") == 2


@pytest.mark.parametrize(
    ("inside", "wrong"),
    [
        ("\x0c    x = 1\n", "LX403"),
        ("    x = " + " + ".join(["1"] * 5000) + "\n", "LX304"),
    ],
)
def test_a_function_that_cannot_be_kept_is_refused(inside: str, wrong: str) -> None:
    text = "import looptx\n" + FIRST.replace("    for", inside + "    for")
    result = transform_text(text, "t.py")
    assert [error.code for error in result.errors] == [wrong]
    assert result.text == text


PLAIN = """\
x = 1
@first
@second
def f(A, n):
    # looptx: reorder j i
    for i in range(n):
        for j in range(n):
            A[i, j] = 1
    return A
"""


@pytest.mark.parametrize("feed", ["\f", "  \f", "\f\f"])
@pytest.mark.parametrize(
    ("line", "place"),
    [("@first", 0), ("@second", 3), ("def", 4), ("    for i", 6), ("    return", 9)],
)
def test_form_feeds_in_front_of_code(feed: str, line: str, place: int) -> None:
    """In front of a function one stays; in it, the error says where it is."""
    text = PLAIN.replace(line, feed + line)
    result = transform_text(text, "t.py")
    if not place:
        assert not result.errors and result.text.startswith(f"x = 1\n{feed}@first\n")
        return
    (error,) = result.errors
    assert error.code == "LX403" and error.place == Place("t.py", place)
    assert "form feed" in error.hint and feed in error.source
    lines = text.split("\n")
    lines[place - 1] = lines[place - 1].replace(feed, "")
    assert transform_text("\n".join(lines), "t.py").changed


@pytest.mark.parametrize("feed", ["\f", " \f", "   \t\f"])
def test_directives_behind_form_feeds(feed: str) -> None:
    """Python counts the columns of a line anew behind one."""
    above = PLAIN.replace("    # looptx: reorder j i\n", "").replace(
        "@first", f"{feed}# looptx: reorder j i\n@first"
    )
    inside = PLAIN.replace("    # looptx", f"{feed}    # looptx")
    for text in (above, inside):
        result = transform_text(text, "t.py")
        assert not result.errors and result.changed
    assert feed in transform_text(above, "t.py").text


def test_a_line_that_cannot_be_kept_is_named() -> None:
    result = transform_text(PLAIN.replace("\n", "\r"), "t.py")
    (error,) = result.errors
    assert error.code == "LX403" and error.place == Place("t.py", 9)
    assert "line feed" in error.hint


def test_a_stack_that_there_is_no_memory_for(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    deep = "    x = " + " + ".join(["n"] * 400) + "\n"
    text = "import looptx\n" + FIRST.replace("    for", deep + "    for")
    assert transform_text(text, "t.py").changed
    monkeypatch.setattr(threading.Thread, "start", full)
    result = transform_text(text, "t.py")
    assert [error.code for error in result.errors] == ["LX304"]
    assert result.text == text


def test_comments_of_a_function_outlive_its_directives() -> None:
    text = """\
# what f is
# looptx: split i 4

@first  # one
# between
@looptx.kernel  # gone with it
# looptx: unroll ii
@last(
    1,  # two
)
# at the def
def f(A, n):
    # the nest

    # looptx: nest a
    for i in range(n):
        A[i] = i
    # behind
    return A
# the end
"""
    new = changed("import looptx\n" + text)
    head, _, rest = new.partition("def f")
    wanted = """\
# what f is

@first  # one
# between
@last(
    1,  # two
)
# at the def
"""
    assert head == wanted
    size = "    n = range(n).stop  # a Python int\n"
    assert rest.startswith(f"(A, n):\n    # the nest\n\n{size}    # looptx: applied")
    assert rest.endswith("    # behind\n    return A\n# the end\n")


def test_what_stands_between_fused_nests_moves_with_its_comments() -> None:
    text = """\
def f(A, B, n):
    # looptx: fuse n0 n1
    for i in range(n):
        A[i] = i
    # about c

    # the factor
    c = n * 2  # twice
    for i in range(n):
        B[i] = A[i] * c
    return B
"""
    new = changed(text)
    assert "    # the factor\n    c = n * 2  # twice\n    # about c\n" in new
    assert new.count("# about c") == 1
    space: dict[str, Any] = {}
    exec(new, space)
    a, b = np.zeros(7), np.zeros(7)
    assert np.array_equal(space["f"](a, b, 7), np.arange(7.0) * 14)


def test_methods_are_rewritten_where_they_stand() -> None:
    inner = FIRST.replace("@looptx.kernel\n", "").replace("    ", "\t")
    text = "class K:\n\n\tdef m(self):\n" + textwrap.indent(inner, "\t\t")
    new = changed(text + "\t\treturn f\n")
    assert "\n\t\t\tfor i in range(0, n - 3, 4):\n\t\t\t\tfor ii in" in new
    ast.parse(new)


@pytest.mark.parametrize(
    ("directives", "code"), [("split i 4", "LX301"), ("nest q", "")]
)
def test_texts_that_show_names_keep_them(directives: str, code: str) -> None:
    """``{i=}`` shows how the expression is written, which may not change then."""
    text = f"""
def f(A, n):
    # looptx: {directives}
    for i in range(n):
        print(f"{{i=}} {{i}}")
"""
    result = transform_text(text, "t.py")
    assert [error.code for error in result.errors] == ([code] if code else [])
    for error in result.errors:
        assert error.place is not None and error.place.line == 5 and error.hint
        assert "f-string" in error.message and error.source.lstrip().startswith("print")
    assert code or 'print(f"{i=} {i}")' in result.text


def is_printed(text: str, levels: int) -> bool:
    """Whether libcst prints an expression on the deepest stack that there is."""

    def printed() -> bool:
        return cst.Module([]).code_for_node(cst.parse_expression(text)) == text

    try:
        return deeply(printed, levels)
    except RecursionError:
        return False


@pytest.mark.parametrize("count", [300, 3000, 12000])
@pytest.mark.parametrize("thread", [False, True])
def test_chains_of_any_length_stand_beside_a_nest(count: int, thread: bool) -> None:
    """libcst's parser is native and calls itself until the stack is full; its printer
    is called from native code, which Python 3.12 and 3.13 count on their own."""
    chain = " and ".join(["n"] * count)
    text = f"""
def f(A, n):
    # looptx: split i 4
    for i in range(n):
        A[i] = 1
    return {chain}
"""
    if thread:
        with ThreadPoolExecutor(1) as pool:
            result = pool.submit(transform_text, text, "t.py").result()
    else:
        result = transform_text(text, "t.py")
    if is_printed(chain, count):
        assert not result.errors and result.text.endswith(f"    return {chain}\n")
    else:
        assert [error.code for error in result.errors] == ["LX304"]
        assert sys.version_info >= (3, 12) and count > 700


def test_comments_of_decorators_are_written_once() -> None:
    text = """\
import looptx
# first
@looptx.kernel  # gone
# second
# looptx: nest q
@other
# third
def f(A, n):
    # looptx: split i 4
    for i in range(n):
        A[i] = 1
"""
    head = transform_text(text, "t.py").text.partition("def f")[0]
    assert head == "# first\n# second\n@other\n# third\n"


@pytest.mark.parametrize("value", ["B[i] ** 2", "B[i]"])
def test_new_blocks_have_levels_of_four_wherever_they_stand(value: str) -> None:
    text = f"""
class C:
    def g(self):
        def f(A, B, n):
            # looptx: split i 4
            for i in range(n):
                if A[i] > 0:
                    A[i] = {value}
        return f
"""
    lines = transform_text(text, "t.py").text.split("\n")
    depths = [len(line) - len(line.lstrip()) for line in lines if "ii" in line]
    assert depths == [16, 20, 24, 16, 20, 24]


def test_names_are_those_that_python_compares() -> None:
    """A small script l is an l to Python, wherever it stands."""
    text = """
def f(A, n):
    # looptx: split l 4
    for \u2113 in range(n):
        A[\u2113] = \u2113 + 1
"""
    new = transform_text(text, "t.py").text
    assert "\u2113" not in new
    for n in (0, 1, 4, 7):
        left = []
        for each in (text, new):
            names: dict[str, Any] = {}
            exec(each, names)
            values = np.zeros(9)
            names["f"](values, n)
            left.append(values.tobytes())
        assert left[0] == left[1]


def test_lines_of_white_space_behind_a_nest_are_kept() -> None:
    behind = "        \n        \t\n    \n    x = 1\n    # end\n        \n"
    text = f"""
def f(A, n):
    # looptx: split i 4
    for i in range(n):
        A[i] = 1
        # about
{behind}"""
    assert transform_text(text, "t.py").text.endswith(f"A[ii] = 1\n{behind}")


def test_comments_behind_the_heads_of_fused_loops_are_kept() -> None:
    text = """
def f(A, B, n):
    # looptx: {}fuse a b
    # looptx: nest a
    for i in range(n):  # first
        A[i] = 1
    # looptx: nest b
    # above
    for i in range(n):  # second
        B[i] = 1
"""
    new = transform_text(text.format(""), "t.py").text
    assert all(new.count(one) == 1 for one in ("# first", "# above", "# second"))
    new = transform_text(text.format("assume n > 3 | "), "t.py").text
    assert all(new.count(one) == 2 for one in ("# first", "# above", "# second"))


def test_comments_inside_of_sums_are_kept() -> None:
    text = """
def f(A, n):
    # looptx: split i 4
    for i in range(n):
        A[
            i  # the row
            + 1  # the next
        ] = 1
"""
    new = transform_text(text, "t.py").text
    assert new.count("# the row") == new.count("# the next") == 2


@pytest.mark.parametrize(
    "text",
    [
        """f"{i}"\n              f"{j + 1}" 'a'\n    'b'""",
        """'''a\n  {} # looptx: no directive\n\t\n'''.format(i)""",
        """f'''a\n  {i}\n   # c {j - 1}  \n'''""",
        """('a'  # one\n    'b')""",
    ],
)
@pytest.mark.parametrize("directive", ["unroll j 2", "tile j=3"])
def test_strings_of_several_lines_stay_what_they_are(text: str, directive: str) -> None:
    source = f"""
class C:
    def f(A, n, out):
        # looptx: {directive}
        for i in range(n):
            for j in range(n):
                A[i, j] = 1
                out({text})
"""
    new = changed(source)
    for n in (0, 1, 2, 3, 7):
        shown: list[list[str]] = []
        for each in (source, new):
            scope: dict[str, Any] = {}
            exec(each, scope)
            shown.append([])
            scope["C"].f(np.zeros((9, 9)), n, shown[-1].append)
        assert shown[0] == shown[1] and len(shown[0]) == n * n


ENDS = """
def f(A, n):
    # looptx: {}
    for i in range(n):
        # c0
        for j in range(n):  # c1
            A[i, j] = 1  # c2
            # c3 end of j
        # c4 end of i
        for k in range(0):  # c5
            # c6
            A[i, k] = 2  # c7
            # c8
        # c9
        if n < 0 and n > 3:  # c10
            # c11
            A[i, i] = 4  # c12
            # c13
        # c14
    # c15
    return A
"""


@pytest.mark.parametrize(
    "directive", ["split i 2", "unroll j 2", "reorder j i", "nest x"]
)
def test_comments_at_ends_and_of_what_never_runs_are_kept(directive: str) -> None:
    text = ENDS if "reorder" not in directive else ENDS.partition("        for k")[0]
    new = changed(text.format(directive))
    for comment in re.findall("# c[0-9]+", text):
        assert len(re.findall(rf"{comment}\b", new)) >= 1, comment
    inner, outer = (
        next(line for line in new.split("\n") if line.endswith(end))
        for end in ("end of j", "end of i")
    )
    depths = [len(line) - len(line.lstrip()) for line in (inner, outer)]
    assert depths[0] > depths[1]
