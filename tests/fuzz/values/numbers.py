"""Numbers of all kinds, the awkward ones among them."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

STYLES = ("plain", "special", "wide")
"""Small numbers; those at the edges of the type; those of any magnitude. Besides,
``counts`` and ``factors``: sums of them are exact, or products; ``positions``: indices,
negative ones too; ``poison``: whatever was there."""

AWKWARD = (
    float("nan"), float("inf"), -float("inf"), -0.0, 0.0, 5e-324, -1.0, 1.5e308, 3.4e38,
    1e-45, 0.1, -2.5, 2.0**53, 2.0**63, -(2.0**31), 1e18,
)  # fmt: skip


def numbers(dtype: str, shape: tuple[int, ...], style: str, seed: str) -> Any:
    """An array of these numbers, always the same for a seed."""
    source = np.random.default_rng(random.Random(seed).getrandbits(64))
    if style == "counts":
        return source.integers(0, 2 if dtype == "bool" else 4, shape).astype(dtype)
    if style == "factors":
        return np.where(source.random(shape) < 0.2, 2, 1).astype(dtype)
    if style == "positions":
        return source.integers(
            0 if np.dtype(dtype).kind == "u" else -3, 4, shape
        ).astype(dtype)
    found = _plain(dtype, shape, source)
    if style == "plain":
        return found
    special = source.random(shape) < 0.3
    with np.errstate(all="ignore"):
        return np.where(special, _edges(dtype, shape, style, source), found)


def _plain(dtype: str, shape: tuple[int, ...], source: np.random.Generator) -> Any:
    """Small numbers, fractions among floats."""
    kind = np.dtype(dtype).kind
    if kind in "bu":
        return source.integers(0, 2 if kind == "b" else 6, shape).astype(dtype)
    found = source.integers(-4, 5, shape)
    if kind == "c":
        return (found / 4 + 1j * source.integers(-3, 4, shape)).astype(dtype)
    return (found / 4 if kind == "f" else found).astype(dtype)


def _edges(
    dtype: str, shape: tuple[int, ...], style: str, source: np.random.Generator
) -> Any:
    """Numbers of any magnitude, or at the edges of a type."""
    kind = np.dtype(dtype).kind
    if kind == "b":
        return source.integers(0, 2, shape).astype(bool)
    if kind in "iu":
        ends = np.iinfo(dtype)
        if style == "wide":
            return source.integers(ends.min, ends.max, shape, dtype, endpoint=True)
        known = (ends.min, ends.max, ends.min + 1, ends.max - 1, 0, 1, ends.max // 2)
        return source.choice(np.array(known, dtype), shape)
    if kind == "c":
        part = np.empty(shape, dtype)
        part.real = _edges("float64", shape, style, source)
        part.imag = _edges("float64", shape, style, source)
        return part
    if style == "wide":
        powers = 10.0 ** source.integers(-30, 30, shape)
        return (source.standard_normal(shape) * powers).astype(dtype)
    return source.choice(np.array(AWKWARD), shape).astype(dtype)
