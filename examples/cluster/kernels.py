"""Sweeps of a plane in blocks, as tasks: what the timings and the table are of."""

import looptx


@looptx.kernel
def sweeps(A, B, steps):
    n, m = A.shape
    # looptx: tile out.i=512 out.j=512 | bind out.i worker.x | bind out.j worker.y
    # looptx: tile back.i=512 back.j=512 | bind back.i worker.x | bind back.j worker.y
    for t in range(steps):
        # looptx: nest out
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                B[i, j] = 0.25 * (A[i - 1, j] + A[i + 1, j] + A[i, j - 1] + A[i, j + 1])
        # looptx: nest back
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                A[i, j] = 0.25 * (B[i - 1, j] + B[i + 1, j] + B[i, j - 1] + B[i, j + 1])


@looptx.kernel
def small(A, B, steps):
    """Tasks that compute next to nothing."""
    n = A.shape[0]
    # looptx: split out.i 16 | bind out.i worker | split back.i 16 | bind back.i worker
    for t in range(steps):
        # looptx: nest out
        for i in range(1, n - 1):
            B[i] = 0.5 * (A[i - 1] + A[i + 1])
        # looptx: nest back
        for i in range(1, n - 1):
            A[i] = 0.5 * (B[i - 1] + B[i + 1])


@looptx.kernel
def powers(A, B, rounds):
    """Much computing for each cell: what two processes should be twice as fast in."""
    # looptx: split i 16 | bind i worker
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            s = 0.0
            for k in range(rounds):
                s = s * 0.5 + A[i, j]
            B[i, j] = s


@looptx.kernel
def threaded(A, B, rounds):
    """The same on threads."""
    # looptx: parallel i
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            s = 0.0
            for k in range(rounds):
                s = s * 0.5 + A[i, j]
            B[i, j] = s
