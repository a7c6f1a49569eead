"""Bits and whole numbers: sieves, counts, generators, codes."""

import numpy as np

from corpus import case


def ints(n, r):
    return (r.integers(0, 2**30, n),)


def gcd(a, b):
    while b:
        a, b = b, a % b
    return a


@case(lambda n, r: (10 * n,))
def sieve(n):
    prime = np.ones(n + 1, dtype=np.bool_)
    prime[:2] = False
    i = 2
    while i * i <= n:
        if prime[i]:
            for j in range(i * i, n + 1, i):
                prime[j] = False
        i += 1
    return prime


@case(ints)
def popcounts(x):
    out = np.zeros(len(x), dtype=np.int64)
    for i in range(len(x)):
        v = x[i]
        c = 0
        while v:
            v &= v - 1
            c += 1
        out[i] = c
    return out


@case(lambda n, r: (r.integers(0, 2**32, n).astype(np.uint32),))
def bit_reverse(x):
    out = np.empty_like(x)
    for i in range(x.shape[0]):
        v = int(x[i])
        rev = 0
        for _ in range(32):
            rev = (rev << 1) | (v & 1)
            v >>= 1
        out[i] = rev
    return out


@case(lambda n, r: (12345, n))
def lcg(seed, n):
    out = np.empty(n)
    state = seed
    for i in range(n):
        state = (1103515245 * state + 12345) % 2147483648
        out[i] = state / 2147483648
    return out


@case(lambda n, r: (np.uint64(88172645463325252), n))
def xorshift(state, n):
    out = np.zeros(n, dtype=np.uint64)
    for i in range(n):
        state ^= state << np.uint64(13)
        state ^= state >> np.uint64(7)
        state ^= state << np.uint64(17)
        out[i] = state
    return out


@case(ints)
def gray_code(x):
    out = np.empty_like(x)
    for i in range(len(x)):
        out[i] = x[i] ^ (x[i] >> 1)
    return out


@case(lambda n, r: (r.integers(1, 99, n), r.integers(1, 99, n)))
def gcds(a, b):
    out = np.empty(len(a), dtype=np.int64)
    for i in range(len(a)):
        out[i] = gcd(a[i], b[i])
    return out


@case(lambda n, r: (n + 1,))
def collatz(n):
    steps = np.zeros(n, dtype=np.int64)
    for i in range(1, n):
        k = i
        while k != 1:
            if k % 2 == 0:
                k //= 2
            else:
                k = 3 * k + 1
            steps[i] += 1
    return steps


@case(lambda n, r: (r.integers(0, 1024, (n, 2)),))
def morton(xy):
    out = np.zeros(xy.shape[0], dtype=np.int64)
    for i in range(xy.shape[0]):
        code = 0
        for b in range(10):
            code |= ((xy[i, 0] >> b) & 1) << (2 * b)
            code |= ((xy[i, 1] >> b) & 1) << (2 * b + 1)
        out[i] = code
    return out


@case(lambda n, r: (r.integers(0, 256, n).astype(np.uint8),))
def unpack_bits(data):
    out = np.zeros(8 * len(data), dtype=np.uint8)
    for i in range(len(data)):
        for b in range(8):
            out[8 * i + b] = (data[i] >> (7 - b)) & 1
    return out


@case(lambda n, r: (r.integers(0, 2, 8 * n).astype(np.uint8),))
def pack_bits(bits):
    out = np.zeros(len(bits) // 8, dtype=np.uint8)
    for i in range(len(out)):
        byte = 0
        for b in range(8):
            byte = (byte << 1) | bits[8 * i + b]
        out[i] = byte
    return out


@case(lambda n, r: (r.integers(0, 7, n), 101))
def power_mod(exponents, modulus):
    out = np.zeros(len(exponents), dtype=np.int64)
    for i in range(len(exponents)):
        result = 1
        base = 7
        e = exponents[i]
        while e > 0:
            if e & 1:
                result = result * base % modulus
            base = base * base % modulus
            e >>= 1
        out[i] = result
    return out


@case(lambda n, r: (n,))
def pascal(n):
    t = np.zeros((n, n), dtype=np.int64)
    for i in range(n):
        t[i, 0] = 1
        for j in range(1, i + 1):
            t[i, j] = t[i - 1, j - 1] + t[i - 1, j]
    return t


@case(lambda n, r: (r.integers(0, 2, n), 30))
def rule_automaton(cells, rule):
    n = len(cells)
    new = np.zeros_like(cells)
    for i in range(n):
        pattern = cells[i - 1] << 2 | cells[i] << 1 | cells[(i + 1) % n]
        new[i] = (rule >> pattern) & 1
    return new


@case(lambda n, r: (r.integers(-100, 100, n).astype(np.int16),))
def delta_zigzag(x):
    out = np.zeros(len(x), dtype=np.uint16)
    last = 0
    for i in range(len(x)):
        d = int(x[i]) - last
        out[i] = 2 * d if d >= 0 else -2 * d - 1
        last = int(x[i])
    return out


@case(lambda n, r: (12345, n))
def splitmix64(seed, n):
    out = np.empty(n, dtype=np.uint64)
    for i in range(n):
        seed = (seed + 0x9E3779B97F4A7C15) & 0xFFFFFFFFFFFFFFFF
        z = seed
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & 0xFFFFFFFFFFFFFFFF
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & 0xFFFFFFFFFFFFFFFF
        out[i] = z ^ (z >> 31)
    return out


WORD = (1 << 64) - 1


@case(lambda n, r: (r.integers(0, 256, n).astype(np.uint8),))
def fnv1a_64(data):
    h = 0xCBF29CE484222325
    for byte in data:
        h = ((h ^ int(byte)) * 0x100000001B3) & WORD
    return h


def rotated(x, by):
    return ((x << by) | (x >> (64 - by))) & WORD


@case(lambda n, r: (n, 1, 2))
def xoroshiro_uniform(n, s0, s1):
    out = np.empty(n)
    for i in range(n):
        out[i] = (((s0 + s1) & WORD) >> 11) / (1 << 53)
        s1 ^= s0
        s0 = rotated(s0, 24) ^ s1 ^ ((s1 << 16) & WORD)
        s1 = rotated(s1, 37)
    return out


@case(lambda n, r: (r.integers(0, 2**40, n), 1024))
def hashed_buckets(keys, buckets):
    counts = np.zeros(buckets, dtype=np.int64)
    for key in keys:
        h = int(key)
        h = ((h ^ (h >> 33)) * 0xFF51AFD7ED558CCD) & WORD
        h = ((h ^ (h >> 33)) * 0xC4CEB9FE1A85EC53) & WORD
        counts[(h ^ (h >> 33)) % buckets] += 1
    return counts
