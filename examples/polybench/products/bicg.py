"""The two products of a step of biconjugate gradients: s = A' r, q = A p."""


# looptx: split n1.i 16 | reorder n1.i n1.j n1.ii
def bicg(A, s, q, p, r):
    n, m = A.shape
    for j in range(m):
        s[j] = 0.0
    for i in range(n):
        q[i] = 0.0
        for j in range(m):
            s[j] += r[i] * A[i, j]
            q[i] += A[i, j] * p[j]
