"""Sorting, searching and merging in arrays."""

import numpy as np

from corpus import case


def numbers(n, r):
    return (r.random(n),)


def whole(n, r):
    return (r.integers(0, 10, n),)


def ordered(n, r):
    return np.sort(r.random(n)), np.sort(r.random(n + 2))


def swap(a, i, j):
    t = a[i]
    a[i] = a[j]
    a[j] = t


@case(numbers)
def insertion_sort(a):
    for i in range(1, len(a)):
        key = a[i]
        j = i - 1
        while j >= 0 and a[j] > key:
            a[j + 1] = a[j]
            j -= 1
        a[j + 1] = key


@case(numbers)
def bubble_sort(a):
    n = len(a)
    for i in range(n):
        swapped = False
        for j in range(n - 1 - i):
            if a[j] > a[j + 1]:
                a[j], a[j + 1] = a[j + 1], a[j]
                swapped = True
        if not swapped:
            break
    return a


@case(numbers)
def selection_sort(a):
    for i in range(len(a)):
        least = i
        for j in range(i + 1, len(a)):
            if a[j] < a[least]:
                least = j
        if least != i:
            swap(a, i, least)


@case(numbers)
def heap_sort(a):
    n = len(a)
    for start in range(n // 2 - 1, -1, -1):
        root = start
        while 2 * root + 1 < n:
            child = 2 * root + 1
            if child + 1 < n and a[child] < a[child + 1]:
                child += 1
            if a[root] >= a[child]:
                break
            a[root], a[child] = a[child], a[root]
            root = child
    for end in range(n - 1, 0, -1):
        a[0], a[end] = a[end], a[0]
        root = 0
        while 2 * root + 1 < end:
            child = 2 * root + 1
            if child + 1 < end and a[child] < a[child + 1]:
                child += 1
            if a[root] >= a[child]:
                break
            a[root], a[child] = a[child], a[root]
            root = child


@case(numbers)
def merge_sort(a):
    n = len(a)
    b = np.empty_like(a)
    width = 1
    while width < n:
        for lo in range(0, n, 2 * width):
            mid = min(lo + width, n)
            hi = min(lo + 2 * width, n)
            i, j = lo, mid
            for k in range(lo, hi):
                if i < mid and (j >= hi or a[i] <= a[j]):
                    b[k] = a[i]
                    i += 1
                else:
                    b[k] = a[j]
                    j += 1
        a, b = b, a
        width *= 2
    return a


@case(lambda n, r: (*whole(n, r), 10))
def counting_sort(a, k):
    counts = np.zeros(k, dtype=np.int64)
    for v in a:
        counts[v] += 1
    out = np.empty_like(a)
    pos = 0
    for v in range(k):
        for _ in range(counts[v]):
            out[pos] = v
            pos += 1
    return out


@case(lambda n, r: (r.integers(0, 2**16, n),))
def radix_sort(a):
    n = len(a)
    src = a.copy()
    dst = np.empty_like(src)
    for shift in range(0, 16, 8):
        counts = np.zeros(257, dtype=np.int64)
        for i in range(n):
            counts[((src[i] >> shift) & 255) + 1] += 1
        for d in range(256):
            counts[d + 1] += counts[d]
        for i in range(n):
            d = (src[i] >> shift) & 255
            dst[counts[d]] = src[i]
            counts[d] += 1
        src, dst = dst, src
    return src


@case(ordered)
def merge(a, b):
    out = np.empty(len(a) + len(b))
    i = j = 0
    for k in range(len(out)):
        if j == len(b) or (i < len(a) and a[i] <= b[j]):
            out[k] = a[i]
            i += 1
        else:
            out[k] = b[j]
            j += 1
    return out


@case(ordered)
def searchsorted(a, v):
    out = np.empty(len(v), dtype=np.int64)
    for k in range(len(v)):
        lo, hi = 0, len(a)
        while lo < hi:
            mid = (lo + hi) >> 1
            if a[mid] < v[k]:
                lo = mid + 1
            else:
                hi = mid
        out[k] = lo
    return out


@case(numbers)
def quickselect_median(a):
    n = len(a)
    if n == 0:
        return np.nan
    k = n // 2
    lo, hi = 0, n - 1
    while lo < hi:
        pivot = a[k]
        i, j = lo, hi
        while i <= j:
            while a[i] < pivot:
                i += 1
            while pivot < a[j]:
                j -= 1
            if i <= j:
                a[i], a[j] = a[j], a[i]
                i += 1
                j -= 1
        if j < k:
            lo = i
        if k < i:
            hi = j
    return a[k]


@case(lambda n, r: (*numbers(n, r), 3))
def top_k(x, k):
    values = np.full(k, -np.inf)
    where = np.full(k, -1, dtype=np.int64)
    for i in range(len(x)):
        if x[i] <= values[k - 1]:
            continue
        j = k - 1
        while j > 0 and values[j - 1] < x[i]:
            values[j] = values[j - 1]
            where[j] = where[j - 1]
            j -= 1
        values[j] = x[i]
        where[j] = i
    return values, where


@case(whole)
def unique_sorted(x):
    x = np.sort(x)
    n = len(x)
    out = np.empty_like(x)
    count = 0
    for i in range(n):
        if i == 0 or x[i] != x[i - 1]:
            out[count] = x[i]
            count += 1
    return out[:count]


@case(lambda n, r: (r.permutation(n),))
def inversions(p):
    n = len(p)
    tree = np.zeros(n + 1, dtype=np.int64)
    total = 0
    for i in range(n - 1, -1, -1):
        k = p[i]
        while k > 0:
            total += tree[k]
            k -= k & -k
        k = p[i] + 1
        while k <= n:
            tree[k] += 1
            k += k & -k
    return total


@case(lambda n, r: (r.permutation(n),))
def inverse_permutation(p):
    out = np.empty_like(p)
    for i, v in enumerate(p):
        out[v] = i
    return out


@case(numbers)
def is_sorted(x):
    for i in range(1, len(x)):
        if x[i] < x[i - 1]:
            return False
    return True


@case(lambda n, r: (r.integers(0, 50, n),))
def longest_increasing(a):
    n = len(a)
    tails = np.zeros(n, dtype=a.dtype)
    size = 0
    for x in a:
        lo = 0
        hi = size
        while lo < hi:
            m = (lo + hi) // 2
            if tails[m] < x:
                lo = m + 1
            else:
                hi = m
        tails[lo] = x
        if lo == size:
            size += 1
    return size


@case(lambda n, r: (r.integers(0, 9, (5, n)), 8))
def shuffled_rows(calls, seed):
    np.random.seed(seed)
    last = calls.shape[1] - 1
    for i in range(calls.shape[0]):
        np.random.shuffle(calls[i, 1:last])
    return calls


def sift(keys, names, place):
    while 2 * place + 1 < keys.shape[0]:
        child = 2 * place + 1
        if child + 1 < keys.shape[0] and keys[child] < keys[child + 1]:
            child += 1
        if keys[place] >= keys[child]:
            break
        keys[place], keys[child] = keys[child], keys[place]
        names[place], names[child] = names[child], names[place]
        place = child


@case(lambda n, r: (-np.sort(-r.random((4, n + 1))), np.tile(np.arange(n + 1), (4, 1))))
def neighbours_in_order(keys, names):
    for i in range(keys.shape[0]):
        for j in range(keys.shape[1] - 1, 0, -1):
            keys[i, 0], keys[i, j] = keys[i, j], keys[i, 0]
            names[i, 0], names[i, j] = names[i, j], names[i, 0]
            sift(keys[i, :j], names[i, :j], 0)
    return keys, names
