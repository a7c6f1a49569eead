"""A product along the last of three dimensions, in place, through a row."""


# looptx: trust scratch row | split q 8 | split p#1 24 | vectorize pp
# looptx: reorder q p#1 s qq pp | parallel r
def doitgen(A, C4, row):
    nr, nq, n = A.shape
    for r in range(nr):
        for q in range(nq):
            for p in range(n):
                row[p] = 0.0
                for s in range(n):
                    row[p] += A[r, q, s] * C4[s, p]
            for p in range(n):
                A[r, q, p] = row[p]
