"""What looptx must not do while it makes native code of a program."""

from __future__ import annotations

import traceback
from dataclasses import dataclass, replace

from looptx.errors import LooptxError

UNDESERVED = ("LX304", "LX306", "LX501", "LX502")
"""More errors that none of our programs deserves: its source is at hand, and small."""


@dataclass(frozen=True)
class Wrong:
    """What is wrong with a case.

    Attributes:
        kind: a few words, the same for faults of one sort.
        call: the number of the call, None where it is not known. detail: what was seen.
    """

    kind: str
    call: int | None
    detail: str


def fault(error: BaseException, call: int | None = None) -> Wrong | None:
    """What is wrong with looptx when it raises this; None for what it may refuse.

    An internal error is known by what was raised first.

    Args:
        error: what was raised. call: the number of the call, where there is one.
    """
    # Not above: a process that only runs cases needs no proof.
    from fuzz.tiers.case import BROKEN

    if not isinstance(error, LooptxError):
        return raised(error, call)
    if error.code not in (*BROKEN, *UNDESERVED):
        return None
    first = error.__context__
    if error.code == "LX901" and not isinstance(first, LooptxError | None):
        return raised(first, call)
    return replace(raised(error, call), kind=f"error {error.code}")


def raised(error: BaseException, call: int | None = None) -> Wrong:
    """What is wrong where nothing may be raised."""
    said = "".join(traceback.format_exception(error))
    return Wrong(f"raises {type(error).__name__}", call, said)
