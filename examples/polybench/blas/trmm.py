"""A product with a triangular matrix of ones on its diagonal: B = alpha A' B."""


def trmm(alpha, A, B):
    n, m = B.shape
    for i in range(n):
        for j in range(m):
            for k in range(i + 1, n):
                B[i, j] += A[k, i] * B[k, j]
            B[i, j] *= alpha
