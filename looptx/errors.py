"""Every way looptx can fail, each with a code, a place and one hint.

The codes form a table that ``looptx explain LX201`` prints. The first digit is
the stage that speaks: 1 the directive language, 2 the proof, 3 the source, 4 the
files, 5 the native build, 6 clusters, 9 looptx itself.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

WIDEST = 240
"""Characters of a source line that are shown with an error."""


def printable(text: str) -> str:
    """A line with escapes for what a terminal would obey or not show (tabs are kept).

    Names and lines of files are untrusted text: it may hold control characters, half
    characters, and marks that turn the direction of the others.
    """
    if text.isprintable():
        return text
    return "".join(
        char
        if char.isprintable() or char == "\t"
        else char.encode("unicode_escape").decode("ascii")
        for char in text
    )


def excerpt(line: str, column: int) -> str:
    """A line, or the part of a long one around a column (from 1)."""
    line = line.rstrip()
    first = max(0, min(column - 1 - WIDEST // 4, len(line) - WIDEST))
    part = line[first : first + WIDEST]
    before, behind = "..." * (first > 0), "..." * (first + WIDEST < len(line))
    return f"{before}{part}{behind}"


@dataclass(frozen=True, slots=True)
class Place:
    """A position in a user's file. ``line`` and ``column`` count from 1."""

    file: str
    line: int
    column: int = 1

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


class LooptxError(Exception):
    """The base class of all errors that looptx raises on purpose.

    Args:
        code: a key of ``CODES``, for example ``"LX201"``.
        message: what is wrong, one line, without the place and the code.
        place: where in the user's file, when there is one.
        detail: further lines that say why (a witness, the candidates).
        hint: one action that helps.
        source: the text of the line at ``place``, shown under the message.

    ``also`` holds what else is wrong: in other directives, nests and functions.
    ``step`` is the number of the one among a schedule's moves that is to blame, if any.
    """

    exit_status: ClassVar[int] = 2

    def __init__(
        self,
        code: str,
        message: str,
        place: Place | None = None,
        *,
        detail: tuple[str, ...] = (),
        hint: str = "",
        source: str = "",
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.place = place
        self.detail = detail
        self.hint = hint
        self.source = source
        self.also: tuple[LooptxError, ...] = ()
        self.step: int | None = None

    @property
    def together(self) -> tuple[LooptxError, ...]:
        """The error, and what else is wrong."""
        return (self, *self.also)

    def at(self, place: Place, source: str = "", directive: str = "") -> LooptxError:
        """Give the error a place (and its source line) unless it has one already.

        Args:
            place: where.
            source: the text of that line.
            directive: what is wrong; it is said where the line does not show it.

        Returns:
            The error itself.
        """
        if self.place is None:
            self.place = place
            verb = directive.partition(" ")[0]
            shown = source.startswith(verb, place.column - 1)
            if source and not shown and directive not in self.message:
                self.detail = (f"in the directive `{directive}`", *self.detail)
        if not self.source:
            self.source = source
        return self

    def concise(self) -> str:
        """One line: ``file:line:column: CODE message``."""
        where = f"{self.place}: " if self.place else ""
        return printable(f"{where}{self.code} {self.message}")

    def __str__(self) -> str:
        lines = [self.concise()]
        if self.source and self.place is not None:
            shown = excerpt(self.source, self.place.column)
            lines.append(f"{self.place.line:>4} | {shown}")
        lines.extend(f"    {line}" for line in self.detail)
        if self.hint:
            lines.append(f"    hint: {self.hint}")
        return "\n".join(map(printable, lines))

    def __reduce__(self) -> tuple[object, ...]:
        state = {
            "detail": self.detail,
            "hint": self.hint,
            "source": self.source,
            "also": self.also,
        }
        return (_rebuild, (type(self), self.code, self.message, self.place, state))


def unforeseen(error: BaseException) -> LooptxError:
    """An unexpected exception, as an error, without its traceback.

    Raises:
        KeyboardInterrupt: it is one, in what Python makes of one where a class is made.
    """
    if isinstance(error.__cause__, KeyboardInterrupt):
        raise error.__cause__
    text = " ".join(str(error).split())[:300]
    return LooptxError(
        "LX901",
        f"internal error: {type(error).__name__}{': ' if text else ''}{text}",
        hint="this is a fault of looptx; please report it",
    )


def brief(function: Callable[P, R]) -> Callable[P, R]:
    """A function whose errors show no frames of looptx in their traceback."""

    @functools.wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except (LooptxError, Warning) as error:
            __tracebackhide__ = True  # pytest and debuggers leave this frame out
            raise error.with_traceback(None) from None

    return called


class Together:
    """Errors of parts that are looked at one by one: all are told, not just the first.

    A ``with`` block keeps what is raised in it; ``fail`` raises it.
    """

    def __init__(self) -> None:
        self.found: list[LooptxError] = []

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, _: object) -> bool:
        if isinstance(error, LooptxError):
            self.found += error.together
            return True
        return False

    def fail(self) -> None:
        """Raise the first error, if there is one; the others are in its ``also``."""
        if self.found:
            first, *more = self.found
            first.also = tuple(more)
            raise first


