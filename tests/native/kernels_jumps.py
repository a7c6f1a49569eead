"""Loops that end early, in the manner of real ones."""

from __future__ import annotations

import numpy as np


def search(A, v, out):
    n, m = A.shape
    for i in range(n):
        found = -1
        for j in range(m):
            if A[i, j] == v[i]:
                found = j
                break
        out[i] = found


def argmin_row(A, least, out):
    n, m = A.shape
    for i in range(n):
        best = 0
        for j in range(1, m):
            if A[i, j] < A[i, best]:
                best = j
            if A[i, best] <= least:
                break
        out[i] = best


def probing(keys, table):
    m = table.shape[0]
    for i in range(keys.shape[0]):
        h = keys[i] % m
        tried = 0
        while table[h] != -1 and tried < m:
            h = (h + 1) % m
            tried += 1
        if tried < m:
            table[h] = keys[i]


def newton(A, out, tol):
    for i in range(A.shape[0]):
        x = A[i]
        for k in range(50):
            y = 0.5 * (x + A[i] / x)
            if abs(y - x) < tol:
                break
            x = y
        else:
            x = -1.0
        out[i] = x


def mandelbrot(re, im, out, limit):
    for i in range(re.shape[0]):
        for j in range(im.shape[0]):
            x = 0.0
            y = 0.0
            k = 0
            while k < limit and x * x + y * y <= 4.0:
                t = x * x - y * y + re[i]
                y = 2.0 * x * y + im[j]
                x = t
                k += 1
            out[i, j] = k


def mandelbrot_complex(c, out):
    for i in range(c.shape[0]):
        z = 0j
        k = 0
        for k in range(60):
            if z.real * z.real + z.imag * z.imag > 4.0:
                break
            z = z * z + c[i]
        out[i] = k


def collatz(A, out):
    for i in range(A.shape[0]):
        x = A[i]
        k = 0
        while x > 1:
            odd = x % 2
            x = 3 * x + 1 if odd else x // 2
            k += 1
        out[i] = k


def insertion_sort(A):
    n, m = A.shape
    for r in range(n):
        for i in range(1, m):
            v = A[r, i]
            j = i
            while j > 0 and A[r, j - 1] > v:
                A[r, j] = A[r, j - 1]
                j -= 1
            A[r, j] = v


def binary_search(A, keys, out):
    n = A.shape[0]
    for i in range(keys.shape[0]):
        lo = 0
        hi = n - 1
        at = -1
        while lo <= hi:
            mid = lo + (hi - lo) // 2
            if A[mid] == keys[i]:
                at = mid
                break
            if A[mid] < keys[i]:
                lo = mid + 1
            else:
                hi = mid - 1
        else:
            at = -lo - 2
        out[i] = at


def count_primes(n, P, out):
    for i in range(2, n):
        c = 0
        for j in range(n):
            if not P[j]:
                continue
            if j >= i:
                break
            c += 1
        out[i] = c


def is_prime(n, out):
    for i in range(n):
        prime = i > 1
        d = 2
        while d * d <= i:
            if i % d == 0:
                prime = False
                break
            d += 1
        out[i] = prime


def merge(A, B, C):
    n, m = A.shape
    for r in range(n):
        i = 0
        j = 0
        k = 0
        while i < m and j < m:
            if A[r, i] <= B[r, j]:
                C[r, k] = A[r, i]
                i += 1
            else:
                C[r, k] = B[r, j]
                j += 1
            k += 1
        while i < m:
            C[r, k] = A[r, i]
            i += 1
            k += 1
        while j < m:
            C[r, k] = B[r, j]
            j += 1
            k += 1


def divisors(A, B, out):
    for i in range(A.shape[0]):
        a = int(A[i])
        b = int(B[i])
        steps = 0
        while b:
            a, b = b, a % b
            steps += 1
        out[i, 0] = a
        out[i, 1] = steps


def digits(n, out):
    for i in range(n):
        left = i * i * i
        total = 0
        while left > 0:
            total += left % 10
            left //= 10
        out[i] = total


