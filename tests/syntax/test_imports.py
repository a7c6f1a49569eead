"""A rewritten file loses no import but those of looptx that nothing uses any more."""

from __future__ import annotations

import ast
import textwrap

import pytest

from looptx.cli.text import transform_text
from looptx.decorator import Kernel
from looptx.rewriting import undecorated
from looptx.source import read
from looptx.source.decorators import KERNEL as OF_KERNELS

KERNEL = """\


@{decorator}
def f(A, n):
    # looptx: split i 4
    for i in range(n):
        A[i] = i
"""


def rewritten(head: str, decorator: str = "looptx.kernel", tail: str = "") -> str:
    """The head and the tail of a file in which one function is rewritten."""
    text = head + KERNEL.format(decorator=decorator) + tail
    result = transform_text(text, "f.py")
    assert result.changed, result.errors
    ast.parse(result.text)
    assert "# looptx: applied" in result.text
    before, _, rest = result.text.partition("def f(")
    return before.rstrip("\n") + "\n" + rest.partition(" = ii\n")[2].rpartition("\n")[2]


STAYS = [
    "from math import *\n",
    "from __future__ import annotations\n",
    "import os, sys\n",
    "from . import kernel\n",
    "from .looptx import kernel\n",
    "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    import numpy\n",
    "try:\n    import cupy\nexcept ImportError:\n    cupy = None\n",
    "import looptx.build\n\nx = looptx.build.BuildExt\n",
    "from looptx import split\n",
    "from looptx import LooptxError as Error, tile  # both\n",
    "def g():\n    from looptx import tile\n\n    return tile\n",
    'import looptx\n\n__all__ = ["looptx", "f"]\n',
    "import looptx; import a\n",
    "import looptx\n\n\ndef g(k: 'looptx'):\n    return k\n",
]


@pytest.mark.parametrize("head", STAYS)
def test_what_is_used_or_no_concern_of_the_decorator_stays(head: str) -> None:
    given = head if head.startswith("import looptx") else head + "import looptx\n"
    new = rewritten(given)
    assert new == (given if given == head else head)


@pytest.mark.parametrize(
    ("head", "decorator", "left"),
    [
        ("import looptx\n", "looptx.kernel", ""),
        ("import looptx as lx\n", "lx.kernel()", ""),
        ("import a, looptx, b\n", "looptx.kernel", "import a, b\n"),
        (
            "from looptx import kernel, tile  # x\n",
            "kernel",
            "from looptx import tile  # x\n",
        ),
        (
            "from looptx import (\n    kernel,\n    tile,  # kept\n)\n",
            "kernel",
            "from looptx import (\n    tile,  # kept\n)\n",
        ),
        ("from looptx import kernel as k\nimport a\n", "k", "import a\n"),
        ("from looptx import \\\n    kernel\nx = 1\n", "kernel", "x = 1\n"),
    ],
)
def test_what_only_the_decorator_used_goes(
    head: str, decorator: str, left: str
) -> None:
    assert rewritten(head, decorator).strip("\n") == left.strip("\n")


def test_a_star_gives_no_decorator() -> None:
    """Nobody knows without running it what it brings: import and decorator stay."""
    head = "from looptx import *\n"
    assert rewritten(head, "kernel") == head + "\n\n@kernel\n"


@pytest.mark.parametrize(
    "head",
    [
        "try:\n    import looptx\nexcept ImportError:\n    looptx = None\n",
        "if True:\n    import looptx\n",
        "if True:\n    import looptx\nelse:\n    looptx = None\n",
    ],
)
def test_an_import_that_is_all_of_a_block_stays(head: str) -> None:
    assert rewritten(head).startswith(head)


