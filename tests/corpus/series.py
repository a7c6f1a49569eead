"""Time series: distances, profiles, filters and filling of gaps."""

import numpy as np

from corpus import case


def pair(n, r):
    return r.normal(size=n), r.normal(size=n + 2)


def gaps(n, r):
    x = r.normal(size=n)
    x[r.random(n) < 0.3] = np.nan
    return x


@case(lambda n, r: pair(n, r))
def dtw(x, y):
    n, m = len(x), len(y)
    cost = np.full((n + 1, m + 1), np.inf)
    cost[0, 0] = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            d = (x[i - 1] - y[j - 1]) ** 2
            cost[i, j] = d + min(cost[i - 1, j], cost[i, j - 1], cost[i - 1, j - 1])
    return np.sqrt(cost[n, m])


@case(lambda n, r: (*pair(n, r), 3))
def dtw_banded(x, y, radius):
    n = x.shape[0]
    m = y.shape[0]
    acc = np.full((n + 1, m + 1), np.inf)
    acc[0, 0] = 0.0
    for i in range(n):
        lo = max(0, i - radius)
        hi = min(m, i + radius + 1)
        for j in range(lo, hi):
            diff = x[i] - y[j]
            best = acc[i, j]
            if acc[i, j + 1] < best:
                best = acc[i, j + 1]
            if acc[i + 1, j] < best:
                best = acc[i + 1, j]
            acc[i + 1, j + 1] = diff * diff + best
    return acc[n, m]


@case(lambda n, r: (*pair(n, r), 0.4))
def lcss(x, y, eps):
    n, m = x.shape[0], y.shape[0]
    table = np.zeros((n + 1, m + 1), dtype=np.int64)
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            if abs(x[i - 1] - y[j - 1]) <= eps:
                table[i, j] = table[i - 1, j - 1] + 1
            else:
                table[i, j] = max(table[i, j - 1], table[i - 1, j])
    return table[n, m] / max(min(n, m), 1)


@case(lambda n, r: (r.normal(size=(n, 2)), r.normal(size=(n + 1, 2))))
def frechet(p, q):
    n = p.shape[0]
    m = q.shape[0]
    ca = np.zeros((n, m))
    for i in range(n):
        for j in range(m):
            d = np.sqrt((p[i, 0] - q[j, 0]) ** 2 + (p[i, 1] - q[j, 1]) ** 2)
            if i == 0 and j == 0:
                ca[i, j] = d
            elif i == 0:
                ca[i, j] = max(ca[0, j - 1], d)
            elif j == 0:
                ca[i, j] = max(ca[i - 1, 0], d)
            else:
                before = min(ca[i - 1, j], ca[i - 1, j - 1], ca[i, j - 1])
                ca[i, j] = max(before, d)
    return ca


@case(lambda n, r: (r.normal(size=n + 8), 4))
def matrix_profile(ts, m):
    k = ts.shape[0] - m + 1
    profile = np.full(k, np.inf)
    index = np.full(k, -1)
    for i in range(k):
        for j in range(k):
            if abs(i - j) <= m // 2:
                continue
            d = 0.0
            for t in range(m):
                delta = ts[i + t] - ts[j + t]
                d += delta * delta
            if d < profile[i]:
                profile[i] = d
                index[i] = j
    return np.sqrt(profile), index


@case(lambda n, r: (r.normal(size=n + 5), r.normal(size=3)))
def sliding_dot(ts, query):
    m = len(query)
    out = np.empty(len(ts) - m + 1)
    for i in range(out.shape[0]):
        out[i] = np.sum(ts[i : i + m] * query)
    return out


@case(lambda n, r: (r.normal(size=n + 5), 4))
def rolling_mean_std(ts, m):
    k = ts.shape[0] - m + 1
    mean = np.zeros(k)
    std = np.zeros(k)
    for i in range(k):
        window = ts[i : i + m]
        mean[i] = np.mean(window)
        std[i] = np.std(window)
    return mean, std


@case(lambda n, r: (gaps(n, r),))
def forward_fill(x):
    out = x.copy()
    last = np.nan
    for i in range(len(out)):
        if np.isnan(out[i]):
            out[i] = last
        else:
            last = out[i]
    return out


@case(lambda n, r: (gaps(n, r).reshape(-1, 1) * np.ones(3), 2))
def forward_fill_limit(values, limit):
    rows, cols = values.shape
    result = np.empty((rows, cols))
    for c in range(cols):
        left = 0
        seen = np.nan
        for t in range(rows):
            v = values[t, c]
            if not np.isnan(v):
                seen = v
                left = limit
                result[t, c] = v
            elif left > 0:
                result[t, c] = seen
                left -= 1
            else:
                result[t, c] = np.nan
    return result


@case(lambda n, r: (r.normal(size=n), 0.3))
def ewma(x, alpha):
    out = np.empty_like(x)
    if len(x) == 0:
        return out
    out[0] = x[0]
    for t in range(1, len(x)):
        out[t] = alpha * x[t] + (1 - alpha) * out[t - 1]
    return out


