"""Strings as codes: alignments, k-mers, checksums, tables."""

import numpy as np

from corpus import case


def words(n, r):
    return r.integers(0, 4, n), r.integers(0, 4, n + 1)


def octets(n, r):
    return (r.integers(0, 256, n).astype(np.uint8),)


def score(a, b):
    return 2 if a == b else -1


@case(words)
def edit_distance(a, b):
    n, m = len(a), len(b)
    prev = np.arange(m + 1)
    cur = np.zeros(m + 1, dtype=np.int64)
    for i in range(1, n + 1):
        cur[0] = i
        for j in range(1, m + 1):
            cost = 0 if a[i - 1] == b[j - 1] else 1
            cur[j] = min(prev[j] + 1, cur[j - 1] + 1, prev[j - 1] + cost)
        prev, cur = cur, prev
    return prev[m]


@case(lambda n, r: (*words(n, r), -2))
def smith_waterman(a, b, gap):
    n, m = a.shape[0], b.shape[0]
    H = np.zeros((n + 1, m + 1), dtype=np.int64)
    best = 0
    at = (0, 0)
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            diag = H[i - 1, j - 1] + score(a[i - 1], b[j - 1])
            H[i, j] = max(0, diag, H[i - 1, j] + gap, H[i, j - 1] + gap)
            if H[i, j] > best:
                best = H[i, j]
                at = (i, j)
    return best, at


@case(words)
def needleman_traceback(a, b):
    n, m = len(a), len(b)
    F = np.zeros((n + 1, m + 1))
    for i in range(n + 1):
        F[i, 0] = -i
    for j in range(m + 1):
        F[0, j] = -j
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            s = 1.0 if a[i - 1] == b[j - 1] else -1.0
            F[i, j] = max(F[i - 1, j - 1] + s, F[i - 1, j] - 1, F[i, j - 1] - 1)
    i, j = n, m
    steps = 0
    while i > 0 and j > 0:
        s = 1.0 if a[i - 1] == b[j - 1] else -1.0
        if F[i, j] == F[i - 1, j - 1] + s:
            i -= 1
            j -= 1
        elif F[i, j] == F[i - 1, j] - 1:
            i -= 1
        else:
            j -= 1
        steps += 1
    return F[n, m], steps + i + j


@case(words)
def longest_common_substring(a, b):
    best = 0
    end = 0
    table = np.zeros((len(a) + 1, len(b) + 1), dtype=np.int32)
    for i in range(len(a)):
        for j in range(len(b)):
            if a[i] == b[j]:
                table[i + 1, j + 1] = table[i, j] + 1
                if table[i + 1, j + 1] > best:
                    best = table[i + 1, j + 1]
                    end = i + 1
    return best, end


@case(lambda n, r: (words(n, r)[0], 3))
def kmer_counts(seq, k):
    counts = np.zeros(4**k, dtype=np.int64)
    for i in range(len(seq) - k + 1):
        code = 0
        for j in range(k):
            code = code * 4 + seq[i + j]
        counts[code] += 1
    return counts


@case(lambda n, r: (words(n, r)[0], 3))
def kmer_counts_rolling(seq, k):
    counts = np.zeros(4**k, dtype=np.int64)
    mask = (1 << (2 * k)) - 1
    code = 0
    for i, base in enumerate(seq):
        code = ((code << 2) | base) & mask
        if i >= k - 1:
            counts[code] += 1
    return counts


@case(octets)
def crc32_table(unused):
    table = np.zeros(256, dtype=np.uint32)
    for i in range(256):
        c = i
        for _ in range(8):
            if c & 1:
                c = (c >> 1) ^ 0xEDB88320
            else:
                c >>= 1
        table[i] = c
    return table


@case(octets)
def crc16(data):
    crc = 0xFFFF
    for byte in data:
        crc ^= int(byte)
        for _ in range(8):
            if crc & 1:
                crc = (crc >> 1) ^ 0xA001
            else:
                crc = crc >> 1
    return crc


@case(octets)
def adler32(data):
    a, b = 1, 0
    for i in range(data.shape[0]):
        a = (a + int(data[i])) % 65521
        b = (b + a) % 65521
    return (b << 16) | a


@case(octets)
def fnv1a(data):
    h = np.uint64(14695981039346656037)
    prime = np.uint64(1099511628211)
    for i in range(len(data)):
        h = (h ^ np.uint64(data[i])) * prime
    return h


@case(lambda n, r: (r.integers(0, 256, 3 * n).astype(np.uint8), np.arange(64) + 48))
def base64_codes(data, alphabet):
    out = np.zeros(len(data) // 3 * 4, dtype=np.uint8)
    for g in range(len(data) // 3):
        word = (
            (int(data[3 * g]) << 16)
            | (int(data[3 * g + 1]) << 8)
            | int(data[3 * g + 2])
        )
        for k in range(4):
            out[4 * g + k] = alphabet[(word >> (18 - 6 * k)) & 63]
    return out


@case(words)
def hamming(a, b):
    d = 0
    for i in range(min(len(a), len(b))):
        d += a[i] != b[i]
    return d


@case(lambda n, r: (words(n, r)[0],))
def reverse_complement(seq):
    n = len(seq)
    out = np.empty(n, dtype=seq.dtype)
    for i in range(n):
        out[n - 1 - i] = 3 - seq[i]
    return out


@case(lambda n, r: (words(n, r)[0], words(2, r)[0]))
def find_pattern(text, pattern):
    n, m = len(text), len(pattern)
    for i in range(n - m + 1):
        for j in range(m):
            if text[i + j] != pattern[j]:
                break
        else:
            return i
    return -1


@case(lambda n, r: (words(n, r)[0],))
def kmp_failure(p):
    fail = np.zeros(len(p), dtype=np.int64)
    k = 0
    for i in range(1, len(p)):
        while k > 0 and p[k] != p[i]:
            k = fail[k - 1]
        if p[k] == p[i]:
            k += 1
        fail[i] = k
    return fail


@case(lambda n, r: (r.integers(48, 58, n).astype(np.uint8),))
def parse_digits(text):
    value = 0
    for c in text[:15]:
        if c < 48 or c > 57:
            return -1
        value = value * 10 + (int(c) - 48)
    return value


@case(lambda n, r: (words(n, r)[0],))
def gc_skew(seq):
    skew = np.zeros(len(seq) + 1, dtype=np.int64)
    for i in range(len(seq)):
        if seq[i] == 2:
            skew[i + 1] = skew[i] + 1
        elif seq[i] == 1:
            skew[i + 1] = skew[i] - 1
        else:
            skew[i + 1] = skew[i]
    return skew
