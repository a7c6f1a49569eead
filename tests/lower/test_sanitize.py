"""Native code of random functions under AddressSanitizer and UBSan.

``LOOPTX_SANITIZE`` says how many functions are tried: ``make sanitize N=500``. Then
they are compiled with ``-O1``, where gcc checks the sizes of objects, too.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import sanitize
from sanitize_cases import Call, Case, collect, left_behind
from sanitize_programs import case

from looptx import hints
from looptx.emit.cython import module_text

CASES = int(os.environ.get("LOOPTX_SANITIZE", "50"))
LEVEL = "-O1" if "LOOPTX_SANITIZE" in os.environ else "-O0"
BATCH = 25
FAMILIES = 1000
"""How many functions a batch may try."""

pytestmark = pytest.mark.skipif(
    bool(sanitize.unavailable()), reason=sanitize.unavailable()
)


def some_cases(start: int) -> Iterator[Case]:
    """Cases that have native code, in the order of their numbers."""
    found = map(case, itertools.count(start))
    return (one for one in found if one is not None)


@pytest.mark.parametrize("batch", range(-(-CASES // BATCH)))
def test_random_functions(
    batch: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hints, "suggest", lambda *_: "")
    count = min(BATCH, CASES - batch * BATCH)
    seed = int(os.environ.get("LOOPTX_SEED", "0")) + batch
    cases = list(itertools.islice(some_cases(seed * FAMILIES), count))
    found = sanitize.sanitized(cases, tmp_path, sanitize.address(LEVEL))
    assert not found.report, found.report
    assert not found.different, "\n\n".join(found.different)
    calls, native = found.counts["calls"], found.counts["native"]
    assert native > calls / 2, found.counts
    print(f"{count} functions, {calls} calls, {native} native runs of nests")


# The check fails when it should

FAULTS = {
    "guard": ("if A.shape[0] < n:", "if A.shape[0] < n - 1:", "heap-buffer-overflow"),
    "loop": ("lx_mod(n, 4), n):", "lx_mod(n, 4), n + 1):", "heap-buffer-overflow"),
    "first": ("range(0, n - 3", "range(-4, n - 3", "heap-buffer-overflow"),
    "zero": ("lx_mod(n, 4)", "lx_mod(n, n - n)", "division by zero"),
    "shift": ("u[ii] + 1", "u[ii] << (n + 60)", "shift exponent"),
    "value": ("u[ii] + 1", "u[ii] - 1", ""),
}
"""What is changed in the Cython text, and what is reported; nothing of ``value``."""

SUBJECT = """\
def f(A, u, n):
    # looptx: split i 4
    for i in range(n):
        A[i] += 1.0
        u[i] = u[i] + 1
"""


def subject(name: str) -> Case:
    """A function with a call that ends at the ends of its arrays."""
    made = Case(name, SUBJECT)
    short = 1 if name == "guard" else 0
    arguments = {"A": np.ones(7 - short), "u": np.ones(7, np.int64), "n": 7}
    call = Call(arguments, {"A": "C", "u": "reversed"}, 1)
    made.calls.append(
        replace(call, expected=left_behind(made.original(), call.given()))
    )
    collect(made)
    return made


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a module of functions that have a fault, and one without."""
    functions = list(subject("none").functions)
    for name, (right, wrong, _) in FAULTS.items():
        (section,) = subject(name).functions
        assert right in section.text
        functions.append(replace(section, text=section.text.replace(right, wrong)))
    folder = tmp_path_factory.mktemp("faulty")
    sanitize.compile_module(module_text(functions), folder, sanitize.address("-O0"))
    return folder


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_reported(name: str, faulty: Path) -> None:
    found = sanitize.run([subject(name)], faulty, sanitize.address())
    report = FAULTS[name][2]
    assert report in found.report
    assert SUBJECT in (found.report if report else found.different[0])


def test_no_fault_is_no_report(faulty: Path) -> None:
    found = sanitize.run([subject("none")], faulty, sanitize.address())
    assert (found.report, found.different) == ("", [])
    assert found.counts["native"] == 1
