"""What ``kernel.on`` may be given: a client of dask's, or how many workers."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from looptx.errors import Malformed
from looptx.native.call.decorated import kind


def checked(client: Any) -> Any:
    """A client that runs tasks while the caller waits, a number of workers, or None.

    Raises:
        LooptxError: LX102, it is nothing of the kind.
    """
    if client is None:
        return None
    if isinstance(client, int | np.integer) and not isinstance(client, bool):
        if client > 0:
            return int(client)
        raise _refused(f"{client} is no number of workers", "`on(1)`, or more")
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


def _refused(why: str, hint: str) -> Malformed:
    return Malformed("LX102", why, hint=hint)
