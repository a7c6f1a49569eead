/* The loops of jacobi2d.py as its directives order them, written by hand. */
#include <stdint.h>

typedef int64_t size;

static void sweep(const double *restrict A, double *restrict B, size n, size m)
{
#pragma omp parallel for
    for (size i = 1; i < n - 1; i++)
        for (size j = 1; j < m - 1; j++)
            B[i * m + j] = 0.2 * (A[i * m + j] + A[i * m + j - 1] + A[i * m + j + 1]
                                  + A[(i + 1) * m + j] + A[(i - 1) * m + j]);
}

void jacobi2d(double *A, double *B, size steps, size n, size m)
{
    for (size t = 0; t < steps; t++) {
        sweep(A, B, n, m);
        sweep(B, A, n, m);
    }
}
