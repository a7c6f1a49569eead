"""Runs the functions of a field natively beside CPython, and says what ran how."""

from __future__ import annotations

import importlib
import re
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from kit.together import together
from semantics.table import exactly

import looptx
from corpus import CASES, SIZES, Case

NATIVE = "native"
PART = "part: "
ORDINARY = 2
"""The smallest size at which what runs as Python counts."""

_PLACE = re.compile(r"^\S+?:\d+:\d+: ")


@dataclass(frozen=True)
class Outcome:
    """What became of a function.

    Attributes:
        name: its name.
        ran: ``NATIVE``, or the first reason why not all of it is, behind ``PART`` where
            some of it is.
        wrong: at which sizes it left something else behind than CPython, and what.
    """

    name: str
    ran: str
    wrong: tuple[str, ...]


def cases(field: str) -> dict[str, Case]:
    """The functions of a field, by name."""
    importlib.import_module(f"corpus.{field}")
    return CASES[field]


def outcomes(field: str) -> Iterator[Outcome]:
    """Compile the functions of a field as one module, and run each at all sizes."""
    kernels = {name: looptx.kernel(one.function) for name, one in cases(field).items()}
    with tempfile.TemporaryDirectory() as folder, together() as nests:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for name, case in cases(field).items():
                for size in SIZES:
                    left(kernels[name], case, size)
            nests.build(Path(folder))
            for name, case in cases(field).items():
                yield _outcome(name, kernels[name], case)
        assert not nests.waiting, "a function asks for other nests the second time"


def left(called: Any, case: Case, size: int) -> object:
    """All that a call leaves behind: its result or exception, and its arguments.

    Args:
        called: the function or its kernel.
        case: of the corpus.
        size: for the arguments.
    """
    arguments = case.arguments(size)
    try:
        result = exactly(called(*arguments))
    except Exception as error:
        result = type(error).__name__, str(error)
    return result, tuple(map(exactly, arguments))


def _outcome(name: str, kernel: Any, case: Case) -> Outcome:
    """Compare a kernel with its function at all sizes."""
    wrong = []
    calls, reasons = 0, Counter[str]()
    for size in SIZES:
        python = left(case.function, case, size)
        before = _counts(kernel)
        native = left(kernel, case, size)
        if python != native:
            wrong.append(f"{name} at {size}: {native}, not {python}")
        if size >= ORDINARY:
            for nest in kernel.report().nests:
                count, known = before.get(nest.name, (0, {}))
                calls += nest.calls - count
                reasons += Counter(nest.fallbacks) - Counter(known)
    ran = _ran(kernel.report(), calls, reasons)
    if "LX901" in ran:
        wrong.append(f"{name}: {ran}")
    return Outcome(name, ran, tuple(wrong))


def _counts(kernel: Any) -> dict[str, tuple[int, dict[str, int]]]:
    """How often each nest ran natively, and why it did not: of those not told, too.

    A loop round others that is only tried is told once it has run natively.
    """
    known = kernel._prepared.dispatchers if kernel._prepared else ()
    return {one.info.label: (one.calls, dict(one.fallbacks)) for one in known}


def _ran(report: Any, calls: int, reasons: Counter[str]) -> str:
    """What the table says of a function.

    Args:
        report: its kernel's.
        calls: how often nests of it ran natively.
        reasons: how often they did not, by reason.
    """
    failures = [text for nest in report.nests for text in nest.failures]
    known = [*failures, *report.left, report.unread, *reasons]
    texts = [_PLACE.sub("", text.partition("\n")[0]) for text in known if text]
    if texts:
        return (PART if calls else "") + texts[0]
    return NATIVE if calls else "no loop of it runs natively"
