"""LX2xx: the order of the iterations."""

from looptx.cli.codes.explanation import Explanation

PROOF = {
    "LX201": Explanation(
        meaning="""In the new order some iteration reads or overwrites a cell before the
            iteration that should have written or read it. The message shows the
            smallest case: the sizes, the two iterations, the cell, and the first
            directive whose result breaks the order.""",
        source="""
            def f(A, n):
                # looptx: reorder j i
                for i in range(1, n):
                    for j in range(n - 1):
                        A[i, j] = A[i - 1, j + 1] + 1
        """,
        fix="""Follow the hint when there is one. Otherwise choose another order, or
            split the statements into nests of their own. A floating-point sum may be
            reordered with `reassociate s`; only if you know better than the proof is
            there `trust order`, which every report repeats.""",
    ),
    "LX202": Explanation(
        meaning="""The iterations of a parallel or vector loop run at the same time, but
            here one of them needs what another one computes. The message shows two such
            iterations and the cell. A sum is such a dependence too: every iteration
            reads what the last one wrote.""",
        source="""
            def prefix(A, n):
                # looptx: parallel i
                for i in range(1, n):
                    A[i] = A[i] + A[i - 1]
        """,
        fix="""Mark a loop that carries no dependence, usually an outer one after `skew`
            or `reorder`. For a sum in a variable, `s += A[i]`, add `reassociate s` if
            another order of the terms is fine: the last digits may then differ from
            those of the source. Integer sums need no permission when the types say that
            they are integers.""",
    ),
    "LX203": Explanation(
        meaning="""The proof found neither that the order is safe nor a counterexample,
            because something is not affine: a subscript read from another array, a
            product of two loop variables, a condition on data, or on an argument that
            may be a float (`m: int` says that it is none). Or something may use
            anything, as a function does that looptx does not know. Unknown is not
            safe.""",
        source="""
            def scatter(A, B, idx, n):
                # looptx: parallel i
                for i in range(n):
                    A[idx[i]] = B[i]
        """,
        fix="""If you know that the iterations never meet in a cell (here: `idx` holds
            no value twice), say so with `trust independent A`. Nothing checks it, and
            every report and every generated file repeats it.""",
    ),
    "LX204": Explanation(
        meaning="""The proof, or writing the loops of the schedule, needed more steps
            than it is given, so that no input can make it run forever; or the loops
            that were written did not run what they were asked to, which looptx checks.
            This is the verdict unknown.""",
        example="looptx transform deep.py  # a nest of very many loops or directives",
        fix="""Divide the nest into smaller ones, or use fewer nested splits. `trust
            order` skips the proof and is repeated in every report.""",
    ),
    "LX205": Explanation(
        meaning="""Several iterations of a parallel loop combine into the same cells of
            an array, so that each thread needs a copy of it, to be combined
            afterwards. But the loop uses the array otherwise, too, and a copy holds no
            values to read.""",
        source="""
            def weighted(A, s, n, m):
                # looptx: reassociate s | parallel j
                for i in range(n):
                    for j in range(m):
                        s[0, i] += A[i, j] * s[1, i]
        """,
        fix="""Make a loop parallel whose iterations have cells of their own (here:
            `parallel i`), or keep what the loop reads in another array.""",
    ),
    "LX206": Explanation(
        meaning="""Nests are fused into one, so what stands between them has to run
            before it or behind it. This statement shares data with the nests on both
            sides, or is more than an assignment of a computed value to a name.""",
        source="""
            # looptx: fuse a b
            def scale(A, B, n):
                # looptx: nest a
                for i in range(n):
                    A[i] = A[i] + 1.0
                total = A.sum()
                # looptx: nest b
                for i in range(n):
                    B[i] = A[i] / total
        """,
        fix="""Move the statement yourself where that keeps the meaning, or leave the
            nests apart.""",
    ),
    "LX207": Explanation(
        meaning="""A temporary is replaced by the cells that are live at a time. For
            that, every subscript of it must be affine, name one element, and lie
            inside the array for all sizes: the smaller buffer would not raise an
            IndexError.""",
        source="""
            import numpy as np

            def gather(A, index, n):
                T = np.zeros(n)
                # looptx: temp T
                for i in range(n):
                    T[index[i]] = A[i] * 2.0
                    A[i] = T[index[i]] + 1.0
        """,
        fix="""Use loop variables, sizes and numbers in subscripts, and say with
            `assume` how sizes compare that do not follow from one another.""",
    ),
    "LX208": Explanation(
        meaning="""`--validate`, or `kernel.validate()`, ran the function and its
            rewritten form on symbols, and a cell or a result does not hold the same
            expression. The message shows the smallest sizes at which that was seen,
            both expressions, and the part in which they differ.""",
        source="""
            def smear(A, n):
                # looptx: trust order | reorder j i
                for i in range(1, n):
                    for j in range(n - 1):
                        A[i, j] = A[i - 1, j + 1] + 1
        """,
        fix="""If the schedule has a `trust`, it vouches for something that does not
            hold: remove it, and read what the proof says. If that happens only where
            an index array repeats itself, and yours never does, write `trust
            independent` for the array that it is a subscript of. If the schedule has no
            `trust`, looptx is wrong: please report it with the file.""",
        validate=True,
    ),
    "LX209": Explanation(
        meaning="""Validation runs the function alone, on arrays of symbols: nothing of
            the rest of your program is called or imported, and the message says what
            it met: something that symbols do not know, an exception at every size, or
            loops that are long at every size; with `--strict` also loops that ran at
            none of the sizes. Without a comparison there is no validation, so this is
            an error, and nothing is written.""",
        source="""
            def scale(A, n, factor):
                w = factor(n)
                # looptx: split i 32
                for i in range(n):
                    A[i] = A[i] * w
        """,
        fix="""Outside of its nests, too, the function may use Python's operators, abs,
            min, max, len, int and the like, `math`, NumPy's functions of single numbers
            and np.zeros, ones, empty, full, copy, sum. Move other code to the caller,
            pass its results as arguments, or transform without `--validate`.""",
        validate=True,
    ),
    "LX210": Explanation(
        meaning="""The function goes on after an exception in the nest, in an `except`,
            a `finally` or behind a `with`, and reads a variable that the nest assigns.
            Other loops get there in another order, or have other variables: it would
            hold something else then, and nothing would say so. Arrays may hold
            something else after an exception in any rewritten nest.""",
        source="""
            def first_wrong(A, B, n):
                try:
                    # looptx: split i 32
                    for i in range(n):
                        B[i] = A[i] + 1.0
                except IndexError:
                    return i
                return n
        """,
        fix="""Move the loops into a function of their own and call it there, or look
            for what is wrong before the loops. `parallel` and `vectorize` alone leave
            rewritten loops as they are.""",
    ),
}
