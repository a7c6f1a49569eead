/* The loops of gemver.py. */
#include <stdint.h>

typedef int64_t size;

void gemver(size n, double alpha, double beta, double A[restrict n][n],
            const double u1[restrict n], const double v1[restrict n],
            const double u2[restrict n], const double v2[restrict n],
            double w[restrict n], double x[restrict n], const double y[restrict n],
            const double z[restrict n])
{
#pragma omp parallel for
    for (size i = 0; i < n; i++)
        for (size j = 0; j < n; j++)
            A[i][j] = A[i][j] + u1[i] * v1[j] + u2[i] * v2[j];
#pragma omp parallel for
    for (size i = 0; i < n; i++)
        for (size j = 0; j < n; j++)
            x[i] += beta * A[j][i] * y[j];
    for (size i = 0; i < n; i++)
        x[i] += z[i];
#pragma omp parallel for
    for (size i = 0; i < n; i++)
        for (size j = 0; j < n; j++)
            w[i] += alpha * A[i][j] * x[j];
}
