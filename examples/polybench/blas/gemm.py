"""A matrix product that is added to a scaled matrix: C = alpha A B + beta C."""


# looptx: split i 8 | split j#2 24 | split k 256 | reorder j#2 k i kk ii jj
# looptx: cache_read B at k as PB | vectorize jj | parallel j#2
def gemm(alpha, beta, C, A, B):
    n, m = C.shape
    p = A.shape[1]
    for i in range(n):
        for j in range(m):
            C[i, j] *= beta
        for k in range(p):
            for j in range(m):
                C[i, j] += alpha * A[i, k] * B[k, j]
