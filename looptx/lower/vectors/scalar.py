"""What has vectors, and why statements run one iteration after the other."""

from __future__ import annotations

NUMBERS = ("float64", "float32", "int64", "int32")
"""The types of which there are vectors."""

LOADED = {
    **dict.fromkeys(("bool", "int8", "uint8", "int16", "uint16"), "int32"),
    "uint32": "int64",
}
"""The types of which vectors are loaded, and the integers that they become at least."""


class Scalar(Exception):
    """A loop has no vectors.

    Args:
        reason: why, in words.
        perhaps: what helps but leaving the directive out.
    """

    def __init__(self, reason: str, perhaps: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.hint = f"{perhaps and perhaps + ', or '}leave `vectorize` out"


def check_number(dtype: str) -> None:
    """Make sure that there are vectors of a type.

    Raises:
        Scalar: there are none.
    """
    if dtype not in NUMBERS:
        *most, last = NUMBERS
        wanted = f"compute in {', '.join(most)} or {last}"
        raise Scalar(f"there are no vectors of {dtype}", wanted)
