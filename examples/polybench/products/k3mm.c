/* The loops of k3mm.py. */
#include <stdint.h>

typedef int64_t size;

void k3mm(size n, size m, size p, size q, size r, double E[restrict n][m],
          const double A[restrict n][p], const double B[restrict p][m],
          double F[restrict m][q], const double C[restrict m][r],
          const double D[restrict r][q], double G[restrict n][q])
{
#pragma omp parallel for
    for (size i = 0; i < n; i++)
        for (size j = 0; j < m; j++) {
            E[i][j] = 0.0;
            for (size k = 0; k < p; k++)
                E[i][j] += A[i][k] * B[k][j];
        }
#pragma omp parallel for
    for (size i = 0; i < m; i++)
        for (size j = 0; j < q; j++) {
            F[i][j] = 0.0;
            for (size k = 0; k < r; k++)
                F[i][j] += C[i][k] * D[k][j];
        }
#pragma omp parallel for
    for (size i = 0; i < n; i++)
        for (size j = 0; j < q; j++) {
            G[i][j] = 0.0;
            for (size k = 0; k < m; k++)
                G[i][j] += E[i][k] * F[k][j];
        }
}
