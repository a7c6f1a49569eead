/* The loops of covariance.py. */
#include <stdint.h>

typedef int64_t size;

void covariance(size n, size m, double data[restrict n][m], double cov[restrict m][m],
                double mean[restrict m])
{
#pragma omp parallel for
    for (size j = 0; j < m; j++) {
        mean[j] = 0.0;
        for (size i = 0; i < n; i++)
            mean[j] += data[i][j];
        mean[j] /= n;
    }
#pragma omp parallel for
    for (size i = 0; i < n; i++)
        for (size j = 0; j < m; j++)
            data[i][j] -= mean[j];
#pragma omp parallel for schedule(dynamic, 4)
    for (size i = 0; i < m; i++)
        for (size j = i; j < m; j++) {
            cov[i][j] = 0.0;
            for (size k = 0; k < n; k++)
                cov[i][j] += data[k][i] * data[k][j];
            cov[i][j] /= n - 1.0;
            cov[j][i] = cov[i][j];
        }
}
