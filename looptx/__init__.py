"""looptx: prove, rewrite and compile Python loops over NumPy arrays.

Public names are imported when they are first used, so that ``import looptx`` is fast::

    kernel      the decorator
    schedule    the builder, looptx.schedule(f).tile(i=32, j=32).parallel("i")
    tile, split, reorder ...   the directives as objects
    LooptxError what everything here raises
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOMES = {
    "kernel": "looptx.decorator",
    "LooptxError": "looptx.errors",
    "schedule": "looptx.decorator",
}
_DIRECTIVES = (
    "assume",
    "collapse",
    "fuse",
    "nest",
    "pad",
    "parallel",
    "reassociate",
    "reorder",
    "skew",
    "split",
    "temp",
    "tile",
    "trust",
    "unroll",
    "vectorize",
)
_HOMES.update({name: "looptx.directives" for name in _DIRECTIVES})

if TYPE_CHECKING:
    from looptx.decorator import kernel, schedule
    from looptx.directives import (
        assume,
        collapse,
        fuse,
        nest,
        pad,
        parallel,
        reassociate,
        reorder,
        skew,
        split,
        temp,
        tile,
        trust,
        unroll,
        vectorize,
    )
    from looptx.errors import LooptxError

__all__ = [
    "LooptxError",
    "assume",
    "collapse",
    "fuse",
    "kernel",
    "nest",
    "pad",
    "parallel",
    "reassociate",
    "reorder",
    "schedule",
    "skew",
    "split",
    "temp",
    "tile",
    "trust",
    "unroll",
    "vectorize",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'looptx' has no attribute '{name}'")
    value = getattr(importlib.import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
