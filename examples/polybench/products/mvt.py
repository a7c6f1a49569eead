"""A product with a matrix and one with its transpose."""


# looptx: reorder n1.j n1.i | vectorize n0.i
def mvt(x1, x2, y1, y2, A):
    n = A.shape[0]
    for i in range(n):
        for j in range(n):
            x1[i] += A[i, j] * y1[j]
    for i in range(n):
        for j in range(n):
            x2[i] += A[j, i] * y2[j]
