/* The loops of jacobi_2d.py. */
#include <stdint.h>

typedef int64_t size;

void jacobi_2d(size n, size steps, double A[restrict n][n], double B[restrict n][n])
{
    for (size t = 0; t < steps; t++) {
#pragma omp parallel for
        for (size i = 1; i < n - 1; i++)
            for (size j = 1; j < n - 1; j++)
                B[i][j] = 0.2 * (A[i][j] + A[i][j - 1] + A[i][j + 1]
                                 + A[i + 1][j] + A[i - 1][j]);
#pragma omp parallel for
        for (size i = 1; i < n - 1; i++)
            for (size j = 1; j < n - 1; j++)
                A[i][j] = 0.2 * (B[i][j] + B[i][j - 1] + B[i][j + 1]
                                 + B[i + 1][j] + B[i - 1][j]);
    }
}
