"""The correlations of all pairs of a table's columns."""

import numpy as np


# looptx: vectorize n0.j | reorder n0.i n0.j | vectorize n1.j | reorder n1.i n1.j
# looptx: vectorize n2.j | parallel n2.i
# looptx: tile n3.i=8 n3.j=24 | vectorize n3.jj | reorder n3.i n3.j n3.k n3.ii n3.jj
# looptx: parallel n3.i schedule=dynamic chunk=1
def correlation(data, corr, mean, stddev):
    n, m = data.shape
    eps = 0.1
    for j in range(m):
        mean[j] = 0.0
        for i in range(n):
            mean[j] += data[i, j]
        mean[j] /= n
    for j in range(m):
        stddev[j] = 0.0
        for i in range(n):
            stddev[j] += (data[i, j] - mean[j]) * (data[i, j] - mean[j])
        stddev[j] /= n
        stddev[j] = np.sqrt(stddev[j])
        stddev[j] = 1.0 if stddev[j] <= eps else stddev[j]
    root = np.sqrt(float(n))
    for i in range(n):
        for j in range(m):
            data[i, j] -= mean[j]
            data[i, j] /= root * stddev[j]
    for i in range(m - 1):
        corr[i, i] = 1.0
        for j in range(i + 1, m):
            corr[i, j] = 0.0
            for k in range(n):
                corr[i, j] += data[k, i] * data[k, j]
            corr[j, i] = corr[i, j]
    corr[m - 1, m - 1] = 1.0
