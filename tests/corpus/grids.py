"""Fields on grids: heat, waves, Maxwell, lattice Boltzmann, flow."""

from collections import deque

import numpy as np

from corpus import case


def field(n, r):
    return r.random((n, n + 1))


@case(lambda n, r: (field(n, r), 0.2, 5))
def heat2d(u, alpha, steps):
    n, m = u.shape
    new = u.copy()
    for t in range(steps):
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                new[i, j] = u[i, j] + alpha * (
                    u[i + 1, j] + u[i - 1, j] + u[i, j + 1] + u[i, j - 1] - 4 * u[i, j]
                )
        u, new = new, u
    return u


@case(lambda n, r: (field(n, r), 0.2, 4))
def heat2d_slices(u, alpha, steps):
    for _ in range(steps):
        u[1:-1, 1:-1] = u[1:-1, 1:-1] + alpha * (
            u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1]
        )
    return u


@case(lambda n, r: (r.random(n), 0.5, 6))
def wave1d(u0, c, steps):
    n = len(u0)
    prev = u0.copy()
    cur = u0.copy()
    nxt = np.zeros(n)
    for t in range(steps):
        for i in range(1, n - 1):
            nxt[i] = (
                2 * cur[i] - prev[i] + c**2 * (cur[i + 1] - 2 * cur[i] + cur[i - 1])
            )
        prev[:] = cur
        cur[:] = nxt
    return cur


