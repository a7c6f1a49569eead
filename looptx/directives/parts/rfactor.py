"""``rfactor``: each iteration of a loop collects its part of a reduction first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from looptx.directives.base import (
    LoopVerb,
    Verb,
    check_clause,
    fits,
    join,
    loop_name,
    make,
)
from looptx.directives.moving.cache_write import named
from looptx.directives.parts.factoring import factored
from looptx.errors import LooptxError, Refused
from looptx.language.grammar import Clause
from looptx.looptree.identities import started
from looptx.model.moves import Factor, Step
from looptx.model.program import Nest
from looptx.model.records import dataclass
from looptx.model.schedule import Schedule
from looptx.model.types import Type


@dataclass(frozen=True)
class Rfactor(LoopVerb):
    """Cut a reduction in two: each iteration of a loop collects by itself first.

    syntax: ``rfactor LOOP [as NAME]``
    rewrite: ``for k: s += ..`` ->
        ``for k: s_rf[k] = 0; s_rf[k] += ..`` and ``for k: s += s_rf[k]``
    """

    name: str = ""

    verb = "rfactor"
    usage = "rfactor LOOP [as NAME]"

    @classmethod
    def from_clause(cls, clause: Clause) -> Rfactor:
        """Read a loop, perhaps a name."""
        check_clause(clause, cls, names=True)
        fits(len(clause.operands) == 1, cls, "takes one loop")
        fits(len(clause.names) < 2, cls, "makes one nest: give one name")
        loop = loop_name(clause.operands[0], cls)
        name = clause.names[0] if clause.names else ""
        return cls(loop, name, place=clause.place, source=clause.source)

    @property
    def text(self) -> str:
        """``rfactor k as part``."""
        return join(self.verb, self.loop, names=(self.name,) if self.name else ())

    @property
    def makes(self) -> tuple[str, ...]:
        """The nest that collects the parts' terms."""
        return (self.name,) if self.name else ()

    def makes_of(self, nest: Nest) -> tuple[str, ...]:
        """A nest for any reduction; each may be cut again."""
        if self.name:
            return ()
        sums = (one.reduction for one in nest.statements.values())
        arrays = (one.target.array.rpartition(".")[2] for one in sums if one)
        return tuple(
            f"{array}{end}" for array in arrays for end in ("_rf", "_rf2", "_rf_rf")
        )

    def change(self, schedule: Schedule) -> Schedule:
        """Add the nest."""
        return factored(schedule, self.loop, self.name)

    def check_types(
        self,
        steps: Sequence[Step],
        final: Schedule,
        types: Mapping[str, Type],
        exact: frozenset[str],
        integers: frozenset[str],
    ) -> None:
        """See that another order of terms is exact, or asked for.

        Args:
            steps: the reduction that it cut. final: the schedule after all directives.
            types: what is known of names where the nest starts.
            exact: targets that may be combined in any order. integers: those of them
                that are integers.

        Raises:
            LooptxError: LX212, and where nothing is the identity of the operation.
        """
        for step in steps:
            if isinstance(step, Factor):
                target = final.cached(step.array)
                start = final.nest.statements[step.start]
                if target not in exact | final.reassociate:
                    op = "" if start.start is None else start.start.op
                    raise _unasked(self, target, op, typed=target in types)
                started(final, start, types, integers)


def rfactor(loop: str, *, as_: Sequence[str] | str = ()) -> Rfactor:
    """Let each iteration of ``loop`` collect a part of a reduction by itself first."""
    return make(Rfactor, loop, names=named(as_))


def _unasked(verb: Verb, target: str, op: str, *, typed: bool) -> LooptxError:
    """The error for a reduction that must keep its order.

    Args:
        verb: the directive. target: of the reduction.
        op: the operation. Of bits: no float has them, but dictionaries and sets have
            what is written like that.
        typed: whether the type of the target is known.
    """
    found = "which may change the last bits of a float."
    hint = f"write `reassociate {target}` if they may change"
    if op in ("min", "max"):
        found = "which may give another NaN, or zero of another sign."
        hint = f"write `reassociate {target}` if it may"
    if op in ("&", "|", "^"):
        found = f"and nothing says that `{target}` holds integers."
        hint = (
            f"say the type of `{target}` in an annotation,"
            f" or write `reassociate {target}`"
        )
    elif not typed:
        hint += f"; of integers say the type of `{target}` in an annotation"
    return Refused(
        "LX212",
        f"refused: {verb.text}",
        detail=(
            f"parts of the reduction into `{target}` are combined in another order,",
            found,
        ),
        hint=hint,
    )
