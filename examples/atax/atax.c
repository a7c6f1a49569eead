/* The loops of atax.py as its directives order them, written by hand. */
#include <stdint.h>

typedef int64_t size;

static size least(size a, size b) { return a < b ? a : b; }

void atax(const double *restrict A, const double *restrict x, double *restrict t,
          double *restrict y, size n, size m)
{
    size whole = n - n % 4;
#pragma omp parallel for
    for (size i = 0; i < whole; i += 4)
        for (size j = 0; j < m; j++) {
            t[i] += A[i * m + j] * x[j];
            t[i + 1] += A[(i + 1) * m + j] * x[j];
            t[i + 2] += A[(i + 2) * m + j] * x[j];
            t[i + 3] += A[(i + 3) * m + j] * x[j];
        }
    for (size j = 0; j < m; j++)
        for (size i = whole; i < n; i++)
            t[i] += A[i * m + j] * x[j];
#pragma omp parallel for
    for (size j = 0; j < m; j += 128)
        for (size i = 0; i < n; i++)
            for (size jj = j; jj < least(j + 128, m); jj++)
                y[jj] += A[i * m + jj] * t[i];
}
