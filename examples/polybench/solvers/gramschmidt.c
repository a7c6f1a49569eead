/* The loops of gramschmidt.py. */
#include <math.h>
#include <stdint.h>

typedef int64_t size;

void gramschmidt(size n, size m, double A[restrict n][m], double R[restrict m][m],
                 double Q[restrict n][m])
{
    for (size k = 0; k < m; k++) {
        double nrm = 0.0;
        for (size i = 0; i < n; i++)
            nrm += A[i][k] * A[i][k];
        R[k][k] = sqrt(nrm);
        for (size i = 0; i < n; i++)
            Q[i][k] = A[i][k] / R[k][k];
#pragma omp parallel for
        for (size j = k + 1; j < m; j++) {
            R[k][j] = 0.0;
            for (size i = 0; i < n; i++)
                R[k][j] += Q[i][k] * A[i][j];
            for (size i = 0; i < n; i++)
                A[i][j] -= Q[i][k] * R[k][j];
        }
    }
}
