/* The loops of nussinov.py, which run one after the other. */
#include <stdint.h>

typedef int64_t size;

static int32_t most(int32_t a, int32_t b) { return a >= b ? a : b; }

void nussinov(size n, const int8_t seq[restrict n], int32_t table[restrict n][n])
{
    for (size i = n - 1; i >= 0; i--)
        for (size j = i + 1; j < n; j++) {
            table[i][j] = most(table[i][j], table[i][j - 1]);
            table[i][j] = most(table[i][j], table[i + 1][j]);
            if (i < j - 1) {
                int32_t match = seq[i] + seq[j] == 3 ? 1 : 0;
                table[i][j] = most(table[i][j], table[i + 1][j - 1] + match);
            } else {
                table[i][j] = most(table[i][j], table[i + 1][j - 1]);
            }
            for (size k = i + 1; k < j; k++)
                table[i][j] = most(table[i][j], table[i][k] + table[k + 1][j]);
        }
}
