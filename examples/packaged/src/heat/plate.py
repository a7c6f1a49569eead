"""The loops, as they run without a compiler too."""


def diffuse(old, new, rate):
    """Let heat flow for one step from ``old`` into ``new``; the border stays."""
    n, m = old.shape
    # looptx: tile i=32 j=128 | vectorize jj
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            flow = old[i - 1, j] + old[i + 1, j] + old[i, j - 1] + old[i, j + 1]
            new[i, j] = old[i, j] + rate * (flow - 4.0 * old[i, j])


def energy(plate):
    """The sum of all temperatures, row by row."""
    total = 0.0
    # looptx: split j 4
    for i in range(plate.shape[0]):
        for j in range(plate.shape[1]):
            total += plate[i, j]
    return total
