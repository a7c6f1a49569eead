"""Runs that are too long for symbols: on hashes, at sizes that let idle loops run.

Full blocks of a matrix product are some hundred thousand iterations, which symbols are
too slow for and hashes of expressions (``hashes``) are not. Which sizes let which loops
run is found by running the rewritten loops without what they do.
"""

from __future__ import annotations

import ast
import copy
import math
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from looptx.parsers.unwarned import compiled
from looptx.validation.code import Code
from looptx.validation.comparison import Pair, Skipped
from looptx.validation.hashes.hashing import NEW, Hashing, Numbers
from looptx.validation.hashes.integral import SHAPE, Integral, Unfit
from looptx.validation.inputs.signature import Signature, extent_name
from looptx.validation.instrument import LOOP, Counter
from looptx.validation.result import Compared
from looptx.validation.size_choice import Blocks, Sizes, beyond
from looptx.validation.symbols.cells import MOST_CELLS, MOST_MADE, TooMuch

ITERATIONS = 600_000
"""How many of the source there may be to let idle loops run, on hashes."""

_Cell: TypeAlias = Callable[[int], int]

_DRY_LOOPS = 20_000
_GROWN = (1, 2, 4, 8)
_BUILTINS = {
    one.__name__: one for one in (range, len, min, max, abs, int, hash, Exception)
}


class Large:
    """A function and its rewritten form, both on hashes.

    Args:
        pair: the two. free: whose combining statements have no order.

    Attributes:
        left: how many iterations there may be yet.

    Raises:
        Unfit: they do something that hashes do not.
    """

    def __init__(self, pair: Pair, free: frozenset[str]) -> None:
        self.pair = pair
        self.left = ITERATIONS
        self._numbers = Numbers()
        inputs = pair.inputs
        named = (*inputs.sizes, *inputs.arrays, *inputs.scalars, *inputs.fixed)
        if inputs.indices.apart or any("." in name for name in named):
            raise Unfit
        self._free = free
        self._dry_before = self._program(pair.before, dry=True)
        self._dry_after = self._program(pair.after, dry=True)
        self._before = self._program(pair.before)
        self._after = self._program(pair.after)

    @property
    def used(self) -> int:
        """How many iterations there were."""
        return ITERATIONS - self.left

    def sizes(self, around: Blocks) -> Sizes | None:
        """The sizes at which most loops run that never did, as small as they can be.

        The source and the rewritten loops must fit into what is left.
        """
        idle = self.pair.after.loops - self.pair.ran
        most, found = (0, 0), None
        for sizes in beyond(list(self.pair.inputs.free), around, 2 * self.left):
            counter = self.dry_run(sizes, self.left)
            if counter is not None:
                rank = len(idle & counter.ran), -counter.count
                if rank[0] and rank > most:
                    most, found = rank, sizes
        return found

    def dry_run(self, sizes: Mapping[str, int], most: int) -> Counter | None:
        """Which of the rewritten loops run at these sizes.

        None if the source or they take more than ``most`` iterations.
        """
        given = _Inputs(self.pair.inputs, sizes, self._numbers, dry=True)
        counter = Counter(most, loops=_DRY_LOOPS)
        try:
            self._dry_after(counter, given)
            self._dry_before(Counter(most, loops=_DRY_LOOPS), given)
        except (TooMuch, ArithmeticError, LookupError, ValueError):
            return None
        return counter

    def compare(self, sizes: Mapping[str, int], most: int) -> Compared | Skipped | None:
        """Run both and compare all arrays and results; None where they differ.

        What takes more than ``most`` iterations, or raises an exception in the source,
        is skipped.
        """
        shown = self.pair.inputs.shown()
        named = {shown[name]: size for name, size in sizes.items()}
        for factor in _GROWN:
            counter = Counter(most)
            try:
                given = _Inputs(self.pair.inputs, sizes, self._numbers, factor)
                other = given.copy()
                first = self._before(counter, given)
                break
            except IndexError:
                continue
            except TooMuch:
                return Skipped(named, "it would take too long")
            except Exception as error:
                return Skipped(named, f"on hashes, {type(error).__name__}: {error}")
            finally:
                self.left -= counter.count
        else:
            return Skipped(named, "it takes too many cells")
        again = Counter(20 * counter.count + 1000)
        try:
            second = self._after(again, other)
        except Exception:
            return None
        seen = given.arrays.keys() - self.pair.unseen
        if first != second or any(given.arrays[x] != other.arrays[x] for x in seen):
            return None
        self.pair.ran |= again.ran
        cells = sum(math.prod(given.shapes[x]) for x in seen) + (first is not None)
        return Compared(named, cells, 0, counter.count, hashed=True)

    def _program(self, code: Code, dry: bool = False) -> _Program:
        inputs = self.pair.inputs
        known = Integral(
            code.scope,
            {name: array.rank for name, array in inputs.arrays.items()},
            inputs.indices.names,
            (*inputs.scalars, *inputs.fixed),
        )
        hashing = Hashing(known, self._free, self._numbers, code.parts, dry)
        return _Program(hashing, code, inputs)


