/* The loops of gemm.py as its directives order them, written by hand. */
#include <stdint.h>

typedef int64_t size;

static size least(size a, size b) { return a < b ? a : b; }

void gemm(const double *restrict A, const double *restrict B, double *restrict C,
          size n, size m, size p)
{
    double PB[256][24];
    for (size j = 0; j < m; j += 24)
        for (size k = 0; k < p; k += 256) {
            size wide = least(24, m - j), depth = least(256, p - k);
            for (size x = 0; x < depth; x++)
                for (size y = 0; y < wide; y++)
                    PB[x][y] = B[(k + x) * m + j + y];
            for (size i = 0; i < n; i += 8) {
                size high = least(8, n - i);
                for (size kk = 0; kk < depth; kk++)
                    for (size x = 0; x < high; x++)
                        for (size y = 0; y < wide; y++)
                            C[(i + x) * m + j + y] +=
                                A[(i + x) * p + k + kk] * PB[kk][y];
            }
        }
}
