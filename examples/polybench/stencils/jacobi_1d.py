"""The mean of each point of a line and its neighbours, again and again."""


# looptx: vectorize there.i | vectorize back.i
def jacobi_1d(steps, A, B):
    n = A.shape[0]
    for t in range(steps):
        # looptx: nest there
        for i in range(1, n - 1):
            B[i] = 0.33333 * (A[i - 1] + A[i] + A[i + 1])
        # looptx: nest back
        for i in range(1, n - 1):
            A[i] = 0.33333 * (B[i - 1] + B[i] + B[i + 1])
