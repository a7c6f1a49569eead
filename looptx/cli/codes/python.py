"""LX3xx: the Python that looptx reads."""

from looptx.cli.codes.explanation import Explanation

PYTHON = {
    "LX301": Explanation(
        meaning="""An annotated nest holds loops over `range`, assignments, calls and
            conditions. This statement is something else: it leaves the loops in the
            middle, binds names in ways that looptx does not follow, or lets other code
            run meanwhile. Loops without directives may contain anything and are never
            touched.""",
        source="""
            def f(A, n):
                # looptx: split i 32
                for i in range(n):
                    if A[i] < 0:
                        break
                    A[i] = A[i] * 2
        """,
        fix="""Move the statement out of the nest, or take the directives off this nest.
            Instead of a `break`, set a flag and put the body under `if not` of it.""",
    ),
    "LX302": Explanation(
        meaning="""The nest does what may use anything, such as a call of a function
            that looptx does not know. It may stand there, in its place among all else,
            but not where it could change what the loops count with (an attribute, a
            global name, the length of a list), or see the variables of the nest.""",
        source="""
            def f(grid, A, g):
                # looptx: split i 32
                for i in range(grid.n):
                    A[i] = g(A[i])
        """,
        fix="""Store what the loops count with in a variable before the nest, or write
            what the function does in the nest. Known are Python's functions of numbers
            (abs, min, divmod ...), those of math, and NumPy's that make new values of
            old ones (np.sqrt, np.exp, np.dot ...).""",
    ),
    "LX303": Explanation(
        meaning="""Python itself cannot read the file; the message is Python's.""",
        source="""
            def f(A, n):
                # looptx: split i 32
                for i in range(n)
                    A[i] = 0
        """,
        fix="""Mend the line. If it is syntax of a newer Python, run looptx with that
            Python.""",
    ),
    "LX304": Explanation(
        meaning="""The file is larger than 10 MiB, or an expression is nested so deeply
            that parsers give up on it. A function with directives is refused as well
            when it is more than 2500 levels deep (a sum has as many as terms, and a
            long one in a nest or before it is too much from 1000 on), when it has too
            many loops, or an integer of more digits than every Python writes.""",
        example="looptx transform generated.py  # 3000 nested parentheses",
        fix="""Move the annotated functions into a module of their own.""",
    ),
    "LX305": Explanation(
        meaning="""The directive stands above a loop over something else than
            `range(...)`, or above a `while`; or above a `range` whose step is no
            literal or whose bounds are no integers of 64 bits. Only loops whose
            iterations can be counted before they start can be transformed. A `range`
            that the file gives another meaning, or that `from X import *` may bring
            (X neither NumPy nor of the standard library), is not Python's.""",
        source="""
            def f(A, rows):
                # looptx: split i 32
                for i in rows:
                    A[i] = 0.0
        """,
        fix="""Write the loop as `for i in range(...)` and index inside it. Behind
            `from X import *` write `from builtins import range`.""",
    ),
    "LX306": Explanation(
        meaning="""The decorator could not find the source text of the function: it was
            typed into a plain prompt, made by exec, its file is gone or was edited
            after the import, or the import itself rewrote the function (as pytest does
            with an `assert`). The function runs as it is, with a warning; strict=True
            makes it an error. So is, always, what is no function written in Python: a
            class, a builtin, a callable object.""",
        example="exec('@looptx.kernel\\ndef f(A): ...')",
        fix="""Define the function in a file or in a notebook cell, and import it again
            after an edit.""",
    ),
}
