/* The loops of heat_3d.py. */
#include <stdint.h>

typedef int64_t size;

void heat_3d(size n, size steps, double A[restrict n][n][n], double B[restrict n][n][n])
{
    for (size t = 0; t < steps; t++) {
#pragma omp parallel for
        for (size i = 1; i < n - 1; i++)
            for (size j = 1; j < n - 1; j++)
                for (size k = 1; k < n - 1; k++)
                    B[i][j][k] =
                        0.125 * (A[i + 1][j][k] - 2.0 * A[i][j][k] + A[i - 1][j][k])
                        + 0.125 * (A[i][j + 1][k] - 2.0 * A[i][j][k] + A[i][j - 1][k])
                        + 0.125 * (A[i][j][k + 1] - 2.0 * A[i][j][k] + A[i][j][k - 1])
                        + A[i][j][k];
#pragma omp parallel for
        for (size i = 1; i < n - 1; i++)
            for (size j = 1; j < n - 1; j++)
                for (size k = 1; k < n - 1; k++)
                    A[i][j][k] =
                        0.125 * (B[i + 1][j][k] - 2.0 * B[i][j][k] + B[i - 1][j][k])
                        + 0.125 * (B[i][j + 1][k] - 2.0 * B[i][j][k] + B[i][j - 1][k])
                        + 0.125 * (B[i][j][k + 1] - 2.0 * B[i][j][k] + B[i][j][k - 1])
                        + B[i][j][k];
    }
}
