"""Types in text: annotations read, C names written, and NumPy's rules of promotion."""

from __future__ import annotations

import ast
import re

from looptx.model.dtypes import (
    ANNOTATIONS,
    DTYPES,
    FLOATS,
    INTEGERS,
    PYTHON,
    made_complex,
    promoted,
)
from looptx.model.program import Kernel
from looptx.model.records import replace
from looptx.model.storage import LIKE
from looptx.model.types import ArrayType, ScalarType, Type

RANK = {dtype: rank for rank, dtype in enumerate(DTYPES)}
"""The order of C's usual arithmetic conversions."""

_WEAK = {name: ScalarType(dtype, weak=True) for name, dtype in PYTHON.items()}
_MODULES = ("np", "numpy", "npt", "numpy.typing", "typing", "t")
_SHAPED = re.compile(r"([A-Za-z_][\w.]*)\s*\[([:,\s1]*)\]\Z")


def c_name(dtype: str) -> str:
    """The C type of one value."""
    return DTYPES[dtype].c


def c_element(dtype: str) -> str:
    """The C type of one array element; a NumPy bool is a byte."""
    return DTYPES[dtype].in_memory.c


def c_vector(dtype: str, lanes: int) -> str:
    """The C type of several elements side by side."""
    return f"lx_{DTYPES[dtype].short}x{lanes}"


def annotated(kernel: Kernel) -> dict[str, Type]:
    """The types that a function's annotations give its arguments and arrays."""
    texts = {**dict(kernel.parameters), **kernel.types}
    for name, text in texts.items():
        texts[name] = texts.get(text.removeprefix(LIKE), text)
    kinds = ((name, from_annotation(text)) for name, text in texts.items() if text)
    return {name: kind for name, kind in kinds if kind is not None}


def lasting(kernel: Kernel) -> dict[str, Type]:
    """The types among these that hold wherever the function uses the names."""
    texts = {**dict(kernel.parameters), **kernel.types}
    kept = {name: text for name, text in texts.items() if name not in kernel.vague}
    return annotated(replace(kernel, parameters=(), types=kept))


def from_annotation(text: str) -> Type | None:
    """The type an annotation states, or None when it states none that is supported.

    ``float64[:, :]`` and ``float64[:, ::1]`` are arrays (of any strides, and C
    contiguous), ``float64[::1, :]`` is Fortran contiguous. ``NDArray[np.float64]`` and
    ``np.ndarray[Any, np.dtype[np.float64]]`` do not state the rank: ``ndim`` is 0.
    ``int``, ``float``, ``bool``, ``complex`` are Python numbers; ``np.float64`` and the
    bare ``float64`` are NumPy's.
    """
    text = _unquoted(text)
    shaped = _SHAPED.match(text)
    if shaped:
        dtype = _dtype(shaped[1])
        return _array(dtype, shaped[2]) if dtype else None
    if text in _WEAK:
        return _WEAK[text]
    dtype = _dtype(text)
    if dtype:
        return ScalarType(dtype)
    try:
        node = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return _generic(node)


def is_shaped(text: str) -> bool:
    """Whether an annotation is written like ``float64[:, :]``, which Python's are not.

    Where ``from_annotation`` knows no such type it is a mistake.
    """
    return bool(_SHAPED.match(_unquoted(text)))


def _unquoted(text: str) -> str:
    text = text.strip()
    if len(text) > 1 and text[0] in "\"'" and text[-1] == text[0]:
        text = text[1:-1].strip()
    return text


def _array(dtype: str, axes_text: str) -> Type | None:
    """``:, ::1`` after the brackets of a dtype."""
    axes = [re.sub(r"\s", "", axis) for axis in axes_text.split(",")]
    if any(axis not in (":", "::1") for axis in axes) or axes.count("::1") > 1:
        return None
    if axes[-1] == "::1":
        return ArrayType(dtype, len(axes), "C")
    if axes[0] == "::1":
        return ArrayType(dtype, len(axes), "F")
    return None if "::1" in axes else ArrayType(dtype, len(axes), "A")


