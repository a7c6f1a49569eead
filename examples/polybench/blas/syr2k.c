/* The loops of syr2k.py. */
#include <stdint.h>

typedef int64_t size;

void syr2k(size n, size m, double alpha, double beta, double C[restrict n][n],
           const double A[restrict n][m], const double B[restrict n][m])
{
#pragma omp parallel for schedule(dynamic, 4)
    for (size i = 0; i < n; i++) {
        for (size j = 0; j <= i; j++)
            C[i][j] *= beta;
        for (size k = 0; k < m; k++)
            for (size j = 0; j <= i; j++)
                C[i][j] += A[j][k] * alpha * B[i][k] + B[j][k] * alpha * A[i][k];
    }
}
