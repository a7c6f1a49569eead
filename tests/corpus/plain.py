"""Loops on lists of numbers of Python, and lists of lists, without NumPy."""

import math

from corpus import case


@case(lambda n, r: (3 * n + 1,))
def primes(n):
    prime = [True] * (n + 1)
    for i in range(2, n + 1):
        if prime[i]:
            for j in range(i * i, n + 1, i):
                prime[j] = False
    return [i for i in range(2, n + 1) if prime[i]]


@case(lambda n, r: (r.integers(0, 3, n).tolist(), r.integers(0, 3, n + 2).tolist()))
def edits(a, b):
    cost = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in range(len(a) + 1):
        cost[i][0] = i
    for j in range(len(b) + 1):
        cost[0][j] = j
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            change = cost[i - 1][j - 1] + (a[i - 1] != b[j - 1])
            cost[i][j] = min(cost[i - 1][j] + 1, cost[i][j - 1] + 1, change)
    return cost[-1][-1]


@case(lambda n, r: (r.integers(1, 9, n).tolist(), r.random(n).tolist(), 2 * n))
def packed(weights, values, room):
    best = [0.0] * (room + 1)
    for i in range(len(weights)):
        for c in range(room, weights[i] - 1, -1):
            best[c] = max(best[c], best[c - weights[i]] + values[i])
    return best[room]


@case(lambda n, r: (r.integers(1, 50, (n, n)).tolist(),))
def shortest_paths(d):
    n = len(d)
    for k in range(n):
        for i in range(n):
            for j in range(n):
                if d[i][k] + d[k][j] < d[i][j]:
                    d[i][j] = d[i][k] + d[k][j]
    return d


@case(lambda n, r: (r.normal(size=n).tolist(),))
def bubble_sorted(a):
    for i in range(len(a)):
        for j in range(len(a) - 1 - i):
            if a[j] > a[j + 1]:
                a[j], a[j + 1] = a[j + 1], a[j]
    return a


@case(lambda n, r: ([*map(tuple, r.random((n, 2)).tolist())], 0.25, 0.75))
def nearest_point(points, x, y):
    best, at = math.inf, -1
    for i, (px, py) in enumerate(points):
        d = math.hypot(px - x, py - y)
        if d < best:
            best, at = d, i
    return best, at


def attacked(columns, row, column):
    for k in range(row):
        if columns[k] == column or abs(columns[k] - column) == row - k:
            return True
    return False


@case(lambda n, r: (min(n, 6),))
def queens(n):
    columns = [-1] * (n + 1)
    found = row = 0
    while row >= 0:
        columns[row] += 1
        while columns[row] < n and attacked(columns, row, columns[row]):
            columns[row] += 1
        if columns[row] >= n:
            row -= 1
        elif row == n - 1:
            found += 1
        else:
            row += 1
            columns[row] = -1
    return found


@case(lambda n, r: (r.integers(0, 2, (n + 1, n + 3)).tolist(),))
def life(cells):
    n, m = len(cells), len(cells[0])
    new = [[0] * m for _ in range(n)]
    for i in range(n):
        for j in range(m):
            around = 0
            for di in (-1, 0, 1):
                for dj in (-1, 0, 1):
                    if di != 0 or dj != 0:
                        around += cells[(i + di) % n][(j + dj) % m]
            new[i][j] = 1 if around == 3 or (around == 2 and cells[i][j] == 1) else 0
    return new


@case(lambda n, r: (r.normal(size=n).tolist(), 2))
def smoothed(data, reach):
    out = [0.0] * len(data)
    for i in range(len(data)):
        low, high = max(0, i - reach), min(len(data), i + reach + 1)
        s = 0.0
        for j in range(low, high):
            s += data[j]
        out[i] = s / (high - low)
    return out


@case(lambda n, r: (r.integers(0, 3, n).tolist(), r.integers(0, 3, n + 2).tolist()))
def edits_in_two_rows(a, b):
    last = [0] * (len(b) + 1)
    row = [0] * (len(b) + 1)
    for j in range(len(b) + 1):
        last[j] = j
    for i in range(1, len(a) + 1):
        row[0] = i
        for j in range(1, len(b) + 1):
            change = last[j - 1] + (a[i - 1] != b[j - 1])
            row[j] = min(last[j] + 1, row[j - 1] + 1, change)
        last, row = row, last
    return last[len(b)]


