/* The loops of atax.py; what rows add to y is not shared among threads. */
#include <stdint.h>

typedef int64_t size;

void atax(size n, size m, const double A[restrict n][m], const double x[restrict m],
          double y[restrict m], double tmp[restrict n])
{
    for (size j = 0; j < m; j++)
        y[j] = 0.0;
    for (size i = 0; i < n; i++) {
        tmp[i] = 0.0;
        for (size j = 0; j < m; j++)
            tmp[i] += A[i][j] * x[j];
        for (size j = 0; j < m; j++)
            y[j] += A[i][j] * tmp[i];
    }
}
