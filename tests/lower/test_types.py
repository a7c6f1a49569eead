"""Annotations, and promotion compared with NumPy itself."""

from __future__ import annotations

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


@pytest.mark.parametrize("text", ANNOTATIONS)
def test_annotations(text: str) -> None:
    assert from_annotation(text) == ANNOTATIONS[text]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "np.ndarray",
        "str",
        "float64[::1, ::1]",
        "list[int]",
        "float16",
        "f(",
        "(" * 99,
    ],
)
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


@pytest.mark.parametrize("sign", OPERATORS)
@pytest.mark.parametrize("left", KINDS, ids=str)
@pytest.mark.parametrize("right", KINDS, ids=str)
def test_promotion_is_numpys(sign: str, left: ScalarType, right: ScalarType) -> None:
    ours = promote(sign, left, right)
    try:
        result = OPERATORS[sign](value(left), value(right))
    except TypeError:
        assert ours is None
        return
    if type(result) in PYTHON.values():
        name = {v: k for k, v in PYTHON.items()}[type(result)]
        expected: ScalarType | None = ScalarType(name, weak=True)
    else:
        name = result.dtype.name
        expected = ScalarType(name) if name in DTYPES else None
    if ours is None and expected is not None:
        assert "bool" in (left.dtype, right.dtype)  # Not supported, and said so.
    else:
        assert ours == expected