OLD = "try:\n    import looptx\nexcept ImportError:\n    looptx = None\n"
DOUBTFUL = [
    ("from looptx import *\n", "kernel"),
    (OLD, "looptx.kernel"),
    ("import looptx\n\nk = looptx.kernel\n", "k"),
    ("import looptx as lx\n\nk = lx.kernel(parallel=False)\n", "k"),
    ("try:\n    from looptx import kernel\nexcept ImportError:\n    kernel = id\n",
     "kernel"),
]  # fmt: skip


@pytest.mark.parametrize(("head", "name"), DOUBTFUL)
def test_a_decorator_that_stays_is_told(head: str, name: str) -> None:
    result = transform_text(head + KERNEL.format(decorator=name), "f.py")
    assert f"@{name}" in result.text
    (note,) = result.notes
    assert note.startswith(f"kernel f: `@{name}` may be looptx's and stays")


@pytest.mark.parametrize(
    ("head", "name"),
    [
        ("import looptx\n", "looptx.kernel"),
        ("import looptx\nfrom numba import njit\n", "njit"),
        ("import looptx\n", "looptx.jit"),
        ("from other import kernel\n", "kernel"),
    ],
)
def test_of_other_decorators_nothing_is_told(head: str, name: str) -> None:
    result = transform_text(head + KERNEL.format(decorator=name), "f.py")
    assert result.changed and not result.notes


def test_an_import_stays_while_another_decorator_uses_it() -> None:
    tail = "\n\n@looptx.jit\ndef h(A):\n    return A\n"
    text = "import looptx\n" + KERNEL.format(decorator="looptx.kernel") + tail
    new = transform_text(text, "f.py").text
    assert new.startswith("import looptx\n")
    assert "@looptx.jit" in new


@pytest.mark.parametrize(
    "use",
    [
        'def h(k: "looptx.Kernel"):\n    return k\n',
        'VERSION = eval("looptx.__version__")\n',
        '__all__ = ["f", "looptx"]\n',
    ],
)
def test_an_import_that_a_string_names_stays(use: str) -> None:
    text = "import looptx\n" + KERNEL.format(decorator="looptx.kernel") + use
    new = transform_text(text, "f.py").text
    assert new.startswith("import looptx\n") and new.endswith(use)
    assert "@looptx" not in new


@pytest.mark.parametrize(
    "use", ["def g():\n    return f.report()\n", "PLAIN = f.py_func\n", "f.compile()\n"]
)
def test_a_function_that_is_used_as_a_kernel_keeps_its_decorator(use: str) -> None:
    text = "import looptx\n" + KERNEL.format(decorator="looptx.kernel") + use
    (error,) = transform_text(text, "f.py").errors
    assert error.code == "LX119" and error.place is not None and error.hint
    assert text.split("\n")[error.place.line - 1] == error.source


def test_what_only_kernels_have_is_known() -> None:
    own = {name for name in vars(Kernel) if not name.startswith("_")}
    assert own | {"py_func"} == OF_KERNELS


NEST = """\
def f(A, n):
    for i in range(n):
        for j in range(n):
            A[i, j] = 1
"""


@pytest.mark.parametrize(
    "decorator",
    [
        "@(\n    KERNEL\n)\n",
        "@\\\nKERNEL\n",
        "@  \\\n  (KERNEL)\n",
        "@(  # one\n\n  # two\n  KERNEL  # three\n  # four\n)  # five\n",
        "@(\n(\n\f  KERNEL))\n",
    ],
)
def test_a_decorator_begins_with_its_sign(decorator: str) -> None:
    """Its expression may stand lines below."""
    above, head = "# above\n", "from looptx import kernel\n"
    own = decorator.replace("KERNEL", 'kernel("reorder j i")')
    result = transform_text(head + above + own + NEST, "f.py")
    assert not result.errors
    assert result.text.startswith("# above\ndef f(A, n):\n    # looptx: applied")
    # One of another kind stays as it is.
    other = above + decorator.replace("KERNEL", "lambda f: f")
    text = NEST.replace("    for", "    # looptx: reorder j i\n    for", 1)
    result = transform_text(other + text, "f.py")
    assert not result.errors and result.changed
    assert result.text.startswith(other + "def f(A, n):\n")


