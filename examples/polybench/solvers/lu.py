"""The factors L and U of a matrix, in its place."""


# looptx: cut j#1 i//8*8 as left mid | cut j i//8*8+8 as corner right
# looptx: cut k#1 left//16*16 as lk lt | cut k#3 i//8*8 as rk rt
# looptx: tile i=8 left=16 right=24
# looptx: reorder i left lk ii left_in | vectorize left_in#1
# looptx: reorder i right rk ii#3 right_in | vectorize right_in#1 | vectorize right_in#2
# looptx: reorder rt right_in#2 | parallel right
def lu(A):
    n = A.shape[0]
    for i in range(n):
        for j in range(i):
            for k in range(j):
                A[i, j] -= A[i, k] * A[k, j]
            A[i, j] /= A[j, j]
        for j in range(i, n):
            for k in range(i):
                A[i, j] -= A[i, k] * A[k, j]
