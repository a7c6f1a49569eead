"""Functions whose outermost loops are ``while``, or count by data."""

from __future__ import annotations

import math

import numpy as np


def bisect(A, v):
    lo = 0
    hi = len(A)
    while lo < hi:
        mid = (lo + hi) // 2
        if A[mid] < v:
            lo = mid + 1
        else:
            hi = mid
    return lo


def bisect_beyond(A, v):
    """Looks behind the end, and raises there."""
    lo, hi = -1, len(A) + 3
    while hi - lo > 1:
        mid = (lo + hi) >> 1
        if A[mid] <= v:
            lo = mid
        else:
            hi = mid
    return lo, hi, mid


def bubble(A):
    changed = True
    sweeps = 0
    while changed:
        changed = False
        for i in range(len(A) - 1):
            if A[i] > A[i + 1]:
                A[i], A[i + 1] = A[i + 1], A[i]
                changed = True
        sweeps += 1
    return sweeps


def sieve(P):
    n = len(P) - 1
    p = 2
    count = 0
    while p * p <= n:
        if P[p]:
            for q in range(p * p, n + 1, p):
                P[q] = False
                count += 1
        p += 1
    return count, p


def crossed_out(P, p):
    """A loop by a step that is no constant."""
    for q in range(p * p, len(P), p):
        P[q] = 0
    return p


def strided(A, start, step):
    """Any step, also 0 and down."""
    q = -7
    for q in range(start, len(A), step):
        A[q] += q
    return q


def merge(A, B, C):
    i = j = k = 0
    while i < len(A) and j < len(B):
        if A[i] <= B[j]:
            C[k] = A[i]
            i += 1
        else:
            C[k] = B[j]
            j += 1
        k = i + j
    while i < len(A):
        C[k] = A[i]
        i += 1
        k += 1
    while j < len(B):
        C[k] = B[j]
        j += 1
        k += 1
    return k


def two_pointers(A, total):
    i, j = 0, A.shape[0] - 1
    while i < j:
        s = A[i] + A[j]
        if s == total:
            return i, j
        if s < total:
            i += 1
        else:
            j -= 1
    return -1, -1


def smallest_factor(n):
    d = 2
    while d * d <= n:
        if n % d == 0:
            return d
        d += 1
    return n


def gcd(a, b):
    while b:
        a, b = b, a % b
    return a


