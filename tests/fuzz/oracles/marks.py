"""The loops that are marked as parallel or vector, as looptx says where marks ended."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from looptx.looptree.planned import Planned
from looptx.model.schedule import bands, statements


@dataclass(frozen=True)
class Mark:
    """A loop whose iterations run together.

    Attributes:
        function: its name. loop: that of the loop in the rewritten text.
        numbers: the statements inside, as their tags count them.
    """

    function: str
    loop: str
    numbers: frozenset[int]


def marks(plans: Iterable[tuple[str, Planned]]) -> Iterator[Mark]:
    """The marks of tagged functions.

    Args:
        plans: what became of their nests, with the names of the functions.
    """
    for function, planned in plans:
        known = planned.schedule.nest.statements
        for band in bands(planned.schedule.tree):
            how = band.dim.marks
            if how.parallel is not None or how.vectorize is not None:
                code = [x for name in statements(band) for x in known[name].code]
                tags = re.findall(r"\bW(\d+)\b", "\n".join(map(ast.unparse, code)))
                yield Mark(function, band.dim.name, frozenset(map(int, tags)))


def moved(loop: str, clauses: Sequence[str]) -> bool:
    """Whether some clause gives iterations of a loop to loops of their own."""
    splits = [x for x in clauses if x.startswith(("split ", "tile "))]
    return any(loop in re.findall(r"[a-z_]+", text) for text in splits)
