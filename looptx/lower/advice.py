"""What helps where a nest cannot be compiled natively: the loops run as Python.

Where a reason is raised, that says which of these goes with it.
"""

CONVERT = "convert it where it is assigned or read: `int(...)`, `float(...)`"
SAME = "let each assignment give it the same kind of number: `float(...)`, `int(...)`"
INTEGER = "make an integer of it before the nest: `int(...)`"
SMALL = "keep it small (`& 0xFFFFFFFF`, `% m`), or let it be `np.int64(...)`"
WIDER = "widen what it is made of first: `int(x[i])`"
EACH = "give each name its own element: `x, y = p[i, 0], p[i, 1]`"
NAMED = "keep the parts under names of their own: `a, b = i, j`"
ELEMENTS = "write it as a loop over the elements, or compute it before the nest"
ROW = "loop over its elements; reductions can be given it as it is: `np.sum(A[i])`"
EQUALS = "compare numbers with `==` and `!=`: `is` asks whether they are one object"
SINGLY = "compare with each number by itself: `x == a or x == b`"
BEFORE = "call it before the nest, into an array that the nest reads"
NUMBERS = "write it with numbers, elements of arrays and functions of `math` and NumPy"