def first_in_order(A, out):
    """An ``else`` of a loop in a loop with an ``else``, and jumps in both."""
    n, m = A.shape
    for i in range(n):
        code = 0
        for j in range(m):
            for k in range(j + 1, m, 2):
                if A[i, j] == A[i, k]:
                    break
                if A[i, k] == 3:
                    continue
                code += 1
            else:
                code += 100
                continue
            code += 10000
            if code > 40000:
                break
        else:
            code = -1 - i
        out[i] = code


def last_values(A, out):
    """Names that loops bind, behind the loops."""
    n, m = A.shape
    for i in range(n):
        j = -5
        w = -7
        for j in range(m):
            if A[i, j] > 2:
                break
        for w in range(m, -1, -3):
            if w == A[i, 0]:
                break
        out[i, 0] = j
        out[i, 1] = w


def outside(A, at, out):
    """Subscripts that wrap around, and one that may be out of bounds."""
    for i in range(A.shape[0]):
        j = at[i]
        s = 0.0
        while j < 9 and s < 100.0:
            s += A[j]
            j += 3
        out[i] = s


def after(A):
    """What loops leave in names, with their types."""
    s = 0
    last = -1
    for i in range(A.shape[0]):
        k = 0
        while k < i:
            if A[k] > A[i]:
                s += 1
                last = k
                break
            k += 1
    return s, last


def pagerank(A, B, tol):
    """A loop around loops that ends with a tolerance."""
    n = A.shape[0]
    for r in range(4):
        err = 1.0
        while err > tol:
            err = 0.0
            for i in range(1, n - 1):
                B[i] = 0.5 * (A[i - 1] + A[i + 1])
                d = abs(B[i] - A[i])
                if d > err:
                    err = d
            for i in range(1, n - 1):
                A[i] = B[i]
        if n > 0:
            A[n - 1] += 1.0


def sieve(n, P, out):
    """What follows a ``continue`` belongs to the proof where its condition does."""
    for i in range(2, n):
        if not P[i]:
            continue
        for j in range(2 * i, n, i):
            P[j] = 0
        out[i] = i


def branches(A, B, n: int, m: int):
    for i in range(n):
        if i % 3 == 1:
            continue
        if i > 5 and i < 8:
            B[i, 0] = -1.0
            continue
        for j in range(m):
            if A[i, j] < 0.5:
                B[i, j] += 0.25
                continue
            B[i, j] = A[i, j] * 2.0
            if A[i, j] > 0.9:
                B[i, j] -= 1.0
            elif A[i, j] > 0.7:
                continue
            else:
                B[i, j] += 1.0
        B[i, 1] += 3.0


def twice(A, B, n: int, m: int):
    for i in range(n):
        if i == 2 or i > m:
            if i == 9:
                B[i, 1] = 5.0
            else:
                continue
            B[i, 2] = 1.0
        for j in range(m):
            if j > i:
                if A[i, j] > 0.8:
                    continue
                B[i, j] = 4.0
            B[i, j] += A[i, j]


def backwards(q, out, step):
    n = q.shape[0]
    j = -5
    for i in range(n):
        for j in reversed(range(n)):
            if q[j] < q[i]:
                break
        else:
            out[i] = -1
        for k in reversed(range(q[i], n, step)):
            if k == 1:
                continue
            out[i] += q[k] + j
            if out[i] > 9:
                break


def last_below(q, start):
    for i in reversed(range(start, len(q))):
        if q[i] < 2:
            return i, q[i]
    return None


def _floats(n):
    return np.random.default_rng(n).random((n, n + 2)), np.zeros((n, n + 2)), n, n + 2


def _integers(n, *shapes):
    rng = np.random.default_rng(n)
    return [rng.integers(0, 6, shape) for shape in shapes]


def escape(a):
    for i in range(a.shape[0]):
        z = a[i]
        for k in range(30):
            if z > 4:
                break
            z = z * z + 0.5
        a[i] = k


def in_steps(a):
    for i in range(a.shape[0]):
        for k in range(9, -3, -2):
            if a[i] > 0.2 * k:
                a[i] = k
                break


def in_any_case(a, k):
    for i in range(a.shape[0]):
        if a[i] > 0.1:
            for k in reversed(range(-2, 5)):
                if a[i] > 0.2 * k:
                    break
        a[i] += k
    return k


