"""A product with a triangular matrix of ones on its diagonal: B = alpha A' B."""


# looptx: cut k i//8*8+8 | tile i=8 j=24 | vectorize jj
# looptx: reorder j i k#2 ii jj | reorder ii#1 k#1 jj#1 | parallel j
def trmm(alpha, A, B):
    n, m = B.shape
    for i in range(n):
        for j in range(m):
            for k in range(i + 1, n):
                B[i, j] += A[k, i] * B[k, j]
            B[i, j] *= alpha
