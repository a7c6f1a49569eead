"""Calls of NumPy's functions of random numbers, and what stands for them.

``np.random.random()`` is ``random(key, made)`` of ``mersenne``, with the words of
NumPy's generator, by names that no text has.
"""

from __future__ import annotations

import ast

from looptx.model.naming import DRAW, DRAWN

_ALIKE = {
    **dict.fromkeys(("random", "random_sample", "ranf", "sample", "rand"), "random"),
    **dict.fromkeys(("standard_normal", "randn"), "standard_normal"),
    **{name: name for name in ("uniform", "randint", "normal", "lognormal")},
    **{name: name for name in ("exponential", "choice")},
    **{name: name for name in ("standard_exponential", "shuffle")},
}
"""The functions that stand for NumPy's, which are given numbers alone, or nothing."""

_GIVEN = {
    "uniform": ("low", "high"),
    "randint": ("low", "high"),
    "normal": ("loc", "scale"),
    "lognormal": ("mean", "sigma"),
    "exponential": ("scale",),
    "choice": ("a",),
    "shuffle": ("x",),
}
"""The numbers that they are given; one more says how many are wanted."""

STANDING = frozenset(_ALIKE.values())
"""The names of those that stand for them."""


def drawn(node: ast.AST, full: str) -> str:
    """The function that stands for what a call draws; empty for others.

    Args:
        node: the call. full: what it calls.
    """
    module, _, name = full.rpartition(".")
    if not isinstance(node, ast.Call) or module != "numpy.random":
        return ""
    found = _ALIKE.get(name, "")
    given = _GIVEN.get(found, ())
    keywords = [one.arg for one in node.keywords]
    if len(node.args) > len(given) or not {*keywords} <= {*given[len(node.args) :]}:
        return ""
    needs = found in ("randint", "choice", "shuffle")
    least = needs and not (node.args or given[0] in keywords)
    return "" if least else found


def call(node: ast.Call, name: str) -> ast.Call:
    """What stands for a call that draws.

    Args:
        node: the call. name: of the function that stands for its.
    """
    arrays = DRAWN if name.endswith("normal") else DRAWN[:2]
    words: list[ast.expr] = [ast.Name(array, ast.Load()) for array in arrays]
    made = ast.Call(ast.Name(f"{DRAW}{name}", ast.Load()), [], [])
    made.args = [*words, *node.args]
    made.keywords = node.keywords
    if name == "randint" and len(node.args) + len(node.keywords) == 1:
        (high,) = (*node.args, *(one.value for one in node.keywords))
        made.args, made.keywords = [*words, ast.Constant(0), high], []
    for one in (made, made.func, *made.args):
        if one not in node.args:
            ast.copy_location(one, node)
    return made
