"""A system of equations with a triangular matrix."""


# looptx: cut j i//8*8 | split i 8 | reorder i j#1 ii | vectorize ii#2
def trisolv(L, x, b):
    n = L.shape[0]
    for i in range(n):
        x[i] = b[i]
        for j in range(i):
            x[i] -= L[i, j] * x[j]
        x[i] /= L[i, i]
