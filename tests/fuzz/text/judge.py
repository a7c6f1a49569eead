"""What may become of a malformed text: a result, or errors that say where.

No other exception, nothing run, no line in generated code that the text has put there,
no file changed when there are errors, 2 seconds, 1 GB.
"""

from __future__ import annotations

import re
import resource
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from fuzz.text.cases import Case
from fuzz.text.injections import CANARY
from fuzz.text.ways import ENTRIES, Seen
from looptx.errors import CODES, LooptxError

SECONDS = 2.0
BYTES = 1 << 30
REPEATS = 4
"""So many times more is a case run that took too long: its fastest run counts."""
PATIENCE = 6.0
"""Seconds of processor time after which a case is stopped."""

VERBATIM = re.compile(r'(?s)cdef extern from \*:\n    """\n.*?\n    """\n')
"""The C of the prelude, which comes before all that a source says."""

COMMENT = re.compile(r"(?m)^[ \t]*#(?![ \t]*looptx: ).*$")
IMPORT = re.compile(r"(?m)^\s*((?:from\s|import\s|cimport\s|include\s|cdef extern).*)$")
IMPORTS = re.compile(
    r"cimport cython as lx_cython|cimport openmp as lx_openmp|import numpy as lx_numpy"
    r"|from libc\.\w+ cimport [\w, ]+|from cython\.parallel cimport [\w, ]+"
    r"|import cython as lx_cython|cdef extern from \*( nogil)?:|import os"
    r"|from cpython\.contextvars cimport get_value as lx_get_value"
)


class Hang(BaseException):
    """A case took so long that it was stopped."""


@dataclass(frozen=True)
class Verdict:
    """What became of a case.

    Attributes:
        code: of the first error, ``""`` where there is none.
        problems: what is wrong, each a kind and a detail.
        seconds: of processor time.
    """

    code: str
    problems: tuple[tuple[str, str], ...]
    seconds: float


def judge(case: Case, folder: Path) -> Verdict:
    """Run a case in an empty folder and say what is wrong with what came out."""
    before = _memory(anew=True)
    seen, problems, seconds = _timed(case, folder)
    for _ in range(REPEATS):
        # A machine that does other things slows a case down, but not every time.
        if SECONDS < seconds < PATIENCE and not problems:
            seconds = min(seconds, _timed(case, folder)[2])
    if seconds > SECONDS:
        problems.append(("takes longer than 2 s", f"{seconds:.1f} s"))
    grown = _memory() - before
    if grown > BYTES:
        problems.append(("takes more than 1 GB", f"{grown >> 20} MB"))
    if (folder / CANARY).exists():
        (folder / CANARY).rmdir()
        problems.append(("runs what it reads", CANARY))
    if seen is None:
        return Verdict("", tuple(problems), seconds)
    for error in seen.errors:
        problems += _about(error, seen)
    if seen.cython:
        problems += _foreign_lines(seen.cython)
    return Verdict(seen.code, (*problems, *seen.problems), seconds)


def _timed(
    case: Case, folder: Path
) -> tuple[Seen | None, list[tuple[str, str]], float]:
    seen, problems = None, []
    start = time.process_time()
    try:
        with alarm(PATIENCE):
            seen = ENTRIES[case.entry](case, folder)
    except Hang:
        problems = [("hangs", f"stopped after {PATIENCE:.0f} s")]
    except Exception as error:
        problems = [(f"raises {type(error).__name__}", _raised(error))]
    spent = time.process_time() - start
    return seen, problems, spent if seen is None else spent - seen.apart


@contextmanager
def alarm(seconds: float) -> Iterator[None]:
    """Stop what takes so much processor time, with ``Hang``."""

    def ring(*_: object) -> None:
        raise Hang

    before = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _raised(error: BaseException) -> str:
    """The exception and where it came from."""
    at = error.__traceback__
    while at is not None and at.tb_next is not None:
        at = at.tb_next
    where = f" at {at.tb_frame.f_code.co_filename}:{at.tb_lineno}" if at else ""
    return f"{str(error)[:200]}{where}"


def _memory(anew: bool = False) -> int:
    """The most bytes that were in use so far; Linux can be told to count anew."""
    if anew:
        with suppress(OSError):
            Path("/proc/self/clear_refs").write_text("5")
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _about(error: LooptxError, seen: Seen) -> Iterator[tuple[str, str]]:
    """What is wrong with an error."""
    from looptx.cli.output import render

    shown = str(error)[:400]
    if not isinstance(error, LooptxError) or error.code not in CODES:
        yield "gives an error without a code", shown
        return
    if error.code == "LX901":
        last = [line for line in error.detail if line.startswith("  File")][-1:]
        yield f"internal {error.message[:60]}", "\n".join([shown[:200], *last])
        return
    if not error.hint:
        yield "gives an error without a hint", shown
    if error.code != "LX501":
        yield from _place(error, seen.files)
    for form in ("full", "concise", "github"):
        text = render(error, form)
        if form != "full" and "\n" in text:
            yield "shows one error on several lines", repr(text[:300])
        if not text.replace("\n", "").replace("\t", "").isprintable():
            yield "shows unprintable characters", repr(text[:300])
            return


def _place(error: LooptxError, files: dict[str, bytes]) -> Iterator[tuple[str, str]]:
    place = error.place
    shown = str(error)[:400]
    if place is None:
        yield "gives an error without a place", shown
    elif place.file not in files:
        yield "gives a place in another file", shown
    else:
        lines = re.split(rb"\r\n|\r|\n", files[place.file])
        if not 1 <= place.line <= len(lines):
            yield "gives a place on no line", f"{shown} ({len(lines)} lines)"
        elif not 1 <= place.column <= len(lines[place.line - 1]) + 1:
            yield "gives a place behind its line", shown


def _foreign_lines(text: str) -> Iterator[tuple[str, str]]:
    """Lines that looptx does not write: orders to Cython, imports, comments."""
    head, *_ = text.partition("\n\ndef _looptx_start():")
    first, _, rest = VERBATIM.sub("", head, count=1).partition("\n")
    if first != "# cython: language_level=3":
        yield "writes another first line", first
    for comment in COMMENT.finditer(rest):
        yield "writes a comment of the source", comment[0]
    for line in IMPORT.finditer(rest):
        if not IMPORTS.fullmatch(line[1].rstrip()):
            yield "writes an import of the source", line[0]
    if CANARY in re.sub(r"\w*lx_canary_x\w*", "", head):
        yield (
            "writes a text of the source",
            head[max(0, head.find(CANARY) - 80) :][:200],
        )
    if not text.isascii() and not text.replace("\n", "").isprintable():
        yield "writes unprintable characters", ""


def shrunk(case: Case, kind: str, folder: Path, seconds: float = 20.0) -> Case:
    """A smaller case with the same problem: without lines, then without words."""
    stop = time.monotonic() + seconds

    def fails(data: bytes) -> bool:
        found = judge(replace(case, data=data), folder).problems
        return any(each == kind for each, _ in found)

    def without(parts: Sequence[bytes]) -> bytes:
        kept = list(parts)
        size = max(1, len(kept) // 2)
        while True:
            at = 0
            while at < len(kept) and time.monotonic() < stop:
                fewer = kept[:at] + kept[at + size :]
                if fails(b"".join(fewer)):
                    kept = fewer
                else:
                    at += size
            if size == 1 or time.monotonic() >= stop:
                return b"".join(kept)
            size //= 2

    data = without(case.data.splitlines(keepends=True))
    data = without(re.findall(rb"\w+|[^\w\s]|\s+", data))
    return replace(case, data=data)
