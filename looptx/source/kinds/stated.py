"""What annotations say of numbers."""

from __future__ import annotations

from looptx.model.dtypes import INTEGERS, NAMES

INTEGRAL = frozenset(
    prefix + name
    for name, dtype in NAMES.items()
    if dtype in INTEGERS
    for prefix in ("", "np.", "numpy.")
).union(("int",))
"""Annotations that say *integer*."""

_OTHERS = (
    *("float", "complex", "bool", "str", "bytes", "list", "tuple", "dict", "set"),
    *("List", "Tuple", "Dict", "Set", "Sequence", "Mapping", "Iterable", "Callable"),
    *("ndarray", "NDArray", "None"),
)
"""Types that no integers are of."""


def is_of_another(annotation: str) -> bool:
    """Whether an annotation names a type that no integers are of."""
    name = annotation.partition("[")[0].rpartition(".")[2]
    known = name in NAMES and NAMES[name] not in INTEGERS
    return known or name in _OTHERS