class _Program:
    """A function that runs on hashes."""

    def __init__(self, hashing: Hashing, code: Code, inputs: Signature) -> None:
        shapes = (SHAPE + name for name in inputs.arrays)
        own = (*inputs.sizes, *inputs.arrays, *inputs.scalars, *inputs.fixed, *shapes)
        made = hashing.function(own)
        self.name = code.name
        self.code = compiled(ast.Module([made], []), "<hashes>")

    def __call__(self, counter: Counter, inputs: _Inputs) -> Any:
        """Run it; whatever it raises is raised."""
        names: dict[str, Any] = {
            "__builtins__": _BUILTINS,
            LOOP: counter.all,
            NEW: _new,
        }
        exec(self.code, names)
        return names[self.name](**inputs.values)


class _Inputs:
    """What a function is given: sizes, hashes, and lists of lists of them.

    Args:
        factor: how much larger than the largest size the extents are that nothing asks
            for.
        dry: make the index arrays only.

    Raises:
        TooMuch: the arrays would be too large.
    """

    def __init__(
        self,
        inputs: Signature,
        sizes: Mapping[str, int],
        numbers: Numbers,
        factor: int = 1,
        dry: bool = False,
    ) -> None:
        guess = factor * (max(sizes.values(), default=3) + 2)
        self.shapes = {
            name: tuple(
                sizes.get(extent_name((name, axis)), guess) for axis in range(one.rank)
            )
            for name, one in inputs.arrays.items()
        }
        if not dry and sum(map(math.prod, self.shapes.values())) > MOST_CELLS:
            raise TooMuch
        limit = max(1, min(map(min, self.shapes.values()), default=1))
        self.arrays: dict[str, Any] = {}
        for name, array in inputs.arrays.items():
            cell: _Cell = _bit if array.dtype == "bool" else _same
            if array.indices:
                cell = _below(limit)
            made = array.indices or not dry
            shape = self.shapes[name] if made else (0,)
            self.arrays[name] = _cells(shape, numbers.of(name), cell)
        self._others: dict[str, Any] = {
            **{name: sizes[name] for name in inputs.sizes},
            **{name: numbers.of(f"scalar {name}") for name in inputs.scalars},
            **{name: numbers.constant(value) for name, value in inputs.fixed.items()},
            **{SHAPE + name: shape for name, shape in self.shapes.items()},
        }

    @property
    def values(self) -> dict[str, Any]:
        """By the names of the arguments."""
        return {**self._others, **self.arrays}

    def copy(self) -> _Inputs:
        """The same with arrays of its own."""
        made = copy.copy(self)
        made.arrays = {name: _copied(array) for name, array in self.arrays.items()}
        return made


def _cells(shape: tuple[int, ...], key: int, cell: _Cell) -> Any:
    """Lists of lists of numbers, all different, from a key."""
    first, *rest = shape
    if rest:
        return [_cells(tuple(rest), hash((key, at)), cell) for at in range(first)]
    return [cell(hash((key, at))) for at in range(first)]


def _copied(array: Any) -> Any:
    """Lists of lists, copied."""
    rows = array and isinstance(array[0], list)
    return [_copied(row) for row in array] if rows else array[:]


def _same(number: int) -> int:
    return number


def _bit(number: int) -> bool:
    return bool(number & 64)


def _below(limit: int) -> _Cell:
    return lambda number: number % limit


def _new(shape: int | tuple[int, ...], key: int) -> Any:
    """``np.zeros`` and the like: what they hold depends on their name."""
    extents = (shape,) if isinstance(shape, int) else shape
    if math.prod(extents) > MOST_MADE:
        raise TooMuch
    return _cells(extents or (1,), key, _same)
