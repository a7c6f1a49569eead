"""Every test run keeps its compiled nests apart from the user's."""

from __future__ import annotations

import contextlib
import os
import signal

import pytest

# What a shell runs in the background ignores interrupts, and so do its children.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_configure(config: pytest.Config) -> None:
    """One cache for all workers and runs: its keys are digests of everything."""
    kept = getattr(config, "cache", None)
    if "LOOPTX_CACHE_DIR" not in os.environ and kept is not None:
        folder = kept.mkdir("looptx")
        folder.chmod(0o700)
        os.environ["LOOPTX_CACHE_DIR"] = str(folder)


@pytest.fixture
def fresh_cache(tmp_path, monkeypatch):
    """An empty cache directory, in use."""
    folder = tmp_path / "cache"
    folder.mkdir(mode=0o700)
    monkeypatch.setenv("LOOPTX_CACHE_DIR", str(folder))
    return folder


@pytest.fixture(scope="module", params=["cython", "c99"])
def target(request):
    """Each target in turn, in use for what is written meanwhile."""
    import c99

    with c99.instead() if request.param == "c99" else contextlib.nullcontext():
        yield request.param
