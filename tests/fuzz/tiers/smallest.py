"""What a tier says of a case that is wrong: the smallest one that is so, too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fuzz.programs.shrink import shrunk
from fuzz.tiers.case import Verdict
from fuzz.tiers.tally import Failure


def smallest(
    tier: str,
    made: Any,
    seed: int,
    examined: Callable[[Any, int], Verdict],
    as_found: bool = False,
) -> Failure:
    """The failure of a case.

    Args:
        tier: by its name. made: the program of the case. seed: of it.
        examined: what is seen of a program. as_found: without making it smaller.
    """
    kind = examined(made, seed).kind

    def same(less: Any) -> bool:
        return examined(less, seed).kind == kind

    small = made if as_found else shrunk(made, same)
    command = (
        f"PYTHONPATH=tests python -m fuzz.run --tier {tier} --seed {seed} --cases 1"
    )
    return Failure(seed, kind, examined(small, seed).detail, small.text(), command)
