"""How results and errors are shown: for a person, a log, a program or GitHub.

``full`` shows an error with its source line, witness and hint, ``concise`` on one line,
``github`` as a workflow command; all three on standard error, so that standard output
holds nothing but transformed text. ``json`` is one document on standard output.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TextIO

import click

from looptx.errors import LooptxError, printable, unforeseen
from looptx.model.records import dataclass

FORMATS = ("full", "concise", "json", "github")
INTERNAL = "LX901"
UNBUILT = "LX502"


def coloured(stream: TextIO) -> bool:
    """Whether to colour: on terminals, unless NO_COLOR is set."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return stream.isatty()


def record(error: LooptxError) -> dict[str, Any]:
    """An error as plain values, for JSON."""
    place = error.place
    return {
        "code": error.code,
        "message": error.message,
        "file": place.file if place else None,
        "line": place.line if place else None,
        "column": place.column if place else None,
        "source": error.source,
        "detail": list(error.detail),
        "hint": error.hint,
        "exit_status": error.exit_status,
    }


def _full(error: LooptxError, colour: bool) -> str:
    text = str(error)
    if not colour:
        return text
    first, *rest = text.split("\n")
    code = click.style(error.code, fg="red", bold=True)
    first = first.replace(f"{error.code} ", f"{code} ", 1)
    mark = "    hint: "
    hint = click.style(mark, fg="cyan", bold=True)
    return "\n".join([first, *(line.replace(mark, hint, 1) for line in rest)])


def _github(error: LooptxError) -> str:
    """A workflow command; GitHub shows it beside the line."""

    def escaped(text: str, more: str = "") -> str:
        for character in "%\r\n" + more:
            text = text.replace(character, f"%{ord(character):02X}")
        return printable(text)

    fields = {"title": error.code}
    if error.place is not None:
        place = error.place
        fields = {"file": place.file, "line": str(place.line), "col": str(place.column)}
        fields["title"] = error.code
    listed = ",".join(f"{key}={escaped(value, ':,')}" for key, value in fields.items())
    lines = [error.message, *error.detail]
    if error.hint:
        lines.append(f"hint: {error.hint}")
    shown = "\n".join(map(printable, lines))
    return f"::error {listed}::{escaped(shown)}"


def render(error: LooptxError, form: str = "full", colour: bool = False) -> str:
    """An error as text.

    Args:
        error: what to show.
        form: one of ``FORMATS``; ``json`` shows none, for it is one document.
        colour: whether a terminal shows it.
    """
    match form:
        case "concise":
            return error.concise()
        case "github":
            return _github(error)
        case "json":
            return ""
    return _full(error, colour)


@dataclass(frozen=True, slots=True)
class Console:
    """The format and verbosity of messages."""

    form: str = "full"
    quiet: bool = False
    verbose: bool = False

    def errors(self, errors: Iterable[LooptxError]) -> None:
        """Show errors on standard error."""
        colour = coloured(sys.stderr)
        for error in errors:
            text = render(self.shown(error), self.form, colour)
            if text:
                say(text, colour)

    def shown(self, error: LooptxError) -> LooptxError:
        """The error without what only a report needs, unless that is asked for.

        That is the traceback of an internal error, and what Cython or the compiler
        said of generated code.
        """
        if error.code in (INTERNAL, UNBUILT) and error.detail and not self.verbose:
            error.detail = ()
            if error.code == UNBUILT:
                error.hint += "; --verbose shows what the compiler said"
        return error

    def document(
        self, entries: Sequence[dict[str, Any]], errors: Iterable[LooptxError]
    ) -> None:
        """Print everything at once, for a program, if JSON was asked for."""
        if self.form == "json":
            listed = [record(self.shown(error)) for error in errors]
            whole = {"files": list(entries), "errors": listed}
            click.echo(json.dumps(whole, indent=2))

    def note(self, text: str) -> None:
        """Print what was done, unless quiet or in JSON."""
        if not self.quiet and self.form != "json":
            say(printable(text))


def table(title: str, rows: Mapping[str, str]) -> Iterator[str]:
    """The lines of a list: a title, then names with what is said of them."""
    width = max(map(len, rows), default=0)
    yield f"{title}:"
    for name, text in rows.items():
        yield f"  {name:<{width}}  {text}"


def say(text: str, colour: bool = False) -> None:
    """One message on standard error; what its encoding lacks is escaped."""
    click.echo(text, err=True, color=colour or None)


def status(errors: Iterable[LooptxError]) -> int:
    """The exit status that errors ask for: the highest, 0 when there are none."""
    return max((error.exit_status for error in errors), default=0)


def internal(error: BaseException) -> LooptxError:
    """An unexpected exception as an error with a code; its traceback is the detail."""
    found = unforeseen(error)
    found.detail = tuple("".join(traceback.format_exception(error)).splitlines())
    found.hint = (
        "please report it, with the file and the output of `looptx doctor`; "
        "--verbose shows the traceback"
    )
    return found
