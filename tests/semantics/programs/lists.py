"""Lists that loops append to, take from and look at."""

from __future__ import annotations

import copy
import itertools
from collections import deque
from collections.abc import Iterator

import numpy as np

from semantics.memory import Memory
from semantics.table import Make, Row, Table


def collected(x, out, most):
    """Appends to what is given, until that is long enough."""
    for i in range(len(x)):
        if len(out) >= most:
            break
        if x[i] != 1:
            out.append((i, x[i], i * 0.5))
    return len(out), out


def alone(x, out):
    for i in range(len(x)):
        out.append(x[i])


def stacked(x, at, back):
    """Looks at what may not be there, from either end, and replaces it."""
    stack = [3, 1]
    for i in range(len(x)):
        stack.append(i)
        x[i] = stack[at] + 10 * stack[-2]
        stack[back] = 7
        if x[i] > 12:
            stack.pop()
    return len(x)


def drained(x, rounds):
    """Takes more than there is, at times; what it wrote before stays."""
    stack = [(0, 2.0), (1, 0.5)]
    k = 0
    while k < rounds:
        i, value = stack.pop()
        x[k] = value
        if i:
            stack.append((i - 1, value * 2))
        k += 1
    return k, i


def queued(x, rounds):
    queue = deque([1])
    seen = 0
    while queue and seen < rounds:
        k = queue.popleft()
        x[seen] = k
        seen += 1
        queue.append(k * 2)
        if k % 3 == 1:
            queue.extend((k + 1, 2))
    return seen


def grown(x, rounds):
    """Numbers in a list outgrow 64 bits, but for some."""
    largest = [3]
    k = 0
    for _ in range(rounds):
        largest.append(largest[-1] * 5)
        if largest[-1] % 7 > x[0]:
            k += 1
    return k


def begun(x, most):
    """What is in it is put there, and taken, in front of the loop."""
    stack = [most, 1]
    first = stack.pop()
    stack.extend([2, 3])
    stack.pop()
    second = stack.pop()
    pairs = [(most, 0.5)]
    pairs.pop()
    pairs.extend([(1, 2.5), (2, 3.5)])
    for i in range(len(x)):
        x[i] = len(stack) + 10 * len(pairs)
        if stack and stack[-1] > i:
            k = stack.pop()
            x[i] += k
        if pairs:
            k, value = pairs.pop()
            x[i] += k * value
        stack.append(i)
        if i > most:
            pairs.append((i, 0.25))
    return first, second, len(x)


def made_anew(x):
    for i in range(len(x)):
        found = []
        for j in range(i):
            if x[j] < x[i]:
                found.append((j, x[j]))
        x[i] += len(found)
        if found:
            x[i] += found[-1][1] + found[0][0]


def handed_on(x, most):
    """One loop fills a list, another takes from it, and fills the next."""
    queue = []
    later = []
    for i in range(len(x)):
        if x[i] != 1:
            queue.append((i, x[i]))
    rounds = 0
    while queue and rounds < most:
        if queue[-1] == (0, 1):
            rounds += 1
        i, value = queue.pop()
        x.flat[i - 1] = rounds * 60 + i
        later.append(value)
        rounds += 1
    while later:
        x[0] = later.pop()
    return rounds, len(queue)


def turned(x, least):
    """Arrays are made of lists, of which nothing else is seen."""
    found = []
    pairs = []
    for i in range(len(x)):
        if x[i] != least:
            found.append(x[i])
            pairs.append((i, i * 2))
    found = np.array(found)
    return found, np.asarray(pairs, dtype=np.int64), len(pairs)


def walked_back(x, m):
    """What a list has last is asked for before each round."""
    path = [(len(x) - 1, m - 1)]
    while path[-1] != (0, 0):
        i, j = path[-1]
        if i <= 0:
            path.append((0, j - 1))
        elif j <= 0 or x[i] > 2:
            path.append((i - 1, j))
        else:
            path.append((i - 1, j - 1))
        if len(path) > 20:
            break
    return path[::-1]


def without_end(x, least):
    """It may have nothing any more, and then it raises."""
    stack = [least]
    steps = 0
    for i in range(len(x)):
        while stack[-1] < x[i]:
            if stack.pop() == 2:
                continue
            x[i] -= 1
            steps += 1
        stack.append(i)
    return steps


