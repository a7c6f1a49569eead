"""Rivers and terrain: flow directions, accumulation, sinks, infiltration."""

import numpy as np

from corpus import case

DY = np.array([-1, -1, 0, 1, 1, 1, 0, -1])
DX = np.array([0, 1, 1, 1, 0, -1, -1, -1])


def terrain(n, r):
    return (r.random((n + 2, n + 1)),)


def directed(n, r):
    fdir = r.integers(-1, 8, (n + 2, n + 2))
    fdir[0] = fdir[-1] = -1
    fdir[:, 0] = fdir[:, -1] = -1
    return (fdir,)


@case(terrain)
def flow_direction(dem):
    rows, cols = dem.shape
    out = np.full((rows, cols), -1, dtype=np.int64)
    for i in range(1, rows - 1):
        for j in range(1, cols - 1):
            steepest = 0.0
            for k in range(8):
                drop = dem[i, j] - dem[i + DY[k], j + DX[k]]
                if k % 2 == 1:
                    drop /= 1.4142135623730951
                if drop > steepest:
                    steepest = drop
                    out[i, j] = k
    return out


@case(directed)
def indegree(fdir):
    count = np.zeros(fdir.shape, dtype=np.int32)
    for i in range(1, fdir.shape[0] - 1):
        for j in range(1, fdir.shape[1] - 1):
            k = fdir[i, j]
            if k >= 0:
                count[i + DY[k], j + DX[k]] += 1
    return count


@case(lambda n, r: (r.integers(-1, n, n) if n else np.zeros(0, dtype=np.int64),))
def accumulate(down):
    n = len(down)
    acc = np.ones(n, dtype=np.int64)
    degree = np.zeros(n, dtype=np.int64)
    for i in range(n):
        if down[i] >= 0:
            degree[down[i]] += 1
    stack = np.empty(n, dtype=np.int64)
    top = 0
    for i in range(n):
        if degree[i] == 0:
            stack[top] = i
            top += 1
    while top > 0:
        top -= 1
        i = stack[top]
        j = down[i]
        if j < 0:
            continue
        acc[j] += acc[i]
        degree[j] -= 1
        if degree[j] == 0:
            stack[top] = j
            top += 1
    return acc


@case(terrain)
def fill_sinks_sweep(dem):
    rows, cols = dem.shape
    water = np.full((rows, cols), 1e9)
    water[0, :] = dem[0, :]
    water[-1, :] = dem[-1, :]
    water[:, 0] = dem[:, 0]
    water[:, -1] = dem[:, -1]
    changed = True
    sweeps = 0
    while changed and sweeps < 50:
        changed = False
        sweeps += 1
        for i in range(1, rows - 1):
            for j in range(1, cols - 1):
                if water[i, j] <= dem[i, j]:
                    continue
                lowest = water[i, j]
                for di in range(-1, 2):
                    for dj in range(-1, 2):
                        lowest = min(lowest, water[i + di, j + dj])
                level = max(dem[i, j], lowest)
                if level < water[i, j]:
                    water[i, j] = level
                    changed = True
    return water


@case(lambda n, r: (*terrain(n, r), 30.0))
def slope(dem, cell):
    out = np.zeros_like(dem)
    for i in range(1, dem.shape[0] - 1):
        for j in range(1, dem.shape[1] - 1):
            dzdx = (dem[i, j + 1] - dem[i, j - 1]) / (2 * cell)
            dzdy = (dem[i + 1, j] - dem[i - 1, j]) / (2 * cell)
            out[i, j] = np.arctan(np.sqrt(dzdx**2 + dzdy**2))
    return out


@case(terrain)
def hillshade(dem):
    rows, cols = dem.shape
    shade = np.zeros((rows, cols), dtype=np.float32)
    azimuth, altitude = np.radians(315.0), np.radians(45.0)
    for i in range(1, rows - 1):
        for j in range(1, cols - 1):
            dx = dem[i, j + 1] - dem[i, j - 1]
            dy = dem[i + 1, j] - dem[i - 1, j]
            tilt = np.pi / 2 - np.arctan(np.hypot(dx, dy))
            aspect = np.arctan2(-dx, dy)
            shade[i, j] = np.sin(altitude) * np.sin(tilt) + np.cos(altitude) * np.cos(
                tilt
            ) * np.cos(azimuth - aspect)
    return shade


@case(lambda n, r: (10 * r.random(n), 3 * r.random(n), 50.0, 0.3))
def bucket_model(rain, pet, capacity, k):
    storage = 0.5 * capacity
    runoff = np.zeros(len(rain))
    for t in range(len(rain)):
        storage += rain[t]
        storage -= min(pet[t], storage)
        excess = 0.0
        if storage > capacity:
            excess = storage - capacity
            storage = capacity
        base = k * storage / 10
        storage -= base
        runoff[t] = excess + base
    return runoff, storage


