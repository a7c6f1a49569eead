"""The Cython text of a nest that raises what Python raises, where Python raises it.

After an exception the arrays hold what was written before it. A schedule that changes
the order is carried out only where nothing in the nest can raise: the proof says so, or
the entry has tested it. Else the nest is compiled in the order as written.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from looptx.emit.cython import Section, joined, nest_function
from looptx.errors import Unsupported
from looptx.lower.nest import exceptions
from looptx.model.schedule import in_source_order
from looptx.model.types import Type
from looptx.native.diagnostics.notes import ORDER
from looptx.plan import as_written, with_conditions

if TYPE_CHECKING:
    from looptx.looptree.planned import Planned

_OTHER = "_as_written"


def nest_text(
    planned: Planned,
    types: Mapping[str, Type],
    name: str,
    imports: Mapping[str, str] | None = None,
) -> Section:
    """The functions of a nest, ``name`` the entry, as ``nest_function`` gives them.

    Args:
        planned: the proven nest.
        types, name, imports: as in ``nest_function``.

    Raises:
        LooptxError: as ``nest_function``; LX504 also where an exception in the middle
            would be seen to have left other values in scalars.
    """
    wanted = exceptions(planned, types, imports).wanted
    planned = with_conditions(planned, wanted)
    if in_source_order(planned.schedule):
        return _in_order(planned, types, name, imports)
    found = exceptions(planned, types, imports)
    if found.hazards:
        order = _written(planned, types)
        note = ORDER + "; ".join(map(str, found.hazards))
        return _in_order(replace(order, notes=(note,)), types, name, imports)
    if not found.partial or _seen_after(planned):
        return nest_function(planned, types, name, imports, every=True)
    other = f"lx_{name}{_OTHER}"
    checking = _in_order(_written(planned, types), types, other, imports)
    plain = nest_function(planned, types, name, imports, every=True, other=other)
    return joined((checking, plain), "\n\n")


def _written(planned: Planned, types: Mapping[str, Type]) -> Planned:
    return replace(as_written(planned, types), always=planned.always)


def _seen_after(planned: Planned) -> bool:
    """Whether an exception would leave other values in scalars than Python's loops."""
    return planned.nest.caught and bool(planned.nest.live_out)


def _in_order(
    planned: Planned,
    types: Mapping[str, Type],
    name: str,
    imports: Mapping[str, str] | None,
) -> Section:
    """The functions of a nest in the order as written, which may raise."""
    if _seen_after(planned):
        for hazard in exceptions(planned, types, imports, every=False).hazards:
            raise Unsupported(
                "LX504",
                f"not compiled natively: {hazard.reason} may raise, and the function"
                f" goes on with `{planned.nest.live_out[0]}` then",
                hazard.place,
                hint="move the loops into a function of their own",
            )
    return nest_function(planned, types, name, imports)
