"""Load a compiled module from a file."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import shutil
import sys
from pathlib import Path
from types import ModuleType

from looptx.errors import BuildFailed
from looptx.native import places


def load(path: Path, name: str) -> ModuleType:
    """Import the extension module ``name`` from ``path``, once.

    Where the system refuses it, as on a file system without execution, a copy in the
    private directory of the process is tried.

    Raises:
        BuildFailed: LX502 when the system refuses that too.
    """
    known = sys.modules.get(name)
    if known is not None:
        return known
    try:
        module = _imported(path, name)
    except Exception as error:
        try:
            copy = Path(shutil.copy(path, places.private()))
            module = _imported(copy, name)
        except Exception:
            raise BuildFailed(
                "LX502",
                "a compiled nest cannot be loaded",
                detail=(str(error),),
                hint="set LOOPTX_CACHE_DIR to a directory on a disk that allows "
                "execution",
            ) from None
        places.tell_copied(str(error))
    return sys.modules.setdefault(name, module)


def _imported(path: Path, name: str) -> ModuleType:
    loader = importlib.machinery.ExtensionFileLoader(name, str(path))
    spec = importlib.util.spec_from_file_location(name, path, loader=loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module
