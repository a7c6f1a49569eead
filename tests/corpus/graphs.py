"""Graphs in arrays: searches, shortest paths, ranks, unions."""

import numpy as np

from corpus import case


def links(n, r):
    degree = r.integers(0, 3, n)
    indptr = np.zeros(n + 1, dtype=np.int64)
    indptr[1:] = np.cumsum(degree)
    return indptr, r.integers(0, max(n, 1), int(degree.sum()))


def weights(n, r):
    w = 1 + 9 * r.random((n, n))
    w[r.random((n, n)) < 0.3] = np.inf
    return w


def find_root(parent, x):
    root = x
    while parent[root] != root:
        root = parent[root]
    return root


@case(links)
def bfs(indptr, neighbours):
    n = len(indptr) - 1
    dist = np.full(n, -1, dtype=np.int64)
    if n == 0:
        return dist
    queue = np.empty(n, dtype=np.int64)
    head, tail = 0, 1
    queue[0] = 0
    dist[0] = 0
    while head < tail:
        u = queue[head]
        head += 1
        for k in range(indptr[u], indptr[u + 1]):
            v = neighbours[k]
            if dist[v] < 0:
                dist[v] = dist[u] + 1
                queue[tail] = v
                tail += 1
    return dist


@case(lambda n, r: (weights(n, r), 0))
def dijkstra_dense(w, source):
    n = w.shape[0]
    dist = np.full(n, np.inf)
    done = np.zeros(n, dtype=np.bool_)
    if n == 0:
        return dist
    dist[source] = 0.0
    for _ in range(n):
        u = -1
        best = np.inf
        for i in range(n):
            if not done[i] and dist[i] < best:
                best = dist[i]
                u = i
        if u < 0:
            break
        done[u] = True
        for v in range(n):
            alt = dist[u] + w[u, v]
            if alt < dist[v]:
                dist[v] = alt
    return dist


@case(lambda n, r: (weights(n, r),))
def floyd_warshall(d):
    n = d.shape[0]
    for k in range(n):
        for i in range(n):
            for j in range(n):
                if d[i, k] + d[k, j] < d[i, j]:
                    d[i, j] = d[i, k] + d[k, j]
    return d


@case(lambda n, r: (r.integers(0, n + 1, 2 * n), r.integers(0, n + 1, 2 * n), n + 1))
def union_find(a, b, n):
    parent = np.arange(n)
    size = np.ones(n, dtype=np.int64)
    for k in range(len(a)):
        x = find_root(parent, a[k])
        y = find_root(parent, b[k])
        if x != y:
            if size[x] < size[y]:
                x, y = y, x
            parent[y] = x
            size[x] += size[y]
    return parent, size


@case(
    lambda n, r: (
        r.integers(0, n + 1, 2 * n),
        r.integers(0, n + 1, 2 * n),
        r.random(2 * n),
        n + 1,
    )
)
def bellman_ford(src, dst, w, n):
    dist = np.full(n, np.inf)
    dist[0] = 0.0
    for step in range(n - 1):
        changed = False
        for e in range(len(src)):
            d = dist[src[e]] + w[e]
            if d < dist[dst[e]]:
                dist[dst[e]] = d
                changed = True
        if not changed:
            break
    return dist


@case(lambda n, r: (*links(n, r), 0.85, 10))
def pagerank(indptr, targets, damping, iterations):
    n = indptr.shape[0] - 1
    rank = np.full(n, 1.0 / max(n, 1))
    for it in range(iterations):
        new = np.full(n, (1.0 - damping) / max(n, 1))
        for u in range(n):
            out = indptr[u + 1] - indptr[u]
            if out == 0:
                for v in range(n):
                    new[v] += damping * rank[u] / n
            else:
                share = damping * rank[u] / out
                for k in range(indptr[u], indptr[u + 1]):
                    new[targets[k]] += share
        rank = new
    return rank


