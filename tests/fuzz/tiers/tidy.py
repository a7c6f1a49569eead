"""Oracle (d): the text that looptx writes is one that a person could have written.

It parses, black leaves it as it is, every comment of the original is still there, and
looptx leaves it as it is, too.
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections import Counter

import black

from fuzz.oracles.enumeration import Enumerated, Extents, analysable
from fuzz.programs.model import MARK, Assign, Function, Odd, Program, walk
from looptx.cli.text import transform_text

MODE = black.Mode()

LARGE = (5, 6)
"""Sizes at which a statement runs if it ever does."""


def untidy(program: Program) -> str:
    """What is wrong with the text of a rewritten program, or ``""``."""
    given = black.format_str(program.text(), mode=MODE)
    result = transform_text(given, "f.py")
    if result.errors:
        return f"formatted, it is refused: {result.errors[0]}"
    return flaw(given, result.text, commented=all(map(_runs, program.functions)))


def unremarked(program: Program, new: str) -> str:
    """Which comments of a program are not in its new text, or ``""``.

    This is soon seen, in every program; formatting takes long.
    """
    lost = comments(program.text()) - comments(new)
    if not lost or not all(map(_runs, program.functions)):
        return ""
    return f"it has lost the comments {list(lost)}:\n{new}"


def _runs(function: Function) -> bool:
    """Whether every statement runs: what never does may go with its comments."""
    if any(isinstance(node, Odd) for node in walk(function.body)):
        return False
    if not analysable(function.body):
        return True
    statements = sum(isinstance(node, Assign) for node in walk(function.body))
    try:
        found = Enumerated(function).at(Extents(function, *LARGE))
    except IndexError:
        return False
    return len({number for number, _ in found}) == statements


def flaw(given: str, new: str, *, commented: bool = True) -> str:
    """What is wrong with what became of a formatted text, or ``""``.

    Args:
        given: the text before. new: the text after.
        commented: whether all comments must have been kept.
    """
    try:
        ast.parse(new)
    except SyntaxError as error:
        return f"it does not parse: {error}\n{new}"
    if black.format_str(new, mode=MODE) != new:
        return f"black would change it:\n{new}"
    if commented and (lost := comments(given) - comments(new)):
        return f"it has lost the comments {list(lost)}:\n{new}"
    again = transform_text(new, "f.py")
    if again.errors:
        return f"a second time it is refused: {again.errors[0]}\n{new}"
    if again.text != new:
        return f"a second time it becomes\n{again.text}\nfrom\n{new}"
    return ""


def comments(text: str) -> Counter[str]:
    """The comments of a text that are no directives.

    One in a loop that is written several times may stand there several times.
    """
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    found = {x.string for x in tokens if x.type == tokenize.COMMENT}
    return Counter(x for x in found if not x.startswith(MARK))
