"""What a validation compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Compared:
    """One pair of runs that gave the same.

    Attributes:
        sizes: by name: arguments, names given to extents, or ``A.shape[0]``.
        cells: how many cells and returned values were compared.
        expressions: how many different expressions they are made of, all parts counted.
        iterations: of the loops of the source.
    """

    sizes: Mapping[str, int]
    cells: int
    expressions: int
    iterations: int

    @property
    def cost(self) -> int:
        """How much work it was."""
        return self.iterations + self.expressions

    def __str__(self) -> str:
        return listed(self.sizes)


@dataclass(frozen=True, slots=True)
class Validation:
    """The result of running a function and its rewritten form on symbols.

    Attributes:
        name: of the function.
        compared: one entry for each choice of sizes.
        skipped: the sizes at which nothing was compared, each with the reason.
        modulo: what may differ, because a directive or exact arithmetic allows it.
        idle: the rewritten loops of which no iteration ran at any of these sizes: the
            numbers of their lines in the rewritten text.
        loops: how many loops the rewritten function has.
        trusted: what the user vouched for.
    """

    name: str
    compared: tuple[Compared, ...]
    skipped: tuple[tuple[str, str], ...] = ()
    modulo: tuple[str, ...] = ()
    idle: tuple[int, ...] = ()
    loops: int = 0
    trusted: tuple[str, ...] = ()

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
        """One line: what was compared, modulo what, and what did not run."""
        parts = [
            f"{count(len(self.compared), 'size')}, {count(self.cells, 'cell')}, "
            f"{count(self.expressions, 'expression')} equal"
        ]
        if self.modulo:
            parts.append(f"modulo {', '.join(self.modulo)}")
        if self.idle:
            parts.append(f"{len(self.idle)} of {count(self.loops, 'loop')} did not run")
        return f"kernel {self.name}: {'; '.join(parts)}"

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
            "idle": list(self.idle),
        }

    def __str__(self) -> str:
        lines = [f"validated: {self.summary}"]
        lines += [
            f"  {one}: {count(one.cells, 'cell')}, "
            f"{count(one.expressions, 'expression')}"
            for one in self.compared
        ]
        lines += [f"  {sizes}: not compared, {why}" for sizes, why in self.skipped]
        if self.idle:
            where = ", ".join(map(str, self.idle))
            lines.append(f"  no iteration ran of the rewritten loops in lines {where}")
        lines += [f"  on trust: {one.removeprefix('trust ')}" for one in self.trusted]
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
        every("trusted"),
    )


def count(number: int, noun: str) -> str:
    """``1,234 cells``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def listed(sizes: Mapping[str, int]) -> str:
    """``n=3, m=2``."""
    return ", ".join(f"{name}={value}" for name, value in sizes.items()) or "no sizes"
