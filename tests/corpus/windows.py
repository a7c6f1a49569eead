"""Rolling, expanding and grouped windows over columns of numbers."""

import math

import numpy as np

from corpus import case


def grouped(n, r):
    return r.normal(size=n), r.integers(0, 3, n), 3


@case(lambda n, r: (r.normal(size=n), 4))
def rolling_sum(a, window):
    out = np.full(len(a), np.nan)
    asum = 0.0
    for i in range(len(a)):
        asum += a[i]
        if i >= window:
            asum -= a[i - window]
        if i >= window - 1:
            out[i] = asum
    return out


@case(lambda n, r: (r.normal(size=n), 3, 2))
def move_mean(a, window, min_count):
    out = np.empty(a.size)
    asum = 0.0
    count = 0
    for i in range(a.size):
        ai = a[i]
        if not np.isnan(ai):
            asum += ai
            count += 1
        if i >= window:
            aold = a[i - window]
            if not np.isnan(aold):
                asum -= aold
                count -= 1
        out[i] = asum / count if count >= min_count else np.nan
    return out


@case(lambda n, r: (r.normal(size=n), 3))
def rolling_max(values, w):
    n = values.shape[0]
    result = np.empty(n)
    for i in range(n):
        best = -np.inf
        for j in range(max(0, i - w + 1), i + 1):
            if values[j] > best:
                best = values[j]
        result[i] = best
    return result


@case(lambda n, r: (r.normal(size=n), 3))
def rolling_max_deque(values, w):
    n = len(values)
    out = np.empty(n)
    queue = np.zeros(n + 1, dtype=np.int64)
    head, tail = 0, 0
    for i in range(n):
        while tail > head and values[queue[tail - 1]] <= values[i]:
            tail -= 1
        queue[tail] = i
        tail += 1
        if queue[head] <= i - w:
            head += 1
        out[i] = values[queue[head]]
    return out


