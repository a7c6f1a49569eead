"""Validation of functions that make arrays, and of names that have no value."""

from __future__ import annotations

import textwrap
import warnings

import pytest

from looptx import LooptxError
from looptx.cli.text import transform_text
from looptx.validation import validate
from validation.test_agreement import subject, validated

HELD = """
    import numpy as np

    def held(A, B, n: int):
        T = {made}
        # looptx: fuse n0 n1 | temp T
        for i in range(n):
            T[i] = A[i] * 2.0
        for i in range(n):
            B[i] = T[i] + 1.0
"""
"""A temporary that becomes an array without axes, or a number."""

SHRINKING = (
    "np.zeros(n)",
    "np.empty(n + 1, np.float32)",
    "np.zeros(n, dtype=np.float32)",
    "np.zeros(n, dtype='f4')",
    "np.zeros(n, '<f8')",
    "np.ones((n,), dtype=A.dtype)",
    "np.empty(shape=(n,), dtype=np.int32)",
    "np.empty(n, np.float32, 'C')",
    "np.zeros(n, bool)",
    "np.zeros(n, int)",
    "np.zeros(n, float)",
    "np.zeros(n, complex)",
    "np.zeros(n, np.dtype('float32'))",
    "np.zeros(n, dtype=None)",
    "np.full(n, 2)",
    "np.full(n, 2, dtype=float)",
    "np.full(shape=n, fill_value=2.0)",
    "np.full(n, np.inf, np.float32)",
    "np.zeros(A.shape)",
    "np.empty(A.shape, A.dtype)",
    "np.zeros_like(A)",
    "np.ones_like(A)",
    "np.empty_like(A)",
    "np.zeros_like(A, np.int64)",
    "np.zeros_like(A, dtype=np.float32)",
    "np.zeros_like(A, shape=(n,))",
    "np.full_like(A, 3.0)",
    "np.full_like(A, fill_value=3.0, dtype='f4')",
)

KEPT = """
    import numpy as np

    def kept(A, n: int):
        T = {made}
        # looptx: split i 2
        for i in range(n):
            T[i] = A[i] * 2.0
        return T
"""
"""An array that stays as it is made."""

STAYING = (
    "np.zeros(n, order='F')",
    "np.empty_like(prototype=A, order='C', subok=False)",
    "np.full_like(a=A, fill_value=1)",
    "A.copy()",
    "np.copy(A)",
    "np.array(A, dtype='f4', copy=True)",
    "A.astype(float)",
    "np.zeros((n, 1)).reshape(n)",
)

UNRUN = {
    "like": "np.zeros(n, like=A)",
    "copy": "np.array(A, copy=False)",
    "longdouble": "np.zeros(n, np.longdouble)",
}


@pytest.mark.parametrize("made", SHRINKING)
def test_a_temporary_of_any_making(made: str) -> None:
    assert validated(HELD.format(made=made)).ok


@pytest.mark.parametrize("made", SHRINKING)
def test_a_fault_in_a_temporary_is_caught(made: str) -> None:
    text = HELD.format(made=made)
    right = subject(text)
    wrong = right.after.replace("A[i] * 2.0", "A[i] * 2.0 if i < 2 else A[i]")
    assert wrong != right.after
    with pytest.raises(LooptxError, match="LX208"):
        validate(subject(text, wrong))


@pytest.mark.parametrize("made", STAYING)
def test_an_array_of_any_making(made: str) -> None:
    assert validated(KEPT.format(made=made)).ok


@pytest.mark.parametrize("reason", UNRUN)
def test_an_array_that_symbols_do_not_make(reason: str) -> None:
    with pytest.raises(LooptxError, match=rf"LX209 (?s:.*){reason}"):
        validated(KEPT.format(made=UNRUN[reason]))


@pytest.mark.parametrize("text", ["f'{A!r}'", "f'{A}'", "str(A)", "'%s' % A"])
def test_the_text_of_an_array_is_none_of_symbols(text: str) -> None:
    """It was where the array is in memory, which differs, and was called a defect."""
    with pytest.raises(LooptxError, match=r"LX209 (?s:.*)the text of an array"):
        validated(KEPT.format(made="np.zeros(n)").replace("return T", f"return {text}"))


def test_the_element_type_of_a_temporary_counts() -> None:
    text = HELD.format(made="np.zeros(n, np.float32)")
    wrong = subject(text).after.replace("np.float32", "np.float64")
    with pytest.raises(LooptxError, match="LX208"):
        validate(subject(text, wrong))


COMPLEX = """
    import numpy as np

    def given(A, B, n: int):
        T = np.zeros(n, np.complex128)
        for i in range(n):
            T[i] += A[i] * 2
        # looptx: split i 2
        for i in range(n):
            B[i] = T[i] + 1
"""


def test_an_array_of_unknown_type_holds_what_is_stored_into_it() -> None:
    assert validated(COMPLEX).ok
    wrong = subject(COMPLEX).after.replace("T[ii] + 1", "T[ii] + 2")
    assert wrong != subject(COMPLEX).after
    with pytest.raises(LooptxError, match="LX208"):
        validate(subject(COMPLEX, wrong))


