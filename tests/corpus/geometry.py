"""Geometry: polygons, hulls, pairs, tessellations, rays."""

import math

import numpy as np

from corpus import case


def points(n, r):
    return (r.random((n, 2)),)


def cross(o, a, b):
    return (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0])


def haversine(lat1, lon1, lat2, lon2):
    a = (
        math.sin((lat2 - lat1) / 2) ** 2
        + math.cos(lat1) * math.cos(lat2) * math.sin((lon2 - lon1) / 2) ** 2
    )
    return 2 * 6371.0 * math.asin(math.sqrt(a))


@case(lambda n, r: (*points(n, r), r.random((5, 2))))
def points_in_polygon(polygon, queries):
    inside = np.zeros(len(queries), dtype=np.bool_)
    n = len(polygon)
    for q in range(len(queries)):
        x, y = queries[q, 0], queries[q, 1]
        j = n - 1
        result = False
        for i in range(n):
            if (polygon[i, 1] > y) != (polygon[j, 1] > y):
                slope = (polygon[j, 0] - polygon[i, 0]) / (
                    polygon[j, 1] - polygon[i, 1]
                )
                if x < slope * (y - polygon[i, 1]) + polygon[i, 0]:
                    result = not result
            j = i
        inside[q] = result
    return inside


@case(points)
def polygon_area(p):
    area = 0.0
    n = p.shape[0]
    for i in range(n):
        j = (i + 1) % n
        area += p[i, 0] * p[j, 1] - p[j, 0] * p[i, 1]
    return abs(area) / 2.0


@case(lambda n, r: (np.sort(r.random((n, 2)), axis=0),))
def lower_hull(p):
    n = len(p)
    hull = np.zeros(n, dtype=np.int64)
    k = 0
    for i in range(n):
        while k >= 2 and cross(p[hull[k - 2]], p[hull[k - 1]], p[i]) <= 0:
            k -= 1
        hull[k] = i
        k += 1
    return hull[:k]


@case(points)
def gift_wrapping(p):
    n = p.shape[0]
    out = np.full(n, -1, dtype=np.int64)
    if n < 3:
        return out
    start = 0
    for i in range(1, n):
        if p[i, 0] < p[start, 0]:
            start = i
    current = start
    count = 0
    while True:
        out[count] = current
        count += 1
        candidate = (current + 1) % n
        for i in range(n):
            turn = (p[candidate, 0] - p[current, 0]) * (p[i, 1] - p[current, 1]) - (
                p[candidate, 1] - p[current, 1]
            ) * (p[i, 0] - p[current, 0])
            if turn < 0:
                candidate = i
        current = candidate
        if current == start or count >= n:
            break
    return out


@case(lambda n, r: (r.random((n, 2)), r.random((3, 2))))
def voronoi_labels(grid, seeds):
    labels = np.empty(grid.shape[0], dtype=np.int32)
    for i in range(grid.shape[0]):
        nearest = -1
        best = np.inf
        for s in range(seeds.shape[0]):
            d = (grid[i, 0] - seeds[s, 0]) ** 2 + (grid[i, 1] - seeds[s, 1]) ** 2
            if d < best:
                best = d
                nearest = s
        labels[i] = nearest
    return labels


@case(points)
def closest_pair(p):
    best = np.inf
    pair = (-1, -1)
    for i in range(len(p)):
        for j in range(i + 1, len(p)):
            d = math.hypot(p[i, 0] - p[j, 0], p[i, 1] - p[j, 1])
            if d < best:
                best = d
                pair = (i, j)
    return best, pair


@case(lambda n, r: (r.random(n), r.random(n), r.random(n + 1), r.random(n + 1)))
def haversine_matrix(lat1, lon1, lat2, lon2):
    out = np.empty((len(lat1), len(lat2)))
    for i in range(len(lat1)):
        for j in range(len(lat2)):
            out[i, j] = haversine(lat1[i], lon1[i], lat2[j], lon2[j])
    return out


@case(
    lambda n, r: (
        r.random((n, 3, 3)),
        np.array([0.4, 0.4, -1.0]),
        np.array([0.0, 0.1, 1.0]),
    )
)
def ray_triangles(tris, origin, direction):
    nearest = np.inf
    hit = -1
    for t in range(tris.shape[0]):
        e1 = tris[t, 1] - tris[t, 0]
        e2 = tris[t, 2] - tris[t, 0]
        px = direction[1] * e2[2] - direction[2] * e2[1]
        py = direction[2] * e2[0] - direction[0] * e2[2]
        pz = direction[0] * e2[1] - direction[1] * e2[0]
        det = e1[0] * px + e1[1] * py + e1[2] * pz
        if abs(det) < 1e-9:
            continue
        tv = origin - tris[t, 0]
        u = (tv[0] * px + tv[1] * py + tv[2] * pz) / det
        if u < 0 or u > 1:
            continue
        if u < nearest:
            nearest = u
            hit = t
    return hit


