"""Economics: Markov chains, value functions, roots, quadrature, interpolation."""

import math

import numpy as np

from corpus import case


def std_norm_cdf(x):
    return 0.5 * math.erfc(-x / math.sqrt(2))


def bracket(grid, x):
    lo = 0
    hi = len(grid) - 1
    while hi - lo > 1:
        mid = (lo + hi) // 2
        if grid[mid] <= x:
            lo = mid
        else:
            hi = mid
    return lo


def utility(c, gamma):
    if c <= 0:
        return -1e10
    if gamma == 1.0:
        return math.log(c)
    return (c ** (1 - gamma)) / (1 - gamma)


def cubic(x):
    return x**3 - 2.0 * x - 5.0


@case(lambda n, r: (0.9, 0.1, n + 2))
def tauchen(rho, sigma, n):
    x = np.linspace(-3 * sigma, 3 * sigma, n)
    step = x[1] - x[0]
    P = np.empty((n, n))
    for i in range(n):
        P[i, 0] = std_norm_cdf((x[0] - rho * x[i] + step / 2) / sigma)
        P[i, n - 1] = 1 - std_norm_cdf((x[n - 1] - rho * x[i] - step / 2) / sigma)
        for j in range(1, n - 1):
            z = x[j] - rho * x[i]
            P[i, j] = std_norm_cdf((z + step / 2) / sigma) - std_norm_cdf(
                (z - step / 2) / sigma
            )
    return P


@case(lambda n, r: (np.cumsum(np.full((3, 3), 1 / 3), axis=1), 1, r.random(n)))
def simulate_chain(cdfs, start, uniforms):
    path = np.empty(len(uniforms) + 1, dtype=np.int64)
    path[0] = start
    for t in range(len(uniforms)):
        state = path[t]
        k = 0
        while k < cdfs.shape[1] - 1 and cdfs[state, k] < uniforms[t]:
            k += 1
        path[t + 1] = k
    return path


@case(lambda n, r: (np.linspace(0.1, 4, n + 2), r.random(n + 2), 0.95))
def bellman_step(grid, v, beta):
    n = len(grid)
    new_v = np.empty(n)
    policy = np.empty(n, dtype=np.int64)
    for i in range(n):
        best = -np.inf
        arg = 0
        for j in range(n):
            c = grid[i] ** 0.3 - grid[j] + 0.9 * grid[i]
            if c <= 0:
                break
            value = math.log(c) + beta * v[j]
            if value > best:
                best = value
                arg = j
        new_v[i] = best
        policy[i] = arg
    return new_v, policy


@case(lambda n, r: (np.linspace(0.1, 4, n + 2), 0.95, 1e-3, 20))
def value_iteration(grid, beta, tol, max_iter):
    n = grid.shape[0]
    v = np.zeros(n)
    new = np.zeros(n)
    for it in range(max_iter):
        for i in range(n):
            best = -1e10
            for j in range(n):
                u = utility(grid[i] - 0.5 * grid[j], 2.0) + beta * v[j]
                if u > best:
                    best = u
            new[i] = best
        error = 0.0
        for i in range(n):
            error = max(error, abs(new[i] - v[i]))
            v[i] = new[i]
        if error < tol:
            break
    return v, it


@case(lambda n, r: (np.linspace(0, 1, n + 2), r.normal(size=n + 2), r.random(5)))
def interp_linear(grid, values, points):
    out = np.empty(points.shape[0])
    for k in range(points.shape[0]):
        i = bracket(grid, points[k])
        w = (points[k] - grid[i]) / (grid[i + 1] - grid[i])
        out[k] = (1 - w) * values[i] + w * values[i + 1]
    return out


@case(lambda n, r: (r.random((n + 2, n + 2)), r.random((5, 2))))
def interp_bilinear(values, points):
    nx, ny = values.shape
    res = np.zeros(len(points))
    for p in range(len(points)):
        x, y = points[p]
        i = min(int(x * (nx - 1)), nx - 2)
        j = min(int(y * (ny - 1)), ny - 2)
        u = x * (nx - 1) - i
        v = y * (ny - 1) - j
        res[p] = (
            (1 - u) * (1 - v) * values[i, j]
            + u * (1 - v) * values[i + 1, j]
            + (1 - u) * v * values[i, j + 1]
            + u * v * values[i + 1, j + 1]
        )
    return res


@case(lambda n, r: (0.0, 4.0, 1e-9, 60 + n))
def bisect_root(a, b, xtol, maxiter):
    fa = cubic(a)
    for i in range(maxiter):
        mid = 0.5 * (a + b)
        fm = cubic(mid)
        if fm == 0 or (b - a) / 2 < xtol:
            return mid, i
        if fa * fm < 0:
            b = mid
        else:
            a = mid
            fa = fm
    return 0.5 * (a + b), maxiter


@case(lambda n, r: (1.0 + r.random(n), 1e-12, 50))
def newton_many(starts, tol, maxiter):
    roots = np.zeros(len(starts))
    for k in range(len(starts)):
        x = starts[k]
        for _ in range(maxiter):
            step = (x * x * x - 2.0 * x - 5.0) / (3.0 * x * x - 2.0)
            x = x - step
            if abs(step) < tol:
                break
        roots[k] = x
    return roots


@case(lambda n, r: (0.0, 2.0, 2 * n))
def simpson(a, b, n):
    if n == 0:
        return 0.0
    h = (b - a) / n
    s = math.exp(a) + math.exp(b)
    for i in range(1, n):
        s += (4 if i % 2 else 2) * math.exp(a + i * h)
    return s * h / 3


@case(lambda n, r: (r.random(n),))
def gini(wealth):
    n = len(wealth)
    if n == 0:
        return 0.0
    total = 0.0
    s = 0.0
    for i in range(n):
        s += wealth[i]
        for j in range(n):
            total += abs(wealth[i] - wealth[j])
    return total / (2 * n * s)


@case(lambda n, r: (np.sort(r.random(n)),))
def lorenz(y):
    n = len(y)
    cum = np.zeros(n + 1)
    people = np.zeros(n + 1)
    total = y.sum()
    for i in range(n):
        people[i + 1] = (i + 1) / n
        cum[i + 1] = cum[i] + y[i] / total
    return people, cum


@case(lambda n, r: (r.random((n, n)), r.integers(0, n + 1, n), 0.9))
def policy_value(reward, policy, beta):
    n = reward.shape[0]
    v = np.zeros(n)
    for sweep in range(5):
        for s in range(n):
            a = policy[s]
            if a >= n:
                continue
            v[s] = reward[s, a] + beta * v[a]
    return v


@case(lambda n, r: (r.random((n, 3)), r.random((n, 3)), 10))
def deferred_acceptance(left, right, rounds):
    n = left.shape[0]
    k = left.shape[1]
    match = np.full(k, -1, dtype=np.int64)
    for _ in range(rounds):
        for i in range(n):
            if np.any(match == i):
                continue
            j = np.argmax(left[i])
            if match[j] < 0 or right[i, j] > right[match[j], j]:
                match[j] = i
    return match
