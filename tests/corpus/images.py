"""Pictures: histograms, filters, sampling, thinning."""

import numpy as np

from corpus import case


def grey(n, r):
    return (r.integers(0, 256, (n, n + 1)).astype(np.uint8),)


def smooth(n, r):
    return (r.random((n, n + 2)),)


def binary(n, r):
    return ((r.random((n + 2, n + 2)) < 0.6).astype(np.uint8),)


@case(grey)
def histogram(image):
    bins = np.zeros(256, dtype=np.int64)
    height, width = image.shape
    for y in range(height):
        for x in range(width):
            bins[image[y, x]] += 1
    return bins


@case(lambda n, r: (r.integers(0, 9, 256),))
def otsu(hist):
    total = 0
    weighted = 0
    for i in range(256):
        total += hist[i]
        weighted += i * hist[i]
    best, threshold = -1.0, 0
    w0 = 0
    s0 = 0
    for t in range(256):
        w0 += hist[t]
        if w0 == 0:
            continue
        w1 = total - w0
        if w1 == 0:
            break
        s0 += t * hist[t]
        m0 = s0 / w0
        m1 = (weighted - s0) / w1
        between = w0 * w1 * (m0 - m1) ** 2
        if between > best:
            best = between
            threshold = t
    return threshold


@case(smooth)
def integral_image(image):
    h, w = image.shape
    out = np.zeros((h + 1, w + 1))
    for y in range(h):
        row = 0.0
        for x in range(w):
            row += image[y, x]
            out[y + 1, x + 1] = out[y, x + 1] + row
    return out


@case(lambda n, r: (*smooth(n, r), 1))
def box_blur(image, radius):
    h, w = image.shape
    out = np.empty_like(image)
    for y in range(h):
        for x in range(w):
            total = 0.0
            count = 0
            for dy in range(-radius, radius + 1):
                for dx in range(-radius, radius + 1):
                    yy = y + dy
                    xx = x + dx
                    if 0 <= yy < h and 0 <= xx < w:
                        total += image[yy, xx]
                        count += 1
            out[y, x] = total / count
    return out


@case(smooth)
def sobel(image):
    h, w = image.shape
    out = np.zeros((h, w))
    for i in range(1, h - 1):
        for j in range(1, w - 1):
            gx = (
                image[i - 1, j + 1]
                + 2 * image[i, j + 1]
                + image[i + 1, j + 1]
                - image[i - 1, j - 1]
                - 2 * image[i, j - 1]
                - image[i + 1, j - 1]
            )
            gy = (
                image[i + 1, j - 1]
                + 2 * image[i + 1, j]
                + image[i + 1, j + 1]
                - image[i - 1, j - 1]
                - 2 * image[i - 1, j]
                - image[i - 1, j + 1]
            )
            out[i, j] = np.sqrt(gx * gx + gy * gy)
    return out


@case(smooth)
def median3(image):
    h, w = image.shape
    out = image.copy()
    window = np.empty(9)
    for y in range(1, h - 1):
        for x in range(1, w - 1):
            k = 0
            for dy in range(-1, 2):
                for dx in range(-1, 2):
                    window[k] = image[y + dy, x + dx]
                    k += 1
            for a in range(1, 9):
                v = window[a]
                b = a
                while b > 0 and window[b - 1] > v:
                    window[b] = window[b - 1]
                    b -= 1
                window[b] = v
            out[y, x] = window[4]
    return out


@case(lambda n, r: (r.random((n + 2, n + 2)), n * r.random((n, 2))))
def bilinear(image, points):
    h, w = image.shape
    out = np.zeros(points.shape[0])
    for k in range(points.shape[0]):
        y, x = points[k, 0], points[k, 1]
        y0 = int(np.floor(y))
        x0 = int(np.floor(x))
        if y0 < 0 or x0 < 0 or y0 + 1 >= h or x0 + 1 >= w:
            continue
        fy = y - y0
        fx = x - x0
        top = image[y0, x0] * (1 - fx) + image[y0, x0 + 1] * fx
        low = image[y0 + 1, x0] * (1 - fx) + image[y0 + 1, x0 + 1] * fx
        out[k] = top * (1 - fy) + low * fy
    return out


