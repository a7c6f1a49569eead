"""Time the programs of NPBench: NumPy, looptx, Numba and Pythran, on one thread.

``python -m examples.npbench PATH [--size S] [--only gemm lu] [--against numba]``, or
``make bench-npbench NPBENCH=PATH``. PATH is a clone of github.com/spcl/npbench; its
NumPy forms are run as they are, every function of theirs under ``looptx.kernel``.
Results of looptx are compared with NumPy's bit by bit, those of others to six digits.
Times are the best of some calls, with contenders in turns; first calls, with an empty
cache, stand apart. Numba, Pythran and rich come with ``pip install -e .[bench]``;
Pythran also needs the header ``cblas.h`` (Debian has it in libopenblas-dev).
With ``--keep FILE`` programs that a run before has measured are not measured again.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import json
import os
import platform
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from examples.npbench.contenders import CLOCKS, FORMS, NAMES, Bench
from examples.npbench.problems import SIZES, problems
from examples.npbench.report import Row, line, reasons, summary, table
from examples.workers import Failed, Worker

HERE = Path(__file__).parent
PATIENCE = 1.0
"""Seconds that the samples of one form may take together, after the first two."""

Say = Callable[[str], None]


def options(words: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m examples.npbench",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("path", type=Path, help="a clone of NPBench")
    parser.add_argument("--size", choices=SIZES, default="S")
    parser.add_argument("--only", nargs="*", metavar="PROGRAM")
    parser.add_argument("--against", nargs="*", choices=FORMS, default=[])
    parser.add_argument("--repeat", type=int, default=10, metavar="SAMPLES")
    parser.add_argument("--clock", choices=CLOCKS, default="wall")
    parser.add_argument(
        "--keep", type=Path, metavar="FILE", help="what has been measured, to go on"
    )
    parser.add_argument(
        "--write", type=Path, metavar="FILE", help="the table as a file"
    )
    chosen = parser.parse_args(words)
    for who in list(chosen.against):
        if importlib.util.find_spec(who) is None:
            print(f"{who} is not installed: pip install -e .[bench]")
            chosen.against.remove(who)
    return chosen


@contextlib.contextmanager
def progress(count: int) -> Iterator[Say]:
    """A bar of rich with what is being done, where rich is installed."""
    if importlib.util.find_spec("rich") is None:
        yield lambda text: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}")
    with Progress(*columns, transient=True) as bar:
        task = bar.add_task("", total=count)

        def say(text: str) -> None:
            bar.update(task, description=text, advance=int(not text))

        yield say


def measured(
    name: str, forms: Sequence[str], chosen: argparse.Namespace, say: Say
) -> Row:
    """Load the forms of a program and sample them in turns.

    Args:
        name: of the program.
        forms: that take part.
        chosen: the command line.
        say: called with what is being done.
    """
    row = Row(name)
    at = ""
    with tempfile.TemporaryDirectory() as folder:
        worker = Worker(1, Bench, {"LOOPTX_CACHE_DIR": folder})
        try:
            worker.ask("problem", str(chosen.path), name, chosen.size, chosen.clock)
            for at in forms:
                say(f"{name}: {at}")
                with _noted(row, at, worker):
                    row.first[at], wrong = worker.ask("load", at)  # type: ignore[misc]
                    if wrong:
                        row.errors[at] = wrong
            sampled(row, worker, chosen.repeat)
            row.native, row.other, row.why = worker.ask("ran")  # type: ignore[misc]
        except Failed as error:
            if at not in FORMS_OF_RIVALS:
                row.errors[at or "looptx"] = str(error)
                return row
            rest = [form for form in forms if form != at]
            row = measured(name, rest, chosen, say)
            row.errors[at] = str(error)
        finally:
            worker.stop()
    return row


FORMS_OF_RIVALS = [form for forms in FORMS.values() for form in forms]


@contextlib.contextmanager
def _noted(row: Row, form: str, worker: Worker) -> Iterator[None]:
    """Note what a form cannot do, as long as its process lives."""
    try:
        yield
    except Failed as error:
        worker.process.join(0.05)
        if not worker.process.is_alive():
            raise
        row.errors[form] = str(error)


def sampled(row: Row, worker: Worker, repeat: int) -> None:
    """Sample in turns all forms whose results are right.

    Args:
        row: of the program; the best times are added.
        worker: the process.
        repeat: how many samples at most.
    """
    forms = [form for form in row.first if form not in row.errors]
    spent = dict.fromkeys(forms, 0.0)
    for turn in range(repeat):
        for form in forms[:: 1 if turn % 2 else -1]:
            if turn >= 2 and spent[form] > PATIENCE:
                continue
            took = worker.ask("sample", form)
            assert isinstance(took, float)
            spent[form] += took
            row.times[form] = min(row.times.get(form, took), took)


def kept(chosen: argparse.Namespace) -> dict[str, Row]:
    """What runs before have measured, by program."""
    if not chosen.keep or not chosen.keep.exists():
        return {}
    table = json.loads(chosen.keep.read_text("utf-8"))
    return {name: Row(**fields) for name, fields in table.items()}


def text(rows: Sequence[Row], chosen: argparse.Namespace) -> str:
    """All that is known as Markdown.

    Args:
        rows: the programs.
        chosen: the command line.
    """
    load = f"{os.getloadavg()[1]:.1f}" if hasattr(os, "getloadavg") else "unknown"
    parts = [
        f"## Size {chosen.size}",
        f"One thread on {platform.machine()}, {os.cpu_count()} cores; the load of the "
        f"machine at the end was {load}. The {NAMES[chosen.clock]} of the best of at "
        f"most {chosen.repeat} samples.",
        "\n".join(table(rows, chosen.against)),
        "\n\n".join(summary(rows, chosen.against)),
        "\n".join(reasons(rows)),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def main(words: Sequence[str] | None = None) -> int:
    """Measure, print, and write."""
    chosen = options(words)
    try:
        found = problems(chosen.path)
    except FileNotFoundError as error:
        print(error)
        return 1
    unknown = set(chosen.only or ()) - set(found)
    if unknown:
        print(f"no such program: {', '.join(sorted(unknown))}")
        return 1
    names = [name for name in found if not chosen.only or name in chosen.only]
    rivals = [form for who in chosen.against for form in FORMS[who]]
    rows: list[Row] = []
    known = kept(chosen)
    with progress(len(names)) as say:
        for name in names:
            there = [form for form in rivals if found[name].path(form).exists()]
            if name not in known:
                known[name] = measured(name, ["numpy", "looptx", *there], chosen, say)
            rows.append(known[name])
            print(line(rows[-1], chosen.against), flush=True)
            say("")
            if chosen.keep:
                table = {name: asdict(row) for name, row in known.items()}
                chosen.keep.write_text(json.dumps(table, indent=1), encoding="utf-8")
            if chosen.write:
                chosen.write.write_text(text(rows, chosen), encoding="utf-8")
    print(text(rows, chosen))
    return int(any("looptx" in row.errors for row in rows))


if __name__ == "__main__":
    raise SystemExit(main())
