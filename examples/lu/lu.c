/* The loops of lu.py as its directives order them, written by hand. */
#include <stdint.h>

typedef int64_t size;

static size least(size a, size b) { return a < b ? a : b; }
static size most(size a, size b) { return a > b ? a : b; }

void lu(double *A, size n)
{
    for (size i = 1; i < n; i += 32)
        for (size k = 0; k < least(i + 31, n - 1); k++)
            for (size ii = most(i, k + 1); ii < least(i + 32, n); ii++) {
                A[ii * n + k] /= A[k * n + k];
                for (size j = k + 1; j < n; j++)
                    A[ii * n + j] -= A[ii * n + k] * A[k * n + j];
            }
}
