"""Files through ``transform_text``: what is read, and the results."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from looptx.cli import files
from looptx.cli.output import internal
from looptx.cli.text import Result, check_syntax, transform_text
from looptx.errors import LooptxError
from looptx.model.marks import may_address
from looptx.model.records import dataclass, field, replace

if TYPE_CHECKING:
    from looptx.cli.text import Schedules

STDIN = files.Target(Path("-"), Path("stdin.py"), named=True)


@dataclass(frozen=True, slots=True)
class Job:
    """A file, or its bytes if they were read already, and how it is transformed."""

    target: files.Target
    to: str = "python"
    schedules: Schedules = field(default_factory=dict)
    data: bytes | None = None
    validate: bool = False
    strict: bool = False


@dataclass(frozen=True, slots=True)
class Report:
    """A file before and after.

    Attributes:
        target: which file.
        result: what became of its text.
        before: its bytes; old: its text, where it is changed.
        after: the bytes to put in their place, or of the text asked for.
    """

    target: files.Target
    result: Result
    before: bytes = b""
    after: bytes = b""
    old: str = ""

    @property
    def name(self) -> str:
        """The file's name in messages."""
        return name(self.target)

    def slim(self) -> Report:
        """The report without the texts, for keeping very many."""
        return Report(self.target, replace(self.result, text=""))


def name(target: files.Target) -> str:
    """The name of a file in messages."""
    return "<stdin>" if target is STDIN or str(target.path) == "-" else str(target.path)


def stdin() -> bytes:
    """The text on standard input.

    Raises:
        LooptxError: LX304 when there is too much of it.
    """
    data = sys.stdin.buffer.read(files.LIMIT + 1)
    return files.limited(data, "<stdin>")


def work(job: Job) -> Report:
    """Read one file and transform it; the report holds every error."""
    try:
        return _work(job)
    except LooptxError as error:
        return _failed(job, *error.together)
    except Exception as error:
        return _failed(job, placed(internal(error), job))


def lost(job: Job) -> Report:
    """The report about a file that took its process down."""
    error = internal(RuntimeError("the process that worked on this file died"))
    error.detail = ()
    return _failed(job, placed(error, job))


def _failed(job: Job, *errors: LooptxError) -> Report:
    return Report(job.target, Result("", errors))


def placed(error: LooptxError, job: Job) -> LooptxError:
    """The error, with the start of the file as its place unless it has one."""
    return error.at(files.start(name(job.target)))


def _work(job: Job) -> Report:
    target = job.target
    data = files.read(target.path) if job.data is None else job.data
    annotated = may_address(data) or bool(job.schedules)
    if not (annotated or target.named):
        return Report(target, Result(""), data, data)
    from looptx.source.text.encoding import decode

    document = decode(data, name(target))
    if not annotated:
        return Report(target, check_syntax(document.text, name(target)), data, data)
    result = transform_text(
        document.text,
        name(target),
        job.to,
        job.schedules,
        validate=job.validate,
        strict=job.strict,
    )
    if not result.changed:
        return Report(target, result, data, data)
    encode = document.encode if job.to == "python" else str.encode
    return Report(target, result, data, encode(result.text), document.text)
