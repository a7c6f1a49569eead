"""A system of equations, solved by the factors L and U of its matrix."""


def ludcmp(A, b, x, y):
    n = A.shape[0]
    # looptx: cut j#1 i//8*8 as left mid | cut j i//8*8+8 as corner right
    # looptx: cut k#1 left//16*16 as lk lt | cut k#3 i//8*8 as rk rt
    # looptx: tile i=8 left=16 right=24
    # looptx: reorder i left lk ii left_in | vectorize left_in#2
    # looptx: reorder i right rk ii#4 right_in | vectorize right_in#2 | parallel right
    for i in range(n):
        for j in range(i):
            w = A[i, j]
            for k in range(j):
                w -= A[i, k] * A[k, j]
            A[i, j] = w / A[j, j]
        for j in range(i, n):
            w = A[i, j]
            for k in range(i):
                w -= A[i, k] * A[k, j]
            A[i, j] = w
    for i in range(n):
        w = b[i]
        for j in range(i):
            w -= A[i, j] * y[j]
        y[i] = w
    for i in range(n - 1, -1, -1):
        w = y[i]
        for j in range(i + 1, n):
            w -= A[i, j] * x[j]
        x[i] = w / A[i, i]
