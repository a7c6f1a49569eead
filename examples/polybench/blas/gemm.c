/* The loops of gemm.py; i is shared among threads. */
#include <stdint.h>

typedef int64_t size;

void gemm(size n, size m, size p, double alpha, double beta, double C[restrict n][m],
          const double A[restrict n][p], const double B[restrict p][m])
{
#pragma omp parallel for
    for (size i = 0; i < n; i++) {
        for (size j = 0; j < m; j++)
            C[i][j] *= beta;
        for (size k = 0; k < p; k++)
            for (size j = 0; j < m; j++)
                C[i][j] += alpha * A[i][k] * B[k][j];
    }
}
