/* The loops of lu.py. */
#include <stdint.h>

typedef int64_t size;

void lu(size n, double A[restrict n][n])
{
    for (size i = 0; i < n; i++) {
        for (size j = 0; j < i; j++) {
            for (size k = 0; k < j; k++)
                A[i][j] -= A[i][k] * A[k][j];
            A[i][j] /= A[j][j];
        }
#pragma omp parallel for
        for (size j = i; j < n; j++)
            for (size k = 0; k < i; k++)
                A[i][j] -= A[i][k] * A[k][j];
    }
}
