"""LX5xx and LX9xx: compiling, and looptx itself."""

from looptx.cli.codes.explanation import Explanation

NATIVE = {
    "LX501": Explanation(
        meaning="""No C compiler was found, or it cannot build a Python extension
            module. Decorated functions still work: they run as transformed Python.""",
        example="CC=/nonexistent looptx build mm.py",
        fix="""Install one (`apt install gcc python3-dev`, `dnf install gcc
            python3-devel`, `xcode-select --install`) or name it in the variable CC.
            `looptx doctor` shows what is found.""",
    ),
    "LX502": Explanation(
        meaning="""Cython or the C compiler failed on the generated code, or the result
            could not be loaded. The error names the folder where the generated code
            and all that they said are kept for a report; --verbose, or the warning of a
            decorated function, shows the lines that matter.""",
        example="looptx build --verbose mm.py",
        fix="""`looptx doctor` shows whether the compiler works at all. If it does, this
            is a defect of looptx: please report it with that folder.""",
    ),
    "LX503": Explanation(
        meaning="""Compiling ahead of the first call needs the types of everything that
            the nest reads, and nothing says what this value is.""",
        example="""
            @looptx.kernel(signature="_, float64[:], int")
            def scale(self, A, n):
                # looptx: split i 32
                for i in range(n):
                    A[i] = A[i] * self.factor
        """,
        fix="""Take the value out of the nest into an argument with a type, or leave
            `signature=` out: the first call then tells all types.""",
    ),
    "LX504": Explanation(
        meaning="""The nest can be transformed, but it uses something that has no native
            form with exactly Python's meaning: a slice, a function without a C
            counterpart, a variable that is an integer on one path and a float on
            another.""",
        example="""
            def f(A: "float64[:, :]", n: int):
                # looptx: split i 32
                for i in range(n):
                    A[i, :] = 0.0
        """,
        fix="""Write slices as loops, and give a variable one type on all paths. The
            transformed Python, `looptx transform`, is not affected.""",
    ),
    "LX505": Explanation(
        meaning="""A statement of the nest may raise an exception in the middle, and
            after it the arrays must hold what the loops as written would have left in
            them. So the native loops run in the order as written, on one thread. It is
            a warning and a line of the report; with strict=True it is an error.""",
        example="""
            @looptx.kernel("parallel i")
            def f(A, B):
                for i in range(len(A)):
                    B[i] = math.sqrt(A[i])
        """,
        fix="""Use what cannot raise: np.sqrt(A[i]) gives nan where math.sqrt(A[i])
            raises ValueError. A divisor of sizes, loop variables and arguments that the
            nest does not change is no obstacle: it is proven or tested before the
            loops start.""",
    ),
    "LX901": Explanation(
        meaning="""looptx came upon something that its authors did not foresee. Your
            files are as they were, and a decorated function runs as Python, with a
            warning that names the folder where the traceback is kept for a report. With
            strict=True it is raised.""",
        example="looptx transform --verbose mm.py",
        fix="""Please report it with the file, what --verbose prints or that folder, and
            the output of `looptx doctor`.""",
    ),
}
