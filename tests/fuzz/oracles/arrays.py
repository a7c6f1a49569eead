"""Programs and what became of them run on real arrays, to the bit and the type.

The oracle on dataflow with numbers for symbols: it sees what types do to them.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from kit.carried import exactly, readable

from fuzz.oracles.dataflow import Run, runs, shape, tag_names
from fuzz.programs.model import Function, Program
from fuzz.values.left import Poisoned


def difference(program: Program, new: str, seed: int) -> str:
    """Where a rewritten program leaves other bits; ``""`` when it never does.

    Sums may be combined in another order where that changes no bit: all numbers are
    small integers.
    """
    for function in program.functions:
        for run in runs(program, function, seed):
            expected, other = (_left(program.bare, function, run, x) for x in (0, 64))
            if isinstance(expected, Exception) or _bits(expected) != _bits(other):
                continue  # what it gives hangs on what `np.empty` left
            found = _left(new, function, run)
            if isinstance(found, Exception):
                return f"at {run} it raises {found!r}"
            for name, one in expected.items():
                if exactly(one) != exactly(found[name]):
                    two = readable(exactly(found[name]))
                    return f"at {run} {name} is {two}, not {readable(exactly(one))}"
    return ""


def _bits(left: Any) -> object:
    return [exactly(one) for one in left.values()] if type(left) is dict else None


def _left(
    text: str, function: Function, run: Run, byte: int = 0
) -> dict[str, Any] | Exception:
    """What a call of a function leaves behind, or what it raises.

    Args:
        text: the module. function: which one. run: what it is called with.
        byte: what arrays that are ``empty`` are full of.
    """
    scope: dict[str, Any] = {"np": Poisoned(byte)}
    code = text.replace("import numpy as np\n", "\n")
    exec(compile(code, "<program>", "exec"), scope)
    called, (n, m) = scope[function.name], map(int, run.sizes)
    numbers = np.random.default_rng((n, m))
    arrays: dict[str, Any] = {}
    for one in function.arrays:
        least, most = (0, max(n, 1)) if one.name == "idx" else (-2, 3)
        extents = run.shapes.get(one.name, shape(function, one, n, m))
        arrays[one.name] = numbers.integers(least, most, extents).astype(one.dtype)
    arguments = dict(arrays)
    function.setting.place(scope, arguments)
    for name in tag_names(called):
        room = np.arange(2000, dtype=function.arrays[0].dtype) % 7
        arguments[name] = _Tags(room)
    arguments.update({one.name: 7 for one in function.setting.starts if not one.text})
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result = called(**arguments, n=n, m=m)
        except Exception as error:
            return error
    return {**arrays, "result": result}


class _Tags:
    """An array of any shape that nothing writes."""

    def __init__(self, numbers: Any) -> None:
        self.numbers = numbers

    def __getitem__(self, at: Any) -> Any:
        place = at if isinstance(at, tuple) else (at,)
        return self.numbers[sum(x * 7**k for k, x in enumerate(place)) % 2000]
