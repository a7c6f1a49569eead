"""Time every example: plain Python, NumPy, C written by hand, and looptx.

Run it from the root of the repository: ``python -m examples.bench [NAME...]``.
"""

from __future__ import annotations

import argparse
import importlib

from examples import harness

NAMES = (
    "matmul",
    "gemm",
    "conv1d",
    "jacobi2d",
    "lu",
    "trisolve",
    "atax",
    "heat",
    "blur",
    "layernorm",
    "layer",
    "attention",
    "conv2d",
    "dot",
)


def main() -> None:
    """Read the command line and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="default: all")
    parser.add_argument("--repeat", type=int, default=15)
    parser.add_argument("--markdown", action="store_true", help="ratios as well")
    options = parser.parse_args()
    unknown = set(options.names) - set(NAMES)
    if unknown:
        parser.error(f"no example {', '.join(sorted(unknown))}: {', '.join(NAMES)}")
    problems = [
        importlib.import_module(f"examples.{name}.timing").PROBLEM
        for name in options.names or NAMES
    ]
    harness.report(problems, options.repeat, options.markdown)


if __name__ == "__main__":
    main()
