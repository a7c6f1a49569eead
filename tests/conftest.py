"""Tests keep compiled nests apart from the user's, and compile most of them quickly.

Their loops are short, and yet threads share them, however little they do.
"""

from __future__ import annotations

import gc
import os
import shutil
import signal
import sys
import tempfile
from pathlib import Path

import pytest
from kit import kept, quickly
from quick import headers

gc.set_threshold(10_000, 20, 20)
"""Collections are seldom: what a nest makes lives as long as the nest, and the tests
themselves are objects without end. With Python's own thresholds they are a sixth of the
time."""

# Children read looptx as byte code, whatever the shell says: to compile the text of it
# anew is half a second of each.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Threads that wait in small loops would take the processor from the other workers'.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

# What a shell runs in the background ignores interrupts, and so do its children.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_configure(config: pytest.Config) -> None:
    """One cache for all workers and runs: its keys are digests of everything."""
    cache = getattr(config, "cache", None)
    if "LOOPTX_CACHE_DIR" not in os.environ and cache is not None:
        folder = cache.mkdir("looptx")
        folder.chmod(0o700)
        os.environ["LOOPTX_CACHE_DIR"] = str(folder)
        os.environ[kept.FOLDER] = str(cache.mkdir("modules"))
        os.environ[kept.OBJECTS] = str(kept.objects(cache.mkdir("objects")))
        kept.forget()
    if "CC" not in os.environ and os.name == "posix" and shutil.which("cc"):
        os.environ["CC"] = str(quickly.CC)
        if not hasattr(config, "workerinput"):
            _read_headers(config)
    os.environ.setdefault("LOOPTX_ALWAYS_PARALLEL", "1")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes long begins first: no worker waits for it in the end."""
    items.sort(key=lambda item: item.get_closest_marker("long") is None)


def _read_headers(config: pytest.Config) -> None:
    """Let gcc read the headers of all nests once."""
    folder = tempfile.TemporaryDirectory(prefix="looptx-quick-")
    config.add_cleanup(folder.cleanup)
    header = headers.compiled(Path(folder.name), quickly.CC)
    if header is not None:
        os.environ["LOOPTX_QUICK_HEADER"] = str(header)


@pytest.fixture
def monkeypatch(monkeypatch):
    """Modules are rewritten anew by what is patched."""
    from kit.carried import transformation

    transformation.cache_clear()
    yield monkeypatch
    transformation.cache_clear()


@pytest.fixture
def optimised(monkeypatch):
    """Kernels are compiled as users' are."""
    quickly.undone(monkeypatch)


@pytest.fixture
def fresh_cache(tmp_path, monkeypatch):
    """An empty cache directory, in use."""
    folder = tmp_path / "cache"
    folder.mkdir(mode=0o700)
    monkeypatch.setenv("LOOPTX_CACHE_DIR", str(folder))
    return folder


@pytest.fixture(scope="module")
def rehearsed(request, tmp_path_factory):
    """What the tests of a module compile is compiled at once, before the first."""
    from kit.rehearsed import rehearsed

    with rehearsed(request, tmp_path_factory.mktemp("rehearsed")):
        yield


@pytest.fixture(scope="module", params=["cython", "c99"])
def target(request):
    """What writes the functions of nests: each target in turn."""
    from kit.c99 import InC99

    from looptx.emit.cython import Cython

    return InC99 if request.param == "c99" else Cython
