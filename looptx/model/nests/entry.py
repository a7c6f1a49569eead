"""What holds where a nest starts, as far as its function tells."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from looptx.model.expr import Cond
from looptx.model.records import dataclass, field
from looptx.model.types import Definition


@dataclass(frozen=True, slots=True)
class Entry:
    """What the values are with which a nest starts.

    Attributes:
        equal: parameter texts equal before the nest, as ``{text: canonical}``.
        known: what holds of parameter texts, and of earlier values.
        starts: the names in ``live_in`` that are integers, and the arrays whose
            elements must be integers for that.
        python: names and parameters that are Python integers, not NumPy's.
        given: all that scalars may be, if only assignments say it.
        definitions: how names got what they hold, and what these are made of.
        reaching: which of them reach the names in ``live_in``.
        ranged: the variables that only say ranges, subscripts and shapes.
        spare: integer arguments that it does not use: directives take them for sizes.
        untyped: arguments in conditions that nothing says are integers.
    """

    equal: Mapping[str, str] = field(default_factory=dict)
    known: tuple[Cond, ...] = ()
    starts: Mapping[str, frozenset[str]] = field(default_factory=dict)
    python: frozenset[str] = frozenset()
    given: Mapping[str, tuple[ast.expr, ...]] = field(default_factory=dict)
    definitions: tuple[Definition, ...] = ()
    reaching: Mapping[str, frozenset[int]] = field(default_factory=dict)
    ranged: frozenset[str] = frozenset()
    spare: frozenset[str] = frozenset()
    untyped: tuple[str, ...] = ()
