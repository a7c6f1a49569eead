"""A matrix and its transpose times a vector: y = A' (A x)."""


# looptx: split n1.i 8 | reorder n1.i n1.j#1 n1.ii | vectorize n1.ii#2
def atax(A, x, y, tmp):
    n, m = A.shape
    for j in range(m):
        y[j] = 0.0
    for i in range(n):
        tmp[i] = 0.0
        for j in range(m):
            tmp[i] += A[i, j] * x[j]
        for j in range(m):
            y[j] += A[i, j] * tmp[i]
