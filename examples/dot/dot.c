/* The loops of dot.py as its directives order them, written by hand. */
#include <stdint.h>
#include <stdlib.h>

typedef int64_t size;

static size least(size a, size b) { return a < b ? a : b; }

void dot(const double *restrict A, const double *restrict B, double *restrict s, size n)
{
    size blocks = (n + 4095) / 4096;
    double *restrict block = malloc(sizeof(double) * (blocks + 1));
#pragma omp parallel for
    for (size k = 0; k < blocks; k++) {
        const double *a = A + k * 4096, *b = B + k * 4096;
        size rest = least(n - k * 4096, 4096), wide = least(rest, 32);
        double lanes[32], sum = -0.0;
        for (size lane = 0; lane < wide; lane++)
            lanes[lane] = -0.0;
        for (size row = 0; row < rest; row += 32)
            for (size lane = 0; lane < least(rest - row, 32); lane++)
                lanes[lane] += a[row + lane] * b[row + lane];
        for (size lane = 0; lane < wide; lane++)
            sum += lanes[lane];
        block[k] = sum;
    }
    for (size k = 0; k < blocks; k++)
        s[0] += block[k];
    free(block);
}
