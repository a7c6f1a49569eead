"""Time PolyBench's kernels: looptx, C compilers, Numba and Pythran, in one run.

Run it from the root of the repository: ``python -m examples.polybench [SIZE]``, or
``make bench-polybench SIZE=MEDIUM ONLY=gemm THREADS=1``. What is not installed is left
out and said so. Times are medians; contenders take turns.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from examples.polybench import chart, measure, report
from examples.polybench.contenders import ALL, Contender
from examples.polybench.problems import DATASETS, HERE, PROBLEMS
from examples.workers import CLOCKS, NAMES


def options() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m examples.polybench", description=__doc__
    )
    parser.add_argument("size", nargs="?", choices=DATASETS, default="MEDIUM")
    parser.add_argument("--only", nargs="*", choices=PROBLEMS, metavar="KERNEL")
    parser.add_argument("--threads", type=int, choices=(1, 2), action="append")
    parser.add_argument("--without", nargs="*", default=[], metavar="CONTENDER")
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument(
        "--clock",
        choices=CLOCKS,
        default="wall",
        help="cpu: for a machine that is busy",
    )
    parser.add_argument(
        "--write", type=Path, metavar="FOLDER", help="table and chart as files"
    )
    parser.add_argument(
        "--resume", action="store_true", help="keep what a run before has measured"
    )
    return parser.parse_args()


def taking_part(chosen: argparse.Namespace) -> list[Contender]:
    """Those that are installed and asked for."""
    threads = chosen.threads or [1, 2]
    asked = [
        one
        for one in ALL
        if one.threads in threads and one.name.split()[0] not in chosen.without
    ]
    return [one for one in asked if one.there]


def absent(chosen: argparse.Namespace) -> str:
    """Who does not take part."""
    there = {one.name for one in taking_part(chosen)}
    return (
        ", ".join(dict.fromkeys(one.name for one in ALL if one.name not in there))
        or "nobody"
    )


def surroundings() -> str:
    """What else the machine does."""
    load = f"{os.getloadavg()[1]:.1f}" if hasattr(os, "getloadavg") else "unknown"
    return f"{os.cpu_count()} cores; the load of the machine at the end was {load}."


def line(name: str, cells: measure.Cells) -> str:
    """What is printed when a kernel is done."""
    parts = [f"{name:<15}"]
    for ratio in report.RATIOS:
        found = ratio.of(cells)
        parts.append(
            f"{found[0]:>8.2f} {found[1]:<14}" if found else f"{'-':>8}{'':15}"
        )
    errors = [f"{key}: {cell.error}" for key, cell in cells.items() if cell.error]
    return "\n".join(["".join(parts), *(f"    {error}" for error in errors)])


def text(results: report.Results, chosen: argparse.Namespace) -> str:
    """The tables as Markdown."""
    parts = [
        f"# PolyBench/C 4.2, {chosen.size}",
        f"By the {NAMES[chosen.clock]} on {platform.machine()}, medians of "
        f"{chosen.repeat} samples (at least three of what is slow), taken in turns; "
        f"samples of one spread by {100 * report.noise(results):.1f}%. "
        f"{surroundings()}",
        f"Left out, not installed or not asked for: {absent(chosen)}.",
        report.bits_table(results),
        "## Ratios\n\nTime of looptx over that of the fastest of the others (in "
        "parentheses): below 1, looptx is faster.",
        report.ratios_table(results),
    ]
    for threads in chosen.threads or [1, 2]:
        parts.append(f"## Milliseconds, {threads} thread{'s' * (threads > 1)}")
        parts.append(report.times_table(results, threads))
    return "\n\n".join(parts) + "\n"


def kernels(
    chosen: argparse.Namespace, contenders: list[Contender]
) -> Iterator[tuple[str, measure.Cells]]:
    """Measure one kernel after the other, and print a line for each.

    Args:
        chosen: the command line.
        contenders: who takes part.
    """
    names = chosen.only or list(PROBLEMS)
    workers = measure.Workers(chosen.clock)
    place = HERE / "build" / f"{chosen.size}_{chosen.clock}"
    place.mkdir(parents=True, exist_ok=True)
    try:
        for number, name in enumerate(names, 1):
            kept = place / f"{name}.json"
            if chosen.resume and kept.exists():
                cells = measure.read(kept)
            else:
                say = partial(_say, f"{number}/{len(names)} {name}")
                sizes = PROBLEMS[name].sizes[chosen.size]
                cells = measure.prepare(PROBLEMS[name], sizes, contenders, workers, say)
                measure.run(contenders, cells, workers, chosen.repeat, say)
                measure.write(cells, kept)
                measure.progress("")
            print(line(name, cells), flush=True)
            yield name, cells
    finally:
        workers.stop()


def _say(where: str, what: str) -> None:
    measure.progress(f"{where}: {what}")


def write(results: report.Results, chosen: argparse.Namespace) -> None:
    """The tables and the chart as files."""
    chosen.write.mkdir(parents=True, exist_ok=True)
    (chosen.write / "RESULTS.md").write_text(text(results, chosen), encoding="utf-8")
    title = f"PolyBench {chosen.size}: time of looptx / fastest of all others"
    (chosen.write / "results.svg").write_text(chart.svg(results, title), "utf-8")


def main() -> None:
    """Measure, print, and write."""
    chosen = options()
    contenders = taking_part(chosen)
    left_out = f"left out, not installed or not asked for: {absent(chosen)}"
    print(left_out, file=sys.stderr)
    titles = "".join(f"{ratio.title:>8.22}{'':7}"[:23] for ratio in report.RATIOS)
    print(f"{'kernel':<15}{titles}", flush=True)
    results: dict[str, measure.Cells] = {}
    for name, cells in kernels(chosen, contenders):
        results[name] = cells
        if chosen.write:
            write(results, chosen)
    for title, value, count, largest in report.means(results):
        if value is not None:
            about = f"{value:.2f} over {count} kernels, at most {largest:.2f}"
            print(f"{title:<20} {about}")


if __name__ == "__main__":
    main()