@case(lambda n, r: (r.normal(size=n), 5))
def rolling_median(x, w):
    n = x.shape[0]
    out = np.empty(n)
    for i in range(n):
        lo = max(0, i - w + 1)
        buf = x[lo : i + 1].copy()
        for a in range(1, len(buf)):
            key = buf[a]
            b = a - 1
            while b >= 0 and buf[b] > key:
                buf[b + 1] = buf[b]
                b -= 1
            buf[b + 1] = key
        out[i] = buf[len(buf) // 2]
    return out


@case(lambda n, r: (r.normal(size=n),))
def expanding_mean(x):
    out = np.zeros(x.shape)
    total = 0.0
    for i, v in enumerate(x):
        total += v
        out[i] = total / (i + 1)
    return out


@case(lambda n, r: (r.normal(size=n),))
def expanding_extremes(x):
    lows = np.empty_like(x)
    highs = np.empty_like(x)
    low, high = np.inf, -np.inf
    for i in range(len(x)):
        low = min(low, x[i])
        high = max(high, x[i])
        lows[i] = low
        highs[i] = high
    return lows, highs


@case(grouped)
def group_sums(values, labels, groups):
    sums = np.zeros(groups)
    counts = np.zeros(groups, dtype=np.int64)
    for i in range(len(values)):
        g = labels[i]
        if g < 0:
            continue
        sums[g] += values[i]
        counts[g] += 1
    return sums, counts


@case(grouped)
def group_first_last(values, labels, groups):
    first = np.full(groups, np.nan)
    last = np.full(groups, np.nan)
    for v, g in zip(values, labels):
        if np.isnan(first[g]):
            first[g] = v
        last[g] = v
    return first, last


@case(grouped)
def group_argmax(values, labels, groups):
    best = np.full(groups, -np.inf)
    where = np.full(groups, -1, dtype=np.int64)
    for i in range(values.shape[0]):
        g = labels[i]
        if values[i] > best[g]:
            best[g] = values[i]
            where[g] = i
    return where


@case(grouped)
def group_variance(values, labels, groups):
    sums = np.zeros(groups)
    squares = np.zeros(groups)
    counts = np.zeros(groups)
    out = np.empty(groups)
    for i in range(len(labels)):
        label = labels[i]
        value = values[i]
        counts[label] += 1
        sums[label] += value
        squares[label] += value * value
    for label in range(groups):
        if counts[label] > 1:
            out[label] = (squares[label] - sums[label] ** 2 / counts[label]) / (
                counts[label] - 1
            )
        else:
            out[label] = np.nan
    return out


@case(lambda n, r: (r.normal(size=(n, 3)), 2))
def rolling_columns(a, w):
    out = np.zeros_like(a)
    for j in range(a.shape[1]):
        for i in range(a.shape[0]):
            s = 0.0
            for k in range(w):
                if i - k >= 0:
                    s += a[i - k, j]
            out[i, j] = s
    return out


@case(lambda n, r: (r.random((n, 4)),))
def row_ranks(a):
    n, m = a.shape
    out = np.empty((n, m), dtype=np.int64)
    for i in range(n):
        row = a[i]
        for j in range(m):
            rank = 0
            for k in range(m):
                if row[k] < row[j]:
                    rank += 1
            out[i, j] = rank
    return out


@case(lambda n, r: (r.integers(0, 3, n),))
def run_lengths(x):
    n = len(x)
    values = np.zeros(n, dtype=x.dtype)
    lengths = np.zeros(n, dtype=np.int64)
    runs = 0
    i = 0
    while i < n:
        j = i + 1
        while j < n and x[j] == x[i]:
            j += 1
        values[runs] = x[i]
        lengths[runs] = j - i
        runs += 1
        i = j
    return values[:runs], lengths[:runs]


@case(lambda n, r: (r.normal(size=n), 0.5, 3))
def crossings(x, level, least):
    found = 0
    above = 0
    for i in range(len(x)):
        if x[i] > level:
            above += 1
            if above == least:
                found += 1
        else:
            above = 0
    return found


@case(lambda n, r: (r.normal(size=n), 4, "mean"))
def rolling(x, window, what="sum", least=None):
    if least is None:
        least = window
    out = np.full(len(x), np.nan)
    total = 0.0
    for i in range(len(x)):
        total += x[i]
        if i >= window:
            total -= x[i - window]
        count = min(i + 1, window)
        if count >= least:
            out[i] = total / count if what == "mean" else total
    return out


@case(lambda n, r: (np.where(r.random(n) < 0.2, np.nan, r.random(n)), 5, 80.0))
def rolling_percentiles(x, width, part):
    out = np.full((len(x), 2), np.nan)
    for i in range(width - 1, len(x)):
        window = x[i - width + 1 : i + 1]
        if np.isnan(window).all():
            continue
        out[i, 0] = np.nanmedian(window)
        out[i, 1] = np.nanpercentile(window, part)
    return out


def with_one(x, count, mean, spread):
    count += 1
    change = x - mean
    mean += change / count
    spread += change * (x - mean)
    return count, mean, spread


def without_one(x, count, mean, spread):
    count -= 1
    if count == 0:
        mean = 0.0
        spread = 0.0
    else:
        change = x - mean
        mean -= change / count
        spread -= change * (x - mean)
    return count, mean, spread


@case(lambda n, r: (r.standard_normal(n), 4))
def rolling_deviations(x, width):
    out = np.zeros(len(x))
    count = 0.0
    mean = 0.0
    spread = 0.0
    for i in range(len(x)):
        if i >= width:
            count, mean, spread = without_one(x[i - width], count, mean, spread)
        count, mean, spread = with_one(x[i], count, mean, spread)
        if count > 1:
            out[i] = math.sqrt(max(spread, 0.0) / (count - 1))
    return out


@case(lambda n, r: (r.random(n + 3), (0.25, -1.5, 0.5, 2.0), 0.125))
def tapped(x, taps, start):
    out = np.zeros(len(x))
    for i in range(len(x)):
        value = start
        for k in range(len(taps)):
            if i >= k:
                value += taps[k] * x[i - k]
        out[i] = value / taps[-1]
    return out
