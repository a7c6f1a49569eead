/* The loops of bicg.py; what rows add to s is not shared among threads. */
#include <stdint.h>

typedef int64_t size;

void bicg(size n, size m, const double A[restrict n][m], double s[restrict m],
          double q[restrict n], const double p[restrict m], const double r[restrict n])
{
    for (size j = 0; j < m; j++)
        s[j] = 0.0;
    for (size i = 0; i < n; i++) {
        q[i] = 0.0;
        for (size j = 0; j < m; j++) {
            s[j] += r[i] * A[i][j];
            q[i] += A[i][j] * p[j];
        }
    }
}
