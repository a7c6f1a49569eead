"""Functions whose names hold several numbers, integers and floats among them."""

from __future__ import annotations


def turned_into_integers(x, a, out):
    for i in range(len(x)):
        v = x[i]
        if v < -1:
            continue
        v = int(v * 3)
        v = v % 7
        out[i] = v


def used_behind_the_loop(x, a, out):
    v = -1
    for i in range(len(x)):
        v = a[i]
        if v > 5:
            break
        v = x[i] * 0.25
        out[i] = v
    return v


def beside_python(x, a, out):
    said = {}
    v = 0.5
    for i in range(len(x)):
        said[str(i)] = i
        v = a[i]
        for j in range(i):
            out[j] += v
        v = v * 0.5
        for j in range(i):
            v = a[j] + 1
            out[j] -= v
            v = v * x[i]
        said["last"] = v
    return said, v


def returned_beside_python(x, a, out):
    said = {}
    v = 0
    for i in range(len(x)):
        said[str(i)] = i
        v = x[i] + v
        k = 0
        while k < 3:
            k += 1
            if k * v > 4:
                return said, v
            out[i] = k
        v = a[i]
        v = v * 0.5
    return said, v


def of_another_round(x, a, out):
    v = 0
    for i in range(len(x)):
        out[i] = v
        if a[i] > 2:
            v = a[i]
            out[i] += v
            v = v * 0.5
        else:
            v = x[i]
            while v > 1:
                v = v / 2
    return v


def left_in_the_else(x, a, out):
    for i in range(len(x)):
        v = a[i]
        for j in range(i):
            if x[j] > 1:
                break
            v = x[j]
        else:
            v = v + 1
        out[i] = v


def value(x, a, out):
    for i in range(len(x)):
        value = a[i]
        out[i] = value
        value = value * 0.25
        out[i] += value


def of_either_type(x, a, out):
    most = 0.0
    for i in range(len(x)):
        if a[i] > most:
            most = a[i]
        out[i] = most
        if x[i] > most:
            most = x[i]
    return most


def begun_with_an_integer(x, a, out):
    best = a[len(a) // 2] if len(a) else 0
    for i in range(len(x)):
        if x[i] > best:
            best = x[i]
    return best


def in_a_list(x, a, out):
    given = []
    for i in range(len(x)):
        given.append(a[i])
        given.append(x[i])
    return given


def chosen(x, a, out):
    some = 0
    for i in range(len(x)):
        some = a[i] if x[i] > 0 else x[i]
        out[i] = some + max(a[i], x[i])
    return some


def summed(x, a, out):
    s = 0
    for i in range(len(x)):
        s += a[i]
        out[i] = s
        s += 0.5
    return s


def behind_what_was_stored(x, a, out):
    t = 0.0
    for i in range(len(x)):
        out[i] += 1
        x[i] = x[i] * 2
        t = a[i] if a[i] > 3 else 0.5
    return t


def largest_of_both(x, a, out):
    best = 0.0
    for i in range(len(x)):
        out[i] = out[i] * 2 + 1
        best = max(best, a[i], x[i])
        x[i] += best
    return best


FUNCTIONS = (
    *(behind_what_was_stored, largest_of_both),
    *(turned_into_integers, used_behind_the_loop, beside_python),
    *(returned_beside_python, of_another_round, left_in_the_else, value),
    *(of_either_type, begun_with_an_integer, in_a_list, chosen, summed),
)
