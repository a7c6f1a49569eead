"""``looptx build``: annotated files into extension modules beside them."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from looptx.cli import batch, files, pool
from looptx.cli.options import (
    console_options,
    directives_option,
    exclude_option,
    jobs_option,
)
from looptx.cli.output import Console, internal, record, status
from looptx.cli.schedules import outside
from looptx.errors import LooptxError
from looptx.model.dtypes import DTYPES
from looptx.model.marks import may_address
from looptx.model.records import dataclass

if TYPE_CHECKING:
    from looptx.native.ahead.inplace import InPlace

_DEFAULT = "float64"


@dataclass(frozen=True, slots=True)
class Order:
    """A file to compile, and how."""

    job: batch.Job
    dtypes: tuple[str, ...]
    native: bool


@dataclass(frozen=True, slots=True)
class Made:
    """What became of it.

    Attributes:
        built: the extension module; None when there is none.
        errors: why not.
        seconds: how long it took.
    """

    built: InPlace | None = None
    errors: tuple[LooptxError, ...] = ()
    seconds: float = 0.0

    def __str__(self) -> str:
        if self.built is None:
            return "failed"
        count = len(self.built.nests)
        noun = "nest" if count == 1 else "nests"
        took = f"{self.seconds:.1f} s" if self.built.fresh else "up to date"
        return f"{self.built.library.name}, {count} {noun}, {took}"

    def entry(self, name: str) -> dict[str, object]:
        """The JSON record of the file called ``name``."""
        built = self.built
        return {
            "file": name,
            "module": str(built.library) if built else None,
            "nests": list(built.nests) if built else [],
            "left": [record(error) for error in built.left] if built else [],
            "ordered": [record(error) for error in built.ordered] if built else [],
        }


@click.command("build")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option(
    "--dtype",
    "dtypes",
    type=click.Choice(tuple(DTYPES)),
    multiple=True,
    help="Compile for these elements where annotations say none (default: float64).",
)
@click.option("--native", is_flag=True, help="Tune for this machine's processor only.")
@directives_option
@jobs_option
@exclude_option
@console_options
def command(
    paths: tuple[str, ...],
    dtypes: tuple[str, ...],
    native: bool,
    directives: str | None,
    jobs: int,
    exclude: tuple[str, ...],
    console: Console,
) -> int:
    """Compile annotated files into extension modules beside them.

    Python imports such a module instead of the .py: build again after an edit, or
    delete it to go back. What is up to date is not built again. A directory stands
    for the annotated *.py files below it.
    """
    beside = outside(directives)
    targets, errors = files.collect(paths, exclude)
    console.errors(errors)
    orders = [
        Order(batch.Job(target, schedules=schedules), dtypes or (_DEFAULT,), native)
        for target in targets
        if _wanted(target, schedules := beside.of(target.path))
    ]
    unused = beside.unused()
    console.errors(unused)
    errors += unused
    if not orders and not errors:
        console.note("nothing is annotated, nothing to build")
    listed = []
    for done, (order, made) in enumerate(pool.each(work, orders, lost, jobs), 1):
        console.errors(made.errors)
        errors += made.errors
        name = batch.name(order.job.target)
        console.note(f"[{done}/{len(orders)}] {name}: {made}")
        for error in made.built.left if made.built else ():
            console.note(f"  stays Python: {error.concise()}")
        for error in made.built.ordered if made.built else ():
            console.note(f"  {error.concise()}")
        listed.append(made.entry(name))
    console.document(listed, errors)
    return status(errors)


def _wanted(target: files.Target, schedules: object) -> bool:
    """Whether to build a file; one that is named always is, for its errors."""
    if target.named or schedules:
        return True
    try:
        return may_address(target.path.read_bytes())
    except OSError:
        return True


def work(order: Order) -> Made:
    """Compile one file; the result holds every error."""
    try:
        return _work(order)
    except LooptxError as error:
        return Made(errors=error.together)
    except Exception as error:
        return Made(errors=(batch.placed(internal(error), order.job),))


def lost(order: Order) -> Made:
    """The result for a file that took its process down."""
    return Made(errors=batch.lost(order.job).result.errors)


def _work(order: Order) -> Made:
    from looptx.native.ahead.inplace import build_file
    from looptx.source.text.encoding import decode

    start = time.perf_counter()
    path = order.job.target.path
    built = build_file(
        path,
        decode(files.read(path), str(path)).text,
        dtypes=order.dtypes,
        native=order.native,
        directives=dict(order.job.schedules),
    )
    return Made(built, seconds=time.perf_counter() - start)
