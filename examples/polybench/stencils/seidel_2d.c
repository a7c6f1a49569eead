/* The loops of seidel_2d.py, which run one after the other. */
#include <stdint.h>

typedef int64_t size;

void seidel_2d(size n, size steps, double A[restrict n][n])
{
    for (size t = 0; t < steps; t++)
        for (size i = 1; i < n - 1; i++)
            for (size j = 1; j < n - 1; j++)
                A[i][j] = (A[i - 1][j - 1] + A[i - 1][j] + A[i - 1][j + 1]
                           + A[i][j - 1] + A[i][j] + A[i][j + 1]
                           + A[i + 1][j - 1] + A[i + 1][j] + A[i + 1][j + 1]) / 9.0;
}
