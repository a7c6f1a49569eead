"""Runs of original and rewritten functions on numbers: bytes, results, calls, errors.

Arrays are as users have them: single precision rounds, integers wrap, what is read
outside of an array raises. A sum whose order is free is compared with exact values.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from fuzz.moving.function import HEAD, Moving
from fuzz.moving.together import (
    LANES,
    THREADS,
    elsewhere,
    misplaced,
    plain,
    runs_together,
    told,
)
from fuzz.programs.dice import Dice
from fuzz.tiers.case import BROKEN, OTHER, Verdict, transformed
from fuzz.tiers.tally import ORDER_ONLY, REFUSED_LEGAL

SIZES = (0, 1, 2, 3, 4, 5, 7)
RUNS = 7

PROOFS = ("LX201", "LX202", "LX203", "LX204", "LX206", "LX207", "LX211", "LX212")

IDLE = "nothing that an iteration of the loop"
"""What looptx says of a nest that has nothing to do with the loop it is to run in."""

MADE = re.compile(r"\b(?:np|numpy)\.(empty|zeros|ones)\(")


@dataclass(frozen=True)
class Left:
    """What a call leaves: bytes of arrays, results, calls that were made.

    Attributes:
        error: the name of the exception. written: how many elements were assigned.
    """

    arrays: Mapping[str, np.ndarray[Any, Any]]
    results: tuple[object, ...]
    log: list[object]
    error: str = ""
    written: int = 0

    def difference(self, other: Left, *, exact: bool) -> str:
        """What is different, or ``""``; other bits of numbers count if ``exact``."""
        if self.error or other.error:
            if bool(self.error) != bool(other.error):
                return (
                    f"raises {other.error or 'nothing'}, not {self.error or 'nothing'}"
                )
            return ""
        for name, one in self.arrays.items():
            found = other.arrays[name]
            if not _same(one, found, exact=exact):
                return f"{name} is\n{found}\nnot\n{one}"
        if len(self.results) != len(other.results):
            return f"gives {other.results}, not {self.results}"
        for value, given in zip(self.results, other.results, strict=True):
            if not _same(np.asarray(value), np.asarray(given), exact=exact):
                return f"gives {given!r}, not {value!r}"
        if repr(self.log) != repr(other.log):
            return f"calls with {other.log}, not {self.log}"
        return ""


def _same(one: np.ndarray[Any, Any], two: np.ndarray[Any, Any], *, exact: bool) -> bool:
    if one.shape != two.shape or one.dtype.kind != two.dtype.kind:
        return bool(np.array_equal(one, two)) and one.shape == two.shape
    if exact:
        same = np.array_equal(one, two, equal_nan=one.dtype.kind in "fc")
        return bool(same) and _signs(one) == _signs(two)
    if one.dtype.kind not in "fci":
        return bool(np.array_equal(one, two))
    return bool(np.allclose(one, two, rtol=1e-4, atol=1e-4, equal_nan=True))


def _signs(values: np.ndarray[Any, Any]) -> bytes:
    """The signs of floats, those of zeros, too."""
    if values.dtype.kind not in "fc":
        return b""
    parts = values.real, values.imag
    return b"".join(np.signbit(np.where(x == x, x, 0)).tobytes() for x in parts)


def verdict(made: Moving, seed: int) -> Verdict:
    """What is wrong with what looptx makes of a function."""
    with told():
        answer = transformed(made.text())
    code = answer.code
    if (code in BROKEN and code != "LX107") or OTHER in answer.message:
        return Verdict(code, f"error {code}", answer.message)
    if code == "LX204":
        return Verdict(code, notes=("LX204 unjudged: it takes too long",))
    if code and made.legal and IDLE not in answer.message:
        return Verdict(code, REFUSED_LEGAL, answer.message)
    if code == "LX106" and " cannot be " in answer.message:
        return _refused_place(made, answer.message)
    if code:
        if code not in PROOFS:
            return Verdict(code)
        return _refused(made, seed, answer.code, answer.message)
    for name, where in _places(made).items():
        why = elsewhere(answer, name, where)
        if why:
            detail = f"{name} cannot be {where}: {why}\n{plain(answer.text)}"
            return Verdict("", "accepts a wrong place", detail)
    if _rounds(made):
        return Verdict(
            "", notes=("unjudged: what is added in another order is rounded",)
        )
    why = difference(made, answer.text, seed)
    if why is None:
        return Verdict("", notes=("never ran",))
    if why:
        return Verdict("", "computes something else", f"{why}\n{plain(answer.text)}")
    return Verdict("", notes=("loops run together",) * runs_together(answer.text))


def _places(made: Moving) -> dict[str, str]:
    """Where buffers have to be."""
    found = re.findall(r"set_buffer (\S+) (\S+)", "\n".join(made.directives))
    return dict(found)


def _refused_place(made: Moving, message: str) -> Verdict:
    """Whether a buffer can be where looptx says that it cannot."""
    kept = [text for text in made.directives if not text.startswith("set_buffer ")]
    with told():
        answer = transformed(replace(made, directives=tuple(kept)).text())
    if answer.code:
        return Verdict("LX106", notes=(f"place unjudged: {answer.code} without it",))
    found = re.search(r"`(\w+)` cannot be (\w+): ", message)
    assert found is not None
    if not misplaced(answer, found[1], found[2]):
        return Verdict("LX106", "refuses a place", f"{message}\n{plain(answer.text)}")
    return Verdict("LX106", notes=("place refused: confirmed",))


class Counted(np.ndarray[Any, Any]):
    """An array that counts how often its elements are assigned.

    Numbers of Python's do not count: a temporary is filled with one for each life.
    """

    writes: ClassVar[list[int]] = [0]

    def __setitem__(self, at: Any, value: Any) -> None:
        self.writes[0] += type(value) not in (int, float)
        super().__setitem__(at, value)


def _slides(made: Moving) -> bool:
    """Whether no iteration runs twice, and nothing is copied."""
    moves = [text for text in made.directives if text.startswith("compute_at ")]
    others = ("cache_", "rfactor ")
    return (
        bool(moves)
        and all(x.endswith(" sliding") for x in moves)
        and not any(text.startswith(others) for text in made.directives)
    )


def _rounds(made: Moving) -> bool:
    """Whether a sum that may be taken in any order rounds each step to an integer."""
    text = made.bare.removeprefix(HEAD)
    kinds = {*re.findall(r"\b(?:u?int|float|complex)\d+|\bbool\b", text)}
    kinds |= {array.dtype for array in made.arrays}
    fractions = re.search(r" / |sqrt|log\(|0\.1", text) is not None
    whole = any(kind[0] in "uib" for kind in kinds)
    mixed = len(kinds) > 1 or fractions or "bool" in kinds
    return not _exact(made) and ((whole and mixed) or "float16" in kinds)


def _exact(made: Moving) -> bool:
    """Whether no sum may be taken in another order."""
    return not any(text.startswith("reassociate ") for text in made.directives)


def _refused(made: Moving, seed: int, code: str, message: str) -> Verdict:
    """Whether a run shows that a refusal is needed."""
    trusting = made.text().replace("# looptx: ", "# looptx: trust order | ", 1)
    with told():
        answer = transformed(trusting)
    if answer.code:
        return Verdict(code, notes=(f"{code} unjudged: {answer.code} on trust",))
    why = difference(made, answer.text, seed, runs=2 * RUNS)
    if why == "":
        return Verdict(code, notes=(f"{code} unconfirmed: {ORDER_ONLY}",))
    return Verdict(code, notes=(f"{code} {'confirmed' if why else 'never ran'}",))


def difference(made: Moving, new: str, seed: int, runs: int = RUNS) -> str | None:
    """Where a rewritten function does something else, None where none ends."""
    ran = False
    exact = _exact(made)
    for call in calls(made, seed, runs):
        expected = left(made.bare, call, 1)
        # What was never written may be anything.
        if expected.difference(left(made.bare, call, 2), exact=True):
            continue
        ran = ran or not expected.error
        found = left(new, call, 1)
        # Sizes at which a subscript leaves its array are none that a proof is about.
        if expected.error == "IndexError" and not found.error:
            continue
        why = expected.difference(found, exact=exact)
        if why:
            return f"at {call}: {why}"
        if runs_together(new):
            why = expected.difference(left(new, call, 1, -1), exact=exact)
            if why:
                return f"at {call}, the loops that run together backwards: {why}"
        if _slides(made) and not expected.error and found.written > expected.written:
            return f"at {call}: it writes {found.written} cells, not {expected.written}"
    return "" if ran else None


@dataclass(frozen=True)
class Call:
    """Sizes, and numbers in arrays with room, or just as long as loops."""

    n: int
    m: int
    tight: bool
    style: str
    made: Moving

    def __str__(self) -> str:
        room = "tight" if self.tight else "wide"
        return f"n={self.n}, m={self.m}, {room}, {self.style}"

    def arrays(self) -> dict[str, np.ndarray[Any, Any]]:
        """The arrays, made anew."""
        large = max(self.n, self.m)
        tight = self.tight and not self.made.legal
        extent = large + 1 if tight else 4 * (self.n + self.m) + 9
        found = {}
        for one in self.made.arrays:
            shape = (extent,) * one.rank
            values: np.ndarray[Any, Any]
            dice = np.random.default_rng(len(one.name) + ord(one.name[0]) + self.n)
            if self.style == "full":
                values = _full(dice, shape, one.dtype)
            elif one.dtype[0] in "ui":
                least, most = {"small": (-2, 4), "wild": (-9, 99), "ones": (-1, 2)}[
                    self.style
                ]
                values = dice.integers(least, most, shape)
            elif self.style == "wild":
                values = dice.random(shape) * 7 - 1
            elif self.style == "ones":
                values = dice.integers(-1, 2, shape)
            else:
                values = dice.integers(-2, 5, shape) * 0.5
            with np.errstate(over="ignore"):
                found[one.name] = values.astype(one.dtype)
        return found


def _full(
    dice: np.random.Generator, shape: tuple[int, ...], dtype: str
) -> np.ndarray[Any, Any]:
    """Values that wrap around or round: integers of all bits, floats of all sizes."""
    if dtype[0] in "ui":
        known = np.iinfo(dtype)
        return dice.integers(known.min, known.max, shape, dtype, endpoint=True)
    values = (dice.random(shape) - 0.5) * 10.0 ** dice.integers(-4, 12, shape)
    return values * (1 - 0.5j) if dtype[0] == "c" else values


def calls(made: Moving, seed: int, runs: int) -> Iterator[Call]:
    """The calls of a function."""
    dice = Dice(f"calls {seed}")
    exact = _exact(made)
    styles = ("wild", "wild", "small", "full") if exact else ("small", "ones")
    first = [(7, 5), (5, 7), (1, 2), (0, 3), (4, 4), (2, 1), (3, 0)]
    for at in range(runs):
        n, m = first[at] if at < len(first) else (dice.pick(*SIZES), dice.pick(*SIZES))
        yield Call(n, m, dice.chance(25), dice.pick(*styles), made)


_KNOWN: dict[str, Any] = {}


def _made(found: re.Match[str]) -> str:
    """What makes an array in the place of NumPy."""
    return {"empty": "poisoned("}.get(found[1], f"{found[1]}(")


def _compiled(text: str) -> Any:
    found = _KNOWN.get(text)
    if found is None:
        if len(_KNOWN) > 8:
            _KNOWN.clear()
        _KNOWN[text] = found = compile(MADE.sub(_made, text), "<moving>", "exec")
    return found


def left(text: str, call: Call, poison: int, order: int = 1) -> Left:
    """What a call of a function leaves.

    Args:
        poison: what cells hold that nothing has written.
        order: -1 for loops that run together and run backwards.
    """

    def together(*bounds: Any) -> range:
        return range(*bounds)[::order]

    def poisoned(shape: Any, dtype: Any = float) -> Any:
        return np.full(shape, 77 * poison, dtype).view(Counted)

    def zeros(shape: Any, dtype: Any = float) -> Any:
        return np.zeros(shape, dtype).view(Counted)

    def ones(shape: Any, dtype: Any = float) -> Any:
        return np.ones(shape, dtype).view(Counted)

    scope: dict[str, Any] = {"poisoned": poisoned, "zeros": zeros, "ones": ones}
    scope |= {THREADS: together, LANES: together}
    exec(_compiled(text), scope)
    called: Callable[..., Any] = scope["f"]
    arrays = call.arrays()
    code = called.__code__
    names = code.co_varnames[: code.co_argcount]
    given = {name: arrays[name].view(Counted) for name in names if name in arrays}
    Counted.writes[0] = 0
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            results = called(**given, n=call.n, m=call.m)
        except Exception as error:
            return Left(given, (), scope["log"], type(error).__name__)
    values = results if type(results) is tuple else (results,)
    return Left(given, values, scope["log"], written=Counted.writes[0])
