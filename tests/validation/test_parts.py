"""Validation of reductions in parts: ``rfactor`` agrees, and its faults do not."""

from __future__ import annotations

import re
import textwrap
import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from looptx import LooptxError, source
from looptx.cli.text import plan
from looptx.lower.types import annotated
from looptx.rewriting import rewritten
from looptx.validation import Subject, check, validate
from looptx.validation.comparison import Skipped
from looptx.validation.hashes.large import Large
from looptx.validation.symbols.neutral import is_neutral

SUM = """
    def total(A: "float64[:]", s: float, n: int):
        # looptx: reassociate s | split k 4 | rfactor k as p
        for k in range(n):
            s += A[k]
        return s
"""
CELLS = """
    def rows(A: "{dtype}[:, :]", B: "{dtype}[:]", n: int, m: int):
        # looptx: {free}split k 3 | rfactor kk as p
        for i in range(n):
            for k in range(m):
                {term}
"""
LEVELS = """
    def total(A: "float64[:]", s: float, n: int):
        # looptx: reassociate s | split k 64 8 as block k lane | rfactor block as p
        # looptx: parallel p.block | rfactor p.lane as q
        # looptx: reorder q.block q.k q.lane | compute_at q p.block
        for k in range(n):
            s += A[k] * 2.0
        return s
"""
LONG = """
    def total(A: "{dtype}[:]", s: "{dtype}[:]", n: int):
        # looptx: {free}split k 3000 | rfactor k as p
        for k in range(n):
            {term}
"""
TERMS = {
    "+": "{} += {}",
    "*": "{} *= {}",
    "min": "{0} = min({0}, {1})",
    "max": "{0} = max({0}, {1})",
    "&": "{} &= {}",
    "|": "{} |= {}",
    "^": "{} ^= {}",
}
FLOATS = [(op, x) for op in ("+", "*", "min", "max") for x in ("float64", "float32")]
INTEGERS = [(op, x) for op in TERMS for x in ("int64", "int32", "uint8")]


def subject(text: str) -> Subject:
    """The function of a text, and what looptx makes of it."""
    module = source.read(textwrap.dedent(text), "kernel.py")
    (function,) = module.kernels
    planned = plan(module, function)
    after = rewritten(module, [(function, planned)])
    return Subject(module, function, planned, after, annotated(function))


def typed(text: str, op: str, dtype: str, target: str, value: str) -> str:
    """A reduction with an operation into elements of a type."""
    array = target.partition("[")[0]
    free = "" if "int" in dtype else f"reassociate {array} | "
    return text.format(dtype=dtype, free=free, term=TERMS[op].format(target, value))


def refused(right: Subject, old: str, new: str) -> str:
    """What is said where something else stands in the rewritten text."""
    assert old in right.after, right.after
    wrong = replace(right, after=right.after.replace(old, new, 1))
    with pytest.raises(LooptxError) as caught:
        validate(wrong)
    assert caught.value.code == "LX208"
    return "".join(caught.value.detail)


@pytest.mark.parametrize(("op", "dtype"), FLOATS + INTEGERS)
def test_parts_agree_and_what_they_begin_with_counts(op: str, dtype: str) -> None:
    right = subject(typed(CELLS, op, dtype, "B[i]", "A[i, k]"))
    result = validate(right)
    assert result.ok
    assert "the order of what `B` combines" in result.modulo
    begin = re.search(r"p\[kk, i\] = -?\w+(\.0|\('-?inf'\))?\n", right.after)
    assert begin is not None
    others = {"+": "1", "*": "2", "&": "1", "|": "1", "^": "1", "min": "9", "max": "9"}
    for wrong in (others[op], "B[i]", "A[i, 0]"):
        refused(right, begin[0], f"p[kk, i] = {wrong}\n")


@pytest.mark.parametrize("wrong", ["0", "0.0", "False"])
@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128"])
def test_a_sum_of_floats_does_not_begin_with_a_positive_zero(
    dtype: str, wrong: str
) -> None:
    right = subject(typed(CELLS, "+", dtype, "B[i]", "A[i, k]"))
    assert validate(right).ok
    refused(right, "= -0j" if dtype == "complex128" else "= -0.0", f"= {wrong}")