@pytest.mark.parametrize(
    "place", ["  # looptx: reorder j i\n  int", "  int\n  # looptx: tile"]
)
def test_a_directive_inside_of_a_decorator_stands_on_nothing(place: str) -> None:
    result = transform_text(f"@(\n{place}\n)\n{NEST}", "f.py")
    assert [error.code for error in result.errors] == ["LX107"]


@pytest.mark.parametrize(
    ("block", "left"),
    [
        ("    import looptx\n    import os\n", "    import os\n"),
        ("    import os\n    import looptx  # gone\n", "    import os\n"),
        (
            "    # a\n    import looptx\n    # b\n    x = 1\n",
            "    # a\n    # b\n    x = 1\n",
        ),
        ("    import looptx\n\n    x = 1\n", "\n    x = 1\n"),
        (
            "    import looptx\n    import looptx\n",
            "    import looptx\n    import looptx\n",
        ),
        ("    import looptx, os\n    import looptx\n", "    import os\n"),
    ],
)
def test_imports_go_from_blocks_that_stay_blocks(block: str, left: str) -> None:
    head = "try:\n{}finally:\n    print()\n"
    assert rewritten(head.format(block)) == head.format(left)
    text = head.format(block) + KERNEL.format(decorator="looptx.kernel")
    same = undecorated(read(text, "f.py"))
    assert same.count("\n") == text.count("\n")
    assert "pass" not in same and ast.parse(same)


LOCAL = """\
def outer():
{head}
    {decorator}
    def f(A, n):
        for i in range(n):
            for j in range(n):
                A[i, j] = 1

    return {left}
"""


@pytest.mark.parametrize(
    ("head", "decorator", "left"),
    [
        ("    from looptx import kernel", '@kernel("reorder j i")', "f"),
        (
            "    if True:\n        import looptx as l, os",
            '@l.kernel(l.reorder("j", "i"))',
            "os, f",
        ),
        (
            "    from looptx import kernel as k, reorder as r",
            '@k(r("j", "i"))',
            "f, r",
        ),
    ],
)
def test_decorators_mean_what_is_imported_where_they_stand(
    head: str, decorator: str, left: str
) -> None:
    text = LOCAL.format(head=head, decorator=decorator, left=left)
    for each in (
        text,
        text.replace("def outer():", "class C:").replace("return", "x ="),
    ):
        result = transform_text(each, "f.py")
        assert not result.errors and not result.notes
        assert result.text.count("# looptx: applied reorder j i") == 1
        names = {
            name.id
            for name in ast.walk(ast.parse(result.text))
            if isinstance(name, ast.Name)
        }
        assert not {"kernel", "k", "l"} & names
        imports = [
            n
            for n in ast.walk(ast.parse(result.text))
            if isinstance(n, ast.Import | ast.ImportFrom)
        ]
        assert len(imports) == (left != "f")


@pytest.mark.parametrize(
    "text",
    [
        "import looptx\n" + LOCAL.replace("()", "(looptx)"),
        "import looptx\n" + LOCAL.replace("{head}", "    looptx = None"),
        "class C:\n    import looptx\n\n    def g(self):\n"
        + textwrap.indent(LOCAL, "        "),
    ],
)
def test_what_hides_an_import_is_no_decorator_of_looptx(text: str) -> None:
    text = text.format(
        head="    x = 1", decorator='@looptx.kernel("reorder j i")', left="f"
    )
    assert transform_text(text, "f.py").text == text


def test_an_import_that_is_used_as_an_attribute_stays() -> None:
    head = "class C:\n    from looptx import kernel\n"
    nest = textwrap.indent('@kernel("reorder j i")\n' + NEST, "    ")
    new = transform_text(f"{head}\n{nest}\n\nk = C.kernel\n", "f.py").text
    assert "applied" in new and new.startswith(head)
