/* The loops of attention.py as its directives order them, written by hand. */
#include <stdint.h>
#include <stdlib.h>

typedef int64_t size;
typedef void loop(char **, const size *, const size *, void *);

void attention(const double *restrict Q, const double *restrict K,
               const double *restrict V, double *restrict P, double *restrict O, size n,
               size m, size d, size e, loop *exp, void *data)
{
#pragma omp parallel
    {
        double *S = malloc(2 * m * sizeof *S), *E = S + m;
#pragma omp for
        for (size i = 0; i < n; i++) {
            double most, total = 0.0;
            for (size j = 0; j < m; j++) {
                double sum = 0.0;
                for (size k = 0; k < d; k++)
                    sum += Q[i * d + k] * K[j * d + k];
                S[j] = sum;
            }
            most = S[0];
            for (size j = 0; j < m; j++)
                most = S[j] > most ? S[j] : most;
            for (size j = 0; j < m; j++)
                E[j] = S[j] - most;
            exp((char *[]){(char *)E, (char *)E}, &m,
                (size[]){sizeof *E, sizeof *E}, data);
            for (size j = 0; j < m; j++)
                total += E[j];
            for (size j = 0; j < m; j++)
                P[i * m + j] = E[j] / total;
        }
#pragma omp for
        for (size i = 0; i < n; i++) {
            for (size j = 0; j < e; j++)
                O[i * e + j] = 0.0;
            for (size k = 0; k < m; k++)
                for (size j = 0; j < e; j++)
                    O[i * e + j] += P[i * m + k] * V[k * e + j];
        }
        free(S);
    }
}
