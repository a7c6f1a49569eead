"""Statistics: ranks, moments, densities, quantiles, resampling."""

import math

import numpy as np

from corpus import case


def sample(n, r):
    return (r.normal(size=n),)


def two(n, r):
    return r.normal(size=n), r.normal(size=n)


@case(two)
def kendall_tau(x, y):
    n = len(x)
    concordant = 0
    discordant = 0
    for i in range(n):
        for j in range(i + 1, n):
            s = (x[i] - x[j]) * (y[i] - y[j])
            if s > 0:
                concordant += 1
            elif s < 0:
                discordant += 1
    pairs = n * (n - 1) / 2
    return (concordant - discordant) / pairs if pairs > 0 else 0.0


@case(lambda n, r: (r.integers(0, 5, n) * 1.0,))
def average_ranks(x):
    n = x.shape[0]
    order = np.argsort(x, kind="stable")
    ranks = np.empty(n)
    i = 0
    while i < n:
        j = i
        while j + 1 < n and x[order[j + 1]] == x[order[i]]:
            j += 1
        for k in range(i, j + 1):
            ranks[order[k]] = 0.5 * (i + j) + 1
        i = j + 1
    return ranks


@case(lambda n, r: (r.normal(size=n), np.linspace(-2, 2, 5), 0.4))
def kde(data, grid, bandwidth):
    out = np.zeros(grid.shape[0])
    norm = 1.0 / (len(data) * bandwidth * math.sqrt(2 * math.pi)) if len(data) else 0.0
    for i in range(grid.shape[0]):
        for j in range(data.shape[0]):
            u = (grid[i] - data[j]) / bandwidth
            out[i] += math.exp(-0.5 * u * u)
        out[i] *= norm
    return out


@case(lambda n, r: (r.normal(size=(n, 3)),))
def covariance(X):
    n, p = X.shape
    mean = np.zeros(p)
    for j in range(p):
        for i in range(n):
            mean[j] += X[i, j]
        mean[j] /= n
    cov = np.zeros((p, p))
    for a in range(p):
        for b in range(a, p):
            s = 0.0
            for i in range(n):
                s += (X[i, a] - mean[a]) * (X[i, b] - mean[b])
            cov[a, b] = s / (n - 1)
            cov[b, a] = cov[a, b]
    return cov


@case(sample)
def welford(x):
    mean = 0.0
    m2 = 0.0
    count = 0
    for v in x:
        count += 1
        delta = v - mean
        mean += delta / count
        m2 += delta * (v - mean)
    if count < 2:
        return mean, np.nan
    return mean, m2 / (count - 1)


@case(sample)
def moments(x):
    n = len(x)
    m = np.mean(x) if n else 0.0
    s2 = s3 = s4 = 0.0
    for i in range(n):
        d = x[i] - m
        s2 += d * d
        s3 += d**3
        s4 += d**4
    if s2 == 0:
        return 0.0, 0.0
    return s3 / n / (s2 / n) ** 1.5, s4 * n / s2**2 - 3


@case(lambda n, r: (np.sort(r.normal(size=n)), r.random(n), 0.5))
def weighted_quantile(values, weights, q):
    total = np.sum(weights)
    acc = 0.0
    for i in range(len(values)):
        acc += weights[i]
        if acc >= q * total:
            return values[i]
    return np.nan


@case(lambda n, r: (r.normal(size=n + 1), r.integers(0, n + 1, (4, n + 1))))
def bootstrap_means(x, indices):
    rounds, n = indices.shape
    means = np.empty(rounds)
    for b in range(rounds):
        s = 0.0
        for k in range(n):
            s += x[indices[b, k]]
        means[b] = s / n
    return means


@case(lambda n, r: (r.normal(size=n), r.integers(0, n + 1, n)))
def permutation_shuffle(x, draws):
    out = x.copy()
    for i in range(len(out) - 1, 0, -1):
        j = draws[i] % (i + 1)
        out[i], out[j] = out[j], out[i]
    return out


@case(lambda n, r: (r.normal(size=n), -3.0, 3.0, 6))
def histogram_uniform(x, lo, hi, bins):
    counts = np.zeros(bins, np.int64)
    scale = bins / (hi - lo)
    for v in x:
        if lo <= v < hi:
            counts[int((v - lo) * scale)] += 1
        elif v == hi:
            counts[bins - 1] += 1
    return counts


@case(two)
def pearson(x, y):
    n = x.size
    mx = my = 0.0
    for i in range(n):
        mx += x[i]
        my += y[i]
    mx /= max(n, 1)
    my /= max(n, 1)
    sxy = sxx = syy = 0.0
    for i in range(n):
        dx = x[i] - mx
        dy = y[i] - my
        sxy += dx * dy
        sxx += dx * dx
        syy += dy * dy
    if sxx == 0.0 or syy == 0.0:
        return np.nan
    return sxy / math.sqrt(sxx * syy)


@case(two)
def ks_distance(a, b):
    a = np.sort(a)
    b = np.sort(b)
    i = j = 0
    d = 0.0
    while i < len(a) and j < len(b):
        if a[i] <= b[j]:
            i += 1
        else:
            j += 1
        d = max(d, abs(i / len(a) - j / len(b)))
    return d


@case(lambda n, r: (r.integers(0, 3, n), r.integers(0, 2, n)))
def mutual_information(x, y):
    n = len(x)
    joint = np.zeros((3, 2))
    for i in range(n):
        joint[x[i], y[i]] += 1.0
    px = joint.sum(axis=1)
    py = joint.sum(axis=0)
    total = 0.0
    for a in range(3):
        for b in range(2):
            if joint[a, b] > 0:
                total += joint[a, b] / n * np.log(joint[a, b] * n / (px[a] * py[b]))
    return total


