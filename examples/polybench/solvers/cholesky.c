/* The loops of cholesky.py, which run one after the other. */
#include <math.h>
#include <stdint.h>

typedef int64_t size;

void cholesky(size n, double A[restrict n][n])
{
    for (size i = 0; i < n; i++) {
        for (size j = 0; j < i; j++) {
            for (size k = 0; k < j; k++)
                A[i][j] -= A[i][k] * A[j][k];
            A[i][j] /= A[j][j];
        }
        for (size k = 0; k < i; k++)
            A[i][i] -= A[i][k] * A[i][k];
        A[i][i] = sqrt(A[i][i]);
    }
}
