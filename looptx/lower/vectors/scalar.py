"""Why statements run one iteration after the other."""

from __future__ import annotations


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
