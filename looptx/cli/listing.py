"""``looptx list``: which loops of files run natively; without files, the language."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from looptx.cli import batch, files, pool
from looptx.cli.options import (
    console_options,
    directives_option,
    exclude_option,
    jobs_option,
)
from looptx.cli.output import Console, internal, record, status, table
from looptx.cli.schedules import outside
from looptx.errors import CODES, LooptxError, printable
from looptx.model.records import dataclass, replace

if TYPE_CHECKING:
    from looptx.native.ahead.foreseen import Loops

_SAID = {
    "native": "natively",
    "in order": "natively, but not as scheduled",
    "python": "as Python",
    "refused": "not at all: a call raises",
}


@dataclass(frozen=True, slots=True)
class Listed:
    """A file and what is known of its loops."""

    loops: tuple[Loops, ...] = ()
    errors: tuple[LooptxError, ...] = ()


@click.command("list")
@click.argument("paths", nargs=-1, metavar="[PATH...]")
@click.option("--kernels", is_flag=True, help="Only what is decorated or annotated.")
@click.option("--strict", is_flag=True, help="Exit with 1 if any is not native.")
@click.option("--json", "as_json", is_flag=True, help="The same as a JSON document.")
@directives_option
@jobs_option
@exclude_option
@console_options
def command(console: Console, **options: Any) -> int:
    """List the loops of files: which run natively, and why the others do not.

    Nothing is run. Types are those of annotations; for other parameters the call
    decides, and floats or integers are assumed. A directory stands for the *.py files
    below it. Without files, the verbs of the directive language and the error codes.

    Exit status: 0 fine, 1 refused or not native (--strict), 2 usage or syntax.
    """
    request = Request(**options)
    if not request.paths:
        _language()
        return 0
    if request.as_json:
        console = replace(console, form="json")
    beside = outside(request.directives)
    targets, errors = files.collect(request.paths, request.exclude)
    orders = [batch.Job(one, schedules=beside.of(one.path)) for one in targets]
    whole: Counter[str] = Counter()
    entries = []
    for job, listed in pool.each(work, orders, lost, request.jobs):
        name = batch.name(job.target)
        loops = [one for one in listed.loops if one.wanted or not request.kernels]
        errors += listed.errors
        whole.update(one.runs for one in loops)
        entries.append({"file": name, "loops": [_entry(one) for one in loops]})
        for line in _shown(name, loops) if console.form != "json" else ():
            click.echo(printable(line))
    errors += beside.unused()
    console.errors(errors)
    console.document(entries, errors)
    console.note(_summary(whole))
    less = request.strict and whole.total() > whole["native"]
    return max(status(errors), int(less or bool(whole["refused"])))


@dataclass(frozen=True, slots=True)
class Request:
    """The arguments and options of the command, by their names."""

    paths: tuple[str, ...]
    kernels: bool
    strict: bool
    as_json: bool
    directives: str | None
    jobs: int
    exclude: tuple[str, ...]


def work(job: batch.Job) -> Listed:
    """Read one file; the result holds every error."""
    try:
        return _work(job)
    except LooptxError as error:
        return Listed(errors=error.together)
    except Exception as error:
        return Listed(errors=(batch.placed(internal(error), job),))


def lost(job: batch.Job) -> Listed:
    """The result for a file that took its process down."""
    return Listed(errors=batch.lost(job).result.errors)


def _work(job: batch.Job) -> Listed:
    from looptx.native.ahead.foreseen import foreseen
    from looptx.source.text.encoding import decode

    path = job.target.path
    text = decode(files.read(path), str(path)).text
    loops: list[Loops] = []
    try:
        for one in foreseen(text, str(path), job.schedules):
            loops.append(one)
    except LooptxError as error:
        return Listed(tuple(loops), error.together)
    return Listed(tuple(loops))


def _shown(name: str, loops: Sequence[Loops]) -> Iterator[str]:
    """The table of a file; nothing where it has no loops."""
    if not loops:
        return
    titles = [
        f"{one.function}.{one.nest}" if one.nest else one.function for one in loops
    ]
    places = [f"{one.place.line}:{one.place.column}" for one in loops]
    width, before = max(map(len, titles)), max(map(len, places))
    yield name
    for one, title, place in zip(loops, titles, places, strict=True):
        types = _types(one) if one.runs in ("native", "python") else ""
        yield f"  {place:>{before}}  {title:<{width}}  {_SAID[one.runs]}{types}"
        if one.reason is not None:
            lines = str(one.reason).split("\n")
            yield from (f"  {'':{before}}    {line}" for line in lines)
    yield ""


def _types(loops: Loops) -> str:
    """What is assumed of types, if anything is."""
    types = loops.types or {}
    told = ", ".join(f"{name}: {types[name]}" for name in loops.assumed)
    return f", if the call gives {told}" if told else ""


def _entry(loops: Loops) -> dict[str, Any]:
    """A nest as plain values."""
    return {
        "function": loops.function,
        "nest": loops.nest or None,
        "line": loops.place.line,
        "column": loops.place.column,
        "wanted": loops.wanted,
        "runs": loops.runs,
        "types": dict(loops.types or {}),
        "assumed": list(loops.assumed),
        "reason": record(loops.reason) if loops.reason else None,
    }


def _summary(whole: Counter[str]) -> str:
    """One line for a person."""
    if not whole:
        return "no loops"
    parts = [f"{whole[runs]} {said}" for runs, said in _SAID.items() if whole[runs]]
    noun = "loop nest" if whole.total() == 1 else "loop nests"
    return f"{whole.total()} {noun}: {', '.join(parts)}"


def verbs() -> dict[str, str]:
    """Each verb and, in a few words, what it does."""
    from looptx.directives import VERBS

    return {name: _first_line(kind) for name, kind in VERBS.items()}


def _first_line(kind: type) -> str:
    first, *_ = (kind.__doc__ or "").strip().splitlines() or [""]
    return first.rstrip(".")


def _language() -> None:
    """The verbs and the error codes."""
    for title, rows in (("Verbs", verbs()), ("Error codes", CODES)):
        click.echo("\n".join((*table(title, rows), "")))
    click.echo("`looptx explain NAME` tells more about each.")
