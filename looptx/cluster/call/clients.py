"""What ``kernel.on`` may be given, and what the kernel is called with then."""

from __future__ import annotations

import functools
import sys
import types
from collections.abc import Mapping
from typing import Any

import numpy as np

from looptx.errors import Malformed
from looptx.native.call.decorated import kind

MOST = 65536
"""The most workers that tasks are planned for."""


def checked(client: Any) -> Any:
    """A client that runs tasks while the caller waits, a number of workers, or None.

    Raises:
        LooptxError: LX102, it is nothing of the kind.
    """
    if client is None:
        return None
    if isinstance(client, int | np.integer) and not isinstance(client, bool):
        if 0 < client <= MOST:
            return int(client)
        hint = f"`on` takes 1 to {MOST} workers"
        raise _refused(f"{client} is no number of workers", hint)
    distributed: Any = sys.modules.get("distributed")
    if distributed is None or not isinstance(client, distributed.Client):
        hint = "`on(distributed.Client(...))`, `on(8)` for so many workers, or `on()`"
        raise _refused(
            f"`on` takes a client of dask's, and this is {kind(client)}", hint
        )
    if client.asynchronous:
        hint = "without `asynchronous=True` a client waits for results"
        raise _refused("`on` takes no asynchronous client", hint)
    return client


def check_receiver(
    kernel: object,
    function: types.FunctionType,
    args: tuple[Any, ...],
    named: Mapping[str, Any],
) -> None:
    """See that a method is given its object: of ``a.step.on()`` nobody knows ``a``.

    Args:
        kernel: the method. function: of it. args, named: what it is called with.

    Raises:
        LooptxError: LX102, it is not.
    """
    first, *path = function.__qualname__.split(".")
    start = function.__globals__.get(first)
    owner = functools.reduce(lambda x, y: getattr(x, y, None), path[:-1], start)
    if not path or not isinstance(owner, type) or function.__name__ not in vars(owner):
        return
    own = function.__code__.co_varnames[:1]
    given = next(iter((*args, *(named[x] for x in own if x in named))), None)
    if vars(owner)[function.__name__] is kernel and not isinstance(given, owner):
        name = function.__qualname__
        raise _refused(
            f"`{name}` is called on workers without an object of `{first}`",
            f"give it the object: `{name}.on(client)(a, b)` for `a.{path[-1]}(b)`",
        )


def _refused(why: str, hint: str) -> Malformed:
    return Malformed("LX102", why, hint=hint)
