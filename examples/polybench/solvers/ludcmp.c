/* The loops of ludcmp.py. */
#include <stdint.h>

typedef int64_t size;

void ludcmp(size n, double A[restrict n][n], const double b[restrict n],
            double x[restrict n], double y[restrict n])
{
    for (size i = 0; i < n; i++) {
        for (size j = 0; j < i; j++) {
            double w = A[i][j];
            for (size k = 0; k < j; k++)
                w -= A[i][k] * A[k][j];
            A[i][j] = w / A[j][j];
        }
#pragma omp parallel for
        for (size j = i; j < n; j++) {
            double w = A[i][j];
            for (size k = 0; k < i; k++)
                w -= A[i][k] * A[k][j];
            A[i][j] = w;
        }
    }
    for (size i = 0; i < n; i++) {
        double w = b[i];
        for (size j = 0; j < i; j++)
            w -= A[i][j] * y[j];
        y[i] = w;
    }
    for (size i = n - 1; i >= 0; i--) {
        double w = y[i];
        for (size j = i + 1; j < n; j++)
            w -= A[i][j] * x[j];
        x[i] = w / A[i][i];
    }
}
