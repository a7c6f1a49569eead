"""Which iterations of a nest run where, found without isl: by walking all reads.

Each statement reads a cell of ``P`` or ``Q`` that says which iteration of the producer
or the consumer it is. What the rewritten function does is then a list of iterations; it
has to be the one that follows from what the source reads and writes.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import pytest
from kit.carried import refusal, rewritten
from kit.samples import crossed

Instance: TypeAlias = tuple[str, tuple[int, ...]]
Key: TypeAlias = Callable[[tuple[int, ...]], object]

SIZES = range(8)


@dataclass(frozen=True)
class Step:
    """An iteration of a statement: what it is, and whose values it reads."""

    name: Instance
    reads: frozenset[int]


class Log:
    """An array that notes what is read and written."""

    def __init__(self, name: str, log: list[tuple[str, str, Any]]) -> None:
        self.name = name
        self.log = log

    def __getitem__(self, key: Any) -> float:
        self.log.append(("read", self.name, key))
        return 1.0

    def __setitem__(self, key: Any, value: float) -> None:
        self.log.append(("write", self.name, key))


def logged(text: str, n: int) -> list[tuple[str, str, Any]]:
    """What a function reads and writes, in order; its own arrays are noted, too."""
    log: list[tuple[str, str, Any]] = []
    scope: dict[str, Any] = {}
    exec(text.replace("np.empty", "own").replace("np.zeros", "own"), scope)
    scope["own"] = lambda shape: Log("T", log)
    names = inspect.signature(scope["f"]).parameters
    scope["f"](**{name: n if name == "n" else Log(name, log) for name in names})
    return log


def steps(text: str, n: int) -> list[Step]:
    """The iterations of the source in order, each with those that it reads from."""
    found: list[Step] = []
    last: dict[tuple[str, Any], int] = {}
    name, cells = None, list[tuple[str, Any]]()
    for what, array, key in logged(text, n):
        if what == "read" and array in "PQ":
            name = (array, key if isinstance(key, tuple) else (key,))
        elif what == "read":
            cells.append((array, key))
        else:
            assert name is not None
            reads = frozenset(last[cell] for cell in cells if cell in last)
            last[array, key] = len(found)
            found.append(Step(name, reads))
            name, cells = None, []
    return found


def grouped(found: list[Step], array: str, key: Key) -> dict[object, list[int]]:
    """The iterations of a nest by the iteration of a loop that they are in."""
    groups: dict[object, list[int]] = {}
    for at, step in enumerate(found):
        if step.name[0] == array:
            groups.setdefault(key(step.name[1]), []).append(at)
    return groups


def compute_at(
    found: list[Step], key: Key, *, sliding: bool, seen: bool
) -> Iterator[int]:
    """What ``compute_at P q.j`` has to run, in order."""
    needs: list[tuple[set[int], list[int]]] = []
    for users in grouped(found, "Q", key).values():
        needed, left = set[int](), [*users]
        while left:
            more = {at for at in found[left.pop()].reads if found[at].name[0] == "P"}
            left += more - needed
            needed |= more
        needs.append((needed, users))
    ever = set().union(*(needed for needed, _ in needs))
    if seen:
        yield from (
            at for at, x in enumerate(found) if x.name[0] == "P" and at not in ever
        )
    done = set[int]()
    for needed, users in needs:
        yield from sorted(needed - done)
        yield from users
        done |= needed if sliding else set()


def reverse_compute_at(found: list[Step], key: Key) -> Iterator[int]:
    """What ``reverse_compute_at Q p.j`` has to run, in order."""
    groups = grouped(found, "P", key)
    place = {at: number for number, own in enumerate(groups.values()) for at in own}
    when: dict[int, int] = {}
    users = [at for at, step in enumerate(found) if step.name[0] == "Q"]
    for at in users:
        known = [{**place, **when}.get(x, -1) for x in found[at].reads]
        if max(known, default=-1) >= 0:
            when[at] = max(known)
    for at in reversed(users):
        needed = [when[x] for x in users if at in found[x].reads and x in when]
        if at not in when and needed:
            when[at] = min(needed)
    for number, own in enumerate(groups.values()):
        yield from own
        yield from (at for at in users if when.get(at) == number)
    yield from (at for at in users if at not in when)


def check(source: str, text: str, order: Callable[[list[Step]], Iterator[int]]) -> str:
    """Compare what runs with what should, at all sizes; the rewritten text."""
    after = rewritten(source.format(text))
    assert not after.code, after.message
    for n in SIZES:
        found = steps(plain(source), n)
        expected = [found[at].name for at in order(found)]
        ran = [
            (array, key if isinstance(key, tuple) else (key,))
            for what, array, key in logged(after.text, n)
            if what == "read" and array in "PQ"
        ]
        assert ran == expected, f"n={n}\n{after.text}"
    return after.text


def plain(text: str) -> str:
    """A module without its directives."""
    kept = (x for x in text.splitlines() if not x.lstrip().startswith("# looptx:"))
    return "\n".join(kept) + "\n"


def pair(own: str, producer: str, consumer: str) -> str:
    """A function of two nests, with a place for directives."""
    local = f"    T = {own}\n" if own else ""
    return (
        "import numpy as np\n# looptx: {}\n"
        f"def f(P, Q, A, B, {'' if own else 'T, '}n):\n"
        f"{local}    # looptx: nest p\n{_indented(producer)}"
        f"    # looptx: nest q\n{_indented(consumer)}"
    )


def _indented(text: str) -> str:
    return "".join(f"    {line}\n" for line in text.strip("\n").splitlines())


def one(read: str, header: str = "range(n)") -> str:
    """A consumer of a line of ``T``."""
    reads = " + ".join(f"T[{each.strip()}]" for each in read.split(","))
    return f"for i in {header}:\n    B[i] = Q[i] * ({reads})"


LINE = "for i in range(2 * n + 3):\n    T[i] = P[i] * A[i]"
BACK = "for i in range(2 * n + 2, -1, -1):\n    T[i] = P[i] * A[i]"
STEPS = "for i in range(1, 2 * n + 3, 3):\n    T[i] = P[i] * A[i]"
SCAN = """
for i in range(2 * n + 3):
    T[i] = P[i] * A[i]
    if i > 1:
        T[i] = P[i + 100] * T[i - 2] * T[i]