@case(lambda n, r: (*sample(n, r), r.random(n), r.normal(size=n)))
def metropolis(steps, uniforms, start):
    chain = np.empty(len(steps))
    x = 0.0
    accepted = 0
    for t in range(len(steps)):
        proposal = x + steps[t]
        ratio = math.exp(0.5 * (x * x - proposal * proposal))
        if uniforms[t] < min(1.0, ratio):
            x = proposal
            accepted += 1
        chain[t] = x
    return chain, accepted


@case(lambda n, r: (r.normal(size=(n, 2)), r.normal(size=(3, 2)), 3))
def kmeans_step(points, centres, k):
    n, d = points.shape
    labels = np.zeros(n, dtype=np.int64)
    sums = np.zeros((k, d))
    counts = np.zeros(k, dtype=np.int64)
    for i in range(n):
        best = np.inf
        for c in range(k):
            dist = 0.0
            for j in range(d):
                dist += (points[i, j] - centres[c, j]) ** 2
            if dist < best:
                best = dist
                labels[i] = c
        counts[labels[i]] += 1
        for j in range(d):
            sums[labels[i], j] += points[i, j]
    for c in range(k):
        if counts[c] > 0:
            sums[c] /= counts[c]
    return labels, sums


@case(lambda n, r: (r.random(n), r.integers(0, 2, n)))
def roc_auc(scores, truth):
    order = np.argsort(-scores)
    tp = fp = 0
    auc = 0.0
    for i in order:
        if truth[i] == 1:
            tp += 1
        else:
            fp += 1
            auc += tp
    if tp == 0 or fp == 0:
        return 0.5
    return auc / (tp * fp)


@case(lambda n, r: (r.integers(0, 9, n),))
def largest_rectangle(heights):
    stack = []
    best = 0
    n = len(heights)
    for i in range(n + 1):
        height = heights[i] if i < n else 0
        while stack and heights[stack[-1]] >= height:
            top = stack.pop()
            width = i - stack[-1] - 1 if stack else i
            best = max(best, heights[top] * width)
        stack.append(i)
    return best


@case(lambda n, r: (np.cumsum(r.random(5)), r.random(n) * 3))
def sampled_states(weights, draws):
    states = np.empty(len(draws), dtype=np.int64)
    for t in range(len(draws)):
        states[t] = np.searchsorted(weights, draws[t], side="right")
    return states


def bin_of(edges, x):
    k = np.searchsorted(edges, x, side="right")
    if k == 0 or k == len(edges):
        return -1
    return k - 1


@case(lambda n, r: (np.linspace(-1, 1, 9), r.standard_normal(n)))
def histogram_of_edges(edges, x):
    counts = np.zeros(len(edges) - 1, dtype=np.int64)
    for i in range(len(x)):
        k = bin_of(edges, x[i])
        if k >= 0:
            counts[k] += 1
    return counts


@case(lambda n, r: (r.normal(size=n + 1), r.random(n + 1)))
def weighted_moments(x, weights=None):
    total = 0.0
    mean = 0.0
    spread = 0.0
    for i in range(len(x)):
        w = 1.0 if weights is None else weights[i]
        total += w
        step = x[i] - mean
        mean += step * w / total
        spread += w * step * (x[i] - mean)
    return mean, spread / total


@case(lambda n, r: (r.normal(size=n + 1),))
def unweighted_moments(x, weights=None):
    total = 0.0
    mean = 0.0
    for i in range(len(x)):
        w = 1.0 if weights is None else weights[i]
        total += w
        mean += (x[i] - mean) * w / total
    return mean


@case(lambda n, r: (r.standard_normal((n, 9)), 3.0))
def outliers(samples, limit):
    flagged = np.zeros(len(samples), dtype=np.int64)
    for i in range(len(samples)):
        middle = np.median(samples[i])
        spread = np.median(np.abs(samples[i] - middle))
        for j in range(samples.shape[1]):
            if abs(samples[i, j] - middle) > limit * spread:
                flagged[i] += 1
    return flagged


@case(lambda n, r: (r.random((n, 12)), 0.25))
def quartile_ranges(returns, tail):
    found = np.empty((len(returns), 2))
    for i in range(len(returns)):
        low = np.quantile(returns[i], tail)
        found[i, 0] = np.quantile(returns[i], 1.0 - tail) - low
        found[i, 1] = np.ptp(returns[i])
    return found


@case(lambda n, r: (r.standard_normal(n), 6, 3))
def bootstrapped(x, rounds, seed):
    np.random.seed(seed)
    found = np.zeros(rounds)
    for b in range(rounds if len(x) else 0):
        drawn = np.random.randint(0, len(x), len(x))
        s = 0.0
        for k in range(len(x)):
            s += x[drawn[k]]
        found[b] = s / len(x)
    return found


def fences(x, reach):
    low, high = np.percentile(x, [25, 75])
    return low - reach * (high - low), high + reach * (high - low)


@case(lambda n, r: (r.standard_normal((n, 9)) ** 3, 1.5))
def beyond_the_fences(samples, reach):
    beyond = np.zeros(samples.shape[0], dtype=np.int64)
    for i in range(samples.shape[0]):
        low, high = fences(samples[i], reach)
        for j in range(samples.shape[1]):
            if np.logical_or(samples[i, j] < low, samples[i, j] > high):
                beyond[i] += 1
    return beyond
