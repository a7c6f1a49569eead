"""Names in other letters that mean the same to Python, which normalises them (NFKC)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from keyword import iskeyword

from fuzz.programs.dice import Dice

STARTS = (0xFF21, 0x1D400, 0x1D538, 0x1D5A0, 0x1D670)
"""Where the capital letters are that are wide, bold, double, plain or of one width."""

OTHERS = {"i": "\u2170", "s": "\u017f", "n": "\u207f", "K": "\u212a", "fi": "\ufb01"}
"""Letters that stand alone."""

NAME = re.compile(r"\b[A-Za-z_]\w*\b")
CODE = re.compile(r"[^#\"']*")
"""What stands before the first string or comment of a line."""

SHARE = 35
"""How many of a hundred names are written so."""


def letter(one: str, dice: Dice) -> str:
    """A letter, or another one that is the same to Python."""
    capital = one.isupper()
    found = [
        chr(start + ord(one) - (65 if capital else 97 - (26 + 6 * (start == 0xFF21))))
        for start in STARTS
    ]
    found += [OTHERS[one]] if one in OTHERS else []
    same = [x for x in found if unicodedata.normalize("NFKC", x) == one]
    return dice.pick(*same) if same else one


def respelled(name: str, dice: Dice) -> str:
    """A name of one letter or more with one of them written in another way."""
    if "fi" in name and dice.chance(50):
        return name.replace("fi", OTHERS["fi"], 1)
    places = [at for at, one in enumerate(name) if one.isascii() and one.isalpha()]
    if not places:
        return name
    at = dice.pick(*places)
    other = letter(name[at], dice)
    new = name[:at] + other + name[at + 1 :]
    return new if new.isidentifier() else name


def spelled(
    lines: Iterable[str], number: int, names: frozenset[str] | None = None
) -> list[str]:
    """Lines with some of their names in other letters.

    Args:
        lines: of Python. number: what is drawn follows from it.
        names: those that may be written so; by default those of one letter, with a
            digit behind it or without.
    """
    dice = Dice(f"spelled {number}")

    def again(found: re.Match[str]) -> str:
        name = found[0]
        known = name in names if names is not None else len(name.rstrip("0123")) == 1
        known = known and not iskeyword(name)  # those Python does not normalise
        return respelled(name, dice) if known and dice.chance(SHARE) else name

    done = []
    for line in lines:
        code = CODE.match(line)
        assert code is not None
        done.append(NAME.sub(again, code[0]) + line[code.end() :])
    return done


def plain(text: str) -> str:
    """A text in the letters that Python takes it for."""
    return unicodedata.normalize("NFKC", text)
