"""Linear and nonlinear equations: sweeps, bands, factors, Krylov."""

import numpy as np

from corpus import case


def bands(n, r):
    return r.random(n), 4 + r.random(n), r.random(n), r.random(n)


def spd(n, r):
    a = r.random((n, n))
    return a @ a.T + n * np.eye(n)


@case(bands)
def thomas(a, b, c, d):
    n = len(d)
    x = np.zeros(n)
    if n == 0:
        return x
    cp = np.zeros(n)
    dp = np.zeros(n)
    cp[0] = c[0] / b[0]
    dp[0] = d[0] / b[0]
    for i in range(1, n):
        m = b[i] - a[i] * cp[i - 1]
        cp[i] = c[i] / m
        dp[i] = (d[i] - a[i] * dp[i - 1]) / m
    x[n - 1] = dp[n - 1]
    for i in range(n - 2, -1, -1):
        x[i] = dp[i] - cp[i] * x[i + 1]
    return x


@case(lambda n, r: (r.random((n, n)), r.random((n, n)), 20, 1e-3))
def gauss_seidel(p, b, max_iter, tol):
    n, m = p.shape
    for it in range(max_iter):
        change = 0.0
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                old = p[i, j]
                p[i, j] = 0.25 * (
                    p[i - 1, j] + p[i + 1, j] + p[i, j - 1] + p[i, j + 1] - b[i, j]
                )
                change = max(change, abs(p[i, j] - old))
        if change < tol:
            break
    return it, change


@case(lambda n, r: (r.random((n, n)), 1.5, 6))
def sor_red_black(u, omega, sweeps):
    n, m = u.shape
    for s in range(sweeps):
        for colour in range(2):
            for i in range(1, n - 1):
                for j in range(1 + (i + colour) % 2, m - 1, 2):
                    around = u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1]
                    u[i, j] = (1 - omega) * u[i, j] + omega * 0.25 * around
    return u


@case(lambda n, r: (spd(n, r), r.random(n), 8))
def jacobi_dense(A, b, sweeps):
    n = len(b)
    x = np.zeros(n)
    for _ in range(sweeps):
        new = np.zeros(n)
        for i in range(n):
            s = 0.0
            for j in range(n):
                if j != i:
                    s += A[i, j] * x[j]
            new[i] = (b[i] - s) / A[i, i]
        x = new
    return x


@case(lambda n, r: (spd(n, r),))
def cholesky(A):
    n = A.shape[0]
    L = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1):
            s = 0.0
            for k in range(j):
                s += L[i, k] * L[j, k]
            if i == j:
                L[i, j] = np.sqrt(A[i, i] - s)
            else:
                L[i, j] = (A[i, j] - s) / L[j, j]
    return L


@case(lambda n, r: (r.random((n, n)),))
def lu_pivot(A):
    n = A.shape[0]
    perm = np.arange(n)
    for k in range(n):
        p = k
        for i in range(k + 1, n):
            if abs(A[i, k]) > abs(A[p, k]):
                p = i
        if p != k:
            for j in range(n):
                tmp = A[k, j]
                A[k, j] = A[p, j]
                A[p, j] = tmp
            perm[k], perm[p] = perm[p], perm[k]
        for i in range(k + 1, n):
            A[i, k] /= A[k, k]
            for j in range(k + 1, n):
                A[i, j] -= A[i, k] * A[k, j]
    return perm


@case(lambda n, r: (np.tril(r.random((n, n))) + np.eye(n), r.random(n)))
def forward_substitution(L, b):
    x = np.zeros_like(b)
    for i in range(len(b)):
        s = b[i]
        for j in range(i):
            s -= L[i, j] * x[j]
        x[i] = s / L[i, i]
    return x


