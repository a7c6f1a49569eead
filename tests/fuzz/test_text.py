"""Malformed texts end with a result or with errors that say where, and nothing else.

``make fuzz TIER=text N=20000`` runs more.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from kit.samples import some

from fuzz.programs.spellings import plain
from fuzz.text import cases as text_cases
from fuzz.text import judge as text_judge
from fuzz.text import ways as text_ways
from fuzz.text.injections import CANARY
from fuzz.text.tier import main_tier
from fuzz.text.ways import Seen
from looptx.errors import LooptxError, Malformed, Place

CASES = some(250)


def test_malformed_texts() -> None:
    tally = main_tier(CASES, 0)
    assert tally.cases == CASES
    assert not tally.failures, "\n".join(map(str, tally.failures))
    assert tally.accepted > CASES // 20
    assert sum(tally.codes.values()) > CASES // 2


def test_a_seed_gives_one_case() -> None:
    assert text_cases.make(7) == text_cases.make(7) != text_cases.make(8)


def judged(monkeypatch: pytest.MonkeyPatch, folder: Path, seen: object) -> set[str]:
    """The kinds of problems that are found when a way gives, or raises, this."""

    def way(case: text_cases.Case, folder: Path) -> Seen:
        if isinstance(seen, BaseException):
            raise seen
        assert isinstance(seen, Seen)
        return seen

    monkeypatch.setitem(text_ways.ENTRIES, "file", way)
    case = text_cases.Case(0, "none", "file", b"a\nb\n")
    return {kind for kind, _ in text_judge.judge(case, folder).problems}


def error(code: str = "LX102", line: int = 1, column: int = 1, **more: str) -> Seen:
    said = more.pop("message", "m")
    given: LooptxError = Malformed(code, said, Place("k.py", line, column), hint="h")
    if "hint" in more:
        given.hint = more["hint"]
    return Seen((given,), {"k.py": b"a\nb\n"})


@pytest.mark.parametrize(
    ("seen", "kind"),
    [
        (ValueError("x"), "raises ValueError"),
        (text_judge.Hang(), "hangs"),
        (error("LX901", message="internal error: x"), "internal internal error: x"),
        (error("LX999"), "gives an error without a code"),
        (error(hint=""), "gives an error without a hint"),
        (error(line=4), "gives a place on no line"),
        (error(line=0), "gives a place on no line"),
        (error(column=3), "gives a place behind its line"),
        (Seen(error().errors, {}), "gives a place in another file"),
        (Seen((), {}, "import os\n"), "writes another first line"),
    ],
)
def test_what_is_wrong_is_seen(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, seen: object, kind: str
) -> None:
    assert judged(monkeypatch, tmp_path, seen) == {kind}


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("# distutils: sources=x.c", "writes a comment of the source"),
        ("    #cython: boundscheck=True", "writes a comment of the source"),
        ("cimport posix", "writes an import of the source"),
        ("    from os import system", "writes an import of the source"),
        ("cdef extern from 'x.h':", "writes an import of the source"),
        (f"x = '{CANARY}'", "writes a text of the source"),
    ],
)
def test_foreign_lines_are_seen(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, line: str, kind: str
) -> None:
    text = f"# cython: language_level=3\n# looptx: temp T\n{line}\n"
    assert judged(monkeypatch, tmp_path, Seen((), {}, text)) == {kind}


def test_a_directive_stands_where_its_errors_say(tmp_path: Path) -> None:
    """A text of one letter: a column too far is behind the line."""
    case = text_cases.Case(0, "line", "parse", b"j")
    verdict = text_judge.judge(case, tmp_path)
    assert (verdict.code, verdict.problems) == ("LX101", ())


@pytest.mark.parametrize(
    ("times", "kinds"),
    [
        ([2.4, 2.2, 1.9], set()),
        ([2.4, 2.2, 2.1, 2.2, 2.3], {"takes longer than 2 s"}),
        ([6.1], {"takes longer than 2 s"}),
    ],
)
def test_a_case_is_as_slow_as_its_fastest_run(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    times: list[float],
    kinds: set[str],
) -> None:
    left = iter(times)
    monkeypatch.setattr(text_judge, "_timed", lambda *_: (error(), [], next(left)))
    assert judged(monkeypatch, tmp_path, error()) == kinds
    assert not list(left)


def test_what_is_run_is_seen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / CANARY).mkdir()
    kinds = judged(monkeypatch, tmp_path, Seen((), {}))
    assert kinds == {"runs what it reads"}


def test_failures_shrink(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def way(case: text_cases.Case, folder: Path) -> Seen:
        if b"bad" in case.data:
            raise KeyError("bad")
        return Seen((), {})

    monkeypatch.setitem(text_ways.ENTRIES, "file", way)
    case = text_cases.Case(0, "none", "file", b"one\ntwo bad three\nfour\n" * 3)
    assert text_judge.shrunk(case, "raises KeyError", tmp_path).data == b"bad"


LETTERS = b"""\
def f(A, n):
    # looptx: unroll i 2
    for i in range(n):
        A[%s] = i
"""


@pytest.mark.parametrize(
    ("usual", "kind"),
    [
        (LETTERS % b"i", ""),
        (LETTERS % b"n", "writes something else for other letters"),
        (
            LETTERS.replace(b"unroll i", b"unroll q") % b"i",
            "takes other letters for other names",
        ),
    ],
    ids=["the same", "another name", "an error"],
)
def test_other_letters_that_are_other_names_are_seen(
    usual: bytes, kind: str, tmp_path: Path
) -> None:
    wide = LETTERS % "\uff49".encode()
    case = text_cases.Case(1, "spelled", "file", wide, usual)
    found = {kind for kind, _ in text_judge.judge(case, tmp_path).problems}
    assert found == ({kind} if kind else set())


def test_programs_in_other_letters_and_with_imports_used_twice_are_made() -> None:
    made = [text_cases.make(seed) for seed in range(1500)]
    spelled = [one for one in made if one.kind == "spelled"]
    assert len(spelled) >= 15
    assert sum(not one.data.isascii() for one in spelled) >= 12
    for one in spelled:
        assert plain(one.data.decode()) == plain(one.beside.decode())
    imports = [one.data for one in made if one.kind == "imports"]
    twice = [b"__all__ = ['kernel']" in one or b"print(" in one for one in imports]
    assert sum(twice) >= 4
