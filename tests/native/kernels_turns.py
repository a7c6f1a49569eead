"""Functions whose loops give names to other arrays, or to other parts of them."""

from __future__ import annotations

import numpy as np


def begins_elsewhere_later(x):
    at = 0
    for _ in range(2):
        part = x[at : at + 1]
        at = at + 1
        part[:] = 7.0
    return x


def in_pieces(x):
    at, out = 0, []
    while at < len(x):
        part = x[at : at + 2]
        at += 2
        out.append(part.sum())
    return out


def between_ends(x):
    ends = np.arange(0, len(x) + 1, 2)
    a, s = 0, 0.0
    for i in range(len(ends)):
        b = ends[i]
        part = x[a:b]
        a = b
        s += part.sum() + len(part)
    return s


def ends_elsewhere_later(x):
    b, s = 1, 0.0
    for _ in range(len(x)):
        part = x[:b]
        b = b + 1
        for q in part:
            s += q
    return s


def part_of_a_part(x):
    a, s = 0, 0.0
    rest = x[1:]
    for _ in range(3):
        part = rest[a:]
        a = a + 1
        s = s * 3 + len(part)
        for j in range(len(part)):
            part[j] += s
    return s


def columns_in_turn(x):
    A = np.outer(x, x + 1)
    a = 0
    for _ in range(min(len(x), 3)):
        column = A[:, a]
        a = a + 1
        for j in range(len(column)):
            column[j] = a
    return A


def bisected(x):
    lo, hi, s = 0, len(x), 0
    while hi - lo > 1:
        mid = (lo + hi) // 2
        below = x[lo:mid]
        above = x[mid:hi]
        if below.sum() < above.sum():
            hi = mid
        else:
            lo = mid
        s += len(below) * 10 + len(above)
    return s


def from_the_last(x):
    lo = 0
    for hi in range(len(x)):
        part = x[lo:hi]
        if len(part) > 3:
            lo = hi
            x[hi] += len(part)
            part[0] = part[-1]
    return x


def bounds_of_data_change(x):
    s = np.arange(len(x))
    for i in range(len(x)):
        part = x[s[i] :]
        s[i] = len(x)
        print(end="")
        for j in range(len(part)):
            part[j] += 1
    return x


def bounds_change_beside_python(x):
    a = 0
    for _ in range(2):
        part = x[a:]
        a = a + 1
        print(end="")
        for j in range(len(part)):
            part[j] += 1
    return x


def renewed_beside_python(y):
    for _ in range(2):
        y = y * 2
        print(end="")
        for i in range(len(y)):
            y[i] += 5.0
    return y


def renewed_and_filled(y):
    k = 0
    while k < 2:
        y = -y
        print(end="")
        y[:] = 5
        k += 1
    return y


def made_of_each_other(x):
    y = np.zeros(len(x))
    for _ in range(2):
        x = x + y
        y = x - y
        for i in range(len(y)):
            y[i] = 5.0
    return x, y


def of_another_type(x):
    z = x > 1
    for k in range(3):
        z = z * 2
        for i in range(len(z)):
            z[i] += k
    return z


def named_and_cut(x):
    for _ in range(1):
        w = x
        w = w[1:]
        for j in range(len(w)):
            w[j] = 5.0
    return x


def named_and_cut_twice(x):
    k, s = 0, 0.0
    while k < 2:
        w = x
        w = w[1:]
        w = w[::2]
        w[:] = k
        for q in w:
            s += q
        k += 1
    return x, s


def named_by_two(x):
    for _ in range(2):
        w = x
        u = w[1:]
        w = u
        for j in range(len(w)):
            w[j] += 5.0
    return x


def only_updated_behind(x):
    t = 0.0
    w = x
    for _ in range(len(x)):
        w = x[1:]
        t += w.sum()
    w *= 2.0
    return t


def updated_in_a_loop_behind(x):
    w = x
    for _ in range(len(x)):
        w = x[1:]
    for _ in range(3):
        w *= 2.0


def updated_where_it_is_new(x):
    w = x[:1]
    for _ in range(len(x)):
        w = x * 2.0
    for _ in range(3):
        w *= 2.0
    return w


def another_name_is_longer(x):
    y = x + 30
    t = 0.0
    v = y[:1]
    w = v
    for _ in range(len(x)):
        v = x[1:]
    for q in w:
        t += q
    return t, v


def another_name_is_updated(x):
    v = x[:1]
    w = v
    for _ in range(len(x)):
        v = x[1:]
        w += 2.0
    return v


FUNCTIONS = (
    *(only_updated_behind, updated_in_a_loop_behind, updated_where_it_is_new),
    *(another_name_is_longer, another_name_is_updated),
    *(begins_elsewhere_later, in_pieces, between_ends, ends_elsewhere_later),
    *(bounds_of_data_change, bounds_change_beside_python),
    *(part_of_a_part, columns_in_turn, bisected, from_the_last),
    *(renewed_beside_python, renewed_and_filled, made_of_each_other, of_another_type),
    *(named_and_cut, named_and_cut_twice, named_by_two),
)