@case(lambda n, r: (r.normal(size=n), r.integers(0, 4, n)))
def lagged_autocov(x, lags):
    n = x.size
    mean = x.mean() if n > 0 else 0.0
    out = np.zeros(lags.size)
    for idx, lag in enumerate(lags):
        s = 0.0
        for t in range(lag, n):
            s += (x[t] - mean) * (x[t - lag] - mean)
        out[idx] = s / n
    return out


@case(lambda n, r: (r.normal(size=n), 0.2, 0.1))
def holt(x, alpha, beta):
    n = len(x)
    fitted = np.zeros(n)
    if n < 2:
        return fitted, 0.0
    level = x[0]
    trend = x[1] - x[0]
    for t in range(n):
        fitted[t] = level + trend
        previous = level
        level = alpha * x[t] + (1 - alpha) * (level + trend)
        trend = beta * (level - previous) + (1 - beta) * trend
    return fitted, level


@case(lambda n, r: (r.normal(size=n), 1e-2, 0.1))
def kalman_level(z, q, noise):
    xs = np.zeros_like(z)
    x = 0.0
    p = 1.0
    for k in range(z.shape[0]):
        p = p + q
        gain = p / (p + noise)
        x = x + gain * (z[k] - x)
        p = (1.0 - gain) * p
        xs[k] = x
    return xs


@case(lambda n, r: (np.sort(r.random(n)), r.normal(size=n), np.linspace(0, 1, 6)))
def resample_previous(times, values, grid):
    out = np.full(len(grid), np.nan)
    j = 0
    for i in range(len(grid)):
        while j < len(times) and times[j] <= grid[i]:
            j += 1
        if j > 0:
            out[i] = values[j - 1]
    return out


@case(lambda n, r: (r.normal(size=n), 1.5, 0.5))
def cusum(x, threshold, drift):
    alarms = np.zeros(len(x), dtype=np.bool_)
    up = 0.0
    down = 0.0
    for i in range(1, len(x)):
        s = x[i] - x[i - 1]
        up = max(up + s - drift, 0.0)
        down = max(down - s - drift, 0.0)
        if up > threshold or down > threshold:
            alarms[i] = True
            up, down = 0.0, 0.0
    return alarms


@case(lambda n, r: (r.normal(size=n), 2, 0.3))
def sample_entropy_counts(x, m, r):
    n = len(x)
    a = 0
    b = 0
    for i in range(n - m):
        for j in range(i + 1, n - m):
            same = True
            for k in range(m):
                if abs(x[i + k] - x[j + k]) > r:
                    same = False
                    break
            if same:
                b += 1
                if abs(x[i + m] - x[j + m]) <= r:
                    a += 1
    return a, b


@case(lambda n, r: (r.normal(size=n), r.normal(size=3), r.normal(size=2)))
def arma_residuals(y, ar, ma):
    n = len(y)
    e = np.zeros(n)
    for t in range(n):
        s = y[t]
        for i in range(len(ar)):
            if t - 1 - i >= 0:
                s -= ar[i] * y[t - 1 - i]
        for j in range(len(ma)):
            if t - 1 - j >= 0:
                s -= ma[j] * e[t - 1 - j]
        e[t] = s
    return e


@case(lambda n, r: (r.integers(0, 3, n),))
def runs_of_equal(x):
    out = []
    start = 0
    for i in range(1, len(x) + 1):
        if i == len(x) or x[i] != x[start]:
            out.append((start, i - start, x[start]))
            start = i
    return out


@case(lambda n, r: (r.standard_normal(n), 0.1))
def crossing_times(x, level):
    times = []
    for i in range(1, len(x)):
        if (x[i - 1] < level) != (x[i] < level):
            times.append(i - 1 + (level - x[i - 1]) / (x[i] - x[i - 1]))
    return np.array(times)


@case(lambda n, r: (r.random((n, 8)), r.random(n)))
def roughness(curves, out):
    for i in range(curves.shape[0]):
        steps = np.diff(curves[i])
        out[i] = np.abs(steps).max() + np.mean(np.diff(curves[:, 0])) if i else 0.0
    return out


@case(lambda n, r: (r.random((n, n)).cumsum(axis=1),))
def warping_path(cost):
    n, m = cost.shape
    path = np.zeros((n + m, 2), dtype=np.int64)
    for start in range(1 if n else 0):
        i, j, k = n - 1, m - 1, start
        while i > 0 and j > 0:
            path[k, 0] = i
            path[k, 1] = j
            k += 1
            step = np.argmin([cost[i - 1, j - 1], cost[i - 1, j], cost[i, j - 1]])
            if step != 2:
                i -= 1
            if step != 1:
                j -= 1
    return path


@case(lambda n, r: (r.integers(0, 100000, n),))
def clock_times(seconds):
    out = np.zeros((len(seconds), 3), dtype=np.int64)
    for i in range(len(seconds)):
        minutes, out[i, 2] = divmod(seconds[i], 60)
        hours, out[i, 1] = divmod(minutes, 60)
        out[i, 0] = hours % 24
    return out


@case(lambda n, r: (r.random(n) - 0.5,))
def runs_above_zero(x):
    longest = None
    start = None
    count = 0
    for i in range(len(x)):
        if x[i] > 0:
            if start is None:
                start = i
                count += 1
            if longest is None or i - start + 1 > longest:
                longest = i - start + 1
        elif start is not None:
            start = None
    return longest, count
