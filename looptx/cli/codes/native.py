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
            could not be loaded. The message holds the first lines of what they
            said.""",
        example="looptx build mm.py",
        fix="""`looptx doctor` shows whether the compiler works at all. If it does, this
            is a defect of looptx: please report it with the function.""",
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
    "LX901": Explanation(
        meaning="""looptx came upon something that its authors did not foresee. Your
            files are as they were.""",
        example="looptx transform --verbose mm.py",
        fix="""Please report it with the file, what --verbose prints, and the output of
            `looptx doctor`.""",
    ),
}
