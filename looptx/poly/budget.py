"""The one isl context: locked, with a budget of operations, renewed after a fork.

isl counts its operations (allocations and pivots), so what exceeds a budget exceeds it
on every machine and under any load. A budget inside another is a part of it: all that
is done for a nest is bounded by the outermost one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TypeVar

import islpy as isl

from looptx import forks
from looptx.errors import Unproven

T = TypeVar("T")

MAX_OPERATIONS = 5_000_000
"""isl operations that one nest may take; exceeding it is the verdict *unknown*."""

PROOF_OPERATIONS = 3_500_000
"""Those of a proof, so that enough is left to say where a schedule goes wrong."""

FACT_OPERATIONS = 1_000_000
"""Those for what only makes a result better: private loops, windows, the culprit."""

HINT_OPERATIONS = 500_000
"""Those for all that is tried in search of one hint."""

TRIAL_OPERATIONS = 1_000_000
"""Those for one place that a nest may move to."""

TRIALS_OPERATIONS = 100_000_000
"""Those for all places of all nests that ``fuse_around`` tries."""

RANGE_OPERATIONS = 500_000
"""Those for the numbers of rows and columns of a collapsed loop."""

FINE_OPERATIONS = 2_000_000
"""Those for loops that are cut where that saves guards, before plainer ones do."""

PLAIN_OPERATIONS = 1_200_000
"""Those for loops as the schedule says, which take a tenth in a usual nest."""

WIDE_OPERATIONS = 500_000
"""Those where an operation takes long, as there are many divisions."""

MOST_DIVISIONS = 12
"""With more of them in a part of a set an operation takes long."""


_QUOTA = "maximal number of operations"
"""What isl says where it gives up, if it says anything."""


class Exceeded(Unproven):
    """LX204: a budget was too small, or isl cannot do what it is asked for."""

    def __init__(self, what: str, hint: str, reason: str = "") -> None:
        message = f"unknown: {what} exceeded its budget"
        if reason:
            message = f"unknown: isl failed in {what}"
        detail = (reason or "isl needs more operations than one nest may take",)
        super().__init__("LX204", message, detail=detail, hint=hint)


def _reason(error: isl.Error, limit: int) -> str:
    """Why isl gave up, where that is not the budget."""
    text = str(error).partition("\n")[0]
    return "" if _QUOTA in text or spent() >= limit else text


def _renew() -> None:
    """Leave a context that was in use to whoever used it."""
    global _context, _least
    _context, _least = isl.Context(), 0


_lock = forks.Lock(_renew)
_context = isl.Context()
_least = 0
"""So many operations are spent for certain since the outermost budget began."""

_STRIDE = 16
"""How many times as far each look goes for what is spent."""


@contextmanager
def budget(
    operations: int | None = None,
    what: str = "the dependence analysis",
    hint: str = "split the nest into smaller ones, or write `trust order`",
) -> Iterator[None]:
    """Run an analysis under the one isl context: one thread at a time, bounded.

    Args:
        operations: how many it may take, and no more than are left of a budget around
            it; by default as many as one nest may take, or as are left.
        what: takes them. hint: how it takes fewer.

    Raises:
        Exceeded: LX204 when isl gives up.
    """
    global _least
    with _lock:
        context, before = _context, _context.get_max_operations()
        if not before:
            context.reset_operations()
            _least = 0
        limit = before or operations or MAX_OPERATIONS
        if before and operations is not None:
            limit = min(limit, spent() + operations)
        context.set_max_operations(limit)
        try:
            yield
        except isl.Error as error:
            raise Exceeded(what, hint, _reason(error, limit)) from None
        finally:
            context.set_max_operations(before)


def spent() -> int:
    """The operations since the outermost budget began: the least limit that is spent.

    isl has no function that gives its count.
    """
    global _least
    before = _context.get_max_operations()
    low, step = _least, 1
    while not _left(low + step):
        low, step = low + step, _STRIDE * step
    high = low + step
    while low < high:
        # An operation that is left takes a tenth of the time of an error.
        tried = low + max(1, (high - low) * 4 // 5)
        if _left(tried):
            high = tried - 1
        else:
            low = tried
    _context.set_max_operations(before)
    _least = low
    return low


def _left(limit: int) -> bool:
    """Whether an operation is left under some limit; if so, it is taken."""
    _context.set_max_operations(limit)
    with suppress(isl.Error):
        isl.Space.params_alloc(_context, 0)
        return True
    return False


def first_within_budget(
    fine: Callable[[], T | None], plain: Callable[[], T], *, wide: bool = False
) -> T:
    """What ``fine`` gives if isl completes it, else what ``plain`` gives.

    Args:
        fine: it may also give None, which means that plain loops are better.
        plain: what is left.
        wide: whether an operation takes several times as long as usual, as sets with
            many divisions are simplified: ``fine`` is not tried then.

    Returns:
        What ``fine`` makes, or ``plain`` where that is None or takes too long.

    Raises:
        Exceeded: LX204 when isl completes neither.
    """
    result = None
    if not wide:
        with suppress(Exceeded), budget(FINE_OPERATIONS):
            result = fine()
    if result is not None:
        return result
    with budget(
        WIDE_OPERATIONS if wide else PLAIN_OPERATIONS,
        "writing the loops of this schedule",
        "use fewer directives, or loops whose bounds do not depend on each other",
    ):
        return plain()


def is_wide(known: isl.Set) -> bool:
    """Whether operations with a set take several times as long as usual."""
    kind = isl.dim_type.div
    return any(one.dim(kind) > MOST_DIVISIONS for one in known.get_basic_sets())


def named_space(parameters: Sequence[str], dims: Sequence[str]) -> isl.Space:
    """``[parameters] -> { [dims] }`` of sets."""
    return isl.Space.create_from_names(_context, set=dims, params=parameters)


def constant(number: int) -> isl.Val:
    """An integer of any size; isl's own conversion stops at 64 bits."""
    return isl.Val(str(number), _context)
