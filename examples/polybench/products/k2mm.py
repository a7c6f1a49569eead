"""Two matrix products, one of the other's result: D = alpha A B C + beta D."""


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
