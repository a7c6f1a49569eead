/* The loops of gesummv.py. */
#include <stdint.h>

typedef int64_t size;

void gesummv(size n, double alpha, double beta, const double A[restrict n][n],
             const double B[restrict n][n], double tmp[restrict n],
             const double x[restrict n], double y[restrict n])
{
#pragma omp parallel for
    for (size i = 0; i < n; i++) {
        tmp[i] = 0.0;
        y[i] = 0.0;
        for (size j = 0; j < n; j++) {
            tmp[i] += A[i][j] * x[j];
            y[i] += B[i][j] * x[j];
        }
        y[i] = alpha * tmp[i] + beta * y[i];
    }
}
