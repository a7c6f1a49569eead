"""Three matrix products: E = A B, F = C D, G = E F."""


def k3mm(E, A, B, F, C, D, G):
    n, m = E.shape
    q = F.shape[1]
    p, r = A.shape[1], C.shape[1]
    for i in range(n):
        for j in range(m):
            E[i, j] = 0.0
            for k in range(p):
                E[i, j] += A[i, k] * B[k, j]
    for i in range(m):
        for j in range(q):
            F[i, j] = 0.0
            for k in range(r):
                F[i, j] += C[i, k] * D[k, j]
    for i in range(n):
        for j in range(q):
            G[i, j] = 0.0
            for k in range(m):
                G[i, j] += E[i, k] * F[k, j]
