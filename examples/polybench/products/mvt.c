/* The loops of mvt.py. */
#include <stdint.h>

typedef int64_t size;

void mvt(size n, double x1[restrict n], double x2[restrict n],
         const double y1[restrict n], const double y2[restrict n],
         const double A[restrict n][n])
{
#pragma omp parallel for
    for (size i = 0; i < n; i++)
        for (size j = 0; j < n; j++)
            x1[i] += A[i][j] * y1[j];
#pragma omp parallel for
    for (size i = 0; i < n; i++)
        for (size j = 0; j < n; j++)
            x2[i] += A[j][i] * y2[j];
}
