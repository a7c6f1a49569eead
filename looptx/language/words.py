"""The words of the directive language: names, integers, and what may become a name."""

from __future__ import annotations

import builtins
import difflib
import keyword
import re
import unicodedata
from collections.abc import Iterable

from looptx.errors import Malformed

LIMIT = 2**31
"""Every number of a directive is below this."""

LONGEST = 120
"""No word of a directive is longer than this."""

_INTEGER = re.compile(r"[+-]?[0-9]{1,12}", re.ASCII)
_DIGITS = re.compile(r"[0-9]{1,6}", re.ASCII)
_NUMERIC = re.compile(r"[+-]?\.?\d")
_AFFINE = re.compile(r"-[^\W\d]|.[-+*/%]|[(\[]")


def is_identifier(text: str) -> bool:
    """Whether ``text`` is a Python name, spelled as Python itself would store it."""
    return (
        len(text) <= LONGEST
        and text.isidentifier()
        and not keyword.iskeyword(text)
        and unicodedata.normalize("NFKC", text) == text
    )


def is_dotted(text: str) -> bool:
    """Whether ``text`` is identifiers joined by dots (``self.u``)."""
    return all(is_identifier(part) for part in text.split("."))


def is_loop(text: str) -> bool:
    """Whether ``text`` can name a loop: ``i``, ``j#2``, ``mm.i``, ``mm.j#2``."""
    name, mark, number = text.partition("#")
    if mark and (not _DIGITS.fullmatch(number) or int(number) < 1):
        return False
    return name.count(".") <= 1 and is_dotted(name)


def looks_numeric(text: str) -> bool:
    """Whether a word is meant as a number (it may still not be an integer)."""
    return _NUMERIC.match(text) is not None


def looks_affine(text: str) -> bool:
    """Whether a word is meant as a sum, a product or a quotient, or a shape."""
    return _AFFINE.search(text) is not None


def integer(text: str) -> int:
    """The value of an integer word.

    Raises LX103 for anything else and for what is 2**31 or more.
    """
    shown = shorten(text)
    if not _INTEGER.fullmatch(text):
        digits = text.lstrip("+-")
        if digits.isascii() and digits.isdigit():
            raise too_large(shown)
        raise Malformed(
            "LX103",
            f"`{shown}` is not an integer",
            hint="write decimal digits only, for example `32`",
        )
    value = int(text)
    if abs(value) >= LIMIT:
        raise too_large(shown)
    return value


def too_large(shown: str) -> Malformed:
    """The error for a number of ``LIMIT`` or more. (LX103)"""
    return Malformed(
        "LX103",
        f"`{shown}` is too large",
        hint="numbers in directives are below 2147483648",
    )


def check_new_name(text: str) -> None:
    """Check that ``text`` can be bound by generated code.

    Raises LX102 for what is no identifier, LX109 for a builtin or a reserved name.
    """
    if not is_identifier(text):
        raise Malformed(
            "LX102",
            f"`{shorten(text)}` is not a name",
            hint="a new name is a Python identifier, for example `ii`",
        )
    if hasattr(builtins, text) or text.startswith("__"):
        raise Malformed(
            "LX109",
            f"the name `{text}` is reserved",
            hint="choose a name that is no Python builtin and has no leading `__`",
        )


def shorten(text: str) -> str:
    """``text`` fit for a message: printable, at most 40 characters."""
    clean = "".join(char if char.isprintable() else "?" for char in text[:40])
    return clean if len(text) <= 40 else f"{clean[:37]}..."


def nearest(word: str, candidates: Iterable[str]) -> str | None:
    """The candidate a user probably meant, if one is close."""
    found = difflib.get_close_matches(word[:LONGEST], sorted(set(candidates)), n=1)
    return found[0] if found else None


def suggestion(word: str, candidates: Iterable[str], otherwise: str) -> str:
    """The hint for a word that is none of those that are known.

    Args:
        word: as the user wrote it. candidates: those that are known.
        otherwise: the hint where none of them is close.

    Returns:
        A hint.
    """
    near = nearest(word, candidates)
    return f"did you mean `{near}`?" if near else otherwise