@case(lambda n, r: (r.random((n, n)) < 0.4,))
def count_triangles(adj):
    n = adj.shape[0]
    count = 0
    for i in range(n):
        for j in range(i + 1, n):
            if not adj[i, j]:
                continue
            for k in range(j + 1, n):
                if adj[i, k] and adj[j, k]:
                    count += 1
    return count


@case(lambda n, r: (weights(n, r),))
def prim(w):
    n = w.shape[0]
    inside = np.zeros(n, dtype=np.bool_)
    key = np.full(n, np.inf)
    parent = np.full(n, -1)
    total = 0.0
    for step in range(n):
        u = -1
        for v in range(n):
            if not inside[v] and (u == -1 or key[v] < key[u]):
                u = v
        inside[u] = True
        if parent[u] >= 0:
            total += key[u]
        for v in range(n):
            if not inside[v] and w[u, v] < key[v]:
                key[v] = w[u, v]
                parent[v] = u
    return parent, total


@case(links)
def topological_order(indptr, targets):
    n = indptr.shape[0] - 1
    indeg = np.zeros(n, dtype=np.int64)
    for k in range(targets.shape[0]):
        indeg[targets[k]] += 1
    order = np.full(n, -1, dtype=np.int64)
    tail = 0
    for v in range(n):
        if indeg[v] == 0:
            order[tail] = v
            tail += 1
    head = 0
    while head < tail:
        u = order[head]
        head += 1
        for k in range(indptr[u], indptr[u + 1]):
            v = targets[k]
            indeg[v] -= 1
            if indeg[v] == 0:
                order[tail] = v
                tail += 1
    return order


@case(links)
def label_propagation(indptr, neighbours):
    n = len(indptr) - 1
    labels = np.arange(n)
    for sweep in range(5):
        for u in range(n):
            counts = np.zeros(n, dtype=np.int64)
            for v in neighbours[indptr[u] : indptr[u + 1]]:
                counts[labels[v]] += 1
            if indptr[u + 1] > indptr[u]:
                labels[u] = np.argmax(counts)
    return labels


@case(lambda n, r: (*links(n, r), r.random(n)))
def random_walk(indptr, neighbours, uniforms):
    steps = len(uniforms)
    walk = np.zeros(steps + 1, dtype=np.int64)
    for t in range(steps):
        u = walk[t]
        deg = indptr[u + 1] - indptr[u]
        if deg == 0:
            walk[t + 1 :] = u
            return walk
        walk[t + 1] = neighbours[indptr[u] + int(uniforms[t] * deg)]
    return walk


@case(lambda n, r: (r.integers(1, 9, n), r.integers(1, 20, n), 15))
def knapsack(weight, value, capacity):
    best = np.zeros(capacity + 1, dtype=np.int64)
    for i in range(len(weight)):
        for c in range(capacity, weight[i] - 1, -1):
            best[c] = max(best[c], best[c - weight[i]] + value[i])
    return best[capacity]


@case(lambda n, r: (r.integers(1, 9, n + 1),))
def matrix_chain(dims):
    n = len(dims) - 1
    cost = np.zeros((n, n), dtype=np.int64)
    for length in range(2, n + 1):
        for i in range(n - length + 1):
            j = i + length - 1
            cost[i, j] = 2**62
            for k in range(i, j):
                c = cost[i, k] + cost[k + 1, j] + dims[i] * dims[k + 1] * dims[j + 1]
                if c < cost[i, j]:
                    cost[i, j] = c
    return cost


def sparse(n, r):
    rows, columns = np.nonzero(r.random((n, n)) < 0.2)
    counts = np.bincount(rows, minlength=n)
    return np.concatenate([[0], np.cumsum(counts)]), columns


@case(lambda n, r: (*sparse(max(n, 1), r), 0))
def depth_first_order(starts, ends, root: int):
    seen = np.zeros(len(starts) - 1, dtype=np.bool_)
    order = []
    stack = [root]
    while stack:
        node = stack.pop()
        if seen[node]:
            continue
        seen[node] = True
        order.append(node)
        for e in range(starts[node], starts[node + 1]):
            if not seen[ends[e]]:
                stack.append(ends[e])
    return order
