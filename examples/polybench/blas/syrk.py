"""A symmetric update of rank k, of the lower half: C = alpha A A' + beta C."""


# looptx: cut j#2 i//8*8 | tile i=8 j#2=16 | reorder i j#2 k#1 ii jj
# looptx: vectorize jj | parallel i schedule=dynamic chunk=1
def syrk(alpha, beta, C, A):
    n, m = A.shape
    for i in range(n):
        for j in range(i + 1):
            C[i, j] *= beta
        for k in range(m):
            for j in range(i + 1):
                C[i, j] += alpha * A[i, k] * A[j, k]