@case(lambda n, r: (r.integers(0, 9, n).tolist(), 3))
def busiest(counts, width):
    best, at = -1, 0
    for i in range(len(counts) - width + 1):
        peak = max(counts[i : i + width])
        if peak > best:
            best, at = peak, i
    return best, at


@case(lambda n, r: (r.integers(0, n + 1, n).tolist(),))
def repeated(values):
    count = 0
    for i in range(len(values)):
        if values[i] in values[:i]:
            count += 1
    return count


@case(lambda n, r: (r.integers(0, 9, (n, n)).tolist(),))
def saddle_points(rows):
    found = 0
    for i in range(len(rows)):
        low = min(rows[i])
        for j in range(len(rows[i])):
            highest = rows[i][j] == low
            for k in range(len(rows)):
                if rows[k][j] > low:
                    highest = False
            found += highest
    return found


@case(lambda n, r: (r.integers(0, 4, n).tolist(), r.integers(0, 4, n + 1).tolist()))
def longest_common(a, b):
    last = [0] * (len(b) + 1)
    for x in a:
        row = [0] * (len(b) + 1)
        for j, y in enumerate(b):
            row[j + 1] = last[j] + 1 if x == y else max(last[j + 1], row[j])
        last = row
    return last[-1]


@case(lambda n, r: (r.random(n).tolist(), 5))
def warmed(rod, steps):
    for _ in range(steps):
        new = rod[:]
        for i in range(1, len(rod) - 1):
            new[i] = rod[i] + 0.1 * (rod[i - 1] - 2 * rod[i] + rod[i + 1])
        rod = new
    return rod


@case(lambda n, r: (r.integers(0, 2, n + 3).tolist(), n))
def thirtieth_rule(cells, steps):
    n = len(cells)
    alive = 0
    for _ in range(steps):
        following = [0] * n
        for i in range(n):
            following[i] = cells[i - 1] ^ (cells[i] | cells[(i + 1) % n])
        cells = following
        alive += cells[n // 2]
    return alive, cells


@case(lambda n, r: (n,))
def binomials(n):
    rows = []
    for i in range(n):
        row = [1] * (i + 1)
        for j in range(1, i):
            row[j] = rows[i - 1][j - 1] + rows[i - 1][j]
        rows.append(row)
    return rows


@case(lambda n, r: (r.random((n, 3)).tolist(), r.random((3, n + 2)).tolist()))
def product_of_lists(a, b):
    rows = []
    for i in range(len(a)):
        row = []
        for j in range(len(b[0])):
            total = 0.0
            for k in range(3):
                total += a[i][k] * b[k][j]
            row.append(total)
        rows.append(row)
    return rows


@case(lambda n, r: (r.random(n).tolist(), r.random(n).tolist(), 0.3))
def neighbours_within(x, y, reach):
    near = []
    for i in range(len(x)):
        found = []
        for j in range(len(x)):
            if i != j and (x[i] - x[j]) ** 2 + (y[i] - y[j]) ** 2 < reach * reach:
                found.append(j)
        near.append(found)
    return near


@case(lambda n, r: (r.random((n, 4)).tolist(),))
def normalised(rows):
    least = [min(column) for column in zip(*rows, strict=True)]
    width = [max(column) - min(column) for column in zip(*rows, strict=True)]
    return [[(v - a) / w for v, a, w in zip(row, least, width)] for row in rows]


@case(lambda n, r: (r.random((n, 2)).tolist(), r.random((n + 1, 2)).tolist()))
def distances_of_points(p, q):
    return [[((a - c) ** 2 + (b - d) ** 2) ** 0.5 for c, d in q] for a, b in p]


@case(lambda n, r: (r.integers(0, 9, (n, n + 2)).tolist(), 3))
def quarter_turned(grid, times):
    n, m = len(grid), len(grid[0])
    if times % 2:
        return [[grid[n - 1 - i][j] for i in range(n)] for j in range(m)]
    return [[grid[n - 1 - i][m - 1 - j] for j in range(m)] for i in range(n)]


@case(lambda n, r: (4 * n,))
def pythagorean(n):
    return [
        (a, b, round((a * a + b * b) ** 0.5))
        for a in range(1, n)
        for b in range(a, n)
        if round((a * a + b * b) ** 0.5) ** 2 == a * a + b * b
    ]
