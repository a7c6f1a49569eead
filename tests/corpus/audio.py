"""Sound: frames, onsets, peaks, beats, filters."""

import numpy as np

from corpus import case


@case(lambda n, r: (r.normal(size=4 * n), 4, 2))
def frames(y, length, hop):
    if len(y) < length:
        return np.zeros((0, length))
    count = 1 + (len(y) - length) // hop
    out = np.empty((count, length))
    for i in range(count):
        start = i * hop
        out[i, :] = y[start : start + length]
    return out


@case(lambda n, r: (r.normal(size=n), 5))
def autocorrelation(y, max_lag):
    out = np.zeros(max_lag)
    for lag in range(min(max_lag, len(y))):
        s = 0.0
        for i in range(len(y) - lag):
            s += y[i] * y[i + lag]
        out[lag] = s
    return out


@case(lambda n, r: (r.normal(size=n),))
def zero_crossings(y):
    count = 0
    for i in range(1, y.shape[0]):
        if (y[i - 1] >= 0) != (y[i] >= 0):
            count += 1
    return count


@case(lambda n, r: (r.normal(size=n), 2, 2, 2, 2, 0.1, 1))
def peak_pick(x, pre_max, post_max, pre_avg, post_avg, delta, wait):
    peaks = np.zeros(len(x), dtype=np.bool_)
    i = 0
    while i < len(x):
        lo = max(0, i - pre_max)
        hi = min(len(x), i + post_max)
        biggest = np.max(x[lo : hi if hi > lo else lo + 1])
        if x[i] != biggest:
            i += 1
            continue
        lo = max(0, i - pre_avg)
        hi = min(len(x), i + post_avg)
        if x[i] >= np.mean(x[lo:hi]) + delta:
            peaks[i] = True
            i += wait + 1
        else:
            i += 1
    return peaks


@case(lambda n, r: (r.random(n),))
def local_maxima(x):
    out = np.zeros(len(x), dtype=bool)
    for i in range(1, len(x) - 1):
        out[i] = x[i] > x[i - 1] and x[i] >= x[i + 1]
    return out


@case(lambda n, r: (r.random(n), 3, 100.0))
def beat_track(onsets, period, tightness):
    n = onsets.shape[0]
    score = np.zeros(n)
    link = np.full(n, -1, dtype=np.int32)
    for i in range(n):
        best = -np.inf
        where = -1
        for j in range(max(0, i - 2 * period), i - period // 2 + 1):
            if j < 0 or j >= i:
                continue
            s = score[j] - tightness * (np.log(i - j) - np.log(period)) ** 2
            if s > best:
                best = s
                where = j
        if where >= 0:
            score[i] = onsets[i] + best
            link[i] = where
        else:
            score[i] = onsets[i]
    return score, link


@case(lambda n, r: (r.random((5, n)),))
def spectral_flux(S):
    bins, steps = S.shape
    flux = np.zeros(steps)
    for t in range(1, steps):
        total = 0.0
        for f in range(bins):
            d = S[f, t] - S[f, t - 1]
            if d > 0:
                total += d
        flux[t] = total / bins
    return flux


@case(lambda n, r: (r.random((4, n)),))
def spectral_centroid(S):
    out = np.zeros(S.shape[1])
    for t in range(S.shape[1]):
        num = 0.0
        den = 0.0
        for f in range(S.shape[0]):
            num += f * S[f, t]
            den += S[f, t]
        out[t] = num / den if den > 0 else 0.0
    return out


@case(lambda n, r: (r.normal(size=n), r.normal(size=3), np.array([1.0, 0.2, -0.1])))
def iir_filter(x, b, a):
    y = np.zeros(len(x))
    for n in range(len(x)):
        acc = 0.0
        for k in range(len(b)):
            if n >= k:
                acc += b[k] * x[n - k]
        for k in range(1, len(a)):
            if n >= k:
                acc -= a[k] * y[n - k]
        y[n] = acc / a[0]
    return y


@case(lambda n, r: (r.normal(size=n), 0.97))
def preemphasis(y, coef):
    out = np.empty_like(y)
    for i in range(len(y)):
        if i == 0:
            out[i] = y[i]
        else:
            out[i] = y[i] - coef * y[i - 1]
    return out


@case(lambda n, r: (r.random((n, 3)), r.random((3, 3)), r.random(3)))
def viterbi(prob, trans, start):
    steps, states = prob.shape
    value = np.zeros((steps, states))
    back = np.zeros((steps, states), dtype=np.int64)
    path = np.zeros(steps, dtype=np.int64)
    if steps == 0:
        return path
    for s in range(states):
        value[0, s] = np.log(prob[0, s]) + np.log(start[s])
    for t in range(1, steps):
        for s in range(states):
            best = -np.inf
            for p in range(states):
                v = value[t - 1, p] + np.log(trans[p, s])
                if v > best:
                    best = v
                    back[t, s] = p
            value[t, s] = best + np.log(prob[t, s])
    path[-1] = np.argmax(value[-1])
    for t in range(steps - 2, -1, -1):
        path[t] = back[t + 1, path[t + 1]]
    return path


@case(lambda n, r: (r.normal(size=n), 5, 0.1))
def yin_difference(y, max_tau, threshold):
    w = len(y) - max_tau
    d = np.zeros(max_tau)
    for tau in range(1, max_tau):
        for j in range(w):
            delta = y[j] - y[j + tau]
            d[tau] += delta * delta
    running = 0.0
    for tau in range(1, max_tau):
        running += d[tau]
        if running > 0:
            d[tau] *= tau / running
        if d[tau] < threshold:
            return tau
    return -1


@case(lambda n, r: (r.normal(size=n),))
def discrete_fourier(x):
    n = len(x)
    out = np.zeros(n, dtype=np.complex128)
    for k in range(n):
        s = 0j
        for t in range(n):
            s += x[t] * np.exp(-2j * np.pi * k * t / n)
        out[k] = s
    return out


@case(lambda n, r: ((r.normal(size=n) + 1j * r.normal(size=n)).astype(np.complex64),))
def fm_demodulated(iq):
    out = np.zeros(max(len(iq) - 1, 0), dtype=np.float32)
    for i in range(1, len(iq)):
        out[i - 1] = np.angle(iq[i] * np.conj(iq[i - 1]))
    return out


@case(
    lambda n, r: (
        (r.normal(size=2 * n) + 1j * r.normal(size=2 * n)).astype(np.complex64),
        np.exp(1j * r.normal(size=n)).astype(np.complex64),
    )
)
def matched_filter(signal, code):
    out = np.zeros(len(signal) - len(code) + 1, dtype=np.float32)
    for lag in range(len(out)):
        s = np.complex64(0)
        for k in range(len(code)):
            s += signal[lag + k] * code[k].conjugate()
        out[lag] = s.real * s.real + s.imag * s.imag
    return out
