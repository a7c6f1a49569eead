/* The loops of conv2d.py as its directives order them, written by hand. */
#include <stdint.h>

typedef int64_t size;

static size least(size a, size b) { return a < b ? a : b; }

void conv2d(const double *restrict A, const double *restrict W,
            const double *restrict bias, double *restrict B, size n, size m,
            size channels, size height, size width)
{
    size rows = n + height - 1, columns = m + width - 1;
#pragma omp parallel for
    for (size i = 0; i < n; i += 16) {
        double S[16][64];
        size high = least(16, n - i);
        for (size j = 0; j < m; j += 64) {
            size wide = least(64, m - j);
            for (size x = 0; x < high; x++)
                for (size y = 0; y < wide; y++)
                    S[x][y] = 0.0;
            for (size c = 0; c < channels; c++)
                for (size a = 0; a < height; a++)
                    for (size b = 0; b < width; b++) {
                        double w = W[(c * height + a) * width + b];
                        for (size x = 0; x < high; x++) {
                            const double *line =
                                A + (c * rows + i + x + a) * columns + j + b;
                            for (size y = 0; y < wide; y++)
                                S[x][y] += line[y] * w;
                        }
                    }
            for (size x = 0; x < high; x++)
                for (size y = 0; y < wide; y++) {
                    double sum = S[x][y] + bias[0];
                    B[(i + x) * m + j + y] = sum > 0.0 ? sum : 0.0;
                }
        }
    }
}
