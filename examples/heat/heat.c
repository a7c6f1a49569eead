/* The loops of heat.py as its directives order them, written by hand. */
#include <stdint.h>

typedef int64_t size;

#define STEPS 32
#define CELLS 2048

static size least(size a, size b) { return a < b ? a : b; }
static size most(size a, size b) { return a > b ? a : b; }

void heat(double *restrict A, double *restrict B, size steps, size n)
{
    for (size t = 0; t < steps; t += STEPS) {
        size until = least(t + STEPS, steps);
        size first = (2 * t) / CELLS * CELLS + 1;
        for (size i = first; i < n + 2 * until - 2; i += CELLS)
            for (size tt = t; tt < until; tt++) {
                size begin = i - 2 * tt, end = i - 2 * tt + CELLS;
                for (size k = most(1, begin); k < least(end, n - 1); k++)
                    B[k] = 0.25 * (A[k - 1] + 2.0 * A[k] + A[k + 1]);
                for (size k = most(2, begin); k < least(end, n); k++)
                    A[k - 1] = 0.25 * (B[k - 2] + 2.0 * B[k - 1] + B[k]);
            }
    }
}
