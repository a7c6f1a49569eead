"""LX1xx: the directives themselves."""

from looptx.cli.codes.explanation import Explanation


def _two_nests(directives: str, rows: str = "range(n)") -> str:
    """A function of two nests to be fused, the first over ``rows``."""
    return f"""
            # looptx: {directives}
            def scale(A, B, n):
                # looptx: nest a
                for i in {rows}:
                    for j in range(n):
                        A[i, j] = A[i, j] + 1.0
                # looptx: nest b
                for i in range(n):
                    for j in range(n):
                        B[i, j] = A[i, j] * 2.0
        """


WORDS = {
    "LX101": Explanation(
        meaning="""A directive begins with a word that is no verb of the language.
            Nothing is guessed and nothing is ignored: the file is left as it is.""",
        source="""
            def scale(A, n):
                # looptx: splt i 32
                for i in range(n):
                    A[i] = A[i] * 2
        """,
        fix="""Use the verb that the message proposes; `looptx list` shows all of them
            and `looptx explain split` explains one.""",
    ),
    "LX102": Explanation(
        meaning="""The verb is known, but what follows is not what it takes: an operand
            is missing or one too many, an option has another name, a name is no
            identifier.""",
        source="""
            def scale(A, n):
                # looptx: split 32
                for i in range(n):
                    A[i] = A[i] * 2
        """,
        fix="""The page of the verb shows its syntax: `looptx explain split`. Directives
            are words, not calls: `split i 32`, with options as KEY=VALUE.""",
    ),
    "LX103": Explanation(
        meaning="""A size, factor or distance is missing, is no whole number, or lies
            outside what the verb allows: a block has at least one iteration.""",
        source="""
            def scale(A, n):
                # looptx: split i 0
                for i in range(n):
                    A[i] = A[i] * 2
        """,
        fix="""Write a whole number in decimal digits, at least 1 for sizes and factors
            and at most 2147483647.""",
    ),
    "LX104": Explanation(
        meaning="""A directive names something that the nest does not have. A loop is
            named by its variable; after `split i 32` there are `i` and `ii`. A loop
            inside a nest whose bounds are not affine (sums of sizes and outer loops,
            times numbers), whose step is no literal, or that stands under an `if` over
            data, runs as it is written and cannot be named: the message says which.""",
        source="""
            def scale(A, n):
                # looptx: split k 32
                for i in range(n):
                    A[i] = A[i] * 2
        """,
        fix="""Use one of the names that the message lists. Directives apply from top to
            bottom, so a name exists only after the directive that makes it. For a loop
            that cannot be named, do what the hint says.""",
    ),
    "LX105": Explanation(
        meaning="""Several loops of the nest have this name, and the directive could
            mean either.""",
        source="""
            def rows(A, B, n, m):
                # looptx: split j 8
                for i in range(n):
                    for j in range(m):
                        A[i, j] = 0.0
                    for j in range(m):
                        B[i, j] = 1.0
        """,
        fix="""Say which one by its number, in the order of the text: `j#1` or
            `j#2`.""",
    ),
    "LX106": Explanation(
        meaning="""The directive is well formed but cannot apply to these loops,
            whatever their bodies do: loops of one reorder must be nested in each other
            (those of fused nests, in each of the nests), collapse needs two loops with
            nothing between them, the parts of a loop can be counted only when its
            extent is a literal.""",
        source="""
            def sums(A, s, n, m):
                # looptx: collapse i j
                for i in range(n):
                    s[i] = 0.0
                    for j in range(m):
                        s[i] = s[i] + A[i, j]
        """,
        fix="""The message names the rule. Often another directive must come first:
            split and reorder bring loops next to each other.""",
    ),
    "LX107": Explanation(
        meaning="""A comment that begins with `looptx:` stands where it can mean
            nothing: behind code, or on a line that no loop and no function follows. It
            is an error because it would be ignored otherwise.""",
        source="""
            def scale(A, n):
                for i in range(n):
                    A[i] = A[i] * 2  # looptx: split i 32
        """,
        fix="""Put the comment on a line of its own, directly above the `for` of the
            nest or above the `def`.""",
    ),
    "LX108": Explanation(
        meaning="""The comments on a nest and the strings of the decorator both say how
            to run it. Which comes first would be a guess.""",
        source="""
            import looptx


            @looptx.kernel("split i 32")
            def scale(A, n):
                # looptx: parallel i
                for i in range(n):
                    A[i] = A[i] * 2
        """,
        fix="""Keep one of the two: move the comments into the decorator, or write the
            decorator bare as `@looptx.kernel`.""",
    ),
    "LX109": Explanation(
        meaning="""A name after `as` already means something in the function: a loop, a
            variable or an argument. The generated loop would overwrite it.""",
        source="""
            def scale(A, n, w):
                # looptx: split i 32 as i w
                for i in range(n):
                    A[i] = A[i] * w
        """,
        fix="""Choose another name, or leave `as` out: generated names avoid every name
            of the function.""",
    ),
    "LX110": Explanation(
        meaning="""`reassociate` allows the terms of a reduction (a sum, a product, a
            minimum ...) to be combined in another order. What it names here is no
            reduction of this nest.""",
        source="""
            def scale(A, n):
                # looptx: reassociate A
                for i in range(n):
                    A[i] = 2.0
        """,
        fix="""Name the variable or the array that accumulates: in `s += A[i]` it is
            `s`. The accumulator may occur only once in the statement's value.""",
    ),
    "LX111": Explanation(
        meaning="""The nest carries a line `# looptx: applied ...`: its loops are
            already the result of a transformation. Applying directives again would
            apply them to the transformed loops.""",
        source="""
            def scale(A, n):
                # looptx: applied split i 32 [sha256 0123456789ab]
                # looptx: split i 32
                for i in range(n):
                    A[i] = A[i] * 2
        """,
        fix="""Transform the original file. If the loops have since been edited by hand
            and are now the original, remove the `applied` line.""",
    ),
    "LX112": Explanation(
        meaning="""`fuse` puts a dimension f inside the fused loops that runs the
            nests one after the other. It takes few values and has an order, so it
            cannot run in parallel, be vectorised, unrolled, skewed or collapsed.""",
        source=_two_nests("fuse a b partial=1 as i f | parallel f"),
        fix="""Mark one of the fused loops (`parallel i`), or an unfused loop of one
            nest (`vectorize b.j`).""",
    ),
    "LX113": Explanation(
        meaning="""The loops of a nest that `fuse` did not fuse belong to that nest
            alone, so the fusing dimension f, which tells the nests apart, stands
            before them; and so do the parts of a split f. A fused loop of which
            `a.j` meant that of one nest is no longer fused.""",
        source=_two_nests("fuse a b partial=1 as i f | reorder a.j f"),
        fix="""Keep f outside of the unfused loops, or fuse more loops with
            `partial=`.""",
    ),
    "LX114": Explanation(
        meaning="""`partial=` says how many of the outer loops are fused, and the
            nests do not have as many. In a nest with statements beside its loops only
            the loops above these statements count.""",
        source=_two_nests("fuse a b partial=3"),
        fix="""Write a smaller number, or leave `partial` out to fuse all loops.""",
    ),
    "LX115": Explanation(
        meaning="""A nest can be in one `fuse` only. Afterwards the name of the
            first nest stands for all of them.""",
        source=_two_nests("fuse a b | fuse b a"),
        fix="""Name the fused nest by its first member to fuse it again, and name each
            nest once.""",
    ),
    "LX116": Explanation(
        meaning="""Loops are fused where they are at the same index. With different
            steps, or with starts that do not differ by a multiple of the step, they
            may never be.""",
        source=_two_nests("fuse a b", rows="range(0, n, 2)"),
        fix="""Give the loops one step and one start. Blocks of a `split` are fused by
            number, whatever their loops are.""",
    ),
    "LX117": Explanation(
        meaning="""A temporary is an array that np.zeros, np.ones, np.empty or
            np.full makes in front of the nest, in the same block, and of which
            nothing but elements in this nest is used. This one is not: it is an
            argument or global, is returned, passed on, viewed, used after the nest,
            or made in another way.""",
        source="""
            import numpy as np

            def scale(A, n):
                T = np.zeros(n)
                # looptx: temp T
                for i in range(n):
                    T[i] = A[i] * 2.0
                    A[i] = T[i] + 1.0
                return T
        """,
        fix="""Leave the directive out, or give the nest an array of its own.""",
    ),
    "LX118": Explanation(
        meaning="""A comment above a loop or a `def` reads as a directive of this
            function, but does not begin with `# looptx:`, in small letters and with a
            colon. Python and looptx would ignore it. Comments that merely speak of
            looptx are left alone.""",
        source="""
            def scale(A, n):
                # LoopTX split i 32
                for i in range(n):
                    A[i] = A[i] * 2
        """,
        fix="""Write it as the message shows. If it is no directive, word it
            differently.""",
    ),
    "LX119": Explanation(
        meaning="""Rewritten loops need no decorator, so that `looptx transform` takes
            it away. What a kernel has and a function has not (`report()`, `py_func`,
            `validate()` ...) would be missing then where the file uses it.""",
        source="""
            import looptx

            @looptx.kernel("split i 32")
            def scale(A, n):
                for i in range(n):
                    A[i] = A[i] * 2

            def show():
                print(scale.report())
        """,
        fix="""Take that use out of the file, or leave the function to the decorator: it
            compiles the loops when the function is called.""",
    ),
}
