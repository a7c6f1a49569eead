"""Cython's shared utility module: the part of the C code that all nests have in common.

A nest compiled alone is 30 000 lines of C and takes gcc six seconds; with the common
code in a module of its own, 7 000 lines and half a second. The module must come from
the Cython that compiles the nests, so its name carries Cython's version: looptx's
``setup.py`` builds it into the wheel, and where it is absent (a plain checkout, another
Cython) it is built once into the cache.

``setup.py`` runs before looptx is installed: this module imports nothing but the
standard library at its top.
"""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from pathlib import Path

PACKAGE = "looptx.native"


def module_name(cython_version: str) -> str:
    """The module's last name for a version of Cython: ``_cyutility_3_3_1``."""
    return "_cyutility_" + re.sub(r"[^0-9A-Za-z]+", "_", cython_version)


def generate(directory: Path, name: str) -> Path:
    """Let Cython write the module's C text into ``directory``.

    Raises:
        RuntimeError: Cython failed; the message is what it printed.
    """
    target = directory.absolute() / f"{name}.c"
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "cython",
            f"--generate-shared={target}",
            f"--module-name={PACKAGE}.{name}",
        ],
        # ``-m`` searches the working directory first, which may hold a cython.py.
        cwd=directory,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode or not target.exists():
        raise RuntimeError(done.stdout)
    return directory / target.name


def installed(name: str) -> str:
    """Import the module called ``name`` if it can be; its full name, or ``""``."""
    full = f"{PACKAGE}.{name}"
    try:
        importlib.import_module(full)
    except ImportError:
        return ""
    return full


def ensure(version: str) -> str:
    """The full name of the shared module for a Cython version, imported and ready.

    Returns:
        ``""`` when there is none and none can be built; nests then carry the code
        themselves.
    """
    name = module_name(version)
    found = installed(name)
    if found:
        return found
    from looptx.errors import LooptxError

    try:
        return _cached(name)
    except (LooptxError, RuntimeError, OSError):
        return ""


def _cached(name: str) -> str:
    """Load the module from the cache, building it there when it is missing."""
    from looptx.native.cache import store
    from looptx.native.compile import keys, link, load

    full = f"{PACKAGE}.{name}"
    key = keys.shared_key(full)
    entry = store.find(key, store.SHARED)
    if entry is None:
        with store.lock(key):
            entry = store.find(key, store.SHARED)
            if entry is None:
                with store.workspace() as directory:
                    draft = directory / "entry"
                    draft.mkdir()
                    source = generate(draft, name)
                    library = f"{name}.so"
                    link.link(source, draft / library, ("-O1", "-w"))
                    source.unlink()
                    kind = store.SHARED
                    entry = store.publish(key, draft, library, full, kind=kind)
    load.load(entry.library, full)
    return full


def provide(full: str) -> bool:
    """Import the shared module that a compiled nest was built against.

    Args:
        full: its name, or ``""`` for a nest that needs none.

    Returns:
        Whether the nest can be loaded: false when the module cannot be had any more.
    """
    if not full or full in sys.modules or installed(full.rpartition(".")[2]):
        return True
    from looptx.errors import BuildFailed
    from looptx.native.cache import store
    from looptx.native.compile import keys, load

    entry = store.find(keys.shared_key(full), store.SHARED)
    if entry is None:
        return False
    try:
        load.load(entry.library, full)
    except BuildFailed:
        if entry.library.exists():
            raise
        return False  # thrown out between the look and the loading
    return True