@pytest.mark.parametrize("dtype", ["float32", "int16"])
def test_a_buffer_of_narrow_numbers_agrees(dtype: str) -> None:
    """What a cell of its type held is not rounded again."""
    text = typed(CELLS, "+", dtype, "B[i]", "A[i, k]")
    for directives in (
        "cache_write B at i",
        "split k 3 | rfactor kk as p | cache_write B at i",
    ):
        assert validate(
            subject(text.replace("split k 3 | rfactor kk as p", directives))
        ).ok


FAULTS = {
    "a term is lost": ("range(k, min", "range(k + 1, min"),
    "another term is lost": ("min(k + 4, n)", "min(k + 3, n)"),
    "a term is taken twice": ("min(k + 4, n)", "min(k + 5, n)"),
    "a term is another": ("+= A[kk]", "+= A[k]"),
    "a term is negative": ("+= A[kk]", "-= A[kk]"),
    "parts are products": ("] += A", "] *= A"),
    "a part keeps its last term": ("] += A", "] = A"),
    "parts begin with 0.0": ("-0.0", "0.0"),
    "parts begin with 1.0": ("-0.0", "1.0"),
    "the initial value counts in each part": ("-0.0", "s"),
    "the initial value counts twice": ("s += p[k]", "s += p[k] + 0.0 * k + s"),
    "the initial value is lost": (
        "    for k in range((n",
        "    s = -0.0\n    for k in range((n",
    ),
    "the initial value is zero": (
        "    for k in range((n",
        "    s = 0\n    for k in range((n",
    ),
    "a part is lost": ("range((n + 3) // 4)", "range(1, (n + 3) // 4)"),
    "the last part is lost": ("range((n + 3) // 4)", "range(n // 4)"),
    "a part counts twice": ("s += p[k]", "s += p[0]"),
    "parts are multiplied": ("s += p", "s *= p"),
    "parts are subtracted": ("s += p", "s -= p"),
    "the total is a part": ("s += p", "s = p"),
    "parts are one": ("p[k // 4]", "p[0]"),
    "a part is rounded": ("s += p[k]", "s += np.float32(p[k])"),
    "a sum is rounded": ("s += p[k]", "s = np.float32(s + p[k])"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_faults_in_parts_are_caught(name: str) -> None:
    old, new = FAULTS[name]
    text = SUM.replace("    def", "    import numpy as np\n\n    def", 1)
    right = subject(text)
    assert validate(right).ok
    refused(right, old, new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("q[lane] = -0.0", "q[lane] = 0.0"),
        ("p[block] = -0.0", "p[block] = 0.0"),
        ("p[block] = -0.0", "pass"),
        ("p[block] += q[lane]", "p[block] = q[lane]"),
        ("p[block] += q[lane]", "p[block] += q[0]"),
        ("q[lane] = -0.0", "q[lane] = p[0] if p else -0.0"),
    ],
)
def test_faults_in_parts_of_parts_are_caught(old: str, new: str) -> None:
    right = subject(LEVELS)
    assert validate(right).ok
    refused(right, old, new)


def test_parts_of_parts_may_be_combined_with_the_target() -> None:
    right = subject(LEVELS)
    after = right.after.replace("p[block] += q[lane]", "s += q[lane]")
    assert validate(replace(right, after=after)).ok


LARGE = [(op, "int32") for op in TERMS] + [(op, "float64") for op in list(TERMS)[:4]]


def hashed(right: Subject) -> bool:
    """Whether both versions have the same hashes where a whole block is long."""
    validating = check._Validating(right, "float64")
    free = validating.free | validating.integral
    found = Large(validating.pair, free).compare({"n": 7001}, 100_000)
    assert not isinstance(found, Skipped)
    return found is not None


@pytest.mark.parametrize(("op", "dtype"), LARGE)
def test_parts_have_the_hashes_of_their_terms(op: str, dtype: str) -> None:
    right = subject(typed(LONG, op, dtype, "s[0]", "A[k]"))
    assert hashed(right)
    begin = re.search(r"p\[k // 3000\] = -?\w+(\.0|\('-?inf'\))?\n", right.after)
    assert begin is not None
    other = "*" if op == "+" else "+"
    faults = {
        begin[0]: "p[k // 3000] = 77\n",
        "range(k, min": "range(k + 1, min",
        "min(k + 3000": "min(k + 3001",
        "A[kk]": "A[k]",
        "range((n + 2999)": "range(1, (n + 2999)",
        "range((n + 2999) // 3000)": "range(n // 3000)",
        "    for k in range((n": "    s[0] = 0\n    for k in range((n",
    }
    if op in ("min", "max"):
        faults["(s[0], p[k])"] = "(p[k], p[k])"
        faults["= min(s" if op == "min" else "= max(s"] = "= (min)(A[0] + s"
    else:
        faults[f"s[0] {op}="] = f"s[0] {other}="
        faults[f"p[k // 3000] {op}="] = f"p[k // 3000] {other}="
        faults[f"s[0] {op}= p[k]"] = f"s[0] {op}= p[0]"
    for old, new in faults.items():
        assert old in right.after
        assert not hashed(replace(right, after=right.after.replace(old, new, 1))), old


def test_numbers_of_iterations_have_hashes() -> None:
    """Parts of a scalar are in dictionaries."""
    right = subject(LEVELS.replace("k 64 8", "k 3000 8"))
    assert hashed(right)
    for old, new in {
        "q[lane] = -0.0": "q[lane] = 1.0",
        "p[block] = -0.0": "pass",
        "p[block] += q[lane]": "p[block] += q[0]",
        "s += p[block]": "s += p[block // 2]",
        "s += p": "s *= p",
        "p[block]": "p[block + 1]",
        "for block in range((n + 2999) // 3000):\n        s": (
            "p = {}\n    for block in range((n + 2999) // 3000):\n        s"
        ),
    }.items():
        assert not hashed(replace(right, after=right.after.replace(old, new, 1))), old


DTYPES = (
    "bool",
    "int8",
    "uint8",
    "int64",
    "uint64",
    "float32",
    "float64",
    "complex128",
)


@pytest.mark.parametrize("dtype", DTYPES)
def test_what_is_neutral_changes_no_number(dtype: str) -> None:
    """And what changes none is neutral, but for NaNs and what is of another type."""
    plain = (0, 1, -1, True, False, 127, -128, 255, 2**63 - 1, -(2**63), 2**64 - 1)
    floats = (0.0, -0.0, 1.0, 2.5, np.inf, -np.inf)
    complexes = (0j, -0j, complex(-0.0, 0.0), 1 + 0j)
    values = [x for x in (*plain, *floats, *complexes) if held(x, dtype) is not None]
    combine = {
        **{"+": np.add, "*": np.multiply, "min": np.minimum, "max": np.maximum},
        **{"&": np.bitwise_and, "|": np.bitwise_or, "^": np.bitwise_xor},
    }
    for op, function in combine.items():
        if (dtype[0] in "fc" and op in "&|^") or (dtype[0] == "c" and op in "*minmax"):
            continue
        for value in values:
            cell = held(value, dtype)
            assert cell is not None
            others = [held(x, dtype) for x in values]
            with np.errstate(invalid="ignore"):
                same = all(
                    function(cell, x).astype(dtype).tobytes() == x.tobytes()
                    for x in others
                    if x is not None
                )
            assert is_neutral(op, cell.item(), dtype) == same, (op, value)
            # What is written may be a number of another type, which the cell converts.
            assert same or not is_neutral(op, value, dtype), (op, value)


def held(value: complex, dtype: str) -> Any:
    """A number as a cell of a type holds it; None where it cannot."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = np.array([value]).astype(dtype)[0]
            return found if found == value else None
        except OverflowError:
            return None
