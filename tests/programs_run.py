"""Random programs carried out: inputs, results, and what a difference looks like."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from programs import ROOM, Program

from looptx.cli.text import transform_text

Function = Callable[..., tuple[Any, ...]]
Outcome = list[tuple[str, object]]


@dataclass(frozen=True)
class Rewritten:
    """What looptx made of a program; ``code`` names the error, if there is one."""

    text: str
    code: str
    message: str


def rewritten(text: str) -> Rewritten:
    """The program transformed, or why it was not. Errors of looptx itself raise."""
    result = transform_text(text, "f.py")
    if not result.errors:
        return Rewritten(result.text, "", "")
    first = result.errors[0]
    assert first.code not in ("LX901", "LX303"), f"{first}\n{text}"
    return Rewritten("", first.code, str(first))


def function(text: str) -> Function:
    """The function ``f`` of a module."""
    scope: dict[str, Any] = {}
    exec(compile(text, "<program>", "exec"), scope)
    found: Function = scope["f"]
    return found


def sizes(program: Program, seed: int) -> Iterator[tuple[int, int]]:
    """Empty, single, prime and block-sized loops, not all combinations of them."""
    edges = {block + more for block in program.blocks for more in (-1, 0, 1)}
    lengths = sorted({0, 1, 2, 3, 5, 7, *edges})
    for length in lengths:
        yield length, length
    generator = random.Random(seed)
    for _ in range(6):
        yield generator.choice(lengths), generator.choice(lengths)


def inputs(
    program: Program,
    n: int,
    m: int,
    seed: int,
    extents: Mapping[str, int] | None = None,
) -> dict[str, Any]:
    """Arguments of a program; all numbers are small integers.

    Args:
        program: what they are for.
        n: its first size.
        m: its second size.
        seed: what the numbers depend on.
        extents: extents of arrays that are given, as ``{"A.shape[0]": 4}``.
    """
    known = extents or {}
    generator = np.random.default_rng([seed, n, m])
    kind = np.int64 if program.integers else np.float64

    def array(name: str, *shape: int) -> Any:
        wanted = (
            known.get(f"{name}.shape[{axis}]", size) for axis, size in enumerate(shape)
        )
        return generator.integers(-4, 5, tuple(wanted)).astype(kind)

    two = (n, m) if program.shaped else (ROOM, ROOM)
    one = max(n, m) if program.shaped else ROOM
    return {
        "A": array("A", *two),
        "B": array("B", *two),
        "x": array("x", one),
        "u": generator.integers(-2, 6, known.get("u.shape[0]", one)),
        "idx": generator.integers(0, min(3, one or 1), max(one, 1)),
        "n": n,
        "m": m,
    }


def outcome(called: Function, arguments: dict[str, Any]) -> Outcome:
    """Everything a call leaves behind, to the bit and the type.

    Raises:
        Exception: what the function raises.
    """
    given = {
        name: value.copy() if isinstance(value, np.ndarray) else value
        for name, value in arguments.items()
    }
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = called(**given)
    everything = [
        *given.items(),
        *((f"result {at}", r) for at, r in enumerate(results)),
    ]
    return [(name, exactly(value)) for name, value in everything]


def exactly(value: object) -> object:
    """A value to the bit and the type, to be compared."""
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, np.generic):
        return type(value).__name__, value.tobytes()
    return type(value).__name__, repr(value)


def difference(program: Program, new: str, seed: int = 0) -> str:
    """Where the rewritten program behaves differently; empty when it never does."""
    original, changed = function(program.text), function(new)
    for n, m in sizes(program, seed):
        arguments = inputs(program, n, m, seed)
        try:
            expected = outcome(original, arguments)
        except Exception:
            continue
        try:
            found = outcome(changed, arguments)
        except Exception as error:
            return f"n={n}, m={m}: raises {error!r}"
        for (name, one), (_, two) in zip(expected, found, strict=True):
            if one != two:
                return f"n={n}, m={m}: {name} is {readable(two)}, not {readable(one)}"
    return ""


def readable(value: object) -> str:
    """What ``exactly`` gave, to be read."""
    match value:
        case (str(kind), tuple(shape), bytes(data)):
            return f"{np.frombuffer(data, kind).reshape(shape).tolist()}"
        case (str(kind), bytes(data)):
            return f"{kind}({np.frombuffer(data, kind)[0]})"
    return str(value)
