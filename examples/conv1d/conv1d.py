"""1-D convolution: every output is a sum over the coefficients.

The condition keeps the subscript inside the signal at both ends. It depends on loop
variables only, so the rewritten loops have it in their bounds.
"""


def conv1d(signal, coefficients, out):
    """Add the full convolution of ``signal`` and ``coefficients`` to ``out``."""
    n = len(signal)
    m = len(coefficients)
    # looptx: split i 2048
    # looptx: reorder i j ii
    # looptx: vectorize ii
    # looptx: parallel i
    for i in range(n + m - 1):
        for j in range(m):
            if 0 <= i - j < n:
                out[i] += signal[i - j] * coefficients[j]
