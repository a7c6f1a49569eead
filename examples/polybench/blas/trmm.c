/* The loops of trmm.py. */
#include <stdint.h>

typedef int64_t size;

void trmm(size n, size m, double alpha, const double A[restrict n][n],
          double B[restrict n][m])
{
    for (size i = 0; i < n; i++)
#pragma omp parallel for
        for (size j = 0; j < m; j++) {
            for (size k = i + 1; k < n; k++)
                B[i][j] += A[k][i] * B[k][j];
            B[i][j] *= alpha;
        }
}
