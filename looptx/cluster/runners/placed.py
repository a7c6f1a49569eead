"""Tasks of dask's that say which block they are of.

What pins tasks to workers, annotations of layers, does not outlive dask's optimisation
of arrays, and nobody knows the workers when a lazy call is made. The tasks themselves
do: so each says what it is of, and the scheduler finds its worker when it comes there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dask._task_spec import Task

from looptx.cluster.graph.nodes import Spot


class Placed(Task):  # type: ignore[misc]
    """A task that is not fused with others: these may be of other blocks."""

    __slots__ = ()

    @property
    def block_fusion(self) -> bool:
        """Whether it stays by itself."""
        return True


class At:
    """What a placed task calls.

    Args:
        function: the function. spot: the block that it is of, or that needs it.
        takes: the bytes that it takes of a chunk, and is where that is; 0 for others.
    """

    def __init__(self, function: Callable[..., Any], spot: Spot, takes: int) -> None:
        self.function = function
        self.spot = spot
        self.takes = takes

    def __call__(self, *given: Any) -> Any:
        """Do what the function does."""
        return self.function(*given)

    def __reduce__(self) -> tuple[Any, ...]:
        return At, (self.function, self.spot, self.takes)