@case(lambda n, r: (spd(n, r), r.random(n), 10, 1e-10))
def conjugate_gradient(A, b, max_iter, tol):
    n = b.shape[0]
    x = np.zeros(n)
    res = b.copy()
    p = b.copy()
    rs = 0.0
    for i in range(n):
        rs += res[i] * res[i]
    for it in range(max_iter):
        if rs < tol:
            break
        Ap = np.zeros(n)
        pAp = 0.0
        for i in range(n):
            for j in range(n):
                Ap[i] += A[i, j] * p[j]
            pAp += p[i] * Ap[i]
        alpha = rs / pAp
        new = 0.0
        for i in range(n):
            x[i] += alpha * p[i]
            res[i] -= alpha * Ap[i]
            new += res[i] * res[i]
        for i in range(n):
            p[i] = res[i] + (new / rs) * p[i]
        rs = new
    return x


@case(lambda n, r: (spd(n, r), 12))
def power_iteration(A, steps):
    n = A.shape[0]
    v = np.ones(n)
    value = 0.0
    for _ in range(steps):
        w = np.zeros(n)
        for i in range(n):
            for j in range(n):
                w[i] += A[i, j] * v[j]
        norm = 0.0
        for i in range(n):
            norm += w[i] ** 2
        norm = np.sqrt(norm)
        for i in range(n):
            v[i] = w[i] / norm
        value = norm
    return value, v


@case(lambda n, r: (r.random((n + 2, n)),))
def gram_schmidt(A):
    m, n = A.shape
    Q = np.zeros((m, n))
    R = np.zeros((n, n))
    for j in range(n):
        v = A[:, j].copy()
        for i in range(j):
            dot = 0.0
            for k in range(m):
                dot += Q[k, i] * A[k, j]
            R[i, j] = dot
            for k in range(m):
                v[k] -= dot * Q[k, i]
        R[j, j] = np.sqrt(np.sum(v**2))
        Q[:, j] = v / R[j, j]
    return Q, R


@case(lambda n, r: (r.random(n), 0.1, 2 * n))
def runge_kutta4(y0, h, steps):
    y = y0.copy()
    for s in range(steps):
        for i in range(len(y)):
            k1 = -y[i] * (1 - y[i])
            y2 = y[i] + 0.5 * h * k1
            k2 = -y2 * (1 - y2)
            y3 = y[i] + 0.5 * h * k2
            k3 = -y3 * (1 - y3)
            y4 = y[i] + h * k3
            k4 = -y4 * (1 - y4)
            y[i] += h / 6.0 * (k1 + 2 * k2 + 2 * k3 + k4)
    return y


@case(lambda n, r: (r.random((2 * n + 1, 2 * n + 1)),))
def restrict_full(fine):
    nc = fine.shape[0] // 2 + 1
    coarse = np.zeros((nc, nc))
    for i in range(1, nc - 1):
        for j in range(1, nc - 1):
            fi, fj = 2 * i, 2 * j
            coarse[i, j] = (
                4 * fine[fi, fj]
                + 2 * (fine[fi - 1, fj] + fine[fi + 1, fj])
                + 2 * (fine[fi, fj - 1] + fine[fi, fj + 1])
                + fine[fi - 1, fj - 1]
                + fine[fi + 1, fj + 1]
            ) / 14
    return coarse


@case(lambda n, r: (r.random(n + 1), r.random(5)))
def horner(coefficients, points):
    out = np.empty(len(points))
    for i, x in enumerate(points):
        value = 0.0
        for c in coefficients[::-1]:
            value = value * x + c
        out[i] = value
    return out


def root_of(c, most=50):
    if c < 0.0:
        raise ValueError("there is no root")
    x = c + 1.0
    for _ in range(most):
        step = (x * x - c) / (2.0 * x)
        x -= step
        if abs(step) < 1e-12:
            return x
    raise RuntimeError("no convergence")


@case(lambda n, r: (r.random(n) + 0.1,))
def newton_roots(values):
    out = np.empty(len(values))
    for i in range(len(values)):
        out[i] = root_of(values[i])
    return out
