"""One pair of runs: a function and its rewritten form, on the same inputs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

from looptx.model.records import dataclass, field
from looptx.validation.code import Code, Outcome
from looptx.validation.inputs.signature import (
    Given,
    Members,
    Signature,
    build,
    extent_name,
)
from looptx.validation.inputs.uses import Axis
from looptx.validation.result import Compared
from looptx.validation.symbols.cells import (
    MOST_CELLS,
    Cells,
    Outside,
    TooMuch,
    Unrunnable,
)
from looptx.validation.symbols.functions import Functions
from looptx.validation.symbols.table import Symbol, Table

_ATTEMPTS = 40
_GUESSED_CELLS = 60_000
_SIGNS_OF_SYMBOLS = (TypeError, AttributeError, NotImplementedError)


@dataclass(frozen=True, slots=True)
class Difference:
    """A cell or a returned value that the two versions give different values.

    Attributes:
        where: ``B[1, 2]``. before, after: the expressions. seed: of the numbers.
        raised: instead of ``after``, what the rewritten function raised.
        repeated: the index arrays that named positions more than once.
        disordered: whether the iterations of parallel loops had another order.
    """

    sizes: Mapping[str, int]
    where: str
    before: Any
    after: Any
    seed: int
    raised: Exception | None = None
    repeated: tuple[str, ...] = ()
    disordered: bool = False


@dataclass(frozen=True, slots=True)
class Skipped:
    """Sizes at which nothing can be compared. ``costly``: it would take too long."""

    sizes: Mapping[str, int]
    reason: str
    costly: bool = False


@dataclass(slots=True)
class Pair:
    """Two versions of one function.

    Attributes:
        before, after: the versions. inputs: what both are given.
        strange: names with a value around the function that only ``after`` reads.
        ran: the lines of the loops of ``after`` that had an iteration so far.
        disordered: ``after`` with the iterations of parallel loops in another order.
        functions: what the names of modules mean.
        unseen: the arguments that nobody looks at afterwards.
    """

    before: Code
    after: Code
    inputs: Signature
    strange: frozenset[str] = frozenset()
    ran: set[int] = field(default_factory=set)
    disordered: Code | None = None
    functions: Functions = field(default_factory=lambda: Functions(Table()))
    unseen: frozenset[str] = frozenset()

    def compare(
        self,
        sizes: Mapping[str, int],
        limit: int,
        given: frozenset[str],
        seed: int = 0,
        repeat: bool = False,
    ) -> Compared | Difference | Skipped:
        """Run both and compare all that a caller could see.

        Args:
            sizes: of every name in ``inputs.free``; those that the function needs
                larger grow.
            limit: what the source may cost: its iterations and expressions.
            given: the sizes that must stay as they are.
            seed: for the numbers beside the symbols, which decide branches.
            repeat: whether index arrays name positions more than once.

        Returns:
            What was equal, the first difference, or why nothing was compared.

        Raises:
            Unrunnable: the function is not one that symbols run through.
        """
        trial = _Trial(self, dict(sizes), given, seed, repeat)
        repeated = self.inputs.indices.free if repeat else ()
        try:
            first = trial.settle(limit)
        except TooMuch:
            return Skipped(sizes, "it takes too many cells", costly=True)
        shown = trial.shown()
        if isinstance(first.error, TooMuch):
            reason = "it would take too long"
            return Skipped(shown, reason, costly=True)
        if first.error is not None:
            return Skipped(shown, f"the function raises {named(first.error)}"[:200])
        before = trial.given
        if _twice(before, self.inputs.indices.distinct):
            return Skipped(shown, "no place is free for what is trusted")
        table, cells = trial.functions.table, 0
        cost = first.iterations + len(table)
        for code in filter(None, (self.after, self.disordered)):
            second = trial.run(code, 20 * cost + 1000)
            if code is self.after:
                self.ran |= second.ran
            if isinstance(second.error, TooMuch):
                reason = "the rewritten loops run very much longer"
                return Skipped(shown, reason, costly=True)
            if isinstance(second.error, Unrunnable):
                raise Unrunnable(f"the rewritten loops: {second.error}")
            pairs = chain(
                _arrays(before, trial.given, self.unseen),
                _seen(before, first, trial.given, second, self.before.outside),
            )
            found = _first_difference(table, second.error, pairs)
            if not isinstance(found, int):
                mixed = code is self.disordered
                return Difference(shown, *found, seed, second.error, repeated, mixed)
            cells = found
        return Compared(shown, cells, len(table), first.iterations, repeated)


def _twice(given: Given, names: Iterable[str]) -> bool:
    """Whether the cells of these arrays that were touched hold a number twice."""
    touched = (value for name in names for value in given.arrays[name].touched())
    held = [getattr(value, "number", value) for value in touched]
    return len(set(held)) < len(held)


class _Trial:
    """The inputs of a pair of runs, as large as the source needs them."""

    def __init__(
        self,
        pair: Pair,
        sizes: dict[str, int],
        fixed: frozenset[str],
        seed: int,
        repeat: bool,
    ) -> None:
        self.seed = seed
        self.repeat = repeat
        self.pair = pair
        self.sizes = sizes
        self.fixed = fixed
        largest = max(sizes.values(), default=3)
        self.limit = max(1, largest) * pair.inputs.indices.most
        self.most = 8 * largest + 2 * min(pair.before.literal, MOST_CELLS) + 64
        self.extents: dict[Axis, int] = {}
        for array in pair.inputs.arrays.values():
            guess = max(self.limit, min(pair.before.literal, largest + 500)) + 2
            while guess > 4 and guess**array.rank > _GUESSED_CELLS:
                guess //= 2
            for axis in range(array.rank):
                self.extents[array.name, axis] = guess
        self.functions = pair.functions
        self.functions.table = Table(self.seed)
        self.given = Given({}, {})

    def settle(self, limit: int) -> Outcome:
        """Run the source with larger and larger arrays until none is left."""
        outcome = self.run(self.pair.before, limit)
        for _ in range(_ATTEMPTS):
            if not isinstance(outcome.error, Outside) or not self._grow(outcome.error):
                break
            self.functions.table = Table(self.seed)
            outcome = self.run(self.pair.before, limit)
        if isinstance(outcome.error, _SIGNS_OF_SYMBOLS):
            raise _unrunnable(outcome) from None
        if isinstance(outcome.error, NameError) and not isinstance(
            outcome.error, UnboundLocalError
        ):
            raise _unrunnable(outcome) from None
        if isinstance(outcome.error, (Unrunnable, RecursionError, MemoryError)):
            raise _unrunnable(outcome) from None
        return outcome

    def run(self, code: Code, limit: int) -> Outcome:
        """One run on fresh inputs."""
        inputs = self.pair.inputs
        self.given = build(
            self.functions, inputs, self.sizes, self.extents, self.limit, self.repeat
        )
        values = {
            name: self.functions.table.leaf("scalar", (f"the global {name}",), float)
            for name in self.pair.strange
        }
        return code.run(self.functions, values | self.given.values, limit)

    def shown(self) -> dict[str, int]:
        """The sizes under their names in messages."""
        names = self.pair.inputs.shown()
        return {names[name]: value for name, value in self.sizes.items()}

    def _grow(self, error: Outside) -> bool:
        """Make room for a subscript; false when that does not help."""
        axis = error.array, error.axis
        name = extent_name(axis)
        if error.indirect:
            extent = self.sizes.get(name, self.extents[axis])
            if 0 < extent < self.limit:
                self.limit = extent
                return True
        if error.needed > self.most or name in self.fixed:
            return False
        if name in self.sizes:
            self.sizes[name] = error.needed
        else:
            extent = self.extents[axis]
            self.extents[axis] = max(error.needed, min(2 * extent, self.most))
        return True


def _unrunnable(outcome: Outcome) -> Unrunnable:
    error = outcome.error
    text = str(error)
    for name in (Symbol.__name__, Cells.__name__, Members.__name__):
        text = text.replace(f"'{name}'", _NAMES[name])
    if not isinstance(error, Unrunnable):
        text = f"{type(error).__name__}: {text}"
    found = Unrunnable(text)
    found.line = outcome.line
    found.mismatch = isinstance(error, TypeError)
    return found


def named(error: Exception) -> str:
    """An exception, as messages show it."""
    kind = IndexError if isinstance(error, Outside) else type(error)
    return f"{kind.__name__}: {error}"


_NAMES = {
    Symbol.__name__: "a symbolic number",
    Cells.__name__: "a symbolic array",
    Members.__name__: "the object",
}

Seen = Iterator[tuple[str, Any, Any]]


def _first_difference(
    table: Table, error: Exception | None, pairs: Seen
) -> int | tuple[str, Any, Any]:
    """What differs first, and how; how many pairs there are where none does."""
    count = 0
    if error is not None:
        return "", None, None
    for where, left, right in pairs:
        one, two = table.symbol(left), table.symbol(right)
        if one is not two:
            return where, one, two
        count += 1
    return count


def _arrays(before: Given, after: Given, unseen: Collection[str]) -> Seen:
    """What all arrays but some hold after two runs."""
    for name, cells in before.arrays.items():
        if name not in unseen:
            yield from _cells(name, cells, after.arrays[name])


def _seen(
    before: Given,
    first: Outcome,
    after: Given,
    second: Outcome,
    outside: tuple[str, ...],
) -> Seen:
    """What a caller could see of two runs beside arrays: (where, value, value)."""
    for name, holder in before.members.items():
        other = vars(after.members[name])
        for attribute, value in vars(holder).items():
            if attribute not in other:
                yield f"{name}.{attribute}", value, None
            elif not isinstance(value, (Cells, Members)):
                yield f"{name}.{attribute}", value, other[attribute]
            elif value is not before.arrays.get(f"{name}.{attribute}"):
                yield from _values(f"{name}.{attribute}", value, other[attribute])
    for name in outside:
        value = first.globals.get(name)
        if not isinstance(value, Members) and value is not before.values.get(name):
            yield from _values(name, value, second.globals.get(name))
    yield from _values("the result", first.result, second.result)
    yield from _values("what is printed", first.printed, second.printed)


def _values(where: str, left: Any, right: Any) -> Seen:
    """Two values, part by part."""
    if type(left) is Cells and type(right) is Cells:
        yield from _cells(where, left, right)
    elif isinstance(left, (list, tuple)) and type(left) is type(right):
        if len(left) != len(right):
            yield f"the length of {where}", len(left), len(right)
        for at, (one, two) in enumerate(zip(left, right, strict=False)):
            yield from _values(f"{where}[{at}]", one, two)
    elif isinstance(left, dict) and isinstance(right, dict):
        yield f"the keys of {where}", list(left), list(right)
        for key in left:
            yield from _values(f"{where}[{key!r}]", left[key], right.get(key))
    elif left is not None or right is not None:
        known = (Symbol, int, float, complex, str, bytes, type(None))
        if isinstance(left, known) or isinstance(right, known):
            yield where, left, right


def _cells(where: str, left: Cells, right: Cells) -> Seen:
    if left.shape != right.shape:
        yield f"{where}.shape", left.shape, right.shape
        return
    for place, one, two in left.beside(right):
        yield f"{where}[{', '.join(map(str, place))}]", one, two
