/* The loops of blur.py as its directives order them, written by hand. */
#include <stdint.h>
#include <stdlib.h>

typedef int64_t size;

static size least(size a, size b) { return a < b ? a : b; }

static void sums(double *restrict T, const double *restrict A, size m)
{
    for (size j = 1; j < m - 1; j++)
        T[j] = A[j - 1] + A[j] + A[j + 1];
}

void blur(const double *restrict A, double *restrict B, size n, size m)
{
#pragma omp parallel
    {
        double *T = malloc(sizeof(double[3]) * (m + 1));
#pragma omp for
        for (size i = 1; i < n - 1; i += 64)
            for (size ii = i; ii < least(i + 64, n - 1); ii++) {
                if (ii == i)
                    for (size k = i - 1; k < i + 1; k++)
                        sums(T + k % 3 * m, A + k * m, m);
                sums(T + (ii + 1) % 3 * m, A + (ii + 1) * m, m);
                const double *x = T + (ii + 2) % 3 * m, *y = T + ii % 3 * m;
                const double *z = T + (ii + 1) % 3 * m;
                double *restrict to = B + ii * m;
                for (size j = 1; j < m - 1; j++)
                    to[j] = (x[j] + y[j] + z[j]) / 9.0;
            }
        free(T);
    }
}