@case(lambda n, r: (field(n, r), field(n, r), field(n, r), 4))
def fdtd(ez, hx, hy, steps):
    nx, ny = ez.shape
    for t in range(steps):
        for i in range(nx):
            for j in range(ny - 1):
                hx[i, j] -= 0.5 * (ez[i, j + 1] - ez[i, j])
        for i in range(nx - 1):
            for j in range(ny):
                hy[i, j] += 0.5 * (ez[i + 1, j] - ez[i, j])
        for i in range(1, nx):
            for j in range(1, ny):
                ez[i, j] += 0.5 * (hy[i, j] - hy[i - 1, j] - hx[i, j] + hx[i, j - 1])
        if nx > 0:
            ez[nx // 2, ny // 2] += np.sin(0.1 * t)
    return ez


@case(lambda n, r: (r.random((9, n, n)), 0.6))
def lbm_collide(f, tau):
    cx = (0, 1, 0, -1, 0, 1, -1, -1, 1)
    cy = (0, 0, 1, 0, -1, 1, 1, -1, -1)
    w = (4 / 9, 1 / 9, 1 / 9, 1 / 9, 1 / 9, 1 / 36, 1 / 36, 1 / 36, 1 / 36)
    for i in range(f.shape[1]):
        for j in range(f.shape[2]):
            rho = 0.0
            ux = 0.0
            uy = 0.0
            for k in range(9):
                rho += f[k, i, j]
                ux += cx[k] * f[k, i, j]
                uy += cy[k] * f[k, i, j]
            ux /= rho
            uy /= rho
            usq = ux * ux + uy * uy
            for k in range(9):
                cu = cx[k] * ux + cy[k] * uy
                feq = w[k] * rho * (1 + 3 * cu + 4.5 * cu * cu - 1.5 * usq)
                f[k, i, j] += (feq - f[k, i, j]) / tau
    return f


@case(lambda n, r: (r.random((9, n, n)),))
def lbm_stream(f):
    _, nx, ny = f.shape
    c = np.array(
        [[0, 0], [1, 0], [0, 1], [-1, 0], [0, -1], [1, 1], [-1, 1], [-1, -1], [1, -1]]
    )
    out = np.empty_like(f)
    for k in range(9):
        for i in range(nx):
            for j in range(ny):
                out[k, (i + c[k, 0]) % nx, (j + c[k, 1]) % ny] = f[k, i, j]
    return out


@case(lambda n, r: (r.random((n, n)), r.random((n, n)), 0.01, 4))
def gray_scott(u, v, dt, steps):
    n = u.shape[0]
    for _ in range(steps):
        u2 = np.empty_like(u)
        v2 = np.empty_like(v)
        for i in range(n):
            for j in range(n):
                lu = u[i - 1, j] + u[(i + 1) % n, j] + u[i, j - 1] + u[i, (j + 1) % n]
                lv = v[i - 1, j] + v[(i + 1) % n, j] + v[i, j - 1] + v[i, (j + 1) % n]
                uvv = u[i, j] * v[i, j] * v[i, j]
                u2[i, j] = u[i, j] + dt * (0.16 * (lu - 4 * u[i, j]) - uvv)
                v2[i, j] = v[i, j] + dt * (0.08 * (lv - 4 * v[i, j]) + uvv)
        u, v = u2, v2
    return u, v


@case(lambda n, r: (r.random(n), 0.1, 5))
def burgers(u, dt, steps):
    n = len(u)
    for t in range(steps):
        un = u.copy()
        for i in range(1, n):
            u[i] = un[i] - un[i] * dt * (un[i] - un[i - 1])
    return u


@case(lambda n, r: (field(n, r), field(n, r), 0.1))
def divergence(u, v, h):
    div = np.zeros_like(u)
    for i in range(1, u.shape[0] - 1):
        for j in range(1, u.shape[1] - 1):
            div[i, j] = (u[i + 1, j] - u[i - 1, j] + v[i, j + 1] - v[i, j - 1]) / (
                2.0 * h
            )
    return div


@case(lambda n, r: (r.random((n, n)), 3 * r.random((n, n)), 3 * r.random((n, n))))
def semi_lagrangian(q, u, v):
    n, m = q.shape
    out = np.zeros((n, m))
    for i in range(n):
        for j in range(m):
            x = min(max(i - u[i, j], 0.0), n - 1.001)
            y = min(max(j - v[i, j], 0.0), m - 1.001)
            i0, j0 = int(x), int(y)
            if i0 + 1 < n and j0 + 1 < m:
                s, t = x - i0, y - j0
                out[i, j] = (1 - s) * ((1 - t) * q[i0, j0] + t * q[i0, j0 + 1]) + s * (
                    (1 - t) * q[i0 + 1, j0] + t * q[i0 + 1, j0 + 1]
                )
    return out


@case(lambda n, r: ((r.random((n, n)) < 0.4).astype(np.int8), 3))
def game_of_life(world, steps):
    n, m = world.shape
    for _ in range(steps):
        new = np.zeros((n, m), dtype=np.int8)
        for i in range(n):
            for j in range(m):
                alive = 0
                for di in range(-1, 2):
                    for dj in range(-1, 2):
                        if di == 0 and dj == 0:
                            continue
                        alive += world[(i + di) % n, (j + dj) % m]
                if alive == 3 or (alive == 2 and world[i, j] == 1):
                    new[i, j] = 1
        world = new
    return world


@case(lambda n, r: (r.integers(0, 5, (n, n)),))
def sandpile(grid):
    n, m = grid.shape
    topplings = 0
    unstable = True
    while unstable:
        unstable = False
        for i in range(n):
            for j in range(m):
                if grid[i, j] >= 4:
                    grid[i, j] -= 4
                    topplings += 1
                    unstable = True
                    if i > 0:
                        grid[i - 1, j] += 1
                    if i < n - 1:
                        grid[i + 1, j] += 1
                    if j > 0:
                        grid[i, j - 1] += 1
                    if j < m - 1:
                        grid[i, j + 1] += 1
    return topplings


@case(lambda n, r: (r.random((n, n, n)),))
def laplacian3d(u):
    out = np.zeros(u.shape)
    nx, ny, nz = u.shape
    for i in range(1, nx - 1):
        for j in range(1, ny - 1):
            for k in range(1, nz - 1):
                out[i, j, k] = (
                    u[i - 1, j, k]
                    + u[i + 1, j, k]
                    + u[i, j - 1, k]
                    + u[i, j + 1, k]
                    + u[i, j, k - 1]
                    + u[i, j, k + 1]
                    - 6.0 * u[i, j, k]
                )
    return out


@case(lambda n, r: (r.random(n), 0.4))
def minmod_fluxes(u, nu):
    n = len(u)
    flux = np.zeros(n + 1)
    for i in range(2, n - 1):
        a = u[i] - u[i - 1]
        b = u[i + 1] - u[i]
        if a * b <= 0:
            s = 0.0
        elif abs(a) < abs(b):
            s = a
        else:
            s = b
        flux[i + 1] = u[i] + 0.5 * (1 - nu) * s
    return flux


def pressure_rounds(p, b, rounds):
    old = np.empty_like(p)
    for _ in range(rounds):
        old = p.copy()
        p[1:-1, 1:-1] = 0.25 * (
            old[1:-1, 2:] + old[1:-1, :-2] + old[2:, 1:-1] + old[:-2, 1:-1]
        )
        p[1:-1, 1:-1] -= b[1:-1, 1:-1]
        p[:, 0] = p[:, 1]
        p[-1, :] = 0.0


def inflow(b, u, v, dt):
    b[1:-1, 1:-1] = (u[1:-1, 2:] - u[1:-1, :-2] + v[2:, 1:-1] - v[:-2, 1:-1]) / dt


@case(lambda n, r: (r.random((n, n)), r.random((n, n)), r.random((n, n)), 3))
def projected_flow(u, v, p, steps):
    b = np.zeros(p.shape)
    for _ in range(steps):
        inflow(b, u, v, 0.1)
        pressure_rounds(p, b, 4)
        u[1:-1, 1:-1] -= 0.1 * (p[1:-1, 2:] - p[1:-1, :-2])
        v[1:-1, 1:-1] -= 0.1 * (p[2:, 1:-1] - p[:-2, 1:-1])
    return u


def standardise(x):
    x -= x.mean()
    x /= x.std()


@case(lambda n, r: (r.random((n, 6)),))
def standardised_rows(X):
    for i in range(X.shape[0]):
        standardise(X[i])
    return X


def overlap(a, b):
    return np.sum(a * b) / np.sum((a - b) * (a - b) + 1.0)


@case(lambda n, r: (r.random((n, 8)),))
def histogram_overlaps(H):
    n = H.shape[0]
    out = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            out[i, j] = overlap(H[i], H[j])
    return out


@case(lambda n, r: (r.random((n, n)) < 0.3, n // 2, n // 2))
def steps_in_a_maze(walls, y, x):
    h, w = walls.shape
    steps = np.full((h, w), -1)
    queue = deque([(y, x)])
    while queue:
        y, x = queue.popleft()
        for dy, dx in ((0, 1), (1, 0), (0, -1), (-1, 0)):
            i, j = y + dy, x + dx
            if 0 <= i < h and 0 <= j < w and not walls[i, j] and steps[i, j] < 0:
                steps[i, j] = steps[y, x] + 1
                queue.append((i, j))
    return steps


@case(lambda n, r: (field(n, r), field(n, r), 0.1, 4))
def smoothed_copies(u, v, k, steps):
    old = np.empty_like(u)
    for t in range(steps):
        old = u.copy()
        u[1:-1, 1:-1] = old[1:-1, 1:-1] + k * (old[1:-1, 2:] - v[1:-1, 1:-1])
        old = v.copy()
        v[1:-1, 1:-1] = old[1:-1, :-2] - k * (old[1:-1, 1:-1] + u[1:-1, 1:-1])
    return u, v


@case(lambda n, r: (r.random((n, 3, 5)), r.random((n, 3, 5))))
def swept_back(c, d):
    n, m, depth = c.shape
    kept = np.zeros((n, m))
    out = np.zeros_like(c)
    for k in range(depth - 1, depth - 2, -1):
        column = d[:, :, k]
        kept[:] = column
        out[:, :, k] = 2.0 * column - c[:, :, k]
    for k in range(depth - 2, -1, -1):
        column = d[:, :, k] - c[:, :, k] * kept[:, :]
        kept[:] = column
        out[:, :, k] = 2.0 * column - c[:, :, k]
    return out


@case(lambda n, r: (r.integers(0, 99, (n, n + 1)), r.random((n, n + 1))))
def slopes(hashes, x):
    sides = np.array([[0, 1], [0, -1], [1, 0], [-1, 0]])
    out = np.zeros(hashes.shape)
    for i in range(hashes.shape[0]):
        for j in range(hashes.shape[1]):
            side = sides[np.mod(hashes[i, j], 4)]
            out[i, j] = side[0] * x[i, j] + side[1] * (1.0 - x[i, j])
    return out
