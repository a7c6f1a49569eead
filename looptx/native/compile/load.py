"""Load a compiled module from a file."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import shutil
import sys
from pathlib import Path
from types import ModuleType

from looptx import forks
from looptx.errors import BuildFailed
from looptx.native.cache import places


def load(path: Path, name: str) -> ModuleType:
    """Import the extension module ``name`` from ``path``, once.

    Where the system refuses it, as on a file system without execution, a copy in the
    private directory of the process is tried.

    Raises:
        BuildFailed: LX502 when the system refuses that too, or the module finds no
            NumPy that it can work with.
    """
    refused = ""
    with forks.IMPORTS:
        module = sys.modules.get(name)
        if module is None:
            try:
                module = _imported(path, name)
            except ImportError as error:
                refused = str(error)
                module = _copied(path, name, refused)
    if refused:
        places.tell_copied(refused)
    return module


def _copied(path: Path, name: str, refused: str) -> ModuleType:
    """Import a copy of a module that the system refuses to load from its folder."""
    try:
        return _imported(Path(shutil.copy(path, places.private())), name)
    except (ImportError, OSError):
        raise BuildFailed(
            "LX502",
            "a compiled nest cannot be loaded",
            detail=(refused,),
            hint="set LOOPTX_CACHE_DIR to a directory on a disk that allows execution",
        ) from None


def _imported(path: Path, name: str) -> ModuleType:
    loader = importlib.machinery.ExtensionFileLoader(name, str(path))
    spec = importlib.util.spec_from_file_location(name, path, loader=loader)
    assert spec is not None
    try:
        module = importlib.util.module_from_spec(spec)
        loader.exec_module(module)
    except BaseException as error:
        # Cython enters a module before it has run it.
        sys.modules.pop(name, None)
        if not isinstance(error, Exception) or isinstance(error, ImportError):
            raise
        raise BuildFailed("LX502", f"a compiled nest does not start: {error}") from None
    return sys.modules.setdefault(name, module)
