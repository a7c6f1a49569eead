"""``looptx transform``: rewrite annotated loops, to standard output or into files."""

from __future__ import annotations

import difflib
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
from looptx.cli.text import Result, transform_text
from looptx.errors import LooptxError

__all__ = ["Result", "command", "transform_text"]

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
def command(
    paths: tuple[str, ...],
    output: str | None,
    write: bool,
    diff: bool,
    check: bool,
    to: str,
    validate: bool,
    strict: bool,
    directives: str | None,
    jobs: int,
    exclude: tuple[str, ...],
    console: Console,
) -> int:
    """Rewrite the annotated loops of Python files.

    `-` is standard input. A directory stands for the *.py files below it. Without
    -o, --write, --diff or --check the result goes to standard output; of several
    files, only what changed. With --validate a file whose rewritten loops do not agree
    with its own, or cannot be compared, is an error and is not written; with --strict
    also one with rewritten loops that ran at none of the sizes that were compared.

    Exit status: 0 fine, 1 refused or would change (--check), 2 usage or syntax.
    """
    if write + (output is not None) + (diff or check) > 1:
        raise click.UsageError("choose one of --output, --write, --diff/--check")
    if to != "python" and (write or diff or check):
        raise click.UsageError("--to cython goes to standard output or to --output")
    if to != "python" and validate:
        raise click.UsageError("--validate compares Python, not --to cython")
    if strict and not validate:
        raise click.UsageError("--strict is about --validate")
    if "-" in paths and (len(paths) > 1 or write):
        raise click.UsageError("- stands alone, and cannot be written back")
    beside = outside(directives)
    job = partial(batch.Job, to=to, validate=validate, strict=strict)
    work, errors = _collect(paths, job, beside, exclude)
    shown = not (write or output is not None or diff or check)
    sink: Sink = _nothing
    if write:
        sink = _replace
    elif output is not None:
        sink = _Copies(output, _single(work), to)
    elif console.form != "json":
        sink = _to_stdout(diff, check, _single(work))
    with_text = console.form == "json" and (shown or diff)
    outcome = _Outcome(with_text, len(work) > 1, validate)
    outcome.fail(errors, console)
    for _, report in pool.each(batch.work, work, batch.lost, jobs):
        outcome.add(report, sink, console)
    outcome.fail(beside.unused(outcome.functions()), console)
    console.document(outcome.entries(), outcome.errors)
    if not shown:
        console.note(outcome.summary(write or output is not None))
    return max(status(outcome.errors), int(check and bool(outcome.changed)))


def _single(work: Sequence[batch.Job]) -> bool:
    """Whether the user named one file, rather than many or a folder."""
    return len(work) == 1 and work[0].target.named


def _to_stdout(diff: bool, check: bool, single: bool) -> Sink:
    if diff:
        return _diff
    if check:
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
        """Take one more file: pass it on, or say why not."""
        errors = list(report.errors)
        if not errors:
            try:
                sink(report)
            except LooptxError as error:
                errors.append(error)
        self.fail(errors, console)
        file = f"{report.name}: " if self.several else ""
        for text in report.notes:
            console.note(f"{file}{text}")
        for one in report.validated:
            console.note(f"{file}validated: {one.summary}")
        for name in report.applied if self.validate else ():
            said = "nothing to validate in loops that were rewritten before"
            console.note(f"{file}kernel {name}: {said}")
        self.changed += report.changed and not errors
        self.reports.append(report if self.with_text else report.slim())

    def fail(self, errors: list[LooptxError], console: Console) -> None:
        """Show errors and count them."""
        console.errors(errors)
        self.errors += errors

    def functions(self) -> list[tuple[Path, str]]:
        """Every function that was looked at, with its file."""
        return [(r.target.path, name) for r in self.reports for name in r.functions]

    def summary(self, written: bool) -> str:
        """One line for a person."""
        verb = "transformed" if written else "would change"
        parts = [f"{_count(self.changed, 'file')} {verb}"]
        same = sum(not (report.changed or report.errors) for report in self.reports)
        if same:
            parts.append(f"{same} unchanged")
        if self.errors:
            parts.append(_count(len(self.errors), "error"))
        return ", ".join(parts)

    def entries(self) -> list[dict[str, Any]]:
        """Every file, for a program."""
        listed: list[dict[str, Any]] = []
        for report in self.reports:
            entry: dict[str, Any] = {"file": report.name, "changed": report.changed}
            if self.with_text and report.changed:
                entry["text"] = report.new
            if report.validated:
                entry["validated"] = [one.record() for one in report.validated]
            listed.append(entry)
        return listed


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _collect(
    paths: Sequence[str],
    job: Callable[..., batch.Job],
    beside: Outside,
    exclude: Sequence[str],
) -> tuple[list[batch.Job], list[LooptxError]]:
    if tuple(paths) == ("-",):
        return [job(batch.STDIN, data=batch.stdin())], []
    targets, errors = files.collect(paths, exclude)
    return [job(one, schedules=beside.of(one.path)) for one in targets], errors


def _nothing(report: batch.Report) -> None:
    """The document at the end holds everything."""


def _name(report: batch.Report) -> None:
    """--check: the names of the files that would change."""
    if report.changed:
        click.echo(os.fsencode(report.name))


def _print(report: batch.Report) -> None:
    """The bytes, exactly: encoding, byte order mark and newlines are the file's own."""
    sys.stdout.flush()
    sys.stdout.buffer.write(report.after)
    sys.stdout.buffer.flush()


def _print_named(report: batch.Report) -> None:
    """One of several files: with its name, and only if there is something to show."""
    if report.changed:
        click.echo(os.fsencode(f"# ==> {report.name} <=="))
        _print(report)


def _diff(report: batch.Report) -> None:
    """--diff: on standard output, ready for ``patch``."""
    old, new = _lines(report.old), _lines(report.new)
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
    if report.changed:
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
            if self.suffix != ".py" and not report.changed:
                return
            path = self.output / report.target.relative.with_suffix(self.suffix)
        other = self.taken.setdefault(path, report.name)
        if other != report.name:
            message = f"{path} would hold both {other} and this file"
            hint = "give --output another folder for each"
            raise files.failure("LX404", report.name, message, hint)
        files.create(path, report.after)
