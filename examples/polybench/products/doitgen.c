/* The loops of doitgen.py; all rows go through one, so they take turns. */
#include <stdint.h>

typedef int64_t size;

void doitgen(size nr, size nq, size n, double A[restrict nr][nq][n],
             const double C4[restrict n][n], double row[restrict n])
{
    for (size r = 0; r < nr; r++)
        for (size q = 0; q < nq; q++) {
            for (size p = 0; p < n; p++) {
                row[p] = 0.0;
                for (size s = 0; s < n; s++)
                    row[p] += A[r][q][s] * C4[s][p];
            }
            for (size p = 0; p < n; p++)
                A[r][q][p] = row[p];
        }
}
