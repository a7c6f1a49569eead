"""The most pairs of bases in a folded strand of RNA, of each of its parts."""


# looptx: reassociate table
# looptx: fuse left down match pair edge inside at k=j | reorder k j
def nussinov(seq, table):
    n = seq.shape[0]
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            # looptx: nest left
            table[i, j] = max(table[i, j], table[i, j - 1])
            # looptx: nest down
            table[i, j] = max(table[i, j], table[i + 1, j])
            if i < j - 1:
                # looptx: nest match
                match = 1 if seq[i] + seq[j] == 3 else 0
                # looptx: nest pair
                table[i, j] = max(table[i, j], table[i + 1, j - 1] + match)
            else:
                # looptx: nest edge
                table[i, j] = max(table[i, j], table[i + 1, j - 1])
            # looptx: nest inside
            for k in range(i + 1, j):
                table[i, j] = max(table[i, j], table[i, k] + table[k + 1, j])
