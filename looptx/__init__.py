"""looptx: prove, rewrite and compile Python loops over NumPy arrays.

Public names are imported when they are first used, so that ``import looptx`` is fast::

    kernel      the decorator
    schedule    the builder, looptx.schedule(f).tile(i=32, j=32).parallel("i")
    Builder     what it gives
    tile, split, reorder ...   the directives as objects: all of ``directives.verbs``
    LooptxError what everything here raises
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from looptx.decorator import kernel as kernel
    from looptx.decorator import schedule as schedule
    from looptx.directives.verbs import *  # noqa: F403
    from looptx.errors import LooptxError as LooptxError

_HOMES = {
    "LooptxError": "looptx.errors",
    "kernel": "looptx.decorator",
    "schedule": "looptx.decorator",
}
_VERBS = "looptx.directives.verbs"
"""The home of all other public names."""


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return _public()
    home = _home(name)
    module = import_module(home) if home else None
    if not hasattr(module, name):
        raise AttributeError(f"module 'looptx' has no attribute '{name}'")
    value = getattr(module, name)
    globals()[name] = value
    return value


def _home(name: str) -> str:
    """The module of a public name; "" for a submodule, asked for before its import."""
    from importlib.util import find_spec

    hidden = name.startswith("_") or not name.isidentifier()
    if hidden or (name not in _HOMES and find_spec(f"looptx.{name}")):
        return ""
    return _HOMES.get(name, _VERBS)


def _public() -> list[str]:
    """The names that ``import *`` gives."""
    verbs = vars(import_module(_VERBS))
    return sorted([*_HOMES, *(name for name in verbs if not name.startswith("_"))])


def __dir__() -> list[str]:
    return sorted([*globals(), *_public()])