def until_alike(x, most):
    """Conditions tell what is there."""
    found = [most]
    while len(found) < 2 or found[-1] != found[-2]:
        found.append(found[-1] // 2)
    if len(found) <= 3 or found[-3] > 1:
        x[:1] += 1
    return len(found)


def _with(values: object, dtype: str, *others: object) -> Make:
    """An array, and what is none, made anew each time."""

    def make(memory: Memory) -> tuple[object, ...]:
        fresh = map(copy.copy, others)
        return memory.array(values, dtype), *fresh

    return make


def _collected() -> Iterator[Row]:
    for dtype, most in itertools.product(_ALL, (0, 2, 9)):
        yield Row(f"{dtype}, {most}", _with([1, 2, 0, 3, 1, 5], dtype, [None], most))
    yield Row("empty", _with([], "float64", [], 3))
    yield Row("not a list", _with([2.0], "float64", deque(), 3), native=False)


def _alone() -> Iterator[Row]:
    for dtype in _ALL:
        yield Row(dtype, _with([1, 0, 3], dtype, ["a"]))


def _stacked() -> Iterator[Row]:
    for at, back, dtype in itertools.product((0, 2, 3, -1), (1, 4, -1, 0), _SOME):
        name = f"{dtype}, {at}, {back}"
        yield Row(name, _with([0] * 5, dtype, at, back), None)


def _drained() -> Iterator[Row]:
    for rounds, dtype in itertools.product((0, 1, 2, 3, 4, 6), _SOME):
        yield Row(f"{dtype}, {rounds}", _with([9] * 5, dtype, rounds), None)


def _queued() -> Iterator[Row]:
    for rounds, dtype in itertools.product((0, 1, 4, 8, 9), _SOME):
        yield Row(f"{dtype}, {rounds}", _with([0] * 8, dtype, rounds), None)


def _grown() -> Iterator[Row]:
    for rounds in (0, 1, 20, 26, 27, 28, 40):
        yield Row(f"{rounds}", _with([2], "int64", rounds), None)


def _begun() -> Iterator[Row]:
    for n, most, dtype in itertools.product((0, 1, 2, 7), (0, 3, 9), _SOME):
        yield Row(f"{dtype}, {n}, {most}", _with([1] * n, dtype, most))


def _made_anew() -> Iterator[Row]:
    for n, dtype in itertools.product((0, 1, 2, 7), _SOME):
        yield Row(f"{dtype}, {n}", _with([3, 1, 4, 1, 5, 9, 2][:n], dtype))


def _walked_back() -> Iterator[Row]:
    for n, m, dtype in itertools.product((0, 1, 2, 7), (0, 1, 4, 9), _SOME):
        name = f"{dtype}, {n}, {m}"
        yield Row(name, _with([3, 1, 0, 2, 1, 5, 9][:n], dtype, m), n > 0 < m or None)


def _without_end() -> Iterator[Row]:
    for n, least, dtype in itertools.product((0, 1, 7), (0, 2, 4, 9), _SOME):
        native = True if least == 9 else None
        name = f"{dtype}, {n}, {least}"
        yield Row(name, _with([3, 1, 4, 1, 5, 9, 2][:n], dtype, least), native)


def _until_alike() -> Iterator[Row]:
    for most, dtype in itertools.product((0, 1, 9, 100), _SOME):
        yield Row(f"{dtype}, {most}", _with([3, 1], dtype, most))


def _handed_on() -> Iterator[Row]:
    for n, most, dtype in itertools.product((0, 1, 7), (0, 3, 9), _ALL):
        yield Row(
            f"{dtype}, {n}, {most}", _with([3, 1, 0, 2, 1, 5, 9][:n], dtype, most), None
        )


def _turned() -> Iterator[Row]:
    for dtype, least in itertools.product(_ALL, (0, 2, 9)):
        yield Row(f"{dtype}, {least}", _with([1, 2, 0, 3, 1, 5], dtype, least))


_ALL = (
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32"),
    *("uint64", "float16", "float32", "float64", "complex128"),
)
_SOME = ("int64", "float64", "float32")

TABLES = (
    Table(collected, tuple(_collected())),
    Table(alone, tuple(_alone())),
    Table(stacked, tuple(_stacked())),
    Table(drained, tuple(_drained())),
    Table(queued, tuple(_queued())),
    Table(grown, tuple(_grown())),
    Table(begun, tuple(_begun())),
    Table(made_anew, tuple(_made_anew())),
    Table(walked_back, tuple(_walked_back())),
    Table(without_end, tuple(_without_end())),
    Table(until_alike, tuple(_until_alike())),
    Table(handed_on, tuple(_handed_on())),
    Table(turned, tuple(_turned())),
)