def test_what_only_the_rewritten_loops_cannot_run_on_is_no_difference() -> None:
    text = KEPT.format(made="np.zeros(n)")
    wrong = subject(text).after.replace("np.zeros(n)", "np.zeros(n, like=A)")
    with pytest.raises(LooptxError, match=r"LX209 (?s:.*)the rewritten loops: `like`"):
        validate(subject(text, wrong))


UNBOUND = """
    {around}
    def unbound(A, n):
        # looptx: split i 2
        for i in range(n):
            if i != i:
                u = 2.0
            A[i] = 1.0
        try:
            A[0] = u
        except NameError:
            A[0] = 3.0
"""


def test_a_name_that_is_bound_nowhere() -> None:
    assert validated(UNBOUND.format(around="")).ok


def test_a_name_that_the_rewritten_loops_do_not_bind() -> None:
    """Without a global of that name, to read it raises a NameError as well."""
    text = UNBOUND.format(around="")
    made = """
        def unbound(A, n):
            for i in range(n):
                A[i] = 1.0
            try:
                A[0] = u
            except NameError:
                A[0] = 3.0
    """
    assert validate(subject(text, textwrap.dedent(made))).ok


@pytest.mark.parametrize("around", ["u = 5.0", "u = sum([1, 2])"])
def test_a_local_that_became_a_global_is_a_difference(around: str) -> None:
    text = UNBOUND.format(around=around)
    wrong = textwrap.dedent(f"""
        {around}
        def unbound(A, n):
            for i in range(n):
                A[i] = 1.0
            try:
                A[0] = u
            except NameError:
                A[0] = 3.0
    """)
    with pytest.raises(LooptxError, match="the global u"):
        validate(subject(text, wrong))
    inner = textwrap.indent(wrong.partition("def")[2], "    ")
    nested = f"def outer():\n    {around}\n    def{inner}\n    return unbound\n"
    source = textwrap.dedent(text).partition("def")[2]
    source = f"def outer():\n    {around}\n    def{textwrap.indent(source, '    ')}"
    with pytest.raises(LooptxError, match="the global u"):
        validate(subject(f"{source}    return unbound\n", nested))


def test_what_hashes_cannot_stand_for_is_left_to_symbols() -> None:
    """A type under another name, and a comparison of objects."""
    text = """
        def g(A, n, c=None):
            f = float
            if c is not None:
                A[0] = f(3)
            # looptx: split i 40
            for i in range(n):
                A[i] = A[i] * 2.0
    """
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert validated(text).ok
        assert validated(text.replace("f = float", "f = 1.0").replace("f(3)", "f")).ok


def test_a_class_in_a_function_cannot_be_run() -> None:
    text = """\
def g(A, n):
    class K:
        x = 2.0
    # looptx: split i 2
    for i in range(n):
        A[i] = K.x
"""
    (error,) = transform_text(text, "k.py", validate=True).errors
    assert "k.py:2:5: LX209" in str(error)
    assert "a class" in str(error)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("async def g(A, n):\n    A[0] = 1.0\n", "1:1: an async function"),
        ("def g(A, n):\n    B[0] = 1j\n", "5:9: a complex number in an array of real"),
    ],
)
def test_what_no_symbols_are_for_cannot_be_run(text: str, reason: str) -> None:
    head, _, statement = text.partition("\n")
    text = f"""\
{head}
    B = np.zeros(9)
    # looptx: split i 2
    for i in range(9):
    {statement}
    return B
"""
    (error,) = transform_text(
        f"{text}\nimport numpy as np\n", "k.py", validate=True
    ).errors
    place, _, wanted = reason.partition(": ")
    assert f"k.py:{place}: LX209" in str(error)
    assert wanted in str(error)


def test_signs_in_front_of_elements_count() -> None:
    text = """
        def g(A, B, n):
            # looptx: split i 2
            for i in range(n):
                B[i] = +A[i] - (+B[i])
    """
    assert validated(text).ok
    made = transform_text(textwrap.dedent(text), "k.py").text
    for right, wrong in ("+A[", "-A["), ("+B[", "-B["):
        assert right in made
        with pytest.raises(LooptxError, match="LX208"):
            validate(subject(text, made.replace(right, wrong)))


SUMMED = """
    def f(x: "{dtype}[:]", W: "{dtype}[:]", n: int):
        # looptx: {directives}
        for i in range(n):
            x[0] {op}= W[i]
"""
"""Terms that are combined in a cell, which converts what it holds each time."""


