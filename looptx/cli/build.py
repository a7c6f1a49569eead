"""``looptx build``: annotated files into extension modules beside them."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

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
from looptx.model.marks import may_address

DTYPES = ("float64", "float32", "int64", "int32", "uint8", "bool", "complex128")


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
        module: the extension module; None when there is none.
        nests: the nests in it.
        left: why other annotated nests stay Python.
        ordered: which nests run in the order as written, and why.
        fresh: whether it was built now.
        errors: why there is no module.
        seconds: how long it took.
    """

    module: Path | None = None
    nests: tuple[str, ...] = ()
    left: tuple[LooptxError, ...] = ()
    ordered: tuple[LooptxError, ...] = ()
    fresh: bool = True
    errors: tuple[LooptxError, ...] = ()
    seconds: float = 0.0


@click.command("build")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option(
    "--dtype",
    "dtypes",
    type=click.Choice(DTYPES),
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
        Order(batch.Job(target, schedules=schedules), dtypes or DTYPES[:1], native)
        for target in targets
        if _wanted(target, schedules := beside.of(target.path))
    ]
    if not orders and not errors:
        console.note("nothing is annotated, nothing to build")
    listed = []
    for done, (order, made) in enumerate(pool.each(work, orders, lost, jobs), 1):
        console.errors(made.errors)
        errors += made.errors
        name = batch.name(order.job.target)
        console.note(f"[{done}/{len(orders)}] {name}: {_told(made)}")
        for error in made.left:
            console.note(f"  stays Python: {error.concise()}")
        for error in made.ordered:
            console.note(f"  {error.concise()}")
        listed.append(
            {
                "file": name,
                "module": str(made.module) if made.module else None,
                "nests": list(made.nests),
                "left": [record(error) for error in made.left],
                "ordered": [record(error) for error in made.ordered],
            }
        )
    console.document(listed, errors)
    return status(errors)


def _told(made: Made) -> str:
    if made.module is None:
        return "failed"
    count = len(made.nests)
    noun = "nest" if count == 1 else "nests"
    took = f"{made.seconds:.1f} s" if made.fresh else "up to date"
    return f"{made.module.name}, {count} {noun}, {took}"


def _wanted(target: files.Target, schedules: object) -> bool:
    """A file that is named is always built, so that it can say what it lacks."""
    if target.named or schedules:
        return True
    try:
        return may_address(target.path.read_bytes())
    except OSError:
        return True


def work(order: Order) -> Made:
    """Compile one file; whatever goes wrong is in the result."""
    try:
        return _work(order)
    except LooptxError as error:
        return Made(errors=error.together)
    except Exception as error:
        return Made(errors=(batch.placed(internal(error), order.job),))


def lost(order: Order) -> Made:
    """The result for a file that took its process down."""
    return Made(errors=batch.lost(order.job).errors)


def _work(order: Order) -> Made:
    from looptx.native.ahead.inplace import build_file
    from looptx.source.text.files import decode

    start = time.perf_counter()
    path = order.job.target.path
    built = build_file(
        path,
        decode(files.read(path), str(path)).text,
        dtypes=order.dtypes,
        native=order.native,
        directives=dict(order.job.schedules),
    )
    return Made(
        built.library,
        built.nests,
        built.left,
        built.ordered,
        built.fresh,
        seconds=time.perf_counter() - start,
    )
