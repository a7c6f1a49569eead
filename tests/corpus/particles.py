"""Particles and spins: forces, cell lists, Ising, integrators."""

import numpy as np

from corpus import case


def cloud(n, r):
    return (3 * r.random((n, 3)),)


def minimum_image(d, box):
    if d > 0.5 * box:
        return d - box
    if d < -0.5 * box:
        return d + box
    return d


@case(lambda n, r: (*cloud(n, r), r.random(n), 1e-3))
def nbody_forces(pos, mass, soft):
    n = pos.shape[0]
    acc = np.zeros((n, 3))
    for i in range(n):
        ax = ay = az = 0.0
        for j in range(n):
            if i == j:
                continue
            dx = pos[j, 0] - pos[i, 0]
            dy = pos[j, 1] - pos[i, 1]
            dz = pos[j, 2] - pos[i, 2]
            inv = 1.0 / np.sqrt(dx * dx + dy * dy + dz * dz + soft)
            f = mass[j] * inv * inv * inv
            ax += f * dx
            ay += f * dy
            az += f * dz
        acc[i, 0] = ax
        acc[i, 1] = ay
        acc[i, 2] = az
    return acc


@case(lambda n, r: (*cloud(n, r), 2.5, 3.0))
def lennard_jones(positions, cutoff, box):
    energy = 0.0
    forces = np.zeros_like(positions)
    n, dim = positions.shape
    rc2 = cutoff * cutoff
    for i in range(n - 1):
        for j in range(i + 1, n):
            d = np.zeros(3)
            r2 = 0.0
            for k in range(dim):
                d[k] = minimum_image(positions[i, k] - positions[j, k], box)
                r2 += d[k] ** 2
            if r2 < rc2 and r2 > 0.01:
                s6 = (1.0 / r2) ** 3
                energy += 4.0 * s6 * (s6 - 1.0)
                f = 48.0 * s6 * (s6 - 0.5) / r2
                for k in range(dim):
                    forces[i, k] += f * d[k]
                    forces[j, k] -= f * d[k]
    return energy, forces


@case(lambda n, r: (*cloud(n, r), 1.0, 3))
def cell_list(pos, width, cells):
    n = pos.shape[0]
    head = np.full(cells * cells * cells, -1, dtype=np.int64)
    nxt = np.full(n, -1, dtype=np.int64)
    for i in range(n):
        cx = min(int(pos[i, 0] / width), cells - 1)
        cy = min(int(pos[i, 1] / width), cells - 1)
        cz = min(int(pos[i, 2] / width), cells - 1)
        c = (cx * cells + cy) * cells + cz
        nxt[i] = head[c]
        head[c] = i
    return head, nxt


@case(lambda n, r: (*cloud(n, r), 1.0))
def neighbour_counts(pos, radius):
    n = len(pos)
    count = np.zeros(n, dtype=np.int64)
    for i in range(n):
        for j in range(n):
            if i != j:
                d = pos[i] - pos[j]
                if np.sqrt(np.sum(d * d)) < radius:
                    count[i] += 1
    return count


@case(lambda n, r: (2 * r.integers(0, 2, (n, n)) - 1, r.random((n, n)), 0.4))
def ising_sweep(spins, uniforms, beta):
    n, m = spins.shape
    s = spins.copy()
    for i in range(n):
        for j in range(m):
            around = s[(i + 1) % n, j] + s[i - 1, j] + s[i, (j + 1) % m] + s[i, j - 1]
            delta = 2 * s[i, j] * around
            if delta <= 0 or uniforms[i, j] < np.exp(-beta * delta):
                s[i, j] = -s[i, j]
    return s


@case(lambda n, r: (2 * r.integers(0, 2, (n, n)) - 1,))
def ising_energy(lattice):
    rows, cols = lattice.shape
    e = 0
    for i in range(rows):
        for j in range(cols):
            e -= lattice[i, j] * (
                lattice[(i + 1) % rows, j] + lattice[i, (j + 1) % cols]
            )
    return e / 2


@case(lambda n, r: (*cloud(n, r), r.normal(size=(n, 3)), r.random((n, 3)), 0.01))
def leapfrog(x, v, a, dt):
    for i in range(x.shape[0]):
        for d in range(3):
            v[i, d] += 0.5 * dt * a[i, d]
            x[i, d] += dt * v[i, d]
            x[i, d] = x[i, d] % 3.0


@case(lambda n, r: (*cloud(n, r), 8, 3.0))
def radial_distribution(pos, bins, box):
    g = np.zeros(bins)
    n = pos.shape[0]
    dr = box / (2 * bins)
    for i in range(n):
        for j in range(i):
            r2 = 0.0
            for k in range(3):
                d = abs(pos[i, k] - pos[j, k])
                d = min(d, box - d)
                r2 += d * d
            b = int(np.sqrt(r2) / dr)
            if b < bins:
                g[b] += 2
    return g


@case(lambda n, r: (r.random(n), r.random(n), r.random(n), 4))
def deposit_charge(x, q, w, cells):
    rho = np.zeros(cells)
    for p in range(len(x)):
        s = x[p] * cells
        i = int(s)
        f = s - i
        rho[i % cells] += q[p] * w[p] * (1 - f)
        rho[(i + 1) % cells] += q[p] * w[p] * f
    return rho