@case(lambda n, r: (r.random((n, n)), 2))
def downsample(image, factor):
    h, w = image.shape[0] // factor, image.shape[1] // factor
    out = np.zeros((h, w))
    for i in range(h):
        for j in range(w):
            out[i, j] = np.mean(
                image[i * factor : (i + 1) * factor, j * factor : (j + 1) * factor]
            )
    return out


@case(lambda n, r: (r.integers(0, 256, (n, n, 3)).astype(np.uint8),))
def to_grey(rgb):
    out = np.empty(rgb.shape[:2], dtype=np.uint8)
    for i in range(rgb.shape[0]):
        for j in range(rgb.shape[1]):
            r, g, b = rgb[i, j]
            out[i, j] = int(0.299 * r + 0.587 * g + 0.114 * b)
    return out


@case(binary)
def erode(mask):
    h, w = mask.shape
    out = np.zeros_like(mask)
    for i in range(1, h - 1):
        for j in range(1, w - 1):
            keep = 1
            for di in (-1, 0, 1):
                for dj in (-1, 0, 1):
                    if mask[i + di, j + dj] == 0:
                        keep = 0
            out[i, j] = keep
    return out


@case(binary)
def zhang_suen_marks(img):
    h, w = img.shape
    marks = np.zeros((h, w), dtype=np.uint8)
    for y in range(1, h - 1):
        for x in range(1, w - 1):
            if img[y, x] == 0:
                continue
            p2, p3, p4 = img[y - 1, x], img[y - 1, x + 1], img[y, x + 1]
            p5, p6, p7 = img[y + 1, x + 1], img[y + 1, x], img[y + 1, x - 1]
            p8, p9 = img[y, x - 1], img[y - 1, x - 1]
            turns = 0
            if p2 == 0 and p3 == 1:
                turns += 1
            if p3 == 0 and p4 == 1:
                turns += 1
            if p4 == 0 and p5 == 1:
                turns += 1
            if p5 == 0 and p6 == 1:
                turns += 1
            if p6 == 0 and p7 == 1:
                turns += 1
            if p7 == 0 and p8 == 1:
                turns += 1
            if p8 == 0 and p9 == 1:
                turns += 1
            if p9 == 0 and p2 == 1:
                turns += 1
            around = int(p2) + p3 + p4 + p5 + p6 + p7 + p8 + p9
            if 2 <= around <= 6 and turns == 1 and p2 * p4 * p6 == 0:
                marks[y, x] = 1
    return marks


@case(lambda n, r: (r.random((n, n)), r.random((n, n))))
def ssim_terms(a, b):
    n = a.size
    ma = mb = 0.0
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            ma += a[i, j]
            mb += b[i, j]
    ma /= n
    mb /= n
    va = vb = cov = 0.0
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            va += (a[i, j] - ma) ** 2
            vb += (b[i, j] - mb) ** 2
            cov += (a[i, j] - ma) * (b[i, j] - mb)
    return va / n, vb / n, cov / n


@case(lambda n, r: (r.random((n, n)), np.array([[0, 7], [3, 5]]) / 15.0))
def dither(image, weights):
    img = image.copy()
    out = np.zeros(img.shape, dtype=np.uint8)
    h, w = img.shape
    for y in range(h):
        for x in range(w):
            old = img[y, x]
            new = 1.0 if old > 0.5 else 0.0
            out[y, x] = 255 * int(new)
            err = old - new
            if x + 1 < w:
                img[y, x + 1] += err * weights[0, 1]
            if y + 1 < h:
                if x > 0:
                    img[y + 1, x - 1] += err * weights[1, 0]
                img[y + 1, x] += err * weights[1, 1]
    return out
