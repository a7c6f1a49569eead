"""Components, regions, watersheds and distances on pictures."""

import numpy as np

from corpus import case


def mask(n, r):
    return r.random((n, n)) < 0.55


def find(parent, i):
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


@case(lambda n, r: (mask(n, r),))
def label_two_pass(image):
    h, w = image.shape
    labels = np.zeros((h, w), dtype=np.int64)
    parent = np.arange(h * w + 1)
    count = 0
    for y in range(h):
        for x in range(w):
            if not image[y, x]:
                continue
            up = labels[y - 1, x] if y > 0 else 0
            left = labels[y, x - 1] if x > 0 else 0
            if up == 0 and left == 0:
                count += 1
                labels[y, x] = count
            elif up == 0:
                labels[y, x] = left
            elif left == 0:
                labels[y, x] = up
            else:
                a = find(parent, up)
                b = find(parent, left)
                labels[y, x] = min(a, b)
                parent[max(a, b)] = min(a, b)
    for y in range(h):
        for x in range(w):
            if labels[y, x] > 0:
                labels[y, x] = find(parent, labels[y, x])
    return labels


@case(lambda n, r: (mask(n, r), n // 2, n // 2))
def flood_fill(image, sy, sx):
    h, w = image.shape
    seen = np.zeros((h, w), dtype=np.bool_)
    if h == 0 or w == 0:
        return seen
    stack = np.empty((4 * h * w + 4, 2), dtype=np.int64)
    stack[0] = sy, sx
    top = 1
    while top > 0:
        top -= 1
        y, x = stack[top]
        if y < 0 or x < 0 or y >= h or x >= w:
            continue
        if seen[y, x] or not image[y, x]:
            continue
        seen[y, x] = True
        for dy, dx in ((0, 1), (1, 0), (0, -1), (-1, 0)):
            stack[top, 0] = y + dy
            stack[top, 1] = x + dx
            top += 1
    return seen


@case(lambda n, r: (r.integers(0, 4, (n, n)), 4))
def region_properties(labels, count):
    area = np.zeros(count, dtype=np.int64)
    cy = np.zeros(count)
    cx = np.zeros(count)
    box = np.zeros((count, 4), dtype=np.int64)
    box[:, 0] = labels.shape[0]
    box[:, 1] = labels.shape[1]
    for (y, x), k in np.ndenumerate(labels):
        area[k] += 1
        cy[k] += y
        cx[k] += x
        box[k, 0] = min(box[k, 0], y)
        box[k, 1] = min(box[k, 1], x)
        box[k, 2] = max(box[k, 2], y)
        box[k, 3] = max(box[k, 3], x)
    for k in range(count):
        if area[k] > 0:
            cy[k] /= area[k]
            cx[k] /= area[k]
    return area, cy, cx, box


@case(lambda n, r: (mask(n, r),))
def distance_city(image):
    h, w = image.shape
    d = np.full((h, w), h + w, dtype=np.int64)
    for i in range(h):
        for j in range(w):
            if not image[i, j]:
                d[i, j] = 0
            else:
                if i > 0:
                    d[i, j] = min(d[i, j], d[i - 1, j] + 1)
                if j > 0:
                    d[i, j] = min(d[i, j], d[i, j - 1] + 1)
    for i in range(h - 1, -1, -1):
        for j in range(w - 1, -1, -1):
            if i + 1 < h:
                d[i, j] = min(d[i, j], d[i + 1, j] + 1)
            if j + 1 < w:
                d[i, j] = min(d[i, j], d[i, j + 1] + 1)
    return d


@case(lambda n, r: (r.random(n) * 9,))
def distance_squared_1d(f):
    n = len(f)
    out = np.zeros(n)
    if n == 0:
        return out
    v = np.zeros(n, dtype=np.int64)
    z = np.zeros(n + 1)
    k = 0
    z[0] = -np.inf
    z[1] = np.inf
    for q in range(1, n):
        s = ((f[q] + q * q) - (f[v[k]] + v[k] * v[k])) / (2 * q - 2 * v[k])
        while s <= z[k]:
            k -= 1
            s = ((f[q] + q * q) - (f[v[k]] + v[k] * v[k])) / (2 * q - 2 * v[k])
        k += 1
        v[k] = q
        z[k] = s
        z[k + 1] = np.inf
    k = 0
    for q in range(n):
        while z[k + 1] < q:
            k += 1
        out[q] = (q - v[k]) ** 2 + f[v[k]]
    return out


@case(lambda n, r: (r.random((n, n)), r.integers(0, 3, (n, n))))
def watershed_step(height, labels):
    h, w = height.shape
    new = labels.copy()
    changed = False
    for y in range(h):
        for x in range(w):
            if labels[y, x] != 0:
                continue
            lowest = height[y, x]
            label = 0
            for dy in range(-1, 2):
                for dx in range(-1, 2):
                    ny, nx = y + dy, x + dx
                    if ny < 0 or nx < 0 or ny >= h or nx >= w:
                        continue
                    if labels[ny, nx] > 0 and height[ny, nx] <= lowest:
                        lowest = height[ny, nx]
                        label = labels[ny, nx]
            if label:
                new[y, x] = label
                changed = True
    return new, changed


@case(lambda n, r: (r.integers(0, 3, (n, n)),))
def boundaries(labels):
    h, w = labels.shape
    edge = np.zeros((h, w), dtype=np.bool_)
    for i in range(h):
        for j in range(w):
            here = labels[i, j]
            if i + 1 < h and labels[i + 1, j] != here:
                edge[i, j] = True
            elif j + 1 < w and labels[i, j + 1] != here:
                edge[i, j] = True
    return edge


@case(lambda n, r: (r.integers(0, 3, (n, n)), r.integers(0, 3, (n, n)), 3))
def confusion(truth, guess, classes):
    out = np.zeros((classes, classes), dtype=np.int64)
    for t, g in zip(truth.ravel(), guess.ravel()):
        out[t, g] += 1
    return out


@case(lambda n, r: (r.random((n, n)), 2))
def mean_shift_step(image, radius):
    h, w = image.shape
    out = np.zeros((h, w))
    for i in range(h):
        for j in range(w):
            top = 0.0
            weight = 0.0
            for a in range(max(i - radius, 0), min(i + radius + 1, h)):
                for b in range(max(j - radius, 0), min(j + radius + 1, w)):
                    k = np.exp(-((image[i, j] - image[a, b]) ** 2))
                    top += k * image[a, b]
                    weight += k
            out[i, j] = top / weight
    return out


@case(lambda n, r: (r.random((n + 1, n + 1)) < 0.5,))
def euler_number(image):
    quads = 0
    for i in range(image.shape[0] - 1):
        for j in range(image.shape[1] - 1):
            s = 0
            for v in (
                image[i, j],
                image[i, j + 1],
                image[i + 1, j],
                image[i + 1, j + 1],
            ):
                if v:
                    s += 1
            if s == 1:
                quads += 1
            elif s == 3:
                quads -= 1
            elif s == 2 and image[i, j] == image[i + 1, j + 1]:
                quads -= 2
    return quads / 4


@case(lambda n, r: (mask(n, r),))
def components_by_stack(image):
    h, w = image.shape
    labels = np.zeros((h, w), dtype=np.int64)
    count = 0
    for y in range(h):
        for x in range(w):
            if not image[y, x] or labels[y, x] > 0:
                continue
            count += 1
            labels[y, x] = count
            stack = [(y, x)]
            while stack:
                r, c = stack.pop()
                for dr in range(-1, 2):
                    for dc in range(-1, 2):
                        i, j = r + dr, c + dc
                        if 0 <= i < h and 0 <= j < w:
                            if image[i, j] and labels[i, j] == 0:
                                labels[i, j] = count
                                stack.append((i, j))
    return labels, count


@case(lambda n, r: (r.permutation(n), r.integers(0, max(n, 1), 2 * n)))
def relabelled(names, labels):
    found = np.zeros(len(labels), dtype=np.int64)
    moved = 0
    for i in range(len(labels)):
        found[i] = np.flatnonzero(names == labels[i])[0]
        moved += names[found[i]] != i
    return found, moved
