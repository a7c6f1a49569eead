/* The loops of floyd_warshall.py. A path is at most its detours, so row k stays as it
   is while k is tried: threads may share i. */
#include <stdint.h>

typedef int64_t size;

void floyd_warshall(size n, int32_t path[restrict n][n])
{
    for (size k = 0; k < n; k++)
#pragma omp parallel for
        for (size i = 0; i < n; i++)
            for (size j = 0; j < n; j++) {
                int32_t way = path[i][k] + path[k][j];
                path[i][j] = path[i][j] < way ? path[i][j] : way;
            }
}
