"""Heat in a plate, by implicit steps in alternating directions."""


# looptx: split columns.i 8 | vectorize columns.ii
# looptx: reorder columns.i columns.j#1 columns.ii
# looptx: split rows.i 8 as ri rr | vectorize rows.rr | reorder rows.ri rows.j#1 rows.rr
# looptx: parallel columns.i | parallel rows.ri
def adi(steps, u, v, p, q):
    n = u.shape[0]
    mul1 = 2.0 * n * n / steps
    mul2 = 1.0 * n * n / steps
    a = c = -mul1 / 2.0
    d = f = -mul2 / 2.0
    b = 1.0 + mul1
    e = 1.0 + mul2
    for t in range(steps):
        # looptx: nest columns
        for i in range(1, n - 1):
            v[0, i] = 1.0
            p[i, 0] = 0.0
            q[i, 0] = 1.0
            for j in range(1, n - 1):
                p[i, j] = -c / (a * p[i, j - 1] + b)
                q[i, j] = (
                    -d * u[j, i - 1]
                    + (1.0 + 2.0 * d) * u[j, i]
                    - f * u[j, i + 1]
                    - a * q[i, j - 1]
                ) / (a * p[i, j - 1] + b)
            v[n - 1, i] = 1.0
            for j in range(n - 2, 0, -1):
                v[j, i] = p[i, j] * v[j + 1, i] + q[i, j]
        # looptx: nest rows
        for i in range(1, n - 1):
            u[i, 0] = 1.0
            p[i, 0] = 0.0
            q[i, 0] = 1.0
            for j in range(1, n - 1):
                p[i, j] = -f / (d * p[i, j - 1] + e)
                q[i, j] = (
                    -a * v[i - 1, j]
                    + (1.0 + 2.0 * a) * v[i, j]
                    - c * v[i + 1, j]
                    - d * q[i, j - 1]
                ) / (d * p[i, j - 1] + e)
            u[i, n - 1] = 1.0
            for j in range(n - 2, 0, -1):
                u[i, j] = p[i, j] * u[i, j + 1] + q[i, j]
