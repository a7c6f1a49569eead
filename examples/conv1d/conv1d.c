/* The loops of conv1d.py as its directives order them, written by hand. */
#include <stdint.h>

typedef int64_t size;

static size least(size a, size b) { return a < b ? a : b; }
static size most(size a, size b) { return a > b ? a : b; }

void conv1d(const double *restrict signal, const double *restrict coefficients,
            double *restrict out, size n, size m)
{
#pragma omp parallel for
    for (size i = 0; i < n + m - 1; i += 2048)
        for (size j = 0; j < m; j++)
            for (size ii = most(i, j); ii < least(i + 2048, n + j); ii++)
                out[ii] += signal[ii - j] * coefficients[j];
}
