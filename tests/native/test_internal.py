"""Kernels that run into a fault of looptx: the loops as written run, and it is told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from kit.calls import imported

from looptx.errors import LooptxError

TEXT = """
    import looptx

    @looptx.kernel("split i 4", strict={strict})
    def add(A):
        for i in range(A.shape[0]):
            A[i] = A[i] + 1.0
"""

FAULTS = {
    "reading": ("looptx.attach.assign", "add", ":4:1"),
    "the list of nests": ("looptx.native.analysis.function.nest_info", "add", ":4:1"),
    "weaving": ("looptx.native.call.rebuild.weave", "add", ""),
    "the proof": ("looptx.plan.plan_nest", "add.n0", ":4:1"),
    "emission": ("looptx.lower.loops.functions.Functions.ends", "add.n0", ":4:1"),
}
"""Where an exception comes from that nobody foresaw; what runs as Python; the place."""


def planted(*_: Any, **__: Any) -> Any:
    raise KeyError("planted\nhere")


def kernel(folder: Path, *, strict: bool) -> Any:
    """A kernel that was never called."""
    return imported(folder / "kernels.py", TEXT.format(strict=strict)).add


@pytest.mark.parametrize("where", FAULTS)
def test_a_fault_of_looptx_is_told_and_does_no_harm(
    where: str, fresh_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, what, place = FAULTS[where]
    add = kernel(tmp_path, strict=False)
    A = np.zeros(7)
    with monkeypatch.context() as patch:
        patch.setattr(name, planted)
        with pytest.warns(RuntimeWarning, match="LX901") as warned:
            add(A)
        add(A)
    assert A.tolist() == [2.0] * 7
    (warning,) = warned
    text = str(warning.message)
    at = f"{tmp_path / 'kernels.py'}{place}: " if place else ""
    told = f"{what} runs as plain Python: {at}LX901 internal error: KeyError: 'planted"
    assert told in text
    assert "Traceback" not in text
    (folder,) = fresh_cache.glob("*/failed/*")
    assert str(folder) in text
    assert "in planted" in (folder / "traceback.txt").read_text()
    assert "def add(A):" in (folder / "function.py").read_text()
    assert "LX901" in str(add.report())
    # It is not kept: who mends looptx need not clear the cache.
    other = kernel(tmp_path, strict=True)
    other(A)
    assert other.report().nests[0].calls == 1


@pytest.mark.parametrize("where", FAULTS)
def test_strict_kernels_raise_it(
    where: str, fresh_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add = kernel(tmp_path, strict=True)
    monkeypatch.setattr(FAULTS[where][0], planted)
    A = np.zeros(7)
    for _ in range(2):
        with pytest.raises(LooptxError, match="KeyError: 'planted") as caught:
            add(A)
        assert caught.value.code == "LX901"
        assert caught.value.__suppress_context__
        assert "Traceback" not in str(caught.value)
    assert not A.any()


VIEWS = {
    "inspect_python": "looptx.plan.plan_nest",
    "validate": "looptx.native.call.validated.validate",
}


@pytest.mark.parametrize("method", VIEWS)
def test_what_shows_a_kernel_raises_no_other_error(
    method: str, fresh_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add = kernel(tmp_path, strict=False)
    monkeypatch.setattr(VIEWS[method], planted)
    with pytest.raises(LooptxError, match="KeyError: 'planted") as caught:
        getattr(add, method)()
    assert caught.value.code == "LX901"
    assert caught.value.__suppress_context__


def test_what_tells_of_the_process_passes(
    fresh_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def deep(*_: Any, **__: Any) -> Any:
        raise RecursionError("deep in somebody's stack")

    add = kernel(tmp_path, strict=True)
    for name in ("looptx.native.call.rebuild.weave", "looptx.plan.plan_nest"):
        with monkeypatch.context() as patch:
            patch.setattr(name, deep)
            with pytest.raises(RecursionError):
                add(np.zeros(7))
    add(np.zeros(7))
    assert add.report().nests[0].calls == 1


@pytest.mark.parametrize(
    ("what", "raised"),
    [
        ("store.workspace", OSError("no space left")),
        ("traceback.format_exception", TypeError("no text")),
    ],
)
def test_it_is_told_where_nothing_can_be_kept(
    what: str,
    raised: Exception,
    fresh_cache: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def full(*_: Any) -> Any:
        raise raised

    add = kernel(tmp_path, strict=True)
    monkeypatch.setattr("looptx.plan.plan_nest", planted)
    monkeypatch.setattr(f"looptx.native.diagnostics.bug_reports.{what}", full)
    with pytest.raises(LooptxError, match="LX901") as caught:
        add(np.zeros(7))
    assert caught.value.hint == "this is a fault of looptx; please report it"