@case(lambda n, r: (r.random((n, 2)), r.normal(size=(n, 2)), 0.1))
def boids_step(pos, vel, dt):
    n = pos.shape[0]
    new = np.zeros((n, 2))
    for i in range(n):
        centre = np.zeros(2)
        near = 0
        for j in range(n):
            dx = pos[j, 0] - pos[i, 0]
            dy = pos[j, 1] - pos[i, 1]
            if j != i and dx * dx + dy * dy < 0.25:
                centre[0] += pos[j, 0]
                centre[1] += pos[j, 1]
                near += 1
        for d in range(2):
            pull = centre[d] / near - pos[i, d] if near > 0 else 0.0
            new[i, d] = pos[i, d] + dt * (vel[i, d] + 0.01 * pull)
    return new


@case(lambda n, r: (r.random(n), 3.9, 3 * n))
def logistic_map(x, rate, steps):
    for t in range(steps):
        for i in range(len(x)):
            x[i] = rate * x[i] * (1.0 - x[i])
    return x


@case(lambda n, r: (n, 40))
def mandelbrot(n, limit):
    out = np.zeros((n, n), dtype=np.int64)
    for i in range(n):
        for j in range(n):
            cr = -2.0 + 3.0 * j / n
            ci = -1.5 + 3.0 * i / n
            zr = zi = 0.0
            k = 0
            while k < limit and zr * zr + zi * zi <= 4.0:
                zr, zi = zr * zr - zi * zi + cr, 2 * zr * zi + ci
                k += 1
            out[i, j] = k
    return out


@case(lambda n, r: (n, 30))
def julia_complex(n, limit):
    out = np.zeros((n, n), dtype=np.int32)
    c = complex(-0.4, 0.6)
    for i in range(n):
        for j in range(n):
            z = complex(3.0 * j / n - 1.5, 3.0 * i / n - 1.5)
            for k in range(limit):
                if abs(z) > 2.0:
                    break
                z = z * z + c
                out[i, j] = k
    return out


@case(lambda n, r: (4 * n, 7))
def area_of_a_circle(n, seed):
    np.random.seed(seed)
    inside = 0
    for _ in range(n):
        x = np.random.random()
        y = np.random.random()
        if x * x + y * y < 1.0:
            inside += 1
    return 4.0 * inside / n if n else 0.0


@case(lambda n, r: (np.ones((n, n), dtype=np.int64), 4 * n, 0.6, 3))
def spin_flips(spins, steps, beta, seed):
    np.random.seed(seed)
    n = spins.shape[0]
    energy = 0.0
    for _ in range(steps if n else 0):
        i = np.random.randint(n)
        j = np.random.randint(n)
        around = spins[i - 1, j] + spins[(i + 1) % n, j]
        around += spins[i, j - 1] + spins[i, (j + 1) % n]
        change = 2.0 * spins[i, j] * around
        if change <= 0.0 or np.random.random() < np.exp(-beta * change):
            spins[i, j] = -spins[i, j]
            energy += change
    return energy


@case(lambda n, r: (n, 4, 0.1, 5))
def walkers(steps, count, drift, seed):
    np.random.seed(seed)
    paths = np.zeros((count, steps + 1))
    for k in range(count):
        for t in range(steps):
            paths[k, t + 1] = paths[k, t] + np.random.normal(drift, 1.0)
    return paths


def proposed(x, width):
    return x + np.random.uniform(low=-width, high=width)


def accepted(change, heat):
    return change <= 0.0 or np.random.random() < np.exp(-change / heat)


@case(lambda n, r: (r.normal(size=n), 0.5, 0.3, 11))
def annealed(x, width, heat, seed):
    np.random.seed(seed)
    moves = 0
    for i in range(1, len(x) - 1):
        other = proposed(x[i], width)
        before = (x[i] - x[i - 1]) ** 2 + (x[i + 1] - x[i]) ** 2
        after = (other - x[i - 1]) ** 2 + (x[i + 1] - other) ** 2
        if accepted(after - before, heat):
            x[i] = other
            moves += 1
    return moves


@case(lambda n, r: (r.standard_normal((n, 3)), 0.2, 4, 5))
def jiggled(positions, width, rounds, seed):
    np.random.seed(seed)
    for _ in range(rounds):
        for i in range(len(positions)):
            positions[i] += width * np.random.randn(positions.shape[1])
    return positions


def coupling(spins, i):
    return 2 * spins[i] * (spins[i - 1] + spins[i + 1])


@case(lambda n, r: (2 * r.integers(0, 2, n) - 1, r.normal(size=n), 0.7, 0.2))
def flip_energies(spins, tilt, strength, field):
    total = 0.0
    worst = 0
    for i in range(1, len(spins) - 1):
        change = coupling(spins, i)
        if change > worst:
            worst = change
        change = change * strength + tilt[i]
        if field is not None:
            change = change + field * spins[i]
        if change > 3.0:
            worst = change
        total += change
    return total, worst