@pytest.mark.parametrize("op", ["+", "*"])
@pytest.mark.parametrize("order", ["parallel i", "split i 2 | reorder ii i"])
@pytest.mark.parametrize("dtype", ["int32", "uint8", "int64", "float32"])
def test_what_narrow_cells_combine_has_no_order(
    dtype: str, order: str, op: str
) -> None:
    free = "" if "int" in dtype else "reassociate x | "
    text = SUMMED.format(dtype=dtype, directives=free + order, op=op)
    assert validated(text).ok
    other = subject(text).after.replace("W[", "1 + W[")
    with pytest.raises(LooptxError, match="LX208"):
        validate(subject(text, other))


LONG = """
    import numpy as np

    def far(A, n):
        T = np.empty((1000, 1000))
        {row}
        # looptx: split i 4
        for i in range(n):
            T[i, 999 - i] = A[i] * 2.0
            A[i] = T[i, 999 - i]
"""


def test_of_a_long_array_only_the_cells_that_are_used_cost_something() -> None:
    right = subject(LONG.format(row="pass"))
    found = validate(right)
    assert found.ok
    assert sum(one.cost for one in found.compared) < 10_000
    wrong = right.after.replace("= T[ii, 999", "= T[ii, 998")
    with pytest.raises(LooptxError, match="LX208") as caught:
        validate(subject(LONG.format(row="pass"), wrong))
    assert "np.empty's value at [0, 998]" in "".join(caught.value.detail)


def test_a_row_of_a_long_array_is_too_much() -> None:
    with pytest.raises(LooptxError, match="LX209") as caught:
        validated(LONG.format(row="T[1] = T[0] + 1.0"))
    assert "too long" in "".join(caught.value.detail)


INLINED = """
    import numpy as np

    def inlined(A, B, n: int):
        T = np.empty(n, {dtype})
        S = np.empty(n, {dtype})
        # looptx: compute_inline first second
        # looptx: nest first
        for i in range(n):
            T[i] = {first}
        # looptx: nest second
        for i in range(n):
            S[i] = {second}
        for i in range(n):
            B[i] = S[i] / 3
"""
"""What an array holds is written as a conversion where its values are inlined."""


@pytest.mark.parametrize(
    ("dtype", "first", "second"),
    [
        ("np.int64", "A[i]", "T[i] + 1"),
        ("np.int64", "A[i] * 10", "~T[i] & 3"),
        ("int", "A[i] ^ 1", "T[i] * 100"),
        ("A.dtype", "A[i] * 0.1 + i", "T[i] * i"),
        ("np.float32", "0.3 * A[i]", "T[i] + T[i]"),
        ("np.float32", "0.3 * A[i]", "(T[i] - 1) * 0.5 / T[i]"),
        ("np.float32", "A[i]", "-T[i] * 2"),
        ("np.int32", "A[i]", "T[i] * T[i] - 1"),
    ],
)
def test_a_value_keeps_the_type_of_its_cell_where_it_is_inlined(
    dtype: str, first: str, second: str
) -> None:
    assert validated(INLINED.format(dtype=dtype, first=first, second=second)).ok


def test_a_value_that_is_not_rounded_where_it_is_inlined_is_told() -> None:
    given = {"dtype": "np.float32", "first": "0.3 * A[i]", "second": "T[i] + T[i]"}
    right = subject(INLINED.format(**given))
    wrong = right.after.replace("np.float32(", "(", 1)
    assert wrong != right.after
    with pytest.raises(LooptxError, match="LX208"):
        validate(subject(INLINED.format(**given), wrong))


WHOLE = {
    "A[...] = 1.0 - np.maximum(2.0, A)": "A[...] = 1.0 - np.maximum(A, 2.0)",
    "A[...] = A.ravel()[::-1]": "A[...] = A.ravel()",
    "A[...] = A.flatten() * 2.0": "A[...] = A.flatten() * 3.0",
    "A.fill(A.sum())": "A.fill(A.sum() + 1.0)",
    "A[...] = A.reshape((len(A), 1)).transpose(1, 0).ravel() + 1.0": "A[...] = A + 2.0",
    "A[...] = list(A)[::-1]": "A[...] = list(A)",
    "A[...] = A * isinstance(A, float)": "A[...] = A * isinstance(2.0, float)",
    "A[...] = A**2 - A**3": "A[...] = A**2 - A**2",
    "A **= 3": "A **= 2",
    "A **= A": "A **= 2",
    "A[...] = 2.0**A": "A[...] = 3.0**A",
    "A[...] = -A": "A[...] = A",
    "A[A > 1.0] = 3.0": "A[A > 1.0] = 4.0",
    "A[...] = A if np.ones(1) > 0 else -A": "A[...] = A if np.ones(1) > 1 else -A",
}
"""What a function does to whole arrays behind its nest, and something else."""


@pytest.mark.parametrize("line", WHOLE)
def test_what_is_done_to_whole_arrays_counts(line: str) -> None:
    text = f"""
        import numpy as np

        def whole(A, n: int):
            # looptx: split i 2
            for i in range(n):
                A[i] = A[i] * 2.0
            {line}
    """
    right = subject(text)
    assert validate(right).ok
    with pytest.raises(LooptxError, match="LX208"):
        validate(subject(text, right.after.replace(line, WHOLE[line])))
