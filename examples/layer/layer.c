/* The loops of layer.py as its directives order them, written by hand. */
#include <stdint.h>

typedef int64_t size;

static size least(size a, size b) { return a < b ? a : b; }

#define LAYER(name, real)                                                             \
    static void name(const real *restrict A, const real *restrict B,                  \
                     const real *restrict b, real *restrict D, size n, size m,        \
                     size p)                                                          \
    {                                                                                 \
        _Pragma("omp parallel for") for (size i = 0; i < n; i += 64)                  \
        {                                                                             \
            real C[64][96], PB[256][96];                                              \
            size high = least(64, n - i);                                             \
            for (size j = 0; j < m; j += 96) {                                        \
                size wide = least(96, m - j);                                         \
                for (size x = 0; x < high; x++)                                       \
                    for (size y = 0; y < wide; y++)                                   \
                        C[x][y] = 0;                                                  \
                for (size k = 0; k < p; k += 256) {                                   \
                    size deep = least(256, p - k);                                    \
                    for (size x = 0; x < deep; x++)                                   \
                        for (size y = 0; y < wide; y++)                               \
                            PB[x][y] = B[(k + x) * m + j + y];                        \
                    for (size ii = 0; ii < high; ii += 8)                             \
                        for (size jj = 0; jj < wide; jj += 24) {                      \
                            size rows = least(8, high - ii);                          \
                            size columns = least(24, wide - jj);                      \
                            for (size kk = 0; kk < deep; kk++)                        \
                                for (size x = 0; x < rows; x++)                       \
                                    for (size y = 0; y < columns; y++)                \
                                        C[ii + x][jj + y] +=                          \
                                            A[(i + ii + x) * p + k + kk] *            \
                                            PB[kk][jj + y];                           \
                        }                                                             \
                }                                                                     \
                for (size x = 0; x < high; x++)                                       \
                    for (size y = 0; y < wide; y++) {                                 \
                        real sum = C[x][y] + b[j + y];                                \
                        D[(i + x) * m + j + y] = sum > 0 ? sum : 0;                   \
                    }                                                                 \
            }                                                                         \
        }                                                                             \
    }

LAYER(doubles, double)
LAYER(floats, float)

void layer(const void *A, const void *B, const void *b, void *D, size n, size m, size p,
           size bytes)
{
    if (bytes == 8)
        doubles(A, B, b, D, n, m, p);
    else
        floats(A, B, b, D, n, m, p);
}
