/* The loops of fdtd_2d.py. */
#include <stdint.h>

typedef int64_t size;

void fdtd_2d(size n, size m, size steps, double ex[restrict n][m],
             double ey[restrict n][m], double hz[restrict n][m],
             const double source[restrict steps])
{
    for (size t = 0; t < steps; t++) {
        for (size j = 0; j < m; j++)
            ey[0][j] = source[t];
#pragma omp parallel for
        for (size i = 1; i < n; i++)
            for (size j = 0; j < m; j++)
                ey[i][j] -= 0.5 * (hz[i][j] - hz[i - 1][j]);
#pragma omp parallel for
        for (size i = 0; i < n; i++)
            for (size j = 1; j < m; j++)
                ex[i][j] -= 0.5 * (hz[i][j] - hz[i][j - 1]);
#pragma omp parallel for
        for (size i = 0; i < n - 1; i++)
            for (size j = 0; j < m - 1; j++)
                hz[i][j] -= 0.7 * (ex[i][j + 1] - ex[i][j] + ey[i + 1][j] - ey[i][j]);
    }
}