def collatz(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
        if steps > 200:
            break
    else:
        steps = -steps
    return n, steps


def root(x):
    y = 1.0
    rounds = 0
    while abs(y * y - x) > 1e-9 * x and rounds < 60:
        y = 0.5 * (y + x / y)
        rounds += 1
    return y, rounds


def until_quiet(A, limit):
    rounds = 0
    while True:
        change = 0.0
        for i in range(1, len(A) - 1):
            new = 0.5 * (A[i - 1] + A[i + 1])
            change += abs(new - A[i])
            A[i] = new
        rounds += 1
        if change < limit or rounds >= 50:
            break
    return rounds, change


def find_root(parent, a, b):
    while parent[a] != a:
        parent[a] = parent[parent[a]]
        a = parent[a]
    while parent[b] != b:
        b = parent[b]
    parent[a] = b
    return a, b


def flooded(A, stack):
    top, count = 1, 0
    stack[0] = 0
    while top > 0:
        top -= 1
        i = stack[top]
        if A[i] == 0:
            A[i] = 1
            count += 1
            if i + 1 < len(A):
                stack[top] = i + 1
                top += 1
            if i >= 1:
                stack[top] = i - 1
                top += 1
    return count


def backwards(A):
    """Subscripts below 0 go round, and further down raise."""
    k = len(A) - 1
    while A[k] != 3:
        A[k] += 10
        k -= 1
    return k


def compacted(A, v):
    w = 0
    r = 0
    while r < len(A):
        if A[r] != v:
            A[w] = A[r]
            w += 1
        r += 1
    else:
        w += 0
    return w


def divided(A, d):
    """Raises in the middle where a divisor is 0."""
    i = 0
    while i < len(A):
        A[i] = 100 // d
        d -= 1
        i += 1
    return d


def caught(A, v):
    log = []
    try:
        k = 0
        while A[k] != v:
            A[k] = -A[k]
            k += 1
    except IndexError:
        log.append("raised")
    return log


def first_two(A, v):
    """Two loops that return."""
    i = 0
    while i < len(A):
        if A[i] == v:
            return "first", i, A[i]
        i += 1
    while i > 0:
        i -= 1
        if A[i] > v:
            return A[i], None
    return None


def partitioned(A, low, high):
    pivot = A[(low + high) // 2]
    i, j = low, high
    while i <= j:
        while A[i] < pivot:
            i += 1
        while A[j] > pivot:
            j -= 1
        if i <= j:
            A[i], A[j] = A[j], A[i]
            i += 1
            j -= 1
    return i, j


def digits(x):
    total = 0
    while x > 0:
        total += x % 10
        x //= 10
    return total


def halved(x):
    """A float, whatever came in."""
    k = 0
    while x > 1:
        x = x / 2
        k += 1
    return x, k


def sifted(A):
    """Heap sort: loops in loops."""
    n = len(A)
    start = n // 2
    end = n
    while end > 1:
        if start > 0:
            start -= 1
        else:
            end -= 1
            A[end], A[0] = A[0], A[end]
        r = start
        while 2 * r + 1 < end:
            child = 2 * r + 1
            if child + 1 < end and A[child] < A[child + 1]:
                child += 1
            if A[r] < A[child]:
                A[r], A[child] = A[child], A[r]
                r = child
            else:
                break


def interpolated(X, Y, Z):
    j = 0
    for i in range(len(Z)):
        while j + 2 < len(X) and X[j + 1] < Z[i]:
            j += 1
        t = (Z[i] - X[j]) / (X[j + 1] - X[j])
        Z[i] = Y[j] + t * (Y[j + 1] - Y[j])


def decayed(A, x, tol):
    t = 0
    while x > tol:
        for i in range(t, len(A), 2):
            A[i] = A[i] * math.exp(-x)
        x *= 0.5
        t += 1
    return t


def continued(A):
    k = -1
    total = 0
    while k < len(A) - 1:
        k += 1
        if A[k] % 2:
            continue
        total += A[k]
        if total > 40:
            return total, k
    return total


def steps_of(A, sizes):
    """Loops whose outermost goes in steps, with one inside."""
    total = 0.0
    width = len(sizes) + 1
    for start in range(0, len(A), width):
        best = A[start]
        for k in range(start, min(start + width, len(A))):
            if A[k] > best:
                best = A[k]
        total += best
    return total


def turned(A):
    """A number that goes to and fro, and a sign."""
    k, sign = 0, 1
    i = 0
    while i < len(A):
        A[i] += k * sign
        k = 1 - k
        sign = -sign
        i += 1 + k
    return k, sign


def fibonacci(n):
    """Outgrows 64 bits."""
    a, b = 0, 1
    while n > 0:
        a, b = b, a + b
        n -= 1
    return a


def factorial(A, n):
    """Writes what it does not read, and starts again."""
    r = 1
    while n > 1:
        r *= n
        A[n % len(A)] = n
        n -= 1
    return r


def power(b, e, m):
    r = 1
    while e > 0:
        if e & 1:
            r = r * b % m
        b = b * b % m
        e >>= 1
    return r


def integer_root(n):
    x = n
    y = (x + 1) // 2
    while y < x:
        x = y
        y = (x + n // x) // 2
    return x


def _ints(n, high=9, seed=0):
    return np.random.default_rng(n + 100 * seed).integers(0, high, n)


def _floats(n):
    return np.random.default_rng(n).random(n)


def _sorted(n):
    return np.sort(_ints(n, 3 * n + 1))


def _parents(n):
    at = np.arange(max(n, 1))
    return np.minimum(at + _ints(max(n, 1), 3), max(n, 1) - 1)


CASES = {
    bisect: [lambda n: (_sorted(n), n), lambda n: (np.sort(_floats(n))[::-1], 0.5)],
    bisect_beyond: [lambda n: (_sorted(n), n), lambda n: (_sorted(n)[::-1], n)],
    bubble: [lambda n: (_ints(n),), lambda n: (_floats(2 * n)[::2],)],
    sieve: [lambda n: (np.ones(n + 1, bool),), lambda n: (np.ones(n * n, np.int8),)],
    crossed_out: [lambda n: (_ints(n), 1), lambda n: (_ints(n), n)],
    strided: [
        lambda n: (_ints(n), 0, 3),
        lambda n: (_ints(n), n + 4, -2),
        lambda n: (_ints(n), 1, 0),
        lambda n: (_ints(n), -3, np.int64(2)),
        lambda n: (_ints(n), n, -1),
    ],
    merge: [
        lambda n: (_sorted(n), _sorted(n + 2), np.zeros(2 * n + 2, int)),
        lambda n: (_sorted(n), _sorted(3), np.zeros(n, int)),
        lambda n: (np.sort(_floats(n)), np.sort(_floats(n // 2)), np.zeros(2 * n)),
    ],
    two_pointers: [lambda n: (_sorted(n), n), lambda n: (np.sort(_floats(n)), 0.75)],
    smallest_factor: [
        lambda n: (n * n + 4,),
        lambda n: (np.int64(n * 7),),
        lambda n: (n * 3.5,),
    ],
    gcd: [
        lambda n: (12 * n, 18),
        lambda n: (4.5 * n, 3.0),
        lambda n: (-n, np.int64(6)),
    ],
    collatz: [lambda n: (n + 1,), lambda n: (n,), lambda n: (2**61 + n,)],
    root: [lambda n: (n,), lambda n: (n / 7,), lambda n: (np.float32(n),)],
    until_quiet: [lambda n: (_floats(n), 1e-3), lambda n: (_floats(n), -1)],
    find_root: [lambda n: (_parents(n), 0, n // 2), lambda n: (_parents(n), n, 0)],
    flooded: [
        lambda n: (np.zeros(n, int), np.zeros(2 * n + 1, int)),
        lambda n: (_ints(n, 2), np.zeros(2 * n, np.int32)),
        lambda n: (np.zeros(n), np.zeros(3, int)),
    ],
    backwards: [lambda n: (_ints(n),), lambda n: (_ints(n, 3),)],
    compacted: [lambda n: (_ints(n), 3), lambda n: (_ints(2 * n)[::-2], 4)],
    divided: [lambda n: (_ints(n), 5), lambda n: (_ints(n), -1)],
    caught: [lambda n: (_ints(n), 3), lambda n: (_ints(n), 3.0)],
    first_two: [lambda n: (_ints(n), 7), lambda n: (_floats(n), 0.9)],
    partitioned: [
        lambda n: (_ints(n), 0, n - 1),
        lambda n: (_floats(n), 0, n - 1),
        lambda n: (_ints(n), 0, n),
    ],
    digits: [lambda n: (n**9,), lambda n: (np.int64(n * n),), lambda n: (n / 3,)],
    halved: [lambda n: (n * n,), lambda n: (1.5 * n,)],
    sifted: [lambda n: (_ints(n),), lambda n: (_floats(2 * n)[1::2],)],
    interpolated: [
        lambda n: (np.arange(n) * 1.0, _floats(n), np.sort(_floats(4)) * n),
    ],
    decayed: [lambda n: (_floats(n), 3.0, 0.01), lambda n: (_floats(n), 2, 0.1)],
    continued: [lambda n: (_ints(n),), lambda n: (_ints(n, 30),)],
    steps_of: [lambda n: (_floats(n), (1, 2)), lambda n: (_floats(n), [0] * 4)],
    turned: [lambda n: (_ints(n),), lambda n: (_floats(n)[::-1],)],
    fibonacci: [lambda n: (n,), lambda n: (80 + n,)],
    factorial: [lambda n: (np.zeros(5, int), n), lambda n: (np.zeros(n, int), 18)],
    power: [lambda n: (n, n * n, 97), lambda n: (n, 3**n, 2**40), lambda n: (n, -n, 0)],
    integer_root: [lambda n: (n,), lambda n: (2**62 + n,), lambda n: (7**n,)],
}
"""Functions with what makes their arguments."""
