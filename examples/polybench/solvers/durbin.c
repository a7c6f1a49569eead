/* The loops of durbin.py, which run one after the other. */
#include <stdint.h>

typedef int64_t size;

void durbin(size n, const double r[restrict n], double y[restrict n],
            double z[restrict n])
{
    y[0] = -r[0];
    double beta = 1.0;
    double alpha = -r[0];
    for (size k = 1; k < n; k++) {
        beta = (1.0 - alpha * alpha) * beta;
        double s = 0.0;
        for (size i = 0; i < k; i++)
            s += r[k - i - 1] * y[i];
        alpha = -(r[k] + s) / beta;
        for (size i = 0; i < k; i++)
            z[i] = y[i] + alpha * y[k - i - 1];
        for (size i = 0; i < k; i++)
            y[i] = z[i];
        y[k] = alpha;
    }
}
