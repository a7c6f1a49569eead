"""Source files of sizes and depths beyond reason."""

from __future__ import annotations

import random
from collections.abc import Callable

BIG = "9" * 4000


def extreme(rng: random.Random) -> bytes:
    """A program of a size or a depth that nobody writes by hand."""
    count = rng.choice((20, 99, 101, 1000))
    text = rng.choice(_EXTREMES)(rng, count)
    return text.encode()


def _loop(directive: str, statement: str, bound: str = "n") -> str:
    return (
        "def f(A, B, n):\n"
        f"    # looptx: {directive}\n"
        f"    for i in range({bound}):\n"
        f"        {statement}\n"
    )


def _parentheses(rng: random.Random, count: int) -> str:
    return _loop("tile i=4", f"A[i] = {'(' * count}B[i]{')' * count}")


def _operators(rng: random.Random, count: int) -> str:
    sign = rng.choice(
        (" + ", " - ", " * ", " / ", " and ", " if n else ", " < ", " ** ")
    )
    return _loop("tile i=4", f"A[i] = {sign.join(['B[i]'] * count)}")


def _unary(rng: random.Random, count: int) -> str:
    return _loop("tile i=4", f"A[i] = {rng.choice(('-', '~', 'not ')) * count}B[i]")


def _chain(rng: random.Random, count: int) -> str:
    link = rng.choice(("[i]", ".a", "()", "[0]"))
    return _loop("tile i=4", f"A[i] = B{link * count}")


def _calls(rng: random.Random, count: int) -> str:
    inner = "abs(" * count + "B[i]" + ")" * count
    return _loop("tile i=4", f"A[i] = {inner}")


def _bounds(rng: random.Random, count: int) -> str:
    bound = rng.choice(
        (" + ".join(["n"] * count), "min(" * count + "n" + ", n)" * count, BIG)
    )
    return _loop("tile i=4", "A[i] = B[i]", bound)


def _subscripts(rng: random.Random, count: int) -> str:
    index = rng.choice(
        (" + ".join(["i"] * count), ", ".join(["i"] * count), f"i + {BIG}")
    )
    return _loop("tile i=4", f"A[{index}] = B[i]")


def _nested(rng: random.Random, count: int) -> str:
    """Loops in loops: Python itself allows 20, and 100 levels of indentation."""
    count = rng.choice((5, 12, 19, 21, 101))
    rows = ["def f(A, n):", "    # looptx: parallel i0"]
    rows += [f"{'    ' * (k + 1)}for i{k} in range(n):" for k in range(count)]
    return "\n".join((*rows, "    " * (count + 1) + "A[i0] += 1", ""))


def _blocks(rng: random.Random, count: int) -> str:
    head = rng.choice(("if n:", "with n:", "while n:", "def g():", "class K:", "try:"))
    return (
        "".join(f"{' ' * k}{head}\n" for k in range(count))
        + " " * count
        + "pass # looptx: x\n"
    )


def _statements(rng: random.Random, count: int) -> str:
    body = "\n        ".join(f"A[i, {k % 7}] = B[i, {k}]" for k in range(count // 4))
    return _loop(rng.choice(("tile i=4", "unroll i 4", "parallel i")), body)


def _functions(rng: random.Random, count: int) -> str:
    return _loop("tile i=0", "A[i] = 1") * count


def _nests(rng: random.Random, count: int) -> str:
    """Very many nests of one function, of which one has a directive."""
    plain = "    for j in range(n):\n        B[j] = A[j]\n" * count
    return (
        _loop(rng.choice(("tile i=4", "tile j=4", "fuse a b as x y")), "A[i] = 1")
        + plain
    )


def _comments(rng: random.Random, count: int) -> str:
    """Very many directives of one loop."""
    row = rng.choice(
        ("tile i=4", "nest a", "trust order", "unroll i 2", "split i 2", "skew i j")
    )
    return _loop("\n    # looptx: ".join([row] * count), "A[i] = 1")


def _factors(rng: random.Random, count: int) -> str:
    big = rng.choice((64, 1000, 65_536, 10**6, 10**9, 2**31 - 1))
    forms = (
        "unroll i {0}",
        "tile i={0}",
        "split i {0}",
        "split i {0} {0}",
        "pad i {0}",
        "vectorize i {0}",
        "split i parts={0}",
        "tile i={0} | unroll ii",
        "unroll i {0}",
    )
    bound = rng.choice(("n", "10", "1000000", "10**18", BIG))
    return _loop(rng.choice(forms).format(big), "A[i] = B[i]", bound)


def _numbers(rng: random.Random, count: int) -> str:
    number = rng.choice(
        (BIG, "9" * 5000, "0x" + "f" * 9000, "1e9999", "2**63", "2**(2**(2**9))")
    )
    place = rng.choice(
        ("A[i] = {}", "A[{}] = 1", "A[i + {}] = 1", "A[i * {}] = 1", "A[i % {}] = 1")
    )
    return _loop(
        rng.choice(("tile i=4", "parallel i", "reassociate A")), place.format(number)
    )


def _names(rng: random.Random, count: int) -> str:
    return _loop("tile i=4", "A[i] = B[i]").replace("i", "i" * count * 10)


def _strings(rng: random.Random, count: int) -> str:
    return _loop("tile i=4", f"A[i] = B[i]  # {'x' * count * 300}")


_EXTREMES: tuple[Callable[[random.Random, int], str], ...] = (
    _parentheses, _operators, _unary, _chain, _calls, _bounds, _subscripts, _nested,
    _blocks, _statements, _functions, _nests, _comments, _factors, _factors, _numbers,
    _names, _strings,
)  # fmt: skip
