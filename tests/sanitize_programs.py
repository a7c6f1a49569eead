"""Random functions for the sanitizers.

The arrays of a call are as small as the function lets them be, or one element smaller
in one direction: native code must leave those alone.
"""

from __future__ import annotations

import functools
import random
import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from types import FunctionType
from typing import Any

import meaning_programs
import numpy as np
import programs
from programs_run import inputs
from sanitize_cases import Call, Case, collect, left_behind

from looptx.errors import LooptxError

LAYOUTS = ("C", "F", "reversed", "spread")
LENGTHS = ((13, 13), (7, 11), (5, 2), (2, 5), (1, 1), (0, 0))
"""The sizes ``n`` and ``m``, large ones first: small arrays have fewer types."""

MOST = 40
"""No array has a larger extent."""

TAG = re.compile(r"W\[(\d+)((?:, \w+)*)\]")


def case(seed: int) -> Case | None:
    """The case of a number; None when nothing of that function can be compiled."""
    generator = random.Random(seed)
    made, program = _drawn(generator, seed)
    try:
        made.calls += _calls(made, program, generator)
        collect(made)
    except LooptxError:
        return None
    return made if made.functions else None


def _drawn(generator: random.Random, seed: int) -> tuple[Case, programs.Program | None]:
    """One of two kinds of functions: with all sorts of statements, or of many nests."""
    if generator.random() < 0.7:
        program = programs.write(generator.randint)
        text = program.text.removeprefix("import numpy as np\n\n\n")
        return Case(str(seed), text), program
    text = meaning_programs.write(generator.randint).text()
    text = text.replace("def g(W, ", "def g(")
    return Case(str(seed), TAG.sub(_number, text)), None


def _number(tag: re.Match[str]) -> str:
    """An expression in the place of a tag."""
    loops = tag[2].split(", ")[1:]
    terms = [f"{at + 2} * {loop}" for at, loop in enumerate(loops)]
    return f"({' + '.join([f'{tag[1]}.5', *terms])})"


def _calls(
    made: Case, program: programs.Program | None, generator: random.Random
) -> Iterator[Call]:
    """Calls with arrays that are just large enough, and with one that is not."""
    original = made.original()
    mixed = generator.random() < 0.5
    kind = generator.choice((None, None, None, np.int32, np.float32))
    for n, m in LENGTHS:
        arguments = functools.partial(_arguments, program, kind, n, m)
        layouts = {
            name: generator.choice(LAYOUTS) if mixed else "C"
            for name, value in arguments({}).items()
            if isinstance(value, np.ndarray)
        }
        shaped = program is not None and program.shaped
        extents = {} if shaped else _least(original, arguments)
        wanted = [(extents, threads) for threads in (1, 2, 4)]
        if extents:
            name = generator.choice(list(extents))
            wanted.append(({**extents, name: max(extents[name] - 1, 0)}, 2))
        for own, threads in wanted:
            call = Call(arguments(own), layouts, threads)
            yield replace(call, expected=left_behind(original, call.given()))


def _arguments(
    program: programs.Program | None,
    kind: Any,
    n: int,
    m: int,
    extents: Mapping[str, int],
) -> dict[str, Any]:
    """Arguments with arrays of some extents, 24 or 40 where none is given."""
    if program is not None:
        found = inputs(program, n, m, n, extents)
    else:
        numbers = np.random.default_rng(n)
        shapes = {
            name: tuple(
                extents.get(f"{name}.shape[{axis}]", MOST) for axis in range(rank)
            )
            for name, rank in meaning_programs.ARRAYS.items()
        }
        found = {name: numbers.integers(-4, 5, s) / 4 for name, s in shapes.items()}
        found |= {"n": n, "m": m}
    if kind is not None:
        for name in found.keys() - {"n", "m", "u", "idx"}:
            found[name] = found[name].astype(kind)
    return found


def _least(
    original: FunctionType, arguments: Callable[[Mapping[str, int]], dict[str, Any]]
) -> dict[str, int]:
    """The least extents, found one by one, with which the function does not raise.

    Empty when it raises with large arrays already.
    """

    def raises(extents: Mapping[str, int]) -> bool:
        given = arguments(extents)
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                original(**given)
            except Exception:
                return True
        return False

    full = {
        f"{name}.shape[{axis}]": extent
        for name, value in arguments({}).items()
        if isinstance(value, np.ndarray)
        for axis, extent in enumerate(value.shape)
        if name != "idx"
    }
    if raises(full):
        return {}
    for name, high in full.items():
        low = 0
        while low < high:
            middle = (low + high) // 2
            if raises({**full, name: middle}):
                low = middle + 1
            else:
                high = middle
        full[name] = high
    return full