@case(lambda n, r: (r.random((n, 4)), r.random((n, 4))))
def box_overlaps(a, b):
    n, m = a.shape[0], b.shape[0]
    iou = np.zeros((n, m))
    for i in range(n):
        area_a = a[i, 2] * a[i, 3]
        for j in range(m):
            w = min(a[i, 0] + a[i, 2], b[j, 0] + b[j, 2]) - max(a[i, 0], b[j, 0])
            if w <= 0:
                continue
            h = min(a[i, 1] + a[i, 3], b[j, 1] + b[j, 3]) - max(a[i, 1], b[j, 1])
            if h <= 0:
                continue
            inter = w * h
            iou[i, j] = inter / (area_a + b[j, 2] * b[j, 3] - inter)
    return iou


@case(lambda n, r: (r.random((n, 4)), r.random(n), 0.3))
def suppress_boxes(boxes, scores, threshold):
    order = np.argsort(-scores)
    keep = np.zeros(len(boxes), dtype=np.bool_)
    dead = np.zeros(len(boxes), dtype=np.bool_)
    for a in range(len(order)):
        i = order[a]
        if dead[i]:
            continue
        keep[i] = True
        for b in range(a + 1, len(order)):
            j = order[b]
            dx = abs(boxes[i, 0] - boxes[j, 0])
            dy = abs(boxes[i, 1] - boxes[j, 1])
            if dx < threshold and dy < threshold:
                dead[j] = True
    return keep


@case(lambda n, r: (r.random((n, 3)), np.eye(3)))
def rotate_points(p, R):
    out = np.zeros(p.shape)
    for i in range(p.shape[0]):
        for a in range(3):
            for b in range(3):
                out[i, a] += R[a, b] * p[i, b]
    return out


@case(lambda n, r: (1, 2, 3 * n, 2 * n + 1))
def bresenham(x0, y0, x1, y1):
    dx = abs(x1 - x0)
    dy = -abs(y1 - y0)
    sx = 1 if x0 < x1 else -1
    sy = 1 if y0 < y1 else -1
    err = dx + dy
    out = np.zeros((dx - dy + 1, 2), dtype=np.int64)
    count = 0
    while True:
        out[count, 0] = x0
        out[count, 1] = y0
        count += 1
        if x0 == x1 and y0 == y1:
            break
        e2 = 2 * err
        if e2 >= dy:
            err += dy
            x0 += sx
        if e2 <= dx:
            err += dx
            y0 += sy
    return out[:count]


@case(points)
def hilbert_keys(p):
    keys = np.zeros(len(p), dtype=np.int64)
    for i in range(len(p)):
        x, y = int(p[i, 0] * 16), int(p[i, 1] * 16)
        d = 0
        s = 8
        while s > 0:
            rx = 1 if x & s else 0
            ry = 1 if y & s else 0
            d += s * s * ((3 * rx) ^ ry)
            if ry == 0:
                if rx == 1:
                    x = s - 1 - x
                    y = s - 1 - y
                x, y = y, x
            s //= 2
        keys[i] = d
    return keys


def turn(points, i, j, k):
    return (points[j, 0] - points[i, 0]) * (points[k, 1] - points[i, 1]) - (
        points[j, 1] - points[i, 1]
    ) * (points[k, 0] - points[i, 0])


@case(lambda n, r: (np.sort(r.standard_normal((n, 2)), axis=0),))
def hull_below(points):
    hull = []
    for k in range(len(points)):
        while len(hull) >= 2 and turn(points, hull[-2], hull[-1], k) <= 0:
            hull.pop()
        hull.append(k)
    return np.array(hull, dtype=np.int64)


@case(lambda n, r: (r.random((n, 3)), r.random((n, 3))))
def directions(points, targets):
    found = np.zeros_like(points)
    for i in range(len(points)):
        size = np.linalg.norm(targets[i] - points[i])
        if not np.isclose(size, 0.0):
            found[i] = (targets[i] - points[i]) / size
    return found


@case(lambda n, r: (r.random((n, 2)) * 90, r.random((n, 2)) * 90))
def bearings(here, there):
    found = np.zeros(len(here))
    for i in range(len(here)):
        turned = np.radians(there[i, 1] - here[i, 1])
        first, second = np.radians(here[i, 0]), np.radians(there[i, 0])
        x = np.cos(first) * np.sin(second)
        x -= np.sin(first) * np.cos(second) * np.cos(turned)
        y = np.sin(turned) * np.cos(second)
        found[i] = (np.degrees(np.arctan2(y, x)) + 360.0) % 360.0
    return found
