"""Load a compiled module from a file."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

from looptx.errors import BuildFailed


def load(path: Path, name: str) -> ModuleType:
    """Import the extension module ``name`` from ``path``, once.

    Raises:
        BuildFailed: LX502 when the system refuses it (a cache on a file system without
            execution, a library that is gone).
    """
    known = sys.modules.get(name)
    if known is not None:
        return known
    loader = importlib.machinery.ExtensionFileLoader(name, str(path))
    spec = importlib.util.spec_from_file_location(name, path, loader=loader)
    assert spec is not None
    try:
        module = importlib.util.module_from_spec(spec)
        loader.exec_module(module)
    except ImportError as error:
        raise BuildFailed(
            "LX502",
            "a compiled nest cannot be loaded",
            detail=(str(error),),
            hint="set LOOPTX_CACHE_DIR to a directory on a disk that allows execution",
        ) from None
    return sys.modules.setdefault(name, module)
