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

import pytest
from fuzz.native.calls import Call
from fuzz.native.case import Case, collect
from fuzz.native.tier import accepted
from fuzz.values.memory import Given
from kit import sanitize

from looptx.emit.cython import module_text

CASES = int(os.environ.get("LOOPTX_SANITIZE", "25"))
LEVEL = "-O1" if "LOOPTX_SANITIZE" in os.environ else "-O0"
BATCH = 25
FAMILIES = 1000
"""How many functions a batch may try."""

pytestmark = pytest.mark.skipif(
    bool(sanitize.unavailable()), reason=sanitize.unavailable()
)


def some_cases(start: int) -> Iterator[Case]:
    """Cases that have native code, in the order of their numbers."""
    found = (accepted(seed)[0] for seed in itertools.count(start))
    return (one for one in found if one and one.functions and not one.complex)


@pytest.mark.parametrize("batch", range(-(-CASES // BATCH)))
def test_random_functions(batch: int, tmp_path: Path) -> None:
    count = min(BATCH, CASES - batch * BATCH)
    seed = int(os.environ.get("LOOPTX_SEED", "0")) + batch
    cases = list(itertools.islice(some_cases(seed * FAMILIES), count))
    tool = sanitize.address(LEVEL, sanitize.ANY_CAST)
    found = sanitize.sanitized(cases, tmp_path, tool)
    assert not found.report, found.report
    assert not found.different, "\n\n".join(found.different)
    calls, native = found.counts["calls"], found.counts["native"]
    assert native > calls / 2, found.counts
    print(f"{count} functions, {calls} calls, {native} native runs of nests")


# The check fails when it should

FAULTS = {
    "guard": ("if A.shape[0] < n:", "if A.shape[0] < n - 1:", "heap-buffer-overflow"),
    "first": ("range(0, n - 3", "range(-4, n - 3", "heap-buffer-overflow"),
    "zero": ("lx_mod(n, 4)", "lx_mod(n, n - n)", "division by zero"),
    "shift": ("u[ii * u_0] + 1", "u[ii * u_0] << (n + 60)", "shift exponent"),
    "value": ("u[ii * u_0] + 1", "u[ii * u_0] - 1", ""),
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
    short = 1 if name == "guard" else 0
    arrays = (
        Given("A", "float64", (7 - short,), seed="A"),
        Given("u", "int64", (7,), "backwards", seed="u"),
    )
    call = Call(0, arrays, (("n", 7),), (1,), 0xA5, exact=True)
    made = Case([*FAULTS, "none"].index(name), SUBJECT, "f", (call,))
    collect(made)
    return made


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a module of functions that have a fault, and one without."""
    functions = list(subject("none").functions.values())
    for name, (right, wrong, _) in FAULTS.items():
        (section,) = subject(name).functions.values()
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