def _dtype(name: str) -> str:
    """The dtype a (dotted) name stands for, or ``""``."""
    module, _, last = name.strip().rpartition(".")
    if module and module not in _MODULES:
        return ""
    if not module and last in _WEAK:
        return _WEAK[last].dtype
    last = ANNOTATIONS.get(last, last)
    return last if last in DTYPES else ""


def _generic(node: ast.expr) -> Type | None:
    """``NDArray[...]``, ``np.ndarray[..., np.dtype[...]]``, ``Optional`` of neither."""
    if not isinstance(node, ast.Subscript):
        return None
    name = ast.unparse(node.value).rpartition(".")[2]
    inner = node.slice
    if name == "NDArray":
        dtype = _dtype(ast.unparse(inner))
        return ArrayType(dtype, 0, "A") if dtype else None
    if name in ("ndarray", "Annotated") and isinstance(inner, ast.Tuple) and inner.elts:
        part = inner.elts[-1] if name == "ndarray" else inner.elts[0]
        return _generic(part) if isinstance(part, ast.Subscript) else None
    if name == "dtype":
        dtype = _dtype(ast.unparse(inner))
        return ArrayType(dtype, 0, "A") if dtype else None
    return None


def common(left: ScalarType, right: ScalarType) -> ScalarType | None:
    """The type in which NumPy 2 combines two numbers (NEP 50), or None."""
    if left.weak and right.weak:
        return left if RANK[left.dtype] >= RANK[right.dtype] else right
    if left.weak or right.weak:
        weak, strong = (left, right) if left.weak else (right, left)
        return _adopt(weak.dtype, strong)
    return ScalarType(promoted(left.dtype, right.dtype))


def _adopt(weak: str, strong: ScalarType) -> ScalarType:
    """A Python number beside a NumPy one."""
    if weak == "bool" or (weak == "int64" and strong.dtype != "bool"):
        return strong
    if weak == "int64":
        return ScalarType("int64")
    if weak == "float64":
        adopts = RANK[strong.dtype] >= RANK[FLOATS[0]]
        return strong if adopts else ScalarType("float64")
    return ScalarType(made_complex(strong.dtype))


def promote(op: str, left: ScalarType, right: ScalarType) -> ScalarType | None:
    """The type of ``left op right`` for an arithmetic or bitwise operator.

    None where Python raises TypeError or the result is of an unsupported type.
    """
    if (
        op == "*"
        and left.weak
        and left.dtype == "complex128"
        and right.dtype == "float64"
    ):
        return left
    if op in "+-*/" and left == _WEAK["complex"] and right == ScalarType("float64"):
        return left  # numpy.float64 is a float, so complex's own method takes it.
    kind = common(left, right)
    if kind is None:
        return None
    if op in ("&", "|", "^"):
        return kind if kind.dtype in ("bool", *INTEGERS) else None
    if op in ("<<", ">>"):
        if kind.dtype == "bool":
            return _WEAK["int"] if kind.weak else ScalarType("int8")
        return kind if kind.dtype in INTEGERS else None
    if kind.dtype == "bool":
        if kind.weak:
            return _WEAK["float"] if op == "/" else _WEAK["int"]
        if op in "+*":
            return kind
        return {"/": ScalarType("float64"), "-": None}.get(op, ScalarType("int8"))
    if DTYPES[kind.dtype].is_complex and op in ("//", "%"):
        return None
    if DTYPES[kind.dtype].is_complex and op == "**":
        # Python's own takes a float64 of NumPy for one of its floats, too.
        own = left.weak and left.dtype == "complex128" and right.dtype == "float64"
        return None if kind.weak or own else kind
    if op == "/" and kind.dtype in INTEGERS:
        return ScalarType("float64", kind.weak)
    return kind
