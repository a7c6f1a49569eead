"""What an array keeps of a value of another type, and what it refuses."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from semantics.memory import Memory
from semantics.table import Row, Table
from semantics.values import EDGES, PYTHON

WIDE = ("bool", "float32", "float64", "complex128")
SMALL = ("uint8", "int32", "int64")


def store(b, f, d, z, a, which):
    for k in range(b.shape[0]):
        if which == 0:
            b[k] = a[k]
        elif which == 1:
            f[k] = a[k]
        elif which == 2:
            d[k] = a[k]
        else:
            z[k] = a[k]


def store_whole(u, i, L, a, which):
    for k in range(u.shape[0]):
        if which == 0:
            u[k] = a[k]
        elif which == 1:
            i[k] = a[k]
        else:
            L[k] = a[k]


def store_python(b, f, d, z, x, which):
    for k in range(b.shape[0]):
        if which == 0:
            b[k] = x
        elif which == 1:
            f[k] = x
        elif which == 2:
            d[k] = x
        else:
            z[k] = x


def store_python_whole(u, i, L, x, which):
    for k in range(u.shape[0]):
        if which == 0:
            u[k] = x
        elif which == 1:
            i[k] = x
        else:
            L[k] = x


def increase(f, d, z, a, which):
    for k in range(f.shape[0]):
        if which == 0:
            f[k] += a[k]
            f[k] *= a[k]
        elif which == 1:
            d[k] -= a[k]
            d[k] /= 3
        else:
            z[k] += a[k]
            z[k] *= 2


def increase_whole(u, i, L, a, which):
    for k in range(u.shape[0]):
        if which == 0:
            u[k] += a[k]
            u[k] *= a[k]
        elif which == 1:
            i[k] -= a[k]
            i[k] *= 3
        elif which == 2:
            L[k] += a[k]
            L[k] //= 3
        elif which == 3:
            i[k] %= 7
            u[k] <<= 1
            L[k] >>= 2
        else:
            u[k] ^= 5
            i[k] |= 3
            L[k] &= -4


def reduce(L, a):
    for k in range(L.shape[0]):
        L[k] /= 2
        L[k] -= a[k]


def choose(to, a, c):
    for i in range(to.shape[0]):
        to[i] = a[i] * 2 if c[i] else 3


def choose_python(f, d, a, c):
    for i in range(f.shape[0]):
        f[i] = 1 if c[i] else 2.5
        d[i] = a[i] if c[i] else 1
        d[i] += 0 if c[i] else 0.5


def count(i, L, d, c):
    for k in range(L.shape[0]):
        L[k] = c[k] + c[k]
        L[k] += c[k]
        i[k] += True
        d[k] *= c[k]
        d[k] += c[k] * c[k]


def _into(
    targets: tuple[str, ...], value: Any, number: int, memory: Memory
) -> tuple[Any, ...]:
    return (
        *(memory.array([1], target) for target in targets),
        memory.array([value]),
        number,
    )


def _python_into(
    targets: tuple[str, ...], value: Any, number: int, memory: Memory
) -> tuple[Any, ...]:
    return (*(memory.array([1], target) for target in targets), value, number)


def _stores(
    sources: tuple[str, ...],
    targets: tuple[str, ...],
    cases: int = 0,
    native: bool | None = True,
) -> Iterator[Row]:
    for number in range(cases or len(targets)):
        for source in sources:
            for value in EDGES[source][:: 3 if source == "complex128" else 1]:
                name = f"{source} {value!r}, case {number} of {' '.join(targets)}"
                yield Row(name, partial(_into, targets, value, number), native)


def _python_stores(
    kinds: tuple[str, ...], targets: tuple[str, ...], native: bool | None = True
) -> Iterator[Row]:
    for number, target in enumerate(targets):
        for kind in kinds:
            for value in PYTHON[kind]:
                name = f"{kind} {value!r} into {target}"
                yield Row(name, partial(_python_into, targets, value, number), native)


def _chosen(target: str, source: str, value: Any, memory: Memory) -> tuple[Any, ...]:
    return (
        memory.array([1, 1], target),
        memory.array([value, value], source),
        memory.array([False, True]),
    )


def _choices() -> Iterator[Row]:
    for target, source in (("float32", "float64"), ("float64", "float32"),
                           ("float64", "int64"), ("int64", "int64")):  # fmt: skip
        for value in EDGES[source]:
            name = f"{source} {value!r} into {target}"
            yield Row(name, partial(_chosen, target, source, value), None)


def _both(value: Any, memory: Memory) -> tuple[Any, ...]:
    return (
        memory.array([1, 1], "float32"),
        memory.array([1, 1], "float64"),
        memory.array([value, value]),
        memory.array([False, True]),
    )


def _counted(memory: Memory) -> tuple[Any, ...]:
    return (
        *(memory.array([0, 1], kind) for kind in ("int32", "int64", "float64")),
        memory.array([False, True]),
    )


def _reduced(value: Any, memory: Memory) -> tuple[Any, ...]:
    return memory.array([9], "int64"), memory.array([value])


TABLES = (
    Table(store, tuple(_stores(("int64", "float64", "float32"), WIDE))),
    Table(
        store_whole,
        (
            *_stores(("int64", "float32", "float64", "bool"), SMALL, native=None),
            *_stores(("complex128",), SMALL, native=False),
        ),
    ),
    Table(store_python, tuple(_python_stores(("int", "float", "bool"), WIDE, None))),
    Table(
        store_python_whole,
        (
            *_python_stores(("int", "float", "bool"), SMALL, None),
            *_python_stores(("complex",), SMALL, False),
        ),
    ),
    Table(increase, tuple(_stores(("int32", "float32"), WIDE[1:]))),
    Table(increase_whole, tuple(_stores(("uint8", "int64"), SMALL, 5, None))),
    Table(
        reduce,
        tuple(Row(repr(v), partial(_reduced, v), None) for v in EDGES["float64"]),
    ),
    Table(choose, tuple(_choices())),
    Table(
        choose_python,
        tuple(Row(repr(v), partial(_both, v)) for v in EDGES["float64"]),
    ),
    Table(count, (Row("bools", _counted),)),
)
