"""Distances between vectors, all pairs of them, nearest ones."""

import numpy as np

from corpus import case


def both(n, r):
    return r.random((n, 3)), r.random((n + 1, 3))


def one(n, r):
    return r.random(n), r.random(n)


def euclidean(a, b):
    s = 0.0
    for k in range(a.shape[0]):
        s += (a[k] - b[k]) ** 2
    return np.sqrt(s)


def rdist(x, y):
    return abs(x[0] - y[0]) + abs(x[1] - y[1])


@case(both)
def pairwise_euclidean(X, Y):
    n, m, d = X.shape[0], Y.shape[0], X.shape[1]
    out = np.empty((n, m))
    for i in range(n):
        for j in range(m):
            s = 0.0
            for k in range(d):
                t = X[i, k] - Y[j, k]
                s += t * t
            out[i, j] = np.sqrt(s)
    return out


@case(both)
def pairwise_helper(X, Y):
    out = np.zeros((len(X), len(Y)))
    for i in range(len(X)):
        for j in range(len(Y)):
            out[i, j] = euclidean(X[i], Y[j])
    return out


@case(both)
def pairwise_rows(X, Y):
    out = np.zeros((X.shape[0], Y.shape[0]))
    for i in range(X.shape[0]):
        for j in range(Y.shape[0]):
            out[i, j] = np.sum(np.abs(X[i, :] - Y[j, :]))
    return out


@case(lambda n, r: (r.random((n, 3)),))
def condensed(X):
    n = X.shape[0]
    out = np.empty(n * (n - 1) // 2)
    k = 0
    for i in range(n):
        for j in range(i + 1, n):
            best = 0.0
            for c in range(X.shape[1]):
                best = max(best, abs(X[i, c] - X[j, c]))
            out[k] = best
            k += 1
    return out


@case(one)
def cosine(x, y):
    result = 0.0
    norm_x = 0.0
    norm_y = 0.0
    for i in range(x.shape[0]):
        result += x[i] * y[i]
        norm_x += x[i] ** 2
        norm_y += y[i] ** 2
    if norm_x == 0.0 and norm_y == 0.0:
        return 0.0
    elif norm_x == 0.0 or norm_y == 0.0:
        return 1.0
    else:
        return 1.0 - (result / np.sqrt(norm_x * norm_y))


@case(one)
def canberra(x, y):
    result = 0.0
    for i in range(x.shape[0]):
        denominator = np.abs(x[i]) + np.abs(y[i])
        if denominator > 0:
            result += np.abs(x[i] - y[i]) / denominator
    return result


@case(one)
def bray_curtis(x, y):
    top = 0.0
    bottom = 0.0
    for i in range(x.shape[0]):
        top += np.abs(x[i] - y[i])
        bottom += np.abs(x[i] + y[i])
    if bottom > 0.0:
        return float(top) / bottom
    return 0.0


@case(lambda n, r: (r.random(n) < 0.5, r.random(n) < 0.5))
def jaccard(x, y):
    num_non_zero = 0.0
    num_equal = 0.0
    for i in range(x.shape[0]):
        x_true = x[i] != 0
        y_true = y[i] != 0
        num_non_zero += x_true or y_true
        num_equal += x_true and y_true
    if num_non_zero == 0.0:
        return 0.0
    return (num_non_zero - num_equal) / num_non_zero


@case(lambda n, r: (*one(n, r), 3))
def minkowski(x, y, p):
    result = 0.0
    for i in range(x.shape[0]):
        result += (np.abs(x[i] - y[i])) ** p
    return result ** (1.0 / p)


@case(lambda n, r: (*both(n, r), 2))
def k_nearest(train, query, k):
    out = np.full((query.shape[0], k), -1, dtype=np.int64)
    for q in range(query.shape[0]):
        dists = np.full(k, np.inf)
        for i in range(train.shape[0]):
            d = 0.0
            for c in range(train.shape[1]):
                d += (train[i, c] - query[q, c]) ** 2
            if d >= dists[k - 1]:
                continue
            j = k - 1
            while j > 0 and dists[j - 1] > d:
                dists[j] = dists[j - 1]
                out[q, j] = out[q, j - 1]
                j -= 1
            dists[j] = d
            out[q, j] = i
    return out


@case(lambda n, r: (r.random((n, 2)), r.random(2)))
def nearest(points, x):
    best = np.inf
    where = -1
    for i, p in enumerate(points):
        d = rdist(p, x)
        if d < best:
            best = d
            where = i
    return where


@case(both)
def hausdorff(X, Y):
    worst = 0.0
    for i in range(X.shape[0]):
        nearest = np.inf
        for j in range(Y.shape[0]):
            d = 0.0
            for k in range(X.shape[1]):
                d += (X[i, k] - Y[j, k]) * (X[i, k] - Y[j, k])
            if d < nearest:
                nearest = d
            if nearest <= worst:
                break
        if nearest > worst:
            worst = nearest
    return worst


@case(one)
def wasserstein_1d(u, v):
    u = np.sort(u)
    v = np.sort(v)
    total = 0.0
    for a, b in zip(u, v):
        total += abs(a - b)
    return total / max(len(u), 1)


@case(lambda n, r: (r.random((n, 2)), r.integers(0, n + 1, (n, 2)), 0.1, 3))
def layout_epoch(embedding, edges, alpha, epochs):
    n, dim = embedding.shape
    for epoch in range(epochs):
        for e in range(edges.shape[0]):
            j, k = edges[e, 0] % n, edges[e, 1] % n
            d2 = rdist(embedding[j], embedding[k])
            if d2 > 0.0:
                coeff = -2.0 / (1.0 + d2)
            else:
                coeff = 0.0
            for d in range(dim):
                g = min(max(coeff * (embedding[j, d] - embedding[k, d]), -4.0), 4.0)
                embedding[j, d] += g * alpha
                embedding[k, d] -= g * alpha
        alpha = 0.1 * (1.0 - epoch / epochs)
    return embedding
