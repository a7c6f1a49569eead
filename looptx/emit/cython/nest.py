"""A planned nest as Cython: its functions, their entry, and the whole module."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from looptx.emit.cython.entry import Entry
from looptx.emit.cython.prelude import prelude
from looptx.emit.cython.section import Section, joined
from looptx.emit.cython.text import Cython
from looptx.emit.cython.vectors import widest
from looptx.errors import LooptxError
from looptx.lower.kinds import UNSIGNED
from looptx.lower.nest import Lowered, Typed, lower
from looptx.model.records import replace
from looptx.model.schedule import has_loops_of_source
from looptx.model.types import ScalarType


def nest_function(
    typed: Typed,
    name: str,
    *,
    every: bool = False,
    other: str = "",
    target: type[Cython] = Cython,
) -> Section:
    """The Cython functions of one nest.

    The entry ``name(<live_in...>, threads)`` returns NotImplemented for other types,
    a text that says why when a check fails (an index out of bounds, overlapping or
    unaligned arrays, a false ``assume``), else the tuple of the ``live_out`` values.

    Args:
        typed: the proven nest, for certain types.
        name: of the entry.
        every: test on entry all that may raise and can be tested; other: the entry to
            call where a test fails that Python may not come to.
        target: what writes the functions.

    Raises:
        LooptxError: LX504 for what has no native equivalent, LX503 for a scalar without
            a type.
    """

    def lowered(one: type[Cython]) -> Lowered:
        stem = f"{name}_{one.machine}" if one.machine else name
        size = {"vector": one.vector, "registers": one.registers}
        return lower(typed, stem, every=every, **size)

    try:
        cython = target()
        first = lowered(target)
        texts = cython.functions(first.functions)
        better = [(one, lowered(one)) for one in target.better]
        for one, version in better:
            writer = one()
            texts += writer.functions(version.functions)
            cython.calls |= writer.calls
            cython.versions |= writer.versions
            cython.arrays |= writer.arrays
        texts.append(Entry(first, cython, other, better).text(name))
    except LooptxError as error:
        raise error.at(typed.planned.nest.place) from None
    section = cython.section("\n\n\n".join(texts) + "\n")
    return replace(
        section,
        scalar=first.scalar,
        vector=widest(section.calls),
        tiles=not has_loops_of_source(typed.planned.schedule),
        left=(*_left(first),),
    )


def _left(lowered: Lowered) -> Iterator[tuple[str, ScalarType]]:
    """The types of the numbers that a nest leaves, by name.

    What a loop makes of a Python number is NumPy's, for the most part.
    """
    kinds = lowered.scope.kinds
    for name in lowered.scope.planned.nest.live_out:
        members = kinds[name].members if name in kinds else frozenset[ScalarType]()
        members = members - {UNSIGNED}  # It is Python's where the nest ends.
        strong = [one for one in members if not one.weak] or [*members]
        if len(strong) == 1:
            yield name, strong[0]


def module_text(nests: Sequence[Section], host: str = "") -> str:
    """A whole ``.pyx``: what the functions need, the functions, then ordinary Python.

    Args:
        nests: what ``nest_function`` gave.
        host: Python that uses the entries; its docstring and ``from __future__``
            imports stay at the top.
    """
    text = "\n\n\n".join(nest.text.rstrip() for nest in nests)
    both = joined(nests, "")
    head, rest = _split(host)
    parts = [
        "# cython: language_level=3",
        head,
        prelude(both.calls, both.versions),
        "",
        "",
        text,
    ]
    whole = "\n".join(part for part in parts if part is not None)
    return whole + "\n" + (f"\n\n{rest}" if rest.strip() else "")


def _split(host: str) -> tuple[str | None, str]:
    """The docstring and future imports of a module, and the rest."""
    last = 0
    for number, node in enumerate(ast.parse(host).body):
        docstring = number == 0 and isinstance(node, ast.Expr)
        future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
        if not future and not (docstring and isinstance(node.value, ast.Constant)):  # type: ignore[attr-defined]
            break
        last = node.end_lineno or last
    lines = host.splitlines(keepends=True)
    return "".join(lines[:last]).rstrip() or None, "".join(lines[last:])
