"""What a second target makes of the typed tree does the same, bit by bit."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from fuzz.native.tier import main_tier
from kit.c99 import InC99
from kit.samples import some, thinned
from test_examples import CASES, EXAMPLES, agrees, load

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")


def test_random_programs_in_c99() -> None:
    tally = main_tier(some(8), 31_000_000, as_found=True, target=InC99)
    assert not tally.failures, tally.failures[0]
    assert tally.notes["native"] > some(25)


@pytest.mark.parametrize("name", thinned([*CASES], 2))
def test_examples_in_c99(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOOPTX_CACHE_DIR", str(tmp_path))
    native = load(EXAMPLES / name / f"{name}_decorated.py", name)
    native._ready().analysis().target = InC99  # type: ignore[attr-defined]
    agrees(name, native)
    report = native.report()  # type: ignore[attr-defined]
    assert all(nest.calls for nest in report.nests)
    assert "lx_nest_run_c(" in native.inspect_cython()  # type: ignore[attr-defined]
