/* The loops of k2mm.py. */
#include <stdint.h>

typedef int64_t size;

void k2mm(size n, size m, size p, size q, double alpha, double beta,
          double tmp[restrict n][m], const double A[restrict n][p],
          const double B[restrict p][m], const double C[restrict m][q],
          double D[restrict n][q])
{
#pragma omp parallel for
    for (size i = 0; i < n; i++)
        for (size j = 0; j < m; j++) {
            tmp[i][j] = 0.0;
            for (size k = 0; k < p; k++)
                tmp[i][j] += alpha * A[i][k] * B[k][j];
        }
#pragma omp parallel for
    for (size i = 0; i < n; i++)
        for (size j = 0; j < q; j++) {
            D[i][j] *= beta;
            for (size k = 0; k < m; k++)
                D[i][j] += tmp[i][k] * C[k][j];
        }
}
