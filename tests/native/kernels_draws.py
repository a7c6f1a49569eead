"""Functions whose loops draw random numbers."""

from __future__ import annotations

import numpy as np
from numpy.random import rand
from numpy.random import randint as whole


def area_of_a_circle(out, p):
    inside = 0
    for _ in range(len(out)):
        x = np.random.random()
        y = np.random.rand()
        if x * x + y * y < 1.0:
            inside += 1
    return inside, np.random.random()


def normals(out, p):
    for i in range(len(out)):
        out[i] = np.random.randn() + np.random.normal(1.0, p)
        if np.random.random_sample() < 0.3:
            out[i] += np.random.standard_normal()
    return np.random.normal()


def leaves_the_array(out, p):
    x = 0.0
    for i in range(len(out)):
        x = np.random.random()
        out[int(x * p * 6)] += x
        out[i] += np.random.randn()
    return x


def divides(out, p):
    s = 0.0
    for i in range(len(out)):
        out[i] += np.random.ranf()
        s += 1.0 / (6 * p - i)
        out[i] += np.random.sample()
    return s


def refused_in_the_third_round(out, p):
    for i in range(len(out)):
        out[i] += np.random.normal(0.0, 2.0 - i)
        out[i] += np.random.randint(5 - i)
    return out


def too_wide(out, p):
    for i in range(len(out)):
        out[i] += np.random.random()
        out[i] += np.random.uniform(-p, p)
        out[i] += np.random.uniform(i * p, 4)
    return out


def perhaps(out, p):
    n = 0
    for i in range(len(out)):
        if (p > 0.3 and np.random.random() < p) or np.random.rand() < 0.1:
            n += 1
        out[i] = np.random.random() if n % 2 else 3
        out[i] += (np.random.random() - np.random.random()) * np.random.random()
        while np.random.random() < 0.7:
            n += 1
    return n


def chosen(out, p):
    for i in range(len(out)):
        if i % 3 == 0:
            out[i] = np.random.uniform(p, 2)
        elif np.random.randint(0, i) > 1:
            out[i] = np.random.standard_normal()
        elif np.random.uniform(0, out[i - 1] * out[i - 1]) > 0.1:
            out[i] = np.random.uniform()
        else:
            out[i] = np.random.randint(i, i + 1)


def integers(out, p):
    total = 0
    for i in range(len(out)):
        total += np.random.randint(0, 4294967295) + np.random.randint(-5, 3)
        total += np.random.randint(2**31, 2**32 + 5)
    return total


def beyond_32_bits(out, p):
    tops = 2 ** np.arange(30, 36)
    for i in range(len(out)):
        out[i] = np.random.randint(7) + np.random.randint(tops[i % 6])
    return out


def lists(out, p):
    found = []
    for i in range(len(out)):
        if np.random.rand() < p:
            found.append((i, np.random.normal()))
    return found


def in_a_loop_of_pythons(out, p):
    found = {}
    for i in range(3):
        for j in range(len(out)):
            out[j] += np.random.random()
        found[str(i)] = np.random.random()
    return found


def shuffled(out, p):
    for i in range(len(out) - 1, 0, -1):
        j = np.random.randint(i + 1)
        out[i], out[j] = out[j], out[i]


def of_pythons_types(out, p):
    x, k, z = 0.0, 0, 0.0
    for _ in range(len(out)):
        x, k, z = np.random.random(), np.random.randint(7), np.random.randn()
    return x, k, z, np.random.uniform(0, p)


def bound_in_between(out, p):
    m = len(out)
    for i in range(len(out)):
        m, out[np.random.randint(m)] = i, 1.0
    return m


def less(b):
    b[0] -= 4
    return 1


def changed_in_between(out, p):
    b = np.array([12])
    for i in range(len(out)):
        out[i] = less(b) + np.random.randint(b[0])
    return b


def turned(b):
    b[0] = -b[0]
    return 1.0


def turned_in_between(out, p):
    b = np.array([2.0])
    for i in range(len(out)):
        out[i] = turned(b) + np.random.normal(0.0, b[0])
    return b


def between_small_integers(out, p):
    low = np.array([100, -3, 2], np.int8)
    high = np.array([-128, 4, 1], np.int8)
    for i in range(len(out)):
        out[i] = np.random.randint(low[(i + 1) % 3], high[(i + 1) % 3])


def of_no_deviation(out, p):
    for i in range(len(out)):
        out[i] = np.random.normal(1.0, p)
        out[i] += np.random.normal(1.0, -p)


def drawn_elsewhere(out, p):
    def several(x):
        for k in range(len(x)):
            x[k] += np.random.random()

    for i in range(len(out)):
        several(out[i:])
    for i in range(len(out)):
        out[i] += np.random.random()


def by_their_names(out, p):
    for i in range(len(out)):
        out[i] = rand() + whole(3)


