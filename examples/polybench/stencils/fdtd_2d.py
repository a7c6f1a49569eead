"""Maxwell's equations in a plane, by finite differences in time and space."""


# looptx: assume m <= 100000 | split edge.j 100000 as one j | pad field.i 1
# looptx: pad field.j 1
# looptx: fuse edge along across field as i j2 f | skew i t by 2 | tile t=8 i=16
# looptx: reorder t i tt f ii j2
def fdtd_2d(ex, ey, hz, source):
    steps = source.shape[0]
    n, m = hz.shape
    for t in range(steps):
        # looptx: nest edge
        for j in range(m):
            ey[0, j] = source[t]
        # looptx: nest along
        for i in range(1, n):
            for j in range(m):
                ey[i, j] -= 0.5 * (hz[i, j] - hz[i - 1, j])
        # looptx: nest across
        for i in range(n):
            for j in range(1, m):
                ex[i, j] -= 0.5 * (hz[i, j] - hz[i, j - 1])
        # looptx: nest field
        for i in range(n - 1):
            for j in range(m - 1):
                hz[i, j] -= 0.7 * (ex[i, j + 1] - ex[i, j] + ey[i + 1, j] - ey[i, j])
