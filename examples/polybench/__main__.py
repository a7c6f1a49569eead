"""Time PolyBench's kernels: looptx, C compilers, Numba and Pythran, in one run.

Run it from the root of the repository: ``python -m examples.polybench [SIZE]``, or
``make bench-polybench SIZE=MEDIUM ONLY=gemm THREADS=1``. What is not installed is left
out and said so. Times are medians; contenders take turns.
"""

from __future__ import annotations

import argparse
import platform
import sys
import time
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
    return parser.parse_args()


def taking_part(chosen: argparse.Namespace) -> list[Contender]:
    """Those that are installed and asked for; the others are named."""
    threads = chosen.threads or [1, 2]
    asked = [
        one
        for one in ALL
        if one.threads in threads and one.name.split()[0] not in chosen.without
    ]
    away = {one.name.split()[0] for one in asked if not one.there}
    if away:
        print(f"not installed: {', '.join(sorted(away))}", file=sys.stderr)
    return [one for one in asked if one.there]


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
        f"{NAMES[chosen.clock].capitalize()} on {platform.machine()}, medians of "
        f"{chosen.repeat} samples (at least three of what is slow), taken in turns; "
        f"samples of one spread by {100 * report.noise(results):.1f}%.",
        report.bits_table(results),
        "## Ratios\n\nTime of looptx over that of the fastest of the others (in "
        "parentheses): below 1, looptx is faster.",
        report.ratios_table(results),
    ]
    for threads in chosen.threads or [1, 2]:
        parts.append(f"## Milliseconds, {threads} thread{'s' * (threads > 1)}")
        parts.append(report.times_table(results, threads))
    return "\n\n".join(parts) + "\n"


def main() -> None:
    """Measure, print, and write."""
    chosen = options()
    contenders = taking_part(chosen)
    names = chosen.only or list(PROBLEMS)
    (HERE / "build").mkdir(exist_ok=True)
    workers = measure.Workers(chosen.clock)
    results: dict[str, measure.Cells] = {}
    titles = "".join(f"{ratio.title:>8.22}{'':7}"[:23] for ratio in report.RATIOS)
    print(f"{'kernel':<15}{titles}", flush=True)
    try:
        for number, name in enumerate(names, 1):
            problem = PROBLEMS[name]
            began = time.monotonic()

            def say(what: str, at: str = f"{number}/{len(names)} {name}") -> None:
                measure.progress(f"{at}: {what}")

            sizes = problem.sizes[chosen.size]
            cells = measure.prepare(problem, sizes, contenders, workers, say)
            measure.run(contenders, cells, workers, chosen.repeat, say)
            results[name] = cells
            measure.progress("")
            spent = time.monotonic() - began
            print(f"{line(name, cells)} {spent:5.0f} s", flush=True)
    finally:
        workers.stop()
    for title, value, count, largest in report.means(results):
        if value is not None:
            print(
                f"{title:<20} {value:.2f} over {count} kernels, at most {largest:.2f}"
            )
    if chosen.write:
        chosen.write.mkdir(parents=True, exist_ok=True)
        (chosen.write / "RESULTS.md").write_text(
            text(results, chosen), encoding="utf-8"
        )
        title = f"PolyBench {chosen.size}: time of looptx / fastest of all others"
        (chosen.write / "results.svg").write_text(chart.svg(results, title), "utf-8")


if __name__ == "__main__":
    main()
