/* The loops of trisolve.py as its directives order them, written by hand. */
#include <stdint.h>

typedef int64_t size;

static size least(size a, size b) { return a < b ? a : b; }

void trisolve(const double *restrict L, double *X, size n, size m)
{
#pragma omp parallel for
    for (size c = 0; c < m; c += 64)
        for (size i = 0; i < n; i++) {
            for (size j = 0; j < i; j++)
                for (size cc = c; cc < least(c + 64, m); cc++)
                    X[i * m + cc] -= L[i * n + j] * X[j * m + cc];
            for (size cc = c; cc < least(c + 64, m); cc++)
                X[i * m + cc] /= L[i * n + i];
        }
}
