/* The loops of trisolv.py, which run one after the other. */
#include <stdint.h>

typedef int64_t size;

void trisolv(size n, const double L[restrict n][n], double x[restrict n],
             const double b[restrict n])
{
    for (size i = 0; i < n; i++) {
        x[i] = b[i];
        for (size j = 0; j < i; j++)
            x[i] -= L[i][j] * x[j];
        x[i] /= L[i][i];
    }
}
