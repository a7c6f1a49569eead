"""Names in rewritten Python mean what they meant in the source, whatever hides them."""

from __future__ import annotations

import sys
import textwrap

import numpy as np
import pytest
from kit.carried import refusal, rewritten, same

SIZES = [(np.zeros(40), n) for n in (0, 1, 3, 4, 5, 7, 12, 13)]

KERNEL = """
def f(A, n):
    # looptx: split i 4 | reorder ii i
    for i in range(n):
        A[i] += i + 1
"""
PLAIN = "range(min(n, 4))"
CHOSEN = "range(n if n <= 4 else 4)"

HIDING = {
    "def": "def min(a, b):\n    return a + b\n",
    "class": "class min:\n    pass\n",
    "assignment": "min = max\n",
    "import": "import numpy as min\n",
    "from": "from numpy import min\n",
    "star": "from numpy import *\n",
    "walrus": "if (min := max):\n    pass\n",
    "for": "for min in [max]:\n    pass\n",
    "with": "import io\n\nwith io.StringIO() as min:\n    pass\n",
    "match": "match max:\n    case min:\n        pass\n",
    "except": "try:\n    1 / 0\nexcept ZeroDivisionError as min:\n    pass\n",
    "conditional import": (
        "try:\n    from numpy import min\nexcept ImportError:\n    pass\n"
    ),
    "global": ("def g():\n    global min\n    min = lambda a, b: a + b\n\n\ng()\n"),
    "global import": "def g():\n    global min\n    from numpy import min\n\n\ng()\n",
    "global def": (
        "def g():\n    global min\n\n    def min(a, b):\n        return a\n\n\ng()\n"
    ),
    "global in a class": "class C:\n    global min\n    min = max\n",
    "item of globals": "globals()['min'] = max\n",
    "item of vars": "if 1:\n    vars()['min'] = max\n",
    "update of globals": "globals().update(min=max, k=2)\n",
}


@pytest.mark.parametrize(
    "line",
    ["builtins.min = max", "setattr(builtins, 'min', max)", "__builtins__.min = max"],
)
def test_min_of_everybody_is_not_called(line: str) -> None:
    text = f"import builtins\n\ndef spoil():\n    {line}\n\n\n{KERNEL}"
    assert CHOSEN in same(text, *SIZES)


@pytest.mark.parametrize("name", HIDING)
def test_min_of_the_module_is_not_called(name: str) -> None:
    assert CHOSEN in same(HIDING[name] + KERNEL, *SIZES)


def test_min_that_comes_later_is_not_called() -> None:
    assert CHOSEN in same(KERNEL + "\n\nmin = max\n", *SIZES)


HARMLESS = {
    "nothing": "",
    "attribute": "class C:\n    min = 3\n",
    "local": "def g(min):\n    max = 3\n    return max\n",
    "read as a global": "def g():\n    global min\n    return min\n",
    "other star": "from math import *\nfrom os.path import *\n",
    "the builtin": "from numpy import *\nfrom builtins import min\n",
    "all builtins": "from numpy import *\nfrom builtins import *\n",
}


@pytest.mark.parametrize("name", HARMLESS)
def test_the_builtin_is_called_where_it_is_one(name: str) -> None:
    assert PLAIN in same(HARMLESS[name] + KERNEL, *SIZES)


def test_a_parameter() -> None:
    text = KERNEL.replace("A, n", "A, n, min, max")
    assert CHOSEN in same(text, *((*one, 2, 3) for one in SIZES))


def test_a_local_variable() -> None:
    text = KERNEL.replace("    # looptx", "    min = max = 0\n    # looptx")
    assert CHOSEN in same(text, *SIZES)


def test_a_closure() -> None:
    inner = textwrap.indent(KERNEL, "    ")
    text = f"def make(min):\n{inner}\n    return f\n"
    assert CHOSEN in same(text, *SIZES, function="make(3)")


def test_a_method_does_not_see_its_class() -> None:
    inner = textwrap.indent(KERNEL.replace("A, n", "self, A, n"), "    ")
    text = f"class C:\n    min = 3\n{inner}"
    assert PLAIN in same(text, *SIZES, function="C().f")


@pytest.mark.skipif(sys.version_info < (3, 12), reason="the syntax is of Python 3.12")
def test_type_parameters() -> None:
    assert CHOSEN in same(KERNEL.replace("f(", "f[min]("), *SIZES)
    inner = textwrap.indent(KERNEL.replace("A, n", "self, A, n"), "    ")
    assert CHOSEN in same(f"class C[min]:\n{inner}", *SIZES, function="C().f")
    assert "LX305" in refusal(KERNEL.replace("f(", "f[range]("))


def test_all_that_looptx_writes() -> None:
    """Values in bodies, restored variables, sizes of buffers, nested choices."""
    text = """
import numpy as np


def f(A, B, n, m, min, max):
    # looptx: tile i=3 j=2 | reorder ii jj i j
    for i in range(n):
        for j in range(i, m):
            A[i, j] += i * 2 + j
    # looptx: pad n2.k 1 | fuse n1 n2 as k o | split k 3
    for k in range(n):
        B[k] += k
    for k in range(1, m):
        B[k - 1] *= 3 * k
    T = np.zeros((m, n))
    # looptx: temp T | reorder q p | unroll q 2
    for p in range(n):
        for q in range(p, m):
            T[q, p] = A[p, q] + q
            A[p, q] = T[q, p] + p
    return i, j, k, p, q
"""
    calls = [
        (np.ones((9, 9)), np.ones(9), n, m, 1, 1)
        for n in (1, 2, 3, 7)
        for m in (7, 8, 9)
    ]
    new = same(text, *calls)
    assert "min(" not in new and "max(" not in new and " if " in new


