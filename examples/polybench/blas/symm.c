/* The loops of symm.py; the columns j of a row are shared among threads. */
#include <stdint.h>

typedef int64_t size;

void symm(size n, size m, double alpha, double beta, double C[restrict n][m],
          const double A[restrict n][n], const double B[restrict n][m])
{
    for (size i = 0; i < n; i++)
#pragma omp parallel for
        for (size j = 0; j < m; j++) {
            double temp2 = 0.0;
            for (size k = 0; k < i; k++) {
                C[k][j] += alpha * B[i][j] * A[i][k];
                temp2 += B[k][j] * A[i][k];
            }
            C[i][j] = beta * C[i][j] + alpha * B[i][j] * A[i][i] + alpha * temp2;
        }
}
