"""What a validation compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from looptx.model.records import dataclass


@dataclass(frozen=True, slots=True)
class Compared:
    """One pair of runs that gave the same.

    Attributes:
        sizes: by name: arguments, names given to extents, or ``A.shape[0]``.
        cells: how many cells and returned values were compared.
        expressions: how many different expressions they are made of, all parts counted.
        iterations: of the loops of the source.
        repeated: the index arrays that named positions more than once.
        hashed: whether hashes of the expressions were compared instead of these.
    """

    sizes: Mapping[str, int]
    cells: int
    expressions: int
    iterations: int
    repeated: tuple[str, ...] = ()
    hashed: bool = False

    @property
    def cost(self) -> int:
        """How much work it was."""
        return self.iterations + self.expressions

    def __str__(self) -> str:
        return at(self.sizes, self.repeated)


@dataclass(frozen=True, slots=True)
class Validation:
    """The result of running a function and its rewritten form on symbols.

    Attributes:
        name: of the function.
        compared: one entry for each choice of sizes.
        skipped: the sizes at which nothing was compared, each with the reason.
        modulo: what may differ, because a directive or exact arithmetic allows it.
        idle: the rewritten loops of which no iteration ran at any of these sizes, and
            which were not compared so: the numbers of their lines in ``text``.
        loops: how many loops the rewritten function has.
        trusted: what the user vouched for, each once: ``order``, ``independent A``.
        assumed: what is taken for granted of the inputs, because of that.
        parallel: the parallel loops whose iterations were always taken in order; those
            of others were compared in another order too.
        text: which text the numbers in ``idle`` are those of.
    """

    name: str
    compared: tuple[Compared, ...]
    skipped: tuple[tuple[str, str], ...] = ()
    modulo: tuple[str, ...] = ()
    idle: tuple[int, ...] = ()
    loops: int = 0
    trusted: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()
    parallel: tuple[str, ...] = ()
    text: str = "the rewritten file"

    @property
    def ok(self) -> bool:
        """Whether anything was compared; a difference is an error and no result."""
        return self.cells > 0

    @property
    def cells(self) -> int:
        """How many cells and returned values were compared, at all sizes."""
        return sum(one.cells for one in self.compared)

    @property
    def expressions(self) -> int:
        """How many expressions they are made of."""
        return sum(one.expressions for one in self.compared)

    @property
    def summary(self) -> str:
        """One line: what was compared, modulo what, on what trust, and what was not."""
        parts = [self._compared()]
        if self.modulo:
            parts.append(f"modulo {', '.join(self.modulo)}")
        if self.assumed:
            parts.append(f"provided that {', '.join(self.assumed)}")
        if self.trusted:
            parts.append(f"on trust: {', '.join(self.trusted)}")
        without = [self.missing] if self.idle else []
        if self.parallel:
            loops = ", ".join(f"`parallel {name}`" for name in self.parallel)
            without.append(f"the threads of {loops}")
        if without:
            parts.append(f"NOT compared: {', '.join(without)}")
        return f"kernel {self.name}: {'; '.join(parts)}"

    def _compared(self) -> str:
        """At how many sizes how much was equal."""
        symbols = [one for one in self.compared if not one.hashed]
        hashed = [one for one in self.compared if one.hashed]
        sizes = {tuple(one.sizes.items()) for one in symbols}
        cells = sum(one.cells for one in symbols)
        text = (
            f"{count(len(sizes), 'size')}, {count(cells, 'cell')}, "
            f"{count(self.expressions, 'expression')} equal"
        )
        if hashed:
            cells = sum(one.cells for one in hashed)
            more = count(len(hashed), "large size")
            text += f"; {more}, {count(cells, 'cell')} equal by hash"
        return text

    @property
    def missing(self) -> str:
        """Which loops never ran: ``2 of 9 loops, lines 15 and 18 of ...``."""
        *most, last = map(str, self.idle)
        lines = f"lines {', '.join(most)} and {last}" if most else f"line {last}"
        loops = f"{len(self.idle)} of {count(self.loops, 'loop')}"
        return f"{loops} that never ran ({lines} of {self.text})"

    def record(self) -> dict[str, object]:
        """The JSON form."""
        return {
            "kernel": self.name,
            "ok": self.ok,
            "cells": self.cells,
            "expressions": self.expressions,
            "compared": [dict(one.sizes) for one in self.compared],
            "skipped": [{"sizes": where, "reason": why} for where, why in self.skipped],
            "modulo": list(self.modulo),
            "assumed": list(self.assumed),
            "trusted": list(self.trusted),
            "loops": self.loops,
            "idle": list(self.idle),
            "parallel": list(self.parallel),
        }

    def __str__(self) -> str:
        lines = [f"validated: {self.summary}"]
        lines += [
            f"  {one}: {count(one.cells, 'cell')}, "
            + ("hashes" if one.hashed else count(one.expressions, "expression"))
            for one in self.compared
        ]
        lines += [f"  {sizes}: not compared, {why}" for sizes, why in self.skipped]
        return "\n".join(lines)


def merged(name: str, results: Sequence[Validation]) -> Validation:
    """The results of several functions as that of the one that contains them."""
    if len(results) == 1:
        return results[0]

    def every(field: str) -> tuple[Any, ...]:
        return tuple(one for result in results for one in getattr(result, field))

    return Validation(
        name,
        every("compared"),
        every("skipped"),
        every("modulo"),
        every("idle"),
        sum(result.loops for result in results),
        tuple(dict.fromkeys(every("trusted"))),
        every("assumed"),
        every("parallel"),
        results[0].text,
    )


def count(number: int, noun: str) -> str:
    """``1,234 cells``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def listed(sizes: Mapping[str, int]) -> str:
    """``n=3, m=2``."""
    return ", ".join(f"{name}={value}" for name, value in sizes.items()) or "no sizes"


def at(sizes: Mapping[str, int], repeated: Sequence[str]) -> str:
    """``n=3, idx with repetitions``: the inputs of a run."""
    return ", ".join((listed(sizes), *(f"{one} with repetitions" for one in repeated)))