def rejected(out, p):
    for i in range(len(out)):
        while True:
            x = np.random.uniform(-1, 1)
            y = np.random.uniform(-1, 1)
            if x * x + y * y < 1.0:
                break
        out[i] = x


def taken_until(out, p):
    for i in range(len(out)):
        k = i
        while True:
            z = out[k] * 2
            k += 1
            if z > 3 or k >= len(out):
                break
        out[i] = z + np.random.random()


def noise(p, n=1, *, shift=0.0):
    found = shift + np.random.normal(scale=p, loc=shift)
    if np.random.randint(high=n + 3, low=n) == n + 1:
        return found + np.random.uniform(high=p)
    return found


def accepted(change, p):
    return change <= 0.5 or np.random.random() < np.exp(-change * p)


def moved(out, i, p):
    before = out[i]
    while np.random.rand() < 0.4:
        out[i] += noise(p)
        if out[i] > 40.0:
            raise OverflowError(i)
    return out[i] - before


def counted(n):
    k = 0
    for _ in range(np.random.randint(n)):
        k += np.random.randint(0, n) - k
    return k


def by_own_functions(out, p):
    for i in range(len(out)):
        out[i] = noise(out[i] + 0.5) - noise(p, i, shift=1.0) * np.random.randn()
        if accepted(out[i], p) and noise(1.0) < 0.8:
            out[i] *= counted(i + 1)
    return noise(2.0)


def by_what_they_do(out, p):
    total = 0.0
    for i in range(len(out)):
        total += moved(out, i, p) + moved(out, -1 - i, noise(1.0, 3) + 3.0)
    return total


def of_several_at_once(out, p):
    for i in range(len(out)):
        out[i] = np.random.uniform(out[i], np.random.rand()) * np.random.normal(
            0, 1 / p
        )
    return out


def by_functions_of_its_own(out, p):
    def step(x):
        y = np.random.normal(x, p)
        if y > 30.0:
            raise OverflowError(y)
        return y

    shift = lambda x: x + np.random.rand() * p  # noqa: E731
    for i in range(len(out)):
        out[i] = step(out[i]) + shift(1.0)
    return out


def at_once(out, p):
    n, s = len(out), 0.0
    for i in range(min(n, 9)):
        t = np.random.normal(p, 2.0, n)
        out[:] += t
        out[i] = np.random.uniform(size=i).sum()
        u = np.random.rand(i, 2)
        for k in range(i):
            s += u[k, 0] - u[k, 1]
        out[i:] = 2.0 * np.random.random(n - i)
    return s


def integers_at_once(out, p):
    s = 0
    for i in range(min(len(out), 9)):
        t = np.random.randint(-3, i, i)
        for k in range(len(t)):
            s += t[k]
        c = np.random.choice(i + 1, size=3)
        s += c[0] + np.random.choice(i + 2) - c[2]
    return s


def refused_for_no_numbers(out, p):
    for i in range(len(out)):
        t = np.random.normal(0.0, p, i)
        out[i] = t.sum() + len(np.random.uniform(p, 1.0, i))
    return out


def of_negative_sizes(out, p):
    for i in range(len(out)):
        t = np.random.rand(5 - i)
        out[i] = t.sum()
    return out


def in_other_orders(out, p):
    s = 0.0
    for i in range(min(len(out), 9)):
        np.random.shuffle(out)
        np.random.shuffle(out[i:])
        places = np.random.permutation(len(out))
        for k in range(len(out)):
            s += out[places[k]] * k
    return s


def waiting(out, p):
    for i in range(len(out)):
        out[i] += np.random.exponential(p) + np.random.standard_exponential()
        out[i] -= np.random.lognormal(0.0, p)
    return np.random.exponential()


def kept_by_python(out, p):
    found = []
    for i in range(min(len(out), 5)):
        found.append({"i": i})
        t = np.random.rand(3)
        found.append(t)
    return [str(one) for one in found]


def drawn_with_themselves(out, p):
    t = 1.0
    for i in range(min(len(out), 5)):
        t = np.random.uniform(0, t, 2)
        out[i] = t[1]
        t = 2.0
    return out


OF_PYTHON = kept_by_python, drawn_with_themselves
"""Those that run as Python."""

FUNCTIONS = (
    *(at_once, integers_at_once, refused_for_no_numbers, of_negative_sizes),
    *(in_other_orders, waiting, kept_by_python, drawn_with_themselves),
    by_functions_of_its_own,
    *(bound_in_between, changed_in_between, turned_in_between),
    *(by_own_functions, by_what_they_do, of_several_at_once),
    *(area_of_a_circle, normals, leaves_the_array, divides, too_wide, perhaps, chosen),
    *(refused_in_the_third_round, integers, beyond_32_bits, lists, shuffled),
    *(in_a_loop_of_pythons, of_pythons_types, between_small_integers),
    *(of_no_deviation, drawn_elsewhere, by_their_names, rejected),
    taken_until,
)
