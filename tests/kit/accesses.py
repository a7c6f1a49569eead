"""The model of a nest, executed: every instance in source order, every access checked.

Arrays are replaced by ones that note which cells are touched. An instance may touch
only what its accesses say, and must write what they say is certainly written.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

import numpy as np

from kit.nests import NAMES as MATH
from kit.nests import kernel_of, points, value
from kit.recording import Recorded, cells
from looptx.model.program import Nest, Statement

NAMES: dict[str, Any] = {"np": np, **MATH}


class Noted(Recorded):
    """An array that notes the cells it is asked for."""

    def __init__(self, data: np.ndarray) -> None:
        super().__init__(data, self._note)
        self.read: list[tuple[int, ...]] = []
        self.written: list[tuple[int, ...]] = []

    def _note(self, key: Any, write: bool, _: object) -> None:
        found = self.written if write else self.read
        found += cells(key, self.values.shape)


def run_model(nest: Nest, space: dict[str, Any], arrays: Mapping[str, Noted]) -> None:
    """Run a nest from its model; ``space`` holds its variables and is changed."""
    for name, loops in points(nest, space):
        if name in nest.loops:
            space[nest.loops[name].var] = loops[name]
        else:
            instance(nest, nest.statements[name], loops, space, arrays)


def instance(
    nest: Nest,
    statement: Statement,
    loops: Mapping[str, int],
    space: dict[str, Any],
    arrays: Mapping[str, Noted],
) -> None:
    """Run one instance and compare what it touches with what its accesses allow."""
    for array in arrays.values():
        array.read, array.written = [], []
    names = {**space, **loops}
    allowed = [
        (
            access,
            [None if s is None else value(s, names) for s in access.subscripts],
        )
        for access in statement.accesses
    ]
    before = {name: space.get(name) for name in nest.scalars}
    text = statement.written
    space.update({nest.loops[loop].var: at for loop, at in loops.items()})
    exec(text, NAMES, space)
    for name, array in arrays.items():
        for touched, write in ((array.read, False), (array.written, True)):
            for cell in touched:
                fits = any(
                    access.array == name
                    and access.write == write
                    and all(
                        want is None or want % size == have
                        for want, have, size in zip(
                            wanted, cell, array.shape, strict=False
                        )
                    )
                    for access, wanted in allowed
                )
                assert fits, (text, name, cell, write, statement.accesses)
        for access, wanted in allowed:
            if access.array == name and access.write and access.certain:
                sizes = array.shape
                first = [w % s for w, s in zip(wanted, sizes, strict=False)]
                for rest in np.ndindex(*sizes[len(wanted) :]):
                    assert (*first, *rest) in array.written, (text, access)
    for name, held in before.items():
        if not any(a.array == name and a.write for a in statement.accesses):
            assert space.get(name) is held, (text, name)


def check_model(code: str, *args: Any) -> None:
    """Run a function and its model, and compare arrays and live variables.

    The function has one nest, which starts after its other statements and ends with
    ``return`` of a dict of variables or with nothing. Sizes it fails on are left out.
    """
    tree = ast.parse(code)
    kernel = kernel_of(code)
    (nest,) = kernel.nests
    definition = next(n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef))
    space = dict(NAMES)
    exec(code, space)
    mine = [a.copy() if isinstance(a, np.ndarray) else a for a in args]
    theirs = [a.copy() if isinstance(a, np.ndarray) else a for a in args]
    try:
        expected = space[definition.name](*mine)
    except (IndexError, UnboundLocalError):
        return
    inputs = dict(zip([p for p, _ in kernel.parameters], theirs, strict=True))
    for stmt in definition.body:
        if isinstance(stmt, ast.For):
            break
        exec(ast.unparse(stmt), NAMES, inputs)
    arrays = {
        name: Noted(value)
        for name, value in inputs.items()
        if isinstance(value, np.ndarray)
    }
    state = {**inputs, **arrays}
    for name in nest.live_in:
        assert name.partition(".")[0] in state, name
    run_model(nest, state, arrays)
    for ours, other in zip(mine, theirs, strict=True):
        if isinstance(ours, np.ndarray):
            np.testing.assert_array_equal(ours, other)
    for name, left in (expected or {}).items():
        assert name in nest.live_out or name in inputs, name
        assert state[name] == left, name
