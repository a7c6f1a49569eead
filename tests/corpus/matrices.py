"""Matrices: sparse ones, products, norms, factors of recommendations."""

import numpy as np

from corpus import case


def csr(n, r):
    dense = r.random((n, n)) * (r.random((n, n)) < 0.4)
    indptr = np.zeros(n + 1, dtype=np.int32)
    indptr[1:] = np.cumsum((dense != 0).sum(axis=1))
    indices = np.nonzero(dense)[1].astype(np.int32)
    return indptr, indices, dense[dense != 0], r.random(n)


def coo(n, r):
    k = 2 * n
    return r.integers(0, n + 1, k), r.integers(0, n + 1, k), r.random(k), n + 1


@case(csr)
def csr_matvec(indptr, indices, data, x):
    y = np.zeros(len(indptr) - 1)
    for i in range(len(y)):
        s = 0.0
        for k in range(indptr[i], indptr[i + 1]):
            s += data[k] * x[indices[k]]
        y[i] = s
    return y


@case(csr)
def csr_transpose_matvec(indptr, indices, data, x):
    y = np.zeros(x.shape[0])
    for i in range(indptr.shape[0] - 1):
        xi = x[i]
        for jj in range(indptr[i], indptr[i + 1]):
            y[indices[jj]] += data[jj] * xi
    return y


@case(coo)
def coo_matvec(rows, cols, vals, n):
    x = np.arange(n) * 0.5
    y = np.zeros(n)
    for r, c, v in zip(rows, cols, vals):
        y[r] += v * x[c]
    return y


@case(coo)
def coo_to_csr(rows, cols, vals, n):
    nnz = len(rows)
    indptr = np.zeros(n + 1, dtype=np.int64)
    indices = np.empty(nnz, dtype=np.int64)
    data = np.empty(nnz)
    for i in range(nnz):
        indptr[rows[i] + 1] += 1
    for i in range(n):
        indptr[i + 1] += indptr[i]
    fill = indptr.copy()
    for i in range(nnz):
        at = fill[rows[i]]
        indices[at] = cols[i]
        data[at] = vals[i]
        fill[rows[i]] += 1
    return indptr, indices, data


@case(csr)
def csr_row_norms(indptr, indices, data, x):
    n = indptr.shape[0] - 1
    out = np.empty(n)
    for i in range(n):
        out[i] = np.sqrt(np.sum(data[indptr[i] : indptr[i + 1]] ** 2))
    return out


@case(lambda n, r: (r.random((n, n)), r.random((n, 3))))
def matmul(A, B):
    C = np.zeros((A.shape[0], B.shape[1]))
    for i in range(A.shape[0]):
        for j in range(B.shape[1]):
            for k in range(A.shape[1]):
                C[i, j] += A[i, k] * B[k, j]
    return C


@case(lambda n, r: (r.random((n, n)),))
def symmetric_part(A):
    n = A.shape[0]
    for i in range(n):
        for j in range(i + 1, n):
            A[i, j] = A[j, i] = 0.5 * (A[i, j] + A[j, i])
    return A


@case(lambda n, r: (r.random((n, 2)), r.random((3, 4))))
def kron(A, B):
    m, n = A.shape
    p, q = B.shape
    out = np.empty((m * p, n * q))
    for i in range(m):
        for j in range(n):
            for k in range(p):
                for l in range(q):
                    out[i * p + k, j * q + l] = A[i, j] * B[k, l]
    return out


@case(lambda n, r: (coo(n, r)[0], coo(n, r)[1], r.random(2 * n), r.random((n + 1, 2))))
def sgd_epoch(users, items, ratings, factors):
    lr, reg = 0.01, 0.02
    P = factors.copy()
    Q = factors.copy()
    for idx in range(len(ratings)):
        u, i, rating = users[idx], items[idx], ratings[idx]
        pred = 0.0
        for f in range(P.shape[1]):
            pred += P[u, f] * Q[i, f]
        err = rating - pred
        for f in range(P.shape[1]):
            puf = P[u, f]
            P[u, f] += lr * (err * Q[i, f] - reg * puf)
            Q[i, f] += lr * (err * puf - reg * Q[i, f])
    return P, Q


@case(lambda n, r: (r.normal(size=(n, 3)), r.normal(size=3), 0.1, 4))
def lasso_descent(X, y_unused, lam, sweeps):
    n, p = X.shape
    w = np.zeros(p)
    y = X[:, 0] * 2.0
    for _ in range(sweeps):
        for j in range(p):
            rho = 0.0
            z = 0.0
            for i in range(n):
                fit = 0.0
                for k in range(p):
                    if k != j:
                        fit += X[i, k] * w[k]
                rho += X[i, j] * (y[i] - fit)
                z += X[i, j] ** 2
            if z == 0:
                continue
            if rho > lam:
                w[j] = (rho - lam) / z
            elif rho < -lam:
                w[j] = (rho + lam) / z
            else:
                w[j] = 0.0
    return w


@case(lambda n, r: (r.random((n, n)),))
def spiral(a):
    top, left = 0, 0
    bottom, right = a.shape[0] - 1, a.shape[1] - 1
    out = np.zeros(a.size)
    k = 0
    while top <= bottom and left <= right:
        for j in range(left, right + 1):
            out[k] = a[top, j]
            k += 1
        top += 1
        for i in range(top, bottom + 1):
            out[k] = a[i, right]
            k += 1
        right -= 1
        if top <= bottom:
            for j in range(right, left - 1, -1):
                out[k] = a[bottom, j]
                k += 1
            bottom -= 1
        if left <= right:
            for i in range(bottom, top - 1, -1):
                out[k] = a[i, left]
                k += 1
            left += 1
    return out


@case(
    lambda n, r: (r.random((n, 4)).astype(np.float32), r.random(4).astype(np.float32))
)
def softmax_rows(logits, bias):
    n, k = logits.shape
    out = np.empty((n, k), dtype=np.float32)
    for i in range(n):
        biggest = logits[i, 0] + bias[0]
        for j in range(1, k):
            biggest = max(biggest, logits[i, j] + bias[j])
        total = np.float32(0.0)
        for j in range(k):
            out[i, j] = np.exp(logits[i, j] + bias[j] - biggest)
            total += out[i, j]
        for j in range(k):
            out[i, j] /= total
    return out


@case(lambda n, r: (r.random((n, 3)) - 0.5, r.random((2, 3)), r.random(2)))
def relu_layer(x, w, b):
    out = np.zeros((x.shape[0], w.shape[0]))
    for s in range(x.shape[0]):
        for o in range(w.shape[0]):
            acc = b[o]
            for i in range(x.shape[1]):
                acc += x[s, i] * w[o, i]
            out[s, o] = max(acc, 0.0)
    return out


@case(csr)
def csr_weighted(indptr, indices, data, x):
    y = np.zeros(len(indptr) - 1)
    for i in range(len(y)):
        a, b = indptr[i], indptr[i + 1]
        for column, value in zip(indices[a:b], data[a:b], strict=False):
            y[i] += value * x[column]
        for k, value in enumerate(data[a:b]):
            y[i] -= value / (k + 1)
    return y


@case(lambda n, r: (r.normal(size=(n, n)),))
def gershgorin(A):
    n = len(A)
    low, high = np.zeros(n), np.zeros(n)
    for i in range(n):
        radius = sum(abs(A[i, j]) for j in range(n) if j != i)
        low[i] = A[i, i] - radius
        high[i] = A[i, i] + radius
        if any(v > 2.5 for v in A[i]):
            high[i] = max(v for v in A[i])
    return low, high
