"""Frozen dataclasses of which there are many: they are made in a fifth of the time.

``__init__`` of a frozen dataclass sets each field by ``object.__setattr__``, which
takes five times as long as to store it, and was a tenth of the time of a nest. Nothing
is assigned to these, either, but it is mypy that says so, not each object as it runs.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
    from dataclasses import replace as replace
else:

    def dataclass(*, frozen, eq=True, **options):
        """As in ``dataclasses``, with ``frozen`` for mypy alone."""
        assert frozen, "others have no need of this"
        return dataclasses.dataclass(eq=eq, unsafe_hash=eq, **options)

    def replace(node: Any, /, **changes: Any) -> Any:
        """As in ``dataclasses``, where all fields are given in order."""
        kind = node.__class__
        fields = [
            changes.pop(name) if name in changes else getattr(node, name)
            for name in kind.__match_args__
        ]
        return kind(*fields, **changes)
