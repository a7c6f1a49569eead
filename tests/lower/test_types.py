"""Annotations, and promotion compared with NumPy itself."""

from __future__ import annotations

import itertools
import operator

import numpy as np
import pytest

from looptx.lower.types import from_annotation, promote
from looptx.model.dtypes import DTYPES
from looptx.model.types import ArrayType, ScalarType

ANNOTATIONS = {
    "float64[:, :]": ArrayType("float64", 2, "A"),
    "float64[:, ::1]": ArrayType("float64", 2, "C"),
    "float32[::1, :]": ArrayType("float32", 2, "F"),
    "'int32[:]'": ArrayType("int32", 1, "A"),
    "np.uint8[::1]": ArrayType("uint8", 1, "C"),
    "NDArray[np.float64]": ArrayType("float64", 0, "A"),
    "npt.NDArray[np.complex128]": ArrayType("complex128", 0, "A"),
    "np.ndarray[Any, np.dtype[np.int64]]": ArrayType("int64", 0, "A"),
    "int": ScalarType("int64", weak=True),
    "float": ScalarType("float64", weak=True),
    "bool": ScalarType("bool", weak=True),
    "complex": ScalarType("complex128", weak=True),
    "np.float32": ScalarType("float32"),
    "float64": ScalarType("float64"),
    "np.bool_": ScalarType("bool"),
}


def test_annotations() -> None:
    assert {text: from_annotation(text) for text in ANNOTATIONS} == ANNOTATIONS


NONE = ("", "np.ndarray", "str", "float64[::1, ::1]", "list[int]", "longdouble", "f(")


@pytest.mark.parametrize("text", (*NONE, "(" * 99))
def test_no_type(text: str) -> None:
    assert from_annotation(text) is None


KINDS = [ScalarType(dtype) for dtype in DTYPES]
KINDS += [
    ScalarType(dtype, weak=True) for dtype in ("bool", "int64", "float64", "complex128")
]
PYTHON = {"bool": bool, "int64": int, "float64": float, "complex128": complex}
OPERATORS = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": operator.lshift,
}


def value(kind: ScalarType) -> object:
    make = PYTHON[kind.dtype] if kind.weak else np.dtype(kind.dtype).type
    return make(1)


def numpys(sign: str, left: ScalarType, right: ScalarType) -> ScalarType | None:
    """The type of what NumPy makes of two ones; ``None`` if looptx has no such type.

    Raises:
        TypeError: NumPy makes nothing of them.
    """
    result = OPERATORS[sign](value(left), value(right))
    if type(result) in PYTHON.values():
        name = {v: k for k, v in PYTHON.items()}[type(result)]
        return ScalarType(name, weak=True)
    return ScalarType(result.dtype.name) if result.dtype.name in DTYPES else None


@pytest.mark.parametrize("sign", OPERATORS)
def test_promotion_is_numpys(sign: str) -> None:
    for left, right in itertools.product(KINDS, repeat=2):
        ours = promote(sign, left, right)
        try:
            expected = numpys(sign, left, right)
        except TypeError:
            expected = None
        if ours is None and expected is not None:
            # Not supported, and said so.
            assert "bool" in (left.dtype, right.dtype), (left, right)
        else:
            assert ours == expected, (left, right)