"""
PLANE = """
for i in range(2 * n + 1):
    for j in range(2 * n + 1):
        T[i, j] = P[i, j] * A[i, j]
"""
TRIANGLE = """
for i in range(2 * n + 1):
    for j in range(i + 1):
        T[i, j] = P[i, j] * A[i, j]
"""
SUM = """
for i in range(n + 2):
    T[i] = P[i, 0]
    for k in range(3):
        T[i] += P[i, k + 1] * A[i, k]
"""


def outer(index: tuple[int, ...]) -> object:
    """An iteration of the outermost loop."""
    return index[0]


def cell(index: tuple[int, ...]) -> object:
    """An iteration of all loops."""
    return index


def by(size: int) -> Key:
    """A block of the outermost loop."""
    return lambda index: index[0] // size


LINES = [
    ("i", "range(n)"),
    ("i, i + 2", "range(n)"),
    ("n - 1 - i", "range(n)"),
    ("2 * i + 1", "range(n)"),
    ("i // 2", "range(n)"),
    ("i % 3", "range(n)"),
    ("i - 1, i, i + 1", "range(1, n)"),
    ("i, i + 3", "range(n - 1, -1, -1)"),
    ("i, 0", "range(0, n, 2)"),
]


@crossed(
    producer=[LINE, BACK, STEPS, SCAN],
    line=LINES,
    sliding=[False, True],
    seen=[True, False],
)
def test_lines(producer: str, line: tuple[str, str], sliding: bool, seen: bool) -> None:
    """``SCAN`` reads its own results, so that what is needed reaches back to them.

    What stays in front must not read what only runs later.
    """
    made = "" if seen else "np.empty(2 * n + 3)"
    source = pair(made, producer, one(*line))
    text = f"compute_at p q.i{' sliding' * sliding}"
    if producer == SCAN and seen and sliding:
        assert "LX201" in refusal(source.format(text))
        return
    if producer == SCAN and not sliding:
        text += " | trust order" if seen else " | temp T"
    check(source, text, lambda x: compute_at(x, outer, sliding=sliding, seen=seen))


PLANES = [
    ("n", "B[i, j] = Q[i, j] * T[i, j] * T[i + 1, j]"),
    ("n", "B[i, j] = Q[i, j] * T[j, i] * T[i + 1, 2 * j]"),
    ("i + 1", "B[i, j] = Q[i, j] * T[i, i - j] * T[i, j]"),
    ("n", "B[i, j] = Q[i, j] * T[i + j, j] * T[i + 1, j // 2]"),
    ("n", "B[i, j] = Q[i, j] * T[i, i] * T[n, j % 2]"),
]


def plane(stop: str, body: str) -> str:
    """A nest of two loops."""
    return f"for i in range(n):\n    for j in range({stop}):\n        {body}"


@crossed(
    producer=[PLANE, TRIANGLE],
    cells=PLANES,
    at=[("i", outer), ("j", cell)],
    sliding=[False, True],
)
def test_planes(
    producer: str, cells: tuple[str, str], at: tuple[str, Key], sliding: bool
) -> None:
    loop, key = at
    source = pair("np.empty((2 * n + 1, 2 * n + 1))", producer, plane(*cells))
    text = f"compute_at p q.{loop}{' sliding' * sliding}"
    check(source, text, lambda x: compute_at(x, key, sliding=sliding, seen=False))


@pytest.mark.parametrize("size", [1, 2, 3, 5])
@pytest.mark.parametrize("sliding", [False, True], ids=["again", "sliding"])
def test_tiles_with_a_halo(size: int, sliding: bool) -> None:
    source = pair("", LINE, one("i, i + 1, i + 2"))
    text = f"split q.i {size} | compute_at p q.i{' sliding' * sliding}"
    check(source, text, lambda x: compute_at(x, by(size), sliding=sliding, seen=True))


ROWS = """
for i in range(n):
    for j in range({}):
        B[i, j] = Q[i, j] * {}
