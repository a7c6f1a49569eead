"""The text of kernels: as it stands, without a schedule, or with another one.

The schedule in a kernel's comments keeps every bit of the result. What two threads, or
rounding at will, want otherwise stands in the folder schedules.
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Callable
from pathlib import Path

from examples.polybench.problems import HERE, Problem
from looptx.language.files import load

OTHERWISE = {
    (1, False): (),
    (2, False): ("threads",),
    (1, True): ("fast",),
    (2, True): ("threads", "fast"),
}
"""Where to look for another schedule, by threads and whether bits may differ."""

COMMENT = re.compile(r"^ *# looptx: .*\n", re.MULTILINE)
NAMES = re.compile(r"^ *# looptx: nest \w+\n", re.MULTILINE)


def scheduled(problem: Problem) -> str:
    """A kernel as it stands."""
    return problem.python.read_text(encoding="utf-8")


def without_directives(text: str) -> str:
    """A text without comments that are directives."""
    return COMMENT.sub("", text)


def plain(problem: Problem) -> str:
    """A kernel without directives."""
    return without_directives(scheduled(problem))


def named(problem: Problem) -> str:
    """A kernel with no directives but those that give names."""
    return COMMENT.sub(
        lambda found: found[0] if NAMES.match(found[0]) else "", scheduled(problem)
    )


def otherwise(problem: Problem, threads: int, fast: bool) -> tuple[str, ...]:
    """The directives for a number of threads, where the comments are not for them.

    Args:
        problem: the kernel.
        threads: 1 or 2.
        fast: whether bits of the result may differ.
    """
    for name in OTHERWISE[threads, fast]:
        found = load(HERE / "schedules" / f"{name}.looptx").of(str(problem.python))
        if problem.name in found:
            return tuple(one.text for one in found[problem.name])
    return ()


def function(text: str, name: str, folder: Path) -> Callable[..., object]:
    """A function of a text, which is written into a folder.

    Args:
        text: a module.
        name: the function, and what the module is to be called.
        folder: where it is to lie.
    """
    path = folder / f"{name}.py"
    path.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: Callable[..., object] = getattr(module, name)
    return found


def with_prange(problem: Problem) -> str:
    """A kernel for Numba, whose threads share the loops that they share in C."""
    lines = problem.c.read_text(encoding="utf-8").splitlines()
    loops = [at for at, line in enumerate(lines) if "for (size" in line]
    shared = [lines[at - 1].startswith("#pragma omp parallel for") for at in loops]
    count = iter(shared)
    text = re.sub(
        r"(?<= in )range\(",
        lambda found: "prange(" if next(count) else found[0],
        plain(problem),
    )
    head, doc, rest = text.split('"""', 2)
    return f'{head}"""{doc}"""\n\nfrom numba import prange\n{rest}'
