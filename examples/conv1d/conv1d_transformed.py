"""1-D convolution: every output is a sum over the coefficients.

The condition keeps the subscript inside the signal at both ends. It depends on loop
variables only, so the rewritten loops have it in their bounds.
"""


def conv1d(signal, coefficients, out):
    """Add the full convolution of ``signal`` and ``coefficients`` to ``out``."""
    n = len(signal)
    m = len(coefficients)
    # looptx: applied split i 2048 | reorder i j ii | vectorize ii | parallel i
    # looptx: applied [sha256 88a2f34501d3]
    for i in range(0, m + n - 2048, 2048):
        for j in range(max(0, i - n + 1), i - n + 2048):
            for ii in range(max(i, j), n + j):
                out[ii] += signal[ii - j] * coefficients[j]
        for j in range(max(0, i - n + 2048), min(i + 1, m)):
            for ii in range(i, i + 2048):
                out[ii] += signal[ii - j] * coefficients[j]
        for j in range(max(i + 1, i - n + 2048), min(i + 2048, m)):
            for ii in range(j, i + 2048):
                out[ii] += signal[ii - j] * coefficients[j]
    for j in range(max(0, m - (m + n + 2047) % 2048), m):
        for ii in range(max(j, 2048 * ((m + n - 1) // 2048)), n + j):
            out[ii] += signal[ii - j] * coefficients[j]
