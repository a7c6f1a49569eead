/* The loops of matmul.py as its directives order them, written by hand. */
#include <stdint.h>

typedef int64_t size;

static size least(size a, size b) { return a < b ? a : b; }

void matmul(const double *restrict A, const double *restrict B, double *restrict C,
            size n, size m, size p)
{
#pragma omp parallel for
    for (size i = 0; i < n; i += 32)
        for (size j = 0; j < m; j += 256)
            for (size k = 0; k < p; k += 64)
                for (size ii = i; ii < least(i + 32, n); ii++)
                    for (size kk = k; kk < least(k + 64, p); kk++)
                        for (size jj = j; jj < least(j + 256, m); jj++)
                            C[ii * m + jj] += A[ii * p + kk] * B[kk * m + jj];
}
