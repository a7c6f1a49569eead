"""What a second target makes of the typed tree does the same, bit by bit."""

from __future__ import annotations

import shutil
from pathlib import Path

import c99
import pytest
from fuzz.native.tier import main_tier
from test_examples import CASES, EXAMPLES, agrees, load

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")


def test_random_programs_in_c99() -> None:
    with c99.instead():
        tally = main_tier(32, 31_000_000)
    assert not tally.failures, tally.failures[0]
    assert tally.notes["native"] > 100


@pytest.mark.parametrize("name", CASES)
def test_examples_in_c99(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOOPTX_CACHE_DIR", str(tmp_path))
    native = load(EXAMPLES / name / f"{name}_decorated.py", name)
    with c99.instead():
        agrees(name, native)
    report = native.report()  # type: ignore[attr-defined]
    assert all(nest.calls for nest in report.nests)
    assert "lx_seen(" in native.inspect_cython()  # type: ignore[attr-defined]
