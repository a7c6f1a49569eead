"""Names in rewritten Python mean what they meant in the source, whatever hides them."""

from __future__ import annotations

import textwrap

import numpy as np
import pytest
from programs_run import rewritten
from rewritten_run import refusal, same

SIZES = [(np.zeros(40), n) for n in (0, 1, 3, 4, 5, 7, 12, 13)]

KERNEL = """
def f(A, n):
    # looptx: split i 4 | reorder ii i
    for i in range(n):
        A[i] += i + 1
"""
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
    assert "LX302" in refusal(f"def make():\n    import numpy as np\n{told}{outer}")


def test_what_a_star_brings_is_known_of_math_and_numpy() -> None:
    text = KERNEL.replace("i + 1", "sqrt(i) + pi")
    assert not rewritten("from math import *\n" + text).code
    assert not rewritten("from numpy import *\n" + text).code
    assert "LX302" in refusal("from cmath import *\n" + text)
