"""The names that a function has, and gets where others stand for their calls."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from looptx.model.callees.callee import Callee
from looptx.model.naming import Taken
from looptx.model.records import dataclass, field
from looptx.source.names.imports import resolve


@dataclass
class Names:
    """The names of a function that calls, and those that it gets.

    Attributes:
        imports: what its names mean. bound: those that it binds itself.
        taken: all that nothing else may be called.
        ranks: how many axes its arrays have, as far as that is known.
        known: the new names of what functions that it calls name, with their meaning.
        callees: functions by such meanings.
        kept: the positions that loops around that statement keep inside of arrays.
        values: what names get that stand for what functions are given.
    """

    imports: Mapping[str, str]
    bound: frozenset[str]
    taken: Taken
    ranks: dict[str, int]
    known: dict[str, str] = field(default_factory=dict)
    callees: dict[str, Callee] = field(default_factory=dict)
    kept: frozenset[tuple[str, str, int]] = frozenset()
    values: dict[str, ast.expr] = field(default_factory=dict)

    def outside(self, name: str, full: str) -> str:
        """What a module or function is called, by its name elsewhere and its full one.

        Args:
            name: elsewhere. full: the meaning of that.
        """
        here = resolve(ast.Name(name, ast.Load()), self.imports)
        if name not in self.bound and here == full:
            return name
        own = (x for x, known in self.known.items() if known == full)
        found = next(own, "") or self.taken.again(name)
        self.known[found] = full
        return found

    def function(self, name: str, callee: Callee) -> str:
        """What a function of the user is called.

        Args:
            name: elsewhere. callee: the function.
        """
        found = self.taken.again(name.replace(".", "_"))
        full = f".{found}"
        self.known[found], self.callees[full] = full, callee
        return found
