"""Reductions of the elements that a mask tells: none, all, in the order they lie."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from semantics.memory import Memory
from semantics.table import Row, Table


def groups(x, y, labels, out):
    for k in range(out.shape[0]):
        out[k] = np.sum(x[labels == k])


def bins(x, y, labels, out):
    for k in range(out.shape[0]):
        low, high = k * 2.5 - 4, k * 2.5
        inside = np.logical_and(low <= y, y < high)
        some = x[inside]
        out[k] = some.mean()


def together(x, y, labels, out):
    for k in range(out.shape[0]):
        m = (labels > k) & (y < 3)
        out[k] = np.sum(x[m] * y[m])
        n = y > k
        out[k] -= np.prod(x[n] ** 2)


def ends(x, y, labels, out):
    for k in range(out.shape[0]):
        m = labels != k
        some = x[m]
        out[k] = np.max(some)
        out[k] += x[m].argmin()


def used_again(x, y, labels, out):
    for k in range(out.shape[0]):
        out[k] = 0.5
    for k in range(out.shape[0]):
        some = x[labels == k]
        out[k] = np.sum(some)
        out[k] += some[0] if len(some) else 7


def unlike(x, y, labels, out):
    for k in range(out.shape[0]):
        m = labels != k
        out[k] = np.sum(x[m] * y) + k


def chosen(x, y, labels, out):
    for k in range(out.shape[0]):
        m = k if k % 2 else y > 0
        out[k] = np.sum(x[m])


FUNCTIONS = (groups, bins, together, ends, used_again, unlike, chosen)
KINDS = ("float64", "float32", "int64", "int16", "uint8", "bool", "complex128")
SIZES = (0, 1, 2, 7, 63, 64, 65, 129, 1000)

Change = Callable[[Any], Any]
CHANGES: dict[str, tuple[int, Change]] = {
    "few": (2, lambda labels: np.where(np.arange(labels.size) % 97, 9, 1)),
    "all": (2, lambda labels: labels * 0 + 1),
    "shorter": (0, lambda x: x[:-1]),
    "longer labels": (2, lambda labels: np.repeat(labels, 2)),
    "strided": (0, lambda x: np.repeat(x, 2)[::2]),
    "backwards": (2, lambda labels: labels[::-1]),
    "truths": (2, lambda labels: labels > 1),
    "of two axes": (0, lambda x: np.stack([x, x], axis=1)),
    "a list": (0, lambda x: x.tolist()),
    "not numbers": (0, lambda x: np.where(np.arange(x.size) % 5, x, np.nan)),
}


def given(
    memory: Memory, n: int = 129, kind: str = "float64", change: str = ""
) -> tuple[Any, ...]:
    """Numbers of a type, others, labels from 0 to 3, and a place for results."""
    cells = np.arange(n) * 37 % 101 / 8 - (kind not in ("uint8", "bool")) * 5.0
    arrays = [
        memory.array(cells.astype(kind)),
        memory.array(np.arange(n) * 29 % 31 / 2 - 5),
        memory.array(np.arange(n) * 17 % 13 % 4),
    ]
    if change:
        which, changed = CHANGES[change]
        arrays[which] = changed(arrays[which])
    return *arrays, memory.array(np.zeros(4))


def _rows(function: Callable[..., Any]) -> Iterator[Row]:
    surely = True if function in (groups, bins, together, ends) else None
    yield Row("natively", given, surely)
    for n in SIZES:
        yield Row(f"{n}", partial(given, n=n), None)
    for kind in KINDS:
        yield Row(kind, partial(given, kind=kind), None)
    for change in CHANGES:
        yield Row(change, partial(given, change=change), None)


TABLES = tuple(Table(function, tuple(_rows(function))) for function in FUNCTIONS)
