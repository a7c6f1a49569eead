"""``looptx transform``: rewrite annotated loops, to standard output or into files."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from looptx.cli import batch, files, pool
from looptx.cli.options import (
    console_options,
    directives_option,
    exclude_option,
    jobs_option,
)
from looptx.cli.output import Console, status
from looptx.cli.schedules import Outside, outside
from looptx.errors import LooptxError
from looptx.model.records import dataclass

Sink = Callable[[batch.Report], None]


@click.command("transform")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...|-")
@click.option("-o", "--output", metavar="FILE|DIR", help="Write there.")
@click.option("-w", "--write", is_flag=True, help="Replace the files, atomically.")
@click.option("--diff", is_flag=True, help="Show what would change.")
@click.option("--check", is_flag=True, help="Exit with 1 if a file would change.")
@click.option(
    "--to",
    type=click.Choice(("python", "cython")),
    default="python",
    help="The language of the result.",
)
@click.option(
    "--validate",
    is_flag=True,
    help="Run both versions on symbols at small sizes; write only what agrees.",
)
@click.option(
    "--strict",
    is_flag=True,
    help="With --validate: fail where rewritten loops ran at none of the sizes.",
)
@directives_option
@jobs_option
@exclude_option
@console_options
def command(console: Console, **options: Any) -> int:
    """Rewrite the annotated loops of Python files.

    `-` is standard input. A directory stands for the *.py files below it. Without
    -o, --write, --diff or --check the result goes to standard output; of several
    files, only what changed. With --validate a file whose rewritten loops do not agree
    with its own, or cannot be compared, is an error and is not written; with --strict
    also one with rewritten loops that ran at none of the sizes that were compared.

    Exit status: 0 fine, 1 refused or would change (--check), 2 usage or syntax.
    """
    request = Request(**options)
    beside = outside(request.directives)
    work, errors = request.jobs_for(beside)
    sink = request.sink(work, console)
    with_text = console.form == "json" and (request.shown or request.diff)
    outcome = _Outcome(with_text, len(work) > 1, request.validate)
    outcome.fail(errors, console)
    for _, report in pool.each(batch.work, work, batch.lost, request.jobs):
        outcome.add(report, sink, console)
    outcome.fail(beside.unused(), console)
    console.document(outcome.entries(), outcome.errors)
    if not request.shown:
        console.note(outcome.summary(request.written))
    return max(status(outcome.errors), int(request.check and bool(outcome.changed)))


@dataclass(frozen=True, slots=True)
class Request:
    """The arguments and options of the command, by their names.

    Raises:
        UsageError: they contradict each other.
    """

    paths: tuple[str, ...]
    output: str | None
    write: bool
    diff: bool
    check: bool
    to: str
    validate: bool
    strict: bool
    directives: str | None
    jobs: int
    exclude: tuple[str, ...]

    def __post_init__(self) -> None:
        if self.write + (self.output is not None) + (self.diff or self.check) > 1:
            raise click.UsageError("choose one of --output, --write, --diff/--check")
        if self.to != "python" and (self.write or self.diff or self.check):
            raise click.UsageError("--to cython goes to standard output or to --output")
        if self.to != "python" and self.validate:
            raise click.UsageError("--validate compares Python, not --to cython")
        if self.strict and not self.validate:
            raise click.UsageError("--strict is about --validate")
        if "-" in self.paths and (len(self.paths) > 1 or self.write):
            raise click.UsageError("- stands alone, and cannot be written back")

    @property
    def written(self) -> bool:
        """Whether files are written."""
        return self.write or self.output is not None

    @property
    def shown(self) -> bool:
        """Whether the result is shown as it is."""
        return not (self.written or self.diff or self.check)

    def jobs_for(self, beside: Outside) -> tuple[list[batch.Job], list[LooptxError]]:
        """What is to be transformed, and which paths cannot be read.

        Args:
            beside: the directives from outside the sources.
        """
        job = partial(batch.Job, to=self.to, validate=self.validate, strict=self.strict)
        if self.paths == ("-",):
            return [job(batch.STDIN, data=batch.stdin())], []
        targets, errors = files.collect(self.paths, self.exclude)
        return [job(one, schedules=beside.of(one.path)) for one in targets], errors

    def sink(self, work: Sequence[batch.Job], console: Console) -> Sink:
        """The destination of each file's result."""
        single = len(work) == 1 and work[0].target.named
        if self.write:
            return _replace
        if self.output is not None:
            return _Copies(self.output, single, self.to)
        if console.form == "json":
            return _nothing
        if self.diff:
            return _diff
        if self.check:
            return _name
        return _print if single else _print_named


