"""``looptx doctor``: what looptx finds on this machine."""

from __future__ import annotations

import os
import platform
import sys

import click

from looptx import __version__
from looptx.cli import output, pool
from looptx.errors import LooptxError

DISTRIBUTIONS = ("numpy", "Cython", "islpy", "black", "click")
VARIABLES = (
    "LOOPTX_CACHE_DIR",
    "LOOPTX_CACHE_SIZE",
    "LOOPTX_DISABLE",
    "LOOPTX_NUM_THREADS",
    "LOOPTX_VECTOR_BYTES",
    "CC",
    "OMP_NUM_THREADS",
)


def version(distribution: str) -> str:
    """The installed version of a distribution, or ``not installed``."""
    import importlib.metadata

    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def compiler() -> tuple[list[tuple[str, str]], bool]:
    """What can be said about the C compiler, and whether it builds modules."""
    from looptx.native.compile import compiler as c

    try:
        found = c.find()
        headers = c.has_headers(found)
        rows = [
            ("compiler", f"{' '.join(found.argv)} ({c.version(found)})"),
            ("Python.h", "found" if headers else f"missing: {c.no_headers().hint}"),
        ]
        openmp = c.openmp(found)
    except LooptxError as error:
        return [("compiler", f"{error.message}; {error.hint}")], False
    missing = "does not work: parallel loops run on one thread"
    rows.append(("OpenMP", " ".join(openmp) if openmp else missing))
    return rows, headers


def storage() -> tuple[list[tuple[str, str]], bool]:
    """What can be said about the cache, and whether it can be used."""
    from looptx.native.cache import eviction, places

    why = places.trouble()
    used, most = eviction.size() / 2**20, eviction.limit() / 2**20
    said = f"{eviction.entries()} compiled nests, {used:.1f} of {most:.0f} MiB"
    rows = [("cache", str(places.location())), ("", said)]
    if why:
        rows.append(("", f"{why}: kept for one process only"))
    return rows, not why


@click.command("doctor")
def command() -> int:
    """Show compiler, OpenMP, cache and versions.

    Exit status: 0 fine, 1 something is amiss.
    """
    rows = [
        ("looptx", __version__),
        ("Python", f"{platform.python_version()} ({sys.executable})"),
        ("system", f"{platform.platform()}, {pool.cores()} cores"),
        *((name, version(name)) for name in DISTRIBUTIONS),
    ]
    compiler_rows, builds = compiler()
    cache_rows, keeps = storage()
    rows += [*compiler_rows, *cache_rows]
    rows += [(name, os.environ[name]) for name in VARIABLES if name in os.environ]
    width = max(len(name) for name, _ in rows)
    for name, text in rows:
        click.echo(f"{name:<{width}}  {text}")
    if not builds:
        output.say("native code cannot be built: kernels run as transformed Python")
    return 0 if builds and keeps else 1
