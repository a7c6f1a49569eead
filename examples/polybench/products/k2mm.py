"""Two matrix products, one of the other's result: D = alpha A B C + beta D."""


# looptx: tile n0.i=8 n0.j=24 | vectorize n0.jj | reorder n0.j n0.i n0.k n0.ii n0.jj
# looptx: cache_read B at n0.j as PB | parallel n0.j
# looptx: tile n1.i=8 n1.j=24 | vectorize n1.jj | reorder n1.j n1.i n1.k n1.ii n1.jj
# looptx: cache_read C at n1.j as PC | parallel n1.j
def k2mm(alpha, beta, tmp, A, B, C, D):
    n, m = tmp.shape
    p, q = A.shape[1], D.shape[1]
    for i in range(n):
        for j in range(m):
            tmp[i, j] = 0.0
            for k in range(p):
                tmp[i, j] += alpha * A[i, k] * B[k, j]
    for i in range(n):
        for j in range(q):
            D[i, j] *= beta
            for k in range(m):
                D[i, j] += tmp[i, k] * C[k, j]