CASES = {
    search: (
        lambda n: (*_integers(n, (n, n), n), np.zeros(n, int)),
        ("", "split i 4", "parallel i"),
    ),
    argmin_row: (
        lambda n: (np.random.default_rng(n).random((n, n + 1)), 0.1, np.zeros(n, int)),
        ("", "split i 3"),
    ),
    probing: (lambda n: (*_integers(n, n), np.full(n + 2, -1)), ("",)),
    newton: (
        lambda n: (np.random.default_rng(n).random(n) + 0.1, np.zeros(n), 1e-9),
        ("", "split i 4", "parallel i"),
    ),
    mandelbrot: (
        lambda n: (
            *np.random.default_rng(n).uniform(-2, 1, (2, n)),
            np.zeros((n, n), int),
            50,
        ),
        ("", "parallel i", "tile i=4 j=4 | parallel i", "reorder j i"),
    ),
    mandelbrot_complex: (
        lambda n: (
            np.random.default_rng(n).uniform(-2, 1, (n, 2)).view(complex)[:, 0],
            np.zeros(n, int),
        ),
        ("", "parallel i"),
    ),
    collatz: (
        lambda n: (np.arange(n) * 7, np.zeros(n, np.int32)),
        ("", "split i 4", "parallel i"),
    ),
    insertion_sort: (
        lambda n: (np.random.default_rng(n).random((n, n)),),
        ("", "parallel r", "split r 2"),
    ),
    binary_search: (
        lambda n: (np.sort(_integers(n, n)[0]), np.arange(-1, n), np.zeros(n + 1, int)),
        ("", "split i 4"),
    ),
    count_primes: (
        lambda n: (n, *_integers(n, n), np.zeros(n, int)),
        ("", "parallel i"),
    ),
    is_prime: (
        lambda n: (n, np.zeros(n, bool)),
        ("", "split i 4", "parallel i"),
    ),
    merge: (
        lambda n: (
            *np.sort(np.random.default_rng(n).random((2, n, n))),
            np.zeros((n, 2 * n)),
        ),
        ("", "parallel r"),
    ),
    divisors: (lambda n: (*_integers(n, n, n), np.zeros((n, 2), int)), ("",)),
    digits: (lambda n: (n, np.zeros(n, int)), ("", "split i 4", "parallel i")),
    first_in_order: (
        lambda n: (*_integers(n, (n, n)), np.zeros(n, int)),
        ("", "split i 4"),
    ),
    last_values: (
        lambda n: (*_integers(n, (n, n + 1)), np.zeros((n, 2), int)),
        ("", "split i 4", "parallel i"),
    ),
    outside: (
        lambda n: (np.arange(float(n)), np.arange(n) - 7, np.zeros(n)),
        ("", "split i 4"),
    ),
    sieve: (lambda n: (n, np.ones(n, int), np.zeros(n, int)), ("",)),
    branches: (
        _floats,
        ("", "split i 4 | split j 2", "parallel i", "vectorize j", "unroll j 2"),
    ),
    escape: (
        lambda n: (np.random.default_rng(n).random(n),),
        ("", "split i 4 | unroll ii", "parallel i"),
    ),
    in_steps: (lambda n: (np.random.default_rng(n).random(n),), ("parallel i",)),
    in_any_case: (lambda n: (np.random.default_rng(n).random(n), 3), ("",)),
    twice: (_floats, ("", "split i 4", "parallel i")),
    backwards: (
        lambda n: (_integers(n, n)[0].astype("i1"), np.zeros(n, int), -2 + n % 5),
        ("", "split i 3"),
    ),
    last_below: (lambda n: (_integers(n, n)[0], np.int8(-128 + 127 * (n > 1))), ("",)),
    after: (lambda n: (_integers(n, n)[0],), ("",)),
    pagerank: (
        lambda n: (np.random.default_rng(n).random(n), np.zeros(n), 1e-3),
        ("",),
    ),
}
"""Functions with what makes their arguments, and their directives."""


def checked(A, low, high):
    total = 0
    for x in A:
        assert low <= x < high, ("outside", x)
        total += x
    return total
