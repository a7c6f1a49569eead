"""A matrix product that is added to a scaled matrix: C = alpha A B + beta C."""


# looptx: cut j#2 m//24*24 as left right | distribute k | distribute i as first near far
# looptx: split near 8 | split left 24 | reorder left near k#1 near_in left_in
# looptx: split far 8 | split right 4 | reorder right far k#2 far_in right_in
# looptx: cache_read B at left as PB | vectorize left_in | vectorize right_in
# looptx: parallel left
def gemm(alpha, beta, C, A, B):
    n, m = C.shape
    p = A.shape[1]
    for i in range(n):
        for j in range(m):
            C[i, j] *= beta
        for k in range(p):
            for j in range(m):
                C[i, j] += alpha * A[i, k] * B[k, j]
