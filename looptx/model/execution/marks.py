"""How a loop is executed."""

from __future__ import annotations

from looptx.model.records import dataclass

WORKER = "worker."
"""The axes of the processes of a cluster."""


@dataclass(frozen=True, slots=True)
class Parallel:
    """Options of a parallel loop, as OpenMP names them.

    ``least`` is how many iterations threads share at least; 0 where looptx estimates
    what they are worth.
    """

    schedule: str = ""
    chunk: int = 0
    threads: int = 0
    least: int = 0


@dataclass(frozen=True, slots=True)
class Marks:
    """How a dimension is executed; none of it changes the order of a legal schedule.

    ``bind`` is the axis of a grid that the loop is bound to, and ``arrive`` says
    whether all threads arrive before it begins.
    ``vectorize`` and ``unroll`` are None when absent and 0 for "default" and "full".
    ``unroll_below`` unrolls those generated loops of the dimension whose constant count
    is below it (``skew i j unroll<3``).
    """

    parallel: Parallel | None = None
    vectorize: int | None = None
    unroll: int | None = None
    unroll_below: int = 0
    bind: str = ""
    arrive: bool = False

    @property
    def together(self) -> bool:
        """Whether its iterations run at the same time."""
        marks = self.parallel, self.vectorize
        return bool(self.bind) or any(one is not None for one in marks)

    @property
    def worker(self) -> bool:
        """Whether its iterations are tasks of a cluster."""
        return self.bind.startswith(WORKER)

    @property
    def apart(self) -> bool:
        """Whether its iterations collect sums in memory of their own."""
        return self.parallel is not None or self.worker


PLAIN = Marks()
"""A loop that is run as it stands."""
