"""Three matrix products: E = A B, F = C D, G = E F."""


# looptx: tile n0.i=8 n0.j=24 | vectorize n0.jj | reorder n0.j n0.i n0.k n0.ii n0.jj
# looptx: cache_read B at n0.j as PB | parallel n0.j
# looptx: tile n1.i=8 n1.j=24 | vectorize n1.jj | reorder n1.j n1.i n1.k n1.ii n1.jj
# looptx: cache_read D at n1.j as PD | parallel n1.j
# looptx: tile n2.i=8 n2.j=24 | vectorize n2.jj | reorder n2.j n2.i n2.k n2.ii n2.jj
# looptx: cache_read F at n2.j as PF | parallel n2.j
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
