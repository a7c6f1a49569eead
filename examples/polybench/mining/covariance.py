"""The covariances of all pairs of a table's columns."""


# looptx: vectorize n0.j | reorder n0.i n0.j | vectorize n1.j | parallel n1.i
# looptx: tile n2.i=8 n2.j=24 | vectorize n2.jj | reorder n2.i n2.j n2.k n2.ii n2.jj
# looptx: parallel n2.i schedule=dynamic chunk=1
def covariance(data, cov, mean):
    n, m = data.shape
    for j in range(m):
        mean[j] = 0.0
        for i in range(n):
            mean[j] += data[i, j]
        mean[j] /= n
    for i in range(n):
        for j in range(m):
            data[i, j] -= mean[j]
    for i in range(m):
        for j in range(i, m):
            cov[i, j] = 0.0
            for k in range(n):
                cov[i, j] += data[k, i] * data[k, j]
            cov[i, j] /= n - 1.0
            cov[j, i] = cov[i, j]