def _rebuild(
    kind: type[LooptxError],
    code: str,
    message: str,
    place: Place | None,
    state: dict[str, object],
) -> LooptxError:
    error = kind(code, message, place)
    error.__dict__.update(state)
    return error


class Malformed(LooptxError):
    """The directives, names, options or files themselves are wrong (exit status 2)."""


class Unsupported(LooptxError):
    """Python that an annotated nest cannot contain (exit status 1)."""

    exit_status = 1


class Refused(LooptxError):
    """The schedule changes the result; ``detail`` holds the witness (exit status 1)."""

    exit_status = 1


class Unproven(LooptxError):
    """Neither safe nor refused: something could not be analysed (exit status 1)."""

    exit_status = 1


class BuildFailed(LooptxError):
    """Cython or the C compiler failed, or the result does not load (exit status 1)."""

    exit_status = 1


CODES: dict[str, str] = {
    "LX101": "unknown directive verb",
    "LX102": "a directive does not follow the grammar of its verb",
    "LX103": "a number is missing, not an integer, or out of range",
    "LX104": "a name matches no loop, nest, array or scalar",
    "LX105": "a name matches several loops",
    "LX106": "a structural rule of the directive is broken",
    "LX107": "a looptx comment stands on no loop and no function",
    "LX108": "comments and decorator both schedule one nest",
    "LX109": "a new name is already taken in the function",
    "LX110": "reassociate names something that is no reduction",
    "LX111": "the nest is already transformed",
    "LX112": "a fusing dimension cannot be marked, moved or collapsed",
    "LX113": "a loop that is not fused would stand before the fusing dimension",
    "LX114": "more loops are to be fused than the nests have",
    "LX115": "a nest is fused twice, or with itself",
    "LX116": "loops of different steps cannot be fused",
    "LX117": "temp or trust scratch names an array that is no temporary",
    "LX118": "a comment looks like a misspelt directive",
    "LX119": "the file uses a decorated function as a kernel",
    "LX120": "the cost function of fuse_around gives no number",
    "LX201": "refused: the new order breaks a dependence",
    "LX202": "refused: a parallel or vector loop carries a dependence",
    "LX203": "unknown: a dependence cannot be analysed exactly",
    "LX204": "unknown: the analysis exceeded its budget",
    "LX205": "refused: a parallel reduction into an array that the loop also reads",
    "LX206": "refused: a statement between nests to be fused cannot move",
    "LX207": "unknown: what a temporary holds cannot be analysed exactly",
    "LX208": "refused: the rewritten loops compute something else",
    "LX209": "unknown: a function cannot be run on symbols to validate it",
    "LX210": "unknown: a name may hold another value after an exception",
    "LX211": "refused: what runs again leaves another value",
    "LX212": "a reduction cannot be collected in parts as it is",
    "LX301": "a construct that an annotated nest cannot contain",
    "LX302": "a call that may change what the loops of a nest are made of",
    "LX303": "the source is not valid Python",
    "LX304": "the source is too deeply nested or too large",
    "LX305": "a directive stands on a loop that is not `for` over `range`",
    "LX306": "the source of a function cannot be found",
    "LX401": "a file cannot be read",
    "LX402": "a file is not text in its declared encoding",
    "LX403": "a file cannot be kept byte-identical outside the nests",
    "LX404": "a file cannot be written",
    "LX501": "no working C compiler",
    "LX502": "the native build failed",
    "LX503": "types of a nest cannot be determined",
    "LX504": "a nest cannot be compiled natively",
    "LX505": "a schedule is not carried out natively: a statement may raise",
    "LX506": "a vector loop runs one iteration after the other natively",
    "LX507": "a level of fastmath is not carried out",
    "LX601": "a nest does not run as tasks",
    "LX602": "the cluster does not run the tasks",
    "LX603": "arrays are brought home before Python may look at them",
    "LX604": "a call with arrays of dask's cannot be",
    "LX605": "an array of dask's is rechunked to the blocks of a nest",
    "LX901": "an internal error of looptx",
}
