/* The loops of adi.py. */
#include <stdint.h>

typedef int64_t size;

void adi(size n, size steps, double u[restrict n][n], double v[restrict n][n],
         double p[restrict n][n], double q[restrict n][n])
{
    const double mul1 = 2.0 * n * n / steps, mul2 = 1.0 * n * n / steps;
    const double a = -mul1 / 2.0, c = a, d = -mul2 / 2.0, f = d;
    const double b = 1.0 + mul1, e = 1.0 + mul2;
    for (size t = 0; t < steps; t++) {
#pragma omp parallel for
        for (size i = 1; i < n - 1; i++) {
            v[0][i] = 1.0;
            p[i][0] = 0.0;
            q[i][0] = 1.0;
            for (size j = 1; j < n - 1; j++) {
                p[i][j] = -c / (a * p[i][j - 1] + b);
                q[i][j] = (-d * u[j][i - 1] + (1.0 + 2.0 * d) * u[j][i]
                           - f * u[j][i + 1] - a * q[i][j - 1])
                          / (a * p[i][j - 1] + b);
            }
            v[n - 1][i] = 1.0;
            for (size j = n - 2; j >= 1; j--)
                v[j][i] = p[i][j] * v[j + 1][i] + q[i][j];
        }
#pragma omp parallel for
        for (size i = 1; i < n - 1; i++) {
            u[i][0] = 1.0;
            p[i][0] = 0.0;
            q[i][0] = 1.0;
            for (size j = 1; j < n - 1; j++) {
                p[i][j] = -f / (d * p[i][j - 1] + e);
                q[i][j] = (-a * v[i - 1][j] + (1.0 + 2.0 * a) * v[i][j]
                           - c * v[i + 1][j] - d * q[i][j - 1])
                          / (d * p[i][j - 1] + e);
            }
            u[i][n - 1] = 1.0;
            for (size j = n - 2; j >= 1; j--)
                u[i][j] = p[i][j] * u[i][j + 1] + q[i][j];
        }
    }
}