"""
TABLE = """
for i in range(n):
    for j in range({}):
        T[i, j] = P[i, j] * A[i, j]
"""


@crossed(
    read=["T[i, j]", "T[i, j] * T[i + 1, 2 * j]", "T[j, i]"],
    width=[1, 5],
    size=[1, 4, 7],
    sliding=[False, True],
)
def test_blocks_of_a_collapsed_loop(
    read: str, width: int, size: int, sliding: bool
) -> None:
    source = pair("np.empty((2 * n + 9, 2 * n + 9))", PLANE, ROWS.format(width, read))
    source = source.replace("range(2 * n + 1)", "range(2 * n + 9)")
    text = f"collapse q.i q.j as z | split q.z {size} | compute_at p q.z"
    text += " sliding" * sliding

    def key(index: tuple[int, ...]) -> object:
        return (index[0] * width + index[1]) // size

    check(source, text, lambda x: compute_at(x, key, sliding=sliding, seen=False))


@crossed(
    read=["T[i, j]", "T[i, j] * T[n - 1 - i, j // 2]"],
    width=[1, 4, 5],
    size=[1, 3, 4],
)
def test_what_is_read_is_complete_after_a_block(
    read: str, width: int, size: int
) -> None:
    source = pair("", TABLE.format(width), ROWS.format(width, read))
    text = f"collapse p.i p.j as z | split p.z {size} | reverse_compute_at q p.z"

    def key(index: tuple[int, ...]) -> object:
        return (index[0] * width + index[1]) // size

    check(source, text, lambda x: reverse_compute_at(x, key))


@pytest.mark.parametrize("sliding", [False, True], ids=["again", "sliding"])
def test_a_sum_runs_with_its_start(sliding: bool) -> None:
    source = pair("", SUM, one("i, i + 1"))
    text = f"compute_at p q.i{' sliding' * sliding}"
    check(source, text, lambda x: compute_at(x, outer, sliding=sliding, seen=True))


@pytest.mark.parametrize(
    ("producer", "consumer", "loop", "key"),
    [
        (LINE, one("i"), "i", outer),
        (LINE, one("i, i + 2"), "i", outer),
        (LINE, one("n - 1 - i"), "i", outer),
        (BACK, one("2 * i, i"), "i", outer),
        (STEPS, one("i // 2, i"), "i", outer),
        (PLANE, plane(*PLANES[0]), "i", outer),
        (PLANE, plane(*PLANES[1]), "j", cell),
        (TRIANGLE, plane(*PLANES[2]), "i", outer),
        (SUM, one("i, i + 1"), "k", lambda index: (index[0], index[1:])),
        (PLANE, SUM.replace("P[", "Q[").replace("T[i]", "B[i]").replace("A[", "T["),
         "i", outer),
    ],
)  # fmt: skip
def test_what_is_read_is_complete(
    producer: str, consumer: str, loop: str, key: Key
) -> None:
    if loop == "k":
        loop, key = "i", outer
    source = pair("", producer, consumer)
    text = f"reverse_compute_at q p.{loop}"
    check(source, text, lambda x: reverse_compute_at(x, key))


def test_the_walk_finds_a_box() -> None:
    """More than is needed would be noticed: a box around what a diagonal reads."""
    source = plain(pair("", LINE, one("2 * i")).format("nest f"))
    found = steps(source, 3)
    right = [
        found[at].name for at in compute_at(found, outer, sliding=False, seen=True)
    ]
    box = plain(pair("", LINE, one("2 * i, 2 * i + 1")).format("nest f"))
    wider = steps(box, 3)
    assert right != [
        wider[at].name for at in compute_at(wider, outer, sliding=False, seen=True)
    ]
    front = [("P", (at,)) for at in (1, 3, 5, 6, 7, 8)]
    pairs = [x for at in range(3) for x in (("P", (2 * at,)), ("Q", (at,)))]
    assert right == front + pairs


def test_a_witness_says_what_blocks_and_their_parts_show() -> None:
    text = """
import numpy as np
# looptx: split c.i 8 | compute_at a c.ii | parallel c.i
def chain(A, B, n):
    T = np.empty(n)
    # looptx: nest a
    for i in range(n):
        T[i] = A[i] * A[i]
    # looptx: nest c
    for i in range(2, n):
        B[i] = T[i] - T[i - 1]
"""
    assert "write T[9] at (c.i=10, c.ii=10, a.i=9)" in refusal(text)
