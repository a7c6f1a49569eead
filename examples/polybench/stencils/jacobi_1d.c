/* The loops of jacobi_1d.py; a step is too short to share among threads. */
#include <stdint.h>

typedef int64_t size;

void jacobi_1d(size n, size steps, double A[restrict n], double B[restrict n])
{
    for (size t = 0; t < steps; t++) {
        for (size i = 1; i < n - 1; i++)
            B[i] = 0.33333 * (A[i - 1] + A[i] + A[i + 1]);
        for (size i = 1; i < n - 1; i++)
            A[i] = 0.33333 * (B[i - 1] + B[i] + B[i + 1]);
    }
}
