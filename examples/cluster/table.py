"""How long sweeps would take on 8 to 512 workers: ``python -m examples.cluster.table``.

All of it is simulated: the tasks are those of ``kernel.on(workers).plan(...)``, and
what things take is what ``Cost`` says, as ``examples.cluster.measure`` measured it.
"""

from __future__ import annotations

import numpy as np

from examples.cluster.kernels import sweeps
from looptx.cluster import Cost

SIZE, STEPS = 16384, 1
WORKERS = (8, 16, 32, 64, 128, 256, 512)
COSTS = {
    "fast cells": Cost(cell=1e-9),
    "slow cells": Cost(cell=1e-6),
}


def main() -> None:
    """Print the table."""
    # Nobody looks at a cell of these, so they take no memory.
    A, B = np.empty((SIZE, SIZE)), np.empty((SIZE, SIZE))
    print(f"sweeps of {SIZE} x {SIZE} cells, simulated")
    print("workers  tasks  MB moved  " + "  ".join(f"{name:>10}" for name in COSTS))
    for workers in WORKERS:
        plan = sweeps.on(workers).plan(A, B, STEPS)
        times = "  ".join(f"{plan.simulated(x):8.2f} s" for x in COSTS.values())
        print(f"{workers:7}  {plan.tasks:5}  {plan.moved / 1e6:8.1f}  {times}")


if __name__ == "__main__":
    main()
