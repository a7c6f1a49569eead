"""The mean of each point of a plane and its four neighbours, again and again."""


# looptx: pad back.i 1 | pad back.j 1 | fuse there back as i j f | skew i t by 2
# looptx: tile t=10 i=10 | reorder t i tt f ii j | vectorize j
def jacobi_2d(steps, A, B):
    n = A.shape[0]
    for t in range(steps):
        # looptx: nest there
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                B[i, j] = 0.2 * (
                    A[i, j] + A[i, j - 1] + A[i, j + 1] + A[i + 1, j] + A[i - 1, j]
                )
        # looptx: nest back
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                A[i, j] = 0.2 * (
                    B[i, j] + B[i, j - 1] + B[i, j + 1] + B[i + 1, j] + B[i - 1, j]
                )
