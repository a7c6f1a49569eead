"""The one isl context: one thread at a time, bounded, and left behind by a fork."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

import islpy as isl

from looptx import forks
from looptx.errors import Unproven

T = TypeVar("T")

MAX_OPERATIONS = 8_000_000
"""isl operations one analysis may take; exceeding it is the verdict *unknown*."""

HINT_OPERATIONS = 500_000
"""Those for all that is tried in search of one hint."""

FINE_OPERATIONS = 1_500_000
"""Those for loops that are cut where that saves guards, before plainer ones do."""

PLAIN_OPERATIONS = 500_000
"""Those for loops as the schedule says, which take a tenth in a usual nest."""


def _renew() -> None:
    """Leave a context that was in use to whoever used it."""
    global _context
    _context = isl.Context()


_lock = forks.Lock(_renew)
_context = isl.Context()


@contextmanager
def budget(operations: int | None = None) -> Iterator[None]:
    """Run an analysis under the one isl context: one thread at a time, bounded.

    One inside another has a budget of its own, ``operations`` or no more than that one;
    behind it the one around it begins anew, as isl's count cannot be set.

    Raises:
        Unproven: LX204 when isl gives up.
    """
    with _lock:
        before = _context.get_max_operations()
        _context.reset_operations()
        _context.set_max_operations(operations or before or MAX_OPERATIONS)
        try:
            yield
        except isl.Error as error:
            raise _exceeded(
                "the dependence analysis",
                error,
                "split the nest into smaller ones, or write `trust order`",
            ) from None
        finally:
            _context.reset_operations()
            _context.set_max_operations(before)


def first_within_budget(fine: Callable[[], T | None], plain: Callable[[], T]) -> T:
    """What ``fine`` gives if isl completes it, else what ``plain`` gives.

    Each has a budget of its own, less than that of a proof: the sets that isl makes for
    loops grow, and with them the time an operation takes.

    Args:
        fine: it may also give None, which means that plain loops are better.
        plain: what is left.

    Raises:
        Unproven: LX204 when isl completes neither.
    """
    result = None
    before = _context.get_max_operations()
    _context.reset_operations()
    _context.set_max_operations(min(before, FINE_OPERATIONS))
    try:
        result = fine()
    except isl.Error:
        pass
    finally:
        _context.reset_operations()
        _context.set_max_operations(min(before, PLAIN_OPERATIONS))
    try:
        return plain() if result is None else result
    except isl.Error as error:
        raise _exceeded(
            "writing the loops of this schedule",
            error,
            "use fewer directives, or loops whose bounds do not depend on each other",
        ) from None
    finally:
        _context.set_max_operations(before)


def _exceeded(what: str, error: isl.Error, hint: str) -> Unproven:
    message = f"unknown: {what} exceeded its budget"
    return Unproven("LX204", message, detail=(str(error).splitlines()[0],), hint=hint)


def named_space(parameters: Sequence[str], dims: Sequence[str]) -> isl.Space:
    """``[parameters] -> { [dims] }`` of sets."""
    return isl.Space.create_from_names(_context, set=dims, params=parameters)


def constant(number: int) -> isl.Val:
    """An integer of any size; isl's own conversion stops at 64 bits."""
    return isl.Val(str(number), _context)
