"""Deriche's recursive filter, which smooths an image along its rows and columns."""

import math

import numpy as np


# looptx: split n0.i 16 | vectorize n0.ii | parallel n0.i
# looptx: split n1.i 16 | vectorize n1.ii | parallel n1.i
# looptx: vectorize n2.j | parallel n2.i
# looptx: split n3.j 16 | vectorize n3.jj | parallel n3.j
# looptx: split n4.j 16 | vectorize n4.jj | parallel n4.j
# looptx: vectorize n5.j | parallel n5.i
def deriche(alpha, image, out, y1, y2):
    w, h = image.shape
    fall = math.exp(-alpha)
    k = (1.0 - fall) ** 2 / (1.0 + 2.0 * alpha * fall - math.exp(2.0 * alpha))
    a1 = np.float32(k)
    a2 = np.float32(k * fall * (alpha - 1.0))
    a3 = np.float32(k * fall * (alpha + 1.0))
    a4 = np.float32(-k * fall * fall)
    b1 = np.float32(2.0**-alpha)
    b2 = np.float32(-fall * fall)
    for i in range(w):
        ym1 = ym2 = xm1 = np.float32(0.0)
        for j in range(h):
            y1[i, j] = a1 * image[i, j] + a2 * xm1 + b1 * ym1 + b2 * ym2
            xm1 = image[i, j]
            ym2 = ym1
            ym1 = y1[i, j]
    for i in range(w):
        yp1 = yp2 = xp1 = xp2 = np.float32(0.0)
        for j in range(h - 1, -1, -1):
            y2[i, j] = a3 * xp1 + a4 * xp2 + b1 * yp1 + b2 * yp2
            xp2 = xp1
            xp1 = image[i, j]
            yp2 = yp1
            yp1 = y2[i, j]
    for i in range(w):
        for j in range(h):
            out[i, j] = y1[i, j] + y2[i, j]
    for j in range(h):
        tm1 = ym1 = ym2 = np.float32(0.0)
        for i in range(w):
            y1[i, j] = a1 * out[i, j] + a2 * tm1 + b1 * ym1 + b2 * ym2
            tm1 = out[i, j]
            ym2 = ym1
            ym1 = y1[i, j]
    for j in range(h):
        tp1 = tp2 = yp1 = yp2 = np.float32(0.0)
        for i in range(w - 1, -1, -1):
            y2[i, j] = a3 * tp1 + a4 * tp2 + b1 * yp1 + b2 * yp2
            tp2 = tp1
            tp1 = out[i, j]
            yp2 = yp1
            yp1 = y2[i, j]
    for i in range(w):
        for j in range(h):
            out[i, j] = y1[i, j] + y2[i, j]