NO_RANGE = {
    "def": "def range(n):\n    return [1]\n",
    "assignment": "range = lambda n: [1]\n",
    "import": "from foo import range\n",
    "conditional": "try:\n    range = xrange\nexcept NameError:\n    pass\n",
    "star": "from foo import *\n",
    "relative star": "from .foo import *\n",
    "star behind": "from builtins import range\nfrom foo import *\n",
    "global": "def g():\n    global range\n    range = 3\n",
}


@pytest.mark.parametrize("name", NO_RANGE)
def test_a_range_that_may_be_another_one_is_no_loop(name: str) -> None:
    message = refusal(NO_RANGE[name] + KERNEL)
    assert "LX305" in message and "may not be Python's `range`" in message


@pytest.mark.parametrize(
    "text",
    [
        "# looptx: split i 4\ndef f(A, n):\n    for i in range(n):\n        A[i] = 1\n",
        "import looptx\n\n\n@looptx.kernel('split i 4')\n"
        "def f(A, n):\n    for i in range(n):\n        A[i] = 1\n",
    ],
)
def test_directives_of_the_function_find_no_loop_either(text: str) -> None:
    message = refusal(f"from torch import *\n{text}")
    assert "LX305 a loop over what may not be Python's `range`" in message
    assert "write `from builtins import range` behind" in message


def test_the_hint_for_a_star_works() -> None:
    star = "from torch import *\n"
    hint = "write `from builtins import range` behind `from torch import *`"
    assert hint in refusal(star + KERNEL)
    assert hint in refusal("from builtins import range\n" + star + KERNEL)
    assert not rewritten(star + "from builtins import range\n" + KERNEL).code


def test_min_of_the_user_says_nothing_of_its_arguments() -> None:
    text = """
def f(A, n, x):
    # looptx: split i 4 | reorder ii i
    for i in range(n):
        if i < x:
            A[i] += 1
    for k in range(min(n, x)):
        A[k] += 1


def min(a, b):
    return a
"""
    same(text, *((*one, x) for one in SIZES for x in (2, 2.5)))


def test_range_of_an_enclosing_function() -> None:
    inner = textwrap.indent(KERNEL, "    ")
    own = f"def make():\n    range = 3\n{inner}\n    return f\n"
    assert "LX305" in refusal(own)
    told = "    def tell():\n        nonlocal np\n        np = 3\n"
    outer = textwrap.indent(KERNEL.replace("i + 1", "np.sqrt(i)"), "    ")
    assert "LX203" in refusal(f"def make():\n    import numpy as np\n{told}{outer}")


def test_what_a_star_brings_is_known_of_math_and_numpy() -> None:
    text = KERNEL.replace("i + 1", "sqrt(i) + pi")
    assert not rewritten("from math import *\n" + text).code
    assert not rewritten("from numpy import *\n" + text).code
    assert "LX203" in refusal("from cmath import *\n" + text)


DEAD = """
u = 7.0


def f(A, n):
    # looptx: split i 4
    for i in range(n):
        if i < 0:
            u = 2.0
            A[i] = u
        A[i] += 1
"""
LOCALS = {
    "read": "    A[0] = u\n",
    "caught": "    try:\n        A[0] = u\n    except NameError:\n        return 3\n",
    "closure": "    return (lambda: u)()\n",
    "nested": "    def g():\n        return u\n\n    A[0] = g()\n",
    "nonlocal": (
        "    def g():\n        nonlocal u\n        u = 4.0\n\n    g()\n    A[0] = u\n"
    ),
    "comprehension": "    return [u for _ in A]\n",
    "its own iterable": "    return [u for u in u]\n",
    "class": "    class C:\n        v = u\n\n    return C.v\n",
}


@pytest.mark.parametrize("name", LOCALS)
def test_what_was_local_stays_local(name: str) -> None:
    new = same(DEAD + LOCALS[name], *SIZES[1:])
    assert "    if False:  # `u`: local, though nothing is assigned\n" in new


def test_what_is_read_before_the_nest_stays_local() -> None:
    text = DEAD.replace("    # looptx", "    v = u\n    # looptx")
    assert "if False:" in same(text, *SIZES[1:])


@pytest.mark.parametrize(
    ("head", "tail"),
    [
        ("", ""),
        ("", "    return [u for u in range(3)]\n"),
        ("    u = 3\n", "    return u\n"),
        ("", "    for u in range(2):\n        A[u] += 1\n"),
        ("", "    try:\n        del u\n    except NameError:\n        return 3\n"),
    ],
)
def test_nothing_is_said_of_other_names(head: str, tail: str) -> None:
    text = DEAD.replace("    # looptx", f"{head}    # looptx") + tail
    assert "if False:" not in same(text, *SIZES[1:])


def test_locals_of_methods_and_of_functions_in_functions() -> None:
    inner = textwrap.indent(DEAD.partition("\n\n\n")[2], "    ") + "        return u\n"
    text = f"u = 7.0\n\n\nclass C:\n{inner.replace('A, n', 'self, A, n')}"
    assert "        if False:" in same(text, *SIZES[1:], function="C().f")
    text = f"def make():\n    u = 7.0\n\n{inner}\n    return f\n"
    assert "        if False:" in same(text, *SIZES[1:], function="make()")


def test_several_nests_lose_their_names() -> None:
    second = "    # looptx" + DEAD.partition("    # looptx")[2].replace("u", "v")
    text = f"v = 3.0\n{DEAD}{second}    return [u, v]\n"
    new = same(text, *SIZES[1:])
    assert "# `u`, `v`: local" in new and "        u = v = None\n" in new
