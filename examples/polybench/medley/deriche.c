/* The loops of deriche.py. */
#include <math.h>
#include <stdint.h>

typedef int64_t size;

void deriche(size w, size h, double alpha, const float image[restrict w][h],
             float out[restrict w][h], float y1[restrict w][h], float y2[restrict w][h])
{
    const double fall = exp(-alpha);
    const double k = pow(1.0 - fall, 2) / (1.0 + 2.0 * alpha * fall - exp(2.0 * alpha));
    const float a1 = k, a2 = k * fall * (alpha - 1.0), a3 = k * fall * (alpha + 1.0);
    const float a4 = -k * fall * fall, b1 = pow(2.0, -alpha), b2 = -fall * fall;
#pragma omp parallel for
    for (size i = 0; i < w; i++) {
        float ym1 = 0.0f, ym2 = 0.0f, xm1 = 0.0f;
        for (size j = 0; j < h; j++) {
            y1[i][j] = a1 * image[i][j] + a2 * xm1 + b1 * ym1 + b2 * ym2;
            xm1 = image[i][j];
            ym2 = ym1;
            ym1 = y1[i][j];
        }
    }
#pragma omp parallel for
    for (size i = 0; i < w; i++) {
        float yp1 = 0.0f, yp2 = 0.0f, xp1 = 0.0f, xp2 = 0.0f;
        for (size j = h - 1; j >= 0; j--) {
            y2[i][j] = a3 * xp1 + a4 * xp2 + b1 * yp1 + b2 * yp2;
            xp2 = xp1;
            xp1 = image[i][j];
            yp2 = yp1;
            yp1 = y2[i][j];
        }
    }
#pragma omp parallel for
    for (size i = 0; i < w; i++)
        for (size j = 0; j < h; j++)
            out[i][j] = y1[i][j] + y2[i][j];
#pragma omp parallel for
    for (size j = 0; j < h; j++) {
        float tm1 = 0.0f, ym1 = 0.0f, ym2 = 0.0f;
        for (size i = 0; i < w; i++) {
            y1[i][j] = a1 * out[i][j] + a2 * tm1 + b1 * ym1 + b2 * ym2;
            tm1 = out[i][j];
            ym2 = ym1;
            ym1 = y1[i][j];
        }
    }
#pragma omp parallel for
    for (size j = 0; j < h; j++) {
        float tp1 = 0.0f, tp2 = 0.0f, yp1 = 0.0f, yp2 = 0.0f;
        for (size i = w - 1; i >= 0; i--) {
            y2[i][j] = a3 * tp1 + a4 * tp2 + b1 * yp1 + b2 * yp2;
            tp2 = tp1;
            tp1 = out[i][j];
            yp2 = yp1;
            yp1 = y2[i][j];
        }
    }
#pragma omp parallel for
    for (size i = 0; i < w; i++)
        for (size j = 0; j < h; j++)
            out[i][j] = y1[i][j] + y2[i][j];
}