@case(lambda n, r: (r.random(n), 0.2, 0.3))
def muskingum(inflow, k, x):
    denom = k * (1 - x) + 0.5
    c0 = (0.5 - k * x) / denom
    c1 = (0.5 + k * x) / denom
    c2 = (k * (1 - x) - 0.5) / denom
    out = np.zeros_like(inflow)
    for i in range(1, inflow.shape[0]):
        out[i] = c0 * inflow[i] + c1 * inflow[i - 1] + c2 * out[i - 1]
    return out


@case(lambda n, r: (r.random(n), r.random(4)))
def unit_hydrograph(excess, uh):
    n, m = excess.shape[0], uh.shape[0]
    flow = np.zeros(n + m - 1)
    for i in range(n):
        for j in range(m):
            flow[i + j] += excess[i] * uh[j]
    return flow


@case(directed)
def trace_lengths(fdir):
    rows, cols = fdir.shape
    out = np.zeros((rows, cols))
    for i in range(rows):
        for j in range(cols):
            y, x = i, j
            length = 0.0
            for step in range(rows * cols):
                k = fdir[y, x]
                if k < 0:
                    break
                y += DY[k]
                x += DX[k]
                length += 1.0 if k % 2 == 0 else 2**0.5
            out[i, j] = length
    return out


def drained(n, r):
    down = np.arange(n * n).reshape(n, n)
    inner = down[1:, 1:]
    inner -= r.choice([1, n, n + 1], inner.shape) if n else 0
    return down, r.random((n, n))


@case(drained)
def accumulate_cells(down, rain):
    flow = rain.copy()
    degree = np.zeros(down.shape, dtype=np.int64)
    for k in range(down.size):
        if down.flat[k] != k:
            degree.flat[down.flat[k]] += 1
    sources = np.flatnonzero(degree == 0)
    for s in range(sources.size):
        k = sources[s]
        while degree.flat[k] == 0 and down.flat[k] != k:
            below = down.flat[k]
            flow.flat[below] += 0.9 * flow.flat[k]
            degree.flat[below] -= 1
            degree.flat[k] = -1
            k = below
    return flow


@case(lambda n, r: (r.random((n, n)), r.random((n, n)), 0.1))
def shallow_flux(h, u, dt):
    new = h.copy()
    rows, cols = h.shape
    for i in range(1, rows - 1):
        for j in range(1, cols - 1):
            right = h[i, j] if u[i, j] > 0 else h[i, j + 1]
            left = h[i, j - 1] if u[i, j - 1] > 0 else h[i, j]
            new[i, j] -= dt * (right * u[i, j] - left * u[i, j - 1])
    return new


def downhill(n, r):
    count = max(n, 2) * 3
    below = np.minimum(np.arange(count) + r.integers(1, 4, count), count - 1)
    comes = np.bincount(below[:-1], minlength=count).astype(np.int32)
    springs = np.flatnonzero(comes == 0)
    return r.random((3, count // 3)), below.reshape(3, -1), comes, springs


def carry(cell, target, load, below, missing):
    load.flat[target] += 0.9 * load.flat[cell]
    missing[target] -= 1
    if missing[target] == 0:
        carry(target, below.flat[target], load, below, missing)


@case(downhill)
def sediment(load, below, missing, springs):
    for k in range(springs.size):
        spring = springs[k]
        carry(spring, below.flat[spring], load, below, missing)
    return load


@case(lambda n, r: (r.random((n + 2, n + 2)), n + 4, 0.7))
def flooded(height, source, level):
    width = height.shape[1]
    around = np.array([-width, -1, 1, width])
    wet = np.zeros(height.shape, dtype=np.bool_)
    stack = [source % height.size]
    while stack:
        cell = stack.pop()
        if wet.flat[cell] or height.flat[cell] > level:
            continue
        wet.flat[cell] = True
        others = around + cell
        for k in range(4):
            other = others[k]
            if 0 <= other < height.size:
                stack.append(other)
    return wet


def drains(cell, below, basin, number, around):
    others = around + cell
    for k in range(4):
        other = others[k]
        if 0 <= other < below.size and below.flat[other] == cell:
            if basin.flat[other] == 0:
                basin.flat[other] = number
                drains(other, below, basin, number, around)


@case(lambda n, r: (r.integers(0, (n + 1) * (n + 2), (n + 1, n + 2)), n))
def basins(below, outlets):
    width = below.shape[1]
    around = np.array([-width, -1, 1, width])
    basin = np.zeros(below.shape, dtype=np.int64)
    for k in range(outlets):
        outlet = k * 7 % below.size
        if basin.flat[outlet] == 0:
            basin.flat[outlet] = k + 1
            drains(outlet, below, basin, k + 1, around)
    return basin
