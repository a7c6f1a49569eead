/* The loops of correlation.py. */
#include <math.h>
#include <stdint.h>

typedef int64_t size;

void correlation(size n, size m, double data[restrict n][m], double corr[restrict m][m],
                 double mean[restrict m], double stddev[restrict m])
{
    const double eps = 0.1;
#pragma omp parallel for
    for (size j = 0; j < m; j++) {
        mean[j] = 0.0;
        for (size i = 0; i < n; i++)
            mean[j] += data[i][j];
        mean[j] /= n;
    }
#pragma omp parallel for
    for (size j = 0; j < m; j++) {
        stddev[j] = 0.0;
        for (size i = 0; i < n; i++)
            stddev[j] += (data[i][j] - mean[j]) * (data[i][j] - mean[j]);
        stddev[j] /= n;
        stddev[j] = sqrt(stddev[j]);
        stddev[j] = stddev[j] <= eps ? 1.0 : stddev[j];
    }
    const double root = sqrt((double)n);
#pragma omp parallel for
    for (size i = 0; i < n; i++)
        for (size j = 0; j < m; j++) {
            data[i][j] -= mean[j];
            data[i][j] /= root * stddev[j];
        }
#pragma omp parallel for schedule(dynamic, 4)
    for (size i = 0; i < m - 1; i++) {
        corr[i][i] = 1.0;
        for (size j = i + 1; j < m; j++) {
            corr[i][j] = 0.0;
            for (size k = 0; k < n; k++)
                corr[i][j] += data[k][i] * data[k][j];
            corr[j][i] = corr[i][j];
        }
    }
    corr[m - 1][m - 1] = 1.0;
}
