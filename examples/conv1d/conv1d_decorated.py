"""The convolution of conv1d.py, scheduled by a decorator."""

import looptx
from looptx import parallel, reorder, split, vectorize


@looptx.kernel(
    split("i", 2048),
    reorder("i", "j", "ii"),
    vectorize("ii"),
    parallel("i"),
)
def conv1d(signal, coefficients, out):
    """Add the full convolution of ``signal`` and ``coefficients`` to ``out``."""
    n = len(signal)
    m = len(coefficients)
    for i in range(n + m - 1):
        for j in range(m):
            if 0 <= i - j < n:
                out[i] += signal[i - j] * coefficients[j]
