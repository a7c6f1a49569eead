/* The loops of gemm.py as its directives order them, written by hand. */
#include <stdint.h>
#include <stdlib.h>

typedef int64_t size;

static size least(size a, size b) { return a < b ? a : b; }

void gemm(const double *restrict A, const double *restrict B, double *restrict C,
          size n, size m, size p)
{
    double *restrict PA = malloc(sizeof(double[256][96]));
    double *restrict PB = malloc(sizeof(double[256][2048]));
    for (size j = 0; j < m; j += 2048)
        for (size k = 0; k < p; k += 256) {
            size columns = least(2048, m - j), depth = least(256, p - k);
            for (size x = 0; x < depth; x++)
                for (size y = 0; y < columns; y++)
                    PB[x * 2048 + y] = B[(k + x) * m + j + y];
            for (size i = 0; i < n; i += 96) {
                size rows = least(96, n - i);
                for (size x = 0; x < depth; x++)
                    for (size y = 0; y < rows; y++)
                        PA[x * 96 + y] = A[(i + y) * p + k + x];
                for (size jj = 0; jj < columns; jj += 16)
                    for (size ii = 0; ii < rows; ii += 4) {
                        double block[4][16];
                        size high = least(4, rows - ii), wide = least(16, columns - jj);
                        for (size x = 0; x < high; x++)
                            for (size y = 0; y < wide; y++)
                                block[x][y] = C[(i + ii + x) * m + j + jj + y];
                        for (size kk = 0; kk < depth; kk++)
                            for (size x = 0; x < high; x++)
                                for (size y = 0; y < wide; y++)
                                    block[x][y] +=
                                        PA[kk * 96 + ii + x] * PB[kk * 2048 + jj + y];
                        for (size x = 0; x < high; x++)
                            for (size y = 0; y < wide; y++)
                                C[(i + ii + x) * m + j + jj + y] = block[x][y];
                    }
            }
        }
    free(PA);
    free(PB);
}