class _Outcome:
    """What became of all files; ``with_text`` keeps their texts.

    ``validate`` says of loops that were rewritten before that nothing was compared.
    """

    def __init__(self, with_text: bool, several: bool, validate: bool) -> None:
        self.with_text = with_text
        self.several = several
        self.validate = validate
        self.errors: list[LooptxError] = []
        self.reports: list[batch.Report] = []
        self.changed = 0

    def add(self, report: batch.Report, sink: Sink, console: Console) -> None:
        """Take one more file: pass it on, or say why not.

        Args:
            report: what became of it.
            sink: where the result is written.
            console: where notes and errors go.
        """
        errors = list(report.result.errors)
        if not errors:
            try:
                sink(report)
            except LooptxError as error:
                errors.append(error)
        self.fail(errors, console)
        file = f"{report.name}: " if self.several else ""
        for text in report.result.notes:
            console.note(f"{file}{text}")
        for one in report.result.validated:
            console.note(f"{file}validated: {one.summary}")
        for name in report.result.applied if self.validate else ():
            said = "nothing to validate in loops that were rewritten before"
            console.note(f"{file}kernel {name}: {said}")
        self.changed += report.result.changed and not errors
        self.reports.append(report if self.with_text else report.slim())

    def fail(self, errors: list[LooptxError], console: Console) -> None:
        """Show errors and count them."""
        console.errors(errors)
        self.errors += errors

    def summary(self, written: bool) -> str:
        """One line for a person."""
        verb = "transformed" if written else "would change"
        parts = [f"{_count(self.changed, 'file')} {verb}"]
        same = sum(
            not (report.result.changed or report.result.errors)
            for report in self.reports
        )
        if same:
            parts.append(f"{same} unchanged")
        if self.errors:
            parts.append(_count(len(self.errors), "error"))
        return ", ".join(parts)

    def entries(self) -> list[dict[str, Any]]:
        """Every file, for a program."""
        listed: list[dict[str, Any]] = []
        for report in self.reports:
            entry: dict[str, Any] = {
                "file": report.name,
                "changed": report.result.changed,
            }
            if self.with_text and report.result.changed:
                entry["text"] = report.result.text
            if report.result.notes:
                entry["notes"] = list(report.result.notes)
            if report.result.validated:
                entry["validated"] = [one.record() for one in report.result.validated]
            listed.append(entry)
        return listed


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _nothing(report: batch.Report) -> None:
    """The document at the end holds everything."""


def _name(report: batch.Report) -> None:
    """--check: the names of the files that would change."""
    if report.result.changed:
        click.echo(os.fsencode(report.name))


def _print(report: batch.Report) -> None:
    """The bytes, exactly: encoding, byte order mark and newlines are the file's own."""
    sys.stdout.flush()
    sys.stdout.buffer.write(report.after)
    sys.stdout.buffer.flush()


def _print_named(report: batch.Report) -> None:
    """One of several files: with its name, and only if there is something to show."""
    if report.result.changed:
        click.echo(os.fsencode(f"# ==> {report.name} <=="))
        _print(report)


def _diff(report: batch.Report) -> None:
    """--diff: on standard output, ready for ``patch``."""
    import difflib

    old, new = _lines(report.old), _lines(report.result.text)
    name = click.format_filename(report.name)
    for line in difflib.unified_diff(old, new, name, name):
        click.echo(line, nl=False)
        if not line.endswith("\n"):
            click.echo("\n\\ No newline at end of file")


def _lines(text: str) -> list[str]:
    """The lines as Python and patch count them: nothing but a newline ends one."""
    lines = [f"{line}\n" for line in text.split("\n")]
    last = lines.pop()[:-1]
    return [*lines, last] if last else lines


def _replace(report: batch.Report) -> None:
    """--write."""
    if report.result.changed:
        files.replace(report.target.path, report.after, report.before)


class _Copies:
    """--output: one file under this name, or all of them below this folder."""

    def __init__(self, output: str, single: bool, to: str) -> None:
        self.output = Path(output)
        self.suffix = ".py" if to == "python" else ".pyx"
        self.folder = not single or self.output.is_dir() or output.endswith("/")
        self.taken: dict[Path, str] = {}

    def __call__(self, report: batch.Report) -> None:
        path = self.output
        if self.folder:
            if self.suffix != ".py" and not report.result.changed:
                return
            path = self.output / report.target.relative.with_suffix(self.suffix)
        other = self.taken.setdefault(path, report.name)
        if other != report.name:
            message = f"{path} would hold both {other} and this file"
            hint = "give --output another folder for each"
            raise files.failure("LX404", report.name, message, hint)
        files.create(path, report.after)
